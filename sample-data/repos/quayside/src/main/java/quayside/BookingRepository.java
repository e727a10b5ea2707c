package quayside;

import java.util.List;
import java.util.Optional;

/** Where bookings are kept. */
public interface BookingRepository {

    void save(Booking booking);

    void delete(long id);

    Optional<Booking> findById(long id);

    List<Booking> findByBerth(int berthNumber);

    default boolean exists(long id) {
        return findById(id).isPresent();
    }
}

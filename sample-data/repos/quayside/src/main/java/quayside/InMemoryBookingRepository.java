package quayside;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Keeps bookings until the program ends. */
public class InMemoryBookingRepository implements BookingRepository {

    private final Map<Long, Booking> bookings = new TreeMap<>();

    @Override
    public void save(Booking booking) {
        bookings.put(booking.getId(), booking);
    }

    @Override
    public void delete(long id) {
        bookings.remove(id);
    }

    @Override
    public Optional<Booking> findById(long id) {
        return Optional.ofNullable(bookings.get(id));
    }

    @Override
    public List<Booking> findByBerth(int berthNumber) {
        return bookings.values().stream()
                .filter(booking -> booking.getBerth().number() == berthNumber)
                .toList();
    }
}

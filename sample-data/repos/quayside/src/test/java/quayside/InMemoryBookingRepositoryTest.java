package quayside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;

class InMemoryBookingRepositoryTest {

    private final BookingRepository bookings = new InMemoryBookingRepository();

    private static Booking booking(long id, int berthNumber) {
        Period period = Period.of("2031-05-01", "2031-05-04");
        return new Booking(id, Boat.sailing("Tern", 700), new Berth(berthNumber, 900), period, 0);
    }

    @Test
    void findByIdIsEmptyAtFirst() {
        assertThat(bookings.findById(7)).isEmpty();
    }

    @Test
    void saveAndFindById() {
        Booking saved = booking(7, 12);
        bookings.save(saved);
        Optional<Booking> found = bookings.findById(7);
        assertThat(found).contains(saved);
    }

    @Test
    void saveThenDelete() {
        bookings.save(booking(7, 12));
        bookings.delete(7);
        assertThat(bookings.exists(7)).isFalse();
    }
}

package quayside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;

@ExtendWith(MockitoExtension.class)
class BookingServiceTest {

    private static final Berth BERTH = new Berth(12, 1000);

    @Mock
    private BookingRepository bookings;
    @Mock
    private Notifier notifier;
    private BookingService service;
    private Boat petrel;

    @BeforeEach
    void openHarbour() {
        service = new BookingService(bookings, new FlatTariff(200), notifier);
        petrel = boat("Petrel");
    }

    private static Boat boat(String name) {
        return Boat.sailing(name, 850);
    }

    private static Period may(int from, int to) {
        return Period.of(day(from), day(to));
    }

    private static String day(int day) {
        return String.format("2031-05-%02d", day);
    }

    @Test
    void bookKeepsAndConfirmsTheBooking() {
        when(bookings.findByBerth(12)).thenReturn(List.of());
        Booking booking = service.book(petrel, BERTH, may(1, 4));
        verify(bookings).save(booking);
        verify(notifier).confirmed(booking);
        assertThat(booking.getPriceCents()).isEqualTo(9 * 200 * 3);
    }

    @Test
    void bookRefusesWhatIsTaken() {
        Booking other = new Booking(1, boat("Heron"), BERTH, may(3, 8), 0);
        when(bookings.findByBerth(12)).thenReturn(List.of(other));
        assertThrows(BerthTakenException.class, () -> service.book(petrel, BERTH, may(1, 4)));
        verify(bookings, never()).save(any());
    }

    @Test
    @DisplayName("Boats that are too long do not get a berth 🛥️")
    void bookRefusesALongBoat() {
        Boat liner = Boat.sailing("Liner", 20_000);
        assertThatThrownBy(() -> service.book(liner, BERTH, may(1, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Liner is too long for berth 12");
    }

    @Test
    void findByBerthIsAskedOnce() {
        when(bookings.findByBerth(12)).thenReturn(List.of());
        service.book(petrel, BERTH, may(1, 4));
        verify(bookings, times(1)).findByBerth(12);
    }

    @Nested
    class Cancel {

        private Booking booking;

        @BeforeEach
        void keepABooking() {
            booking = new Booking(7, petrel, BERTH, may(1, 4), 5400);
            when(bookings.findById(7)).thenReturn(Optional.of(booking));
        }

        @Test
        void freesTheBerth() {
            service.cancel(booking.getId());
            assertThat(booking.isActive()).isFalse();
        }

        @Test
        void bookThenCancel() {
            when(bookings.findByBerth(12)).thenReturn(List.of(booking));
            service.cancel(7);
            Booking again = service.book(petrel, BERTH, may(2, 3));
            assertThat(again.isActive()).isTrue();
        }

        @Test
        void cancelTwiceFails() {
            service.cancel(7);
            assertThatThrownBy(() -> service.cancel(7)).isInstanceOf(NoSuchElementException.class);
            verify(notifier, times(1)).cancelled(booking);
        }
    }
}

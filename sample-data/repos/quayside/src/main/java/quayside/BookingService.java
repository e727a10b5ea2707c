package quayside;

import java.util.NoSuchElementException;

/** Makes and cancels bookings. */
public class BookingService {

    private final BookingRepository bookings;
    private final Tariff tariff;
    private final Notifier notifier;
    private final BookingIds ids = new BookingIds();

    public BookingService(BookingRepository bookings, Tariff tariff, Notifier notifier) {
        this.bookings = bookings;
        this.tariff = tariff;
        this.notifier = notifier;
    }

    public Booking book(Boat boat, Berth berth, Period period) {
        requireRoom(boat, berth);
        requireFree(berth, period);
        int price = tariff.priceCents(boat, period);
        Booking booking = new Booking(ids.nextId(), boat, berth, period, price);
        bookings.save(booking);
        notifier.confirmed(booking);
        return booking;
    }

    private static void requireRoom(Boat boat, Berth berth) {
        if (!boat.fits(berth)) {
            throw new IllegalArgumentException(boat.name() + " is too long for berth " + berth.number());
        }
    }

    private void requireFree(Berth berth, Period period) {
        for (Booking other : bookings.findByBerth(berth.number())) {
            if (isInTheWay(other, period)) {
                throw new BerthTakenException(berth);
            }
        }
    }

    private static boolean isInTheWay(Booking other, Period period) {
        return other.isActive() && other.getPeriod().overlaps(period);
    }

    public void cancel(long id) {
        Booking booking = bookings.findById(id)
                .filter(Booking::isActive)
                .orElseThrow(() -> new NoSuchElementException("no booking " + id));
        booking.markCancelled();
        notifier.cancelled(booking);
    }
}

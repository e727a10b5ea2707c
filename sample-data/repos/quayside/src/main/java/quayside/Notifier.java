package quayside;

/** Tells owners what became of their bookings. */
public interface Notifier {

    void confirmed(Booking booking);

    void cancelled(Booking booking);
}

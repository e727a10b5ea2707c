package quayside;

/** One boat at one berth for some nights. */
public final class Booking {

    private final long id;
    private final Boat boat;
    private final Berth berth;
    private final Period period;
    private final int priceCents;
    private boolean cancelled;

    Booking(long id, Boat boat, Berth berth, Period period, int priceCents) {
        this.id = id;
        this.boat = boat;
        this.berth = berth;
        this.period = period;
        this.priceCents = priceCents;
    }

    public long getId() {
        return id;
    }

    public Boat getBoat() {
        return boat;
    }

    public Berth getBerth() {
        return berth;
    }

    public Period getPeriod() {
        return period;
    }

    public int getPriceCents() {
        return priceCents;
    }

    public boolean isActive() {
        return !cancelled;
    }

    void markCancelled() {
        cancelled = true;
    }
}

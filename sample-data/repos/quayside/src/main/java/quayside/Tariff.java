package quayside;

/** What a stay costs. */
public interface Tariff {

    int priceCents(Boat boat, Period period);
}

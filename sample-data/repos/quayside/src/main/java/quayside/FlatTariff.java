package quayside;

/** So much a metre and night, all year round. */
public class FlatTariff implements Tariff {

    private final int centsPerMetre;

    public FlatTariff(int centsPerMetre) {
        this.centsPerMetre = centsPerMetre;
    }

    @Override
    public int priceCents(Boat boat, Period period) {
        return startedMetres(boat) * centsPerMetre * period.nights();
    }

    /** A started metre counts as a whole one. */
    protected static int startedMetres(Boat boat) {
        return (boat.lengthCm() + 99) / 100;
    }
}

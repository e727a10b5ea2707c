package quayside;

import java.time.Month;

/** Half as much again for stays that begin in summer. */
public class SeasonTariff extends FlatTariff {

    public SeasonTariff(int centsPerMetre) {
        super(centsPerMetre);
    }

    @Override
    public int priceCents(Boat boat, Period period) {
        int price = super.priceCents(boat, period);
        return isSummer(period) ? price + price / 2 : price;
    }

    private static boolean isSummer(Period period) {
        Month month = period.arrival().getMonth();
        return isBetween(month, Month.JUNE, Month.AUGUST);
    }

    private static boolean isBetween(Month month, Month first, Month last) {
        return month.compareTo(first) >= 0 && month.compareTo(last) <= 0;
    }
}

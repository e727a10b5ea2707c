package quayside;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/** From the day of arrival to the day of departure. */
public record Period(LocalDate arrival, LocalDate departure) {

    public Period {
        if (!arrival.isBefore(departure)) {
            throw new IllegalArgumentException("departure must follow arrival");
        }
    }

    public static Period of(String arrival, String departure) {
        return new Period(LocalDate.parse(arrival), LocalDate.parse(departure));
    }

    public int nights() {
        return (int) ChronoUnit.DAYS.between(arrival, departure);
    }

    /** Whether some night belongs to both; one may arrive on the day another leaves. */
    public boolean overlaps(Period other) {
        return arrival.isBefore(other.departure) && other.arrival.isBefore(departure);
    }

    /** The same stay some days later. */
    public Period shift(int days) {
        return new Period(arrival.plusDays(days), departure.plusDays(days));
    }
}

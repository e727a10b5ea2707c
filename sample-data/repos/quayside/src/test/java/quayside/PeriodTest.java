package quayside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.LocalDate;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeriodTest {

    private static LocalDate newYear;

    @BeforeAll
    static void openCalendar() {
        newYear = LocalDate.of(2031, 1, 1);
    }

    private static Period stay(int firstDay, int nights) {
        LocalDate arrival = newYear.plusDays(firstDay);
        return new Period(arrival, arrival.plusDays(nights));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 364})
    void nightsAreCounted(int expected) {
        Period period = stay(0, expected);
        int nights = period.nights();
        assertEquals(expected, nights);
    }

    @ParameterizedTest(name = "from day {0}: {1}")
    @CsvSource({"0, true", "2, true", "3, false"})
    void overlaps_until_the_day_of_departure(int firstDay, boolean expected) {
        boolean overlaps = stay(0, 3).overlaps(stay(firstDay, 3));
        assertEquals(expected, overlaps);
    }

    static Stream<Arguments> neighbours() {
        return Stream.of(arguments(stay(0, 1), stay(1, 1)), arguments(stay(5, 2), stay(3, 2)));
    }

    @ParameterizedTest
    @MethodSource("neighbours")
    void touchingStaysCanBothBeHad(Period one, Period other) {
        boolean conflict = one.overlaps(other);
        assertFalse(conflict);
    }

    @Test
    void shiftThereAndBack() {
        Period period = stay(0, 4);
        Period back = period.shift(7).shift(-7);
        assertEquals(period, back);
    }

    @Test
    void aStayHasANight() {
        assertThrows(IllegalArgumentException.class, () -> new Period(newYear, newYear));
    }
}

package quayside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What holds for every tariff; a subclass brings one. */
abstract class TariffContract {

    protected Tariff tariff;
    protected Boat petrel;

    protected abstract Tariff createTariff();

    @BeforeEach
    void prepare() {
        tariff = createTariff();
        petrel = Boat.sailing("Petrel", 850);
    }

    protected int priceIn(String month) {
        return tariff.priceCents(petrel, inMonth(month));
    }

    private static Period inMonth(String month) {
        return Period.of("2031-" + month + "-01", "2031-" + month + "-03");
    }

    @Test
    void priceGrowsWithTheBoat() {
        Boat heron = Boat.sailing("Heron", 1150);
        Period period = inMonth("04");
        int small = tariff.priceCents(petrel, period);
        int large = tariff.priceCents(heron, period);
        assertThat(large).isGreaterThan(small);
    }

    @TestFactory
    Stream<DynamicTest> price_of_every_length() {
        return IntStream.of(400, 850, 1200).mapToObj(length -> DynamicTest.dynamicTest(length + " cm", () ->
                assertThat(tariff.priceCents(Boat.sailing("Any", length), inMonth("04"))).isPositive()));
    }
}

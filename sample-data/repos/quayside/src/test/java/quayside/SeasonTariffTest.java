package quayside;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeasonTariffTest extends TariffContract {

    @Override
    protected Tariff createTariff() {
        return new SeasonTariff(200);
    }

    @Test
    void summerCostsHalfAsMuchAgain() {
        assertThat(priceIn("07")).isEqualTo(priceIn("03") * 3 / 2);
    }
}

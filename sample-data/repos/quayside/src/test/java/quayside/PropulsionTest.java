package quayside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PropulsionTest {

    @ParameterizedTest
    @EnumSource(Propulsion.class)
    void onlyAnEngineNeedsFuel(Propulsion propulsion) {
        assertEquals(propulsion == Propulsion.ENGINE, propulsion.needsFuel());
    }
}

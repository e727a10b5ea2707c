package measurekit;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class UnitCatalogueTest {

    @Test
    public void findBySymbol() {
        UnitCatalogue catalogue = new UnitCatalogue();
        Unit unit = catalogue.find("nmi");
        assertEquals(unit.name(), "nautical mile");
        assertEquals(unit.factor(), Fraction.of(1852));
    }
}

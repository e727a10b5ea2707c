package measurekit;

import junit.framework.TestCase;

/** Older tests extend this instead of TestCase. */
public abstract class MeasureTestCase extends TestCase {

    protected UnitCatalogue catalogue;

    @Override
    protected void setUp() throws Exception {
        super.setUp();
        catalogue = new UnitCatalogue();
    }

    protected Quantity quantity(long amount, String symbol) {
        return new Quantity(Fraction.of(amount), catalogue.find(symbol));
    }

    protected void assertQuantity(String expected, Quantity actual) {
        assertEquals(expected, actual.toString());
    }
}

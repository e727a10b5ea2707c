package measurekit;

public class QuantityTest extends MeasureTestCase {

    private Quantity metre;

    @Override
    protected void setUp() throws Exception {
        super.setUp();
        metre = quantity(1, "m");
    }

    public void testPlus() {
        Quantity sum = metre.plus(quantity(20, "cm"));
        assertQuantity("6/5 m", sum);
    }

    public void test_scale_by() {
        Quantity scaled = metre.scaleBy(3);
        assertEquals("3 m", scaled.toString());
        assertEquals(quantity(300, "cm"), scaled);
    }

    public void testCompareTo() {
        assertTrue(metre.compareTo(quantity(1, "yd")) > 0);
        assertEquals(0, metre.compareTo(quantity(100, "cm")));
    }

    public void testPlusRefusesAnotherDimension() {
        try {
            metre.plus(quantity(1, "kg"));
            fail("lengths and masses have no sum");
        } catch (IllegalArgumentException expected) {
            assertEquals("kilogram is no LENGTH", expected.getMessage());
        }
    }

    public void testEquality() {
        Quantity dozen = quantity(12, "in");
        assertEquals(dozen, quantity(1, "ft"));
    }
}

package measurekit;

public class ScaleTest extends MeasureTestCase {

    public void testConvertBoilingWater() {
        Scale celsius = Scale.celsius();
        long fahrenheit = celsius.convert(1000, Scale.fahrenheit());
        assertEquals(2120, fahrenheit);
    }
}

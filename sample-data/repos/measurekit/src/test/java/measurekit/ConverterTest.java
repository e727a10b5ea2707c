package measurekit;

import static org.testng.Assert.assertEquals;

import java.util.NoSuchElementException;

import org.testng.annotations.BeforeClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class ConverterTest {

    private static UnitCatalogue catalogue;
    private Converter converter;

    @BeforeClass
    public static void openCatalogue() {
        catalogue = new UnitCatalogue();
    }

    @BeforeMethod
    public void makeConverter() {
        converter = new Converter(catalogue);
    }

    @Test
    public void convertFeetIntoInches() {
        Quantity inches = converter.convert("1 1/2 ft", "in");
        assertEquals(inches.toString(), "18 in");
    }

    @Test
    public void convertThereAndBack() {
        Quantity miles = new Quantity(Fraction.of(26), catalogue.find("mi"));
        Quantity kilometres = converter.convert(miles, "km");
        Quantity back = converter.convert(kilometres, "mi");
        assertEquals(back, miles);
    }

    @Test(expectedExceptions = NoSuchElementException.class)
    public void convertRefusesAnUnknownUnit() {
        converter.convert("1 parsnip", "in");
    }
}

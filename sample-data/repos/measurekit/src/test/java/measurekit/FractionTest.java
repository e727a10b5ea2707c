package measurekit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Every public method is a test, as the annotation is on the class. */
@Test
public class FractionTest {

    private Fraction half;
    private Fraction third;

    @BeforeMethod
    public void cut() {
        half = Fraction.of(1, 2);
        third = Fraction.of(1, 3);
    }

    public void plusFindsACommonDenominator() {
        Fraction sum = half.plus(third);
        assertEquals(sum, Fraction.of(5, 6));
    }

    public void minusAndPlus() {
        Fraction difference = half.minus(third);
        Fraction sum = difference.plus(third);
        assertEquals(sum, half);
    }

    public void timesANumberOrAFraction() {
        Fraction sixth = half.times(third);
        Fraction three = half.times(6);
        assertEquals(sixth, Fraction.of(1, 6));
        assertEquals(three, Fraction.of(3));
    }

    public void reduce_moves_the_sign() {
        Fraction reduced = new Fraction(6, -4).reduce();
        assertEquals(reduced.numerator(), -3);
        assertTrue(reduced.denominator() > 0);
    }

    @DataProvider
    public Object[][] texts() {
        return new Object[][] {{"3", Fraction.of(3)}, {"3/4", Fraction.of(3, 4)}, {"1 3/4", Fraction.of(7, 4)}};
    }

    @Test(dataProvider = "texts")
    public void parseMixedNumbers(String text, Fraction expected) {
        Fraction parsed = Fraction.parse(text);
        assertEquals(parsed, expected);
    }

    private void compareByHand() {
        throw new IllegalStateException("private methods are no tests");
    }
}

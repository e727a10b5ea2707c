package measurekit;

/** An exact number: a numerator over a positive denominator, in lowest terms. */
public record Fraction(long numerator, long denominator) implements Comparable<Fraction> {

    public static final Fraction ONE = of(1);

    public static Fraction of(long whole) {
        return new Fraction(whole, 1);
    }

    public static Fraction of(long numerator, long denominator) {
        return new Fraction(numerator, denominator).reduce();
    }

    /** Reads {@code 3}, {@code 3/4} and {@code 1 3/4}. */
    public static Fraction parse(String text) {
        String[] parts = text.trim().split("\\s+");
        Fraction sum = of(0);
        for (String part : parts) {
            sum = sum.plus(parseSimple(part));
        }
        return sum;
    }

    private static Fraction parseSimple(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return of(Long.parseLong(text));
        }
        return of(Long.parseLong(text.substring(0, slash)), Long.parseLong(text.substring(slash + 1)));
    }

    public Fraction reduce() {
        if (denominator == 0) {
            throw new ArithmeticException("zero denominator");
        }
        long divisor = gcd(Math.abs(numerator), Math.abs(denominator)) * Long.signum(denominator);
        return new Fraction(numerator / divisor, denominator / divisor);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    public Fraction plus(Fraction other) {
        long common = Math.multiplyExact(denominator, other.denominator);
        return of(numerator * other.denominator + other.numerator * denominator, common);
    }

    public Fraction minus(Fraction other) {
        return plus(of(-other.numerator, other.denominator));
    }

    public Fraction times(Fraction other) {
        return of(numerator * other.numerator, denominator * other.denominator);
    }

    public Fraction times(long factor) {
        return times(of(factor));
    }

    public Fraction dividedBy(Fraction other) {
        return times(of(other.denominator, other.numerator));
    }

    @Override
    public int compareTo(Fraction other) {
        return Long.compare(numerator * other.denominator, other.numerator * denominator);
    }

    @Override
    public String toString() {
        return denominator == 1 ? Long.toString(numerator) : numerator + "/" + denominator;
    }
}

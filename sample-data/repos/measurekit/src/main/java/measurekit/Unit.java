package measurekit;

/** A unit: its symbol, its name, what it measures, and how many base units it is worth. */
public record Unit(String symbol, String name, Dimension dimension, Fraction factor) {

    public boolean measuresLike(Unit other) {
        return dimension == other.dimension;
    }
}

package measurekit;

/** Converts what people write. */
public class Converter {

    private final UnitCatalogue catalogue;

    public Converter(UnitCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Converts a text such as {@code 1 1/2 ft}. */
    public Quantity convert(String text, String symbol) {
        int blank = text.lastIndexOf(' ');
        Fraction amount = Fraction.parse(text.substring(0, blank));
        return convert(new Quantity(amount, catalogue.find(text.substring(blank + 1))), symbol);
    }

    public Quantity convert(Quantity quantity, String symbol) {
        return quantity.in(catalogue.find(symbol));
    }
}

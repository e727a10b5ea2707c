package measurekit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/** Every unit that is known, by its symbol. */
public class UnitCatalogue {

    private final Map<String, Unit> units = new LinkedHashMap<>();

    /** Finds a unit by its symbol; the table is only filled when somebody asks. */
    public Unit find(String symbol) {
        if (units.isEmpty()) {
            load();
        }
        Unit unit = units.get(symbol);
        if (unit == null) {
            throw new NoSuchElementException("no unit " + symbol);
        }
        return unit;
    }

    public int size() {
        return units.size();
    }

    private void add(String symbol, String name, Dimension dimension, long numerator, long denominator) {
        Unit unit = new Unit(symbol, name, dimension, Fraction.of(numerator, denominator));
        if (units.putIfAbsent(symbol, unit) != null) {
            throw new IllegalStateException("two units " + symbol);
        }
    }

    /** Written out rather than computed: this is the table that is compared with the standard, line by line. */
    private void load() {
        // Lengths in metres.
        add("Em", "exametre", Dimension.LENGTH, 1_000_000_000_000_000_000L, 1);
        add("Pm", "petametre", Dimension.LENGTH, 1_000_000_000_000_000L, 1);
        add("Tm", "terametre", Dimension.LENGTH, 1_000_000_000_000L, 1);
        add("Gm", "gigametre", Dimension.LENGTH, 1_000_000_000, 1);
        add("Mm", "megametre", Dimension.LENGTH, 1_000_000, 1);
        add("km", "kilometre", Dimension.LENGTH, 1000, 1);
        add("hm", "hectometre", Dimension.LENGTH, 100, 1);
        add("dam", "decametre", Dimension.LENGTH, 10, 1);
        add("m", "metre", Dimension.LENGTH, 1, 1);
        add("dm", "decimetre", Dimension.LENGTH, 1, 10);
        add("cm", "centimetre", Dimension.LENGTH, 1, 100);
        add("mm", "millimetre", Dimension.LENGTH, 1, 1000);
        add("µm", "micrometre", Dimension.LENGTH, 1, 1_000_000);
        add("nm", "nanometre", Dimension.LENGTH, 1, 1_000_000_000);
        add("pm", "picometre", Dimension.LENGTH, 1, 1_000_000_000_000L);
        add("fm", "femtometre", Dimension.LENGTH, 1, 1_000_000_000_000_000L);
        add("in", "inch", Dimension.LENGTH, 127, 5000);
        add("ft", "foot", Dimension.LENGTH, 381, 1250);
        add("yd", "yard", Dimension.LENGTH, 1143, 1250);
        add("mi", "mile", Dimension.LENGTH, 201_168, 125);
        add("nmi", "nautical mile", Dimension.LENGTH, 1852, 1);
        add("fathom", "fathom", Dimension.LENGTH, 1143, 625);
        add("ch", "chain", Dimension.LENGTH, 12_573, 625);
        add("fur", "furlong", Dimension.LENGTH, 25_146, 125);
        add("thou", "thou", Dimension.LENGTH, 127, 5_000_000);
        add("hand", "hand", Dimension.LENGTH, 127, 1250);
        add("pt", "point", Dimension.LENGTH, 127, 360_000);
        add("pica", "pica", Dimension.LENGTH, 127, 30_000);
        // Masses in kilograms.
        add("Eg", "exagram", Dimension.MASS, 1_000_000_000_000_000L, 1);
        add("Pg", "petagram", Dimension.MASS, 1_000_000_000_000L, 1);
        add("Tg", "teragram", Dimension.MASS, 1_000_000_000, 1);
        add("Gg", "gigagram", Dimension.MASS, 1_000_000, 1);
        add("Mg", "megagram", Dimension.MASS, 1000, 1);
        add("kg", "kilogram", Dimension.MASS, 1, 1);
        add("hg", "hectogram", Dimension.MASS, 1, 10);
        add("dag", "decagram", Dimension.MASS, 1, 100);
        add("g", "gram", Dimension.MASS, 1, 1000);
        add("dg", "decigram", Dimension.MASS, 1, 10_000);
        add("cg", "centigram", Dimension.MASS, 1, 100_000);
        add("mg", "milligram", Dimension.MASS, 1, 1_000_000);
        add("µg", "microgram", Dimension.MASS, 1, 1_000_000_000);
        add("ng", "nanogram", Dimension.MASS, 1, 1_000_000_000_000L);
        add("pg", "picogram", Dimension.MASS, 1, 1_000_000_000_000_000L);
        add("fg", "femtogram", Dimension.MASS, 1, 1_000_000_000_000_000_000L);
        add("t", "tonne", Dimension.MASS, 1000, 1);
        add("lb", "pound", Dimension.MASS, 45_359_237, 100_000_000);
        add("oz", "ounce", Dimension.MASS, 45_359_237, 1_600_000_000);
        add("st", "stone", Dimension.MASS, 317_514_659, 50_000_000);
        add("gr", "grain", Dimension.MASS, 6_479_891, 100_000_000_000L);
        add("dr", "dram", Dimension.MASS, 45_359_237, 25_600_000_000L);
        add("ct", "carat", Dimension.MASS, 1, 5000);
        // Volumes in litres.
        add("El", "exalitre", Dimension.VOLUME, 1_000_000_000_000_000_000L, 1);
        add("Pl", "petalitre", Dimension.VOLUME, 1_000_000_000_000_000L, 1);
        add("Tl", "teralitre", Dimension.VOLUME, 1_000_000_000_000L, 1);
        add("Gl", "gigalitre", Dimension.VOLUME, 1_000_000_000, 1);
        add("Ml", "megalitre", Dimension.VOLUME, 1_000_000, 1);
        add("kl", "kilolitre", Dimension.VOLUME, 1000, 1);
        add("hl", "hectolitre", Dimension.VOLUME, 100, 1);
        add("dal", "decalitre", Dimension.VOLUME, 10, 1);
        add("l", "litre", Dimension.VOLUME, 1, 1);
        add("dl", "decilitre", Dimension.VOLUME, 1, 10);
        add("cl", "centilitre", Dimension.VOLUME, 1, 100);
        add("ml", "millilitre", Dimension.VOLUME, 1, 1000);
        add("µl", "microlitre", Dimension.VOLUME, 1, 1_000_000);
        add("nl", "nanolitre", Dimension.VOLUME, 1, 1_000_000_000);
        add("pl", "picolitre", Dimension.VOLUME, 1, 1_000_000_000_000L);
        add("fl", "femtolitre", Dimension.VOLUME, 1, 1_000_000_000_000_000L);
        add("tsp", "metric teaspoon", Dimension.VOLUME, 1, 200);
        add("tbsp", "metric tablespoon", Dimension.VOLUME, 3, 200);
        add("cup", "metric cup", Dimension.VOLUME, 1, 4);
        add("galUK", "imperial gallon", Dimension.VOLUME, 454_609, 100_000);
        add("galUS", "gallon", Dimension.VOLUME, 473_176_473, 125_000_000);
        add("ptUK", "imperial pint", Dimension.VOLUME, 454_609, 800_000);
        // Times in seconds.
        add("Es", "exasecond", Dimension.TIME, 1_000_000_000_000_000_000L, 1);
        add("Ps", "petasecond", Dimension.TIME, 1_000_000_000_000_000L, 1);
        add("Ts", "terasecond", Dimension.TIME, 1_000_000_000_000L, 1);
        add("Gs", "gigasecond", Dimension.TIME, 1_000_000_000, 1);
        add("Ms", "megasecond", Dimension.TIME, 1_000_000, 1);
        add("ks", "kilosecond", Dimension.TIME, 1000, 1);
        add("hs", "hectosecond", Dimension.TIME, 100, 1);
        add("das", "decasecond", Dimension.TIME, 10, 1);
        add("s", "second", Dimension.TIME, 1, 1);
        add("ds", "decisecond", Dimension.TIME, 1, 10);
        add("cs", "centisecond", Dimension.TIME, 1, 100);
        add("ms", "millisecond", Dimension.TIME, 1, 1000);
        add("µs", "microsecond", Dimension.TIME, 1, 1_000_000);
        add("ns", "nanosecond", Dimension.TIME, 1, 1_000_000_000);
        add("ps", "picosecond", Dimension.TIME, 1, 1_000_000_000_000L);
        add("fs", "femtosecond", Dimension.TIME, 1, 1_000_000_000_000_000L);
        add("min", "minute", Dimension.TIME, 60, 1);
        add("hr", "hour", Dimension.TIME, 3600, 1);
        add("day", "day", Dimension.TIME, 86_400, 1);
        add("week", "week", Dimension.TIME, 604_800, 1);
        add("fortnight", "fortnight", Dimension.TIME, 1_209_600, 1);
        // Surveyors' and sailors' lengths.
        add("link", "link", Dimension.LENGTH, 12_573, 62_500);
        add("rod", "rod", Dimension.LENGTH, 12_573, 2500);
        add("league", "league", Dimension.LENGTH, 603_504, 125);
        add("cable", "cable", Dimension.LENGTH, 926, 5);
        add("shackle", "shackle", Dimension.LENGTH, 3429, 125);
        add("ell", "ell", Dimension.LENGTH, 1143, 1000);
        add("span", "span", Dimension.LENGTH, 1143, 5000);
        add("finger", "finger", Dimension.LENGTH, 1143, 10_000);
        add("nail", "nail", Dimension.LENGTH, 1143, 20_000);
        add("barleycorn", "barleycorn", Dimension.LENGTH, 127, 15_000);
        add("line", "line", Dimension.LENGTH, 127, 60_000);
        add("au", "astronomical unit", Dimension.LENGTH, 149_597_870_700L, 1);
        // Kitchen and cellar.
        add("gi", "imperial gill", Dimension.VOLUME, 454_609, 3_200_000);
        add("qtUK", "imperial quart", Dimension.VOLUME, 454_609, 400_000);
        add("flozUK", "imperial fluid ounce", Dimension.VOLUME, 454_609, 16_000_000);
        add("bu", "imperial bushel", Dimension.VOLUME, 454_609, 12_500);
        add("pk", "imperial peck", Dimension.VOLUME, 454_609, 50_000);
        add("hogshead", "hogshead", Dimension.VOLUME, 12_274_443, 50_000);
        add("barrel", "oil barrel", Dimension.VOLUME, 9_936_705_933L, 62_500_000);
        add("dash", "dash", Dimension.VOLUME, 1, 1600);
        add("pinch", "pinch", Dimension.VOLUME, 1, 3200);
        add("demijohn", "demijohn", Dimension.VOLUME, 5, 1);
        add("magnum", "magnum", Dimension.VOLUME, 3, 2);
        add("bottle", "bottle", Dimension.VOLUME, 3, 4);
        add("jeroboam", "jeroboam", Dimension.VOLUME, 3, 1);
        add("methuselah", "methuselah", Dimension.VOLUME, 6, 1);
        // Markets and mints.
        add("cwt", "hundredweight", Dimension.MASS, 317_514_659, 6_250_000);
        add("ton", "long ton", Dimension.MASS, 317_514_659, 312_500);
        add("sht", "short ton", Dimension.MASS, 45_359_237, 50_000);
        add("qr", "quarter", Dimension.MASS, 317_514_659, 25_000_000);
        add("dwt", "pennyweight", Dimension.MASS, 19_439_673, 12_500_000_000L);
        add("ozt", "troy ounce", Dimension.MASS, 19_439_673, 625_000_000);
        add("lbt", "troy pound", Dimension.MASS, 58_319_019, 156_250_000);
        add("zentner", "zentner", Dimension.MASS, 50, 1);
        add("quintal", "quintal", Dimension.MASS, 100, 1);
        add("pfund", "pfund", Dimension.MASS, 1, 2);
        // Long and short times.
        add("a", "Julian year", Dimension.TIME, 31_557_600, 1);
        add("decade", "decade", Dimension.TIME, 315_576_000, 1);
        add("century", "century", Dimension.TIME, 3_155_760_000L, 1);
        add("shake", "shake", Dimension.TIME, 1, 100_000_000);
        add("watch", "watch", Dimension.TIME, 14_400, 1);
        add("bell", "ship's bell", Dimension.TIME, 1800, 1);
        add("ke", "ke", Dimension.TIME, 900, 1);
        add("moment", "moment", Dimension.TIME, 90, 1);
    }
}

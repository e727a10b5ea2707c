package wordloom;

import java.util.Locale;

/** Makes names that are safe in an address. */
public final class Slug {

    private Slug() {
    }

    /** Letters and digits in lower case, one dash for everything between them. */
    public static String slugify(String title) {
        String dashed = title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return trimDashes(dashed);
    }

    private static String trimDashes(String text) {
        return text.replaceAll("^-|-$", "");
    }
}

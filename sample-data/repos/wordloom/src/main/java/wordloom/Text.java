package wordloom;

import java.util.List;
import java.util.StringJoiner;

/** Small services around strings. */
public final class Text {

    private Text() {
    }

    public static String join(String separator, String... parts) {
        return join(separator, List.of(parts));
    }

    public static String join(String separator, Iterable<String> parts) {
        StringJoiner joiner = new StringJoiner(separator);
        parts.forEach(joiner::add);
        return joiner.toString();
    }

    /** Upper case for the first character, whatever plane it is from. */
    public static String capitalize(String word) {
        if (word.isEmpty()) {
            return word;
        }
        int first = word.codePointAt(0);
        return Character.toString(Character.toTitleCase(first)) + word.substring(Character.charCount(first));
    }

    /** The lines without their ends. */
    public static List<String> lines(String text) {
        return new LineSplitter().split(text).stream()
                .map(Token::text)
                .map(Text::chomp)
                .toList();
    }

    private static String chomp(String line) {
        return line.endsWith("\n") ? line.substring(0, line.length() - 1) : line;
    }
}

package wordloom;

import java.util.ArrayList;
import java.util.List;

/** Walks over the text; a subclass says where it breaks. */
abstract class AbstractSplitter implements Splitter {

    /** Whether a new token begins between two neighbouring characters. */
    protected abstract boolean breaksBetween(int left, int right);

    @Override
    public final List<Token> split(String text) {
        List<Token> tokens = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            int end = endOfToken(text, start);
            tokens.add(Token.of(text.substring(start, end), start));
            start = end;
        }
        return tokens;
    }

    private int endOfToken(String text, int start) {
        int left = text.codePointAt(start);
        int end = start + Character.charCount(left);
        while (end < text.length()) {
            int right = text.codePointAt(end);
            if (breaksBetween(left, right)) {
                break;
            }
            end += Character.charCount(right);
            left = right;
        }
        return end;
    }
}

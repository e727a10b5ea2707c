package wordloom;

import java.util.Objects;

/** A piece of text, what it is, and where it begins. */
public record Token(String text, TokenKind kind, int start) {

    public Token {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(kind, "kind");
    }

    /** A token of the kind that its first character has. */
    public static Token of(String text, int start) {
        return new Token(text, TokenKind.of(text.codePointAt(0)), start);
    }

    /** The offset just after the last character. */
    public int end() {
        return start + text.length();
    }

    public boolean is(TokenKind other) {
        return kind == other;
    }
}

package wordloom;

/** What a token is made of. */
public enum TokenKind {
    WORD {
        @Override
        public boolean accepts(int codePoint) {
            return Character.isLetter(codePoint) || codePoint == '\'';
        }
    },
    NUMBER {
        @Override
        public boolean accepts(int codePoint) {
            return Character.isDigit(codePoint);
        }
    },
    SPACE {
        @Override
        public boolean accepts(int codePoint) {
            return Character.isWhitespace(codePoint);
        }
    },
    SYMBOL {
        @Override
        public boolean accepts(int codePoint) {
            return !WORD.accepts(codePoint) && !NUMBER.accepts(codePoint) && !SPACE.accepts(codePoint);
        }
    };

    /** Whether a token of this kind may hold the character. */
    public abstract boolean accepts(int codePoint);

    /** The kind that accepts the character; every character has exactly one. */
    public static TokenKind of(int codePoint) {
        for (TokenKind kind : values()) {
            if (kind.accepts(codePoint)) {
                return kind;
            }
        }
        throw new AssertionError("symbols are all the rest");
    }
}

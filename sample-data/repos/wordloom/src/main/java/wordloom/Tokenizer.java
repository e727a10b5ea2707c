package wordloom;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Splits, filters and folds text as its {@link Builder} was told. */
public final class Tokenizer {

    private final Splitter splitter;
    private final Set<TokenKind> skipped;
    private final boolean lowerCase;
    private final int limit;

    private Tokenizer(Builder builder) {
        this.splitter = builder.splitter;
        this.skipped = EnumSet.copyOf(builder.skipped);
        this.lowerCase = builder.lowerCase;
        this.limit = builder.limit;
    }

    public static Builder builder() {
        return new Builder();
    }

    public List<Token> tokenize(String text) {
        return tokenize(text, 0);
    }

    /** Reads all of it first: a token may lie across any two reads. */
    public List<Token> tokenize(Reader reader) throws IOException {
        StringWriter text = new StringWriter();
        reader.transferTo(text);
        return tokenize(text.toString());
    }

    /** The tokens from an offset on; their own offsets count from the beginning of the text. */
    public List<Token> tokenize(String text, int from) {
        if (from < 0 || from > text.length()) {
            throw new IndexOutOfBoundsException(from);
        }
        List<Token> tokens = new ArrayList<>();
        for (Token token : splitter.split(text.substring(from))) {
            if (!skipped.contains(token.kind()) && tokens.size() < limit) {
                tokens.add(fold(token, from));
            }
        }
        return tokens;
    }

    private Token fold(Token token, int offset) {
        String text = lowerCase ? token.text().toLowerCase(Locale.ROOT) : token.text();
        return new Token(text, token.kind(), token.start() + offset);
    }

    /** Collects the settings of a {@link Tokenizer}. */
    public static final class Builder {
        private Splitter splitter = new KindSplitter();
        private final Set<TokenKind> skipped = EnumSet.noneOf(TokenKind.class);
        private boolean lowerCase;
        private int limit = Integer.MAX_VALUE;

        private Builder() {
        }

        public Builder splitter(Splitter splitter) {
            this.splitter = splitter;
            return this;
        }

        public Builder skip(TokenKind... kinds) {
            skipped.addAll(List.of(kinds));
            return this;
        }

        public Builder lowerCase() {
            lowerCase = true;
            return this;
        }

        public Builder limit(int limit) {
            this.limit = limit;
            return this;
        }

        public Tokenizer build() {
            return new Tokenizer(this);
        }
    }
}

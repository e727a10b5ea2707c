package wordloom;

import java.util.List;

/** Takes a text apart without losing a character. */
public interface Splitter {

    /** All tokens, in order; their texts joined are the text again. */
    List<Token> split(String text);

    /** Only the words. */
    default List<String> words(String text) {
        return split(text).stream()
                .filter(token -> token.is(TokenKind.WORD))
                .map(Token::text)
                .toList();
    }

    default int count(String text) {
        return words(text).size();
    }
}

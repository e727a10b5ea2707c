package wordloom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;

import org.junit.Test;

public class TokenizerTest extends LoomTestBase {

    @Test
    public void tokenizeKeepsWordsAndNumbers() {
        String text = sample("sum");
        List<Token> tokens = tokenizer.tokenize(text);
        assertEquals(List.of("7", "and", "35", "make", "42"), texts(tokens));
        assertEquals(TokenKind.NUMBER, tokens.get(0).kind());
    }

    @Test
    public void tokenizeReaderLikeString() throws IOException {
        List<Token> expected = tokenizer.tokenize(sample("song"));
        List<Token> read = tokenizer.tokenize(new StringReader(sample("song")));
        assertEquals(expected, read);
    }

    @Test
    public void tokenize_from_an_offset() {
        List<Token> tokens = tokenizer.tokenize("one two", 4);
        assertEquals(1, tokens.size());
        assertEquals(4, tokens.get(0).start());
    }

    @Test
    public void tokenizeEmptyText() {
        assertTrue(tokenizer.tokenize("").isEmpty());
    }

    @Test(expected = IndexOutOfBoundsException.class)
    public void tokenizeRefusesANegativeOffset() {
        String text = sample("song");
        tokenizer.tokenize(text, -1);
    }

    @Test
    public void limitCutsTheRest() {
        Tokenizer brief = Tokenizer.builder().limit(2).build();
        List<String> texts = texts(brief.tokenize("a b c"));
        assertEquals(List.of("a", " "), texts);
    }
}

package wordloom;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TokenTest {

    @Test
    public void textIsKept() {
        Token token = new Token("loom", TokenKind.WORD, 4);
        assertEquals("loom", token.text());
    }
}

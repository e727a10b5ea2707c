package wordloom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static wordloom.TokenKind.SYMBOL;
import static wordloom.TokenKind.WORD;

import org.junit.Test;

public class TokenKindTest {

    @Test
    public void wordsAcceptsApostrophes() {
        boolean accepted = WORD.accepts('\'');
        assertTrue(accepted);
    }

    @Test
    public void of_a_code_point_outside_the_first_plane() {
        TokenKind kind = TokenKind.of(0x1D11E);
        assertEquals(SYMBOL, kind);
    }

    @Test
    public void valuesAreFour() {
        assertEquals(4, TokenKind.values().length);
    }
}

package wordloom;

import static org.junit.Assert.assertEquals;

import java.util.List;

import org.junit.Test;

public class SplitterTest {

    private final Splitter splitter = new KindSplitter();

    @Test
    public void splitKeepsEveryCharacter() {
        String text = "Grüße, it's 5 o'clock!";
        List<Token> tokens = splitter.split(text);
        StringBuilder joined = new StringBuilder();
        for (Token token : tokens) {
            joined.append(token.text());
        }
        assertEquals(text, joined.toString());
    }

    @Test
    public void wordsLeavesSymbolsOut() {
        List<String> words = splitter.words("to be, or not");
        assertEquals(List.of("to", "be", "or", "not"), words);
    }

    @Test
    public void countSkipsClefsAndNotes() {
        String tune = "𝄞 🎵🎶 " + Text.join(" ", "do", "re", "mi"); int count = splitter.count(tune);
        assertEquals(3, count);
    }
}

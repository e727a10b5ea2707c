package wordloom;

import static java.util.List.of;
import static org.junit.Assert.assertEquals;

import java.util.List;

import org.junit.Test;

public class LinesTest {

    @Test
    public void keepsTheEmptyOnes() {
        String poem = Text.join("\n", "one", "", "three");
        List<String> found = Text.lines(poem);
        assertEquals(of("one", "", "three"), found);
    }

    @Test
    public void joinLinesAgain() {
        List<String> found = Text.lines("a\nb");
        String joined = Text.join("\n", found);
        assertEquals("a\nb", joined);
    }
}

package wordloom;

import static org.junit.Assert.assertEquals;

import java.util.List;

import org.junit.Test;

/** A draft that was left in the middle of a sentence; the build does not compile this folder. */
public class HyphenatorTest {

    @Test
    public void capitalizeTheFirstPart() {
        String word = Text.capitalize("weaver");
        assertEquals("Weaver", word);
    }

    @Test
    public void hyphenateLongWords() {
        List<String> parts = Text.hyphenate("tokenizer", );
        assertEquals(List.of("to", "ken", "iz", "er"), parts
    }

package wordloom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.Before;
import org.junit.Test;

public class BagTest extends LoomTestBase {

    private Bag<String> bag;

    @Before
    public void fillBag() {
        bag = new Bag<>();
        putIn("song");
    }

    private void putIn(String name) {
        for (Token token : tokenizer.tokenize(sample(name))) {
            if (isWord(token)) {
                bag.add(token.text());
            }
        }
    }

    private static boolean isWord(Token token) {
        return token.is(TokenKind.WORD);
    }

    @Test
    public void mostCommonComesFirst() {
        putIn("sum");
        List<String> common = bag.mostCommon(2);
        assertEquals("row", common.get(0));
        assertEquals(2, common.size());
    }

    @Test
    public void countFollowsWhatIsPutIn() {
        assertEquals(0, bag.count("oar"));
        bag.add("oar");
        assertEquals(1, bag.count("oar"));
    }

    @Test
    public void addAndRemove() {
        bag.add("oar");
        boolean removed = bag.remove("oar");
        assertTrue(removed);
    }

    @Test
    public void addAllTakesArraysAndLists() {
        bag.addAll("oar", "oar");
        bag.addAll(List.of("sail"));
        assertEquals(2, bag.count("oar"));
        assertEquals(1, bag.count("sail"));
    }

    @Test
    public void removeIsNotForVisitors() {
        Bag<String>.Cursor cursor = bag.cursor();
        cursor.next();
        assertThrows(UnsupportedOperationException.class, () -> cursor.remove());
    }

    @Test
    public void cursorVisitsEveryCopy() {
        List<String> visited = new ArrayList<>();
        bag.cursor().forEachRemaining(visited::add);
        assertEquals(List.of("boat", "row", "row", "row", "your"), visited);
    }
}

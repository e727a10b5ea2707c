package wordloom;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SlugTest {

    @Test
    public void slugifyKeepsLettersAndDigits() {
        String title = "Chapter 7: The Loom!";
        String slug = Slug.slugify(title);
        assertEquals("chapter-7-the-loom", slug);
    }

    @Test
    public void everythingElseBecomesOneDash() {
        String made = Slug.slugify("warp  &  weft");
        assertEquals("warp-weft", made);
    }
}

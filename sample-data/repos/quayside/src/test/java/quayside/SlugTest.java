package quayside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

public class SlugTest {

    @Test
    public void slugifyKeepsLettersAndDigits() {
        String title = "Chapter 7: The Loom!";
        String slug = Slug.slugify(title);
        assertEquals("chapter-7-the-loom", slug);
    }
}

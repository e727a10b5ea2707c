package wordloom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;

import org.junit.Test;

public class ParagraphTest {

	@Test
	public void wrapBreaksBetweenWords() {
		Paragraph paragraph = new Paragraph("the quick brown fox");
		List<String> lines = paragraph.wrap(10);
		assertEquals(List.of("the quick", "brown fox"), lines);
	}

	@Test
	public void wrapKeepsALongLineShort() {
		Paragraph paragraph = new Paragraph("A weaver sets up the warp first, thread by thread, and only when every one of them is tight does the shuttle cross for the first time. From the left to the right it carries the weft, the comb beats it down, the heddles change places, and it goes back from the right to the left. Nothing else ever happens at a loom, and yet no two cloths are alike, because the order in which the heddles rise is a program as long as the weaver has patience for. Cards with holes were strung together to remember that order, and long before anybody spoke of software there were boxes of it in the attics of every mill along the river. When a card was torn it was mended with paste and paper, and when the mending was wrong the rose on the curtain had one petal too many, which was the first bug that customers complained about in writing. This paragraph is one line on purpose: editors must wrap it, scroll it or cut it, and whoever reads it on a narrow screen should still know where it began and how far it goes.");
		List<String> lines = paragraph.wrap(60);
		for (String line : lines) {
			assertTrue(line, line.length() <= 60);
		}
	}

	@Test
	public void wrapLosesNoWord() {
		Paragraph paragraph = new Paragraph("warp and weft and warp again");
		List<String> lines = paragraph.wrap(9);
		if (!Text.join(" ", lines).equals("warp and weft and warp again")) {
			throw new IllegalStateException("lost a word: " + lines);
		}
	}

	@Test
	public void aParagraphNeedsAText() {
		assertThrows(NullPointerException.class, () -> new Paragraph(null));
	}
}

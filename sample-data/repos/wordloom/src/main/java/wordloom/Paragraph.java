package wordloom;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/** A text that can be broken into lines of a width. */
public class Paragraph {

	private final List<String> words;

	public Paragraph(String text) {
		requireNonNull(text, "text");
		this.words = List.of(text.trim().split("\\s+"));
	}

	/** Fills every line as far as it goes; a word longer than a line has one of its own. */
	public List<String> wrap(int width) {
		List<String> lines = new ArrayList<>();
		StringBuilder line = new StringBuilder();
		for (String word : words) {
			if (!fits(line, word, width)) {
				flush(line, lines);
			}
			append(line, word);
		}
		flush(line, lines);
		return lines;
	}

	private static boolean fits(CharSequence line, String word, int width) {
		return line.length() + gap(line) + word.length() <= width;
	}

	private static void append(StringBuilder line, String word) {
		line.append(" ".repeat(gap(line))).append(word);
	}

	private static int gap(CharSequence line) {
		return line.length() == 0 ? 0 : 1;
	}

	private static void flush(StringBuilder line, List<String> lines) {
		if (line.length() > 0) {
			lines.add(line.toString());
			line.setLength(0);
		}
	}
}

//! Examples in Python's documentation, `>>> f(1, b=2)`: whom they pass arguments by name, and what else they mention.

/// What examples say that matters to the functions of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Examples<'c> {
    /// Names of arguments, each with the name of what is called; empty where that is not certain.
    pub keywords: Vec<(&'c str, &'c str)>,
    /// Names that stand there otherwise than to be called.
    pub mentioned: Vec<&'c str>,
    /// Words of lines that pass a dictionary as arguments.
    pub open: Vec<&'c str>,
}

impl<'c> Examples<'c> {
    /// Reads all examples of a text.
    pub fn new(text: &'c str) -> Self {
        let mut examples = Self::default();
        let mut open = Open::default();
        for line in text.lines() {
            let line = line.trim_start();
            if let Some(line) = line.strip_prefix(">>>") {
                open = Open::default();
                examples.line(line, &mut open);
            } else if let Some(line) = line.strip_prefix("...") {
                examples.line(line, &mut open);
            }
        }
        examples
    }

    fn line(&mut self, line: &'c str, open: &mut Open<'c>) {
        if line.contains("**") {
            self.open.extend(words(line));
        }
        let first = line.split_whitespace().next();
        let is_import = matches!(first, Some("from" | "import")) && !line.contains(" as ");
        let bytes = line.as_bytes();
        let mut at = 0;
        let mut last = b' ';
        while at < bytes.len() {
            if let Some(quote) = open.string {
                let end = line[at..].find(quote).map(|it| at + it);
                self.text(&line[at..end.unwrap_or(line.len())]);
                let Some(end) = end else { return };
                (open.string, last, at) = (None, b'"', end + quote.len());
                continue;
            }
            let byte = bytes[at];
            match byte {
                b'#' => return,
                b'"' | b'\'' => {
                    let triple = if byte == b'"' { "\"\"\"" } else { "'''" };
                    if line[at..].starts_with(triple) {
                        open.string = Some(triple);
                        at += 3;
                    } else {
                        let len = string(&bytes[at + 1..], byte);
                        self.text(&line[at + 1..at + 1 + len]);
                        (last, at) = (byte, (at + len + 2).min(bytes.len()));
                    }
                    continue;
                }
                b'(' | b'[' | b'{' => {
                    let is_call = byte == b'(' && is_word(last);
                    let called = if is_call { open.word } else { "" };
                    open.brackets.push((byte, called));
                }
                b')' | b']' | b'}' => drop(open.brackets.pop()),
                _ if is_word(byte) => {
                    let len = line[at..].bytes().take_while(|it| is_word(*it)).count();
                    let word = &line[at..at + len];
                    at += len;
                    let next = line[at..].trim_start();
                    let begins_string = line[at..].starts_with(['"', '\'']);
                    if !begins_string && !is_import {
                        self.word(word, (last, next), open);
                    }
                    open.word = word;
                    last = b'a';
                    continue;
                }
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                last = byte;
            }
            at += 1;
        }
    }

    /// Takes a word between what stands before it and what follows.
    fn word(&mut self, word: &'c str, (last, next): (u8, &str), open: &Open<'c>) {
        if next.starts_with('(') {
            return;
        }
        let is_given = next.starts_with('=') && !next.starts_with("==");
        match open.brackets.last() {
            Some((b'(', called)) if is_given && (last == b'(' || last == b',') => {
                self.keywords.push((word, called));
            }
            // A line that goes on where nobody has seen its beginning.
            None if is_given => {
                self.keywords.push((word, ""));
                self.mentioned.push(word);
            }
            _ => self.mentioned.push(word),
        }
    }

    /// Takes what stands in a string: it may be run.
    fn text(&mut self, text: &'c str) {
        for (at, _) in text.match_indices('=') {
            if text[at + 1..].starts_with('=') {
                continue;
            }
            let before = text[..at].trim_end();
            let name = before
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or_default();
            if !name.is_empty() {
                self.keywords.push((name, ""));
            }
        }
        self.mentioned.extend(words(text));
    }
}

/// What an example has begun and not ended.
#[derive(Default)]
struct Open<'c> {
    /// With the name of what is called.
    brackets: Vec<(u8, &'c str)>,
    /// The quotes that end it.
    string: Option<&'static str>,
    /// The last word.
    word: &'c str,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|it| !it.is_empty())
}

/// Returns the length of a string up to its closing quote, or to the end of the line.
fn string(bytes: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, keywords: &[(&str, &str)], mentioned: &[&str]) {
        let found = Examples::new(text);
        assert_eq!(
            (found.keywords, found.mentioned),
            (keywords.to_vec(), mentioned.to_vec()),
            "{text}"
        );
    }

    #[test]
    fn a_name_belongs_to_the_call_around_it() {
        check(
            ">>> list(a(1, b=[c(d=2), x == 1]))  # e=1",
            &[("b", "a"), ("d", "c")],
            &["x"],
        );
        check(">>> o.a(b = 1)", &[("b", "a")], &["o"]);
        check(
            "    >>> a(1,\n    ...   b=2)\n    b(c=3)",
            &[("b", "a")],
            &[],
        );
    }

    #[test]
    fn what_is_called_is_not_always_certain() {
        check(">>> a(1)(b=2)", &[("b", "")], &[]);
        check(">>> [a][0](b=2)", &[("b", "")], &["a"]);
        check("... b=2)", &[("b", "")], &["b"]);
        check(">>> exec('a(b=1)')", &[("b", "")], &["a", "b", "1"]);
    }

    #[test]
    fn a_name_that_is_not_called_is_mentioned() {
        check(">>> partial(a, b=1)", &[("b", "partial")], &["a"]);
        check(">>> from m import a", &[], &[]);
        check(
            ">>> from m import a as c",
            &[],
            &["from", "m", "import", "a", "as", "c"],
        );
        check(
            ">>> f'é{a}' + '''b\n... c''' + d",
            &[],
            &["é", "a", "b", "c", "d"],
        );
    }

    #[test]
    fn a_dictionary_of_arguments_may_have_any_name() {
        assert_eq!(Examples::new(">>> a(**b)").open, ["a", "b"]);
        assert_eq!(Examples::new("a(**b)"), Examples::default());
    }
}

//! A line of bash that is not finished: its words as the program would get them, and how a word goes on in it.
//!
//! Bash itself cuts words at `@`, `:` and `=` too, and tells which end of the line an answer takes the place of; it
//! puts answers there as they are.

/// The line up to the cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct ShellLine {
    /// The words behind the program's name, without their quotes.
    pub before: Vec<String>,
    /// The last word, without its quotes.
    pub word: String,
    /// The last word as it is typed.
    typed: String,
    /// The open quote that the last word is in, if any.
    quote: Option<char>,
}

impl ShellLine {
    /// Reads a line; nothing where it has no more than the program's name.
    pub fn read(line: &str) -> Option<Self> {
        let mut before = Vec::new();
        let (mut word, mut typed, mut quote) = (String::new(), String::new(), None);
        let mut chars = line.chars().peekable();
        while let Some(char) = chars.next() {
            if quote.is_none() && char.is_whitespace() {
                if !typed.is_empty() {
                    before.push(std::mem::take(&mut word));
                    typed.clear();
                }
                continue;
            }
            typed.push(char);
            match (quote, char) {
                (Some(open), char) if open == char => quote = None,
                (None, '\'' | '"') => quote = Some(char),
                (None | Some('"'), '\\') => {
                    let is_escape = |next: &char| quote.is_none() || "\"\\$`".contains(*next);
                    let escaped = chars.next_if(is_escape);
                    typed.extend(escaped);
                    word.push(escaped.unwrap_or(char));
                }
                (_, char) => word.push(char),
            }
        }
        // Variables may be set before the program's name.
        let is_assignment = |text: &String| text.contains('=');
        let n_set = before.iter().take_while(|text| is_assignment(text)).count();
        before.drain(..n_set);
        if before.is_empty() {
            return None;
        }
        before.remove(0);
        Some(Self {
            before,
            word,
            typed,
            quote,
        })
    }

    /// Completes the last word to this name, as a text in the place of `replaced`, the end of the line; nothing where
    /// no such text does.
    pub fn completed(&self, name: &str, replaced: &str) -> Option<String> {
        let text = match self.quote {
            None => escaped(name, |c| {
                !c.is_alphanumeric() && !"-_=+,./:@%^~".contains(c)
            }),
            // Nothing is escaped there.
            Some('\'') if name.contains('\'') => return None,
            Some('\'') => format!("'{name}"),
            Some(quote) => format!("{quote}{}", escaped(name, |c| "\"\\$`".contains(c))),
        };
        let kept = self.typed.strip_suffix(replaced)?;
        text.strip_prefix(kept).map(str::to_owned)
    }
}

/// Puts a backslash before each of these characters.
fn escaped(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if is_special(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_bash_reads_it() {
        let check = |line: &str, expected: &[&str]| {
            let read = ShellLine::read(line);
            let words = read.map(|mut shell_line| {
                shell_line.before.push(shell_line.word);
                shell_line.before
            });
            let words = words.unwrap_or_default();
            assert_eq!(words, expected, "{line}");
        };
        check("focalist", &[]);
        check("focalist ", &[""]);
        check("focalist samples @h", &["samples", "@h"]);
        check("A=1 B=2 focalist  runs  ", &["runs", ""]);
        check(r"focalist results a\&b 'c d", &["results", "a&b", "c d"]);
        check(
            r#"focalist results "a\"b\c" x"#,
            &["results", "a\"b\\c", "x"],
        );
        check("focalist results ''x'y z'w", &["results", "xy zw"]);
        check(r"focalist a\", &[r"a\"]);
    }

    #[test]
    fn a_name_goes_on_as_it_was_begun_and_is_taken_as_one_word() {
        let check = |line: &str, replaced: &str, name: &str, expected: Option<&str>| {
            let line = ShellLine::read(line).expect("there is a word");
            let completed = line.completed(name, replaced);
            assert_eq!(completed.as_deref(), expected, "{line:?}");
        };
        // What bash says that it replaces was tried with bash 5.2.
        check("focalist samples @h", "@h", "@hard", Some("@hard"));
        check("focalist samples x:@h", "@h", "x:@hard", Some("@hard"));
        check(
            "focalist eval --run=st",
            "st",
            "--run=steady",
            Some("steady"),
        );
        check("focalist eval ", "", "a&b c|d", Some(r"a\&b\ c\|d"));
        check(r"focalist eval a\&b", r"a\&b", "a&b|c", Some(r"a\&b\|c"));
        check("focalist eval 'a&", "a&", "a&b\"", Some("a&b\""));
        check("focalist eval 'a", "a", "a'b", None);
        check("focalist eval \"a ", "a ", "a $b", Some("a \\$b"));
        check("focalist eval 'a'b", "'a'b", "ab c", Some(r"ab\ c"));
    }
}

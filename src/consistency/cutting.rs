//! Where a completion ends: with the function that it goes on with (MUTATIONS.md 9).
//!
//! Decides by indentation in Python, by braces elsewhere. Takes any text and never fails; where no end is found the
//! whole text is the completion.

use crate::metric::extract::extract;
use crate::model::{Extraction, Language};

use std::borrow::Cow;

/// Cuts an answer down to the function that a prompt begins.
#[must_use]
pub fn completed<'a>(language: Language, prompt: &str, answer: &'a str) -> Cow<'a, str> {
    let code = if answer.contains("```") {
        extract(Extraction::Lenient, language, answer).code
    } else {
        Cow::Borrowed(answer)
    };
    let end = match language {
        Language::Python => end_by_indentation(prompt, &code),
        Language::Java | Language::Go | Language::JavaScript | Language::CSharp => {
            end_by_braces(prompt, &code)
        }
    };
    match code {
        Cow::Borrowed(code) => Cow::Borrowed(&code[..end]),
        Cow::Owned(mut code) => {
            code.truncate(end);
            Cow::Owned(code)
        }
    }
}

/// The construct that the current position of a text is inside of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScanState {
    #[default]
    Code,
    LineComment,
    Comment,
    /// A text that ends with this mark, this number of times.
    Text(u8, usize),
}

/// Reads code byte by byte; knows texts, comments, and the depth of brackets.
struct CodeScanner {
    is_python: bool,
    inside: ScanState,
    n_open: usize,
    /// Open braces; `n_open` counts all brackets.
    n_braces: usize,
}

impl CodeScanner {
    fn new(language: Language) -> Self {
        Self {
            is_python: language == Language::Python,
            inside: ScanState::Code,
            n_open: 0,
            n_braces: 0,
        }
    }

    /// Reads what stands at a place; returns how many bytes that is.
    fn read(&mut self, bytes: &[u8], at: usize) -> usize {
        let byte = bytes[at];
        let has = |mark: &[u8]| bytes[at..].starts_with(mark);
        match self.inside {
            ScanState::LineComment => {
                if byte == b'\n' {
                    self.inside = ScanState::Code;
                }
                1
            }
            ScanState::Comment => {
                if has(b"*/") {
                    self.inside = ScanState::Code;
                    return 2;
                }
                1
            }
            ScanState::Text(mark, n_marks) => {
                if byte == b'\\' {
                    return 2;
                }
                let is_end = has(&[mark; 3][..n_marks]);
                // A text of one line that is not closed ends with the line.
                if is_end || (byte == b'\n' && n_marks == 1 && mark != b'`') {
                    self.inside = ScanState::Code;
                }
                if is_end { n_marks } else { 1 }
            }
            ScanState::Code => self.code(bytes, at),
        }
    }

    fn code(&mut self, bytes: &[u8], at: usize) -> usize {
        let byte = bytes[at];
        let has = |mark: &[u8]| bytes[at..].starts_with(mark);
        match byte {
            b'#' if self.is_python => self.inside = ScanState::LineComment,
            b'/' if !self.is_python && has(b"//") => self.inside = ScanState::LineComment,
            b'/' if !self.is_python && has(b"/*") => {
                self.inside = ScanState::Comment;
                return 2;
            }
            b'"' | b'\'' if has(&[byte; 3]) && (self.is_python || byte == b'"') => {
                self.inside = ScanState::Text(byte, 3);
                return 3;
            }
            b'"' | b'\'' => self.inside = ScanState::Text(byte, 1),
            b'`' if !self.is_python => self.inside = ScanState::Text(byte, 1),
            b'(' | b'[' | b'{' => {
                self.n_open += 1;
                self.n_braces += usize::from(byte == b'{');
            }
            b')' | b']' | b'}' => {
                self.n_open = self.n_open.saturating_sub(1);
                self.n_braces = self.n_braces.saturating_sub(usize::from(byte == b'}'));
            }
            _ => {}
        }
        1
    }

    fn read_all(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at += self.read(bytes, at);
        }
    }
}

fn end_by_braces(prompt: &str, code: &str) -> usize {
    let mut reader = CodeScanner::new(Language::Java);
    reader.read_all(prompt);
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let n_before = reader.n_braces;
        at += reader.read(bytes, at);
        if n_before == 1 && reader.n_braces == 0 {
            return at;
        }
    }
    code.len()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn end_by_indentation(prompt: &str, code: &str) -> usize {
    let of_function = indent(prompt);
    let mut reader = CodeScanner::new(Language::Python);
    reader.read_all(prompt);
    let mut is_first = !prompt.ends_with('\n') || reader.n_open > 0;
    let (mut at, mut end) = (0, 0);
    for line in code.split_inclusive('\n') {
        let is_new = reader.inside == ScanState::Code && reader.n_open == 0;
        let words = line.trim();
        if is_new && !words.is_empty() && !words.starts_with('#') {
            let begins = [
                "def ",
                "class ",
                "@",
                "async def ",
                "if __name__",
                "import ",
                "from ",
            ];
            // Models often leave the white space out that the first line begins with.
            let is_outside = indent(line) <= of_function
                && (!is_first || begins.iter().any(|begin| words.starts_with(begin)))
                && (end > 0 || begins.iter().any(|begin| words.starts_with(begin)));
            if is_outside {
                return end;
            }
            is_first = false;
        }
        let is_comment = is_new && words.starts_with('#');
        let bytes = line.as_bytes();
        let mut within = 0;
        while within < bytes.len() {
            within += reader.read(bytes, within);
        }
        at += line.len();
        if !words.is_empty() && (!is_comment || indent(line) > of_function) {
            end = at;
        }
    }
    // Blank lines at the end are cut off with what follows, but a text that ends inside the function stays as it is.
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, prompt: &str, answer: &str, expected: &str) {
        assert_eq!(completed(language, prompt, answer), expected);
    }

    #[test]
    fn a_function_of_python_ends_where_indentation_does() {
        let prompt = "    def f(a):\n        b = a\n";
        let answer = "        return b\n\n    def g():\n        pass\n";
        check(Language::Python, prompt, answer, "        return b\n");
        let answer = "        return (\n1)\n        # end\nprint(f(1))\n";
        check(
            Language::Python,
            prompt,
            answer,
            "        return (\n1)\n        # end\n",
        );
        let answer = "        s = '''\nx\n'''\n# c\n        return s";
        check(Language::Python, prompt, answer, answer);
    }

    #[test]
    fn a_first_line_may_lack_its_indentation() {
        let prompt = "def f(a):\n    b = a\n";
        check(Language::Python, prompt, "return b\nx = 1\n", "return b\n");
        check(Language::Python, prompt, "def g():\n    pass\n", "");
    }

    #[test]
    fn other_functions_end_with_their_brace() {
        let prompt = "int f(int a) {\n    if (a > 0) {\n";
        let answer = "        s = \"}\"; // }\n    }\n    return a;\n}\n\nint g() {}\n";
        let expected = "        s = \"}\"; // }\n    }\n    return a;\n}";
        check(Language::Java, prompt, answer, expected);
        check(
            Language::Go,
            "func f() {\n",
            "\treturn `}`\n}\nfunc g() {}",
            "\treturn `}`\n}",
        );
    }

    #[test]
    fn a_fence_is_taken_off() {
        let answer = "Here it is:\n```python\n    return b\n```\n";
        let found = completed(Language::Python, "def f(b):\n", answer);
        assert_eq!(found.trim_end(), "    return b");
    }
}

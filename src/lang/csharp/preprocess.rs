//! Directives, and the code that they leave out (LANGUAGES L31): the grammar knows `#if` only in some places, so a file
//! is parsed without it. Offsets stay the same.
//!
//! [`super::msbuild`] decides which symbols are defined.

mod extension;

use std::borrow::Cow;

use rustc_hash::FxHashSet;

pub use self::extension::opened;

/// How deep brackets of a condition are followed.
const DEPTH_MAX: u32 = 50;

/// Blanks directives and inactive branches, and the `ref` of `ref partial struct`. `defined` is asked for the symbols
/// only when something depends on them.
pub fn blanked(text: &str, defined: impl FnOnce() -> FxHashSet<String>) -> Cow<'_, str> {
    let text = without_directives(text, defined);
    if text.contains(REF_PARTIAL) {
        Cow::Owned(text.replace(REF_PARTIAL, "    partial struct "))
    } else {
        text
    }
}

const REF_PARTIAL: &str = "ref partial struct ";

fn without_directives(text: &str, defined: impl FnOnce() -> FxHashSet<String>) -> Cow<'_, str> {
    if !has_directive(text) {
        return Cow::Borrowed(text);
    }
    let mut pass = Pass {
        bytes: text.as_bytes().to_vec(),
        symbols: if text.contains("#if") || text.contains("# if") {
            defined()
        } else {
            FxHashSet::default()
        },
        branches: Vec::new(),
    };
    pass.run(text);
    // Only whole characters were replaced, by as many spaces as they have bytes.
    String::from_utf8(pass.bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn has_directive(text: &str) -> bool {
    text.match_indices('#').any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    })
}

/// One `#if` around the place, and whether its branch there is active.
struct Branch {
    is_active: bool,
    /// Whether a branch before was active, or this one is.
    is_done: bool,
}

struct Pass {
    bytes: Vec<u8>,
    symbols: FxHashSet<String>,
    branches: Vec<Branch>,
}

impl Pass {
    fn run(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = end_of_line(bytes, at);
            let line = text[at..end].trim_start_matches(['\u{feff}', ' ', '\t']);
            if let Some(directive) = line.strip_prefix('#') {
                self.directive(directive.trim_start());
                self.blank(at, end);
                at = next_line(bytes, end);
            } else if self.is_active() {
                // Code that spans lines, such as a raw string, is skipped as a whole.
                at = next_line(bytes, end_of_code(bytes, at));
            } else {
                self.blank(at, end);
                at = next_line(bytes, end);
            }
        }
    }

    fn is_active(&self) -> bool {
        self.branches.last().is_none_or(|branch| branch.is_active)
    }

    /// Tells whether the code around the innermost `#if` is active.
    fn is_outside_active(&self) -> bool {
        let n = self.branches.len();
        n < 2 || self.branches[n - 2].is_active
    }

    fn directive(&mut self, text: &str) {
        let text = text.split("//").next().unwrap_or_default();
        let word = text
            .split(|text: char| !text.is_alphanumeric())
            .next()
            .unwrap_or_default();
        let rest = text[word.len()..].trim();
        match word {
            "if" => {
                let is_active = self.is_active() && self.holds(rest);
                self.branches.push(Branch {
                    is_active,
                    is_done: is_active,
                });
            }
            "elif" | "else" => {
                let is_wanted = self.is_outside_active() && (word == "else" || self.holds(rest));
                if let Some(branch) = self.branches.last_mut() {
                    branch.is_active = is_wanted && !branch.is_done;
                    branch.is_done |= branch.is_active;
                }
            }
            "endif" => {
                self.branches.pop();
            }
            "define" if self.is_active() => {
                self.symbols.insert(rest.to_owned());
            }
            "undef" if self.is_active() => {
                self.symbols.remove(rest);
            }
            _ => {}
        }
    }

    fn holds(&self, condition: &str) -> bool {
        Condition {
            rest: condition,
            symbols: &self.symbols,
        }
        .either(0)
    }

    fn blank(&mut self, from: usize, to: usize) {
        self.bytes[from..to].fill(b' ');
    }
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|byte| matches!(byte, b'\n' | b'\r'))
        .map_or(bytes.len(), |at| from + at)
}

fn next_line(bytes: &[u8], end: usize) -> usize {
    match bytes.get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => bytes.len(),
    }
}

/// Finds the end of the line on which the code that begins at `from` ends: strings and comments may span lines.
fn end_of_code(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' => return at,
            b'/' if bytes[at..].starts_with(b"//") => return end_of_line(bytes, at),
            _ => at = after_text(bytes, at).unwrap_or(at + 1),
        }
    }
    bytes.len()
}

/// Finds the end of the string, character or block comment that begins here, if one does.
fn after_text(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    match rest[0] {
        b'/' if rest.starts_with(b"/*") => Some(after(bytes, at + 2, b"*/")),
        b'"' => Some(end_of_string(bytes, at)),
        b'\'' => Some(end_of_character(bytes, at)),
        b'@' | b'$' if is_verbatim(rest) => {
            let quote = rest
                .iter()
                .position(|&byte| byte == b'"')
                .unwrap_or_default();
            Some(end_of_verbatim(bytes, at + quote + 1))
        }
        _ => None,
    }
}

fn after(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    bytes[from..]
        .windows(end.len())
        .position(|window| window == end)
        .map_or(bytes.len(), |at| from + at + end.len())
}

fn is_verbatim(bytes: &[u8]) -> bool {
    bytes.starts_with(b"@\"") || bytes.starts_with(b"$@\"") || bytes.starts_with(b"@$\"")
}

/// Finds the end of a verbatim string, in which `""` is a quote.
fn end_of_verbatim(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            if bytes.get(at + 1) != Some(&b'"') {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    at
}

/// Finds the end of a string: a raw one ends with as many quotes as it begins with, any other at the end of its line at
/// the latest.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let n_quotes = bytes[from..]
        .iter()
        .take_while(|byte| **byte == b'"')
        .count();
    if n_quotes >= 3 {
        return after(bytes, from + n_quotes, &bytes[from..from + n_quotes]);
    }
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' => return at,
            b'"' => return at + 1,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn end_of_character(bytes: &[u8], from: usize) -> usize {
    let end = end_of_line(bytes, from);
    let mut at = from + 1;
    while at < end {
        match bytes[at] {
            b'\'' => return at + 1,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    end
}

/// The condition of an `#if`, read from left to right.
struct Condition<'t> {
    rest: &'t str,
    symbols: &'t FxHashSet<String>,
}

impl Condition<'_> {
    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn either(&mut self, depth: u32) -> bool {
        let mut is = self.both(depth);
        while self.take("||") {
            is |= self.both(depth);
        }
        is
    }

    fn both(&mut self, depth: u32) -> bool {
        let mut is = self.equal(depth);
        while self.take("&&") {
            is &= self.equal(depth);
        }
        is
    }

    fn equal(&mut self, depth: u32) -> bool {
        let mut is = self.single(depth);
        loop {
            if self.take("==") {
                is = is == self.single(depth);
            } else if self.take("!=") {
                is = is != self.single(depth);
            } else {
                return is;
            }
        }
    }

    fn single(&mut self, depth: u32) -> bool {
        let mut is_not = false;
        while self.take("!") {
            is_not = !is_not;
        }
        let is = if self.take("(") {
            if depth >= DEPTH_MAX {
                return false;
            }
            let is = self.either(depth + 1);
            self.take(")");
            is
        } else {
            let end = self
                .rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            word == "true" || (word != "false" && self.symbols.contains(word))
        };
        is != is_not
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let symbols = || ["NET", "DEBUG"].map(str::to_owned).into_iter().collect();
        let blanked = blanked(text, symbols);
        assert_eq!(blanked.len(), text.len(), "offsets stay");
        let lines: Vec<&str> = blanked.lines().map(str::trim).collect();
        assert_eq!(lines.join("|"), expected, "{text}");
    }

    #[test]
    fn only_the_active_branch_stays() {
        check(
            "#if NET\na\n#else\nb\n#endif\nc",
            "|a|||||c".replacen("||", "|", 1).as_str(),
        );
        check(
            "#if X\na\n#elif NET\nb\n#elif DEBUG\nc\n#else\nd\n#endif",
            "|||b|||||",
        );
        check("#if X\n#if NET\na\n#endif\n#else\nb\n#endif", "|||||b|");
        check("#if !X && (NET == true || Y)\na\n#endif", "|a|");
    }

    #[test]
    fn symbols_of_the_file_count_from_where_they_are_defined() {
        check(
            "#define A\n#if A\nx\n#endif\n#undef A\n#if A\ny\n#endif",
            "||x|||||",
        );
    }

    #[test]
    fn what_looks_like_a_directive_in_a_string_or_comment_is_none() {
        check(
            "var s = \"\"\"\n#if X\n\"\"\";\na",
            "var s = \"\"\"|#if X|\"\"\";|a",
        );
        check("var s = @\"\n#if X\n\";", "var s = @\"|#if X|\";");
        check("/*\n#if X\n*/ a", "/*|#if X|*/ a");
        check("var c = '\"';\n#if X\nb\n#endif\nd", "var c = '\"';||||d");
    }

    #[test]
    fn a_condition_without_end_blanks_to_the_end_and_one_without_beginning_nothing() {
        check("a\n#if X\né\n", "a||");
        check("a\n#endif\nb\n#else\nc", "a||b||c");
        check(&format!("#if {}X\na", "(".repeat(100_000)), "|");
    }

    #[test]
    fn other_directives_leave_the_code_around_them() {
        check(
            "\u{feff}#region A\na\n#pragma warning disable X\n#:package A\nb",
            "|a|||b",
        );
    }
}

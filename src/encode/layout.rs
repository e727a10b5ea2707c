//! How decoded tokens stand on lines: a statement a line, blocks indented.
//!
//! Two tokens that would run into each other are always kept apart; everything else is for human readers.

/// Tokens that nothing stands before.
const NOTHING_BEFORE: &[&str] = &[";", ",", ")", "]", "...", "::"];
/// Tokens that nothing stands behind.
const NOTHING_BEHIND: &[&str] = &["(", "[", "@", "!", "~", "::"];

/// Signs of several characters: two tokens that would make one of them stay apart.
const SIGNS: &[&str] = &[
    "->",
    "::",
    "++",
    "--",
    "&&",
    "||",
    "==",
    "!=",
    "<=",
    ">=",
    "+=",
    "-=",
    "*=",
    "/=",
    "&=",
    "|=",
    "^=",
    "%=",
    "<<",
    ">>",
    "//",
    "/*",
    "..",
    "@interface",
];

/// What a token is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutRole {
    /// Of any other kind.
    Plain,
    /// An angle bracket of type arguments or parameters.
    Angle,
    /// The bracket that opens the list of a call, or of a declaration's parameters.
    Call,
    /// A brace around statements or members, or the `;` of one: a line ends behind it.
    Line,
    /// A dot between names.
    Dot,
}

/// Writes tokens.
#[derive(Debug, Default)]
pub struct TokenLayout {
    pub text: String,
    depth: usize,
    last: Option<LastToken>,
    /// Brackets that are open, in which no line ends.
    n_brackets: usize,
    /// Brackets that were open where a brace opened.
    brackets: Vec<usize>,
}

#[derive(Debug)]
struct LastToken {
    start: usize,
    place: LayoutRole,
}

impl TokenLayout {
    /// Empties the text and starts anew.
    pub fn clear(&mut self) {
        self.text.clear();
        self.depth = 0;
        self.last = None;
        self.n_brackets = 0;
        self.brackets.clear();
    }

    /// Appends a token; returns where it begins.
    pub fn push(&mut self, token: &str, place: LayoutRole) -> usize {
        let is_closing_brace = token == "}" && place == LayoutRole::Line;
        if is_closing_brace {
            self.depth = self.depth.saturating_sub(1);
        }
        self.gap(token, place, is_closing_brace);
        let start = self.text.len();
        self.text.push_str(token);
        match token {
            "(" | "[" => self.n_brackets += 1,
            ")" | "]" => self.n_brackets = self.n_brackets.saturating_sub(1),
            "{" if place == LayoutRole::Line => {
                self.depth += 1;
                self.brackets.push(std::mem::take(&mut self.n_brackets));
            }
            "}" if is_closing_brace => self.n_brackets = self.brackets.pop().unwrap_or(0),
            _ => {}
        }
        self.last = Some(LastToken { start, place });
        start
    }

    fn gap(&mut self, token: &str, place: LayoutRole, is_closing_brace: bool) {
        /// Deeper blocks are not indented further: broken code may open any number of braces.
        const DEPTH_MAX: usize = 24;
        let Some(last) = &self.last else { return };
        let before = &self.text[last.start..];
        let ends_line = last.place == LayoutRole::Line && self.n_brackets == 0;
        let is_joined = matches!(
            token,
            "else" | "catch" | "finally" | "while" | ")" | "," | ";" | "."
        ) && before == "}";
        let is_empty = is_closing_brace && before == "{";
        if (ends_line && !is_joined && !is_empty) || (is_closing_brace && !is_empty) {
            self.text.push('\n');
            for _ in 0..self.depth.min(DEPTH_MAX) {
                self.text.push_str("    ");
            }
        } else if !is_close(before, last.place, token, place) || runs_into(before, token) {
            self.text.push(' ');
        }
    }
}

fn is_close(before: &str, before_place: LayoutRole, token: &str, place: LayoutRole) -> bool {
    if place == LayoutRole::Angle && token == ">" {
        return true;
    }
    if NOTHING_BEFORE.contains(&token) || matches!(place, LayoutRole::Call) {
        return true;
    }
    if token == "[" || (token == "<" && place == LayoutRole::Angle) {
        return ends_as_name(before) || before == "]" || before == ")";
    }
    if place == LayoutRole::Dot {
        return !before.starts_with(|before: char| before.is_ascii_digit());
    }
    before_place == LayoutRole::Dot
        || (before_place == LayoutRole::Angle && before == "<")
        || NOTHING_BEHIND.contains(&before)
        || (before == "{" && token == "}")
}

fn ends_as_name(token: &str) -> bool {
    token
        .chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Tells whether two tokens with nothing between them would be read as other tokens.
fn runs_into(before: &str, token: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().next_back(), token.chars().next()) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    if is_word(last) && is_word(first) {
        return true;
    }
    if (before.starts_with(|before: char| before.is_ascii_digit()) && first == '.')
        || (last == '.' && first.is_ascii_digit())
    {
        return true;
    }
    if matches!((last, first), ('"', '"') | ('\'', '\'')) {
        return true;
    }
    // `>` closes one list after the other, and is never more than itself there.
    if last == '>' && first == '>' {
        return false;
    }
    let both = [last, first].iter().collect::<String>();
    SIGNS.contains(&both.as_str()) || (before == "@" && token == "interface")
}

#[cfg(test)]
mod tests {
    use super::{LayoutRole, TokenLayout};

    fn check(tokens: &[(&str, LayoutRole)], expected: &str) {
        let mut layout = TokenLayout::default();
        for (token, place) in tokens {
            layout.push(token, *place);
        }
        assert_eq!(layout.text, expected);
    }

    #[test]
    fn a_statement_stands_on_its_line() {
        use LayoutRole::{Call, Dot, Line, Plain};
        check(
            &[
                ("a", Plain),
                (".", Dot),
                ("f", Plain),
                ("(", Call),
                ("1", Plain),
                (",", Plain),
                ("2", Plain),
                (")", Plain),
                (";", Line),
                ("return", Plain),
                (";", Line),
            ],
            "a.f(1, 2);\nreturn;",
        );
    }

    #[test]
    fn what_would_be_another_token_stays_apart() {
        use LayoutRole::{Dot, Plain};
        check(&[("-", Plain), ("-", Plain), ("1", Plain)], "- - 1");
        check(&[("1", Plain), (".", Dot), ("x", Plain)], "1 .x");
        check(&[("!", Plain), ("=", Plain)], "! =");
    }
}

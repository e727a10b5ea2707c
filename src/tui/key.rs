//! Keys as values, and the notation that the registry, key scripts and the help share.
//!
//! Decides what a key is and how it is written (`g`, `<c-d>`, `<tab>`); knows no terminal and no action.

use std::fmt;

/// One key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPress {
    pub code: Code,
    pub control: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

/// The names in angle brackets, with keys and labels for people.
const NAMED: &[(&str, Code, &str)] = &[
    ("cr", Code::Enter, "Enter"),
    ("enter", Code::Enter, "Enter"),
    ("esc", Code::Esc, "Esc"),
    ("tab", Code::Tab, "Tab"),
    ("s-tab", Code::BackTab, "S-Tab"),
    ("bs", Code::Backspace, "Backspace"),
    ("del", Code::Delete, "Del"),
    ("up", Code::Up, "↑"),
    ("down", Code::Down, "↓"),
    ("left", Code::Left, "←"),
    ("right", Code::Right, "→"),
    ("home", Code::Home, "Home"),
    ("end", Code::End, "End"),
    ("pgup", Code::PageUp, "PgUp"),
    ("pgdn", Code::PageDown, "PgDn"),
    ("space", Code::Char(' '), "Space"),
    ("lt", Code::Char('<'), "<"),
];

impl KeyPress {
    /// Makes the key that types `char`.
    #[must_use]
    pub const fn char(char: char) -> Self {
        Self::plain(Code::Char(char))
    }

    #[must_use]
    pub const fn plain(code: Code) -> Self {
        Self {
            code,
            control: false,
        }
    }

    #[must_use]
    pub const fn control(char: char) -> Self {
        Self {
            code: Code::Char(char),
            control: true,
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.control {
            f.write_str("^")?;
        }
        match NAMED.iter().find(|(_, code, _)| *code == self.code) {
            Some((_, _, label)) => f.write_str(label),
            None => match self.code {
                Code::Char(char) => write!(f, "{char}"),
                other => write!(f, "{other:?}"),
            },
        }
    }
}

/// A key script that cannot be read: the part in angle brackets that names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no key `<{0}>`")]
pub struct UnknownKey(pub String);

/// Parses keys such as `jj<enter><tab>/foo<cr>`.
///
/// # Errors
/// [`UnknownKey`] for a name in angle brackets that is not in the table.
pub fn parse(script: &str) -> Result<Vec<KeyPress>, UnknownKey> {
    let mut keys = Vec::new();
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        let named = rest
            .strip_prefix('<')
            .and_then(|inner| inner.split_once('>'));
        if let Some((name, after)) = named {
            keys.push(by_name(name)?);
            rest = after;
        } else {
            keys.push(KeyPress::char(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(keys)
}

fn by_name(name: &str) -> Result<KeyPress, UnknownKey> {
    let lower = name.to_ascii_lowercase();
    if let Some((_, code, _)) = NAMED.iter().find(|(text, _, _)| *text == lower) {
        return Ok(KeyPress::plain(*code));
    }
    let mut chars = lower
        .strip_prefix("c-")
        .ok_or_else(|| UnknownKey(name.to_owned()))?
        .chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => Ok(KeyPress::control(char)),
        _ => Err(UnknownKey(name.to_owned())),
    }
}

/// Writes a sequence of keys for people: `gs`, `^d`, `, w`.
#[must_use]
pub fn label(keys: &[KeyPress]) -> String {
    keys.iter().map(KeyPress::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &str) {
        let keys = parse(script).expect("the script is well-formed");
        let labels: Vec<String> = keys.iter().map(KeyPress::to_string).collect();
        assert_eq!(labels.join(" "), expected);
    }

    #[test]
    fn a_script_is_read_key_by_key() {
        check("jj<enter><tab>/foo<cr>", "j j Enter Tab / f o o Enter");
        check("<c-d><space>g<lt>", "^d Space g <");
    }

    #[test]
    fn an_angle_bracket_without_an_end_is_a_key() {
        check("a<b", "a < b");
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        assert_eq!(parse("<hyper>"), Err(UnknownKey("hyper".to_owned())));
    }
}

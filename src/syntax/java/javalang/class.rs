//! The class of a character in tokens: by a table for bytes, and by Unicode's general category for the rest.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The kind of token or layout that a byte begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteClass {
    Unknown,
    Space,
    Letter,
    Digit,
    Quote,
    Dot,
    Slash,
    /// A token of one character, independent of the next.
    Single,
    /// A character of an operator that may have more.
    Sign,
    /// Part of a character outside ASCII.
    High,
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Unknown; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t'..=b'\r' | 0x1c..=0x1f => ByteClass::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => ByteClass::Letter,
            b'0'..=b'9' => ByteClass::Digit,
            b'"' | b'\'' => ByteClass::Quote,
            b'.' => ByteClass::Dot,
            b'/' => ByteClass::Slash,
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';' | b',' | b'@' | b'?' | b'~' => {
                ByteClass::Single
            }
            b'<' | b'>' | b'=' | b'!' | b'+' | b'-' | b'*' | b'%' | b'&' | b'|' | b'^' | b':' => {
                ByteClass::Sign
            }
            0x80.. => ByteClass::High,
            _ => ByteClass::Unknown,
        };
        byte += 1;
    }
    classes
};

pub const fn class_of(byte: u8) -> ByteClass {
    CLASSES[byte as usize]
}

/// Tells whether Python's `str.isspace` holds: Rust's white space and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// Tells whether a name may begin with the character, by its general category.
///
/// Python 3.11 has Unicode 14, this program a later version: newer letters are unknown characters in Python.
pub fn is_start(c: char) -> bool {
    use GeneralCategory as G;
    matches!(
        c.general_category(),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::LetterNumber
            | G::ConnectorPunctuation
            | G::CurrencySymbol
    )
}

/// Tells whether a name may go on with the character.
pub fn is_part(c: char) -> bool {
    use GeneralCategory as G;
    is_start(c)
        || matches!(
            c.general_category(),
            G::SpacingMark | G::NonspacingMark | G::DecimalNumber
        )
}

/// Tells whether Python's `\w` holds: a letter, a number of any kind, or `_`.
pub fn is_word(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c == '_' || c.is_ascii_alphanumeric();
    }
    matches!(
        c.general_category(),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
            | G::LetterNumber
            | G::OtherNumber
    )
}

/// Tells whether Python's `\d` holds.
pub fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber)
}

//! The reasons why a key cannot be set, for an action or for one of the user's own commands.

use thiserror::Error;

use crate::key::{Code, KeyPress, UnknownKey};
use crate::keymap::KeyContext;

/// The most keys in a sequence.
pub const SEQUENCE_MAX: usize = 4;
/// Letters that, with Ctrl, a terminal sends as another key.
const DISGUISED: &[(char, &str)] = &[('i', "Tab"), ('m', "Enter"), ('[', "Esc")];

/// A flaw in a sequence of keys. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyFlaw {
    #[error(transparent)]
    Unknown(#[from] UnknownKey),
    #[error("longer than {SEQUENCE_MAX} keys")]
    TooLong,
    /// A terminal sends another key in its place.
    #[error("`<c-{char}>` cannot be told from {name}")]
    Disguised { char: char, name: &'static str },
    #[error("a control character is not a key; write `<c-x>`")]
    Control,
    #[error("digits pick numbered items, and cannot be bound to `{id}`")]
    Digit { id: &'static str },
    #[error("Space never decides, and cannot be bound to `{id}`")]
    Decides { id: &'static str },
    /// A line of input would take it as text.
    #[error("`{first}` types text ({}), and cannot be bound to `{id}`", .context.title().to_lowercase())]
    Types {
        first: KeyPress,
        context: KeyContext,
        id: &'static str,
    },
    #[error("a command takes 1 to {SEQUENCE_MAX} keys")]
    CommandLength,
    #[error("a command cannot be bound to a digit, Space or a control character")]
    CommandKey,
    #[error("`{keys}` cannot be told from `{other}` of another command")]
    OtherCommand { keys: String, other: String },
    /// An action has it, or a sequence that begins with it, or the beginning of it.
    #[error("`{keys}` is taken: `{taken}` means `{id}` in {}", .context.title())]
    Taken {
        keys: String,
        taken: String,
        id: &'static str,
        context: KeyContext,
    },
}

/// Refuses a key that a terminal sends for another one.
///
/// # Errors
/// [`KeyFlaw::Disguised`].
pub fn check_disguise(key: KeyPress) -> Result<(), KeyFlaw> {
    let KeyPress {
        code: Code::Char(char),
        control: true,
    } = key
    else {
        return Ok(());
    };
    match DISGUISED.iter().find(|pair| pair.0 == char) {
        Some((_, name)) => Err(KeyFlaw::Disguised { char, name }),
        None => Ok(()),
    }
}

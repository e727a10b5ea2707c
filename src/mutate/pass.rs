//! The nine passes (`CCTest`, Table I): each changes one thing about a function that a reader would not mind.
//!
//! Decides their names and order, and who carries them out.

mod compound;
mod condition;
mod garbage;
mod insert;
mod print;
mod rename;

use super::function::Function;
use crate::model::Span;
use crate::unchanged::UnchangedReason;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// A parameter becomes `Param1`.
    RepR,
    /// A parameter becomes `Add_Param_b`.
    RepC,
    /// A local becomes `LocalVar1`.
    RelR,
    /// A local becomes `compare_res`.
    RelC,
    /// A compound assignment gets its long form: `a += b` becomes `a = a + b`.
    Irr,
    /// A condition is compared with a true expression.
    Rtf,
    /// A dead branch is inserted.
    GraR,
    /// A dead branch in the function's own words is inserted.
    GraC,
    /// A parameter is printed.
    Ini,
}

impl Pass {
    pub const ALL: &[Self] = &[
        Self::RepR,
        Self::RepC,
        Self::RelR,
        Self::RelC,
        Self::Irr,
        Self::Rtf,
        Self::GraR,
        Self::GraC,
        Self::Ini,
    ];

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RepR => "REP_R",
            Self::RepC => "REP_C",
            Self::RelR => "REL_R",
            Self::RelC => "REL_C",
            Self::Irr => "IRR",
            Self::Rtf => "RTF",
            Self::GraR => "GRA_R",
            Self::GraC => "GRA_C",
            Self::Ini => "INI",
        }
    }

    /// Looks up the pass by its word; nothing for any other word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|pass| pass.as_str() == word)
    }
}

/// A piece of a text, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// How one of several places is chosen.
#[derive(Clone, Copy, Debug)]
pub struct PassChoice {
    pub pass: Pass,
    pub is_strict: bool,
    pub seed: u64,
}

impl PassChoice {
    /// Chooses the index of one of `n_places`, by the seed, the function's text and the pass.
    fn of(self, function: &Function<'_>, n_places: usize) -> usize {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(self.pass.as_str().as_bytes());
        hasher.update(function.source().as_bytes());
        let bytes = hasher.finalize();
        let first = bytes.as_bytes().first_chunk::<8>();
        let number = u64::from_le_bytes(*first.expect("a hash has 32 bytes"));
        (number % n_places.max(1) as u64) as usize
    }
}

/// Lists the changes of a pass to a function, in the order of the text, or the reason why there are none.
pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let mut edits = match choice.pass {
        Pass::RepR | Pass::RepC | Pass::RelR | Pass::RelC => rename::apply(function, choice),
        Pass::Irr => compound::apply(function, choice),
        Pass::Rtf => condition::apply(function, choice),
        Pass::GraR | Pass::GraC => garbage::apply(function, choice),
        Pass::Ini => print::apply(function, choice),
    }?;
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

/// Makes the edits that give every local of a function another name, and every parameter that no call can name, where
/// results stay.
pub fn rename_all(function: &Function<'_>) -> Vec<Edit> {
    rename::all(function)
}

/// Returns a function's name with its first letter capitalised, without the `#` of a private one.
fn capitalised(name: &str) -> String {
    let mut chars = name.trim_start_matches('#').chars();
    let first = chars.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(chars)
        .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        .collect()
}

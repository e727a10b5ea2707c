//! The errors in a line of functions, of their variants or of completions.

use crate::exchange::records::RecordError;
use crate::model::Language;
use crate::mutate::Pass;
use crate::syntax::dialect;

/// Why a line is not used. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("its language is {}", dialect(*language).name)]
    OtherLanguage { language: Language },
    #[error("`{id}` names another function on an earlier line")]
    OtherFunction { id: String },
    #[error("a second variant `{}` of `{id}`", pass.as_str())]
    SecondVariant { id: String, pass: Pass },
    #[error("an answer to a prompt of the kind `{kind}`")]
    OtherKind { kind: String },
    #[error("`{id}` has no variant `{}`", pass.as_str())]
    NoVariant { id: String, pass: Pass },
    #[error("a second completion of `{id}`, {}", pass.map_or("its own", Pass::as_str))]
    SecondCompletion { id: String, pass: Option<Pass> },
}

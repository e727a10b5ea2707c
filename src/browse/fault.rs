//! The flaws of a filter, in words for the user: the place, and a correction.

use std::fmt;
use std::ops::Range;

use crate::model::{DELTA_OF, FieldScope};

use super::complete::Completion;
use super::field::{field, fields, words_of};

/// The flaw of a filter, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct FilterError {
    /// Bytes of the input.
    pub span: Range<usize>,
    pub fault: FilterFault,
}

impl FilterError {
    /// Suggests a correction in place of the flaw, where a known word is spelled much like it.
    #[must_use]
    pub fn mended(&self) -> Option<Completion> {
        let text = match &self.fault {
            FilterFault::UnknownField { nearest, .. }
            | FilterFault::UnknownValue { nearest, .. } => (*nearest)?.to_owned(),
            FilterFault::UnknownSaved { nearest, .. } => format!("@{}", nearest.as_ref()?),
            FilterFault::OfARun { .. }
            | FilterFault::NotANumber { .. }
            | FilterFault::NotAKey { .. }
            | FilterFault::NotOrdered { .. }
            | FilterFault::NotACondition { .. }
            | FilterFault::NoValue { .. }
            | FilterFault::OpenQuote
            | FilterFault::OpenParenthesis
            | FilterFault::EmptyParentheses
            | FilterFault::Nesting
            | FilterFault::Dangling { .. }
            | FilterFault::SavedCircle { .. }
            | FilterFault::SavedDepth
            | FilterFault::SavedLength
            | FilterFault::SavedNegated { .. }
            | FilterFault::InSaved { .. } => return None,
        };
        Some(Completion {
            span: self.span.clone(),
            text,
            help: "did you mean",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterFault {
    UnknownField {
        name: String,
        /// The known field that is spelled most like it, if one is close.
        nearest: Option<&'static str>,
        /// The scope in which it was named.
        scope: FieldScope,
    },
    UnknownValue {
        field: &'static str,
        value: String,
        nearest: Option<&'static str>,
        scope: FieldScope,
    },
    /// A field of predictions where only samples are listed.
    OfARun {
        field: &'static str,
    },
    NotANumber {
        field: &'static str,
        value: String,
    },
    NotAKey {
        field: &'static str,
        value: String,
    },
    /// `<` and its like with a field that is no number.
    NotOrdered {
        field: &'static str,
    },
    /// `-` before a field that sets no condition.
    NotACondition {
        field: &'static str,
    },
    NoValue {
        field: &'static str,
    },
    OpenQuote,
    /// `(` without its `)`.
    OpenParenthesis,
    /// `()`, or nothing in it that is a condition.
    EmptyParentheses,
    /// Parentheses within parentheses beyond [`super::NESTING_MAX`].
    Nesting,
    /// `and`, `or` or `not` without a condition where it needs one.
    Dangling {
        word: &'static str,
    },
    /// `@name` without a saved filter of that name.
    UnknownSaved {
        name: String,
        /// The saved name that is spelled most like it, if one is close.
        nearest: Option<String>,
        known: Vec<String>,
    },
    /// A saved filter that contains itself: the names from the first to the one that closes the circle.
    SavedCircle {
        names: Vec<String>,
    },
    /// Saved filters within saved filters beyond [`super::SAVED_DEPTH_MAX`].
    SavedDepth,
    /// Saved filters that together are longer than [`super::SAVED_BYTES_MAX`].
    SavedLength,
    /// `-` before a saved filter that chooses what is listed, or its order.
    SavedNegated {
        name: String,
    },
    /// A flaw within a saved filter.
    InSaved {
        name: String,
        fault: Box<FilterFault>,
    },
}

impl fmt::Display for FilterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField {
                name,
                nearest,
                scope,
            } => {
                write!(f, "no field `{name}`")?;
                did_you_mean(f, *nearest)?;
                let known = short_names(fields(*scope).map(|field| field.name), *scope);
                write!(f, "; known are {known}")
            }
            Self::UnknownValue {
                field: name,
                value,
                nearest,
                scope,
            } => {
                write!(f, "`{name}` cannot be `{value}`")?;
                did_you_mean(f, *nearest)?;
                let words = field(name).map_or_else(Vec::new, |field| words_of(field, *scope));
                let known = if *name == "sort" {
                    short_names(words.into_iter(), *scope)
                } else {
                    words.join(", ")
                };
                write!(f, "; it is one of {known}")
            }
            Self::OfARun { field } => write!(
                f,
                "`{field}` belongs to a run; Results (`focalist results RUN`) list its predictions"
            ),
            Self::NotANumber { field, value } => {
                write!(f, "`{field}` is a number, `{value}` is not")
            }
            Self::NotAKey { field, value } => write!(
                f,
                "`{field}` is the first hexadecimal digits of a key, `{value}` is not"
            ),
            Self::NotOrdered { field } => {
                write!(f, "`{field}` has no order to compare by, only `{field}:…`")
            }
            Self::NotACondition { field } => write!(f, "`{field}` cannot be negated with `-`"),
            Self::NoValue { field } => write!(f, "`{field}` needs a value"),
            Self::OpenQuote => write!(f, "a quote is not closed"),
            Self::OpenParenthesis => write!(f, "a parenthesis is not closed"),
            Self::EmptyParentheses => write!(f, "there is no condition in these parentheses"),
            Self::Nesting => write!(
                f,
                "parentheses are nested more than {} deep",
                super::NESTING_MAX
            ),
            Self::Dangling { word: "not" } => {
                write!(
                    f,
                    "`not` needs a condition behind it; \"not\" searches names for it"
                )
            }
            Self::Dangling { word } => write!(
                f,
                "`{word}` needs a condition on either side; \"{word}\" searches names for it"
            ),
            Self::UnknownSaved {
                name,
                nearest,
                known,
            } => {
                write!(f, "no filter is saved as `@{name}`")?;
                let nearest = nearest.as_ref().map(|nearest| format!("@{nearest}"));
                did_you_mean(f, nearest.as_deref())?;
                if known.is_empty() {
                    return write!(f, "; none is saved here");
                }
                let known: Vec<String> = known.iter().map(|known| format!("@{known}")).collect();
                write!(f, "; known are {}", known.join(", "))
            }
            Self::SavedCircle { names } => {
                let names: Vec<String> = names.iter().map(|name| format!("`@{name}`")).collect();
                write!(f, "a saved filter contains itself: {}", names.join(" → "))
            }
            Self::SavedDepth => write!(
                f,
                "saved filters are nested more than {} deep",
                super::SAVED_DEPTH_MAX
            ),
            Self::SavedLength => write!(
                f,
                "the saved filters together are longer than {} bytes",
                super::SAVED_BYTES_MAX
            ),
            Self::SavedNegated { name } => {
                write!(
                    f,
                    "`@{name}` limits or sorts the list, which cannot be negated"
                )
            }
            Self::InSaved { name, fault } => write!(f, "in `@{name}`: {fault}"),
        }
    }
}

/// Joins names to a list for people: of the metrics, which are many, one as an example.
fn short_names(names: impl Iterator<Item = &'static str>, scope: FieldScope) -> String {
    let is_metric = |name: &str| crate::metric::metric(name.trim_start_matches(DELTA_OF)).is_some();
    let names: Vec<&str> = names.filter(|name| !is_metric(name)).collect();
    let metrics = match scope {
        FieldScope::Samples => "",
        FieldScope::Run => ", every metric such as bleu, and the differences such as delta:bleu",
    };
    format!("{}{metrics}", names.join(", "))
}

fn did_you_mean(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    match nearest {
        Some(nearest) => write!(f, " (did you mean `{nearest}`?)"),
        None => Ok(()),
    }
}

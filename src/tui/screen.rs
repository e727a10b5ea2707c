//! The screens. Each is a value with `update`-like functions and a pure `draw`; what they ask for goes to the outbox.

pub mod annotate;
pub mod around;
pub mod candidates;
pub mod cells;
pub mod compare;
pub mod disagree;
pub mod docs;
pub mod home;
pub mod jobs;
pub mod repos;
pub mod results;
pub mod runs;
pub mod sample;
pub mod samples;
pub mod why;

use crate::paint::Cache;
use crate::theme::Theme;

/// What drawing needs besides the screen itself.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    pub theme: &'a Theme,
    pub cache: &'a Cache,
}

/// How far the answer to a question is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Remote<T> {
    /// Asked for; nothing to show yet.
    #[default]
    Waiting,
    Ready(T),
    /// A text for people.
    Failed(String),
    /// There is no index yet.
    NoIndex,
}

impl<T> Remote<T> {
    #[must_use]
    pub const fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }
}

//! The screens. Each is a value with a folder of its own: its questions, its keys, its drawing, its tests. Every screen
//! is a [`Scene`](crate::scene::Scene); it asks the desk for changes elsewhere.

pub mod annotate;
pub mod around;
pub mod candidates;
pub mod cells;
pub mod clover;
pub mod compare;
pub mod consistency;
pub mod difference;
pub mod disagree;
pub mod docs;
pub mod faults;
pub mod home;
pub mod jobs;
pub mod outcomes;
pub mod pen;
pub mod people;
pub mod remarks;
pub mod repos;
pub mod results;
pub mod runs;
pub mod sample;
pub mod samples;
pub mod session;
pub mod why;

use crate::paint::Cache;
use crate::question::QuestionFailure;
use crate::theme::Theme;

/// The screens. A new one is a variant here and a folder; the compiler names the other places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Screen {
    Home,
    Samples,
    /// One sample in full.
    Sample,
    Repos,
    Runs,
    Results,
    Compare,
    Annotate,
    Disagree,
    Jobs,
    /// Completions of equivalent variants of functions, compared with each other.
    Consistency,
    /// Problems from the suites of Python projects.
    Clover,
    /// The faults in a focal method, and which tests notice them.
    Faults,
}

impl Screen {
    pub const ALL: [Self; 13] = [
        Self::Home,
        Self::Samples,
        Self::Sample,
        Self::Repos,
        Self::Runs,
        Self::Results,
        Self::Compare,
        Self::Annotate,
        Self::Disagree,
        Self::Jobs,
        Self::Consistency,
        Self::Clover,
        Self::Faults,
    ];

    /// Looks up the screen by its name in sessions.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|screen| screen.word() == name)
    }

    /// Returns the name in sessions and settings.
    #[must_use]
    pub fn word(self) -> String {
        self.title().to_lowercase()
    }

    /// Lists the screens on the way there, Home first.
    #[must_use]
    pub const fn way(self) -> &'static [Self] {
        match self {
            Self::Home => &[Self::Home],
            Self::Samples => &[Self::Home, Self::Samples],
            Self::Sample => &[Self::Home, Self::Samples, Self::Sample],
            Self::Repos => &[Self::Home, Self::Repos],
            Self::Runs => &[Self::Home, Self::Runs],
            Self::Results => &[Self::Home, Self::Results],
            Self::Compare => &[Self::Home, Self::Compare],
            Self::Annotate => &[Self::Home, Self::Annotate],
            Self::Disagree => &[Self::Home, Self::Disagree],
            Self::Jobs => &[Self::Home, Self::Jobs],
            Self::Consistency => &[Self::Home, Self::Consistency],
            Self::Clover => &[Self::Home, Self::Clover],
            Self::Faults => &[Self::Home, Self::Results, Self::Faults],
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Home => "Home",
            Self::Samples => "Samples",
            Self::Sample => "Sample",
            Self::Repos => "Repos",
            Self::Runs => "Runs",
            Self::Results => "Results",
            Self::Compare => "Compare",
            Self::Annotate => "Annotate",
            Self::Disagree => "Disagree",
            Self::Jobs => "Jobs",
            Self::Consistency => "Consistency",
            Self::Clover => "Clover",
            Self::Faults => "Faults",
        }
    }
}

/// The data that drawing needs besides the screen itself.
#[derive(Clone, Copy, Debug)]
pub struct DrawContext<'a> {
    pub theme: &'a Theme,
    pub cache: &'a Cache,
}

/// The state of the answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AnswerState<T> {
    /// Asked for; nothing to show yet.
    #[default]
    Waiting,
    Ready(T),
    /// A text for people.
    Failed(String),
    /// There is no index yet.
    NoIndex,
}

impl<T> From<&QuestionFailure> for AnswerState<T> {
    fn from(failure: &QuestionFailure) -> Self {
        match failure {
            QuestionFailure::NoIndex => Self::NoIndex,
            QuestionFailure::Other(text) => Self::Failed(text.clone()),
        }
    }
}

impl<T> AnswerState<T> {
    #[must_use]
    pub const fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }
}

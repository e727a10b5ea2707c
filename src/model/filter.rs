//! The filter language as a value: parsed once in `browse`, compiled to SQL in `store`, asked of predictions in `eval`.
//!
//! No text is read twice: a field is a variant of [`OfSample`] or [`OfPrediction`], its value has a type of its own,
//! and every user matches on all of them. The text form is in `browse`.

mod fields;
mod value;

pub use fields::{AimField, FieldScope, FieldUse, FilterField, OfPrediction, OfSample};
pub use value::{
    BrittleIs, FieldKind, FilterValue, KeyStart, Name, Presence, RanIs, Range, RemarkKind,
    SecondLook, UnstableIs, VerdictIs,
};

use crate::{Flag, Matcher, SampleKey, Status};

/// `repo:gson (status:tie or weight<0.5) sort:-weight`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// All must hold.
    pub terms: Vec<Term>,
    pub aim: Aim,
    pub sort: Vec<SortKey>,
}

/// The run, baseline, metric and matcher that a filter names besides its conditions; never negated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    pub run: Option<String>,
    pub baseline: Option<String>,
    /// The id of the metric that differences and standings are about.
    pub metric: Option<&'static str>,
    /// The matcher whose decisions are meant.
    pub matcher: Option<Matcher>,
}

impl Filter {
    /// Makes a filter of terms that must hold.
    #[must_use]
    pub fn of(terms: Vec<Term>) -> Self {
        Self {
            terms,
            ..Self::default()
        }
    }

    /// Makes a filter of a single condition.
    #[must_use]
    pub fn only(condition: impl Into<Term>) -> Self {
        Self::of(vec![condition.into()])
    }

    /// Tells whether every sample is let through, by the shown matcher's decisions.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.terms.is_empty() && self.aim.matcher.is_none()
    }

    /// Adds a condition to those that must hold, unless it is among them.
    pub fn narrow(&mut self, term: Term) {
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    /// Collects every condition, at any depth.
    #[must_use]
    pub fn conditions(&self) -> Vec<&Condition> {
        let mut found = Vec::new();
        for term in &self.terms {
            term.collect(&mut found);
        }
        found
    }

    /// Narrows the filter to a scope; where it asks about skipped tests itself, the scope does not rule on them.
    #[must_use]
    pub fn within(mut self, scope: SampleScope) -> Self {
        if scope == SampleScope::Paper {
            let names_skipped = self.conditions().into_iter().any(is_of_skipped);
            let is_left =
                |term: &Term| !(names_skipped && term.conditions().into_iter().any(is_of_skipped));
            self.terms.extend(paper_terms().into_iter().filter(is_left));
        }
        self
    }

    /// Sets the matcher whose decisions are meant, unless the filter names one itself.
    #[must_use]
    pub fn as_decided(mut self, matcher: Matcher) -> Self {
        self.aim.matcher.get_or_insert(matcher);
        self
    }
}

/// The samples that a verb looks at, of those that its filter lets through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleScope {
    #[default]
    All,
    /// Only those of the paper's dataset (ConTest 3.5, MINING.md rules 23 to 25): split into setup and assertions, focal
    /// calls only in the setup, no duplicate, no excessive context; and no test that is skipped for good (LANGUAGES.md
    /// L10).
    Paper,
}

/// Tells whether a condition is about tests that are skipped for good: a filter that asks for them gets them.
fn is_of_skipped(condition: &Condition) -> bool {
    *condition == Condition::Sample(OfSample::Flag(Flag::Skipped))
}

fn paper_terms() -> [Term; 5] {
    [
        OfSample::Status(Status::Ok).into(),
        Term::not(OfSample::Flag(Flag::FocalInAssertion)),
        OfSample::Duplicate(false).into(),
        Term::not(OfSample::Flag(Flag::ExcessiveContext)),
        Term::not(OfSample::Flag(Flag::Skipped)),
    ]
}

/// A condition that must hold, or several under one of the three words.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Is(Condition),
    /// `-a`, `not a`.
    Not(Box<Term>),
    /// `a b`; of none at all, everything.
    All(Vec<Term>),
    /// `a or b`, and `field:a,b`; of none at all, nothing.
    Any(Vec<Term>),
}

impl Term {
    /// Negates a term; a double negation is the term itself.
    #[must_use]
    pub fn not(term: impl Into<Self>) -> Self {
        match term.into() {
            Self::Not(inner) => *inner,
            term => Self::Not(Box::new(term)),
        }
    }

    /// Joins terms that must all hold; a single term is returned itself.
    #[must_use]
    pub fn all(terms: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(terms.len());
        for term in terms {
            match term {
                Self::All(inner) => flat.extend(inner),
                term => flat.push(term),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Self::All(flat),
        }
    }

    /// Joins terms of which at least one must hold; a single term is returned itself.
    #[must_use]
    pub fn any(terms: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(terms.len());
        for term in terms {
            match term {
                Self::Any(inner) => flat.extend(inner),
                term => flat.push(term),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Self::Any(flat),
        }
    }

    /// Collects every condition, at any depth.
    #[must_use]
    pub fn conditions(&self) -> Vec<&Condition> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'t>(&'t self, found: &mut Vec<&'t Condition>) {
        match self {
            Self::Is(condition) => found.push(condition),
            Self::Not(term) => term.collect(found),
            Self::All(terms) | Self::Any(terms) => {
                for term in terms {
                    term.collect(found);
                }
            }
        }
    }

    /// Replaces each condition for which `change` returns a term.
    pub fn replace(&mut self, change: &mut impl FnMut(&Condition) -> Option<Self>) {
        match self {
            Self::Is(condition) => {
                if let Some(term) = change(condition) {
                    *self = term;
                }
            }
            Self::Not(term) => term.replace(change),
            Self::All(terms) | Self::Any(terms) => {
                for term in terms {
                    term.replace(change);
                }
            }
        }
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Sample(OfSample),
    /// The sample is one of these: what comparing texts makes of [`OfSample::Near`].
    Keys(Vec<SampleKey>),
    Prediction(OfPrediction),
    /// The value of a metric, which has its id.
    Score(&'static str, Range),
    /// The value less the baseline's.
    DeltaOf(&'static str, Range),
}

/// Stands before a metric's id where the difference to the baseline in it is meant.
pub const DELTA_OF: &str = "delta:";

impl Condition {
    /// Names its field.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Sample(condition) => condition.name().to_owned(),
            Self::Keys(_) => "key".to_owned(),
            Self::Prediction(condition) => condition.name().to_owned(),
            Self::Score(metric, _) => (*metric).to_owned(),
            Self::DeltaOf(metric, _) => format!("{DELTA_OF}{metric}"),
        }
    }

    /// Returns its sign and its written value.
    #[must_use]
    pub fn value(&self) -> (Comparison, String) {
        match self {
            Self::Sample(condition) => condition.value(),
            Self::Keys(keys) => {
                let keys: Vec<String> = keys.iter().map(SampleKey::to_string).collect();
                (Comparison::Is, keys.join(","))
            }
            Self::Prediction(condition) => condition.value(),
            Self::Score(_, range) | Self::DeltaOf(_, range) => range.write(),
        }
    }

    /// Returns its condition on people's verdicts, if it is one.
    #[must_use]
    pub fn of_people(&self) -> Option<&OfSample> {
        match self {
            Self::Sample(condition) => Some(condition).filter(|of_sample| of_sample.is_of_people()),
            Self::Keys(_) | Self::Prediction(_) | Self::Score(..) | Self::DeltaOf(..) => None,
        }
    }

    /// Tells whether it is about the sample alone, so that the index can answer.
    #[must_use]
    pub const fn is_of_sample(&self) -> bool {
        match self {
            Self::Sample(_) | Self::Keys(_) => true,
            Self::Prediction(_) | Self::Score(..) | Self::DeltaOf(..) => false,
        }
    }
}

impl From<Condition> for Term {
    fn from(condition: Condition) -> Self {
        Self::Is(condition)
    }
}

impl From<OfSample> for Term {
    fn from(condition: OfSample) -> Self {
        Self::Is(Condition::Sample(condition))
    }
}

impl From<OfPrediction> for Term {
    fn from(condition: OfPrediction) -> Self {
        Self::Is(Condition::Prediction(condition))
    }
}

/// The sign between a field and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `field:value`: equal for words from a closed set, "contains" for names.
    Is,
    /// `field==value`: the whole name, or exactly the number.
    Exactly,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// `sort:field` or `sort:-field`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub field: SortField,
    pub direction: Direction,
}

/// Stands before the name of a score that a file gave its predictions, where a list is sorted by it.
pub const META_OF: &str = "meta:";

/// The name of a score that a file gave its predictions: short, so that it is copied as other fields are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaName {
    bytes: [u8; Self::N_BYTES_MAX],
    n_bytes: u8,
}

impl MetaName {
    /// The longest name that a list can be sorted by.
    pub const N_BYTES_MAX: usize = 63;

    /// Makes a name from a text; nothing where that is empty or too long.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let mut bytes = [0; Self::N_BYTES_MAX];
        bytes
            .get_mut(..name.len())?
            .copy_from_slice(name.as_bytes());
        let n_bytes = u8::try_from(name.len()).ok()?;
        (n_bytes > 0).then_some(Self { bytes, n_bytes })
    }

    /// Returns the name.
    ///
    /// # Panics
    /// Never: it was made of a text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = &self.bytes[..usize::from(self.n_bytes)];
        std::str::from_utf8(bytes).expect("it was made of a text")
    }
}

/// A field that a list may be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortField {
    Sample(SampleSort),
    Prediction(PredictionSort),
    /// The value of the metric of this id.
    Score(&'static str),
    /// The value less the baseline's; without an id in the metric of the list.
    Delta(Option<&'static str>),
    /// A score that the file gave.
    Meta(MetaName),
}

impl std::fmt::Display for SortField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sample(field) => f.write_str(field.as_str()),
            Self::Prediction(field) => f.write_str(field.as_str()),
            Self::Score(metric) => f.write_str(metric),
            Self::Delta(Some(metric)) => write!(f, "{DELTA_OF}{metric}"),
            Self::Delta(None) => f.write_str("delta"),
            Self::Meta(name) => write!(f, "{META_OF}{}", name.as_str()),
        }
    }
}

/// A field that samples may be sorted by, in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleSort {
    Repo,
    Class,
    Test,
    Focal,
    FocalClass,
    Status,
    Stage,
    Weight,
    Margin,
    Tokens,
}

impl SampleSort {
    /// Tells whether questions that are no samples can be sorted by it, too.
    #[must_use]
    pub const fn is_of_questions(self) -> bool {
        matches!(self, Self::Repo | Self::Test | Self::Focal)
    }

    pub const ALL: &[Self] = &[
        Self::Repo,
        Self::Class,
        Self::Test,
        Self::Focal,
        Self::FocalClass,
        Self::Status,
        Self::Stage,
        Self::Weight,
        Self::Margin,
        Self::Tokens,
    ];

    /// Returns the name of the field.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Class => "class",
            Self::Test => "test",
            Self::Focal => "focal",
            Self::FocalClass => "focal-class",
            Self::Status => "status",
            Self::Stage => "stage",
            Self::Weight => "weight",
            Self::Margin => "margin",
            Self::Tokens => "tokens",
        }
    }
}

/// A field that predictions may be sorted by, besides metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionSort {
    ReferenceTokens,
    PredictionTokens,
    Attempt,
    Ran,
    Lines,
    Branches,
    Mutation,
    Strength,
    Milliseconds,
}

impl PredictionSort {
    /// Returns the name of the field.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReferenceTokens => "reference-tokens",
            Self::PredictionTokens => "prediction-tokens",
            Self::Attempt => "attempt",
            Self::Ran => "ran",
            Self::Lines => "lines",
            Self::Branches => "branches",
            Self::Mutation => "mutation",
            Self::Strength => "strength",
            Self::Milliseconds => "ms",
        }
    }
}

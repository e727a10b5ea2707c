//! The values of conditions: a type for each kind of condition, which reads and writes its text form.

use super::Comparison;
use crate::{
    BaselineStanding, Brittleness, BuildTool, Confirmation, Flag, Framework, Judgement, Language,
    Matcher, Outcome, Parse, Repair, SampleKey, Shake, Split, Stability, Stage, Status, Tag,
    TestKind, VariantKind,
};

/// The allowed values of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// Part of a name, in any case of its letters.
    Name,
    /// A number, also with `<`, `<=`, `>`, `>=`, and `from..to`.
    Number,
    /// One word of a closed set.
    Words(fn() -> Vec<&'static str>),
    /// One word of a closed set in their order, also with `<`, `<=`, `>`, `>=`.
    Steps(fn() -> Vec<&'static str>),
    /// A piece of source text.
    Text,
    /// The first hexadecimal digits of a key, up to all 32.
    Key,
    /// The name of a field, with `-` before it for the other direction.
    Sort,
}

/// A value of a field of filters.
pub trait FilterValue: Sized {
    /// The allowed texts, for help and for error messages.
    const KIND: FieldKind;

    /// Reads the text behind the sign; nothing where it is no such value. A word of a closed set comes in the set's
    /// spelling, from any case of its letters.
    fn read(sign: Comparison, text: &str) -> Option<Self>;

    /// Returns a sign and a text that [`Self::read`] turns into the same value.
    fn write(&self) -> (Comparison, String);
}

/// A number as conditions ask for it; a missing number fulfils none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Equal to two decimals, as on the screen.
    About(f64),
    Exactly(f64),
    Less(f64),
    AtMost(f64),
    More(f64),
    AtLeast(f64),
    /// Both ends belong to it.
    Between(f64, f64),
}

impl Range {
    /// How far a number may lie from the one that is asked for with `:`.
    pub const TOLERANCE: f64 = 0.005;

    /// Tells whether the range holds a number; NaN never is.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::About(wanted) => (value - wanted).abs() <= Self::TOLERANCE,
            #[expect(clippy::float_cmp, reason = "that is what `==` is for")]
            Self::Exactly(wanted) => value == wanted,
            Self::Less(bound) => value < bound,
            Self::AtMost(bound) => value <= bound,
            Self::More(bound) => value > bound,
            Self::AtLeast(bound) => value >= bound,
            Self::Between(first, last) => (first..=last).contains(&value),
        }
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

impl FilterValue for Range {
    const KIND: FieldKind = FieldKind::Number;

    fn read(sign: Comparison, text: &str) -> Option<Self> {
        if sign == Comparison::Is
            && let Some((first, last)) = text.split_once("..")
        {
            let (first, last) = (finite(first)?, finite(last)?);
            return (first <= last).then_some(Self::Between(first, last));
        }
        let number = finite(text)?;
        Some(match sign {
            Comparison::Is => Self::About(number),
            Comparison::Exactly => Self::Exactly(number),
            Comparison::Less => Self::Less(number),
            Comparison::LessOrEqual => Self::AtMost(number),
            Comparison::Greater => Self::More(number),
            Comparison::GreaterOrEqual => Self::AtLeast(number),
        })
    }

    fn write(&self) -> (Comparison, String) {
        match self {
            Self::About(number) => (Comparison::Is, number.to_string()),
            Self::Exactly(number) => (Comparison::Exactly, number.to_string()),
            Self::Less(number) => (Comparison::Less, number.to_string()),
            Self::AtMost(number) => (Comparison::LessOrEqual, number.to_string()),
            Self::More(number) => (Comparison::Greater, number.to_string()),
            Self::AtLeast(number) => (Comparison::GreaterOrEqual, number.to_string()),
            Self::Between(first, last) => (Comparison::Is, format!("{first}..{last}")),
        }
    }
}

/// A name, in any case of its letters where a part is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// `field:part`.
    Part(String),
    /// `field==whole`.
    Whole(String),
}

impl Name {
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Part(text) | Self::Whole(text) => text,
        }
    }
}

impl FilterValue for Name {
    const KIND: FieldKind = FieldKind::Name;

    fn read(sign: Comparison, text: &str) -> Option<Self> {
        match sign {
            Comparison::Is => Some(Self::Part(text.to_owned())),
            Comparison::Exactly => Some(Self::Whole(text.to_owned())),
            Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual => None,
        }
    }

    fn write(&self) -> (Comparison, String) {
        match self {
            Self::Part(text) => (Comparison::Is, text.clone()),
            Self::Whole(text) => (Comparison::Exactly, text.clone()),
        }
    }
}

/// A piece of text that is looked for.
impl FilterValue for String {
    const KIND: FieldKind = FieldKind::Text;

    fn read(_: Comparison, text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn write(&self) -> (Comparison, String) {
        (Comparison::Is, self.clone())
    }
}

/// The first digits of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStart {
    digits: String,
    /// The least and the greatest key that begin with the digits.
    pub first: SampleKey,
    pub last: SampleKey,
}

impl FilterValue for KeyStart {
    const KIND: FieldKind = FieldKind::Key;

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let (first, last) = SampleKey::beginning_with(text)?;
        Some(Self {
            digits: text.to_ascii_lowercase(),
            first,
            last,
        })
    }

    fn write(&self) -> (Comparison, String) {
        (Comparison::Is, self.digits.clone())
    }
}

/// The word that stands for having no value.
const NONE: &str = "none";

/// A value, or `none`.
impl<T: FilterValue> FilterValue for Option<T> {
    const KIND: FieldKind = match T::KIND {
        FieldKind::Words(_) => FieldKind::Words(words_or_none::<T>),
        kind => kind,
    };

    fn read(sign: Comparison, text: &str) -> Option<Self> {
        if sign == Comparison::Is && text.eq_ignore_ascii_case(NONE) {
            return Some(None);
        }
        T::read(sign, text).map(Some)
    }

    fn write(&self) -> (Comparison, String) {
        match self {
            Some(value) => value.write(),
            None => (Comparison::Is, NONE.to_owned()),
        }
    }
}

fn words_or_none<T: FilterValue>() -> Vec<&'static str> {
    let mut words = match T::KIND {
        FieldKind::Words(words) | FieldKind::Steps(words) => words(),
        FieldKind::Name
        | FieldKind::Number
        | FieldKind::Text
        | FieldKind::Key
        | FieldKind::Sort => Vec::new(),
    };
    words.push(NONE);
    words
}

/// A closed set: its own words, in their order.
macro_rules! words {
    ($($set:ty)*) => {$(
        impl FilterValue for $set {
            const KIND: FieldKind =
                FieldKind::Words(|| <$set>::ALL.iter().map(|word| word.as_str()).collect());

            fn read(_: Comparison, text: &str) -> Option<Self> {
                let mut all = <$set>::ALL.iter();
                let found = all.find(|word| word.as_str().eq_ignore_ascii_case(text));
                found.copied()
            }

            fn write(&self) -> (Comparison, String) {
                (Comparison::Is, self.as_str().to_owned())
            }
        }
    )*};
}

words! {
    BuildTool Flag Framework Language Matcher Parse Presence RemarkKind Repair Split Stage BaselineStanding Status Tag
    TestKind
}

impl FilterValue for bool {
    const KIND: FieldKind = FieldKind::Words(|| vec!["yes", "no"]);

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let is_word = |word: &str| word.eq_ignore_ascii_case(text);
        match (is_word("yes"), is_word("no")) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => None,
        }
    }

    fn write(&self) -> (Comparison, String) {
        let word = if *self { "yes" } else { "no" };
        (Comparison::Is, word.to_owned())
    }
}

/// Whether the index has a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    There,
    Gone,
}

impl Presence {
    pub const ALL: &[Self] = &[Self::There, Self::Gone];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Gone => "gone",
        }
    }
}

/// A remark of people on a sample besides verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    Marked,
    Noted,
}

impl RemarkKind {
    pub const ALL: &[Self] = &[Self::Marked, Self::Noted];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Marked => "marked",
            Self::Noted => "noted",
        }
    }
}

/// A value of `verdict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictIs {
    None,
    /// One of [`Judgement::WORDS`].
    Word(&'static str),
    /// Accepted with others, without a look at it.
    Provisional,
}

impl VerdictIs {
    const PROVISIONAL: &str = "provisional";

    fn as_str(self) -> &'static str {
        match self {
            Self::None => NONE,
            Self::Word(word) => word,
            Self::Provisional => Self::PROVISIONAL,
        }
    }
}

impl FilterValue for VerdictIs {
    const KIND: FieldKind =
        FieldKind::Words(|| [&[NONE], Judgement::WORDS, &[Self::PROVISIONAL]].concat());

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let words = Judgement::WORDS.iter().map(|word| Self::Word(word));
        let mut all = words.chain([Self::None, Self::Provisional]);
        all.find(|word| word.as_str().eq_ignore_ascii_case(text))
    }

    fn write(&self) -> (Comparison, String) {
        (Comparison::Is, self.as_str().to_owned())
    }
}

/// A value of `ran`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RanIs {
    /// Outcomes are steps: `ran>=passing`. Never an exact sign.
    Outcome(Comparison, Outcome),
    /// It has no outcome, with a reason for that.
    Blocked,
    /// It was never run.
    Never,
}

impl RanIs {
    /// The word for a prediction that has no outcome, with a reason for that.
    pub const BLOCKED: &str = "blocked";
    /// The word for one that was never run.
    pub const NEVER: &str = NONE;

    /// Tells whether an outcome fulfils the condition.
    #[must_use]
    pub fn is_met_by(self, outcome: Outcome) -> bool {
        match self {
            Self::Outcome(comparison, wanted) => match comparison {
                Comparison::Is | Comparison::Exactly => outcome == wanted,
                Comparison::Less => outcome < wanted,
                Comparison::LessOrEqual => outcome <= wanted,
                Comparison::Greater => outcome > wanted,
                Comparison::GreaterOrEqual => outcome >= wanted,
            },
            Self::Blocked | Self::Never => false,
        }
    }
}

impl FilterValue for RanIs {
    const KIND: FieldKind = FieldKind::Steps(|| {
        let outcomes = Outcome::ALL.iter().map(|outcome| outcome.as_str());
        outcomes.chain([Self::BLOCKED, Self::NEVER]).collect()
    });

    fn read(sign: Comparison, text: &str) -> Option<Self> {
        let is_word = |word: &str| word.eq_ignore_ascii_case(text);
        if is_word(Self::BLOCKED) {
            return Some(Self::Blocked);
        }
        if is_word(Self::NEVER) {
            return Some(Self::Never);
        }
        let sign = match sign {
            Comparison::Exactly => Comparison::Is,
            sign => sign,
        };
        let mut all = Outcome::ALL.iter();
        let found = all.find(|outcome| is_word(outcome.as_str()))?;
        Some(Self::Outcome(sign, *found))
    }

    fn write(&self) -> (Comparison, String) {
        match self {
            Self::Outcome(sign, outcome) => (*sign, outcome.as_str().to_owned()),
            Self::Blocked => (Comparison::Is, Self::BLOCKED.to_owned()),
            Self::Never => (Comparison::Is, Self::NEVER.to_owned()),
        }
    }
}

/// A value of `unstable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnstableIs {
    /// This shake changes its outcome.
    By(Shake),
    /// Any shake does.
    Any,
    /// Shaking it has changed nothing.
    Stable,
    /// It was not shaken.
    Never,
}

impl UnstableIs {
    const ANY: &str = "yes";
    const STABLE: &str = "no";

    /// Tells whether a test's stability fulfils the condition.
    #[must_use]
    pub fn holds(self, stability: Option<Stability>) -> bool {
        match self {
            Self::By(shake) => stability.is_some_and(|stability| stability.changed.has(shake)),
            Self::Any => stability.is_some_and(|stability| stability.reason().is_some()),
            Self::Stable => stability.is_some_and(|stability| stability.reason().is_none()),
            Self::Never => stability.is_none(),
        }
    }
}

impl FilterValue for UnstableIs {
    const KIND: FieldKind = FieldKind::Words(|| {
        let shakes = Shake::ALL.iter().map(|shake| shake.as_str());
        shakes.chain([Self::ANY, Self::STABLE, NONE]).collect()
    });

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let is_word = |word: &str| word.eq_ignore_ascii_case(text);
        if is_word(Self::ANY) {
            return Some(Self::Any);
        }
        if is_word(Self::STABLE) {
            return Some(Self::Stable);
        }
        if is_word(NONE) {
            return Some(Self::Never);
        }
        Shake::named(text).map(Self::By)
    }

    fn write(&self) -> (Comparison, String) {
        let word = match self {
            Self::By(shake) => shake.as_str(),
            Self::Any => Self::ANY,
            Self::Stable => Self::STABLE,
            Self::Never => NONE,
        };
        (Comparison::Is, word.to_owned())
    }
}

/// A value of `brittle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrittleIs {
    /// It objects to this variant.
    To(VariantKind),
    /// It objects to any.
    Any,
    /// It objects to none.
    ToNothing,
    /// It was run on none.
    Never,
}

impl BrittleIs {
    const ANY: &str = "yes";
    const TO_NOTHING: &str = "no";

    /// Tells whether a test's brittleness fulfils the condition.
    #[must_use]
    pub fn holds(self, brittleness: Option<Brittleness>) -> bool {
        match self {
            Self::To(kind) => brittleness.is_some_and(|brittleness| brittleness.objects.has(kind)),
            Self::Any => brittleness.is_some_and(|brittleness| !brittleness.objects.is_empty()),
            Self::ToNothing => {
                brittleness.is_some_and(|brittleness| brittleness.objects.is_empty())
            }
            Self::Never => brittleness.is_none(),
        }
    }
}

impl FilterValue for BrittleIs {
    const KIND: FieldKind = FieldKind::Words(|| {
        let kinds = VariantKind::ALL.iter().map(|kind| kind.as_str());
        kinds.chain([Self::ANY, Self::TO_NOTHING, NONE]).collect()
    });

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let is_word = |word: &str| word.eq_ignore_ascii_case(text);
        if is_word(Self::ANY) {
            return Some(Self::Any);
        }
        if is_word(Self::TO_NOTHING) {
            return Some(Self::ToNothing);
        }
        if is_word(NONE) {
            return Some(Self::Never);
        }
        VariantKind::named(text).map(Self::To)
    }

    fn write(&self) -> (Comparison, String) {
        let word = match self {
            Self::To(kind) => kind.as_str(),
            Self::Any => Self::ANY,
            Self::ToNothing => Self::TO_NOTHING,
            Self::Never => NONE,
        };
        (Comparison::Is, word.to_owned())
    }
}

/// A value of `confirmed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondLook {
    Found(Confirmation),
    /// The look has refuted it, in any way.
    Refuted,
    /// There was no look.
    Never,
}

impl SecondLook {
    const REFUTED: &str = "no";
}

impl FilterValue for SecondLook {
    const KIND: FieldKind = FieldKind::Words(|| {
        let found = Confirmation::ALL.iter().map(|found| found.as_str());
        found.chain([Self::REFUTED, NONE]).collect()
    });

    fn read(_: Comparison, text: &str) -> Option<Self> {
        let is_word = |word: &str| word.eq_ignore_ascii_case(text);
        if is_word(Self::REFUTED) {
            return Some(Self::Refuted);
        }
        if is_word(NONE) {
            return Some(Self::Never);
        }
        let mut all = Confirmation::ALL.iter();
        let found = all.find(|found| is_word(found.as_str()))?;
        Some(Self::Found(*found))
    }

    fn write(&self) -> (Comparison, String) {
        let word = match self {
            Self::Found(found) => found.as_str(),
            Self::Refuted => Self::REFUTED,
            Self::Never => NONE,
        };
        (Comparison::Is, word.to_owned())
    }
}

//! The fields of the filter language: the one table from which parsing, writing, help and completion derive.
//!
//! A new field is a line here: its variant with the type of its value, its name, and its question. The crates that
//! answer it (`store` for samples, `eval` for predictions) match on all variants, so the compiler names the rest.

use super::value::{
    BrittleIs, FieldKind, FilterValue, KeyStart, Name, Presence, RanIs, Range, RemarkKind,
    SecondLook, UnstableIs, VerdictIs,
};
use super::{Comparison, Condition, PredictionSort, SampleSort, SortField};
use crate::{
    BaselineStanding, BuildTool, Flag, Framework, Language, Parse, Repair, Split, Stage, Status,
    Tag, TestKind,
};

/// One field that a filter may name.
#[derive(Clone, Copy, Debug)]
pub struct FilterField {
    pub name: &'static str,
    pub kind: FieldKind,
    /// One line for people, a lower-case fragment.
    pub help: &'static str,
    /// The field that `sort:` sorts by; nothing where it has no order.
    pub sort: Option<SortField>,
    pub scope: FieldScope,
    pub role: FieldUse,
}

/// Where a field may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldScope {
    /// Wherever samples are listed, and where a run is.
    Samples,
    /// Only where the predictions of a run are listed.
    Run,
}

/// The use of a field and its value.
#[derive(Clone, Copy, Debug)]
pub enum FieldUse {
    Condition(fn(Comparison, &str) -> Option<Condition>),
    /// The value of the metric of this id.
    Score(&'static str),
    /// The difference to the baseline in it.
    DeltaOf(&'static str),
    Aim(AimField),
    Sort,
}

impl FilterField {
    /// Reads a condition on this field; nothing where the value is not one of its own, or where the field makes none.
    #[must_use]
    pub fn condition(&self, sign: Comparison, text: &str) -> Option<Condition> {
        match self.role {
            FieldUse::Condition(read) => read(sign, text),
            FieldUse::Score(metric) => Some(Condition::Score(metric, Range::read(sign, text)?)),
            FieldUse::DeltaOf(metric) => Some(Condition::DeltaOf(metric, Range::read(sign, text)?)),
            FieldUse::Aim(_) | FieldUse::Sort => None,
        }
    }
}

/// A part of [`super::Aim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AimField {
    Run,
    Baseline,
    Metric,
    Matcher,
}

/// Makes an enum of conditions, and a table of its fields.
macro_rules! fields {
    (
        $(#[$doc:meta])*
        $set:ident as $side:ident in $scope:ident;
        $( $variant:ident($value:ty) $name:literal $([$sort:expr])? $(in $own:ident)? $help:literal; )*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $set {
            $( #[doc = concat!("The field `", $name, "`.")] $variant($value), )*
        }

        impl $set {
            /// Every field, in the order of help and completion.
            pub const FIELDS: &[FilterField] = &[
                $( FilterField {
                    name: $name,
                    kind: <$value as FilterValue>::KIND,
                    help: $help,
                    sort: [$( Some($sort), )? None][0],
                    scope: [$( FieldScope::$own, )? FieldScope::$scope][0],
                    role: FieldUse::Condition(|sign, text| {
                        let value = <$value as FilterValue>::read(sign, text)?;
                        Some(Condition::$side(Self::$variant(value)))
                    }),
                }, )*
            ];

            /// Returns the name of the field.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => $name, )*
                }
            }

            /// Returns its sign and its written value.
            #[must_use]
            pub fn value(&self) -> (Comparison, String) {
                match self {
                    $( Self::$variant(value) => value.write(), )*
                }
            }
        }
    };
}

const fn by(field: SampleSort) -> SortField {
    SortField::Sample(field)
}

const fn of(field: PredictionSort) -> SortField {
    SortField::Prediction(field)
}

fields! {
    /// A condition on a sample, as a matcher decided on it.
    OfSample as Sample in Samples;
    Repo(Name) "repo" [by(SampleSort::Repo)]
        "part of the repository's name; with a slash, of its project identity";
    Class(Name) "class" [by(SampleSort::Class)]
        "part of the test class's name; with a dot, of its full name";
    Test(Name) "test" [by(SampleSort::Test)] "part of the test method's name";
    Focal(Name) "focal" [by(SampleSort::Focal)] "part of the focal method, as in Gson.toJson";
    FocalClass(Option<Name>) "focal-class" [by(SampleSort::FocalClass)]
        "part of the simple name of the focal method's class, or none";
    Name(Name) "name" "part of the test's or the focal method's name; the field of a bare word";
    File(Name) "file" "part of the test file's path";
    Key(KeyStart) "key" "the sample's key, or its first digits";
    Near(Range) "near"
        "how similar its test is to the nearest of all others, 0.3 to 1; near:0.8 means at least that (commands only)";
    Text(String) "text" "text in the test or the focal method, as in text:\"foo bar\"";
    Status(Status) "status" [by(SampleSort::Status)] "the outcome of matching the test";
    Stage(Stage) "stage" [by(SampleSort::Stage)] "the evidence that chose the focal method";
    Weight(Range) "weight" [by(SampleSort::Weight)] "the confidence of the match, 0 to 1";
    Margin(Range) "margin" [by(SampleSort::Margin)]
        "by how much the best candidate outweighs the second, 0 to 1";
    Flag(Flag) "flag" "a flag on the sample";
    Duplicate(bool) "duplicate" "whether an equal sample is kept instead";
    Tokens(Range) "tokens" [by(SampleSort::Tokens)] "lexer tokens of test, focal method and contexts";
    Split(Split) "split" "the random split";
    ProjectSplit(Split) "project-split" "the split by project";
    Benchmark(Option<Split>) "benchmark"
        "the split that `benchmark split` gave it; none: it is not a case of the benchmark";
    Framework(Framework) "framework" "the test framework";
    Kind(TestKind) "kind" "why the method counts as a test";
    Verdict(VerdictIs) "verdict"
        "any annotator's verdict on the sample, or none; provisional: accepted with others";
    Is(RemarkKind) "is" "whether the sample is marked, or has a note";
    Note(Option<String>) "note" "text in a note on the sample, or none";
    Tagged(Option<Tag>) "tagged"
        "a tag that an annotator gave a prediction for the sample, in any run, or none";
    License(Option<Name>) "license"
        "the repository's licence, as in MIT or Apache; none for no licence";
    Language(Language) "language" "the programming language";
    Build(BuildTool) "build" "the repository's build tool";
    Stars(Range) "stars" "the repository's stars, if a list gave them";
}

impl OfSample {
    /// Tells whether it can be asked of questions that are no samples, too.
    #[must_use]
    pub const fn is_of_questions(&self) -> bool {
        matches!(
            self,
            Self::Repo(_)
                | Self::Test(_)
                | Self::Focal(_)
                | Self::Name(_)
                | Self::File(_)
                | Self::Key(_)
                | Self::Language(_)
        )
    }

    /// Tells whether it is about people's verdicts, which change without the index.
    #[must_use]
    pub const fn is_of_people(&self) -> bool {
        matches!(
            self,
            Self::Verdict(_) | Self::Is(_) | Self::Note(_) | Self::Tagged(_)
        )
    }
}

fields! {
    /// A condition on a prediction, besides the values of metrics. A missing value fulfils none.
    OfPrediction as Prediction in Run;
    Delta(Range) "delta" [SortField::Delta(None)]
        "the value minus the baseline's, -1 to 1; of another metric as in delta:rougeL<0";
    Outcome(BaselineStanding) "outcome" "better, same or worse than the baseline";
    Parse(Parse) "parse" "whether the prediction parses; unknown until the run is evaluated";
    BaselineParse(Parse) "baseline-parse"
        "whether the baseline's answer to the same sample parses";
    Tag(Option<Tag>) "tag" "how the prediction differs, according to the machine, or none";
    TagDiffers(Tag) "tag-differs"
        "a tag that only one of the two has, the baseline's answer or this one";
    Ruled(bool) "ruled" "whether people have said how the prediction differs";
    Ruling(Option<Tag>) "ruling" "how the prediction differs, according to people, or none";
    Changed(bool) "changed" "whether the sample has changed since the answer was imported";
    Overlong(bool) "overlong" "whether the prediction is as long as the model could write";
    ReferenceTokens(Range) "reference-tokens" [of(PredictionSort::ReferenceTokens)]
        "lexer tokens of the true text";
    PredictionTokens(Range) "prediction-tokens" [of(PredictionSort::PredictionTokens)]
        "lexer tokens of the prediction";
    Assertion(Option<Name>) "assertion"
        "the true text's first assertion call, as in assertEquals, or none; its whole name";
    Answer(String) "answer" "text in the prediction, as in answer:\"foo bar\"";
    Attempt(Range) "attempt" [of(PredictionSort::Attempt)] "0 for the first answer to a sample";
    Sample(Presence) "sample" "whether the sample is still in the index";
    Ran(RanIs) "ran" [of(PredictionSort::Ran)] in Samples
        "the outcome of running it, as in ran:failing ran>=passing; blocked, or none if it never ran; of samples: of the true test";
    Why(String) "why" "text in the reason for that, as in why:\"cannot find symbol\"";
    Repair(Repair) "repair" "the repair that let the prediction run";
    Called(bool) "called" "whether the focal method was called when it ran";
    Asserts(bool) "asserts"
        "whether something in it can fail: an assertion, an expected exception, a verification";
    Confirmed(SecondLook) "confirmed"
        "the result of the second run of one that passes (`execute --confirm`): yes; no is any of left_early, forged and unstable; undecided, or none if there was none";
    Unstable(UnstableIs) "unstable" in Samples
        "the cause of other outcomes (`execute --shake`): nothing, alone, order and so on; yes is any cause, no is no cause, and none means never shaken; of samples: of the true test";
    Brittle(BrittleIs) "brittle" in Samples
        "the code that it objects to although the contract is kept (`execute --brittle`): message, log, private, locals or order; yes is any, no is none of them, and none means never tried; of samples: of the true test";
    Lines(Range) "lines" [of(PredictionSort::Lines)]
        "the share of the focal method's lines that it covered, 0 to 1";
    Branches(Range) "branches" [of(PredictionSort::Branches)]
        "the share of the focal method's branches that it covered, 0 to 1";
    Mutation(Range) "mutation" [of(PredictionSort::Mutation)] in Samples
        "mutation score: the share of the focal method's mutants that it notices, 0 to 1 (`execute --faults`); of samples: of the true test";
    Strength(Range) "strength" [of(PredictionSort::Strength)] in Samples
        "test strength: of the mutants that it reaches, the share that it notices, 0 to 1; of samples: of the true test";
    Milliseconds(Range) "ms" [of(PredictionSort::Milliseconds)]
        "how long it ran, in milliseconds";
    Setting(Name) "setting"
        "a setting with which the model was asked: setting:top_p=0.9; setting:none where none is known";
    Meta(Name) "meta"
        "a score from the file or from a judge: meta:accuracy<0.5, meta:match=C; meta:accuracy has such a score, meta:none has none";
    Temperature(Range) "temperature" "the temperature that the model was asked with";
}

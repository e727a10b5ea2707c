//! The words of the project: every type that more than one module speaks of, and nothing that computes much.
//!
//! This is the glossary; a word that is not here has no fixed meaning. Types of one module alone live there. The only
//! place that re-exports: other code writes `crate::Method`, for a type of any file.

mod brittle;
mod code;
mod count;
mod engine;
mod entered;
mod evidence;
mod execution;
mod fault;
mod fields;
mod filter;
mod finding;
mod flag;
mod focal;
mod job;
mod method_key;
mod moment;
mod number;
mod problem;
mod question;
mod repo;
mod result;
mod review;
mod run;
mod sample;
mod snapshot;
mod stability;
mod tag;
mod tagged;
mod testcase;
mod view;
mod visible;

pub use brittle::{
    BrittleCounts, Brittleness, Objecting, Variant, VariantEdit, VariantKind, VariantKinds,
};
pub use code::{
    Call, CallKind, CallMarks, CallRole, FileId, FileRole, Method, MethodId, Origin, Position,
    Resolution, ResolutionClass, Span, UnknownReason, Visibility,
};
pub use count::{agreeing, counted};
pub use engine::{EngineName, LanguageFunnel};
pub use entered::EnteredMethod;
pub use evidence::{Evidence, Evidences};
pub use execution::{
    BlockedReason, Confirmation, CoverScope, CoverageCounter, CoveredSet, Execution,
    ExecutionFunnel, ExecutionSetting, FocalCoverage, FocalShares, FocalTotal, LineCover,
    MethodPlace, Outcome, OutcomeReason, Repair, RunStage, WithoutOutcome,
};
pub use fault::{FaultCounts, FaultOutcome, Mutant, MutantPlace};
pub use fields::EventId;
pub use filter::{
    Aim, AimField, BrittleIs, Comparison, Condition, DELTA_OF, Direction, FieldKind, FieldScope,
    FieldUse, Filter, FilterField, FilterValue, KeyStart, META_OF, MetaName, Name, OfPrediction,
    OfSample, PredictionSort, Presence, RanIs, Range, RemarkKind, SampleScope, SampleSort,
    SecondLook, SortField, SortKey, Term, UnstableIs, VerdictIs,
};
pub use finding::{Finding, Grade};
pub use flag::{Flag, Flags};
pub use focal::{Candidate, Decision, FocalMatch, Matcher, Stage, UnmappedReason};
pub use job::{
    JobId, JobKind, JobMark, JobPace, JobProgress, JobRow, JobState, JobWindow, SampleChanges,
};
pub use method_key::{CONSTRUCTOR, MethodKey, MethodKind, simple_name, simple_type, split_types};
pub use moment::utc;
pub use number::{grouped, number, percent, probability, readable, signed};
pub use problem::{Problem, Reason};
pub use question::{Question, QuestionSetting, RunKind};
pub use repo::{BuildTool, Language, Repo, RepoKey};
pub use result::{
    BaselineStanding, GroupNumbers, Parse, Reference, ResultDetail, ResultGroup, ResultRow,
    ScoredAnswer,
};
pub use review::{
    Batch, Bulk, Draw, DrawnSample, ErrorBound, Event, EventKind, FocalAnswer, Gold, JudgedSample,
    Judgement, PastEvent, Verdict, is_annotator,
};
pub use run::{
    Evaluation, Extraction, Join, ParseMode, Prediction, PredictionReading, RunRow, RunSetting,
    Score, Target,
};
pub use sample::{
    ContentHash, Cut, MatcherDecision, MinedFile, MinedTest, SampleKey, Split, Status,
};
pub use snapshot::{Snapshot, SnapshotId, SnapshotMethod};
pub use stability::{Shake, Shakes, Stability, StabilityCounts};
pub use tag::{TAG_RULES, Tag, Tags};
pub use tagged::{TagRuling, TaggedPrediction};
pub use testcase::{Framework, NestedBlock, TestCase, TestKind};
pub use view::{
    CandidateRow, DeclaredMethod, Funnel, LanguageCounts, Mark, MarkKind, RepoResolutions, RepoRow,
    ResolutionCounts, SampleDetail, SampleRow, Snippet,
};
pub use visible::{visible, visible_source};

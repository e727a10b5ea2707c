//! The evidence for and against each method that a test may be about: the table of matcher `evidence`.
//!
//! [`reach`] finds which methods the test gets to and how, [`usage`] how it uses them, [`naming`] what their names
//! suggest, [`census`] what the other tests of the class call. Here the evidence is collected; `weigh` weighs it.

pub mod census;
mod naming;
mod reach;
mod reached;
mod usage;
mod variables;

use self::census::Census;
pub use self::naming::MethodWords;
use self::naming::TestNaming;
use self::reached::{ReachWay, ReachedMethod};
use self::usage::Usage;
use super::assertion::AssertionClassifier;
use super::context::Callee;
use super::trace::Trace;
use crate::lang::{Clues, Index};
use crate::model::{
    CONSTRUCTOR, CallKind, CallMarks, Candidate, Evidence, Evidences, Method, MethodId, Origin,
    TestCase,
};
use crate::syntax::Dialect;

/// The sources of the evidence of one test.
pub struct EvidenceSources<'a> {
    pub dialect: &'static Dialect,
    pub methods: &'a [Method],
    pub test_case: &'a TestCase,
    pub clues: &'a Clues,
    /// The methods that the test class's tests call.
    pub census: &'a Census,
    /// The methods that all tests of the project call.
    pub project_census: &'a Census,
    /// The text of the test's file.
    pub text: &'a str,
    /// The path of every file, by number.
    pub paths: &'a [String],
    pub index: &'a dyn Index,
    /// The methods that ran in the test; absent where it was not run.
    pub trace: Option<&'a Trace>,
    /// Lists the methods that the body of a method calls.
    pub callees: &'a dyn Fn(MethodId) -> &'a [Callee],
    /// Looks up the words of a method's names.
    pub words: &'a dyn Fn(MethodId) -> &'a MethodWords,
}

impl<'a> EvidenceSources<'a> {
    fn asserting(&self) -> AssertionClassifier<'a> {
        AssertionClassifier {
            dialect: self.dialect,
            methods: self.methods,
        }
    }
}

/// Collects every method that the test may be about with its evidence, in order of the first call that carries it. The
/// weights are left at zero.
pub fn gather(sources: &EvidenceSources<'_>) -> Vec<Candidate> {
    let usage = Usage::of(sources);
    let reached = reach::reach(sources, &usage);
    let naming = TestNaming::of(sources);
    let mut shared = Vec::with_capacity(reached.len());
    let mut candidates: Vec<Candidate> = reached
        .iter()
        .map(|reached_method| {
            let method = &sources.methods[reached_method.method.0 as usize];
            let words = (sources.words)(reached_method.method);
            let (score, class_score) = naming.scores(&words.shown);
            shared.push(naming.n_shared(&words.shown));
            let mut evidence = Evidences::default();
            ways(&mut evidence, reached_method);
            naming.judge(&mut evidence, sources, reached_method.method, words);
            nature(&mut evidence, sources, reached_method);
            marks(&mut evidence, sources, reached_method);
            if let Some(trace) = sources.trace {
                trace.judge(&mut evidence, sources.methods, reached_method.method);
            }
            usage.judge(&mut evidence, sources, reached_method, &reached);
            sources.census.judge(&mut evidence, reached_method.method);
            let is_driver = sources.project_census.is_driver(reached_method.method);
            evidence.set(Evidence::Driver, is_driver);
            Candidate {
                name: method.name.clone(),
                method: reached_method.method,
                score,
                class_score,
                weight: 0.0,
                evidence,
                calls: reached_method.calls.clone(),
            }
        })
        .collect();
    compare(&mut candidates, &shared);
    candidates
}

/// Adds the ways in which the test reaches the method.
fn ways(evidence: &mut Evidences, reached_method: &ReachedMethod) {
    evidence.set(
        Evidence::ByHelper,
        !reached_method.has(ReachWay::Direct) && reached_method.has(ReachWay::Helper),
    );
    evidence.set(Evidence::AtRunTime, reached_method.has(ReachWay::RunTime));
    evidence.set(
        Evidence::Implicit,
        !reached_method.has(ReachWay::Direct) && reached_method.has(ReachWay::Implicit),
    );
    evidence.set(Evidence::InFixture, reached_method.has(ReachWay::Fixture));
}

/// Adds the evidence of the calls beyond their targets.
fn marks(evidence: &mut Evidences, sources: &EvidenceSources<'_>, reached_method: &ReachedMethod) {
    let calls = || {
        let calls = reached_method.calls.iter();
        calls.map(|idx| &sources.test_case.calls[*idx as usize])
    };
    let all = |marks| calls().all(|call| call.marks.has(marks));
    let is_kind = |kind| calls().all(|call| call.kind == kind);
    evidence.set(Evidence::ByName, all(CallMarks::BY_NAME));
    evidence.set(Evidence::Wrapped, all(CallMarks::WRAPPED));
    evidence.set(Evidence::HandedOver, all(CallMarks::HANDED_OVER));
    let is_direct = reached_method.has(ReachWay::Direct);
    evidence.set(Evidence::Property, is_direct && is_kind(CallKind::Property));
    evidence.set(Evidence::Operator, is_direct && is_kind(CallKind::Operator));
}

/// Adds the evidence of the kind of the method: constructor, getter and the like.
fn nature(evidence: &mut Evidences, sources: &EvidenceSources<'_>, reached_method: &ReachedMethod) {
    let method = &sources.methods[reached_method.method.0 as usize];
    let name = method.name.as_str();
    let words = &sources.dialect.names;
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| begins(name, prefix));
    evidence.set(Evidence::Constructor, method.is_constructor());
    evidence.set(Evidence::Accessor, reached_method.is_accessor);
    evidence.set(
        Evidence::GetterName,
        method.parameters.is_empty() && (starts(words.getters) || words.properties.contains(&name)),
    );
    evidence.set(
        Evidence::SetterName,
        !method.parameters.is_empty() && starts(words.setters),
    );
    evidence.set(Evidence::Maker, starts(words.makers));
    evidence.set(Evidence::Closer, words.closers.contains(&name));
    evidence.set(
        Evidence::NoBody,
        method.body.is_none() && method.origin == Origin::Source,
    );
    evidence.set(
        Evidence::ObjectMethod,
        words.universal.contains(&(name, method.parameters.len())),
    );
}

/// Tells whether a camel-case name is `prefix`, or has a new word after it.
fn begins(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.starts_with(|rest: char| rest.is_lowercase()))
}

/// Adds the evidence that a candidate has because of the others; `shared` is how many words each name shares with the
/// test's.
fn compare(candidates: &mut [Candidate], shared: &[usize]) {
    let is_plain = |candidate: &Candidate| {
        let is_seen = !candidate.calls.is_empty();
        is_seen
            && ![
                Evidence::ByHelper,
                Evidence::Constructor,
                Evidence::Implicit,
                Evidence::Stubbed,
            ]
            .iter()
            .any(|kind| candidate.evidence.has(*kind))
    };
    let of_class = |candidate: &Candidate| {
        [
            Evidence::ClassUnderTest,
            Evidence::ClassInherited,
            Evidence::ClassNested,
        ]
        .iter()
        .any(|kind| candidate.evidence.has(*kind))
    };
    let n_calls = |candidate: &Candidate| {
        if is_plain(candidate) && of_class(candidate) && !candidate.evidence.has(Evidence::Accessor)
        {
            candidate.calls.len()
        } else {
            0
        }
    };
    let found: Vec<Evidences> = (0..candidates.len())
        .map(|at| {
            let own = &candidates[at];
            let others = || {
                candidates.iter().zip(shared).filter(|(candidate, _)| {
                    candidate.name != own.name
                        || is_init(candidate) && candidate.method != own.method
                })
            };
            let mut evidence = own.evidence;
            evidence.set(
                Evidence::NameMost,
                shared[at] > 0 && others().all(|(_, n)| *n < shared[at]),
            );
            evidence.set(
                Evidence::Rivalled,
                others().any(|(candidate, n)| {
                    candidate.evidence.has(Evidence::NameCovered) && *n >= shared[at]
                }),
            );
            let is_alone = |is: &dyn Fn(&Candidate) -> bool| {
                is(own) && !others().any(|(candidate, _)| is(candidate))
            };
            evidence.set(Evidence::OnlyCandidate, is_alone(&is_plain));
            evidence.set(
                Evidence::OnlyInClass,
                is_alone(&|candidate| candidate.evidence.has(Evidence::NameInClass)),
            );
            // Two names that agree are less than twice the evidence.
            evidence.set(
                Evidence::Echoed,
                own.evidence.has(Evidence::NameInClass) && own.evidence.has(Evidence::NameShared),
            );
            evidence.set(
                Evidence::NoneDirect,
                !is_plain(own) && !candidates.iter().any(is_plain),
            );
            evidence.set(
                Evidence::NotOfClass,
                !of_class(own)
                    && others().any(|(candidate, _)| is_plain(candidate) && of_class(candidate)),
            );
            evidence.set(
                Evidence::OnlyOfClass,
                is_alone(&|candidate| is_plain(candidate) && of_class(candidate)),
            );
            let own_calls = n_calls(own);
            evidence.set(
                Evidence::MostCalledOfClass,
                own_calls > 0 && others().all(|(candidate, _)| n_calls(candidate) < own_calls),
            );
            evidence
        })
        .collect();
    for (candidate, evidence) in candidates.iter_mut().zip(found) {
        candidate.evidence = evidence;
    }
}

fn is_init(candidate: &Candidate) -> bool {
    candidate.name == CONSTRUCTOR
}

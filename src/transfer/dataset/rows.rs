//! A sample of a dataset as rows like mined ones.
//!
//! There are no source files. For each sample, and for each file that it names, there is a small text that holds the
//! sample's methods of that file one after the other, so that spans, snippets and searches work as with real files.
//! Lines are the dataset's. Files, methods and tests of a project are numbered in the order of its samples, so lists and
//! exports keep it.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::{self, DeclarationShape, Declarations, TestReading};
use super::wrong::DatasetFault;
use crate::exchange::ReadMethod;
use crate::focal::digest::{self, MethodDigest};
use crate::model::{
    Call, Candidate, Cut, Decision, Evidence, Evidences, FileId, FileRole, Flag, Flags, FocalMatch,
    Framework, Language, Matcher, MatcherDecision, Method, MethodId, MethodKey, MinedFile,
    MinedTest, Repo, SampleKey, Span, Split, Stage, Status, TestCase, TestKind, UnmappedReason,
    split_types,
};
use crate::syntax;

/// Where candidates are declared that are in no sample of their project.
const NOWHERE: &str = "(not in the dataset)";

/// A sample as its format tells it.
#[derive(Clone, Debug)]
pub(super) struct GivenSample {
    pub key: GivenKey,
    pub framework: Framework,
    pub kind: TestKind,
    pub test: ReadMethod,
    pub fixtures: Vec<ReadMethod>,
    pub focal: Option<ReadMethod>,
    pub setup_context: Vec<ReadMethod>,
    pub focal_context: Vec<ReadMethod>,
    pub parts: SampleParts,
    /// Where the format tells them; else those that follow from the texts.
    pub flags: Option<Flags>,
    pub matcher: Matcher,
    /// Present with a focal method.
    pub decided: Option<(Stage, f64)>,
    /// The status of the test where it has no focal method.
    pub unmapped: Status,
    /// Best first; the focal method alone where the dataset names none.
    pub candidates: Vec<GivenCandidate>,
    pub split: Option<Split>,
    pub project_split: Option<Split>,
    /// The text that its methods lack before their names to be Java.
    pub prefix: &'static str,
}

#[derive(Clone, Debug)]
pub(super) enum GivenKey {
    Told(SampleKey),
    /// The key that mining gives samples: by project and method, and by file where that is not unique.
    OfMethod,
    OfPlace(String),
}

/// Setup and assertion, in the test's source.
#[derive(Clone, Copy, Debug)]
pub(super) enum SampleParts {
    Told {
        setup: Option<Span>,
        assertion: Option<Span>,
    },
    /// By the rule of mining, from the calls of the focal method's name; flags too.
    Found,
}

#[derive(Clone, Debug)]
pub(super) struct GivenCandidate {
    /// `pkg.C#m(int)`.
    pub key: String,
    pub score: f64,
    pub evidence: Evidences,
}

impl GivenSample {
    /// Iterates over test, fixtures, focal method and contexts, in the order in which their methods are numbered.
    fn methods(&self) -> impl Iterator<Item = &ReadMethod> {
        std::iter::once(&self.test)
            .chain(&self.fixtures)
            .chain(&self.focal)
            .chain(&self.setup_context)
            .chain(&self.focal_context)
    }

    /// Tells which of several equal declarations the focal method is, by the candidate that it was: the first that the
    /// weight of the decision belongs to, else the first of its key. Only a candidate's key tells the number.
    fn focal_ordinal(&self) -> u32 {
        let Some(focal) = &self.focal else {
            return 1;
        };
        let key = declared::plain(focal).key();
        let ordinal = |candidate: &GivenCandidate| match candidate.key.strip_prefix(&key)? {
            "" => Some(1),
            behind => behind.strip_prefix('~')?.parse().ok(),
        };
        let weight = self.decided.map(|(_, weight)| weight);
        let equal = || {
            let candidates = self.candidates.iter();
            candidates.filter_map(|candidate| Some((candidate.score, ordinal(candidate)?)))
        };
        let picked = equal().find(|(score, _)| Some(*score) == weight);
        picked
            .or_else(|| equal().next())
            .map_or(1, |(_, ordinal)| ordinal)
    }
}

/// A sample with all that follows from its texts alone.
#[derive(Debug)]
pub(super) struct PreparedSample {
    pub given_sample: GivenSample,
    shapes: Vec<DeclarationShape>,
    calls: Vec<Call>,
    /// In the test's source; present when mapped.
    cut: Option<Cut>,
    flags: Flags,
    parts: Hashes,
}

#[derive(Debug)]
struct Hashes {
    n_tokens: u32,
    token_hash: crate::model::ContentHash,
    content_hash: crate::model::ContentHash,
}

/// Computes the facts that follow from the texts of samples, for each alone.
pub(super) fn prepare(
    language: Language,
    samples: Vec<Result<GivenSample, DatasetFault>>,
    max_context_tokens: u32,
) -> Vec<Result<PreparedSample, DatasetFault>> {
    let samples: Vec<Result<GivenSample, DatasetFault>> = samples
        .into_iter()
        .map(|sample| sample.and_then(|given| check(&given).map(|()| given)))
        .collect();
    let given = samples.iter().filter_map(|sample| sample.as_ref().ok());
    let list: Vec<(&ReadMethod, &str)> = given
        .flat_map(|given_sample| {
            given_sample
                .methods()
                .map(|method| (method, given_sample.prefix))
        })
        .collect();
    let declarations = Declarations::read(language, &list);
    let mut n_methods = 0;
    let firsts: Vec<usize> = samples
        .iter()
        .map(|sample| {
            let first = n_methods;
            n_methods += sample
                .as_ref()
                .map_or(0, |given_sample| given_sample.methods().count());
            first
        })
        .collect();
    samples
        .into_par_iter()
        .zip(firsts)
        .map(|(given, first)| {
            given
                .map(|given| prepare_one(language, given, &declarations, first, max_context_tokens))
        })
        .collect()
}

/// Refuses what could not be shown, or found again.
pub(super) fn check(given: &GivenSample) -> Result<(), DatasetFault> {
    let test = std::iter::once((&given.test, "test"));
    for (method, what) in test.chain(given.focal.iter().map(|read_method| (read_method, "focal"))) {
        if method.source.trim().is_empty() || method.method.is_empty() {
            return Err(DatasetFault::line(format!(
                "`{what}` has no source or no name"
            )));
        }
    }
    let mut keys = given
        .candidates
        .iter()
        .map(|candidate| MethodKey::parse(&candidate.key));
    if keys.any(|method_key| method_key.is_none()) {
        let detail = "a candidate's key is not `class#method(types)`";
        return Err(DatasetFault::line(detail));
    }
    Ok(())
}

/// Prepares a sample whose test is the `first` of the declarations, its other methods following.
fn prepare_one(
    language: Language,
    given_sample: GivenSample,
    declarations: &Declarations,
    first: usize,
    max_context_tokens: u32,
) -> PreparedSample {
    let n_methods = given_sample.methods().count();
    let shapes: Vec<DeclarationShape> = (first..first + n_methods)
        .map(|idx| declarations.shape(idx))
        .collect();
    let focal = given_sample.focal.as_ref();
    let reading =
        focal.and_then(|focal| declarations.test(first, &given_sample.test.source, focal));
    let (calls, cut, mut flags) = cut(&given_sample, reading);
    let focal_shape = focal.map(|_| shapes[1 + given_sample.fixtures.len()]);
    let has_no_body = focal_shape.is_some_and(|declaration_shape| {
        declaration_shape.is_known && declaration_shape.body.is_none()
    });
    flags.set(Flag::NoBody, has_no_body);
    flags = given_sample.flags.unwrap_or(flags);
    let parts = hashes(language, &given_sample);
    flags.set(Flag::ExcessiveContext, parts.n_tokens > max_context_tokens);
    PreparedSample {
        given_sample,
        shapes,
        calls,
        cut,
        flags,
        parts,
    }
}

fn cut(given: &GivenSample, reading: Option<TestReading>) -> (Vec<Call>, Option<Cut>, Flags) {
    if given.focal.is_none() {
        return (Vec::new(), None, Flags::default());
    }
    let reading = reading.unwrap_or_else(|| TestReading {
        calls: Vec::new(),
        cut: Cut {
            setup: None,
            assertion: None,
            focal_calls: Vec::new(),
            assertion_calls: Vec::new(),
        },
        flags: Flags::default(),
    });
    let read = (reading.cut.setup, reading.cut.assertion);
    let (parts, mut flags) = match given.parts {
        SampleParts::Found => (read, reading.flags),
        // The flags of our cut hold for the same cut.
        SampleParts::Told { setup, assertion } if (setup, assertion) == read => {
            (read, reading.flags)
        }
        SampleParts::Told { setup, assertion } => ((setup, assertion), Flags::default()),
    };
    let cut = Cut {
        setup: parts.0,
        assertion: parts.1,
        ..reading.cut
    };
    flags.set(Flag::EmptySetup, cut.setup.is_none());
    (reading.calls, Some(cut), flags)
}

fn hashes(language: Language, given: &GivenSample) -> Hashes {
    let digest = |method: &ReadMethod| {
        MethodDigest::of(&method.source, &syntax::tokens(language, &method.source))
    };
    let core: Vec<MethodDigest> = std::iter::once(&given.test)
        .chain(&given.focal)
        .chain(&given.setup_context)
        .chain(&given.focal_context)
        .map(digest)
        .collect();
    let fixtures: Vec<MethodDigest> = given.fixtures.iter().map(digest).collect();
    let parts = digest::SampleDigests {
        core: core.iter().collect(),
        fixtures: fixtures.iter().collect(),
    };
    Hashes {
        n_tokens: parts.n_tokens(),
        token_hash: parts.token_hash(),
        content_hash: parts.content_hash(),
    }
}

/// Makes the keys of a project's samples, in order.
pub(super) fn keys(repo: &Repo, samples: &[&PreparedSample]) -> Vec<SampleKey> {
    let key = |method: &Method, file| {
        SampleKey::of_test(&repo.identity, repo.language, &method.key(), file)
    };
    let methods: Vec<Method> = samples
        .iter()
        .map(|sample| declared::plain(&sample.given_sample.test))
        .collect();
    let mut n_of_key: FxHashMap<String, u32> = FxHashMap::default();
    for method in &methods {
        *n_of_key.entry(method.key()).or_default() += 1;
    }
    samples
        .iter()
        .zip(&methods)
        .map(|(sample, method)| match &sample.given_sample.key {
            GivenKey::Told(key) => *key,
            GivenKey::OfPlace(place) => key(method, Some(place)),
            GivenKey::OfMethod => {
                let is_unique = n_of_key.get(&method.key()) == Some(&1);
                let file = sample.given_sample.test.file.as_str();
                key(method, (!is_unique).then_some(file))
            }
        })
        .collect()
}

/// The rows of a project.
#[derive(Debug, Default)]
pub(super) struct ProjectRows {
    pub files: Vec<MinedFile>,
    pub methods: Vec<Method>,
    pub tests: Vec<MinedTest>,
    /// The split of each test.
    pub splits: Vec<Option<Split>>,
    /// The first that a sample tells.
    pub project_split: Option<Split>,
    /// Candidates wait until all methods of the project are known.
    waiting: Vec<WaitingMatch>,
}

/// The parts of a test's match that are filled in at the end.
#[derive(Debug)]
struct WaitingMatch {
    focal: Option<MethodId>,
    decided: Option<(Stage, f64)>,
    candidates: Vec<GivenCandidate>,
    /// For a focal method that the dataset names without candidates.
    evidence: Evidences,
}

impl ProjectRows {
    /// Adds a sample behind the others.
    pub(super) fn push(&mut self, key: SampleKey, sample: PreparedSample) {
        let PreparedSample {
            given_sample,
            shapes,
            calls,
            cut,
            flags,
            parts,
        } = sample;
        let mut methods = SampleMethods::new(self);
        let test = methods.add(&given_sample.test, shapes[0], FileRole::Test);
        let mut shapes = shapes.into_iter().skip(1);
        let mut add_all = |list: &[ReadMethod], role| -> Vec<MethodId> {
            list.iter()
                .zip(&mut shapes)
                .map(|(method, shape)| methods.add(method, shape, role))
                .collect()
        };
        let fixtures = add_all(&given_sample.fixtures, FileRole::Test);
        let focal = add_all(given_sample.focal.as_slice(), FileRole::Main).pop();
        let setup_context = add_all(&given_sample.setup_context, FileRole::Main);
        let focal_context = add_all(&given_sample.focal_context, FileRole::Main);
        if let Some(focal) = focal {
            self.methods[focal.0 as usize].ordinal = given_sample.focal_ordinal();
        }
        let offset = self.methods[test.0 as usize].span.start;
        let shift = |span: Span| Span::new(span.start + offset, span.end + offset);
        let evidence = evidence(&given_sample, &calls, cut.as_ref());
        let cut = cut.map(|cut| Cut {
            setup: cut.setup.map(shift),
            assertion: cut.assertion.map(shift),
            ..cut
        });
        let status = match &cut {
            None => given_sample.unmapped,
            Some(cut) if cut.assertion.is_some() => Status::Ok,
            Some(_) => Status::NoAssertionPart,
        };
        let calls = calls.into_iter().map(|call| Call {
            span: shift(call.span),
            name_span: shift(call.name_span),
            ..call
        });
        self.waiting.push(WaitingMatch {
            focal,
            decided: given_sample.decided,
            candidates: given_sample.candidates,
            evidence,
        });
        self.splits.push(given_sample.split);
        self.project_split = self.project_split.or(given_sample.project_split);
        self.tests.push(MinedTest {
            key,
            test_case: TestCase {
                method: test,
                framework: given_sample.framework,
                kind: given_sample.kind,
                statements: Vec::new(),
                calls: calls.collect(),
                fixtures,
                group: String::new(),
                flags: Flags::default(),
                assertions: Vec::new(),
                blocks: Vec::new(),
            },
            decided: vec![MatcherDecision {
                focal_match: FocalMatch {
                    matcher: given_sample.matcher,
                    candidates: Vec::new(),
                    decision: Decision::None(unmapped(status)),
                },
                status,
                cut,
                setup_context,
                focal_context,
                implementation: None,
                flags,
                n_tokens: parts.n_tokens,
                token_hash: parts.token_hash,
                content_hash: parts.content_hash,
            }],
        });
    }

    /// Fills in candidates: as the focal method, as a method of any sample of the project, else by name alone.
    pub(super) fn finish(&mut self) {
        let mut by_key: FxHashMap<String, MethodId> = FxHashMap::default();
        for (at, method) in self.methods.iter().enumerate() {
            if method.role == FileRole::Main {
                by_key.entry(method.key()).or_insert(MethodId(at as u32));
            }
        }
        for (test_idx, waiting) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            let focal_idx = self.focal_candidate(&waiting);
            let mut candidates = Vec::with_capacity(waiting.candidates.len().max(1));
            let mut picked = None;
            let mut taken = FxHashSet::from_iter(waiting.focal);
            for (idx, given) in waiting.candidates.into_iter().enumerate() {
                let method = match (waiting.focal, by_key.get(&given.key)) {
                    (Some(focal), _) if focal_idx == Some(idx) => {
                        picked = Some(idx);
                        focal
                    }
                    (_, Some(known)) if !taken.contains(known) => *known,
                    // Some languages have several methods of one key, and then they are several candidates.
                    _ => {
                        let method = self.nowhere(&given.key);
                        by_key.entry(given.key).or_insert(method);
                        method
                    }
                };
                taken.insert(method);
                candidates.push(self.candidate(method, given.score, given.evidence));
            }
            if let (Some(focal), None, Some((_, weight))) = (waiting.focal, picked, waiting.decided)
            {
                candidates.insert(0, self.candidate(focal, weight, waiting.evidence));
                picked = Some(0);
            }
            let focal_match = &mut self.tests[test_idx].decided[0].focal_match;
            focal_match.candidates = candidates;
            if let (Some(candidate), Some((stage, weight))) = (picked, waiting.decided) {
                focal_match.decision = Decision::Picked {
                    candidate,
                    stage,
                    weight,
                };
            }
        }
    }

    /// Tells which candidate the focal method is: of those with its key the first that the weight of the decision
    /// belongs to, else the first.
    fn focal_candidate(&self, waiting: &WaitingMatch) -> Option<usize> {
        let key = self.methods[waiting.focal?.0 as usize].key();
        let weight = waiting.decided.map(|(_, weight)| weight);
        let equal = || {
            let candidates = waiting.candidates.iter().enumerate();
            candidates.filter(|(_, candidate)| candidate.key == key)
        };
        let picked = equal().find(|(_, candidate)| Some(candidate.score) == weight);
        picked.or_else(|| equal().next()).map(|(idx, _)| idx)
    }

    fn candidate(&self, method: MethodId, score: f64, evidence: Evidences) -> Candidate {
        Candidate {
            name: self.methods[method.0 as usize].name.clone(),
            method,
            score,
            class_score: score,
            weight: score,
            evidence,
            calls: Vec::new(),
        }
    }

    /// Adds a method with a known key, and nothing else.
    fn nowhere(&mut self, key: &str) -> MethodId {
        if self.files.last().is_none_or(|file| file.path != NOWHERE) {
            self.add_file(NOWHERE, FileRole::Main);
        }
        let parts = MethodKey::read(key);
        let method = declared::plain(&ReadMethod {
            class: parts.class.to_owned(),
            method: parts.name.to_owned(),
            parameters: split_types(parts.parameters).map(str::to_owned).collect(),
            ..ReadMethod::default()
        });
        self.methods.push(Method {
            file: FileId(self.files.len() as u32 - 1),
            ordinal: parts.ordinal,
            ..method
        });
        MethodId(self.methods.len() as u32 - 1)
    }

    fn add_file(&mut self, path: &str, role: FileRole) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(MinedFile {
            id,
            path: path.to_owned(),
            text: String::new(),
            role,
        });
        id
    }
}

/// The methods of one sample; each once, however often it is named.
struct SampleMethods<'r> {
    rows: &'r mut ProjectRows,
    files: FxHashMap<String, FileId>,
    known: FxHashMap<ReadMethod, MethodId>,
}

impl<'r> SampleMethods<'r> {
    fn new(rows: &'r mut ProjectRows) -> Self {
        Self {
            rows,
            files: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    fn add(&mut self, method: &ReadMethod, shape: DeclarationShape, role: FileRole) -> MethodId {
        if let Some(known) = self.known.get(method) {
            return *known;
        }
        let file = match self.files.get(&method.file) {
            Some(file) => *file,
            None => self.rows.add_file(&method.file, role),
        };
        self.files.insert(method.file.clone(), file);
        let text = &mut self.rows.files[file.0 as usize].text;
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(indentation(&method.source));
        let start = text.len() as u32;
        text.push_str(&method.source);
        let span = Span::new(start, text.len() as u32);
        text.push('\n');
        let id = MethodId(self.rows.methods.len() as u32);
        self.rows.methods.push(Method {
            file,
            span,
            body: shape
                .body
                .map(|body| Span::new(body.start + start, body.end + start)),
            name_line: method.start_line.saturating_add(shape.name_line),
            role,
            ..declared::plain(method)
        });
        self.known.insert(method.clone(), id);
        id
    }
}

/// Returns the indentation of the last line's closing brace: the first line had the same in its file, but a declaration
/// begins at its first word.
fn indentation(source: &str) -> &str {
    let Some((_, last)) = source.rsplit_once('\n') else {
        return "";
    };
    let rest = last.trim_start_matches([' ', '\t']);
    if rest.starts_with('}') {
        &last[..last.len() - rest.len()]
    } else {
        ""
    }
}

/// Gathers the evidence in the calls for a focal method that a dataset names without candidates.
fn evidence(given: &GivenSample, calls: &[Call], cut: Option<&Cut>) -> Evidences {
    let mut evidence = Evidences::default();
    let Some(cut) = cut.filter(|_| given.matcher == Matcher::Evidence) else {
        return evidence;
    };
    let assertion = cut.assertion.unwrap_or_default();
    for call in cut
        .focal_calls
        .iter()
        .filter_map(|focal_call| calls.get(*focal_call as usize))
    {
        let is_asserted = assertion.contains(call.name_span);
        evidence.set(Evidence::InAssertion, is_asserted);
        let is_before = call.name_span.end <= assertion.start;
        evidence.set(Evidence::LastBefore, is_before);
    }
    evidence
}

/// Converts the status of a test without a focal method to the reason; other statuses get any of them, until the pick
/// takes its place.
fn unmapped(status: Status) -> UnmappedReason {
    match status {
        Status::Below => UnmappedReason::Below,
        Status::Tie => UnmappedReason::Tie,
        Status::NoSource => UnmappedReason::NoSource,
        Status::Abstained => UnmappedReason::Abstained,
        Status::Ok | Status::NoAssertionPart | Status::NoCandidate => UnmappedReason::NoCandidate,
    }
}

/// Finds the indices of keys that came before, or that another repository holds.
pub(super) fn taken(keys: &[SampleKey], holders: &[Option<String>]) -> FxHashMap<usize, String> {
    let mut seen = FxHashSet::default();
    let mut taken = FxHashMap::default();
    for (idx, (key, holder)) in keys.iter().zip(holders).enumerate() {
        if let Some(holder) = holder {
            taken.insert(idx, format!("a test of `{holder}` has the key {key}"));
        } else if !seen.insert(*key) {
            taken.insert(idx, format!("the key {key} comes twice"));
        }
    }
    taken
}

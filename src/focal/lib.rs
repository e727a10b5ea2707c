//! Decides which method a test is about, where the test is cut, and what its context is.
//!
//! There are four deciders: [`contest`] picks by the paper's rule from the [`candidates`] that a test calls, [`weigh`]
//! by all the [`mod@evidence`], [`methods2test`] by path and name, [`mera`] by the rules of that benchmark; a [`trace`]
//! lists the methods that ran in a test. For every decider, [`cut`] separates setup from assertion code and [`context`]
//! follows the calls. An [`Analyst`] puts them together for all tests of one project. Nothing here fails or does I/O,
//! and nothing depends on the number of threads.

use focalist_lang as lang;
use focalist_model as model;
use focalist_syntax as syntax;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use self::assertion::AssertionClassifier;
use self::evidence::census::Census;
use self::trace::Trace;
use crate::lang::Project;
use crate::model::{
    CallKind, ContentHash, Decision, Flag, FocalMatch, Language, Matcher, MatcherDecision, Method,
    MethodId, Resolution, Status, TestCase, UnmappedReason,
};
use crate::syntax::dialect::MeraRule;
use crate::syntax::{Dialect, dialect};

pub mod assertion;
pub mod candidates;
pub mod contest;
pub mod context;
pub mod cut;
pub mod digest;
pub mod evidence;
pub mod mera;
pub mod methods2test;
pub mod names;
pub mod trace;
pub mod weigh;

/// Calls of a test beyond which matcher `evidence` abstains: it compares each with each, and so long a test is about
/// nothing in particular.
const WEIGHED_CALLS_MAX: usize = 2_000;

/// The options of a user; MINING.md fixes everything else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Whether constructors belong to contexts (rule 20).
    pub context_constructors: bool,
    /// More lexer tokens than this over all parts flag a sample (rule 25).
    pub max_context_tokens: u32,
    /// Matcher `evidence` abstains when no candidate weighs at least this, 0..=1; where absent, the threshold of the
    /// language's weights applies ([`weigh::WeightTable::threshold`]).
    pub abstain_below: Option<f64>,
}

impl Options {
    /// Looks up the weight below which matcher `evidence` abstains in a language.
    #[must_use]
    pub fn threshold(&self, language: Language) -> f64 {
        self.abstain_below
            .unwrap_or(weigh::table(language).threshold)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            context_constructors: false,
            max_context_tokens: 2048,
            abstain_below: None,
        }
    }
}

/// Decides the tests of one project; shared by all threads.
pub struct Analyst<'p> {
    project: &'p Project,
    dialect: &'static Dialect,
    methods: &'p [Method],
    /// The text of every file, in the order of `FileId`.
    texts: &'p [String],
    paths: &'p [String],
    options: Options,
    /// The methods that the tests of each test class call.
    censuses: FxHashMap<&'p str, Census>,
    /// The methods that the tests of the project call.
    census: Census,
    focal_files: OnceLock<methods2test::FocalFiles>,
    beginnings: OnceLock<mera::NameBeginnings>,
    /// The methods that ran in each test.
    traces: FxHashMap<MethodId, Trace>,
    /// The methods that every method's body calls, resolved when first asked for.
    callees: Vec<OnceLock<Box<[context::Callee]>>>,
    digests: Vec<OnceLock<digest::MethodDigest>>,
    words: Vec<OnceLock<Box<evidence::MethodWords>>>,
}

impl<'p> Analyst<'p> {
    pub fn new(
        project: &'p Project,
        paths: &'p [String],
        texts: &'p [String],
        options: Options,
    ) -> Self {
        let methods: &[Method] = &project.methods;
        Self {
            paths,
            censuses: FxHashMap::default(),
            census: Census::default(),
            traces: FxHashMap::default(),
            focal_files: OnceLock::new(),
            beginnings: OnceLock::new(),
            project,
            dialect: dialect(project.language),
            methods,
            texts,
            options,
            callees: methods.iter().map(|_| OnceLock::new()).collect(),
            digests: methods.iter().map(|_| OnceLock::new()).collect(),
            words: methods.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Counts the methods that tests call; decisions for tests of the same class or project use the counts.
    pub fn count<'t>(&mut self, tests: impl Iterator<Item = &'t TestCase>) {
        for test in tests {
            let class = self.methods[test.method.0 as usize].class.as_str();
            self.censuses.entry(class).or_default().add(test);
            self.census.add(test);
        }
    }

    /// Stores the methods that ran in tests, by test.
    pub fn remember(&mut self, traces: FxHashMap<MethodId, Trace>) {
        self.traces = traces;
    }

    /// Decides on one test, with everything that follows from it.
    pub fn decide(&self, test_case: &TestCase, matcher: Matcher) -> MatcherDecision {
        let test = self.method(test_case.method);
        let focal_match = match matcher {
            Matcher::Contest => contest::decide(test, test_case, self.methods),
            Matcher::Evidence => self.weigh(test, test_case),
            Matcher::Methods2Test => self.by_mirrored_file(test_case),
            Matcher::Mera => self.by_benchmark(test_case),
        };
        let mut decided = MatcherDecision {
            status: Status::NoCandidate,
            cut: None,
            setup_context: Vec::new(),
            focal_context: Vec::new(),
            implementation: None,
            flags: test_case.flags,
            n_tokens: 0,
            token_hash: ContentHash([0; 16]),
            content_hash: ContentHash([0; 16]),
            focal_match,
        };
        match decided.focal_match.decision {
            Decision::None(reason) => decided.status = reason.into(),
            Decision::Picked { .. } => self.complete(test_case, &mut decided),
        }
        self.digest(test_case, &mut decided);
        decided
    }

    fn by_mirrored_file(&self, test_case: &TestCase) -> FocalMatch {
        let of = || methods2test::FocalFiles::of(self.paths, self.project);
        let files = self.focal_files.get_or_init(of);
        methods2test::decide(files, self.paths, test_case, self.methods)
    }

    fn by_benchmark(&self, test_case: &TestCase) -> FocalMatch {
        match self.dialect.names.mera {
            MeraRule::Mirrored => FocalMatch {
                matcher: Matcher::Mera,
                ..self.by_mirrored_file(test_case)
            },
            MeraRule::Beginning => {
                let of = || mera::NameBeginnings::of(self.paths, self.project);
                let beginnings = self.beginnings.get_or_init(of);
                mera::by_beginning(beginnings, self.paths, test_case, self.methods)
            }
            MeraRule::Inside => mera::by_words_in_a_row(test_case, self.methods),
            MeraRule::LastCall => mera::by_last_call(test_case, self.methods),
        }
    }

    fn weigh(&self, test: &Method, test_case: &TestCase) -> FocalMatch {
        if test_case.calls.len() > WEIGHED_CALLS_MAX {
            return FocalMatch {
                matcher: Matcher::Evidence,
                candidates: Vec::new(),
                decision: Decision::None(UnmappedReason::Abstained),
            };
        }
        let clues = self.project.index.clues(test_case);
        let none = Census::default();
        let language = self.project.language;
        let static_table = (weigh::table(language), self.options.threshold(language));
        let traced = weigh::traced(language).zip(self.traces.get(&test_case.method));
        let (table, threshold) = traced.map_or(static_table, |(table, _)| {
            (table, self.options.abstain_below.unwrap_or(table.threshold))
        });
        let sources = evidence::EvidenceSources {
            dialect: self.dialect,
            methods: self.methods,
            test_case,
            clues: &clues,
            census: self.censuses.get(test.class.as_str()).unwrap_or(&none),
            project_census: &self.census,
            text: &self.texts[test.file.0 as usize],
            paths: self.paths,
            index: &*self.project.index,
            trace: traced.map(|traced| traced.1),
            callees: &|method| self.callees(method),
            words: &|method| self.words(method),
        };
        weigh::decide(&sources, table, threshold)
    }

    /// Fills in the parts of a mapped test: cut, contexts, flags.
    fn complete(&self, test_case: &TestCase, decided: &mut MatcherDecision) {
        let Some(candidate) = decided.focal_match.picked() else {
            return;
        };
        let focal = candidate.method;
        let cut = cut::cut(test_case, candidate, self.asserting());
        decided.status = if cut.parts.assertion.is_some() {
            Status::Ok
        } else {
            Status::NoAssertionPart
        };
        let mut flags = cut.flags;
        flags.add(test_case.flags);
        let is_called = !cut.parts.focal_calls.is_empty();
        let by_rule = decided.focal_match.matcher == Matcher::Mera;
        // A method that is only known to have run has no call in sight.
        let is_reached = by_rule || candidate.calls.is_empty();
        flags.set(Flag::NotCalled, is_reached && !is_called);
        flags.set(
            Flag::SeveralDeclarations,
            candidates::has_several_declarations(candidate, &test_case.calls),
        );
        if self.method(focal).body.is_none() {
            flags.set(Flag::NoBody, true);
            let implementations = self.project.index.implementations(focal);
            if let [only] = implementations[..] {
                decided.implementation = Some(only);
            }
        }
        flags.set(Flag::SeveralFocalMethods, decided.focal_match.has_rival());
        decided.flags = flags;
        let scope = context::ContextScope {
            test: test_case.method,
            focal,
            files: [self.method(test_case.method).file, self.method(focal).file],
            constructors: self.options.context_constructors,
        };
        let in_setup = cut::setup_calls(test_case, &cut.parts)
            .filter_map(context::Callee::of)
            .collect::<Vec<_>>();
        let in_fixtures = test_case
            .fixtures
            .iter()
            .flat_map(|fixture| self.callees(*fixture).iter().copied());
        decided.setup_context = self.reach(&scope, in_setup.into_iter().chain(in_fixtures));
        decided.focal_context = self.reach(&scope, self.callees(focal).iter().copied());
        decided.cut = Some(cut.parts);
    }

    fn reach(
        &self,
        scope: &context::ContextScope,
        seeds: impl Iterator<Item = context::Callee>,
    ) -> Vec<MethodId> {
        context::reach(scope, self.methods, seeds, |method| self.callees(method))
    }

    fn digest(&self, test_case: &TestCase, decided: &mut MatcherDecision) {
        let contexts = decided
            .setup_context
            .iter()
            .chain(&decided.focal_context)
            .copied();
        let focal = decided.focal();
        let parts = digest::SampleDigests {
            core: std::iter::once(test_case.method)
                .chain(focal)
                .chain(contexts)
                .map(|method| self.method_digest(method))
                .collect(),
            fixtures: test_case
                .fixtures
                .iter()
                .map(|method| self.method_digest(*method))
                .collect(),
        };
        decided.n_tokens = parts.n_tokens();
        decided.token_hash = parts.token_hash();
        decided.content_hash = parts.content_hash();
        decided.flags.set(
            Flag::ExcessiveContext,
            decided.n_tokens > self.options.max_context_tokens,
        );
    }

    fn asserting(&self) -> AssertionClassifier<'p> {
        AssertionClassifier {
            dialect: self.dialect,
            methods: self.methods,
        }
    }

    fn method(&self, method: MethodId) -> &'p Method {
        &self.methods[method.0 as usize]
    }

    fn callees(&self, method: MethodId) -> &[context::Callee] {
        self.callees[method.0 as usize].get_or_init(|| {
            let calls = self.project.index.calls(method);
            calls.iter().filter_map(context::Callee::of).collect()
        })
    }

    fn words(&self, method: MethodId) -> &evidence::MethodWords {
        self.words[method.0 as usize]
            .get_or_init(|| Box::new(evidence::MethodWords::of(self.method(method))))
    }

    fn method_digest(&self, method: MethodId) -> &digest::MethodDigest {
        self.digests[method.0 as usize].get_or_init(|| {
            let declaration = self.method(method);
            let text = self
                .texts
                .get(declaration.file.0 as usize)
                .map_or("", |text| declaration.span.of(text));
            digest::MethodDigest::of(text, &self.project.tokens(declaration, text))
        })
    }
}

/// Returns the declaration that a call means, or the first of several that fit equally.
pub fn declared(resolution: &Resolution) -> Option<MethodId> {
    match resolution {
        Resolution::Declared(method) => Some(*method),
        Resolution::Ambiguous(methods) => methods.first().copied(),
        Resolution::Outside(_) | Resolution::Unknown(_) => None,
    }
}

/// Tells whether a call invokes a constructor.
pub const fn is_constructor_call(kind: CallKind) -> bool {
    matches!(kind, CallKind::Constructor | CallKind::Delegation)
}

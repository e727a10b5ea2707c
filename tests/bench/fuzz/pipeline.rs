//! All steps of mining one project, in one thread and from memory.
//!
//! Shared by the fuzzing bench and the test of hostile sources, so that both run the same steps. It only counts the
//! results and does not judge them.

use focalist::focal::{Analyst, Options};
use focalist::lang::{self, Outside, Project};
use focalist::model::{Call, Language, Matcher, MethodId, Resolution};

/// One source file: its path in the repository, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: String,
    pub text: String,
}

/// The counts of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub n_bytes: usize,
    pub n_methods: usize,
    pub n_tests: usize,
    pub n_calls: usize,
    /// Declarations that calls name, including the alternatives of ambiguous ones.
    pub n_declarations: usize,
    pub n_candidates: usize,
    pub n_contexts: usize,
    /// The keys of tests that the first matcher mapped, each with its focal method's.
    pub mapped: Vec<(String, String)>,
}

/// Runs parsing, index, resolution and all matchers, with and without constructors in contexts.
pub fn run(language: Language, sources: &[Source]) -> Work {
    let (paths, texts) = sorted(sources);
    let project = index(language, &paths, &texts);
    let mut work = Work {
        n_bytes: texts.iter().map(String::len).sum(),
        n_methods: project.methods.len(),
        ..Work::default()
    };
    let test_cases: Vec<_> = project
        .tests
        .iter()
        .map(|test| project.index.test_case(*test))
        .collect();
    work.n_tests = test_cases.len();
    for test_case in &test_cases {
        work.add_calls(&test_case.calls);
    }
    let key = |id: MethodId| project.method(id).key();
    for options in [
        Options::default(),
        Options {
            context_constructors: true,
            // No matcher abstains, so that every test has a cut and contexts.
            abstain_below: Some(0.0),
            ..Options::default()
        },
    ] {
        let mut analyst = Analyst::new(&project, &paths, &texts, options);
        analyst.count(test_cases.iter());
        for test_case in &test_cases {
            for matcher in Matcher::ALL {
                let decided = analyst.decide(test_case, *matcher);
                work.n_candidates += decided.focal_match.candidates.len();
                work.n_contexts += decided.setup_context.len() + decided.focal_context.len();
                let is_first = *matcher == Matcher::Contest && !options.context_constructors;
                let focal = decided.focal().filter(|_| is_first).map(key);
                work.mapped
                    .extend(focal.map(|focal| (key(test_case.method), focal)));
            }
        }
    }
    work
}

/// Runs the per-method steps on every method, although mining runs them on few.
pub fn run_on_every_method(language: Language, sources: &[Source]) -> Work {
    let (paths, texts) = sorted(sources);
    let project = index(language, &paths, &texts);
    let index = &project.index;
    let mut work = Work::default();
    for (idx, method) in project.methods.iter().enumerate() {
        let id = MethodId(idx as u32);
        work.add_calls(&index.calls(id));
        work.n_declarations += index.implementations(id).len();
        work.n_declarations += usize::from(index.is_accessor(id));
        let (package, name) = method.class.rsplit_once('.').unwrap_or(("", &method.class));
        let class = (package, name);
        work.n_declarations += usize::from(index.is_inherited_by(id, class));
        for n_arguments in 0..2 {
            let target = index.dispatch(id, &method.name, n_arguments);
            work.n_declarations += usize::from(target.is_some());
        }
    }
    work
}

/// Sorts paths and texts in the order that the index wants, each path once.
fn sorted(sources: &[Source]) -> (Vec<String>, Vec<String>) {
    let mut sources = sources.to_vec();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
        .into_iter()
        .map(|source| (source.path, source.text))
        .unzip()
}

fn index(language: Language, paths: &[String], texts: &[String]) -> Project {
    let sources = paths.iter().zip(texts);
    let sources = sources.map(|(path, text)| lang::SourceText { path, text });
    lang::project_of(language, sources, &Outside::default())
}

impl Work {
    fn add_calls(&mut self, calls: &[Call]) {
        self.n_calls += calls.len();
        for call in calls {
            self.n_declarations += match &call.resolution {
                Resolution::Declared(_) => 1,
                Resolution::Ambiguous(methods) => methods.len(),
                Resolution::Outside(_) | Resolution::Unknown(_) => 0,
            };
        }
    }
}

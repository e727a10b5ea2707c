//! Everything that mining asks of one project, in one thread and from memory.
//!
//! Shared by the fuzzing bench and by the test over hostile sources, so that both mean the same by "everything". Decides
//! nothing about what comes out, only counts it.

use std::sync::LazyLock;

use focalist::focal::{Analyst, Options};
use focalist::lang::{Frontend, java::Java};
use focalist::model::{Call, Matcher, MethodId, Resolution};

/// What is known of libraries is read once.
static JAVA: LazyLock<Java> = LazyLock::new(Java::default);

/// One source file: its path in the repository, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: String,
    pub text: String,
}

/// How much came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub n_bytes: usize,
    pub n_methods: usize,
    pub n_tests: usize,
    pub n_calls: usize,
    /// Declarations that calls name, the alternatives of ambiguous ones included.
    pub n_declarations: usize,
    pub n_candidates: usize,
    pub n_contexts: usize,
    /// The keys of tests that the first matcher mapped, each with its focal method's.
    pub mapped: Vec<(String, String)>,
}

/// Runs parsing, index, resolution and all matchers, with and without constructors in contexts.
pub fn run(sources: &[Source]) -> Work {
    let java = &*JAVA;
    let (paths, texts) = sorted(sources);
    let project = index(java, &paths, &texts);
    let mut work = Work {
        n_bytes: texts.iter().map(String::len).sum(),
        n_methods: java.methods(&project).len(),
        ..Work::default()
    };
    let test_cases: Vec<_> = java
        .tests(&project)
        .into_iter()
        .map(|test| java.test_case(&project, test))
        .collect();
    work.n_tests = test_cases.len();
    for test_case in &test_cases {
        work.add_calls(&test_case.calls);
    }
    let methods = java.methods(&project);
    let key = |id: MethodId| methods[id.0 as usize].key();
    for options in [
        Options::default(),
        Options {
            context_constructors: true,
            // Nobody abstains, so that everything has a cut and contexts.
            abstain_below: 0.0,
            ..Options::default()
        },
    ] {
        let mut analyst = Analyst::new(java, &project, &paths, &texts, options);
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

/// Runs what mining asks of single methods on every method, though mining asks it of few.
pub fn run_on_every_method(sources: &[Source]) -> Work {
    let java = &*JAVA;
    let (paths, texts) = sorted(sources);
    let project = index(java, &paths, &texts);
    let mut work = Work::default();
    for (idx, method) in java.methods(&project).iter().enumerate() {
        let id = MethodId(idx as u32);
        work.add_calls(&java.calls(&project, id));
        work.n_declarations += java.implementations(&project, id).len();
        work.n_declarations += usize::from(java.is_accessor(&project, id));
        let (package, name) = method.class.rsplit_once('.').unwrap_or(("", &method.class));
        let class = (package, name);
        work.n_declarations += usize::from(java.is_inherited_by(&project, id, class));
        for n_arguments in 0..2 {
            let target = java.dispatch(&project, id, &method.name, n_arguments);
            work.n_declarations += usize::from(target.is_some());
        }
    }
    work
}

/// Returns paths and texts in the order that the index wants, each path once.
fn sorted(sources: &[Source]) -> (Vec<String>, Vec<String>) {
    let mut sources = sources.to_vec();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
        .into_iter()
        .map(|source| (source.path, source.text))
        .unzip()
}

fn index(java: &Java, paths: &[String], texts: &[String]) -> <Java as Frontend>::Project {
    let facts = paths
        .iter()
        .zip(texts)
        .map(|(path, text)| java.facts(path, text).facts)
        .collect();
    java.project(facts)
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

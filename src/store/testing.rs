//! Small hand-made repositories, for tests of code that reads an index.

#![expect(
    clippy::missing_panics_doc,
    reason = "a test that cannot make its store has failed"
)]

use std::path::PathBuf;

use tempfile::TempDir;

use crate::model::{
    BuildTool, Call, CallKind, CallMarks, Candidate, Comparison, ContentHash, Cut, Decision,
    Evidences, Execution, ExecutionSetting, Extraction, FaultOutcome, FileId, FileRole, Filter,
    Flag, Flags, FocalMatch, Framework, Language, Matcher, MatcherDecision, Method, MethodId,
    MethodKind, MinedFile, MinedTest, Mutant, MutantPlace, OfPrediction, OfSample, Origin, Outcome,
    ParseMode, Position, Prediction, PredictionReading, Problem, Reason, Repo, Resolution,
    RunSetting, SampleKey, Score, Span, Stage, Status, Tags, Target, Term, TestCase, TestKind,
    UnmappedReason, Visibility,
};
use crate::task::Monitor;

use super::{
    EvaluationPlan, FaultPair, RepoContents, RunCounts, Stamp, Store, StoreAccess,
    WrittenExecution, WrittenFaults, WrittenScores,
};

/// Owns the values that [`RepoContents`] borrows.
#[derive(Clone)]
pub struct Contents {
    pub repo: Repo,
    pub root: PathBuf,
    pub stamp: Stamp,
    pub files: Vec<MinedFile>,
    pub methods: Vec<Method>,
    pub tests: Vec<MinedTest>,
    pub problems: Vec<Problem>,
}

impl Contents {
    pub fn borrow(&self) -> RepoContents<'_> {
        RepoContents {
            repo: &self.repo,
            root: &self.root,
            stamp: &self.stamp,
            files: &self.files,
            methods: &self.methods,
            tests: &self.tests,
            problems: &self.problems,
        }
    }
}

pub const COUNTER: &str = "package p;

public class Counter {
    private int count;

    public void setCount(int count) {
        this.count = count;
    }

    public int inc() {
        setCount(count + 1);
        return count;
    }

    public int add(int by) {
        count += by;
        return count;
    }
}
";

pub const COUNTER_TEST: &str = r#"package p;

import org.junit.Test;

public class CounterTest {
    private Counter counter;

    @Before
    public void initCounter() {
        counter = new Counter();
    }

    @Test
    public void testInc() {
        counter.setCount(4);
        counter.inc();
        assertEquals("foo bar", 5, counter.get());
    }

    @Test
    public void testAdd() {
        assertEquals(5, counter.add(5));
    }

    @Test
    public void works() {
        assertTrue(true);
    }
}
"#;

/// Creates a folder, which is removed when it is dropped, and an empty index in it.
pub fn empty_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let store = Store::open(folder.path(), StoreAccess::Create).expect("a new index opens");
    (folder, store)
}

/// Creates an index with these repositories, settled with seed 1.
pub fn store_with(repos: &[Contents]) -> (TempDir, Store) {
    let (folder, mut store) = empty_store();
    write_repos(&mut store, repos);
    (folder, store)
}

/// Writes repositories and settles them with seed 1.
pub fn write_repos(store: &mut Store, repos: &[Contents]) {
    let monitor = Monitor::default();
    for contents in repos {
        store
            .replace_repo(&contents.borrow(), &monitor)
            .expect("a repository is written");
    }
    store.settle(1, &monitor).expect("splits are assigned");
}

/// Builds the condition that a field of samples or predictions has a value, as a filter spells it.
pub fn condition(field: &str, sign: Comparison, value: &str) -> Term {
    let all = OfSample::FIELDS.iter().chain(OfPrediction::FIELDS);
    let found = all.clone().find(|filter_field| filter_field.name == field);
    let condition = found.and_then(|filter_field| filter_field.condition(sign, value));
    condition.expect("the field takes the value").into()
}

/// Builds the filter for one value of a field.
pub fn only(field: &str, value: &str) -> Filter {
    Filter::only(condition(field, Comparison::Is, value))
}

pub fn repo(name: &str) -> Repo {
    Repo {
        name: name.to_owned(),
        identity: format!("example.org/{name}"),
        url: Some(format!("https://example.org/{name}.git")),
        commit: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        dirty: Some(false),
        license: Some("Apache-2.0".to_owned()),
        language: Language::Java,
        build_tool: Some(BuildTool::Maven),
        stars: Some(12),
        is_fork: None,
        host_id: None,
        runners: Vec::new(),
    }
}

/// Derives a hash from `text`; equal texts give equal hashes.
pub fn hash(text: &str) -> [u8; 16] {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes().as_chunks::<16>().0[0]
}

pub fn key_of(repo: &str, test: &str) -> SampleKey {
    SampleKey(hash(&format!("{repo} {test}")))
}

/// Turns a project into one in another language with the same tests under other keys: see [`key_in`].
pub fn in_language(mut contents: Contents, language: Language) -> Contents {
    let word = language.as_str();
    contents.repo.language = language;
    contents.stamp = stamp(word);
    for file in &mut contents.files {
        file.path = format!("{word}/{}", file.path);
    }
    for test in &mut contents.tests {
        test.key = key_in(language, test.key);
        for decided in &mut test.decided {
            decided.token_hash.0 = hash(&format!("{word} {}", decided.token_hash));
        }
    }
    contents
}

/// Derives a test's key in another language.
pub fn key_in(language: Language, key: SampleKey) -> SampleKey {
    SampleKey(hash(&format!("{} {key}", language.as_str())))
}

/// Builds a repository with one class and its test class: `testInc` is mapped, `testAdd` has an empty setup and its
/// focal call in the assertion, `works` calls nothing in the project.
pub fn counter_repo(name: &str) -> Contents {
    let files = vec![
        file(0, "src/main/java/p/Counter.java", COUNTER, FileRole::Main),
        file(
            1,
            "src/test/java/p/CounterTest.java",
            COUNTER_TEST,
            FileRole::Test,
        ),
    ];
    let methods = vec![
        method(
            &files[0],
            "p.Counter",
            "public void setCount(int count)",
            "setCount",
        ),
        method(&files[0], "p.Counter", "public int inc()", "inc"),
        method(&files[0], "p.Counter", "public int add(int by)", "add"),
        method(&files[1], "p.CounterTest", "@Before", "initCounter"),
        method(
            &files[1],
            "p.CounterTest",
            "@Test\n    public void testInc",
            "testInc",
        ),
        method(
            &files[1],
            "p.CounterTest",
            "@Test\n    public void testAdd",
            "testAdd",
        ),
        method(
            &files[1],
            "p.CounterTest",
            "@Test\n    public void works",
            "works",
        ),
    ];
    let tests = vec![inc_test(name), add_test(name), unmapped_test(name)];
    Contents {
        repo: repo(name),
        root: PathBuf::from("repos").join(name),
        stamp: stamp(name),
        files,
        methods,
        tests,
        problems: vec![Problem {
            path: "src/main/java/p/Latin.java".to_owned(),
            line: Some(3),
            reason: Reason::NotUtf8,
            detail: String::new(),
        }],
    }
}

fn inc_test(repo: &str) -> MinedTest {
    let text = COUNTER_TEST;
    let calls = vec![
        call(text, "counter.setCount(4)", "setCount", MethodId(0)),
        call(text, "counter.inc()", "inc", MethodId(1)),
        call(
            text,
            "assertEquals(\"foo bar\", 5, counter.get())",
            "assertEquals",
            MethodId(0),
        ),
    ];
    let cut = Cut {
        setup: Some(span(text, "counter.setCount(4);\n        counter.inc();")),
        assertion: Some(span(text, "assertEquals(\"foo bar\", 5, counter.get());")),
        focal_calls: vec![1],
        assertion_calls: vec![2],
    };
    let mut decided = decided(
        "inc",
        Status::Ok,
        &[(MethodId(1), 1.0, 0.0), (MethodId(0), 0.0, 0.0)],
    );
    decided.focal_match.candidates[0].calls = vec![1];
    decided.focal_match.candidates[1].calls = vec![0];
    decided.cut = Some(cut);
    decided.setup_context = vec![MethodId(0)];
    decided.focal_context = vec![MethodId(0)];
    decided.flags.set(Flag::SeveralFocalCalls, true);
    mined(repo, MethodId(4), "testInc", calls, vec![decided])
}

fn add_test(repo: &str) -> MinedTest {
    let text = COUNTER_TEST;
    let calls = vec![
        call(
            text,
            "assertEquals(5, counter.add(5))",
            "assertEquals",
            MethodId(0),
        ),
        call(text, "counter.add(5)", "add", MethodId(2)),
    ];
    let mut decided = decided("add", Status::NoAssertionPart, &[(MethodId(2), 1.0, 0.0)]);
    decided.focal_match.candidates[0].calls = vec![1];
    decided.cut = Some(Cut {
        setup: Some(span(text, "assertEquals(5, counter.add(5));")),
        assertion: None,
        focal_calls: vec![1],
        assertion_calls: vec![0],
    });
    mined(repo, MethodId(5), "testAdd", calls, vec![decided])
}

fn unmapped_test(repo: &str) -> MinedTest {
    let decided = decided("works", Status::NoCandidate, &[]);
    mined(repo, MethodId(6), "works", Vec::new(), vec![decided])
}

fn mined(
    repo: &str,
    method: MethodId,
    name: &str,
    calls: Vec<Call>,
    decided: Vec<MatcherDecision>,
) -> MinedTest {
    MinedTest {
        key: key_of(repo, name),
        test_case: TestCase {
            method,
            framework: Framework::JUnit4,
            kind: TestKind::Test,
            statements: Vec::new(),
            calls,
            fixtures: vec![MethodId(3)],
            group: String::new(),
            flags: Flags::default(),
            assertions: Vec::new(),
            blocks: Vec::new(),
        },
        decided,
    }
}

/// Builds a decision whose hashes are derived from `content`: equal contents are duplicates. Mapped decisions pick the
/// first candidate.
pub fn decided(
    content: &str,
    status: Status,
    candidates: &[(MethodId, f64, f64)],
) -> MatcherDecision {
    let decision = match status {
        Status::Ok | Status::NoAssertionPart => Decision::Picked {
            candidate: 0,
            stage: Stage::TestName,
            weight: candidates[0].1,
        },
        Status::Below => Decision::None(UnmappedReason::Below),
        Status::Tie => Decision::None(UnmappedReason::Tie),
        Status::NoCandidate => Decision::None(UnmappedReason::NoCandidate),
        Status::NoSource => Decision::None(UnmappedReason::NoSource),
        Status::Abstained => Decision::None(UnmappedReason::Abstained),
    };
    let candidates = candidates
        .iter()
        .map(|(method, score, class_score)| Candidate {
            name: format!("m{}", method.0),
            method: *method,
            score: *score,
            class_score: *class_score,
            weight: *score,
            evidence: Evidences::default(),
            calls: Vec::new(),
        })
        .collect();
    MatcherDecision {
        focal_match: FocalMatch {
            matcher: Matcher::Contest,
            candidates,
            decision,
        },
        status,
        cut: None,
        setup_context: Vec::new(),
        focal_context: Vec::new(),
        implementation: None,
        flags: Flags::default(),
        n_tokens: 100,
        token_hash: ContentHash(hash(content)),
        content_hash: ContentHash(hash(content)),
    }
}

pub fn stamp(content: &str) -> Stamp {
    Stamp {
        content: ContentHash(hash(content)),
        options: "tests=all".to_owned(),
        code: "0.1.0".to_owned(),
    }
}

pub fn file(id: u32, path: &str, text: &str, role: FileRole) -> MinedFile {
    MinedFile {
        id: FileId(id),
        path: path.to_owned(),
        text: text.to_owned(),
        role,
    }
}

/// Builds the method that begins with `header` in the text and ends with the next closing brace on a line of its own.
pub fn method(file: &MinedFile, class: &str, header: &str, name: &str) -> Method {
    let text = &file.text;
    let start = text.find(header).expect("the header is in the text");
    let end = start + text[start..].find("\n    }").expect("the method ends") + "\n    }".len();
    let brace = start + text[start..].find('{').expect("the method has a body");
    let name_at = start
        + text[start..]
            .find(&format!("{name}("))
            .expect("the name follows");
    let line = |at: usize| text[..at].matches('\n').count() as u32 + 1;
    let arguments = &text[name_at + name.len() + 1..];
    let arguments = &arguments[..arguments.find(')').expect("the list ends")];
    Method {
        class: class.to_owned(),
        n_package: class.rfind('.').map_or(0, |n| n as u32),
        name: name.to_owned(),
        parameters: arguments
            .split(',')
            .filter_map(|part| part.split_whitespace().next())
            .map(str::to_owned)
            .collect(),
        ordinal: 1,
        kind: MethodKind::of_name(name),
        signature: format!("public {name}({arguments})"),
        file: file.id,
        span: Span::new(start as u32, end as u32),
        body: Some(Span::new(brace as u32, end as u32)),
        start_line: line(start),
        end_line: line(end),
        name_line: line(name_at),
        visibility: Visibility::Public,
        is_static: false,
        origin: Origin::Source,
        role: file.role,
    }
}

pub fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the part is in the text") as u32;
    Span::new(start, start + part.len() as u32)
}

fn call(text: &str, expression: &str, name: &str, method: MethodId) -> Call {
    let span = span(text, expression);
    Call {
        kind: CallKind::Method,
        name: name.to_owned(),
        span,
        name_span: span,
        at: Position::default(),
        end: Position::default(),
        parent: None,
        statement: None,
        depth: 0,
        n_arguments: 0,
        marks: CallMarks::NONE,
        resolution: Resolution::Declared(method),
    }
}

/// Builds a repository with `n_tests` tests in one file whose weights, tokens, names and statuses sometimes repeat, and
/// whose contents no other repository has.
pub fn many_tests(name: &str, n_tests: u32) -> Contents {
    use std::fmt::Write as _;

    let mut contents = counter_repo(name);
    let mut text = "package p;\n\npublic class ManyTest {\n".to_owned();
    for idx in 0..n_tests {
        write!(
            text,
            "    @Test\n    public void test{}_{idx}() {{\n        run(\"{name} {idx}\");\n    }}\n",
            idx % 7
        )
        .expect("a string takes all");
    }
    text.push_str("}\n");
    contents.files[1] = file(1, "src/test/java/p/ManyTest.java", &text, FileRole::Test);
    contents.methods.truncate(3);
    contents.tests.clear();
    for idx in 0..n_tests {
        let header = format!("@Test\n    public void test{}_{idx}()", idx % 7);
        let test_name = format!("test{}_{idx}", idx % 7);
        contents.methods.push(method(
            &contents.files[1],
            "p.ManyTest",
            &header,
            &test_name,
        ));
        let candidate = (MethodId(idx % 3), f64::from(idx % 5) / 4.0, 0.5);
        let status = Status::ALL[idx as usize % 4];
        let mut decided = decided(&format!("{name} {idx}"), status, &[candidate]);
        decided.n_tokens = idx * 37 % 11;
        let mut test = mined(
            name,
            MethodId(3 + idx),
            &test_name,
            Vec::new(),
            vec![decided],
        );
        test.test_case.fixtures.clear();
        contents.tests.push(test);
    }
    contents
}

/// A prediction for [`put_run`], with its scores.
#[derive(Clone, Debug)]
pub struct GivenPrediction {
    pub key: SampleKey,
    pub attempt: u32,
    pub answer: String,
    pub reading: PredictionReading,
    pub tags: Option<Tags>,
    /// One value for each metric.
    pub values: Vec<f64>,
}

/// Writes a run of Contest's samples as if it had been imported and evaluated, and returns its id.
pub fn put_run(store: &mut Store, name: &str, metrics: &[&str], given: &[GivenPrediction]) -> i64 {
    let monitor = Monitor::default();
    let run = put_unread_run(store, name, given);
    let version = 1;
    let plans = metrics.iter().map(|metric| EvaluationPlan {
        metric: (*metric).to_owned(),
        version,
        options: String::new(),
    });
    let readings = EvaluationPlan::of_readings(version, String::new());
    let tags = EvaluationPlan::of_tags(version, String::new());
    let plans: Vec<EvaluationPlan> = [readings, tags].into_iter().chain(plans).collect();
    let progress = store.begin_evaluations(run, &plans, ContentHash([7; 16]), &monitor);
    let progress = progress.expect("an evaluation begins");
    let readings: Vec<PredictionReading> = given
        .iter()
        .map(|given_prediction| given_prediction.reading.clone())
        .collect();
    let tags: Vec<Option<Tags>> = given
        .iter()
        .map(|given_prediction| given_prediction.tags)
        .collect();
    let evaluations: Vec<i64> = progress[2..]
        .iter()
        .map(|metric_progress| metric_progress.evaluation)
        .collect();
    let scores: Vec<(i64, Vec<Score>)> = (0..)
        .zip(&evaluations)
        .map(|(idx, evaluation): (usize, _)| {
            let scores = given.iter().map(|given_prediction| Score {
                value: given_prediction.values[idx],
                parts: vec![given_prediction.values[idx]; 2],
            });
            (*evaluation, scores.collect())
        })
        .collect();
    let written = WrittenScores {
        first: 0,
        readings: Some((progress[0].evaluation, &readings)),
        tags: Some((progress[1].evaluation, &tags)),
        scores: &scores,
    };
    let written = store.write_scores(run, &written, &monitor);
    written.expect("scores are written");
    store.finish_readings(run).expect("readings are counted");
    let values: Vec<_> = evaluations
        .iter()
        .map(|evaluation| (*evaluation, Some(0.5), Some(0.5)))
        .collect();
    store.finish_evaluations(&values).expect("values are kept");
    run
}

/// Writes a run of Contest's samples as if it had been imported, and returns its id.
pub fn put_unread_run(store: &mut Store, name: &str, given: &[GivenPrediction]) -> i64 {
    let monitor = Monitor::default();
    let setting = RunSetting {
        name: name.to_owned(),
        model: None,
        target: Target::Assertion,
        matcher: Matcher::Contest,
        language: Language::Java,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: "answers.jsonl".to_owned(),
        imported_at: 0,
    };
    let run = store.begin_run(&setting, &monitor);
    let run = run.expect("a run begins");
    let predictions: Vec<Prediction> = (1..)
        .zip(given)
        .map(|(line, given_prediction)| Prediction {
            key: given_prediction.key,
            attempt: given_prediction.attempt,
            content_hash: ContentHash([1; 16]),
            line,
            answer: given_prediction.answer.clone(),
            code: None,
            meta: None,
        })
        .collect();
    let written = store.write_predictions(run, 0, &predictions, &monitor);
    written.expect("predictions are written");
    let counts = RunCounts {
        n_predictions: given.len() as u32,
        n_samples: given
            .iter()
            .filter(|given_prediction| given_prediction.attempt == 0)
            .count() as u32,
    };
    let published = store.publish_run(run, counts, &[], &monitor);
    published.expect("the run is published");
    run
}

/// Builds a mutant on this line; every byte of its id is the line number.
#[must_use]
pub fn mutant(line: u8) -> Mutant {
    Mutant {
        id: ContentHash([line; 16]),
        language: Language::Java,
        file: "src/Counter.java".to_owned(),
        line: u32::from(line),
        mutator: "AOR".to_owned(),
        description: "`+` becomes `-`".to_owned(),
        place: MutantPlace::Text {
            start: 0,
            end: 1,
            replacement: "-".to_owned(),
        },
    }
}

/// Adds a run of one correct test with its outcomes on the mutants 1, 2, 3 and so on, and returns the run's id.
pub fn put_held(store: &mut Store, name: &str, key: SampleKey, outcomes: &[FaultOutcome]) -> i64 {
    let given = GivenPrediction {
        key,
        attempt: 0,
        answer: "x".to_owned(),
        reading: PredictionReading::default(),
        tags: None,
        values: Vec::new(),
    };
    let run = put_unread_run(store, name, &[given]);
    let monitor = Monitor::default();
    let setting = ExecutionSetting {
        engine: "fast".to_owned(),
        version: "1".to_owned(),
        options: String::new(),
        sandbox: "bwrap".to_owned(),
        executed_at: 1,
    };
    store.begin_executions(run, &setting).expect("it begins");
    let written = WrittenExecution {
        ordinal: 0,
        stamp: ContentHash([1; 16]),
        execution: Execution {
            outcome: Some(Outcome::Correct),
            ..Execution::default()
        },
        why: None,
        words: String::new(),
        record: "{}".to_owned(),
        covered: Vec::new(),
        entered: Vec::new(),
    };
    let done = store.write_executions(run, &setting, &[written], &monitor);
    done.expect("it is written");
    let mutants: Vec<Mutant> = (1..).take(outcomes.len()).map(mutant).collect();
    let pairs = mutants.iter().zip(outcomes);
    let pairs = pairs.map(|(mutant, outcome)| FaultPair {
        mutant,
        outcome: *outcome,
        by: None,
        ms: None,
    });
    let faults = WrittenFaults {
        ordinal: 0,
        stamp: ContentHash([1; 16]),
        is_whole: true,
        pairs: Some(pairs.collect()),
    };
    let done = store.write_faults((run, "fast"), &[faults], &monitor);
    done.expect("they are written");
    run
}

//! Rows and samples made by hand, for tests that need no index.

use std::sync::Arc;

use crate::browse::Catalogue;
use crate::chart::{self, Axis, Figure, Series, SeriesShape};
use crate::config::SavedFilters;
use crate::files::Listing;
use crate::mine::why::{EvidenceAccount, MatchExplanation};
use crate::model::{
    self, BuildTool, CandidateRow, ContentHash, DeclaredMethod, EventKind, Evidence, Evidences,
    Flag, Flags, Funnel, JudgedSample, Judgement, Language, Mark, MarkKind, Matcher, PastEvent,
    Problem, Reason, Repo, RepoRow, SampleDetail, SampleKey, SampleRow, Snapshot, SnapshotMethod,
    Snippet, Span, Split, Stage, Status,
};
use crate::plot::PlotKind;
use crate::question::shared::{
    ChartQuestion, ExplainedSample, FileCompletionQuestion, ReposQuestion, ReviewItem,
    ReviewItemQuestion, RunsQuestion, SampleCountQuestion, SampleDetailQuestion,
    SampleNameQuestion, SavedFiltersQuestion,
};
use crate::question::{AnyAnswer, AnyQuestion, Question, QuestionFailure};
use crate::review::{
    Acceptance, AuditReport, Band, Queue, QueueKind, QueueOptions, SampleRemarks, Share, Stratum,
};
use crate::screen::annotate::questions::{
    AcceptanceQuestion, AnnotatorHistoryQuestion, AuditReportQuestion, DeclaredMethodsQuestion,
    LoadedQueue, MethodSourceQuestion, PastRow, QueueQuestion, WeightBandsQuestion,
};
use crate::screen::clover::fixture as clover;
use crate::screen::consistency::fixture as consistency;
use crate::screen::disagree::fixture as disagree;
use crate::screen::faults::fixture as faults;
use crate::screen::home::questions::FunnelQuestion;
use crate::screen::jobs::fixture as jobs;
use crate::screen::repos::questions::{MiningProblemsQuestion, RepoDetail, RepoDetailQuestion};
use crate::screen::runs::fixture::{run_problems, runs};
use crate::screen::runs::questions::{
    Executions, ExecutionsQuestion, Languages, RunLanguagesQuestion, RunProblemsQuestion,
};
use crate::screen::samples::questions::{SamplePageQuestion, SampleSignsQuestion};
use crate::widget::list::fake;

/// Makes the row with this number; one in four is a tie.
pub fn row(id: u32) -> SampleRow {
    let is_tie = id % 4 == 3;
    let mut key = [0; 16];
    key[..4].copy_from_slice(&id.to_be_bytes());
    SampleRow {
        id: i64::from(id),
        key: SampleKey(key),
        repo: if id.is_multiple_of(2) {
            "counters"
        } else {
            "textutil"
        }
        .to_owned(),
        test_class: "VerifierTest".to_owned(),
        test_name: format!("rejectsExpiredToken{id}"),
        focal: (!is_tie).then(|| "Verifier.verify".to_owned()),
        status: if is_tie { Status::Tie } else { Status::Ok },
        stage: (!is_tie).then_some(Stage::TestName),
        weight: (!is_tie).then_some(0.25 + f64::from(id % 4) * 0.25),
        flags: Flags::default(),
        is_duplicate: id % 7 == 6,
    }
}

const TEST: &str = "    @Test
    public void rejectsExpiredToken() throws Exception {
        Clock clock = Clock.fixed(T0, UTC);
        TokenStore store = new MemoryStore();
        Token t = issuer(clock).issue(\"ada\", ofMinutes(5), \"a text that is long enough to wrap even here\");
\tstore.put(t); // \u{202e}tab and bidi
        Verdict v = new Verifier(store, clock).verify(t.id());
        assertFalse(v.accepted());
        assertEquals(Reason.EXPIRED, v.reason());
        assertEquals(0, store.size());
    }
";

const FOCAL: &str = "    public Verdict verify(String id) {
        Token t = store.get(id);
        if (t == null) return Verdict.unknown(id);
        if (t.expiresAt().isBefore(clock.instant())) {
            store.remove(id);
            return Verdict.rejected(Reason.EXPIRED);
        }
        return Verdict.accepted(t.subject());
    }
";

const SETUP: &str = "    @Before\n    public void init() {\n        MDC.clear();\n    }\n";
const ISSUER: &str =
    "    private static Issuer issuer(Clock c) {\n        return new Issuer(KEY, c);\n    }\n";
const REMOVE: &str =
    "    boolean remove(String id) {\n        return tokens.remove(id) != null;\n    }\n";

fn snippet(key: &str, path: &str, first_line: u32, text: &str) -> Snippet {
    Snippet {
        key: key.to_owned(),
        package: None,
        path: path.to_owned(),
        first_line,
        name_line: first_line + 1,
        text: text.to_owned(),
        marks: Vec::new(),
    }
}

fn mark(text: &str, from: &str, to: &str, kind: MarkKind) -> Mark {
    let start = text.find(from).expect("the fixture holds it");
    let end = start + text[start..].find(to).expect("the fixture holds it") + to.len();
    Mark {
        start: start as u32,
        end: end as u32,
        kind,
    }
}

/// Finds the calls of a method with this key in the test: `Verifier#verify(java.lang.String)`.
fn calls(key: &str) -> Vec<Span> {
    let name = key.split(['#', '(']).nth(1).unwrap_or_default();
    let call = format!(".{name}(");
    let found = TEST.match_indices(&call);
    let found = found.map(|(at, text)| Span::new(at as u32 + 1, (at + text.len()) as u32));
    found.collect()
}

/// Makes a repository with every fact known.
pub fn repo(name: &str) -> Repo {
    Repo {
        name: name.to_owned(),
        identity: format!("example.org/{name}"),
        url: Some(format!("https://example.org/{name}.git")),
        commit: Some("3f2c1d0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e".to_owned()),
        dirty: Some(false),
        license: Some("MIT".to_owned()),
        language: Language::Java,
        build_tool: Some(BuildTool::Maven),
        stars: None,
        is_fork: None,
        host_id: None,
        runners: Vec::new(),
    }
}

/// Makes the sample of a row.
pub fn detail(row: SampleRow) -> SampleDetail {
    let is_mapped = row.status.is_mapped();
    let mut test = snippet(
        "kit.VerifierTest#rejectsExpiredToken()",
        "src/test/java/kit/VerifierTest.java",
        41,
        TEST,
    );
    if is_mapped {
        test.marks = vec![
            mark(TEST, "Clock clock", ".verify(t.id());", MarkKind::Setup),
            mark(TEST, "new Verifier", ".verify(t.id())", MarkKind::FocalCall),
            mark(
                TEST,
                "assertFalse",
                "assertEquals(0, store.size());",
                MarkKind::Assertion,
            ),
            mark(
                TEST,
                "assertFalse",
                "(v.accepted())",
                MarkKind::AssertionCall,
            ),
            mark(
                TEST,
                "assertEquals(R",
                "v.reason())",
                MarkKind::AssertionCall,
            ),
            mark(TEST, "assertEquals(0", "size())", MarkKind::AssertionCall),
        ];
    }
    let focal = snippet(
        "kit.Verifier#verify(java.lang.String)",
        "src/main/java/kit/Verifier.java",
        87,
        FOCAL,
    );
    let candidate = |key: &str, score: f64, n_calls| CandidateRow {
        name: key.to_owned(),
        key: format!("kit.{key}"),
        path: "src/main/java/kit/Verifier.java".to_owned(),
        line: 88,
        score,
        class_score: score / 2.0,
        weight: score,
        evidence: Evidences::default(),
        n_calls,
        calls: calls(key),
        is_picked: is_mapped && key.starts_with("Verifier"),
        source: None,
    };
    let mut flags = Flags::default();
    flags.set(Flag::SeveralFocalCalls, is_mapped);
    SampleDetail {
        repo: repo(&row.repo),
        row: SampleRow { flags, ..row },
        root: Some("repositories/kit".into()),
        framework: "junit4".to_owned(),
        kind: "Test".to_owned(),
        matcher: Matcher::Contest,
        split_random: Some(Split::Train),
        split_project: Some(Split::Test),
        duplicate_of: None,
        n_tokens: 312,
        stability: None,
        content_hash: ContentHash([7; 16]),
        test,
        focal: is_mapped.then_some(focal),
        implementation: None,
        helpers: Vec::new(),
        fixtures: vec![snippet(
            "kit.VerifierTest#init()",
            "src/test/java/kit/VerifierTest.java",
            19,
            SETUP,
        )],
        setup_context: vec![snippet(
            "kit.VerifierTest#issuer(java.time.Clock)",
            "src/test/java/kit/VerifierTest.java",
            24,
            ISSUER,
        )],
        focal_context: vec![snippet(
            "kit.TokenStore#remove(java.lang.String)",
            "src/main/java/kit/Verifier.java",
            120,
            REMOVE,
        )],
        candidates: vec![
            candidate("Verifier#verify(java.lang.String)", 0.5, 2),
            candidate("TokenStore#size()", 0.33, 1),
            candidate("Issuer#issue(java.lang.String,java.time.Duration)", 0.0, 1),
        ],
    }
}

/// Makes a sample of matcher `evidence`, with weights of its own: the fitted ones may change.
fn weighed(row: SampleRow) -> ExplainedSample {
    let mut detail = detail(row);
    let accounts = [
        vec![
            (Evidence::NameCovered, 1.9),
            (Evidence::ClassUnderTest, 1.4),
            (Evidence::InAssertion, -0.3),
            (Evidence::LastBefore, 0.8),
            (Evidence::OnlyOfClass, 0.9),
            (Evidence::SamePackage, 0.0),
        ],
        vec![
            (Evidence::InAssertion, -0.3),
            (Evidence::GetterName, -1.1),
            (Evidence::ObjectMethod, -0.4),
        ],
        // More than a small screen holds.
        vec![
            (Evidence::ByHelper, -0.90),
            (Evidence::AtRunTime, -0.80),
            (Evidence::InFixture, -0.70),
            (Evidence::NameCovered, -0.60),
            (Evidence::NameHalf, -0.50),
            (Evidence::NameFirst, -0.40),
            (Evidence::NameLonger, -0.30),
            (Evidence::ClassInName, -0.20),
            (Evidence::ConstructorNamed, -0.10),
            (Evidence::ClassNamed, 0.00),
            (Evidence::ClassNested, 0.10),
            (Evidence::InAssertion, 0.20),
            (Evidence::Thrower, 0.30),
            (Evidence::LastCall, 0.40),
            (Evidence::Discarded, 0.50),
            (Evidence::Repeated, 0.60),
            (Evidence::GetterName, 0.70),
            (Evidence::Maker, 0.80),
        ],
    ];
    let accounts = accounts.map(|reasons| EvidenceAccount::new(-2.2, reasons));
    detail.matcher = Matcher::Evidence;
    for (candidate, account) in detail.candidates.iter_mut().zip(&accounts) {
        candidate.weight = account.probability();
        for (kind, _) in &account.reasons {
            candidate.evidence.set(*kind, true);
        }
    }
    // A candidate that was mined with other weights.
    detail.candidates[1].weight = 0.25;
    let picked = detail.focal.as_ref().map(|_| detail.candidates[0].weight);
    detail.row.weight = picked;
    detail.row.stage = picked.map(|_| Stage::Evidence);
    if picked.is_none() {
        detail.row.status = Status::Abstained;
    }
    ExplainedSample {
        detail,
        explanations: accounts.map(MatchExplanation::Evidence).to_vec(),
        remarks: SampleRemarks::default(),
    }
}

/// The answer to a question.
pub type AnswerResult = Result<AnyAnswer, QuestionFailure>;

/// Answers questions of one type.
pub fn given<Q: Question>(
    asked: &dyn AnyQuestion,
    answer: impl FnOnce(&Q) -> Q::Answer,
) -> Option<AnswerResult> {
    let question = asked.of::<Q>()?;
    Some(Ok(Box::new(answer(question))))
}

/// Answers like [`answer`], with samples that matcher `evidence` decided.
pub fn answer_weighed(asked: &dyn AnyQuestion) -> AnswerResult {
    let weighed = |detail_question: &SampleDetailQuestion| {
        Some(Box::new(weighed(row(id_of(&detail_question.0)))))
    };
    given(asked, weighed).unwrap_or_else(|| answer(asked))
}

/// The number of rows in the fixture's list.
pub const N_ROWS: usize = 812;

/// Answers as an index with [`N_ROWS`] rows would, for every filter.
pub fn answer(asked: &dyn AnyQuestion) -> AnswerResult {
    let found = answer_of_all(asked)
        .or_else(|| answer_of_samples(asked))
        .or_else(|| answer_of_people(asked))
        .or_else(|| jobs::answer(asked, Vec::new()))
        .or_else(|| consistency::answer(asked))
        .or_else(|| clover::answer(asked))
        .or_else(|| faults::answer(asked))
        .or_else(|| disagree::answer(asked));
    found.unwrap_or_else(|| Err(QuestionFailure::Other("not of this fixture".to_owned())))
}

fn answer_of_all(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, |_: &FunnelQuestion| funnel())
        .or_else(|| given(asked, |_: &ReposQuestion| repos()))
        .or_else(|| given(asked, |_: &RunsQuestion| runs()))
        .or_else(|| {
            given(asked, |_: &MiningProblemsQuestion| {
                vec![("counters".to_owned(), problem())]
            })
        })
        .or_else(|| given(asked, about_repo))
        .or_else(|| {
            given(asked, |problems_question: &RunProblemsQuestion| {
                (problems_question.0, run_problems())
            })
        })
        .or_else(|| given(asked, |_: &ExecutionsQuestion| Executions::new()))
        .or_else(|| given(asked, |_: &RunLanguagesQuestion| Languages::new()))
        .or_else(|| {
            given(asked, |completion_question: &FileCompletionQuestion| {
                listing(&completion_question.0)
            })
        })
        .or_else(|| {
            let saved = "hard = 'status:tie weight<0.5'\nweak = 'bleu<0.2'\n";
            given(asked, |_: &SavedFiltersQuestion| {
                SavedFilters::of("filters.toml", saved)
            })
        })
        .or_else(|| {
            given(asked, |chart_question: &ChartQuestion| {
                (chart_question.0, Box::new(figure(chart_question.0)))
            })
        })
}

fn answer_of_samples(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, |_: &SampleCountQuestion| N_ROWS as u64)
        .or_else(|| {
            given(asked, |page_question: &SamplePageQuestion| {
                fake::page(N_ROWS, &page_question.from, page_question.limit)
            })
        })
        .or_else(|| {
            given(asked, |detail_question: &SampleDetailQuestion| {
                Some(Box::new(ExplainedSample::of(detail(row(id_of(
                    &detail_question.0,
                ))))))
            })
        })
        .or_else(|| {
            given(asked, |name_question: &SampleNameQuestion| {
                named(&name_question.0)
            })
        })
        .or_else(|| {
            given(asked, |asked: &SampleSignsQuestion| {
                (asked.0.clone(), Vec::new())
            })
        })
}

/// Answers with a queue whose samples usually have nine candidates.
pub fn queue_of_many(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, |queue_question: &QueueQuestion| {
        Some(found_queue(&queue_question.0, 9))
    })
}

fn found_queue(options: &QueueOptions, n_candidates_usual: usize) -> LoadedQueue {
    LoadedQueue {
        queue: queue(options),
        versions: (1, 1),
        seats: Vec::new(),
        n_candidates_usual,
    }
}

fn answer_of_people(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, |queue_question: &QueueQuestion| {
        Some(found_queue(&queue_question.0, 3))
    })
    .or_else(|| {
        given(asked, |item_question: &ReviewItemQuestion| {
            (item_question.key, Some(Box::new(item(&item_question.key))))
        })
    })
    .or_else(|| {
        given(asked, |history_question: &AnnotatorHistoryQuestion| {
            past(&history_question.0)
        })
    })
    .or_else(|| given(asked, |_: &WeightBandsQuestion| bands()))
    .or_else(|| {
        given(asked, |acceptance_question: &AcceptanceQuestion| {
            acceptance(acceptance_question.audit.name())
        })
    })
    .or_else(|| {
        given(asked, |report_question: &AuditReportQuestion| {
            Some(audit_report(&report_question.audit.name()))
        })
    })
    .or_else(|| {
        given(asked, |methods_question: &DeclaredMethodsQuestion| {
            (methods_question.0, Arc::new(Catalogue::new(declared())))
        })
    })
    .or_else(|| {
        given(asked, |source_question: &MethodSourceQuestion| {
            let source = snippet(
                &source_question.1,
                "src/main/java/kit/Verifier.java",
                87,
                FOCAL,
            );
            (source_question.1.clone(), Some(source))
        })
    })
}

fn listing(typed: &str) -> Listing {
    Listing {
        typed: typed.to_owned(),
        names: ["runs/carbon.jsonl", "runs/caesium.jsonl"]
            .iter()
            .filter(|text| text.starts_with(typed))
            .map(|text| (*text).to_owned())
            .collect(),
        is_file: typed.ends_with('l'),
        is_folder: !typed.ends_with('l'),
    }
}

fn queue(options: &QueueOptions) -> Queue {
    Queue {
        name: options.name(),
        // The audit of the tests is done.
        open: match options.kind {
            QueueKind::Audit => Vec::new(),
            _ => (0..N_ROWS as u32).map(|id| row(id).key).collect(),
        },
        n_mine: 12,
        ..Queue::default()
    }
}

fn acceptance(audit: String) -> Acceptance {
    Acceptance {
        audit,
        n_drawn: 59,
        open: Vec::new(),
        n: 59,
        n_errors: 0,
        error_max: 0.0495,
        confidence: 0.95,
        is_representative: true,
        n_rest: 3_412,
    }
}

fn named(typed: &str) -> Vec<SampleRow> {
    let rows = (0..N_ROWS as u32).map(row);
    let held = |sample_row: &SampleRow| {
        let name = sample_row.test_name.to_lowercase();
        typed
            .to_lowercase()
            .split_whitespace()
            .all(|word| name.contains(word))
    };
    rows.filter(held).take(50).collect()
}

fn figure(kind: PlotKind) -> Figure {
    let names = ["carbon", "carbon-ft", "zero-shot"].map(str::to_owned);
    let points = vec![(0.0, 0.3442), (1.0, 0.4187), (2.0, 0.193)];
    let path = chart::Path::Marked;
    Figure {
        title: format!("the chart of {}", kind.as_str()),
        x: Axis::categories("run", names.into()),
        y: Axis::ratio("BLEU"),
        series: vec![Series::new(
            "all answers",
            SeriesShape::Line { points, path },
        )],
        ..Figure::default()
    }
}

fn audit_report(audit: &str) -> AuditReport {
    let share = |k, n| Share { k, n };
    let stratum = |name: &str, n_drawn, precision, coverage| Stratum {
        name: name.to_owned(),
        n_drawn,
        n_judged: n_drawn - 1,
        precision,
        coverage,
    };
    AuditReport {
        audit: audit.to_owned(),
        all: stratum("", 100, share(85, 90), share(85, 97)),
        strata: vec![
            stratum("counters", 60, share(54, 55), share(54, 58)),
            stratum("text\u{7}util", 40, share(31, 35), share(31, 39)),
            stratum("unmapped", 1, share(0, 0), share(0, 0)),
        ],
        open: Vec::new(),
    }
}

fn declared() -> Vec<DeclaredMethod> {
    let method = |name: &str, name_line| DeclaredMethod {
        key: format!("kit.{name}"),
        path: "src/main/java/kit/Verifier.java".into(),
        name_line,
        is_main: true,
    };
    vec![
        method("TokenStore#size()", 31),
        method("Verifier#verify(java.lang.String)", 88),
        method("Verifier#revert(int,\u{7}int)", 120),
        method("Issuer#issue(java.lang.String,java.time.Duration)", 12),
    ]
}

/// Finds the number of the row with this key.
fn id_of(key: &SampleKey) -> u32 {
    let mut id = [0; 4];
    id.copy_from_slice(&key.0[..4]);
    u32::from_be_bytes(id)
}

/// Makes a sample to be judged; every fifth is marked and has a note.
fn item(key: &SampleKey) -> ReviewItem {
    let has_note = id_of(key) % 5 == 1;
    ReviewItem {
        explained: ExplainedSample::of(weighed(row(id_of(key))).detail),
        mine: None,
        left_out: None,
        note: has_note.then(|| "ask Grace\u{7}".to_owned()),
        is_marked: has_note,
        n_others: 0,
        versions: (1, 1),
        stale: None,
        difference: None,
        snapshot: snapshot(key, TEST),
    }
}

/// Makes a sample with `n_candidates` candidates, `Maker1.make` and so on.
pub fn item_with(key: &SampleKey, n_candidates: usize) -> ReviewItem {
    let mut item = item(key);
    let detail = &mut item.explained.detail;
    let candidate = detail.candidates[0].clone();
    detail.candidates = (1..=n_candidates)
        .map(|number| CandidateRow {
            key: format!("kit.Maker{number}#make()"),
            is_picked: candidate.is_picked && number == 1,
            ..candidate.clone()
        })
        .collect();
    item.explained = ExplainedSample::of(detail.clone());
    item
}

/// Makes a sample with a test of many lines, whose focal call stands far above its first assertion.
pub fn item_long(key: &SampleKey) -> ReviewItem {
    let mut item = item(key);
    let mut text = "    @Test\n    public void adds() {\n".to_owned();
    for number in 0..30 {
        text.push_str(&format!("        Part before{number} = part({number});\n"));
    }
    text.push_str("        int sum = counter.add(1, 2, 3);\n");
    for number in 0..30 {
        text.push_str(&format!("        Part after{number} = part({number});\n"));
    }
    text.push_str("        assertEquals(6, sum);\n    }\n");
    let detail = &mut item.explained.detail;
    detail.test.marks = vec![
        mark(
            &text,
            "Part before0",
            "counter.add(1, 2, 3);",
            MarkKind::Setup,
        ),
        mark(&text, "counter.add", "2, 3)", MarkKind::FocalCall),
        mark(&text, "Part after0", "sum);", MarkKind::Assertion),
        mark(&text, "assertEquals", "sum)", MarkKind::AssertionCall),
    ];
    detail.test.text = text;
    for candidate in &mut detail.candidates {
        candidate.calls.clear();
    }
    item.explained = ExplainedSample::of(detail.clone());
    item
}

/// Makes the same with fewer candidates than usual, an assertion in its set-up, and lines that wrap.
pub fn item_asserting(key: &SampleKey) -> ReviewItem {
    let mut item = item_long(key);
    let detail = &mut item.explained.detail;
    detail.candidates.truncate(1);
    let words = "\"as long as a line can be that one writes in a test, and longer than that\"";
    let text = &mut detail.test.text;
    *text = text.replace("Part before1 = part(1);", "assertNull(counter.last());");
    *text = text.replace("(1, 2, 3);", &format!("(1, {words}, {words}, 2, 3);"));
    *text = text.replace(
        "part(0);\n        Part after1",
        &format!("part({words}, {words});\n        Part after1"),
    );
    let text = detail.test.text.clone();
    detail.test.marks = vec![
        mark(&text, "Part before0", "2, 3);", MarkKind::Setup),
        mark(&text, "assertNull", "last())", MarkKind::AssertionCall),
        mark(&text, "counter.add", "2, 3)", MarkKind::FocalCall),
        mark(&text, "Part after0", "sum);", MarkKind::Assertion),
        mark(&text, "assertEquals", "sum)", MarkKind::AssertionCall),
    ];
    item.explained = ExplainedSample::of(detail.clone());
    item
}

/// Makes a sample on which the matcher abstained.
pub fn item_abstained(key: &SampleKey) -> ReviewItem {
    let mut item = item(key);
    let detail = &mut item.explained.detail;
    detail.focal = None;
    detail.row.status = Status::Abstained;
    (detail.row.stage, detail.row.weight) = (None, None);
    for candidate in &mut detail.candidates {
        candidate.is_picked = false;
    }
    item.explained = ExplainedSample::of(detail.clone());
    item
}

fn snapshot(key: &SampleKey, test: &str) -> Snapshot {
    let method = |key: &str, text: &str| SnapshotMethod {
        key: key.to_owned(),
        path: "src/kit.java".to_owned(),
        text: text.to_owned(),
    };
    Snapshot {
        key: *key,
        content_hash: ContentHash([0; 16]),
        test: method("kit.VerifierTest#rejectsExpiredToken()", test),
        focal: Some(method("kit.Verifier#verify(java.lang.String)", FOCAL)),
    }
}

fn past(annotator: &str) -> Vec<PastRow> {
    let focal = "kit.Verifier#verify(java.lang.String)";
    let said = |id: u32, judgement: Judgement, dwell_ms: u32| {
        EventKind::Judged(JudgedSample {
            key: row(id).key,
            content_hash: ContentHash([0; 16]),
            focal: Some(focal.to_owned()),
            judgement,
            dwell_ms: Some(dwell_ms),
            guideline: None,
            note: None,
            queue: None,
            bulk: None,
        })
    };
    let kinds = [
        (Some(700), said(700, Judgement::Accept, 1_840), false),
        (Some(701), said(701, Judgement::NoFocal, 12_400), false),
        (
            Some(702),
            said(
                702,
                Judgement::Pick("kit.TokenStore#size()".to_owned()),
                6_200,
            ),
            true,
        ),
        (Some(703), EventKind::Marked { key: row(703).key }, false),
        (
            None,
            EventKind::Noted {
                key: row(704).key,
                note: "no\u{1b}where".to_owned(),
            },
            false,
        ),
    ];
    let rows = kinds.into_iter().zip(0..);
    rows.map(|((id, kind, is_undone), nth)| PastRow {
        past: PastEvent {
            event: model::Event::new(annotator, 1_777_883_000_000 - nth * 10_000, kind),
            is_undone,
        },
        test: id.map(|id| format!("VerifierTest.{}", row(id).test_name)),
    })
    .collect()
}

fn bands() -> Vec<Band> {
    vec![Band {
        from: 0.9,
        to: 0.95,
        accepted: Share { k: 117, n: 125 },
    }]
}

fn problem() -> Problem {
    Problem {
        path: "src/main/java/kit/Latin.java".to_owned(),
        line: None,
        reason: Reason::NotUtf8,
        detail: "byte 17 of line 3".to_owned(),
    }
}

fn funnel() -> Funnel {
    Funnel {
        n_repos: 2,
        n_files: 1_204,
        n_test_classes: 148,
        n_tests: 812,
        n_mapped: 609,
        n_split: 590,
        n_focal_only_in_setup: 402,
        n_unique: 398,
        n_within_size: 391,
        by_status: vec![
            (Status::NoAssertionPart, 19),
            (Status::Below, 0),
            (Status::Tie, 203),
        ],
        by_language: Vec::new(),
        problems: vec![(Reason::NotUtf8, 1)],
    }
}

fn about_repo(asked: &RepoDetailQuestion) -> RepoDetail {
    RepoDetail {
        key: asked.key.clone(),
        root: Some("/home/ada/corpora/counters".into()),
        mined_ago_ms: Some(7_200_000),
        by_status: vec![
            (Status::Ok, 204),
            (Status::Abstained, 81),
            (Status::Tie, 12),
        ],
        tests: (0..4).map(row).collect(),
    }
}

pub fn repos() -> Vec<RepoRow> {
    let row = |name: &str, n_tests: u64| RepoRow {
        repo: repo(name),
        n_files: n_tests * 2,
        n_tests,
        n_mapped: n_tests / 2,
        n_samples: n_tests / 3,
        n_problems: n_tests % 2,
        n_abstained: n_tests / 5,
        n_unparsable: n_tests % 2,
    };
    vec![row("counters", 409), row("textutil", 403)]
}

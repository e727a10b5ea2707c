//! A suite, made by hand.

use std::collections::BTreeMap;

use crate::clover::{
    AnswerLook, FileLook, LineSet, Look, ProblemOutline, ProblemSuite, QuestionKind,
};
use crate::fixture::{AnswerResult, given};
use crate::model::Outcome;
use crate::question::AnyQuestion;
use crate::screen::clover::questions::{
    CloverFileQuestion, CloverLookQuestion, CloverSuiteQuestion,
};

const CORE: &str = "\"\"\"Counts.\"\"\"\n\n\nclass Counter:\n    def __init__(self, value=0):\n        self.value = value\n\n    def up(self, by=1):\n        if by < 0:\n            raise ValueError(by)\n        self.value += by\n        return self.value\n\n    def report(self, rows):\n        lines = []\n        for name, value in rows:\n            if value:\n                lines.append(f\"{name}: {value}\")\n        lines.sort()\n        return \"\\n\".join(lines)\n";
const TEST: &str = "from counts import Counter\n\n\ndef test_report():\n    counter = Counter()\n    assert counter.report([(\"a\", 1)]) == \"a: 1\"\n";

fn suite(asked: &CloverSuiteQuestion) -> ProblemSuite {
    let projects = vec!["click".to_owned(), "counts".to_owned()];
    let at = projects
        .iter()
        .position(|project| Some(project) == asked.0.as_ref());
    let outline = |id: &str, outcome, reason: Option<&str>| ProblemOutline {
        id: id.to_owned(),
        outcome,
        reason: reason.map(str::to_owned),
        is_measured: reason.is_none(),
    };
    ProblemSuite {
        projects,
        at: at.unwrap_or(1),
        problems: vec![
            outline(
                "tests/test_core.py::test_report",
                Some(Outcome::Passing),
                None,
            ),
            outline(
                "tests/test_core.py::TestCounter::test_up",
                Some(Outcome::Failing),
                None,
            ),
            outline(
                "tests/test_core.py::TestMore::test_up",
                None,
                Some("inherited"),
            ),
        ],
    }
}

fn look(asked: &CloverLookQuestion) -> Box<Look> {
    let set = LineSet::of_ranges;
    let has_blocks = asked.task == QuestionKind::Block;
    let file = |path: &str, class: &'static str, n_tokens: usize| FileLook {
        path: path.to_owned(),
        class,
        n_tokens: Some(n_tokens),
        is_in: asked.budget.is_some_and(|budget| n_tokens < budget / 2),
        ..FileLook::default()
    };
    let core = FileLook {
        covered: set("4-6,8,14-20"),
        own: set("15-20"),
        empty: set("4-5,8,14"),
        unstable: set("10"),
        lines_to_cover: if has_blocks { set("15-20") } else { set("") },
        ..file(
            "src/counts/core.py",
            if has_blocks { "needed" } else { "peer" },
            2_150,
        )
    };
    let answer = |outcome, ranges: &str| AnswerLook {
        outcome,
        reason: None,
        n_wanted: 6,
        reached: BTreeMap::from([("src/counts/core.py".to_owned(), set(ranges))]),
    };
    Box::new(Look {
        id: asked.id.clone(),
        outcome: Some(Outcome::Passing),
        reason: None,
        code: TEST.to_owned(),
        question: match asked.task {
            QuestionKind::Cloze => Some("assert counter.report([(\"a\", 1)]) == ____".to_owned()),
            QuestionKind::Target => None,
            QuestionKind::Block => Some("a test that covers src/counts/core.py:15-20".to_owned()),
        },
        n_tokens: Some(4_420),
        limit: asked.budget.map(|budget| budget - 4_000),
        files: vec![
            core,
            FileLook {
                covered: set("1-3"),
                empty: set("1-2"),
                ..file("src/counts/more.py", "rest", 940)
            },
            file(
                "src/counts/an/old/and/long/way/to/nothing.py",
                "repo",
                31_000,
            ),
        ],
        answers: if has_blocks {
            vec![
                answer(Outcome::Passing, "15-16,19-20"),
                answer(Outcome::Correct, "15-20"),
            ]
        } else {
            Vec::new()
        },
    })
}

/// Answers the screen's questions.
pub fn answer(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, suite)
        .or_else(|| given(asked, |look_question| Some(look(look_question))))
        .or_else(|| {
            given(asked, |file_question: &CloverFileQuestion| {
                file_question
                    .path
                    .ends_with("core.py")
                    .then(|| CORE.to_owned())
            })
        })
}

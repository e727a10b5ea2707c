//! Runs made by hand.

use crate::model::{
    BlockedReason, CoverScope, Evaluation, ExecutionFunnel, ExecutionSetting, Extraction,
    FocalShares, Language, LanguageFunnel, Matcher, ParseMode, Problem, Reason, RunKind, RunRow,
    RunSetting, Target,
};
use crate::screen::runs::questions::RunExecution;

fn run(id: i64, name: &str, model: Option<&str>) -> RunRow {
    RunRow {
        id,
        setting: RunSetting {
            name: name.to_owned(),
            model: model.map(str::to_owned),
            target: Target::Assertion,
            matcher: Matcher::DEFAULT,
            language: Language::Java,
            extraction: Extraction::None,
            parse_mode: ParseMode::Strict,
            length_max: None,
            source: format!("predictions/{name}.jsonl"),
            // 2026-05-04 08:30:00 UTC
            imported_at: 1_777_883_400,
        },
        kind: RunKind::Samples,
        n_predictions: 1_000,
        n_samples: 1_000,
        n_problems: 0,
        n_scored: 0,
        n_unparsable: None,
        n_over_length: 0,
        n_changed: 0,
        evaluations: Vec::new(),
    }
}

/// Makes the metrics of the default set; BLEU has `bleu`, the others follow it.
fn evaluations(bleu: f64) -> Vec<Evaluation> {
    let shares = [
        1.0, 1.62, 1.18, 0.92, 0.71, 1.55, 1.2, 1.49, 1.1, 2.1, 1.7, 0.35,
    ];
    let metrics = crate::metric::DEFAULT.iter().zip(shares);
    metrics
        .map(|(metric, share)| Evaluation {
            metric: (*metric).to_owned(),
            version: 1,
            options: String::new(),
            value: Some(bleu * share),
            value_parsable: Some(bleu * share * 1.02),
        })
        .collect()
}

/// Makes typical runs: two that compare, one with an old metric, one stopped halfway, one never evaluated.
pub fn runs() -> Vec<RunRow> {
    let mut zero_shot = RunRow {
        n_scored: 1_000,
        n_unparsable: Some(182),
        n_changed: 2,
        evaluations: evaluations(0.193),
        ..run(3, "zero-shot", Some("Caesium-350M"))
    };
    for evaluation in &mut zero_shot.evaluations {
        if evaluation.metric == "codebleu:k4black" {
            evaluation.version = 0;
            evaluation.value = Some(0.22);
        }
    }
    let mut halfway = RunRow {
        n_predictions: 5_000,
        n_scored: 0,
        evaluations: evaluations(0.3),
        ..run(4, "gnu-test", Some("gpt\u{202e}4"))
    };
    halfway.setting.target = Target::Test;
    halfway.setting.extraction = Extraction::Mera;
    for evaluation in &mut halfway.evaluations {
        evaluation.value = None;
        evaluation.value_parsable = None;
    }
    let mut tuned = RunRow {
        n_scored: 800,
        n_unparsable: Some(10),
        n_over_length: 4,
        evaluations: evaluations(0.4187),
        ..run(2, "carbon-ft", Some("Carbon"))
    };
    tuned.setting.length_max = Some(512);
    vec![
        RunRow {
            n_scored: 1_000,
            n_unparsable: Some(31),
            evaluations: evaluations(0.3442),
            ..run(1, "carbon", Some("Carbon"))
        },
        tuned,
        zero_shot,
        halfway,
        RunRow {
            n_problems: 3,
            ..run(5, "broken", None)
        },
    ]
}

pub fn run_problems() -> Vec<Problem> {
    let problem = |line, detail: &str| Problem {
        path: "predictions/broken.jsonl".to_owned(),
        line: Some(line),
        reason: Reason::BadLine,
        detail: detail.to_owned(),
    };
    vec![
        problem(7, "not json: expected value at column 1"),
        problem(12, "`xyz` is no sample's key"),
        problem(80, "attempt 0 at `00ff` was there\u{7} before"),
    ]
}

/// Makes the languages of the first run: two of three have an engine, and one was not run to its end.
pub fn languages() -> Vec<LanguageFunnel> {
    let of = |language, engine: &str, n_samples, counts: [u64; 3]| {
        let [n_unique, n_correct, n_no_engine] = counts;
        let mut funnel = ExecutionFunnel {
            n_candidates: n_unique + n_no_engine,
            n_unique,
            n_parsable: n_unique,
            n_compilable: n_unique,
            n_executable: n_correct,
            n_correct,
            ..ExecutionFunnel::default()
        };
        funnel.by_blocked[BlockedReason::NoEngine as usize] = n_no_engine;
        LanguageFunnel {
            language: Some(language),
            engine: engine.to_owned(),
            n_samples,
            n_predictions: n_samples,
            funnel,
        }
    };
    vec![
        of(Language::Java, "fast", 600, [600, 121, 0]),
        of(Language::Python, "fork", 360, [300, 37, 0]),
        of(Language::Go, "none", 40, [0, 0, 40]),
    ]
}

/// Makes the execution of the first run in all its languages.
pub fn execution() -> RunExecution {
    let mut funnel = ExecutionFunnel {
        n_candidates: 940,
        n_unique: 900,
        n_parsable: 900,
        n_compilable: 900,
        n_executable: 158,
        n_correct: 158,
        ..ExecutionFunnel::default()
    };
    funnel.by_blocked[BlockedReason::NoEngine as usize] = 40;
    RunExecution {
        setting: ExecutionSetting {
            engine: "fast+fork+none".to_owned(),
            version: "1".to_owned(),
            options: "timeout=10000 repair=none".to_owned(),
            sandbox: "bwrap".to_owned(),
            executed_at: 0,
        },
        funnel,
        correct: Some(0.168),
        covered: [CoverScope::All, CoverScope::Own]
            .map(|cover_scope| (cover_scope, FocalShares::default())),
    }
}

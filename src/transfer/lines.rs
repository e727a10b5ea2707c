//! A stored sample as a line of `--format jsonl` or `--format tests`.

use crate::exchange::{
    WireCandidate, WireContextKey, WireGold, WireMatch, WireMethod, WirePlace, WireRepo,
    WireSample, WireSplit, WireTest, WireTestLine, WireTestPlace,
};
use crate::model::{
    Evidence, Flag, Gold, Judgement, Matcher, Span, Split, Stage, Status, split_types,
};
use crate::store::{StoredMethod, StoredSample};

pub(super) fn sample<'a>(sample: &'a StoredSample, gold: Option<&'a Gold>) -> WireSample<'a> {
    let test = &sample.test;
    let part = |span: Option<Span>| span.map(|span| span.of(&test.text));
    WireSample {
        key: sample.row.key.to_string(),
        language: sample.repo.language.as_str(),
        repo: WireRepo {
            name: &sample.repo.name,
            url: sample.repo.url.as_deref(),
            commit: sample.repo.commit.as_deref(),
            license: sample.repo.license.as_deref(),
        },
        split: split(sample),
        test: WireTest {
            file: &test.path,
            class: &test.class,
            method: &test.name,
            signature: &test.signature,
            framework: sample.framework.as_str(),
            start_line: test.start_line,
            end_line: test.end_line,
            source: test.source(),
        },
        fixtures: methods(&sample.fixtures),
        setup: part(sample.cut.setup),
        assertion: part(sample.cut.assertion),
        focal: sample.focal.as_ref().map(method),
        matched: WireMatch {
            matcher: sample.matcher.as_str(),
            stage: sample.row.stage.map(Stage::as_str),
            weight: sample.row.weight,
            candidates: candidates(sample),
        },
        setup_context: methods(&sample.setup_context),
        focal_context: methods(&sample.focal_context),
        flags: flags(sample),
        verdict: gold.and_then(|gold| {
            let judged = &gold.verdict.judged;
            Some(WireGold {
                right: is_right(sample, gold)?,
                judgement: judged.judgement.as_str(),
                picked: match &judged.judgement {
                    Judgement::Pick(method) => Some(method),
                    _ => None,
                },
                annotators: gold.n_annotators,
                reason: gold.verdict.reason.as_deref(),
                provisional: judged.bulk.map(|bulk| bulk.bound.error_max()),
            })
        }),
    }
}

/// Tells whether people confirm the focal method; nothing when they judged other code.
pub(super) fn is_right(sample: &StoredSample, gold: &Gold) -> Option<bool> {
    let focal = sample.focal.as_ref().map(StoredMethod::key);
    gold.is_right(sample.content_hash, focal.as_deref())
}

pub(super) fn split(sample: &StoredSample) -> WireSplit {
    WireSplit {
        random: sample.split_random.map(Split::as_str),
        project: sample.split_project.map(Split::as_str),
    }
}

fn methods(methods: &[StoredMethod]) -> Vec<WireMethod<'_>> {
    methods.iter().map(method).collect()
}

fn method(method: &StoredMethod) -> WireMethod<'_> {
    WireMethod {
        file: &method.path,
        class: &method.class,
        method: &method.name,
        signature: &method.signature,
        parameters: split_types(&method.parameters).collect(),
        start_line: method.start_line,
        end_line: method.end_line,
        source: method.source(),
    }
}

/// Lists the candidates with the score of the stage that ranked them: the one that decided, and for tests that no stage
/// could map the last one, the class's name.
fn candidates(sample: &StoredSample) -> Vec<WireCandidate<'_>> {
    let by_class = match sample.row.stage {
        Some(stage) => stage == Stage::ClassName,
        None => matches!(sample.row.status, Status::Below | Status::Tie),
    };
    sample
        .candidates
        .iter()
        .map(|candidate| WireCandidate {
            name: &candidate.method.name,
            key: candidate.method.key(),
            score: if sample.matcher == Matcher::Evidence {
                candidate.weight
            } else if by_class {
                candidate.class_score
            } else {
                candidate.score
            },
            evidence: candidate.evidence.iter().map(Evidence::as_str).collect(),
        })
        .collect()
}

pub(super) fn test(sample: &StoredSample) -> WireTestLine<'_> {
    let test = &sample.test;
    let range = |span: Option<Span>| span.map(|span| [span.start, span.end]);
    let keys = |methods: &[StoredMethod]| {
        methods
            .iter()
            .map(|method| WireContextKey { key: method.key() })
            .collect()
    };
    WireTestLine {
        key: sample.row.key.to_string(),
        test: WireTestPlace {
            key: test.key(),
            language: sample.repo.language.as_str(),
            class: &test.class,
            name: &test.name,
            file: &test.path,
            line: test.name_line,
            start_line: test.start_line,
            end_line: test.end_line,
            kind: sample.kind.as_str(),
            framework: sample.framework.as_str(),
        },
        status: sample.row.status.as_str(),
        matcher: sample.matcher.as_str(),
        stage: sample.row.stage.map(Stage::as_str),
        weight: sample.row.weight,
        focal: sample.focal.as_ref().map(|focal| WirePlace {
            key: focal.key(),
            file: &focal.path,
            line: focal.name_line,
        }),
        candidates: candidates(sample),
        setup_range: range(sample.cut.setup),
        assertion_range: range(sample.cut.assertion),
        setup_context: keys(&sample.setup_context),
        focal_context: keys(&sample.focal_context),
        flags: flags(sample),
    }
}

fn flags(sample: &StoredSample) -> Vec<&'static str> {
    sample.row.flags.iter().map(Flag::as_str).collect()
}

//! Completions kept as a run of the index, so that they are listed, opened and compared as answers to samples are.
//!
//! Decides the reference of a completion: the second half of the function itself, also where a variant was completed,
//! as in the report; and that being an outlier, and being taken in the end, are scores of it.

use crate::ConsistencyError;
use crate::completions::{oracle, prompt};
use crate::exchange::usage::asked_meta;
use crate::judged::{ConsistencyJudge, JudgeOptions};
use crate::model::{Language, Prediction, Question, QuestionSetting, RunKind, RunSetting};
use crate::mutate::Pass;
use crate::run::judged;
use crate::store::{AnsweredQuestion, MutationSeed, Store, StoredCompletion, StoredConsistency};
use crate::task::Monitor;

/// The names in Results of two scores: whether a completion is an outlier, and whether repairing takes it.
const OUTLIER: &str = "outlier";
const TAKEN: &str = "taken";

/// The word for the function itself among the passes.
const OWN: &str = "own";

/// Keeps the completions of a run of `consistency` as a run that Results lists, in place of the former one, and returns
/// its name; nothing where other runs have the name, also with the kind behind it, or where it has no completion.
///
/// # Errors
/// Those of the index, and when it was cancelled.
pub fn keep(
    store: &mut Store,
    monitor: &Monitor,
    (run, options): (&str, JudgeOptions),
    (source, now): (&str, i64),
) -> Result<Option<String>, ConsistencyError> {
    let mut answered = Vec::new();
    let mut judge = ConsistencyJudge::without_scores(options);
    store.each_consistency(run, |of| {
        monitor.step()?;
        let judged = judged(&mut judge, &of);
        let is_outlier = judged.outliers_at(options.rule, options.threshold);
        let all = of.completions.iter().map(|completion| {
            let pass = Pass::of(&completion.pass);
            // An empty one takes no part.
            let place = judged.passes.iter().position(|other| *other == pass);
            let told = place.map(|place| (is_outlier[place], judged.repaired == Some(place)));
            of_completion(&of, completion, told)
        });
        answered.extend(all);
        Ok::<_, ConsistencyError>(())
    })?;
    if answered.is_empty() {
        return Ok(None);
    }
    let language = answered
        .first()
        .map(|answered_question: &AnsweredQuestion| answered_question.0.language);
    let language = language.unwrap_or(Language::Python);
    let setting = RunSetting::of_questions(run, language, source, now);
    let kind = RunKind::Consistency;
    let written = store.write_question_run(kind, &setting, &answered, monitor)?;
    Ok(written.map(|written| written.1))
}

/// Makes a question and its answer of a completion; `told` says whether it is an outlier and whether repairing takes
/// it.
fn of_completion(
    of: &StoredConsistency,
    completion: &StoredCompletion,
    told: Option<(bool, bool)>,
) -> AnsweredQuestion {
    let word = |is_so| if is_so { "yes" } else { "no" };
    let scores =
        told.map(|(is_outlier, is_taken)| [(OUTLIER, word(is_outlier)), (TAKEN, word(is_taken))]);
    let scores = scores.as_ref().map_or(&[][..], |score| score.as_slice());
    let question = question(&of.seed, Pass::of(&completion.pass));
    let (answer, code) = match &completion.raw {
        Some(raw) => (raw.clone(), Some(completion.text.clone())),
        None => (completion.text.clone(), None),
    };
    let prediction = Prediction {
        key: question.key,
        attempt: 0,
        content_hash: question.content_hash(),
        // The line that it came from is not stored.
        line: 0,
        answer,
        code,
        meta: Some(asked_meta(RunKind::Consistency, &question.asked, scores)),
    };
    (question, prediction)
}

fn question(seed: &MutationSeed, pass: Option<Pass>) -> Question {
    let asked = QuestionSetting {
        task: pass.map_or(OWN, Pass::as_str).to_owned(),
        ..QuestionSetting::default()
    };
    let id = format!("{}/{}", seed.dataset, seed.name);
    let half = prompt(seed, pass);
    let cut = seed.variants.first().and_then(|variant| variant.cut);
    Question {
        key: Question::key_of(RunKind::Consistency, &id, &asked),
        asked,
        language: seed.language,
        repo: seed.dataset.clone(),
        name: if seed.function.is_empty() {
            seed.name.clone()
        } else {
            seed.function.clone()
        },
        about: seed.name.clone(),
        path: seed.path.clone(),
        line: seed.start_line + cut.map_or(0, |cut| cut.0),
        context: half.unwrap_or_default().to_owned(),
        is_continued: half.is_some(),
        truth: oracle(seed, None).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MutationVariant;

    fn seed() -> MutationSeed {
        MutationSeed {
            name: "3f21".to_owned(),
            language: Language::Python,
            path: "a.py".to_owned(),
            function: "total".to_owned(),
            start_line: 10,
            end_line: 12,
            source: "def total(a):\n    b = a\n    return b\n".to_owned(),
            dataset: "set".to_owned(),
            variants: vec![MutationVariant {
                pass: "REP_R".to_owned(),
                is_strict: true,
                version: 1,
                source: "def total(c):\n    b = c\n    return b\n".to_owned(),
                edits: "[]".to_owned(),
                cut: Some((2, 2)),
                distance: 0.1,
                does_parse: true,
            }],
        }
    }

    #[test]
    fn a_variant_is_continued_and_held_against_the_functions_own_half() {
        let own = question(&seed(), None);
        let variant = question(&seed(), Pass::of("REP_R"));
        assert_eq!(own.asked.label(), "own");
        assert_eq!(variant.asked.label(), "REP_R");
        assert_ne!(own.key, variant.key);
        assert_eq!(variant.context, "def total(c):\n    b = c\n");
        assert_eq!(variant.truth.as_deref(), Some("    return b\n"));
        assert_eq!(variant.truth, own.truth);
        assert_eq!((own.line, own.is_continued), (12, true));
    }

    #[test]
    fn of_what_is_known_by_name_alone_there_is_no_truth() {
        let seed = MutationSeed {
            source: String::new(),
            function: String::new(),
            variants: Vec::new(),
            ..seed()
        };
        let own = question(&seed, None);
        assert_eq!((own.name.as_str(), own.truth), ("3f21", None));
        assert!(!own.is_continued);
    }
}

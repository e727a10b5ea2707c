//! Answers become predictions of a run, in the order of prompts, settings and attempts, whenever they came.
//!
//! An answer's prediction is the one that `import` would take: the code in its fences, else all but its prose; a whole
//! test in Java is cut behind the method, and sequences of trees are decoded. An existing run grows.

use std::borrow::Cow;
use std::sync::Arc;

use crate::GenerateError;
use crate::ask::StoredPrompt;
use crate::encode::Decoder;
use crate::exchange::answers::WirePredictionMeta;
use crate::metric::extract::extract;
use crate::model::{
    ContentHash, Extraction, Language, ParseMode, Prediction, RunKind, RunRow, RunSetting,
    SampleKey, Target,
};
use crate::options::GenerateOptions;
use crate::report::GenerateReport;
use crate::store::{RunCounts, Store, StoredAnswer};
use crate::syntax;
use crate::task::Monitor;

/// Prompts that are looked at together: larger batches take more memory, smaller ones more queries.
const PROMPTS_AT_ONCE: usize = 500;

/// The kind of prompts whose answers are sequences of trees.
const ENCODED: &str = "encoded";

/// The kind of prompts that have a rule of their own for the part of an answer that counts.
const MERA: &str = "mera";

/// Takes predictions, prompt by prompt.
pub struct Taker<'t> {
    store: &'t mut Store,
    options: &'t GenerateOptions,
    parameters: &'t [String],
    report: &'t mut GenerateReport,
    decoder: Decoder,
    /// The run, and whether readers see it already.
    run: Option<(i64, bool)>,
    target: Target,
    n_before: u32,
    n_taken: u32,
    waiting: Vec<Arc<StoredPrompt>>,
}

impl<'t> Taker<'t> {
    pub fn new(
        store: &'t mut Store,
        options: &'t GenerateOptions,
        parameters: &'t [String],
        report: &'t mut GenerateReport,
    ) -> Result<Self, GenerateError> {
        let run = store.run(&options.run)?;
        // A run of answers to questions is replaced: it can be made anew from the stored answers.
        let run = run.filter(|run_row| run_row.kind == RunKind::Samples);
        let n_before = run
            .as_ref()
            .map_or(0, |run_row| run_row.n_predictions as u32);
        if let Some(run) = &run {
            store.trim_run(run.id, n_before)?;
        }
        Ok(Self {
            target: run.as_ref().map_or(Target::default(), target),
            run: run.map(|run_row| (run_row.id, true)),
            store,
            options,
            parameters,
            report,
            decoder: Decoder::new(),
            n_before,
            n_taken: 0,
            waiting: Vec::new(),
        })
    }

    pub fn add(&mut self, prompt: Arc<StoredPrompt>) -> Result<(), GenerateError> {
        self.waiting.push(prompt);
        if self.waiting.len() >= PROMPTS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), GenerateError> {
        let prompts = std::mem::take(&mut self.waiting);
        let keys: Vec<SampleKey> = prompts
            .iter()
            .filter_map(|prompt| prompt.stored.sample)
            .collect();
        let mut facts = self
            .store
            .sample_facts(&keys, self.options.matcher)?
            .into_iter();
        let mut claims = Vec::new();
        let mut predictions = Vec::new();
        for prompt in &prompts {
            let facts = match prompt.stored.sample {
                Some(key) => facts.next().flatten().map(|facts| (key, facts)),
                None => None,
            };
            for parameters in self.parameters {
                let answers = self.store.untaken_answers(
                    self.run.map(|run| run.0),
                    prompt.stored.hash,
                    &self.options.model,
                    parameters,
                )?;
                for answer in answers {
                    claims.push((answer.id, prompt.line));
                    let Some((key, facts)) = &facts else {
                        self.report.n_without_sample += 1;
                        continue;
                    };
                    self.begin(prompt, facts.language)?;
                    let pinned = prompt.read.content.as_deref().and_then(ContentHash::parse);
                    let taken = self.prediction(prompt, parameters, answer, facts.language);
                    let Some((mut prediction, id)) = taken else {
                        continue;
                    };
                    prediction.key = *key;
                    prediction.content_hash = pinned.unwrap_or(facts.content_hash);
                    predictions.push((prediction, id));
                }
            }
        }
        self.store.claim_answers(&self.options.run, &claims)?;
        if let Some((run, _)) = self.run {
            let first = self.n_before + self.n_taken;
            self.store
                .append_predictions(run, first, &mut predictions)?;
            self.n_taken += predictions.len() as u32;
        }
        Ok(())
    }

    /// Makes the run with its first prediction.
    fn begin(&mut self, prompt: &StoredPrompt, language: Language) -> Result<(), GenerateError> {
        if self.run.is_some() {
            return Ok(());
        }
        self.target = match prompt.read.target.as_deref() {
            Some("test") => Target::Test,
            _ => Target::Assertion,
        };
        let setting = RunSetting {
            name: self.options.run.clone(),
            model: Some(self.options.model.clone()),
            target: self.target,
            matcher: self.options.matcher,
            language,
            extraction: rule(&prompt.read.kind),
            parse_mode: ParseMode::Strict,
            length_max: self.options.most_tokens(),
            source: format!("{} · {}", self.options.endpoint.shown(), self.options.path),
            imported_at: self.options.now,
        };
        let id = self.store.begin_run(&setting, &Monitor::default())?;
        self.run = Some((id, false));
        Ok(())
    }

    fn prediction(
        &mut self,
        prompt: &StoredPrompt,
        parameters: &str,
        answer: StoredAnswer,
        language: Language,
    ) -> Option<(Prediction, i64)> {
        let text = answer.text?;
        let code = self.code(&prompt.read.kind, language, &text);
        let code = code.filter(|code| *code != text);
        let finish_reason = answer.finish_reason.as_deref();
        let meta = WirePredictionMeta::new(&prompt.read, parameters, answer.attempt, finish_reason);
        let prediction = Prediction {
            key: SampleKey([0; 16]),
            attempt: answer.attempt,
            content_hash: ContentHash([0; 16]),
            line: prompt.line,
            code,
            answer: text,
            meta: Some(meta.to_json()),
        };
        Some((prediction, answer.id))
    }

    fn code(&mut self, kind: &str, language: Language, text: &str) -> Option<String> {
        if kind == ENCODED {
            let tokens: Vec<&str> = text.split_whitespace().collect();
            let code = self.decoder.decode(tokens).ok()?;
            return Some(code.0.to_owned());
        }
        let rule = rule(kind);
        let code = extract(rule, language, text).code;
        let is_test = rule == Extraction::Lenient
            && self.target == Target::Test
            && language == Language::Java;
        Some(match code {
            Cow::Borrowed(code) if is_test => method(code).to_owned(),
            Cow::Owned(code) if is_test => method(&code).to_owned(),
            code => code.into_owned(),
        })
    }

    /// Stores the last predictions and lets readers see them all.
    pub fn finish(mut self) -> Result<(), GenerateError> {
        self.flush()?;
        let n_predictions = self.n_before + self.n_taken;
        self.report.n_new_predictions = u64::from(self.n_taken);
        self.report.n_predictions = u64::from(n_predictions);
        let Some((run, is_public)) = self.run else {
            return Ok(());
        };
        if !is_public {
            let counts = RunCounts::default();
            self.store
                .publish_run(run, counts, &[], &Monitor::default())?;
        }
        if self.n_taken > 0 {
            self.store.publish_appended(run, n_predictions)?;
        }
        Ok(())
    }
}

/// Chooses how code is found in answers to prompts of a kind.
fn rule(kind: &str) -> Extraction {
    if kind == MERA {
        Extraction::Mera
    } else {
        Extraction::Lenient
    }
}

fn target(run: &RunRow) -> Target {
    run.setting.target
}

/// Returns the method at the beginning of a text, which ends at the brace that closes its first one. Braces in an
/// annotation's brackets do not count; a text that breaks off stays whole.
fn method(text: &str) -> &str {
    let (mut n_round, mut n_curly) = (0_usize, 0_usize);
    for token in syntax::tokens(Language::Java, text) {
        match (token.of(text), n_curly) {
            ("(", 0) => n_round += 1,
            (")", 0) => n_round = n_round.saturating_sub(1),
            ("{", _) if n_round == 0 => n_curly += 1,
            ("}", 1) => return &text[..token.end as usize],
            ("}", 2..) => n_curly -= 1,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::method;

    #[test]
    fn what_follows_a_method_is_not_of_it() {
        let check = |text: &str, expected: &str| assert_eq!(method(text), expected);
        check(
            "@Test void a() { if (x) { y(\"}\"); } }\n\n@Test void b() {}\n}",
            "@Test void a() { if (x) { y(\"}\"); } }",
        );
        check(
            "@Source({\"a\"}) void a() {} // end",
            "@Source({\"a\"}) void a() {}",
        );
        check("void a() { b();", "void a() { b();");
        check("", "");
    }
}

//! Pairs for training: what a model is asked about a sample, and the right answer.
//!
//! Decides how the two stand together and what a token budget leaves out. The questions are prompts of `prompts`, so a
//! model is asked later in the words that it was trained on; the export chooses the samples. Equal prompts stay apart:
//! their answers differ.

use std::io::Write;

use crate::encode;
use crate::exchange::training_pairs::{WireChat, WirePair};
use crate::exchange::{WireMessage, write_line};
use crate::layout::{declaration, moved};
use crate::model::{Split, Target};
use crate::store::{Store, StoredSample};
use crate::syntax::dialect;
use crate::task::Monitor;
use crate::transfer::{ExportOptions, LeftOutCounts, each_exported};
use crate::{CUT, Maker, PromptError, PromptLimit, PromptOptions, Tests, Text, template};

/// How a pair is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairForm {
    /// `prompt` and `completion`, with where they come from.
    Pairs,
    /// `messages` alone, as trainers of conversations take them.
    Chat,
}

pub struct PairOptions {
    pub form: PairForm,
    /// The kind of question, [`crate::PromptKind::Assertion`] or [`crate::PromptKind::Test`], its words, its contexts, and the most
    /// tokens of prompt and answer together. Its filter chooses nothing.
    pub prompts: PromptOptions,
    pub samples: ExportOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairReport {
    pub n_written: u64,
    pub n_tokens: u64,
    /// Pairs that lost some context.
    pub n_truncated: u64,
    /// Samples that exceed the budget without any context; none is cut.
    pub n_long: u64,
    /// Samples that have no such part, or that no prompt can be made of.
    pub n_without: u64,
    /// Left out by their licence.
    pub n_unlicensed: u64,
    pub left_out: LeftOutCounts,
}

/// Writes a pair for each sample. The same index gives the same bytes, and line n is the same pair in every form.
///
/// # Errors
/// The database's, the disk's, and cancelling.
pub fn pairs(
    store: &Store,
    monitor: &Monitor,
    options: &PairOptions,
    out: &mut dyn Write,
) -> Result<PairReport, PromptError> {
    let prompts = &options.prompts;
    let mut maker = Maker {
        options: prompts,
        template: template(prompts)?,
        encoder: encode::Encoder::new(),
        tests: Tests::new(store, prompts)?,
    };
    let mut report = PairReport::default();
    let exported = each_exported(store, monitor, &options.samples, |sample| {
        let Some(pair) = pair(&mut maker, options, sample, &mut report)? else {
            return Ok::<_, PromptError>(false);
        };
        report.n_tokens += pair.n_tokens as u64;
        report.n_truncated += u64::from(!pair.asked.truncated.is_empty());
        write(options, sample, &pair, out)?;
        Ok(true)
    })?;
    out.flush()?;
    report.n_written = exported.n_written;
    report.n_unlicensed = exported.n_unlicensed;
    report.left_out = exported.left_out;
    Ok(report)
}

/// A prompt with its answer.
struct PromptPair {
    asked: Text,
    answer: String,
    n_tokens: usize,
}

/// Makes the pair of a sample; nothing, and a count, where there is none.
fn pair(
    maker: &mut Maker<'_>,
    options: &PairOptions,
    sample: &StoredSample,
    report: &mut PairReport,
) -> Result<Option<PromptPair>, PromptError> {
    let answer = match answer(options.prompts.kind.target(), sample) {
        Some(answer) if sample.focal.is_some() => answer,
        Some(_) | None => {
            report.n_without += 1;
            return Ok(None);
        }
    };
    let count = |text: &str| options.prompts.counter.count(text);
    let n_rest = count(&answer) + options.prompts.system.as_deref().map_or(0, count);
    let limit = PromptLimit {
        budget: options
            .prompts
            .budget
            .map_or(usize::MAX, |most| most.saturating_sub(n_rest)),
        counter: &options.prompts.counter,
    };
    let Ok(asked) = maker.text_within(sample, &limit)? else {
        report.n_without += 1;
        return Ok(None);
    };
    if asked.truncated.last() == Some(&CUT) {
        report.n_long += 1;
        return Ok(None);
    }
    Ok(Some(PromptPair {
        n_tokens: count(&asked.text) + n_rest,
        asked,
        answer,
    }))
}

/// Writes the right answer as the prompt asks for it; nothing where the sample has no such part.
fn answer(target: Target, sample: &StoredSample) -> Option<String> {
    match target {
        // The prompt ends where the test begins.
        Target::Test => Some(declaration(&sample.test) + "\n"),
        // The prompt asks for one code block.
        Target::Assertion => {
            let span = sample.cut.assertion?;
            let text = &*sample.test.text;
            let code = moved((text, span), span.of(text), "");
            let fence = dialect(sample.repo.language).mera_fence;
            Some(format!("```{fence}\n{code}\n```"))
        }
    }
}

fn write(
    options: &PairOptions,
    sample: &StoredSample,
    pair: &PromptPair,
    out: &mut dyn Write,
) -> Result<(), PromptError> {
    let message = |role, content| WireMessage { role, content };
    let system = options.prompts.system.as_deref();
    match options.form {
        PairForm::Chat => {
            let told = system.map(|text| message("system", text));
            let asked = message("user", &pair.asked.text);
            let answered = message("assistant", &pair.answer);
            let messages = told.into_iter().chain([asked, answered]).collect();
            write_line(out, &WireChat { messages })?;
        }
        PairForm::Pairs => {
            let told = system.map(|text| format!("{text}\n\n")).unwrap_or_default();
            let line = WirePair {
                prompt: told + &pair.asked.text,
                completion: &pair.answer,
                sample: sample.row.key.to_string(),
                repo: &sample.repo.name,
                language: sample.repo.language.as_str(),
                license: sample.repo.license.as_deref(),
                split: sample.split_random.map(Split::as_str),
                target: options.prompts.kind.target().as_str(),
                tokens: pair.n_tokens,
                truncated: &pair.asked.truncated,
            };
            write_line(out, &line)?;
        }
    }
    Ok(())
}

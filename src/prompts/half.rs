//! Prompts of the kind `half`: the first half of a function, and of each of its variants, to be continued (`CCTest`).
//!
//! Decides which lines of `focalist mutate` make a prompt: each variant, and once the function itself. A function on one
//! line has no halves.

use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;

use rustc_hash::FxHashSet;

use crate::budget::BudgetCounter;
use crate::exchange::records::{Fields, Record, RecordLayout, each_record, text_at};
use crate::exchange::{WireHalf, WireHalfMeta, write_line};
use crate::model::Problem;
use crate::task::{Monitor, Phase};
use crate::{MAX_TOKENS, PromptError, PromptKind, PromptReport, UnaskedReason};

/// How halves are asked for.
pub struct HalfOptions {
    /// The most tokens of a prompt; longer ones are problems, because a cut would remove the part to be continued.
    pub budget: Option<usize>,
    pub counter: BudgetCounter,
}

/// One text to be continued.
struct HalfPrompt<'f> {
    seed: &'f str,
    pass: Option<&'f str>,
    language: &'f str,
    text: &'f str,
}

/// Writes a prompt for every function and variant in the output of `focalist mutate`.
///
/// # Errors
/// The errors of both files, and cancelling.
pub fn half_prompts(
    input: &mut dyn BufRead,
    path: &str,
    monitor: &Monitor,
    options: &HalfOptions,
    out: &mut dyn Write,
) -> Result<PromptReport, PromptError> {
    monitor.enter(Phase::Writing);
    let mut report = PromptReport::default();
    let mut seen = FxHashSet::default();
    each_record(input, RecordLayout::Json, |record: Record| {
        monitor.step()?;
        let line = record.line;
        let fields = record.fields.map_err(UnaskedReason::from);
        let made = fields.and_then(|fields| {
            let halves = halves(&fields, &mut seen)?;
            let halves = halves.iter().map(|half| wire(half, options));
            halves.collect::<Result<Vec<_>, _>>().map(|lines| {
                let mut text = Vec::new();
                for line in lines {
                    report.n_tokens += line.tokens as u64;
                    report.n_written += 1;
                    // A vector takes all.
                    let _ = write_line(&mut text, &line);
                }
                text
            })
        });
        match made {
            Ok(text) => out.write_all(&text)?,
            Err(fault) => (report.problems).push(Problem::bad_line(path, line, &fault)),
        }
        monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        Ok::<_, PromptError>(())
    })?;
    out.flush()?;
    Ok(report)
}

/// Reads the halves that a line is the first to have.
fn halves<'f>(
    fields: &'f Fields,
    seen: &mut FxHashSet<String>,
) -> Result<Vec<HalfPrompt<'f>>, UnaskedReason> {
    let id = text_at(fields, "seed.id")?;
    let language = text_at(fields, "seed.language").unwrap_or_default();
    let Some(pass) = fields.get("pass").and_then(|field| field.as_str()) else {
        // A function that was left out has no variant.
        return Ok(Vec::new());
    };
    let cut = fields.get("cut");
    let at = |name: &str| cut.and_then(|value| value.get(name)?.as_u64());
    let (Some(of_seed), Some(of_variant)) = (at("seed"), at("variant")) else {
        return Ok(Vec::new());
    };
    let source = text_at(fields, "seed.source")?;
    let text = text_at(fields, "source")?;
    let mut halves = Vec::new();
    if seen.insert(id.to_owned()) {
        halves.push(HalfPrompt {
            seed: id,
            pass: None,
            language,
            text: first(source, of_seed)?,
        });
    }
    halves.push(HalfPrompt {
        seed: id,
        pass: Some(pass),
        language,
        text: first(text, of_variant)?,
    });
    Ok(halves)
}

/// Returns the first lines of a function.
fn first(source: &str, n_lines: u64) -> Result<&str, UnaskedReason> {
    let lines = source.split_inclusive('\n');
    let lines = lines.take(usize::try_from(n_lines).unwrap_or(usize::MAX));
    let at: usize = lines.map(str::len).sum();
    if at == 0 || at == source.len() {
        return Err(UnaskedReason::Cut);
    }
    Ok(&source[..at])
}

fn wire<'h>(
    half: &HalfPrompt<'h>,
    options: &'h HalfOptions,
) -> Result<WireHalf<'h>, UnaskedReason> {
    let n_tokens = options.counter.count(half.text);
    if options.budget.is_some_and(|budget| n_tokens > budget) {
        return Err(UnaskedReason::TooLong { n_tokens });
    }
    let mut hasher = blake3::Hasher::new();
    for part in [
        PromptKind::Half.as_str(),
        half.seed,
        half.pass.unwrap_or_default(),
        half.text,
        &MAX_TOKENS.to_string(),
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    Ok(WireHalf {
        id: hasher.finalize().to_hex()[..32].to_owned(),
        sample: None,
        kind: PromptKind::Half.as_str(),
        messages: None,
        prompt: half.text,
        suffix: None,
        max_tokens: MAX_TOKENS,
        stop: &[],
        tokens: n_tokens,
        truncated: &[],
        target: None,
        meta: WireHalfMeta {
            seed: half.seed,
            pass: half.pass,
            language: half.language,
            budget: options.budget,
            tokenizer: options.counter.name(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"seed":{"id":"a","language":"python","source":"def f(b):\n    c = b\n    return c\n"},"pass":"REP_R","#,
        r#""source":"def f(Param1):\n    c = Param1\n    return c\n","cut":{"seed":2,"variant":2}}"#,
        "\n",
        r#"{"seed":{"id":"a","language":"python","source":"def f(b):\n    c = b\n    return c\n"},"pass":"INI","#,
        r#""source":"def f(b):\n    print(b)\n    c = b\n    return c\n","cut":{"seed":2,"variant":3}}"#,
        "\n{\"seed\":{}}\n",
    );

    fn written(budget: Option<usize>) -> (String, PromptReport) {
        let options = HalfOptions {
            budget,
            counter: BudgetCounter::Approximate,
        };
        let mut out = Vec::new();
        let input = &mut LINES.as_bytes();
        let report = half_prompts(input, "a.jsonl", &Monitor::default(), &options, &mut out)
            .expect("memory can be written");
        (String::from_utf8(out).expect("it is text"), report)
    }

    #[test]
    fn the_function_and_each_variant_are_asked_about_once() {
        let (text, report) = written(None);
        assert_eq!(report.n_written, 3);
        assert_eq!(report.problems.len(), 1);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].contains(r#""prompt":"def f(b):\n    c = b\n","#),
            "{text}"
        );
        assert!(lines[0].contains(r#""seed":"a","pass":null"#), "{text}");
        assert!(lines[2].contains(r#"print(b)\n    c = b\n","#), "{text}");
        assert_eq!(written(None).0, text);
    }

    #[test]
    fn a_half_that_is_too_long_is_a_problem() {
        let (text, report) = written(Some(3));
        assert_eq!(text, "");
        assert_eq!(report.problems.len(), 3);
    }
}

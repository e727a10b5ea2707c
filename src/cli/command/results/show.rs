//! The command `results --show`: one prediction with all that is known of it, as JSON, or as texts around tables.

use crate::Context;
use crate::args::TableName;
use crate::browse;
use crate::command::{hint, inspect, unified};
use crate::diff;
use crate::eval::explained::{ExplainedPrediction, explained, reading_lines};
use crate::eval::prompted::{PredictionPrompt, prompted};
use crate::eval::results::{self, ResultsOptions, ResultsView};
use crate::exchange::outcomes::WireWhy;
use crate::exchange::{OrderedFields, WireResultDetail, write_pretty};
use crate::execute::detail::{ExecutionDetail, detail as execution_detail};
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::explain::Explanation;
use crate::metric::metric;
use crate::model::{QuestionSetting, Reference, ResultDetail, RunKind, SampleKey, ScoredAnswer};
use crate::print::PrintSection;
use crate::store::Store;
use crate::table::{Align, TextTable, visible, visible_source};

use super::{outcome, signed, tags, title, value};

/// A prediction, with the data beside its row.
struct ShownPrediction {
    view: ResultsView,
    detail: ResultDetail,
    explanation: Option<Explanation>,
    prompted: Option<PredictionPrompt>,
    execution: Option<ExecutionDetail>,
}

pub fn write(
    context: &mut Context<'_, '_>,
    store: &Store,
    options: &ResultsOptions,
    (digits, is_json): (&str, bool),
) -> Result<(), Stop> {
    let shown = read(store, options, digits)?;
    Ok(context.print(
        TableName::of(is_json),
        |out| write_pretty(out, &shown.wire()),
        |_| shown.sections(),
    )?)
}

fn read(store: &Store, options: &ResultsOptions, digits: &str) -> Result<ShownPrediction, Stop> {
    let view = results::view(store, options)?;
    let key = match view.run.kind {
        RunKind::Samples => inspect::key(store, digits)?,
        RunKind::Clover | RunKind::Consistency => question_key(store, digits)?,
    };
    let attempt = browse::attempt_of(&options.filter);
    let run = view.run.id;
    let missing = || {
        let name = visible(&view.run.setting.name);
        Failure::new(
            ExitCode::Input,
            format!("run `{name}` has no such answer to {key}"),
        )
        .with_hint("`focalist results` lists its answers; `attempt:N` in the filter selects another attempt")
    };
    let ordinal = store
        .result_ordinal(run, &key, attempt)?
        .ok_or_else(missing)?;
    let ExplainedPrediction {
        detail,
        explanation,
        ..
    } = explained(store, &view, ordinal)?.ok_or_else(missing)?;
    Ok(ShownPrediction {
        detail,
        explanation,
        prompted: prompted(store, run, ordinal)?,
        execution: execution_detail(store, run, ordinal)?,
        view,
    })
}

impl ShownPrediction {
    fn run_name(&self) -> &str {
        &self.view.run.setting.name
    }

    fn wire(&self) -> WireResultDetail<'_> {
        let parts = parts(&self.detail.answered);
        let metrics = &self.view.metrics;
        let mut wire = WireResultDetail::new(self.run_name(), metrics, &self.detail, parts);
        wire.prompt = self
            .prompted
            .as_ref()
            .map(|prediction_prompt| prediction_prompt.prompt.clone());
        let why = self
            .execution
            .as_ref()
            .and_then(|execution_detail| execution_detail.why.as_ref());
        wire.why = why.map(WireWhy::from);
        wire
    }

    fn sections(&self) -> Vec<PrintSection> {
        let mut sections = vec![PrintSection::words(head(&self.view, &self.detail))];
        sections.extend(
            self.execution
                .as_ref()
                .map(outcome::outcome_lines)
                .map(PrintSection::words),
        );
        sections.push(scores(&self.view, &self.detail).into());
        sections.extend(self.explanation.as_ref().map(|explanation| {
            let remark = "how the value is computed".to_owned();
            PrintSection::remarked(remark, arithmetic(explanation))
        }));
        sections.extend(self.texts().map(PrintSection::words));
        sections.extend(
            self.prompted
                .as_ref()
                .map(asked_told)
                .map(PrintSection::words),
        );
        sections.extend(self.differences().map(PrintSection::words));
        sections
    }

    /// Iterates over the texts, each under its name.
    fn texts(&self) -> impl Iterator<Item = String> {
        let detail = &self.detail;
        let reference = detail.reference.as_ref();
        let texts = [
            ("question", detail.context.as_deref()),
            (
                "true text",
                reference.map(|reference| reference.text.as_str()),
            ),
            ("prediction", Some(detail.answered.prediction.as_str())),
            (
                "answer as it was written",
                detail.answered.answer.as_deref(),
            ),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)));
        texts.map(|(name, text)| format!("{name}\n{}", visible_source(text)))
    }

    /// Iterates over the differences of the prediction, and of the baseline's, to the true text; nothing where there is
    /// none.
    fn differences(&self) -> impl Iterator<Item = String> {
        let answered = Some((self.run_name(), &self.detail.answered));
        let sides = [answered, baseline(&self.view, &self.detail)];
        let sides = sides.into_iter().flatten();
        sides.filter_map(|(name, answered)| {
            let reference = self.detail.reference.as_ref()?;
            Some(difference(reference, name, answered))
        })
    }
}

fn difference(reference: &Reference, name: &str, answered: &ScoredAnswer) -> String {
    let mut out = format!(
        "--- {}:{}\n+++ {}\n",
        visible(&reference.path),
        reference.first_line,
        visible(name)
    )
    .into_bytes();
    let texts = (reference.text.as_str(), answered.prediction.as_str());
    unified::write(&mut out, "", texts, &diff::lines(texts.0, texts.1))
        .expect("memory takes every line");
    let mut text = String::from_utf8(out).expect("we wrote text");
    // A section ends its last line itself.
    text.pop();
    text
}

/// Writes the prompt, under a line on its answer.
fn asked_told(prompted: &PredictionPrompt) -> String {
    let finished = prompted.finish_reason.as_deref().unwrap_or("no reason");
    let head = format!(
        "the prompt\n{}, attempt {}, finished: {finished} · {} · {}",
        prompted.model, prompted.attempt, prompted.parameters, prompted.numbers
    );
    let head: Vec<String> = head.lines().map(visible).collect();
    format!("{}\n{}", head.join("\n"), visible_source(&prompted.prompt))
}

/// Finds the question that the first digits of a key mean.
fn question_key(store: &Store, digits: &str) -> Result<SampleKey, Stop> {
    match store.question_keys(digits, 2)?[..] {
        [key] => Ok(key),
        [] => {
            let message = format!("no question `{}`", visible(digits));
            Err(Failure::new(ExitCode::Input, message)
                .with_hint("`focalist results RUN` lists the keys")
                .into())
        }
        _ => {
            let message = format!("several questions begin with `{}`", visible(digits));
            Err(Failure::new(ExitCode::Usage, message)
                .with_hint("give more digits")
                .into())
        }
    }
}

fn baseline<'v>(
    view: &'v ResultsView,
    detail: &'v ResultDetail,
) -> Option<(&'v str, &'v ScoredAnswer)> {
    let run = view.baseline.as_ref()?;
    Some((&run.setting.name, detail.baseline.as_ref()?))
}

/// Writes the part above the scores.
fn head(view: &ResultsView, detail: &ResultDetail) -> String {
    let row = &detail.row;
    let setting = &view.run.setting;
    let mut facts = Vec::new();
    match &row.reading {
        None => {
            let command = hint::command(&["eval", "--run", &setting.name]);
            facts.push(format!("not evaluated so far: {command} scores it"));
        }
        Some(reading) => facts.extend(reading_lines(reading)),
    }
    let tags = tags(row);
    if !tags.is_empty() {
        facts.push(tags);
    }
    if row.people.is_some() {
        let machine = if row.tags.is_empty() {
            "none".to_owned()
        } else {
            row.tags.to_string()
        };
        facts.push(format!("the machine says {machine}"));
    }
    let question = row.asked.as_ref().map(QuestionSetting::label);
    let sample = [
        visible(&row.repo),
        visible(&row.test),
        row.focal.as_deref().map(visible).unwrap_or_default(),
        question.as_deref().map(visible).unwrap_or_default(),
    ];
    let sample: Vec<String> = sample
        .into_iter()
        .filter(|sample| !sample.is_empty())
        .collect();
    format!(
        "{}\n{}\n{}, answer {}, line {} of {}\n{}",
        row.key,
        sample.join(" · "),
        visible(&setting.name),
        row.attempt,
        detail.answered.line,
        visible(&setting.source),
        facts.join(" · ")
    )
}

/// Builds a line for each metric, with its parts.
fn scores(view: &ResultsView, detail: &ResultDetail) -> TextTable {
    let mut columns = vec![
        ("metric".to_owned(), Align::Left),
        (view.run.setting.name.clone(), Align::Right),
    ];
    if let Some(baseline) = &view.baseline {
        columns.push((baseline.setting.name.clone(), Align::Right));
        columns.push(("Δ".to_owned(), Align::Right));
    }
    columns.push(("parts".to_owned(), Align::Left));
    let mut table = TextTable::new(&columns);
    let row = &detail.row;
    let parts = parts(&detail.answered);
    for (idx, id) in view.metrics.iter().enumerate() {
        let mut cells = vec![title(id), value(row.values[idx])];
        if view.baseline.is_some() {
            let before = row.baseline.as_ref().and_then(|baseline| baseline[idx]);
            cells.extend([value(before), signed(row.delta(idx))]);
        }
        let parts = parts.0.iter().find(|pair| pair.0 == *id);
        let parts = parts.map_or_else(Vec::new, |part| part.1.0.clone());
        let parts = parts
            .iter()
            .map(|(name, value)| format!("{name} {value:.3}"));
        cells.push(parts.collect::<Vec<_>>().join(", "));
        table.row(cells);
    }
    table
}

/// Lists the steps to a metric's value; parts stand below their whole.
fn arithmetic(explanation: &Explanation) -> TextTable {
    let mut table = TextTable::new(&[
        ("step", Align::Left),
        ("value", Align::Right),
        ("from", Align::Left),
    ]);
    for step in &explanation.steps {
        let indent = "  ".repeat(usize::from(step.depth));
        table.row([
            format!("{indent}{}", step.label),
            step.value.clone(),
            step.formula.clone(),
        ]);
    }
    table
}

/// Collects the named parts of each score that has some.
fn parts(answered: &ScoredAnswer) -> OrderedFields<OrderedFields<f64>> {
    let scores = answered.scores.iter();
    scores
        .filter_map(|(id, score)| Some((*id, metric(id)?.named_parts(score)?.collect())))
        .collect()
}

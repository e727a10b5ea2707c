//! The predictions of a run one by one: which are listed, in which order, in which groups, and all of a single one.
//!
//! The whole order of a list is a vector of numbers (4 MB for a million predictions), so that a rank, a jump and a
//! neighbour are an index; rows are read for the visible part.

mod columns;
mod conditions;
mod export;
mod grades;
mod groups;
mod numbers;
mod order;
mod people;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::metric::{METRICS, Metric};
use crate::model::{
    Condition, Filter, GroupNumbers, Name, OfPrediction, OfSample, Prediction, PredictionSort,
    Reference, ResultDetail, ResultGroup, ResultRow, RunKind, RunRow, SampleKey, ScoredAnswer,
    SortField, Term,
};
use crate::store::{Links, Store, StoreError, StoredResult, run_named};
use crate::task::{Monitor, Phase};

use super::EvalError;
use super::by::GroupBy;
use super::question::check_same_question;
use super::settings::RunSettings;
use columns::ColumnReader;
pub use columns::Columns;
pub use export::write_texts;
pub use grades::Grades;
pub use groups::slice_terms;

/// The request for predictions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultsOptions {
    /// The filter's `run:` wins; without either, the only run that there is.
    pub run: Option<String>,
    /// The filter's `baseline:` wins.
    pub baseline: Option<String>,
    /// What `delta`, `outcome` and means are about. The filter's `metric:` wins; without either, the first metric that
    /// the filter sorts by or asks for, else the run's first in the order of tables.
    pub metric: Option<&'static Metric>,
    /// Fields of samples and of predictions; the order is its `sort`, equal ones come by number.
    pub filter: Filter,
    /// Columns that earlier requests have read; a clone of a kept one makes the next filter of a large run fast.
    pub columns: Columns,
}

/// The run, baseline and metrics with which rows of a list are read.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsView {
    pub run: RunRow,
    pub baseline: Option<RunRow>,
    /// The metrics that the run has, in the order of tables.
    pub metrics: Vec<&'static str>,
    /// The list's metric; absent where the run has none.
    pub metric: Option<&'static str>,
    /// The engine that ran it last; absent where none did.
    pub engine: Option<String>,
    /// In the order of `metrics`.
    evaluations: Vec<Option<i64>>,
    /// In the order of `metrics`; none for one that the baseline has not, or has computed in another way.
    baseline_evaluations: Vec<Option<i64>>,
    /// Whether any of its tests was held against mutants.
    pub has_faults: bool,
    /// Whether any of its tests was held against code that keeps the contract.
    pub has_brittle: bool,
}

impl ResultsView {
    fn evaluation(&self, metric: &str) -> Option<i64> {
        let place = self.metrics.iter().position(|text| *text == metric)?;
        self.evaluations[place]
    }

    fn baseline_evaluation(&self, metric: &str) -> Option<i64> {
        let place = self.metrics.iter().position(|text| *text == metric)?;
        self.baseline_evaluations[place]
    }

    /// Tells whether the baseline has this metric, computed in the same way.
    #[must_use]
    pub fn has_delta(&self, metric: &str) -> bool {
        self.baseline_evaluation(metric).is_some()
    }

    /// Finds the place of the list's metric among the metrics.
    #[must_use]
    pub fn metric_idx(&self) -> Option<usize> {
        let metric = self.metric?;
        self.metrics.iter().position(|text| *text == metric)
    }
}

/// The predictions that a filter lets through, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultList {
    pub view: ResultsView,
    pub ordinals: Vec<u32>,
    /// All predictions of the run.
    pub n_all: u64,
    columns: Columns,
}

impl ResultList {
    /// Finds the place of a prediction in the list.
    #[must_use]
    pub fn place_of(&self, ordinal: u32) -> Option<usize> {
        self.ordinals.iter().position(|n| *n == ordinal)
    }
}

/// Prepares the view of a list, without making the list.
pub fn view(store: &Store, options: &ResultsOptions) -> Result<ResultsView, EvalError> {
    let runs = store.runs()?;
    let aim = &options.filter.aim;
    let run = match aim.run.as_deref().or(options.run.as_deref()) {
        Some(name) => run_named(&runs, name)?.clone(),
        None => match runs.as_slice() {
            [run] => run.clone(),
            [] => return Err(EvalError::NoRuns),
            several => {
                return Err(EvalError::WhichRun {
                    known: several
                        .iter()
                        .map(|run_row| run_row.setting.name.clone())
                        .collect(),
                });
            }
        },
    };
    let baseline = aim.baseline.as_deref().or(options.baseline.as_deref());
    let baseline = match baseline {
        Some(name) => Some(run_named(&runs, name)?.clone()),
        None => None,
    };
    if let Some(baseline) = &baseline {
        check_same_question(store, baseline, &run)?;
    }
    let all: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
    let found = store.evaluations(run.id, &all)?;
    let (metrics, evaluations): (Vec<&'static str>, Vec<Option<i64>>) = METRICS
        .iter()
        .zip(found)
        .filter(|(_, evaluation)| evaluation.is_some())
        .map(|(metric, evaluation)| (metric.id, evaluation))
        .unzip();
    let baseline_evaluations = match &baseline {
        Some(baseline) => {
            let mut found = store.evaluations(baseline.id, &metrics)?;
            for (metric, found) in metrics.iter().zip(&mut found) {
                if !is_alike(&run, baseline, metric) {
                    *found = None;
                }
            }
            found
        }
        None => vec![None; metrics.len()],
    };
    let engine = store
        .execution_setting(run.id)?
        .map(|execution_setting| execution_setting.engine);
    let (has_faults, has_brittle) = match &engine {
        Some(engine) => (
            store.has_faults(run.id, engine)?,
            store.has_varied(run.id, engine)?,
        ),
        None => (false, false),
    };
    Ok(ResultsView {
        metric: metric_of(options, &run, &metrics)?,
        engine,
        has_faults,
        has_brittle,
        run,
        baseline,
        metrics,
        evaluations,
        baseline_evaluations,
    })
}

/// Tells whether both runs have computed a metric in the same way.
fn is_alike(run: &RunRow, baseline: &RunRow, metric: &str) -> bool {
    let way = |run: &RunRow| {
        let evaluation = run.evaluation(metric)?;
        Some((evaluation.version, evaluation.options.clone()))
    };
    way(run) == way(baseline)
}

/// Chooses the list's metric: what the filter or the options name, else the first that the filter sorts by or asks for,
/// else BLEU, or the metric of the paper where a run answers other questions, else the first that there is.
fn metric_of(
    options: &ResultsOptions,
    run: &RunRow,
    metrics: &[&'static str],
) -> Result<Option<&'static str>, EvalError> {
    let filter = &options.filter;
    let named = filter.aim.metric.or(options.metric.map(|metric| metric.id));
    let sorted = || filter.sort.iter().find_map(|key| of_sort(key.field).0);
    let asked = || {
        let conditions = filter.conditions().into_iter();
        conditions.map(of_condition).find_map(|need| need.0)
    };
    if let Some(metric) = named.or_else(sorted).or_else(asked) {
        if metrics.contains(&metric) {
            return Ok(Some(metric));
        }
        return Err(EvalError::NotEvaluated {
            run: run.setting.name.clone(),
            metric: metric.to_owned(),
        });
    }
    let usual = match run.kind {
        RunKind::Samples => "bleu",
        RunKind::Clover => "em",
        RunKind::Consistency => "edit:fuzzywuzzy",
    };
    let usual = metrics.iter().find(|metric| **metric == usual);
    Ok(usual.or(metrics.first()).copied())
}

/// The data that a run needs before a filter can ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilterNeed {
    Nothing,
    Score,
    /// A baseline that has the metric, too.
    Delta,
    Execution,
}

/// Names the data that a condition needs, and its metric.
const fn of_condition(condition: &Condition) -> (Option<&'static str>, FilterNeed) {
    match condition {
        Condition::Sample(_) | Condition::Keys(_) => (None, FilterNeed::Nothing),
        Condition::Score(metric, _) => (Some(metric), FilterNeed::Score),
        Condition::DeltaOf(metric, _) => (Some(metric), FilterNeed::Delta),
        Condition::Prediction(condition) => (None, of_prediction(condition)),
    }
}

const fn of_prediction(condition: &OfPrediction) -> FilterNeed {
    match condition {
        OfPrediction::Delta(_) | OfPrediction::Outcome(_) => FilterNeed::Delta,
        OfPrediction::Why(_)
        | OfPrediction::Repair(_)
        | OfPrediction::Called(_)
        | OfPrediction::Confirmed(_)
        | OfPrediction::Unstable(_)
        | OfPrediction::Brittle(_)
        | OfPrediction::Lines(_)
        | OfPrediction::Branches(_)
        | OfPrediction::Mutation(_)
        | OfPrediction::Strength(_)
        | OfPrediction::Milliseconds(_) => FilterNeed::Execution,
        // That it never ran can always be asked.
        OfPrediction::Ran(_)
        | OfPrediction::Parse(_)
        | OfPrediction::BaselineParse(_)
        | OfPrediction::Tag(_)
        | OfPrediction::TagDiffers(_)
        | OfPrediction::Ruled(_)
        | OfPrediction::Ruling(_)
        | OfPrediction::Changed(_)
        | OfPrediction::Overlong(_)
        | OfPrediction::ReferenceTokens(_)
        | OfPrediction::PredictionTokens(_)
        | OfPrediction::Assertion(_)
        | OfPrediction::Answer(_)
        | OfPrediction::Attempt(_)
        | OfPrediction::Sample(_)
        | OfPrediction::Asserts(_)
        | OfPrediction::Setting(_)
        | OfPrediction::Meta(_)
        | OfPrediction::Temperature(_) => FilterNeed::Nothing,
    }
}

/// Names the data that an order needs, and its metric.
const fn of_sort(field: SortField) -> (Option<&'static str>, FilterNeed) {
    match field {
        SortField::Score(metric) => (Some(metric), FilterNeed::Score),
        SortField::Delta(metric) => (metric, FilterNeed::Delta),
        SortField::Prediction(
            PredictionSort::Lines
            | PredictionSort::Branches
            | PredictionSort::Mutation
            | PredictionSort::Strength
            | PredictionSort::Milliseconds,
        ) => (None, FilterNeed::Execution),
        SortField::Prediction(
            PredictionSort::ReferenceTokens
            | PredictionSort::PredictionTokens
            | PredictionSort::Attempt
            | PredictionSort::Ran,
        )
        | SortField::Sample(_)
        | SortField::Meta(_) => (None, FilterNeed::Nothing),
    }
}

/// Rejects a filter that asks for data which the runs do not have: an empty list would not say so.
fn check(view: &ResultsView, filter: &Filter) -> Result<(), EvalError> {
    for condition in filter.conditions() {
        let is_asked = match condition {
            Condition::Sample(condition) => condition.is_of_questions(),
            _ => true,
        };
        check_kind(view, is_asked, || condition.name())?;
        check_need(view, of_condition(condition), || condition.name())?;
    }
    for key in &filter.sort {
        let is_asked = match key.field {
            SortField::Sample(field) => field.is_of_questions(),
            _ => true,
        };
        check_kind(view, is_asked, || key.field.to_string())?;
        check_need(view, of_sort(key.field), || key.field.to_string())?;
    }
    Ok(())
}

/// Rejects a field that only samples have where a run answers questions.
fn check_kind(
    view: &ResultsView,
    have_questions: bool,
    field: impl Fn() -> String,
) -> Result<(), EvalError> {
    let kind = view.run.kind;
    if kind == RunKind::Samples || have_questions {
        return Ok(());
    }
    Err(EvalError::OfSamples {
        field: field(),
        run: view.run.setting.name.clone(),
        kind,
    })
}

fn check_need(
    view: &ResultsView,
    (metric, need): (Option<&'static str>, FilterNeed),
    field: impl Fn() -> String,
) -> Result<(), EvalError> {
    let metric = metric.or(view.metric);
    let not_evaluated = |run: &RunRow| EvalError::NotEvaluated {
        run: run.setting.name.clone(),
        metric: metric.unwrap_or("bleu").to_owned(),
    };
    match need {
        FilterNeed::Execution if view.engine.is_none() => {
            return Err(EvalError::NotExecuted {
                run: view.run.setting.name.clone(),
            });
        }
        FilterNeed::Nothing | FilterNeed::Execution => return Ok(()),
        FilterNeed::Score | FilterNeed::Delta => {}
    }
    let Some(metric) = metric.filter(|metric| view.evaluation(metric).is_some()) else {
        return Err(not_evaluated(&view.run));
    };
    if need == FilterNeed::Score || view.has_delta(metric) {
        return Ok(());
    }
    let Some(baseline) = &view.baseline else {
        return Err(EvalError::NoBaseline { field: field() });
    };
    Err(match baseline.evaluation(metric) {
        Some(evaluation) if evaluation.value.is_some() => EvalError::OtherOptions {
            metric: metric.to_owned(),
            first: baseline.setting.name.clone(),
            second: view.run.setting.name.clone(),
        },
        _ => not_evaluated(baseline),
    })
}

/// Tells whether a filter is about samples only, and so the same for all runs.
#[must_use]
pub fn is_of_samples(filter: &Filter) -> bool {
    let mut conditions = filter.conditions().into_iter();
    conditions.all(Condition::is_of_sample)
}

/// Lists the predictions that the filter lets through, in its order. Counts what it has looked at as the monitor's
/// predictions, and stops when it is cancelled.
pub fn list(
    store: &Store,
    monitor: &Monitor,
    options: &ResultsOptions,
) -> Result<ResultList, EvalError> {
    monitor.enter(Phase::Reading);
    let view = view(store, options)?;
    check(&view, &options.filter)?;
    let reader = ColumnReader::new(store, monitor, &view, &options.columns)?;
    let mut ordinals: Vec<u32> = (0..reader.n_predictions()).collect();
    conditions::retain(&reader, &options.filter, &mut ordinals)?;
    order::sort(&reader, &options.filter, &mut ordinals)?;
    Ok(ResultList {
        n_all: view.run.n_predictions,
        view,
        ordinals,
        columns: options.columns.clone(),
    })
}

/// Reads the rows of these predictions, in this order, with people's tags; a number that the run does not have is left
/// out.
pub fn rows(
    store: &Store,
    view: &ResultsView,
    ordinals: &[u32],
) -> Result<Vec<ResultRow>, StoreError> {
    let matcher = view.run.setting.matcher;
    let stored = store.result_rows(view.run.id, matcher, &view.evaluations, ordinals)?;
    let mut values_before = vec![None; stored.len()];
    if let Some(baseline) = &view.baseline {
        let mut pairs = Vec::new();
        for (place, stored_result) in stored.iter().enumerate() {
            let pair =
                store.result_ordinal(baseline.id, &stored_result.key, stored_result.attempt)?;
            pairs.extend(pair.map(|ordinal| (place, ordinal)));
        }
        let ordinals: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        let evaluations = &view.baseline_evaluations;
        let before = store.result_rows(baseline.id, matcher, evaluations, &ordinals)?;
        for ((place, _), before) in pairs.into_iter().zip(before) {
            values_before[place] = Some(before.values);
        }
    }
    let rows = stored.into_iter().zip(values_before);
    let mut rows: Vec<ResultRow> = rows
        .map(|(stored_result, baseline)| row(stored_result, baseline))
        .collect();
    if let Some(engine) = &view.engine {
        let executions = store.executions_of(view.run.id, engine, ordinals)?;
        let faults = store.fault_counts_of(view.run.id, engine, ordinals)?;
        for row in &mut rows {
            row.execution = executions.get(&row.ordinal).copied();
            row.faults = faults.get(&row.ordinal).copied();
        }
    }
    people::fill_in(store, &view.run, &mut rows)?;
    Ok(rows)
}

fn row(stored: StoredResult, baseline: Option<Vec<Option<f64>>>) -> ResultRow {
    let class = stored.class.rsplit('.').next().unwrap_or_default();
    ResultRow {
        test: if stored.test.is_empty() || stored.asked.is_some() {
            stored.test
        } else {
            format!("{class}.{}", stored.test)
        },
        ordinal: stored.ordinal,
        key: stored.key,
        attempt: stored.attempt,
        repo: stored.repo,
        focal: (!stored.focal.is_empty()).then_some(stored.focal),
        asked: stored.asked,
        reading: stored.reading,
        tags: stored.tags,
        people: None,
        values: stored.values,
        baseline,
        execution: None,
        faults: None,
    }
}

/// Groups the predictions that the filter lets through, the largest group first; lengths from the shortest.
pub fn groups(
    store: &Store,
    monitor: &Monitor,
    options: &ResultsOptions,
    by: GroupBy,
) -> Result<Vec<ResultGroup>, EvalError> {
    let list = list(store, monitor, options)?;
    groups_of(store, monitor, &list, by)
}

/// Rejects groups that only samples have where a run answers questions.
fn check_groups(list: &ResultList, by: GroupBy) -> Result<(), EvalError> {
    let have_questions = !matches!(
        by,
        GroupBy::Framework | GroupBy::Split | GroupBy::FocalClass
    );
    check_kind(&list.view, have_questions, || by.as_str().to_owned())
}

/// Groups the predictions of a list, the largest group first; lengths from the shortest.
pub fn groups_of(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
    by: GroupBy,
) -> Result<Vec<ResultGroup>, EvalError> {
    check_groups(list, by)?;
    let reader = ColumnReader::new(store, monitor, &list.view, &list.columns)?;
    groups::of_list(&reader, list, by)
}

/// Groups as [`groups_of`] does, and adds the numbers of each group.
pub fn numbers_of(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
    by: GroupBy,
) -> Result<Vec<(ResultGroup, GroupNumbers)>, EvalError> {
    check_groups(list, by)?;
    let reader = ColumnReader::new(store, monitor, &list.view, &list.columns)?;
    numbers::of_list(&reader, list, by)
}

/// Grades the tests of a list: of all samples, then of each repository where there are several.
pub fn grades_of(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
) -> Result<Vec<Grades>, EvalError> {
    let reader = ColumnReader::new(store, monitor, &list.view, &list.columns)?;
    grades::of_list(&reader, list)
}

/// Reads the scores in the file of a list's run, from `meta.scores`.
pub fn file_scores(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
) -> Result<Arc<RunSettings>, EvalError> {
    ColumnReader::new(store, monitor, &list.view, &list.columns)?.file_scores()
}

/// Reads all of a prediction; nothing when the run has no such number.
pub fn detail(
    store: &Store,
    view: &ResultsView,
    ordinal: u32,
) -> Result<Option<ResultDetail>, StoreError> {
    match rows(store, view, &[ordinal])?.pop() {
        Some(row) => detail_of(store, view, row),
        None => Ok(None),
    }
}

/// Reads all of the prediction of a row that [`rows`] returned.
pub(super) fn detail_of(
    store: &Store,
    view: &ResultsView,
    row: ResultRow,
) -> Result<Option<ResultDetail>, StoreError> {
    let run = &view.run;
    let Some(answered) = answer_of(store, run, &view.evaluations, view, row.ordinal)? else {
        return Ok(None);
    };
    let setting = &run.setting;
    let reference = store.located_reference(&row.key, setting.target, setting.matcher)?;
    let baseline = match &view.baseline {
        Some(baseline) => match store.result_ordinal(baseline.id, &row.key, row.attempt)? {
            Some(ordinal) => answer_of(store, baseline, &view.baseline_evaluations, view, ordinal)?,
            None => None,
        },
        None => None,
    };
    let context = match row.asked {
        Some(_) => store.question(&row.key)?.map(|question| question.context),
        None => None,
    };
    Ok(Some(ResultDetail {
        context,
        reference: reference.map(|located_reference| Reference {
            text: located_reference.text,
            path: located_reference.path,
            first_line: located_reference.line,
            first_column: located_reference.column,
        }),
        row,
        answered,
        baseline,
    }))
}

fn answer_of(
    store: &Store,
    run: &RunRow,
    evaluations: &[Option<i64>],
    view: &ResultsView,
    ordinal: u32,
) -> Result<Option<ScoredAnswer>, StoreError> {
    let Some(prediction) = store.predictions(run.id, ordinal, 1)?.pop() else {
        return Ok(None);
    };
    let Prediction {
        answer,
        code,
        line,
        meta,
        ..
    } = prediction;
    let (prediction, answer) = match code {
        Some(code) => (code, Some(answer)),
        None => (answer, None),
    };
    let read = store.result_rows(run.id, run.setting.matcher, &[], &[ordinal])?;
    let reading = read
        .into_iter()
        .next()
        .and_then(|stored_result| stored_result.reading);
    let is_scored = reading
        .as_ref()
        .is_some_and(|prediction_reading| prediction_reading.has_reference);
    let scores = store.result_scores_of(evaluations, ordinal)?;
    let scores = view.metrics.iter().zip(scores);
    Ok(Some(ScoredAnswer {
        ordinal,
        prediction,
        answer,
        line,
        meta,
        reading,
        scores: scores
            .filter_map(|(metric, score)| Some((*metric, score?)))
            .filter(|_| is_scored)
            .collect(),
    }))
}

/// The place where a search in a list begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStart {
    /// The row that is looked at first; behind the last one it is the last.
    pub place: usize,
    pub backwards: bool,
}

/// Finds the place in the list of the next row whose test, class or focal method contains `needle`, whatever the case
/// of letters: the start itself first, then on, and round to the beginning. `backwards` looks the other way.
/// `Class.test` is found as the list shows it.
pub fn find(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
    needle: &str,
    start: SearchStart,
) -> Result<Option<usize>, EvalError> {
    let reader = ColumnReader::new(store, monitor, &list.view, &list.columns)?;
    let found = reader.found(needle, |links| look(store, monitor, links, needle))?;
    let n_rows = list.ordinals.len();
    if n_rows == 0 {
        return Ok(None);
    }
    let from = start.place.min(n_rows - 1);
    let steps = 0..n_rows;
    let mut places = steps.map(|step| {
        if start.backwards {
            (from + n_rows - step) % n_rows
        } else {
            (from + step) % n_rows
        }
    });
    Ok(places.find(|place| found[list.ordinals[*place] as usize]))
}

fn look(
    store: &Store,
    monitor: &Monitor,
    links: &Links,
    needle: &str,
) -> Result<Vec<bool>, StoreError> {
    let part = |text: &str| Name::Part(text.to_owned());
    let matches = |conditions: Vec<OfSample>| {
        let terms = conditions.into_iter().map(Term::from);
        store.result_matches(links, &Filter::of(terms.collect()), monitor)
    };
    let mut found = matches(vec![OfSample::Name(part(needle))])?;
    let others = match needle.rsplit_once('.') {
        Some((class, test)) => matches(vec![
            OfSample::Class(part(class)),
            OfSample::Test(part(test)),
        ])?,
        None => matches(vec![OfSample::Class(part(needle))])?,
    };
    for (is_found, other) in found.iter_mut().zip(others) {
        *is_found |= other;
    }
    Ok(found)
}

/// Finds the number of a run's first answer to a sample; nothing where it has none.
pub fn ordinal_of(store: &Store, run: i64, key: &SampleKey) -> Result<Option<u32>, StoreError> {
    store.result_ordinal(run, key, 0)
}

//! The questions of Compare.
//!
//! A pairing is locked while it is read, never between two draws of resamples: rows do not wait for numbers.

use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::eval::by::GroupBy;
use crate::eval::pairing::refine::{SEED, STAGES};
use crate::eval::pairing::slices::rank;
use crate::eval::pairing::tags::rank_tags;
use crate::eval::pairing::{
    ComparedSlice, ComparedTag, Histogram, Look, PairedComparison, PairedRow, PairedTexts,
    RefiningComparison, RunPairing, Selection,
};
use crate::keymap::StepDirection;
use crate::mine::language_of;
use crate::model::{Direction, Filter, Language, RunRow, SampleKey, Snippet};
use crate::question::shared::around;
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, QuestionMonitor, Slot};
use crate::store::Store;
use crate::task::Monitor;
use crate::text::visible;

/// The number of bins for differences to each side of 0.
const N_BINS: usize = 10;
/// The number of names that a search reads at a time.
const ROWS_AT_ONCE: usize = 500;

/// The slot of the samples that a filter lets through, and of their order.
pub const SELECTION: Slot = Slot("compare.selection");
/// The slot of the comparison by every metric.
pub const SUMMARY: Slot = Slot("compare.summary");
pub const FIND: Slot = Slot("compare.find");

/// Data that only readers work with; screens hand it back with the next question.
pub struct Handle<T>(Arc<Mutex<T>>);

impl<T> Handle<T> {
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    /// Locks the data. After a panic of another reader they are still valid, because they only grow.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Handle").finish_non_exhaustive()
    }
}

/// The metric, run and order in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonAim {
    /// The metric's id.
    pub metric: &'static str,
    /// The index of the run that is compared with the baseline, from 1.
    pub other: usize,
    /// The order of differences: ascending puts the worst first.
    pub direction: Direction,
}

/// The samples that these runs share; the baseline comes first.
#[derive(Debug)]
pub struct PairingQuestion(pub Vec<String>, pub QuestionMonitor);

impl Question for PairingQuestion {
    type Answer = (Handle<RunPairing>, Arc<PairingSummary>);
    const SLOT: Slot = Slot("compare.pairing");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let pairing = RunPairing::load(source.store()?, &self.1.0, &self.0, &[])?;
        let shared = PairingSummary {
            runs: pairing.runs().to_vec(),
            metrics: pairing.metrics().map(|metric| metric.id).collect(),
            n: pairing.len(),
        };
        Ok((Handle::new(pairing), Arc::new(shared)))
    }
}

/// The facts about a pairing that screens need at hand.
#[derive(Clone, Debug, PartialEq)]
pub struct PairingSummary {
    /// The runs, the baseline first.
    pub runs: Vec<RunRow>,
    /// The ids of the metrics that all runs have been scored with in the same way.
    pub metrics: Vec<&'static str>,
    /// The number of samples that all runs answered.
    pub n: usize,
}

/// The samples that a filter lets through, and their order.
#[derive(Debug)]
pub struct SelectionQuestion {
    pub pairing: Handle<RunPairing>,
    pub filter: Filter,
    pub aim: ComparisonAim,
    pub watched: QuestionMonitor,
}

impl Question for SelectionQuestion {
    type Answer = (Selection, DifferenceOrder);
    const SLOT: Slot = SELECTION;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let pairing = self.pairing.lock();
        let look = look(&pairing, &self.aim)?;
        let selection = pairing.select(source.store()?, &self.watched.0, &self.filter, look)?;
        let ordered = ordered(&pairing, &selection, self.aim, look);
        Ok((selection, ordered))
    }
}

/// The selected samples in the order of their differences, and the distribution of these.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceOrder {
    pub aim: ComparisonAim,
    pub order: Arc<Vec<u32>>,
    pub histogram: Histogram,
}

/// The order alone, for an unchanged selection.
#[derive(Debug)]
pub struct DifferenceOrderQuestion {
    pub pairing: Handle<RunPairing>,
    pub selection: Selection,
    pub aim: ComparisonAim,
}

impl Question for DifferenceOrderQuestion {
    type Answer = DifferenceOrder;
    const SLOT: Slot = SELECTION;

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let pairing = self.pairing.lock();
        let look = look(&pairing, &self.aim)?;
        Ok(ordered(&pairing, &self.selection, self.aim, look))
    }
}

/// The comparison by every metric, from formulas.
#[derive(Debug)]
pub struct MetricSummaryQuestion {
    pub pairing: Handle<RunPairing>,
    pub selection: Selection,
    pub other: usize,
    pub watched: QuestionMonitor,
}

impl Question for MetricSummaryQuestion {
    type Answer = (Handle<Vec<RefiningComparison>>, Vec<PairedComparison>);
    const SLOT: Slot = SUMMARY;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, monitor) = (source.store()?, &self.watched.0);
        let refinings = refinings(store, &self.pairing, &self.selection, self.other, monitor)?;
        let compared = refinings.iter().map(RefiningComparison::compared).collect();
        Ok((Handle::new(refinings), compared))
    }
}

/// One more step of draws; the metric at index `first` goes before the others.
#[derive(Debug)]
pub struct RefinementQuestion {
    pub refinings: Handle<Vec<RefiningComparison>>,
    pub first: usize,
    pub watched: QuestionMonitor,
}

impl Question for RefinementQuestion {
    type Answer = RefinementStep;
    const SLOT: Slot = SUMMARY;

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        refine(&mut self.refinings.lock(), self.first, &self.watched.0)
    }
}

/// The result of one step.
#[derive(Debug)]
pub struct RefinementStep {
    /// The index of the metric.
    pub idx: usize,
    pub compared: PairedComparison,
    /// All metrics have all their draws.
    pub is_done: bool,
}

/// The groups in which the runs differ; [`GroupBy::Tag`] asks for tags.
#[derive(Debug)]
pub struct SlicesQuestion {
    pub pairing: Handle<RunPairing>,
    pub selection: Selection,
    pub by: GroupBy,
    pub aim: ComparisonAim,
    pub n_resamples: u32,
    pub watched: QuestionMonitor,
}

impl Question for SlicesQuestion {
    type Answer = SliceRanking;
    const SLOT: Slot = Slot("compare.slices");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let source = (source.store()?, self.watched.0.as_ref());
        let (pairing, selection, n_resamples) = (&self.pairing, &self.selection, self.n_resamples);
        match self.by {
            GroupBy::Tag => tags(source, pairing, selection, &self.aim, n_resamples),
            by => slices(source, pairing, selection, (by, &self.aim), n_resamples),
        }
    }
}

/// Slices or tags, those with the strongest evidence first.
#[derive(Clone, Debug, PartialEq)]
pub enum SliceRanking {
    Slices(Vec<ComparedSlice>),
    Tags(Vec<ComparedTag>),
}

/// Rows of the list; the answer begins with the index of the first one.
#[derive(Debug)]
pub struct ComparedRowsQuestion {
    pub pairing: Handle<RunPairing>,
    pub order: Arc<Vec<u32>>,
    pub range: Range<usize>,
    pub metric: &'static str,
}

impl Question for ComparedRowsQuestion {
    type Answer = (usize, Vec<ComparedRow>);
    const SLOT: Slot = Slot("compare.rows");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let places = self.order.get(self.range.clone()).unwrap_or_default();
        let rows = rows(source.store()?, &self.pairing.lock(), places, self.metric)?;
        Ok((self.range.start, rows))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    pub row: PairedRow,
    /// The value of each run, the baseline first.
    pub values: Vec<f64>,
}

/// Everything about one sample.
#[derive(Debug)]
pub struct ComparedSampleQuestion(pub Handle<RunPairing>, pub u32);

impl Question for ComparedSampleQuestion {
    type Answer = Box<ComparedSample>;
    const SLOT: Slot = Slot("compare.detail");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(Box::new(shown(source, &self.0.lock(), self.1)?))
    }
}

/// Everything about a sample that several runs answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedSample {
    pub key: SampleKey,
    pub place: u32,
    pub texts: PairedTexts,
    /// The file and the line where the ground truth begins, to open it in an editor; absent when it is gone.
    pub at: Option<(PathBuf, u32)>,
    /// The language of the ground truth; the runs' language where its file is gone.
    pub language: Language,
    /// The number of the ground truth's first line in its file, from 1.
    pub first_line: u32,
    /// The code around the answers.
    pub around: Option<Snippet>,
}

/// The next row, around the ends, whose test or focal method has this text in its name.
#[derive(Debug)]
pub struct ComparedSearchQuestion {
    pub pairing: Handle<RunPairing>,
    pub order: Arc<Vec<u32>>,
    pub needle: String,
    pub from: usize,
    pub step: StepDirection,
    pub watched: QuestionMonitor,
}

impl Question for ComparedSearchQuestion {
    type Answer = Option<usize>;
    const SLOT: Slot = FIND;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let sought = (self.needle.as_str(), self.from, self.step);
        let (store, monitor) = (source.store()?, &self.watched.0);
        find(store, &self.pairing, &self.order, sought, monitor)
    }
}

/// The row of a sample; nothing when it is not in the list.
#[derive(Debug)]
pub struct ComparedPlaceQuestion {
    pub pairing: Handle<RunPairing>,
    pub order: Arc<Vec<u32>>,
    pub key: SampleKey,
}

impl Question for ComparedPlaceQuestion {
    type Answer = Option<usize>;
    const SLOT: Slot = FIND;

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let pairing = self.pairing.lock();
        let mut places = self.order.iter();
        Ok(places.position(|place| pairing.key(*place) == self.key))
    }
}

/// Writes the listed samples to a new file; the answer has their number.
#[derive(Debug)]
pub struct ComparedExportQuestion {
    pub pairing: Handle<RunPairing>,
    pub order: Arc<Vec<u32>>,
    pub path: PathBuf,
}

impl Question for ComparedExportQuestion {
    type Answer = (usize, PathBuf);
    const SLOT: Slot = Slot("compare.file");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        export(
            source.store()?,
            &self.pairing.lock(),
            &self.order,
            &self.path,
        )?;
        Ok((self.order.len(), self.path.clone()))
    }
}

fn look(pairing: &RunPairing, aim: &ComparisonAim) -> Result<Look, MissingAnswer> {
    let look = pairing.look(aim.metric, aim.other);
    look.ok_or_else(|| MissingAnswer::because(format!("the runs do not share `{}`", aim.metric)))
}

fn ordered(
    pairing: &RunPairing,
    selection: &Selection,
    aim: ComparisonAim,
    look: Look,
) -> DifferenceOrder {
    DifferenceOrder {
        aim,
        order: Arc::new(pairing.by_delta(selection, look, aim.direction)),
        histogram: pairing.histogram(selection, look, N_BINS),
    }
}

fn refinings(
    store: &Store,
    pairing: &Handle<RunPairing>,
    selection: &Selection,
    other: usize,
    monitor: &Monitor,
) -> Result<Vec<RefiningComparison>, MissingAnswer> {
    if selection.is_empty() {
        return Ok(Vec::new());
    }
    let metrics: Vec<_> = pairing.lock().metrics().collect();
    let mut refinings = Vec::with_capacity(metrics.len());
    for metric in metrics {
        // Locked for each metric alone, so that rows can be read in between.
        let mut pairing = pairing.lock();
        if let Some(look) = pairing.look(metric.id, other) {
            refinings.push(pairing.refining((store, monitor), selection, look, SEED)?);
        }
    }
    Ok(refinings)
}

/// Takes one step: all metrics up to the first stage, with the one at `first` before the others, then up to the next
/// stage.
fn refine(
    refinings: &mut [RefiningComparison],
    first: usize,
    monitor: &Monitor,
) -> Result<RefinementStep, MissingAnswer> {
    let others = (0..refinings.len()).filter(|n| *n != first);
    let order: Vec<usize> = std::iter::once(first).chain(others).collect();
    for stage in STAGES {
        for idx in &order {
            if let Some(refining) = refinings.get_mut(*idx)
                && refining.n_resamples() < stage
            {
                let step = refining.step(monitor, stage);
                step.map_err(|_| MissingAnswer::Stopped)?;
                return Ok(RefinementStep {
                    idx: *idx,
                    compared: refining.compared(),
                    is_done: false,
                });
            }
        }
    }
    match refinings.get(first) {
        Some(refining) => Ok(RefinementStep {
            idx: first,
            compared: refining.compared(),
            is_done: true,
        }),
        None => Err(MissingAnswer::because("there is nothing to compare")),
    }
}

fn slices(
    (store, monitor): (&Store, &Monitor),
    pairing: &Handle<RunPairing>,
    selection: &Selection,
    (by, aim): (GroupBy, &ComparisonAim),
    n_resamples: u32,
) -> Result<SliceRanking, MissingAnswer> {
    let parts = pairing
        .lock()
        .split((store, monitor), selection, by, aim.other)?;
    let mut slices = Vec::with_capacity(parts.len());
    for (name, part) in parts {
        let refining = {
            let mut pairing = pairing.lock();
            let look = look(&pairing, aim)?;
            pairing.refining((store, monitor), &part, look, SEED)?
        };
        let compared = finish(refining, monitor, n_resamples)?;
        slices.push(ComparedSlice {
            name,
            selection: part,
            p_adjusted: compared.p,
            beyond_chance: 0.0,
            compared,
        });
    }
    rank(&mut slices);
    Ok(SliceRanking::Slices(slices))
}

fn tags(
    (store, monitor): (&Store, &Monitor),
    pairing: &Handle<RunPairing>,
    selection: &Selection,
    aim: &ComparisonAim,
    n_resamples: u32,
) -> Result<SliceRanking, MissingAnswer> {
    let refinings = pairing
        .lock()
        .tag_refinings((store, monitor), selection, aim.other, SEED)?;
    let compared = refinings.map(|refining| finish(refining, monitor, n_resamples));
    let compared = compared.collect::<Result<Vec<_>, MissingAnswer>>()?;
    Ok(SliceRanking::Tags(rank_tags(compared, selection.len())))
}

fn finish<Of: Copy>(
    refining: RefiningComparison<Of>,
    monitor: &Monitor,
    n_resamples: u32,
) -> Result<PairedComparison<Of>, MissingAnswer> {
    let compared = refining.finish(monitor, n_resamples);
    compared.map_err(|_| MissingAnswer::Stopped)
}

fn rows(
    store: &Store,
    pairing: &RunPairing,
    places: &[u32],
    metric: &str,
) -> Result<Vec<ComparedRow>, MissingAnswer> {
    let looks: Vec<Look> = (1..pairing.runs().len())
        .filter_map(|other| pairing.look(metric, other))
        .collect();
    let rows = pairing.rows(store, places)?.into_iter().map(|row| {
        let values = |look: &Look| pairing.values(*look, row.place);
        let first = looks.first().map(|look| values(look).0);
        let others = looks.iter().map(|look| values(look).1);
        ComparedRow {
            values: first.into_iter().chain(others).collect(),
            row,
        }
    });
    Ok(rows.collect())
}

fn shown(
    source: &AnswerSource<'_>,
    pairing: &RunPairing,
    place: u32,
) -> Result<ComparedSample, MissingAnswer> {
    let store = source.store()?;
    let key = pairing.key(place);
    let setting = &pairing.runs()[0].setting;
    let located = store.located_reference(&key, setting.target, setting.matcher)?;
    let sample = store.sample(&key, setting.matcher)?;
    let root = sample
        .map(|stored_sample| stored_sample.root)
        .filter(|path| path.is_dir());
    let first_line = located
        .as_ref()
        .map_or(1, |located_reference| located_reference.line);
    let language = located
        .as_ref()
        .and_then(|located_reference| language_of(&located_reference.path));
    Ok(ComparedSample {
        key,
        place,
        texts: pairing.texts(store, place)?,
        at: located.zip(root).map(|(located_reference, root)| {
            (root.join(located_reference.path), located_reference.line)
        }),
        language: language.unwrap_or(setting.language),
        first_line,
        around: around(source, &key, setting)?,
    })
}

fn find(
    store: &Store,
    pairing: &Handle<RunPairing>,
    order: &[u32],
    (needle, from, step): (&str, usize, StepDirection),
    monitor: &Monitor,
) -> Result<Option<usize>, MissingAnswer> {
    let needle = needle.to_lowercase();
    let n = order.len();
    // Around the end: first the rows from `from` on, then those before it.
    let numbers: Vec<usize> = match step {
        StepDirection::Next => (0..n).map(|offset| (from + offset) % n).collect(),
        StepDirection::Previous => (0..n).map(|offset| (from + n - offset) % n).collect(),
    };
    for numbers in numbers.chunks(ROWS_AT_ONCE) {
        monitor.step().map_err(|_| MissingAnswer::Stopped)?;
        let places: Vec<u32> = numbers.iter().map(|number| order[*number]).collect();
        let rows = pairing.lock().rows(store, &places)?;
        let is_found = |row: &PairedRow| {
            let focal = row
                .sample
                .as_ref()
                .and_then(|sample_row| sample_row.focal.as_deref());
            let test = row.test().unwrap_or_default().to_lowercase();
            test.contains(&needle)
                || focal.is_some_and(|focal| focal.to_lowercase().contains(&needle))
        };
        if let Some(idx) = rows.iter().position(is_found) {
            return Ok(Some(numbers[idx]));
        }
    }
    Ok(None)
}

/// Writes a new file; an existing one stays as it is.
fn export(
    store: &Store,
    pairing: &RunPairing,
    order: &[u32],
    path: &Path,
) -> Result<(), MissingAnswer> {
    let file = File::create_new(path).map_err(|error| {
        let text = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "this file exists already".to_owned(),
            _ => error.to_string(),
        };
        MissingAnswer::because(visible(&format!("{}: {text}", path.display())))
    })?;
    let mut out = BufWriter::new(file);
    pairing.export(store, &Monitor::default(), order, &mut out)?;
    Ok(())
}

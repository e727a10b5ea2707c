//! Answers to questions of Compare.
//!
//! A pairing is locked for as long as it is read, never while something is drawn: rows do not wait for numbers.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use crate::eval::by::By;
use crate::eval::pairing::refine::{SEED, STAGES};
use crate::eval::pairing::slices::rank;
use crate::eval::pairing::tags::rank_tags;
use crate::eval::pairing::{Compared, ComparedSlice, Look, Pairing, Refining, Selection};
use crate::keymap::Step;
use crate::pool::Unanswered;
use crate::pool::results::around;
use crate::question::Failure;
use crate::question::compare::{
    Aim, Answer, ComparedRow, Handle, Ordered, Query, Shared, Shown, Sliced,
};
use crate::store::Store;
use crate::task::Monitor;
use crate::text::visible;

/// Differences are counted in so many bins to each side of 0.
const N_BINS: usize = 10;
/// How many names are read in one go by a search.
const ROWS_AT_ONCE: usize = 500;

/// Answers one question.
///
/// # Errors
/// What the index says; `Stopped` when it was interrupted.
pub fn answer(store: &Store, query: &Query) -> Result<Answer, Unanswered> {
    Ok(match query {
        Query::Pairing(runs, watched) => load(store, runs, &watched.0)?,
        Query::Selection {
            pairing,
            filter,
            aim,
            watched,
        } => {
            let pairing = pairing.lock();
            let look = look(&pairing, aim)?;
            let selection = pairing.select(store, &watched.0, filter, look)?;
            let ordered = ordered(&pairing, &selection, *aim, look);
            Answer::Selection(Box::new((selection, ordered)))
        }
        Query::Order {
            pairing,
            selection,
            aim,
        } => {
            let pairing = pairing.lock();
            let look = look(&pairing, aim)?;
            Answer::Order(Box::new(ordered(&pairing, selection, *aim, look)))
        }
        Query::Summary {
            pairing,
            selection,
            other,
            watched,
        } => {
            let refinings = refinings(store, pairing, selection, *other, &watched.0)?;
            let compared = refinings.iter().map(Refining::compared).collect();
            Answer::Summary(Handle::new(refinings), compared)
        }
        Query::Refine {
            refinings,
            first,
            watched,
        } => refine(&mut refinings.lock(), *first, &watched.0)?,
        Query::Slices {
            pairing,
            selection,
            by,
            aim,
            n_resamples,
            watched,
        } => {
            let source = (store, watched.0.as_ref());
            Answer::Slices(match by {
                By::Tag => tags(source, pairing, selection, aim, *n_resamples)?,
                by => slices(source, pairing, selection, (*by, aim), *n_resamples)?,
            })
        }
        Query::Rows {
            pairing,
            order,
            range,
            metric,
        } => {
            let places = order.get(range.clone()).unwrap_or_default();
            let rows = rows(store, &pairing.lock(), places, metric)?;
            Answer::Rows(range.start, rows)
        }
        Query::Detail(pairing, place) => {
            Answer::Detail(Box::new(shown(store, &pairing.lock(), *place)?))
        }
        Query::Find {
            pairing,
            order,
            needle,
            from,
            step,
            watched,
        } => {
            let sought = (needle.as_str(), *from, *step);
            Answer::Found(find(store, pairing, order, sought, &watched.0)?)
        }
        Query::Locate {
            pairing,
            order,
            key,
        } => {
            let pairing = pairing.lock();
            let place = order.iter().position(|it| pairing.key(*it) == *key);
            Answer::Located(place)
        }
        Query::Export {
            pairing,
            order,
            path,
        } => {
            export(store, &pairing.lock(), order, path)?;
            Answer::Exported(order.len(), path.clone())
        }
    })
}

fn failed(text: impl Into<String>) -> Unanswered {
    Unanswered::Failed(Failure::Other(text.into()))
}

fn load(store: &Store, runs: &[String], monitor: &Monitor) -> Result<Answer, Unanswered> {
    let pairing = Pairing::load(store, monitor, runs, &[])?;
    let shared = Shared {
        runs: pairing.runs().to_vec(),
        metrics: pairing.metrics().map(|it| it.id).collect(),
        n: pairing.len(),
    };
    Ok(Answer::Pairing(Handle::new(pairing), Arc::new(shared)))
}

fn look(pairing: &Pairing, aim: &Aim) -> Result<Look, Unanswered> {
    let look = pairing.look(aim.metric, aim.other);
    look.ok_or_else(|| failed(format!("the runs do not share `{}`", aim.metric)))
}

fn ordered(pairing: &Pairing, selection: &Selection, aim: Aim, look: Look) -> Ordered {
    Ordered {
        aim,
        order: Arc::new(pairing.by_delta(selection, look, aim.direction)),
        histogram: pairing.histogram(selection, look, N_BINS),
    }
}

fn refinings(
    store: &Store,
    pairing: &Handle<Pairing>,
    selection: &Selection,
    other: usize,
    monitor: &Monitor,
) -> Result<Vec<Refining>, Unanswered> {
    if selection.is_empty() {
        return Ok(Vec::new());
    }
    let metrics: Vec<_> = pairing.lock().metrics().collect();
    let mut refinings = Vec::with_capacity(metrics.len());
    for metric in metrics {
        // Each for itself: rows are read in between.
        let mut pairing = pairing.lock();
        if let Some(look) = pairing.look(metric.id, other) {
            refinings.push(pairing.refining((store, monitor), selection, look, SEED)?);
        }
    }
    Ok(refinings)
}

/// Takes one step: every metric up to the first stage, the one that is looked at before the others, then up to the last.
fn refine(
    refinings: &mut [Refining],
    first: usize,
    monitor: &Monitor,
) -> Result<Answer, Unanswered> {
    let others = (0..refinings.len()).filter(|it| *it != first);
    let order: Vec<usize> = std::iter::once(first).chain(others).collect();
    for stage in STAGES {
        for idx in &order {
            if let Some(refining) = refinings.get_mut(*idx)
                && refining.n_resamples() < stage
            {
                let step = refining.step(monitor, stage);
                step.map_err(|_| Unanswered::Stopped)?;
                let compared = refining.compared();
                return Ok(Answer::Refined(*idx, Box::new(compared), false));
            }
        }
    }
    match refinings.get(first) {
        Some(it) => Ok(Answer::Refined(first, Box::new(it.compared()), true)),
        None => Err(failed("there is nothing to compare")),
    }
}

fn slices(
    (store, monitor): (&Store, &Monitor),
    pairing: &Handle<Pairing>,
    selection: &Selection,
    (by, aim): (By, &Aim),
    n_resamples: u32,
) -> Result<Sliced, Unanswered> {
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
    Ok(Sliced::Slices(slices))
}

fn tags(
    (store, monitor): (&Store, &Monitor),
    pairing: &Handle<Pairing>,
    selection: &Selection,
    aim: &Aim,
    n_resamples: u32,
) -> Result<Sliced, Unanswered> {
    let refinings = pairing
        .lock()
        .tag_refinings((store, monitor), selection, aim.other, SEED)?;
    let compared = refinings.map(|it| finish(it, monitor, n_resamples));
    let compared = compared.collect::<Result<Vec<_>, Unanswered>>()?;
    Ok(Sliced::Tags(rank_tags(compared, selection.len())))
}

fn finish<Of: Copy>(
    refining: Refining<Of>,
    monitor: &Monitor,
    n_resamples: u32,
) -> Result<Compared<Of>, Unanswered> {
    let compared = refining.finish(monitor, n_resamples);
    compared.map_err(|_| Unanswered::Stopped)
}

fn rows(
    store: &Store,
    pairing: &Pairing,
    places: &[u32],
    metric: &str,
) -> Result<Vec<ComparedRow>, Unanswered> {
    let looks: Vec<Look> = (1..pairing.runs().len())
        .filter_map(|other| pairing.look(metric, other))
        .collect();
    let rows = pairing.rows(store, places)?.into_iter().map(|row| {
        let values = |look: &Look| pairing.values(*look, row.place);
        let first = looks.first().map(|it| values(it).0);
        let others = looks.iter().map(|it| values(it).1);
        ComparedRow {
            values: first.into_iter().chain(others).collect(),
            row,
        }
    });
    Ok(rows.collect())
}

fn shown(store: &Store, pairing: &Pairing, place: u32) -> Result<Shown, Unanswered> {
    let key = pairing.key(place);
    let setting = &pairing.runs()[0].setting;
    let located = store.located_reference(&key, setting.target, setting.matcher)?;
    let sample = store.sample(&key, setting.matcher)?;
    let root = sample.map(|it| it.root).filter(|it| it.is_dir());
    let first_line = located.as_ref().map_or(1, |it| it.line);
    Ok(Shown {
        key,
        place,
        texts: pairing.texts(store, place)?,
        at: located
            .zip(root)
            .map(|(it, root)| (root.join(it.path), it.line)),
        first_line,
        around: around(store, &key, setting)?,
    })
}

fn find(
    store: &Store,
    pairing: &Handle<Pairing>,
    order: &[u32],
    (needle, from, step): (&str, usize, Step),
    monitor: &Monitor,
) -> Result<Option<usize>, Unanswered> {
    let needle = needle.to_lowercase();
    let n = order.len();
    // Around the ends: what comes after where one is, then what comes before it.
    let numbers: Vec<usize> = match step {
        Step::Next => (0..n).map(|it| (from + it) % n).collect(),
        Step::Previous => (0..n).map(|it| (from + n - it) % n).collect(),
    };
    for numbers in numbers.chunks(ROWS_AT_ONCE) {
        monitor.step().map_err(|_| Unanswered::Stopped)?;
        let places: Vec<u32> = numbers.iter().map(|it| order[*it]).collect();
        let rows = pairing.lock().rows(store, &places)?;
        let is_found = |row: &crate::eval::pairing::PairedRow| {
            let focal = row.sample.as_ref().and_then(|it| it.focal.as_deref());
            let test = row.test().unwrap_or_default().to_lowercase();
            test.contains(&needle) || focal.is_some_and(|it| it.to_lowercase().contains(&needle))
        };
        if let Some(idx) = rows.iter().position(is_found) {
            return Ok(Some(numbers[idx]));
        }
    }
    Ok(None)
}

/// Writes a new file; one that is there stays as it is.
fn export(store: &Store, pairing: &Pairing, order: &[u32], path: &Path) -> Result<(), Unanswered> {
    let file = File::create_new(path).map_err(|error| {
        let text = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "there is such a file already".to_owned(),
            _ => error.to_string(),
        };
        failed(visible(&format!("{}: {text}", path.display())))
    })?;
    let mut out = BufWriter::new(file);
    pairing.export(store, &Monitor::default(), order, &mut out)?;
    Ok(())
}

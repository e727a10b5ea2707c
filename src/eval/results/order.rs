//! The order of a list of predictions.
//!
//! In both directions, predictions without a value come last. One that does not parse has a value all the same: a
//! search for the greatest loss must find it. Equal ones come by number, so the order is total. In an order by
//! differences to a baseline they come by the samples' keys, so that it is the same for either run, for any order of
//! their files, and in [`crate::pairing`].

use std::cmp::Ordering;

use crate::model::{Direction, Execution, FaultCounts, Filter, PredictionSort, SortField};
use crate::store::SortableColumn;
use crate::task::{Cancelled, Monitor};

use super::super::EvalError;
use super::columns::ColumnReader;
use super::conditions::{branches, lines, milliseconds};

/// Predictions that are sorted, or merged, between two looks at the monitor.
const SORTED_AT_ONCE: usize = 1 << 15;

/// Stands for no value, which comes last.
const NO_VALUE: u64 = u64::MAX;

/// One `sort:`, ready to be compared.
struct SortColumn {
    direction: Direction,
    /// By number; ascending in both directions. For a text its first bytes.
    heads: Vec<u64>,
    texts: Option<SortTexts>,
}

struct SortTexts {
    text: String,
    places: Vec<Option<(u32, u32)>>,
}

impl SortTexts {
    fn of(&self, ordinal: u32) -> &str {
        self.places[ordinal as usize]
            .map_or("", |(start, end)| &self.text[start as usize..end as usize])
    }
}

impl SortColumn {
    /// Takes what `value` returns for each number; NaN for nothing.
    fn of_numbers(n_predictions: u32, direction: Direction, value: impl Fn(u32) -> f64) -> Self {
        let head = |ordinal| {
            let value = value(ordinal);
            if value.is_nan() {
                return NO_VALUE;
            }
            // Adding 0 makes -0 equal to 0. Then bits order as numbers do, but for the sign.
            let bits = (value + 0.0).to_bits();
            let bits = if bits >> 63 == 0 {
                bits | 1 << 63
            } else {
                !bits
            };
            directed(bits, direction)
        };
        Self {
            direction,
            heads: (0..n_predictions).map(head).collect(),
            texts: None,
        }
    }

    fn of_texts(direction: Direction, text: String, places: Vec<Option<(u32, u32)>>) -> Self {
        let texts = SortTexts { text, places };
        let head = |(ordinal, place): (u32, &Option<(u32, u32)>)| {
            if place.is_none() {
                return NO_VALUE;
            }
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(texts.of(ordinal).bytes()) {
                *to = from;
            }
            directed(u64::from_be_bytes(bytes), direction)
        };
        Self {
            direction,
            heads: (0..).zip(&texts.places).map(head).collect(),
            texts: Some(texts),
        }
    }

    /// Compares two predictions whose heads are the same.
    fn compare_texts(&self, first: u32, second: u32) -> Ordering {
        let Some(texts) = &self.texts else {
            return Ordering::Equal;
        };
        let order = texts.of(first).cmp(texts.of(second));
        match self.direction {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        }
    }
}

fn directed(bits: u64, direction: Direction) -> u64 {
    let bits = match direction {
        Direction::Ascending => bits,
        Direction::Descending => !bits,
    };
    bits.min(NO_VALUE - 1)
}

/// Puts numbers, which ascend, into the filter's order.
pub fn sort(
    reader: &ColumnReader<'_>,
    filter: &Filter,
    ordinals: &mut [u32],
) -> Result<(), EvalError> {
    let mut keys = Vec::with_capacity(filter.sort.len());
    for sort_key in &filter.sort {
        keys.push(key(reader, sort_key.field, sort_key.direction)?);
    }
    let Some(first) = keys.first() else {
        return Ok(());
    };
    let pairs = match &reader.view.baseline {
        Some(baseline)
            if filter
                .sort
                .iter()
                .any(|sort_key| is_difference(sort_key.field)) =>
        {
            Some(reader.pairs(baseline)?)
        }
        _ => None,
    };
    let place = |ordinal: u32| match &pairs {
        Some(pairs) => pairs.places[ordinal as usize],
        None => ordinal,
    };
    let headed = ordinals
        .iter()
        .map(|ordinal| (first.heads[*ordinal as usize], *ordinal));
    let mut headed: Vec<(u64, u32)> = headed.collect();
    let compare = |a: &(u64, u32), b: &(u64, u32)| {
        let by_keys = || {
            first.compare_texts(a.1, b.1).then_with(|| {
                keys[1..].iter().fold(Ordering::Equal, |order, key| {
                    order.then_with(|| {
                        let head = |ordinal: u32| key.heads[ordinal as usize];
                        let heads = head(a.1).cmp(&head(b.1));
                        heads.then_with(|| key.compare_texts(a.1, b.1))
                    })
                })
            })
        };
        let by_place = || place(a.1).cmp(&place(b.1));
        a.0.cmp(&b.0).then_with(by_keys).then_with(by_place)
    };
    sorted(&mut headed, compare, reader.monitor)?;
    for (to, from) in ordinals.iter_mut().zip(&headed) {
        *to = from.1;
    }
    Ok(())
}

const fn is_difference(field: SortField) -> bool {
    matches!(field, SortField::Delta(_))
}

fn key(
    reader: &ColumnReader<'_>,
    field: SortField,
    direction: Direction,
) -> Result<SortColumn, EvalError> {
    let n_predictions = reader.n_predictions();
    let number =
        |value: &dyn Fn(u32) -> f64| SortColumn::of_numbers(n_predictions, direction, value);
    Ok(match field {
        SortField::Score(metric) => {
            let scores = reader.scores(metric)?;
            number(&|ordinal| scores.of(ordinal))
        }
        SortField::Delta(metric) => by_delta(reader, (field, metric), direction)?,
        SortField::Meta(name) => by_said(reader, name.as_str(), direction)?,
        SortField::Prediction(field) => number(&*of_prediction(reader, field)?),
        SortField::Sample(_) => {
            let links = reader.links()?;
            reader.announce_run();
            match reader.store.result_column(&links, field, reader.monitor)? {
                SortableColumn::Numbers(numbers) => number(&|ordinal| numbers[ordinal as usize]),
                SortableColumn::Texts { text, places } => {
                    SortColumn::of_texts(direction, text, places)
                }
            }
        }
    })
}

/// Sorts by a score that the file gives: numbers by size, and as texts where one of them is no number.
fn by_said(
    reader: &ColumnReader<'_>,
    name: &str,
    direction: Direction,
) -> Result<SortColumn, EvalError> {
    let file_scores = reader.file_scores()?;
    let values = file_scores
        .all
        .iter()
        .map(|map| map.get(name).map(String::as_str));
    let values: Vec<Option<&str>> = values.collect();
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|value| value.map_or(Some(f64::NAN), |text| text.parse().ok()))
        .collect();
    let n_predictions = reader.n_predictions();
    let of = |ordinal: u32| file_scores.places[ordinal as usize];
    if let Some(numbers) = numbers {
        let number = |ordinal| numbers[of(ordinal)];
        return Ok(SortColumn::of_numbers(n_predictions, direction, number));
    }
    let mut text = String::new();
    let place = |value: Option<&str>| {
        let start = text.len() as u32;
        text.push_str(value?);
        Some((start, text.len() as u32))
    };
    let known: Vec<Option<(u32, u32)>> = values.into_iter().map(place).collect();
    let places = (0..n_predictions).map(|ordinal| known[of(ordinal)]);
    let places = places.collect();
    Ok(SortColumn::of_texts(direction, text, places))
}

type NumberGetter = Box<dyn Fn(u32) -> f64>;

/// Reads the numbers that predictions are sorted by; NaN where there is none.
fn of_prediction(
    reader: &ColumnReader<'_>,
    field: PredictionSort,
) -> Result<NumberGetter, EvalError> {
    Ok(match field {
        PredictionSort::ReferenceTokens | PredictionSort::PredictionTokens => {
            let (flags, tokens) = (reader.flags()?, reader.tokens()?);
            Box::new(move |ordinal| {
                let counts = if field == PredictionSort::ReferenceTokens {
                    &tokens.of_references
                } else {
                    &tokens.of_predictions
                };
                let place = ordinal as usize;
                if flags[place].is_read() {
                    f64::from(counts[place])
                } else {
                    f64::NAN
                }
            })
        }
        PredictionSort::Attempt => {
            let attempts = reader.attempts()?;
            Box::new(move |ordinal| f64::from(attempts[ordinal as usize]))
        }
        PredictionSort::Ran => of_execution(reader, |execution| {
            execution
                .outcome
                .map_or(f64::NAN, |outcome| f64::from(outcome as u8))
        })?,
        PredictionSort::Lines => of_execution(reader, lines)?,
        PredictionSort::Branches => of_execution(reader, branches)?,
        PredictionSort::Mutation => of_faults(reader, FaultCounts::score)?,
        PredictionSort::Strength => of_faults(reader, FaultCounts::strength)?,
        PredictionSort::Milliseconds => of_execution(reader, milliseconds)?,
    })
}

fn of_execution(
    reader: &ColumnReader<'_>,
    number: fn(&Execution) -> f64,
) -> Result<NumberGetter, EvalError> {
    let executions = reader.executions()?;
    Ok(Box::new(move |ordinal| {
        let execution = executions[ordinal as usize].as_ref();
        execution.map_or(f64::NAN, number)
    }))
}

fn of_faults(
    reader: &ColumnReader<'_>,
    number: fn(FaultCounts) -> Option<f64>,
) -> Result<NumberGetter, EvalError> {
    let faults = reader.faults()?;
    Ok(Box::new(move |ordinal| {
        let value = faults.get(&ordinal).copied().and_then(number);
        value.unwrap_or(f64::NAN)
    }))
}

/// Without a metric of its own, the field uses the list's.
fn by_delta(
    reader: &ColumnReader<'_>,
    (field, metric): (SortField, Option<&str>),
    direction: Direction,
) -> Result<SortColumn, EvalError> {
    if reader.view.baseline.is_none() {
        let field = field.to_string();
        return Err(EvalError::NoBaseline { field });
    }
    let deltas = match metric.or(reader.view.metric) {
        Some(metric) => reader.deltas(metric)?,
        None => None,
    };
    Ok(SortColumn::of_numbers(
        reader.n_predictions(),
        direction,
        |ordinal| deltas.as_ref().map_or(f64::NAN, |delta| delta.of(ordinal)),
    ))
}

/// Sorts, and looks at the monitor now and then: a merge sort over runs that are sorted by the standard library.
fn sorted<T: Copy>(
    items: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
    monitor: &Monitor,
) -> Result<(), Cancelled> {
    for piece in items.chunks_mut(SORTED_AT_ONCE) {
        monitor.step()?;
        piece.sort_unstable_by(&compare);
    }
    let mut merged = Vec::new();
    let mut width = SORTED_AT_ONCE;
    while width < items.len() {
        merged.clear();
        merged.reserve_exact(items.len());
        for pair in items.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some(first), Some(second)) = (left.first(), right.first()) {
                if merged.len().is_multiple_of(SORTED_AT_ONCE) {
                    monitor.step()?;
                }
                if compare(first, second).is_le() {
                    merged.push(*first);
                    left = &left[1..];
                } else {
                    merged.push(*second);
                    right = &right[1..];
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(items, &mut merged);
        width *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_in_pieces_gives_what_sorting_at_once_does() {
        let check = |n_items: u64| {
            let mut items: Vec<u64> = (0..n_items)
                .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40)
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sorted(&mut items, u64::cmp, &Monitor::default()).expect("nobody cancels");
            assert_eq!(items, expected, "{n_items}");
        };
        for n_items in [0, 1, 65_535, 65_536, 65_537, 200_000, 300_001] {
            check(n_items);
        }
    }

    #[test]
    fn a_cancelled_sort_stops() {
        let monitor = Monitor::default();
        monitor.cancel();
        assert_eq!(sorted(&mut vec![2, 1], u64::cmp, &monitor), Err(Cancelled));
    }

    #[test]
    fn numbers_order_by_value_and_nothing_comes_last() {
        let values = [0.5, f64::NAN, -0.25, 0.0, -0.0, 1.0];
        let check = |direction, expected: [u32; 6]| {
            let key = SortColumn::of_numbers(6, direction, |n| values[n as usize]);
            let mut ordinals: Vec<u32> = (0..6).collect();
            ordinals.sort_by_key(|ordinal| (key.heads[*ordinal as usize], *ordinal));
            assert_eq!(ordinals, expected);
        };
        check(Direction::Ascending, [2, 3, 4, 0, 5, 1]);
        check(Direction::Descending, [5, 0, 3, 4, 2, 1]);
    }
}

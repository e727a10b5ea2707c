//! The field `near` of filters: its samples are found by comparing texts, before the store is asked.

use crate::Context;
use crate::command::workspace;
use crate::failure::{ExitCode, Failure, Stop};
use crate::leakage::{LeakageIndex, LeakageOptions, THRESHOLD_MIN};
use crate::model::{Condition, Filter, OfSample, Range, SampleKey, Term, agreeing, counted};
use crate::progress;

/// Replaces every condition on `near` by the samples that fulfil it.
pub fn resolve(context: &mut Context<'_, '_>, filter: &mut Filter) -> Result<(), Stop> {
    let mut lowest: Option<f64> = None;
    for condition in filter.conditions() {
        if let Some(range) = near(condition) {
            let bound = known_from(range)?;
            lowest = Some(lowest.map_or(bound, |lowest| lowest.min(bound)));
        }
    }
    let Some(lowest) = lowest else {
        return Ok(());
    };
    let store = workspace::open(context)?;
    let (similarities, n_left_out) = progress::run(context, |_, monitor| {
        let index = LeakageIndex::build_whole(&store, monitor, &LeakageOptions::default())?;
        Ok(index.nearest_others(&store, monitor, lowest)?)
    })?;
    if n_left_out > 0 {
        context.say(&format!(
            "warning: {} of nearly identical tests {} not compared: more may be near",
            counted(n_left_out, "pair"),
            agreeing(n_left_out, "was", "were")
        ));
    }
    for term in &mut filter.terms {
        term.replace(&mut |condition| {
            let (reached, is_below) = reached(near(condition)?);
            let meant = similarities
                .iter()
                .filter(|similarity| reached.holds(*similarity.1));
            let keys: Vec<SampleKey> = meant.map(|meant| *meant.0).collect();
            let term = Term::from(Condition::Keys(keys));
            Some(if is_below { Term::not(term) } else { term })
        });
    }
    Ok(())
}

fn near(condition: &Condition) -> Option<Range> {
    match condition {
        Condition::Sample(OfSample::Near(range)) => Some(*range),
        Condition::Sample(_)
        | Condition::Keys(_)
        | Condition::Prediction(_)
        | Condition::Score(..)
        | Condition::DeltaOf(..) => None,
    }
}

/// Turns a range into the similarities to look for, and tells whether the other samples are meant: below a bound are
/// all that do not reach it, also those like nothing else.
const fn reached(range: Range) -> (Range, bool) {
    match range {
        Range::About(bound) | Range::AtLeast(bound) => (Range::AtLeast(bound), false),
        Range::More(bound) => (Range::More(bound), false),
        Range::Less(bound) => (Range::AtLeast(bound), true),
        Range::AtMost(bound) => (Range::More(bound), true),
        Range::Exactly(_) | Range::Between(..) => (range, false),
    }
}

/// Chooses the lowest similarity of the pairs that must be known.
fn known_from(range: Range) -> Result<f64, Stop> {
    let (first, last) = match range {
        Range::About(bound)
        | Range::Exactly(bound)
        | Range::Less(bound)
        | Range::AtMost(bound)
        | Range::More(bound)
        | Range::AtLeast(bound) => (bound, bound),
        Range::Between(first, last) => (first, last),
    };
    let known = THRESHOLD_MIN..=1.0;
    let unknown = [first, last]
        .into_iter()
        .find(|value| !known.contains(value));
    match unknown {
        None => Ok(first),
        Some(unknown) => {
            let message = format!("`near` is known from {THRESHOLD_MIN} to 1, not at {unknown}");
            Err(Failure::new(ExitCode::Usage, message).into())
        }
    }
}

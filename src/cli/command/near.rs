//! The field `near` of filters: what it asks is found by comparing texts, before the store is asked.

use crate::Context;
use crate::command::workspace;
use crate::failure::{ExitCode, Failure, Stop};
use crate::leakage::{Index, Options, THRESHOLD_MIN};
use crate::model::{Comparison, Filter, SampleKey, Term, agreeing, counted};
use crate::progress;

/// Puts the samples that are meant in the place of every condition on how near they are.
pub fn resolve(context: &mut Context<'_, '_>, filter: &mut Filter) -> Result<(), Stop> {
    let mut bounds = Vec::new();
    for term in filter.terms.iter().filter(|it| it.field == Term::NEAR) {
        bounds.push(bound(term)?);
    }
    let Some(lowest) = bounds.iter().copied().min_by(f64::total_cmp) else {
        return Ok(());
    };
    let store = workspace::open(context)?;
    let (similarities, n_left_out) = progress::run(context, |_, monitor| {
        let index = Index::build_whole(&store, monitor, &Options::default())?;
        Ok(index.nearest_others(&store, monitor, lowest)?)
    })?;
    if n_left_out > 0 {
        context.say(&format!(
            "warning: {} of much the same tests {} not compared: more may be near",
            counted(n_left_out, "pair"),
            agreeing(n_left_out, "was", "were")
        ));
    }
    let near = filter.terms.iter_mut().filter(|it| it.field == Term::NEAR);
    for (term, bound) in near.zip(bounds) {
        let is_meant = |similarity: f64| match term.comparison {
            Comparison::Is | Comparison::GreaterOrEqual | Comparison::Less => similarity >= bound,
            Comparison::Greater | Comparison::LessOrEqual => similarity > bound,
            Comparison::Exactly => similarity.total_cmp(&bound).is_eq(),
        };
        let meant = similarities.iter().filter(|it| is_meant(*it.1));
        let keys: Vec<SampleKey> = meant.map(|it| *it.0).collect();
        // What is below a bound is all that does not reach it.
        let is_below = matches!(term.comparison, Comparison::Less | Comparison::LessOrEqual);
        let negated = term.negated != is_below;
        *term = Term {
            negated,
            ..Term::of_keys(Term::NEAR, &keys)
        };
    }
    Ok(())
}

fn bound(term: &Term) -> Result<f64, Stop> {
    let number = term.value.parse::<f64>().ok();
    let bound = number.filter(|it| (THRESHOLD_MIN..=1.0).contains(it));
    bound.ok_or_else(|| {
        let message = format!(
            "`near` is known from {THRESHOLD_MIN} to 1, not at {}",
            term.value
        );
        Failure::new(ExitCode::Usage, message).into()
    })
}

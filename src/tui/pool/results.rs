//! Answers to questions of Results.

use std::sync::Arc;

use crate::browse;
use crate::eval::explained::explained;
use crate::eval::results::Start;
use crate::eval::{self, results};
use crate::keymap::Step;
use crate::leakage::{self, NearestOptions};
use crate::model::{Filter, RunSetting, SampleKey, Snippet, Split, Target};
use crate::pool::{Unanswered, verdicts};
use crate::question::Failure;
use crate::question::results::{Answer, Query};
use crate::review;
use crate::store::Store;
use crate::text::with_causes;
use crate::transfer;

/// How many training samples are listed.
const N_NEAREST: usize = 50;

impl From<eval::Error> for Unanswered {
    fn from(error: eval::Error) -> Self {
        match error {
            eval::Error::Store(error) => error.into(),
            eval::Error::Cancelled(_) => Self::Stopped,
            error => Self::Failed(Failure::Other(with_causes(&error))),
        }
    }
}

impl From<leakage::Error> for Unanswered {
    fn from(error: leakage::Error) -> Self {
        match error {
            leakage::Error::Store(error) => error.into(),
            leakage::Error::Cancelled(_) => Self::Stopped,
            error @ leakage::Error::NoSuchSample { .. } => {
                Self::Failed(Failure::Other(with_causes(&error)))
            }
        }
    }
}

/// Answers one question.
///
/// # Errors
/// What the index says; `Stopped` when it was interrupted.
pub fn answer(store: &Store, query: &Query) -> Result<Answer, Unanswered> {
    Ok(match query {
        Query::List(options, watched) => {
            let list = results::list(store, &watched.0, options)?;
            Answer::List(Arc::new(list))
        }
        Query::Rows { list, range } => {
            let ordinals = list.ordinals.get(range.clone()).unwrap_or_default();
            let mut rows = results::rows(store, &list.view, ordinals)?;
            review::fill_in(store, &verdicts(store)?, &list.view.run, &mut rows)?;
            Answer::Rows(range.start, rows)
        }
        Query::Detail { view, ordinal } => {
            let mut found = explained(store, view, *ordinal)?.map(Box::new);
            if let Some(found) = &mut found {
                let rows = std::slice::from_mut(&mut found.detail.row);
                review::fill_in(store, &verdicts(store)?, &view.run, rows)?;
            }
            let key = found.as_ref().map(|it| it.detail.row.key);
            let around = key.map(|it| around(store, &it, &view.run.setting));
            Answer::Detail(found, around.transpose()?.flatten().map(Box::new))
        }
        Query::Groups(options, by, watched) => {
            Answer::Groups(results::groups(store, &watched.0, options, *by)?)
        }
        Query::Find {
            list,
            needle,
            from,
            step,
        } => {
            let monitor = crate::task::Monitor::default();
            let start = Start {
                place: *from,
                backwards: *step == Step::Previous,
            };
            Answer::Found(results::find(store, &monitor, list, needle, start)?)
        }
        Query::Locate { list, key } => {
            let ordinal = store.result_ordinal(list.view.run.id, key, 0)?;
            let place = ordinal.and_then(|it| list.ordinals.iter().position(|other| *other == it));
            Answer::Located(place)
        }
        Query::Nearest(key, watched) => {
            let asked = NearestOptions {
                key: *key,
                split: Split::Train,
                n: N_NEAREST,
            };
            // Models are trained on what an export writes: as `focalist leakage` has it.
            let filter = Filter {
                terms: transfer::paper_filter(),
                sort: Vec::new(),
            };
            let options = leakage::Options {
                filter,
                ..leakage::Options::default()
            };
            Answer::Nearest(leakage::nearest(store, &watched.0, &options, asked)?)
        }
    })
}

/// Returns the code that a prediction stands in: the test whose assertion part it is, or of a whole test what that is about.
///
/// # Errors
/// What the index says.
pub fn around(
    store: &Store,
    key: &SampleKey,
    setting: &RunSetting,
) -> Result<Option<Snippet>, Unanswered> {
    let sample = browse::detail(store, key, Some(setting.matcher))?;
    Ok(sample.and_then(|it| match setting.target {
        Target::Assertion => Some(it.test),
        Target::Test => it.focal,
    }))
}

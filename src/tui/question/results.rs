//! Questions of Results, and their answers.

use std::ops::Range;
use std::sync::Arc;

use crate::eval::by::By;
use crate::eval::explained::Explained;
use crate::eval::results::{ResultList, ResultsOptions, ResultsView};
use crate::keymap::Step;
use crate::leakage::Nearest;
use crate::model::{ResultGroup, ResultRow, SampleKey, Snippet};
use crate::task::Monitor;

/// How far a question is, shared with whoever answers it. Two are the same only when they are one.
#[derive(Clone, Debug, Default)]
pub struct Watched(pub Arc<Monitor>);

impl PartialEq for Watched {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What Results wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Which predictions a filter lets through, in its order.
    List(ResultsOptions, Watched),
    Rows {
        list: Arc<ResultList>,
        range: Range<usize>,
    },
    /// All of one prediction, and how its value comes about.
    Detail {
        view: Arc<ResultsView>,
        ordinal: u32,
    },
    Groups(ResultsOptions, By, Watched),
    /// The next row whose test or focal method has this in its name.
    Find {
        list: Arc<ResultList>,
        needle: String,
        from: usize,
        step: Step,
    },
    /// The row of a sample.
    Locate {
        list: Arc<ResultList>,
        key: SampleKey,
    },
    /// The training samples that are nearest to one.
    Nearest(SampleKey, Watched),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    List(Arc<ResultList>),
    /// From this row on.
    Rows(usize, Vec<ResultRow>),
    /// The prediction, nothing when the run has no such one any more; and the code around it.
    Detail(Option<Box<Explained>>, Option<Box<Snippet>>),
    Groups(Vec<ResultGroup>),
    /// The place in the list.
    Found(Option<usize>),
    /// The same, of a sample; nothing when it is not in the list.
    Located(Option<usize>),
    Nearest(Nearest),
}

//! The most recent lists, as ids alone, kept until the index changes.

use std::cell::RefCell;
use std::sync::Arc;

use crate::model::Filter;

/// The lists that were asked for last.
#[derive(Default)]
pub(super) struct RecentLists(RefCell<Vec<FilteredList>>);

/// The rows that a filter lets through, in its order.
pub(super) struct FilteredList {
    pub filter: Filter,
    /// The state of the index and of the verdicts that the list belongs to.
    pub version: (i64, i64),
    pub ids: Arc<Vec<i64>>,
}

/// The number of lists that are kept: the one on screen and the one before it.
const LISTS_MAX: usize = 2;

impl RecentLists {
    pub(super) fn find(&self, filter: &Filter, version: (i64, i64)) -> Option<Arc<Vec<i64>>> {
        let lists = self.0.borrow();
        let list = lists
            .iter()
            .find(|list| list.version == version && list.filter == *filter)?;
        Some(list.ids.clone())
    }

    pub(super) fn keep(&self, list: FilteredList) {
        let mut lists = self.0.borrow_mut();
        lists.retain(|filtered_list| {
            filtered_list.version.0 == list.version.0 && filtered_list.filter != list.filter
        });
        if lists.len() == LISTS_MAX {
            lists.remove(0);
        }
        lists.push(list);
    }
}

//! What Samples asks: rows of the list, a page at a time.

use crate::browse;
use crate::keymap::Step;
use crate::model::{Filter, Name, OfSample, SampleKey, SampleRow};
use crate::question::shared::SampleRowId;
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};
use crate::store::{Anchor, Sign, Store, StoreError};
use crate::widget::list::{From, Page};

/// Some of these tests.
#[derive(Debug)]
pub struct AskPage {
    pub filter: Filter,
    pub from: From,
    pub limit: usize,
}

impl Question for AskPage {
    type Answer = Page;
    const SLOT: Slot = Slot("samples.page");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        Ok(page(source.store()?, &self.filter, &self.from, self.limit)?)
    }
}

/// What people said of these samples, each in one sign.
#[derive(Debug)]
pub struct AskSigns(pub Vec<SampleKey>);

impl Question for AskSigns {
    /// The samples that were asked about, and the signs of those with a verdict or a remark.
    type Answer = (Vec<SampleKey>, Vec<(SampleKey, Sign)>);
    const SLOT: Slot = Slot("samples.signs");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let signs = source.verdicts()?.signs(&self.0)?;
        Ok((self.0.clone(), signs))
    }
}

fn page(store: &Store, filter: &Filter, from: &From, limit: usize) -> Result<Page, StoreError> {
    let read = |anchor| browse::page(store, filter, anchor, limit);
    let is_full = |rows: &[SampleRow]| rows.len() == limit;
    Ok(match from {
        From::First => at_rank(store, filter, 0, limit)?,
        From::Last => {
            let rows = read(Anchor::Last)?;
            let is_first = !is_full(&rows);
            Page {
                rank: is_first.then_some(0),
                is_first,
                is_last: true,
                rows,
                ..Page::default()
            }
        }
        From::After(id) => {
            let rows = read(Anchor::After(*id))?;
            Page {
                is_last: !is_full(&rows),
                rows,
                ..Page::default()
            }
        }
        From::Before(id) => {
            let rows = read(Anchor::Before(*id))?;
            Page {
                is_first: !is_full(&rows),
                rows,
                ..Page::default()
            }
        }
        From::Around(id) => around(store, filter, *id, limit)?,
        From::AroundKey(key, rank) => {
            let sample = store.sample(key, browse::matcher_of(filter))?;
            let id = sample.map(|it| browse::detail_of(it).row.id);
            let found = match id {
                Some(id) => browse::rank(store, filter, id)?,
                None => None,
            };
            near(store, filter, found.unwrap_or(*rank), limit)?
        }
        From::Match { needle, id, step } => {
            let found = search(store, filter, (needle, *id, *step))?;
            // Nothing found: the list stays where it is.
            Page {
                is_not_found: found.is_none(),
                ..around(store, filter, found.unwrap_or(*id), limit)?
            }
        }
    })
}

fn at_rank(store: &Store, filter: &Filter, rank: u64, limit: usize) -> Result<Page, StoreError> {
    let anchor = if rank == 0 {
        Anchor::First
    } else {
        Anchor::AtRank(rank)
    };
    let rows = browse::page(store, filter, anchor, limit)?;
    Ok(Page {
        rank: Some(rank),
        is_first: rank == 0,
        is_last: rows.len() < limit,
        rows,
        ..Page::default()
    })
}

fn around(
    store: &Store,
    filter: &Filter,
    id: SampleRowId,
    limit: usize,
) -> Result<Page, StoreError> {
    match browse::rank(store, filter, id)? {
        Some(rank) => near(store, filter, rank, limit),
        None => at_rank(store, filter, 0, limit),
    }
}

/// Reads the page around the row of a number, or around the last one.
fn near(store: &Store, filter: &Filter, rank: u64, limit: usize) -> Result<Page, StoreError> {
    let first = rank.saturating_sub(limit as u64 / 2);
    let page = at_rank(store, filter, first, limit)?;
    if page.rows.is_empty() && !page.is_first {
        return self::page(store, filter, &From::Last, limit);
    }
    let idx = usize::try_from(rank - first).unwrap_or(usize::MAX);
    let row = page.rows.get(idx).or(page.rows.last());
    Ok(Page {
        selected: row.map(|it| it.id),
        ..page
    })
}

/// Finds the next row whose test or focal method holds the needle in its name, around the ends.
fn search(
    store: &Store,
    filter: &Filter,
    (needle, id, step): (&str, SampleRowId, Step),
) -> Result<Option<SampleRowId>, StoreError> {
    let mut filter = filter.clone();
    filter
        .terms
        .push(OfSample::Name(Name::Part(needle.to_owned())).into());
    let (onward, around) = match step {
        Step::Next => (Anchor::After(id), Anchor::First),
        Step::Previous => (Anchor::Before(id), Anchor::Last),
    };
    let mut rows = browse::page(store, &filter, onward, 1)?;
    if rows.is_empty() {
        rows = browse::page(store, &filter, around, 1)?;
    }
    Ok(rows.first().map(|row| row.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{counter_repo, store_with};

    #[test]
    fn pages_follow_each_other_from_either_end() {
        let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let filter = Filter::default();
        let ids = |page: &Page| page.rows.iter().map(|row| row.id).collect::<Vec<_>>();
        let read = |from: From| page(&store, &filter, &from, 4).expect("the index can be read");
        let first = read(From::First);
        assert_eq!((first.rows.len(), first.rank), (4, Some(0)));
        assert!(first.is_first && !first.is_last);
        let rest = read(From::After(first.rows[3].id));
        assert!(rest.rows.len() == 2 && rest.is_last);
        let last = read(From::Last);
        assert!(last.is_last && !last.is_first && last.rank.is_none());
        assert_eq!(ids(&last)[2..], ids(&rest)[..]);
        let around = read(From::Around(rest.rows[0].id));
        assert_eq!(
            (around.selected, around.rank),
            (Some(rest.rows[0].id), Some(2))
        );
    }

    #[test]
    fn a_search_goes_around_the_ends_and_says_when_nothing_is_there() {
        let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let filter = Filter::default();
        let found = |id, needle: &str, step| {
            search(&store, &filter, (needle, id, step)).expect("the index can be read")
        };
        let all = page(&store, &filter, &From::First, 10).expect("the index can be read");
        let named: Vec<i64> = all
            .rows
            .iter()
            .filter(|row| row.test_name == "testInc")
            .map(|row| row.id)
            .collect();
        assert_eq!(named.len(), 2);
        assert_eq!(found(named[0], "testInc", Step::Next), Some(named[1]));
        assert_eq!(found(named[1], "testInc", Step::Next), Some(named[0]));
        assert_eq!(found(named[0], "testInc", Step::Previous), Some(named[1]));
        assert_eq!(found(named[0], "nowhere", Step::Next), None);
    }
}

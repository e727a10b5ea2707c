//! The questions of Samples: rows of the list, a page at a time, and signs of people's remarks.

use crate::browse;
use crate::keymap::StepDirection;
use crate::model::{Filter, Name, OfSample, SampleKey, SampleRow};
use crate::question::shared::SampleRowId;
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::store::{Anchor, Sign, Store, StoreError};
use crate::widget::list::{PageStart, SamplePage};

/// A page of the tests that a filter lets through.
#[derive(Debug)]
pub struct SamplePageQuestion {
    pub filter: Filter,
    pub from: PageStart,
    pub limit: usize,
}

impl Question for SamplePageQuestion {
    type Answer = SamplePage;
    const SLOT: Slot = Slot("samples.page");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(page(source.store()?, &self.filter, &self.from, self.limit)?)
    }
}

/// The signs of people's remarks on these samples.
#[derive(Debug)]
pub struct SampleSignsQuestion(pub Vec<SampleKey>);

impl Question for SampleSignsQuestion {
    /// The samples that were asked about, and the signs of those with remarks.
    type Answer = (Vec<SampleKey>, Vec<(SampleKey, Sign)>);
    const SLOT: Slot = Slot("samples.signs");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let signs = source.verdicts()?.signs(&self.0)?;
        Ok((self.0.clone(), signs))
    }
}

fn page(
    store: &Store,
    filter: &Filter,
    from: &PageStart,
    limit: usize,
) -> Result<SamplePage, StoreError> {
    let read = |anchor| browse::page(store, filter, anchor, limit);
    let is_full = |rows: &[SampleRow]| rows.len() == limit;
    Ok(match from {
        PageStart::First => at_rank(store, filter, 0, limit)?,
        PageStart::Last => {
            let rows = read(Anchor::Last)?;
            let is_first = !is_full(&rows);
            SamplePage {
                rank: is_first.then_some(0),
                is_first,
                is_last: true,
                rows,
                ..SamplePage::default()
            }
        }
        PageStart::After(id) => {
            let rows = read(Anchor::After(*id))?;
            SamplePage {
                is_last: !is_full(&rows),
                rows,
                ..SamplePage::default()
            }
        }
        PageStart::Before(id) => {
            let rows = read(Anchor::Before(*id))?;
            SamplePage {
                is_first: !is_full(&rows),
                rows,
                ..SamplePage::default()
            }
        }
        PageStart::Around(id) => around(store, filter, *id, limit)?,
        PageStart::AroundKey(key, rank) => {
            let sample = store.sample(key, browse::matcher_of(filter))?;
            let id = sample.map(|stored_sample| browse::detail_of(stored_sample).row.id);
            let found = match id {
                Some(id) => browse::rank(store, filter, id)?,
                None => None,
            };
            near(store, filter, found.unwrap_or(*rank), limit)?
        }
        PageStart::Match { needle, id, step } => {
            let found = search(store, filter, (needle, *id, *step))?;
            // Without a match, the list stays where it is.
            SamplePage {
                is_not_found: found.is_none(),
                ..around(store, filter, found.unwrap_or(*id), limit)?
            }
        }
    })
}

fn at_rank(
    store: &Store,
    filter: &Filter,
    rank: u64,
    limit: usize,
) -> Result<SamplePage, StoreError> {
    let anchor = if rank == 0 {
        Anchor::First
    } else {
        Anchor::AtRank(rank)
    };
    let rows = browse::page(store, filter, anchor, limit)?;
    Ok(SamplePage {
        rank: Some(rank),
        is_first: rank == 0,
        is_last: rows.len() < limit,
        rows,
        ..SamplePage::default()
    })
}

fn around(
    store: &Store,
    filter: &Filter,
    id: SampleRowId,
    limit: usize,
) -> Result<SamplePage, StoreError> {
    match browse::rank(store, filter, id)? {
        Some(rank) => near(store, filter, rank, limit),
        None => at_rank(store, filter, 0, limit),
    }
}

/// Reads the page around the row with this number; beyond the end, the last page.
fn near(store: &Store, filter: &Filter, rank: u64, limit: usize) -> Result<SamplePage, StoreError> {
    let first = rank.saturating_sub(limit as u64 / 2);
    let page = at_rank(store, filter, first, limit)?;
    if page.rows.is_empty() && !page.is_first {
        return self::page(store, filter, &PageStart::Last, limit);
    }
    let idx = usize::try_from(rank - first).unwrap_or(usize::MAX);
    let row = page.rows.get(idx).or(page.rows.last());
    Ok(SamplePage {
        selected: row.map(|sample_row| sample_row.id),
        ..page
    })
}

/// Finds the next row, around the ends, whose test or focal method has the text in its name.
fn search(
    store: &Store,
    filter: &Filter,
    (needle, id, step): (&str, SampleRowId, StepDirection),
) -> Result<Option<SampleRowId>, StoreError> {
    let mut filter = filter.clone();
    filter
        .terms
        .push(OfSample::Name(Name::Part(needle.to_owned())).into());
    let (onward, around) = match step {
        StepDirection::Next => (Anchor::After(id), Anchor::First),
        StepDirection::Previous => (Anchor::Before(id), Anchor::Last),
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
        let ids = |page: &SamplePage| page.rows.iter().map(|row| row.id).collect::<Vec<_>>();
        let read =
            |from: PageStart| page(&store, &filter, &from, 4).expect("the index can be read");
        let first = read(PageStart::First);
        assert_eq!((first.rows.len(), first.rank), (4, Some(0)));
        assert!(first.is_first && !first.is_last);
        let rest = read(PageStart::After(first.rows[3].id));
        assert!(rest.rows.len() == 2 && rest.is_last);
        let last = read(PageStart::Last);
        assert!(last.is_last && !last.is_first && last.rank.is_none());
        assert_eq!(ids(&last)[2..], ids(&rest)[..]);
        let around = read(PageStart::Around(rest.rows[0].id));
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
        let all = page(&store, &filter, &PageStart::First, 10).expect("the index can be read");
        let named: Vec<i64> = all
            .rows
            .iter()
            .filter(|row| row.test_name == "testInc")
            .map(|row| row.id)
            .collect();
        assert_eq!(named.len(), 2);
        assert_eq!(
            found(named[0], "testInc", StepDirection::Next),
            Some(named[1])
        );
        assert_eq!(
            found(named[1], "testInc", StepDirection::Next),
            Some(named[0])
        );
        assert_eq!(
            found(named[0], "testInc", StepDirection::Previous),
            Some(named[1])
        );
        assert_eq!(found(named[0], "nowhere", StepDirection::Next), None);
    }
}

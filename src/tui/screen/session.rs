//! The part of a session about one screen: its filter, its grouping, and the sample under the cursor.

use crate::config::Session;
use crate::eval::by::GroupBy;
use crate::model::{RunRow, SampleKey};
use crate::screen::Screen;

/// The message when a filter cannot be read any more.
pub const LOST_FILTER: &str = "the filter of your last session is no longer valid";

/// Keeps a filter for the next session; an empty one is not kept.
pub fn keep_filter(session: &mut Session, screen: Screen, text: &str) {
    session.filters.remove(&screen.word());
    if !text.is_empty() {
        session.filters.insert(screen.word(), text.to_owned());
    }
}

/// Returns the filter that was kept for a screen; empty if there was none.
#[must_use]
pub fn filter_of(session: &Session, screen: Screen) -> &str {
    let text = session.filters.get(&screen.word());
    text.map_or("", String::as_str)
}

/// Keeps the grouping of a screen for the next session.
pub fn keep_groups(session: &mut Session, screen: Screen, by: GroupBy) {
    let by = by.as_str().to_owned();
    session.groups.insert(screen.word(), by);
}

/// Returns the grouping that was kept for a screen.
#[must_use]
pub fn groups_of(session: &Session, screen: Screen) -> Option<GroupBy> {
    let word = session.groups.get(&screen.word())?;
    let mut all = GroupBy::OF_RESULTS.iter().copied();
    all.find(|group_by| group_by.as_str() == word)
}

/// Keeps the sample under the cursor, and its row, for the next session.
pub fn keep_at(session: &mut Session, at: Option<(SampleKey, u64)>) {
    session.sample = at.map(|pair| pair.0.to_string());
    session.row = at.map(|pair| pair.1);
}

/// Returns the sample that was under the cursor, and its row, if it was kept.
#[must_use]
pub fn at_of(session: &Session) -> Option<(SampleKey, u64)> {
    let key = SampleKey::parse(session.sample.as_deref()?)?;
    Some((key, session.row.unwrap_or(0)))
}

/// Tells whether a run of this name exists.
#[must_use]
pub fn is_known(name: &str, runs: &[RunRow]) -> bool {
    runs.iter().any(|run| run.setting.name == name)
}

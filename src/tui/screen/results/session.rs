//! How the state of Results is kept and restored.

use crate::browse::FieldScope;
use crate::config::Session;
use crate::filter::{self, FilterFlaw};
use crate::metric::METRICS;
use crate::model::{RunRow, SampleKey};
use crate::screen::faults::FaultsOrigin;
use crate::screen::results::{ResultColumn, Results, ResultsUpperPane};
use crate::screen::{Screen, session};
use crate::text::visible;

impl Results {
    /// Notes the run, the baseline, the metric, the columns, the filter and the grouping.
    pub(super) fn note_session(&self, session: &mut Session) {
        let options = &self.options;
        session.run.clone_from(&options.run);
        session.baseline.clone_from(&options.baseline);
        session.metric = options.metric.map(|metric| metric.id.to_owned());
        // Until the list is there, the columns are those of the last session.
        let columns = [&self.restored_columns, &self.columns];
        let columns = columns.into_iter().find(|column| !column.is_empty());
        let columns = columns.into_iter().flatten();
        session.columns = columns.map(|column| column.word().to_owned()).collect();
        session::keep_filter(session, Screen::Results, &self.filter_text);
        if let ResultsUpperPane::Groups(by) = self.upper {
            session::keep_groups(session, Screen::Results, by);
        }
    }

    /// Aims the screen of faults at the prediction under the cursor.
    pub fn aim(&self) -> Option<FaultsOrigin> {
        let row = self.pages.selected()?;
        let run = self.view.as_ref()?.run.setting.name.clone();
        Some(FaultsOrigin {
            key: row.key,
            test: Some((run, row.attempt)),
        })
    }

    /// Restores the last session's state; it is read as soon as the screen is opened. Reports the missing parts.
    pub fn restore(&mut self, session: &Session, runs: &[RunRow], is_shown: bool) -> Vec<String> {
        let mut gone = Vec::new();
        let mut known = |name: &Option<String>| {
            let name = name.as_ref().filter(|name| {
                let is_there = session::is_known(name, runs);
                if !is_there {
                    gone.push(format!("run {} is gone", visible(name)));
                }
                is_there
            });
            name.cloned()
        };
        let run = known(&session.run);
        let baseline = known(&session.baseline).filter(|text| Some(text) != run.as_ref());
        (self.options.run, self.options.baseline) = (run, baseline);
        let metric = session.metric.as_deref();
        self.options.metric = METRICS
            .iter()
            .find(|known_metric| Some(known_metric.id) == metric);
        let columns = session.columns.iter();
        self.restored_columns = columns
            .filter_map(|column| ResultColumn::parse(column))
            .collect();
        let by = session::groups_of(session, Screen::Results);
        self.upper = by.map_or(ResultsUpperPane::List, ResultsUpperPane::Groups);
        self.located = session::at_of(session).filter(|_| is_shown);
        let filter = session::filter_of(session, Screen::Results);
        if self.read_filter(filter).is_err() {
            gone.push(session::LOST_FILTER.to_owned());
        }
        gone
    }

    /// Sets the filter; reads no list.
    ///
    /// # Errors
    /// The flaw of the text; then nothing changes.
    pub(super) fn read_filter(&mut self, text: &str) -> Result<(), FilterFlaw> {
        self.options.filter = filter::parse_in(text, FieldScope::Run)?;
        text.trim().clone_into(&mut self.filter_text);
        Ok(())
    }

    /// Returns the sample under the cursor, or the one that will come there, and its row.
    pub(super) fn left_at(&self) -> Option<(SampleKey, u64)> {
        let selected = self.pages.selected();
        let at = selected.map(|result_row| (result_row.key, self.pages.cursor() as u64));
        self.located.or(at)
    }
}

//! Where somebody was when they left: as a value to be kept, and restored.
//!
//! An old session must never hinder: what is not there any more is left out without a word.

use crate::config::Session;
use crate::metric::METRICS;
use crate::model::SampleKey;
use crate::tui::app::App;
use crate::tui::keymap::{AppCommand, Command, Context};
use crate::tui::question::{Query, Slot};
use crate::tui::screen::results::{Column, Left};

/// The words of the screens that filters are kept for.
const SAMPLES: &str = "samples";
const RESULTS: &str = "results";

impl App {
    /// Returns where somebody is.
    #[must_use]
    pub fn session(&self) -> Session {
        let screens = self.stack.iter().filter(|it| **it != Context::Home);
        let mut session = Session {
            screen: screens.map(|it| it.title().to_lowercase()).collect(),
            theme: self.chosen_theme.clone(),
            wraps: Some(self.wraps),
            ..Session::default()
        };
        let key = match self.stack.get(1) {
            Some(Context::Results) => self.results.selected().map(|it| it.key),
            _ => self.samples.selected().map(|it| it.key),
        };
        session.sample = key.map(|it| it.to_string());
        let filters = [
            (SAMPLES, &*self.samples.filter_text),
            (RESULTS, self.results.filter_text()),
        ];
        for (word, text) in filters.into_iter().filter(|it| !it.1.is_empty()) {
            session.filters.insert(word.to_owned(), text.to_owned());
        }
        // What was never opened is as it was left before.
        if let Some(left) = &self.left {
            session.run.clone_from(&left.run);
            session.baseline.clone_from(&left.baseline);
            session.metric.clone_from(&left.metric);
            session.columns.clone_from(&left.columns);
            if let Some(text) = left.filters.get(RESULTS) {
                session.filters.insert(RESULTS.to_owned(), text.clone());
            }
        } else {
            let options = self.results.options();
            session.run.clone_from(&options.run);
            session.baseline.clone_from(&options.baseline);
            session.metric = options.metric.map(|it| it.id.to_owned());
            let columns = self.results.columns().iter();
            session.columns = columns.map(|it| it.word().to_owned()).collect();
        }
        session
    }

    /// Goes where somebody was, as far as that is known without the index.
    pub(super) fn restore(&mut self, session: Session) {
        self.wraps = session.wraps.unwrap_or(self.wraps);
        self.chosen_theme.clone_from(&session.theme);
        let key = session.sample.as_deref().and_then(SampleKey::parse);
        let screens: Vec<Option<Context>> =
            session.screen.iter().map(|it| Context::named(it)).collect();
        let on_samples = screens.first() == Some(&Some(Context::Samples));
        let filter = session.filters.get(SAMPLES).map_or("", String::as_str);
        if on_samples && self.samples.restore(filter, key, &mut self.outbox).is_ok() {
            self.go(&[Context::Home, Context::Samples]);
            if screens.get(1) == Some(&Some(Context::Sample)) && key.is_some() {
                self.stack.push(Context::Sample);
            }
        }
        match screens.first().copied().flatten() {
            Some(Context::Repos) => self.run(Command::App(AppCommand::GoRepos)),
            Some(Context::Runs) => self.go(&[Context::Home, Context::Runs]),
            Some(Context::Annotate) => self.go_annotate(),
            Some(Context::Disagree) => self.go_disagree(),
            Some(Context::Jobs) => self.go_jobs(),
            // What these show depends on the runs that there are; the screen is there at once.
            Some(screen @ (Context::Results | Context::Compare)) => {
                self.go(&[Context::Home, screen]);
            }
            _ => {}
        }
        self.left = Some(Box::new(session));
    }

    /// Restores what is about runs, once it is known which there are.
    pub(super) fn restore_runs(&mut self) {
        let Some(session) = self.left.take() else {
            return;
        };
        let runs = self.runs.rows();
        let known = |name: &Option<String>| {
            let name = name.as_ref()?;
            let run = runs.iter().find(|it| it.setting.name == *name)?;
            Some(run.setting.name.clone())
        };
        let metric = session.metric.as_deref();
        let columns = session.columns.iter().filter_map(|it| Column::parse(it));
        let run = known(&session.run);
        let key = session.sample.as_deref().and_then(SampleKey::parse);
        let is_shown = |context: Context| self.stack.get(1) == Some(&context);
        let (on_results, on_compare) = (is_shown(Context::Results), is_shown(Context::Compare));
        let left = Left {
            baseline: known(&session.baseline).filter(|it| Some(it) != run.as_ref()),
            metric: METRICS.iter().find(|it| Some(it.id) == metric),
            columns: columns.collect(),
            filter_text: session.filters.get(RESULTS).cloned().unwrap_or_default(),
            sample: key.filter(|_| on_results),
            run,
        };
        if left.run.is_some() && !self.results.is_open {
            self.results.restore(left);
        }
        if on_results && !self.results.is_open {
            self.go_results();
        } else if on_compare {
            self.go_compare();
        }
    }

    /// There is no run, nor will there be one: back to the beginning.
    pub(super) fn forget_runs(&mut self) {
        let is_of_runs = matches!(self.stack.get(1), Some(Context::Results | Context::Compare));
        if self.left.take().is_some() && is_of_runs && !self.results.is_open {
            self.go(&[Context::Home]);
            self.outbox.ask(Slot::ConflictCount, Query::ConflictCount);
        }
    }
}

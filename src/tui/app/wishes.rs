//! What screens want of each other, and what several of them show.

use crate::app::App;
use crate::desk::Wish;
use crate::event::Effect;
use crate::model::{EventKind, Matcher, SampleKey};
use crate::question::shared::{Detail, Explained, Repos as AskRepos, Runs as AskRuns};
use crate::review::Spoken;
use crate::screen::Screen;
use crate::screen::docs::Docs;
use crate::screen::samples::chosen;
use crate::scribe::{Said, Saying};
use crate::theme::Role;

impl App {
    /// Does what was wished for, and what follows from that.
    pub(super) fn grant(&mut self) {
        while let Some(wish) = self.desk.next_wish() {
            match wish {
                Wish::Go(screen) => self.go_to(screen),
                Wish::Samples(filter) => self.open_samples(&filter),
                Wish::Sample(key, matcher) => self.open_sample(key, matcher),
                Wish::Step(motion) => self.samples.step(motion, &mut self.desk),
                Wish::Find(needle, step) => self.samples.find_again(&needle, step, &mut self.desk),
                Wish::Run(name) => {
                    self.runs.want(&name, &mut self.desk);
                    self.go_to(Screen::Runs);
                }
                Wish::Want(name) => self.runs.want(&name, &mut self.desk),
                Wish::Form(start) => {
                    self.jobs.open_form(start, &mut self.desk);
                    self.ask_files();
                }
                Wish::Execute(run) => {
                    self.jobs.open_execution(Some(&run), None, &mut self.desk);
                }
                Wish::ExecuteAgain { run, filter } => {
                    let (run, filter) = (run.as_deref(), Some(filter.as_str()));
                    self.jobs.open_execution(run, filter, &mut self.desk);
                }
                Wish::Compare(filter) => self.open_compare(&filter),
                Wish::Demo => self.build_demo(),
                Wish::SaveFilter(text) => self.ask_to_save_filter(&text),
                Wish::Write(what, name) => self.ask_path(what, &name),
                Wish::Check => self.after_typing(),
                Wish::Reload => self.reload(),
                Wish::Runs => self.ask_runs(),
                Wish::Restore(screen) => self.restore_item(screen),
                Wish::MissSample => self.miss_sample(),
                Wish::Show(explained) => self.show_sample(explained),
                Wish::Mark(keys) => self.mark(keys),
                Wish::Pick(keys) => self.desk.push(Effect::Pick(keys)),
                Wish::Conflicts(n_open) => self.home.take_conflicts(n_open),
            }
        }
    }

    /// Compares runs on the samples of a filter.
    fn open_compare(&mut self, text: &str) {
        self.go_to(Screen::Compare);
        if let Err(flaw) = self.filter_screen(text) {
            self.desk.say(flaw.text, Role::Error);
        }
    }

    /// Marks samples in the name that was given.
    fn mark(&mut self, keys: Vec<SampleKey>) {
        let kinds = keys.into_iter().map(|key| EventKind::Marked { key });
        self.n_marked += 1;
        self.desk.push(Effect::Say(Box::new(Saying {
            token: chosen::TOKENS + self.n_marked,
            annotator: self.annotate.reviewing.annotator.clone(),
            what: Said::Events {
                kinds: kinds.collect(),
                snapshot: None,
            },
            shown_at_ms: None,
        })));
    }

    /// Opens a sample over the screen; `q` comes back.
    pub(super) fn open_sample(&mut self, key: SampleKey, matcher: Option<Matcher>) {
        self.desk.ask_for(
            Detail(key, matcher),
            |app: &mut Self, answer| match answer {
                Ok(explained) => app.show_sample(explained),
                Err(failure) => app.desk.say_failure(&failure),
            },
        );
        self.desk.overlay = None;
        self.desk.stack.push(Screen::Sample);
    }

    pub(super) fn open_stale(&mut self) {
        if let Err(flaw) = self.annotate.open_queue("stale", &mut self.desk) {
            self.desk.say(flaw.text, Role::Error);
        }
        self.go(&[Screen::Home, Screen::Annotate]);
    }

    pub(super) fn ask_repos(&mut self) {
        self.desk
            .ask_for(AskRepos, |app: &mut Self, answer| match answer {
                Ok(repos) => {
                    app.home.take_repos(repos.clone());
                    app.repos.take_repos(repos);
                    if app.screen() == Screen::Repos {
                        app.repos.ask_about(&mut app.desk);
                    }
                    app.restore_item(Screen::Repos);
                }
                Err(failure) => app.repos.miss(&failure),
            });
    }

    pub(super) fn ask_runs(&mut self) {
        self.desk.ask_for(AskRuns, |app: &mut Self, answer| {
            match answer {
                Ok(runs) => {
                    app.desk.runs.clone_from(&runs);
                    app.home.take_runs(&runs);
                    app.compare.take_runs(&runs, &mut app.desk);
                    app.runs.take_runs(runs, &mut app.desk);
                    app.restore_item(Screen::Runs);
                    app.restore_runs();
                }
                Err(failure) => {
                    app.desk.runs.clear();
                    app.runs.miss(&failure);
                    app.compare.miss(&failure);
                    app.forget_runs();
                }
            }
            app.open_waiting_results();
        });
    }

    fn show_sample(&mut self, explained: Option<Box<Explained>>) {
        if self.restore_opened(explained.is_some()) && explained.is_none() {
            return;
        }
        let Some(mut explained) = explained else {
            self.desk.say(
                "this sample is no longer in the index · ^l reads again",
                Role::Warning,
            );
            return;
        };
        if self.annotate.reviewing.is_blind {
            explained.spoken = Spoken::default();
        }
        let docs = Docs::of(&explained.detail);
        self.samples.show(&explained, &docs);
        self.sample.panes.show(*explained, docs);
    }
}

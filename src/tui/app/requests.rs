//! Requests of screens to each other, and questions for several screens.

use crate::app::App;
use crate::desk::ScreenRequest;
use crate::event::Effect;
use crate::model::{EventKind, Matcher, SampleKey};
use crate::question::shared::{ExplainedSample, ReposQuestion, RunsQuestion, SampleDetailQuestion};
use crate::review::SampleRemarks;
use crate::screen::Screen;
use crate::screen::docs::Docs;
use crate::screen::samples::selection;
use crate::scribe::{AnnotatorAction, ScribeRequest};
use crate::theme::Role;

impl App {
    /// Carries out the requests of screens, and those that follow from them.
    pub(super) fn grant(&mut self) {
        while let Some(request) = self.desk.next_request() {
            match request {
                ScreenRequest::Go(screen) => self.go_to(screen),
                ScreenRequest::Samples(filter) => self.open_samples(&filter),
                ScreenRequest::Sample(key, matcher) => self.open_sample(key, matcher),
                ScreenRequest::Step(motion) => self.samples.step(motion, &mut self.desk),
                ScreenRequest::Find(needle, step) => {
                    self.samples.find_again(&needle, step, &mut self.desk);
                }
                ScreenRequest::Run(name) => {
                    self.runs.want(&name, &mut self.desk);
                    self.go_to(Screen::Runs);
                }
                ScreenRequest::Want(name) => self.runs.want(&name, &mut self.desk),
                ScreenRequest::Form(start) => {
                    self.jobs.open_form(start, &mut self.desk);
                    self.ask_files();
                }
                ScreenRequest::Execute(run) => {
                    self.jobs.open_execution(Some(&run), None, &mut self.desk);
                }
                ScreenRequest::ExecuteAgain { run, filter } => {
                    let (run, filter) = (run.as_deref(), Some(filter.as_str()));
                    self.jobs.open_execution(run, filter, &mut self.desk);
                }
                ScreenRequest::Compare(filter) => self.open_compare(&filter),
                ScreenRequest::Demo => self.build_demo(),
                ScreenRequest::SaveFilter(text) => self.ask_to_save_filter(&text),
                ScreenRequest::Write(what, name) => self.ask_path(what, &name),
                ScreenRequest::Check => self.after_typing(),
                ScreenRequest::Reload => self.reload(),
                ScreenRequest::Runs => self.ask_runs(),
                ScreenRequest::Restore(screen) => self.restore_item(screen),
                ScreenRequest::MissSample => self.miss_sample(),
                ScreenRequest::Show(explained) => self.show_sample(explained),
                ScreenRequest::Mark(keys) => self.mark(keys),
                ScreenRequest::Pick(keys) => self.desk.push(Effect::Pick(keys)),
                ScreenRequest::Conflicts(n_open) => self.home.take_conflicts(n_open),
            }
        }
    }

    /// Compares runs on the samples of a filter.
    fn open_compare(&mut self, text: &str) {
        self.go_to(Screen::Compare);
        if let Err(flaw) = self.filter_screen(text) {
            self.desk.show_message(flaw.text, Role::Error);
        }
    }

    /// Marks samples in the annotator's name.
    fn mark(&mut self, keys: Vec<SampleKey>) {
        let kinds = keys.into_iter().map(|key| EventKind::Marked { key });
        self.n_marked += 1;
        self.desk.push(Effect::Say(Box::new(ScribeRequest {
            token: selection::TOKENS + self.n_marked,
            annotator: self.annotate.reviewing.annotator.clone(),
            what: AnnotatorAction::Events {
                kinds: kinds.collect(),
                snapshot: None,
            },
            shown_at_ms: None,
        })));
    }

    /// Opens a sample over the screen; `q` goes back.
    pub(super) fn open_sample(&mut self, key: SampleKey, matcher: Option<Matcher>) {
        self.desk.ask_for(
            SampleDetailQuestion(key, matcher),
            |app: &mut Self, answer| match answer {
                Ok(explained) => app.show_sample(explained),
                Err(failure) => app.desk.show_failure(&failure),
            },
        );
        self.desk.overlay = None;
        self.desk.stack.push(Screen::Sample);
    }

    pub(super) fn open_stale(&mut self) {
        if let Err(flaw) = self.annotate.open_queue("stale", &mut self.desk) {
            self.desk.show_message(flaw.text, Role::Error);
        }
        self.go(&[Screen::Home, Screen::Annotate]);
    }

    pub(super) fn ask_repos(&mut self) {
        self.desk
            .ask_for(ReposQuestion, |app: &mut Self, answer| match answer {
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
        self.desk.ask_for(RunsQuestion, |app: &mut Self, answer| {
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

    fn show_sample(&mut self, explained: Option<Box<ExplainedSample>>) {
        if self.restore_opened(explained.is_some()) && explained.is_none() {
            return;
        }
        let Some(mut explained) = explained else {
            self.desk.show_message(
                "this sample is no longer in the index · ^l reads again",
                Role::Warning,
            );
            return;
        };
        if self.annotate.reviewing.is_blind {
            explained.remarks = SampleRemarks::default();
        }
        let docs = Docs::of(&explained.detail);
        self.samples.show(&explained, &docs);
        self.sample.panes.show(*explained, docs);
    }
}

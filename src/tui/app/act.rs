//! What each command does: where screens, overlays and effects meet.

use crate::app::App;
use crate::desk::overlay::{Asked, Overlay};
use crate::event::Effect;
use crate::keymap::{
    AppCommand, Command, Context, Copied, Motion, PaneCommand, SampleCommand, SamplesCommand, Step,
};
use crate::model::JobKind;
use crate::model::SampleDetail;
use crate::plot::Kind;
use crate::screen::Screen;
use crate::screen::annotate::Annotate;
use crate::screen::home::{Home, Target};
use crate::screen::repos::Repos;
use crate::screen::sample::SampleScreen;
use crate::screen::samples::Pane;
use crate::term::Clipboard;
use crate::theme::Role;
use crate::widget::code::CodeView;
use crate::widget::input::Input;
use crate::widget::overlay::{Help, Prompt};

/// A sequence longer than this is cut off by terminals that do know it.
const CLIPBOARD_BYTES_MAX: usize = 74_994;

impl App {
    pub(super) fn run(&mut self, command: Command) {
        if command.is_verdict() && self.is_too_small() {
            // Nothing of the sample is on the screen.
            return;
        }
        match command {
            Command::Move(motion) => self.scroll(motion),
            Command::App(command) => self.run_app(command),
            Command::Pane(command) => self.run_pane(command),
            Command::Samples(command) => self.run_samples(command),
            Command::Sample(command) => self.run_sample(command),
            Command::Runs(command) => self.run_runs(command),
            Command::Results(command) => self.run_results(command),
            Command::Compare(command) => self.run_compare(command),
            Command::Jobs(command) => self.run_jobs(command),
            Command::Annotate(command) => self.run_annotate(command),
            Command::Disagree(command) => self.run_disagree(command),
            Command::Input(command) => self.run_input(command),
            Command::Confirm(command) => self.run_confirm(command),
        }
    }

    pub(super) fn scroll(&mut self, motion: Motion) {
        if matches!(self.desk.overlay, Some(Overlay::Why)) {
            self.panes().step_candidate(motion);
            return;
        }
        if self.scroll_past(motion) || self.scroll_chart(motion) {
            return;
        }
        match self.screen() {
            Screen::Samples => self.samples.scroll(motion, &mut self.desk),
            Screen::Sample | Screen::Annotate => self.panes().scroll(motion),
            Screen::Disagree => self.disagree.scroll(motion, &mut self.desk),
            Screen::Repos => self.repos.scroll(motion),
            Screen::Runs => self.runs.scroll(motion, &mut self.desk),
            Screen::Results => self.results.scroll(motion, &mut self.desk),
            Screen::Compare => self.compare.scroll(motion, &mut self.desk),
            Screen::Jobs => self.jobs.scroll(motion, &mut self.desk),
            _ => self.home.scroll(motion),
        }
    }

    fn run_app(&mut self, command: AppCommand) {
        match command {
            AppCommand::GoHome => {
                self.home.forget_charts(Some(Kind::Verdicts));
                Home::ask_conflicts(&mut self.desk);
                self.go(&[Screen::Home]);
            }
            AppCommand::GoSamples => {
                if !self.samples.is_open {
                    self.open_samples("");
                }
                self.go(&[Screen::Home, Screen::Samples]);
            }
            AppCommand::GoRepos => {
                Repos::ask(&mut self.desk);
                self.go(&[Screen::Home, Screen::Repos]);
            }
            AppCommand::GoRuns => {
                // Another process may have imported some.
                self.ask_runs();
                self.go(&[Screen::Home, Screen::Runs]);
            }
            AppCommand::GoResults => self.go_results(),
            AppCommand::GoCompare => self.go_compare(),
            AppCommand::GoJobs => self.go_jobs(),
            AppCommand::GoAnnotate => self.go_annotate(),
            AppCommand::GoDisagree => self.go_disagree(),
            AppCommand::Open => self.open(),
            AppCommand::Close => self.close(),
            AppCommand::Back if self.desk.overlay.is_some() => self.desk.overlay = None,
            AppCommand::Back if self.desk.stack.len() > 1 => self.back(),
            AppCommand::Back => self.desk.push(Effect::Quit),
            AppCommand::Help => {
                self.desk.overlay = Some(Overlay::Help(Help::new(
                    &self.keymap,
                    Context::On(self.screen()),
                )));
            }
            AppCommand::Suspend => self.desk.push(Effect::Suspend),
            AppCommand::Redraw => {
                self.desk.push(Effect::Redraw);
                self.reload();
                self.jobs.ask(&mut self.desk);
                Home::ask_conflicts(&mut self.desk);
                if self.annotate.is_open() {
                    self.annotate.reload(&mut self.desk);
                }
                if self.disagree.is_open() {
                    self.disagree.reload(&mut self.desk);
                }
                if self.compare.is_open {
                    self.compare.reload(&mut self.desk);
                }
            }
            AppCommand::Palette => self.open_palette(),
            AppCommand::Theme => self.choose_theme(),
            AppCommand::Charts => self.choose_chart(),
            AppCommand::WriteChart => self.ask_to_write_chart(),
            AppCommand::SavedFilters => self.choose_saved(),
            AppCommand::SaveFilter => {
                let text = self.screen_filter().to_owned();
                self.ask_to_save_filter(&text);
            }
            AppCommand::Cancel => self.cancel(),
        }
    }

    /// Reads again what jobs write; cursors stay where they are.
    pub(super) fn reload(&mut self) {
        Home::ask(&mut self.desk);
        self.ask_repos();
        Repos::ask(&mut self.desk);
        self.ask_runs();
        if self.samples.is_open {
            self.samples.reload(&mut self.desk);
        }
        if self.results.is_open {
            self.results.reload(&mut self.desk);
        }
    }

    pub(super) fn go(&mut self, stack: &[Screen]) {
        self.desk.overlay = None;
        self.desk.stack = stack.to_vec();
        // Another process may have started a job meanwhile.
        self.jobs.tick(true, &mut self.desk);
    }

    fn back(&mut self) {
        self.desk.overlay = None;
        self.begin_way_out();
        self.desk.stack.truncate(self.desk.stack.len().max(2) - 1);
    }

    fn close(&mut self) {
        let had_overlay = self.desk.overlay.take().is_some();
        let had_more = had_overlay
            || match self.screen() {
                Screen::Samples => self.samples.close(),
                Screen::Sample | Screen::Annotate => self.panes().close(),
                Screen::Disagree => self.disagree.close(&mut self.desk),
                Screen::Runs => self.runs.close(),
                Screen::Results => self.results.close(&mut self.desk),
                Screen::Compare => self.compare.close(&mut self.desk),
                Screen::Jobs => self.jobs.close(&mut self.desk),
                _ => false,
            };
        // Who judges closes many pop-ups: one Esc too many must not end it.
        let is_judging = matches!(self.screen(), Screen::Annotate | Screen::Disagree);
        if !had_more && !is_judging && self.desk.stack.len() > 1 {
            self.back();
        }
    }

    fn cancel(&mut self) {
        if self.wants_out {
            self.desk.push(Effect::Quit);
            return;
        }
        self.leave_form();
        self.desk.overlay = None;
        self.wants_out = true;
        if self.screen() == Screen::Jobs && self.cancel_job() {
            return;
        }
        self.samples.stop(&mut self.desk);
        if self.jobs.n_alive() > 0 {
            let text = "jobs go on: gj, then x, cancels one · ^c again quits";
            self.say(text, Role::Warning);
            return;
        }
        self.say("stopped · ^c again quits", Role::Warning);
    }

    fn open(&mut self) {
        if let Some(Overlay::Chart(_)) = self.desk.overlay {
            return;
        }
        if let Some(Overlay::Past { cursor }) = self.desk.overlay {
            self.desk.overlay = None;
            self.open_past(cursor);
            return;
        }
        if let Some(Overlay::Told(told)) = &self.desk.overlay
            && told.opens_stale
        {
            self.open_stale();
            return;
        }
        match self.screen() {
            Screen::Home => match self.home.target().cloned() {
                Some(Target::Samples(text)) => self.open_samples(&text),
                Some(Target::Repos) => self.run_app(AppCommand::GoRepos),
                Some(Target::Run(name)) => {
                    self.runs.want(&name, &mut self.desk);
                    self.run_app(AppCommand::GoRuns);
                }
                Some(Target::Runs) => self.run_app(AppCommand::GoRuns),
                Some(Target::Annotate) => self.go_annotate(),
                Some(Target::Disagree) => self.go_disagree(),
                Some(Target::Demo) => self.build_demo(),
                Some(Target::Mine) => self.open_form(JobKind::Mine),
                None => {}
            },
            Screen::Repos => {
                if let Some(row) = self.repos.selected() {
                    let text = format!("repo:{}", row.repo.name);
                    self.open_samples(&text);
                }
            }
            Screen::Samples if self.samples.selected().is_some() => {
                self.go(&[Screen::Home, Screen::Samples, Screen::Sample]);
            }
            Screen::Sample | Screen::Annotate => self.panes().toggle_zoom(),
            Screen::Disagree => {
                let message = self.disagree.open(&mut self.desk);
                self.tell(message);
            }
            Screen::Runs => self.runs.toggle_zoom(),
            Screen::Results => self.open_result(),
            Screen::Compare => self.open_compared(),
            Screen::Jobs => self.open_job(),
            _ => {}
        }
    }

    pub(super) fn open_samples(&mut self, text: &str) {
        self.go(&[Screen::Home, Screen::Samples]);
        if let Err(flaw) = self.filter_screen(text) {
            self.say(flaw.text, Role::Error);
        }
    }

    /// Returns the panes of the sample on the screen.
    pub(super) fn panes(&mut self) -> &mut SampleScreen {
        match self.screen() {
            Screen::Annotate => &mut self.annotate.panes,
            Screen::Disagree => &mut self.disagree.panes,
            _ => &mut self.sample,
        }
    }

    /// Returns what is known of the sample on the screen.
    pub(super) fn detail(&self) -> Option<&SampleDetail> {
        match self.screen() {
            Screen::Annotate => self.annotate.panes.detail.as_ref(),
            Screen::Disagree => self.disagree.panes.detail.as_ref(),
            _ => self.sample.detail.as_ref(),
        }
    }

    /// Returns the code pane with the focus.
    pub(super) fn code(&mut self) -> Option<&mut CodeView> {
        match self.screen() {
            Screen::Samples => self.samples.code(),
            Screen::Sample | Screen::Annotate => self.panes().code(),
            Screen::Disagree if self.disagree.has_code() => self.panes().code(),
            Screen::Results => self.results.code(),
            Screen::Compare => self.compare.code(),
            _ => None,
        }
    }

    fn run_pane(&mut self, command: PaneCommand) {
        match (command, self.screen()) {
            (PaneCommand::Wrap, _) => {}
            (command, Screen::Results) => return self.run_results_pane(command),
            (command, Screen::Compare) => return self.run_compare_pane(command),
            (command, Screen::Jobs) => return self.run_jobs_pane(command),
            _ => {}
        }
        match (command, self.screen()) {
            (PaneCommand::Focus(step), Screen::Samples) => self.samples.step_focus(step),
            (PaneCommand::Focus(step), Screen::Disagree) => self.disagree.step_focus(step),
            (PaneCommand::Focus(step), _) => self.panes().step_focus(step),
            (PaneCommand::Peek(step), Screen::Samples) => {
                self.samples.peek(step, &mut self.desk);
            }
            (PaneCommand::Peek(step), Screen::Repos) => self.repos.peek(step),
            (PaneCommand::Peek(step), Screen::Runs) => self.runs.peek(step),
            (PaneCommand::Peek(step), Screen::Disagree) => self.disagree.peek(step),
            (PaneCommand::Peek(step), _) => self.panes().peek(step),
            (PaneCommand::Search, _) => {
                self.desk.overlay = Some(Overlay::Ask(
                    Asked::Search,
                    Prompt {
                        label: "/",
                        ..Prompt::default()
                    },
                ));
            }
            (PaneCommand::Match(step), _) => self.step_match(step),
            (PaneCommand::Mark(step), screen) => {
                let test = match screen {
                    Screen::Samples => self.samples.test_code(),
                    _ => self.panes().test_code(),
                };
                if !test.step_mark(step) {
                    self.say("no further focal call or assertion", Role::Dim);
                }
            }
            (PaneCommand::Wrap, _) => {
                self.wraps = !self.wraps;
                let text = if self.wraps {
                    "long lines wrap"
                } else {
                    "long lines are cut · h l scroll"
                };
                self.say(text, Role::Dim);
            }
        }
    }

    pub(super) fn step_match(&mut self, step: Step) {
        let is_disagreeing = self.screen() == Screen::Disagree;
        let Some(code) = self.code() else {
            let needle = if is_disagreeing {
                self.disagree.needle().to_owned()
            } else {
                self.samples.needle().to_owned()
            };
            self.find_in_list(&needle, step);
            return;
        };
        let found = code.step_match(step);
        let needle = code.needle().to_owned();
        match found {
            Some((idx, n_hits)) => self.say(format!("{needle}: {idx} of {n_hits}"), Role::Dim),
            None if needle.is_empty() => self.say("nothing to search for · / begins", Role::Dim),
            None => self.say(format!("{needle}: not in this pane"), Role::Warning),
        }
    }

    /// Goes to the next line of the screen's list whose test holds `needle` in its name.
    pub(super) fn find_in_list(&mut self, needle: &str, step: Step) {
        if needle.is_empty() {
            self.say("nothing to search for · / begins", Role::Dim);
        } else if self.screen() == Screen::Results {
            self.results.find(needle, step, &mut self.desk);
        } else if self.screen() == Screen::Compare {
            self.compare.find(needle, step, &mut self.desk);
        } else if self.screen() == Screen::Disagree {
            let message = self.disagree.find(needle, step, &mut self.desk);
            self.tell(message);
        } else {
            self.samples.find(needle, step, &mut self.desk);
        }
    }

    fn run_samples(&mut self, command: SamplesCommand) {
        match command {
            SamplesCommand::Filter => {
                // Another process may have saved some.
                self.ask_saved();
                let mut text = self.screen_filter().to_owned();
                if !text.is_empty() {
                    text.push(' ');
                }
                self.desk.overlay = Some(Overlay::Ask(
                    Asked::Filter,
                    Prompt {
                        label: match self.screen() {
                            Screen::Compare => "filter (fields of a run: B's)",
                            _ => "filter",
                        },
                        input: Input::new(&text),
                        ..Prompt::default()
                    },
                ));
                self.after_typing();
            }
            SamplesCommand::Sort(sort) => self.samples.sort(sort, &mut self.desk),
        }
    }

    fn run_sample(&mut self, command: SampleCommand) {
        match self.screen() {
            Screen::Results => return self.run_results_sample(command),
            Screen::Compare => return self.run_compare_sample(command),
            _ => {}
        }
        match command {
            SampleCommand::Sibling(step) if self.screen() == Screen::Annotate => {
                if let Some((text, role)) = self.annotate.peek(step, &mut self.desk) {
                    self.say(text, role);
                }
            }
            SampleCommand::Sibling(step) if self.screen() == Screen::Disagree => {
                self.disagree.step(step, &mut self.desk);
            }
            SampleCommand::Sibling(step) => {
                let motion = Motion::from(step);
                self.samples.step(motion, &mut self.desk);
            }
            SampleCommand::Why
                if self.screen() == Screen::Annotate && self.annotate.reviewing.is_blind =>
            {
                self.say("blind: why a match was made is hidden", Role::Warning);
            }
            SampleCommand::Why => {
                let is_open = matches!(self.desk.overlay, Some(Overlay::Why));
                self.desk.overlay = self.about_sample(is_open, Overlay::Why);
                if self.screen() == Screen::Annotate {
                    Annotate::ask_bands(&mut self.desk);
                }
            }
            SampleCommand::Facts
                if self.screen() == Screen::Annotate && self.annotate.reviewing.is_blind =>
            {
                self.say(
                    "blind: what is known besides the code is hidden",
                    Role::Warning,
                );
            }
            SampleCommand::Facts => {
                let is_open = matches!(self.desk.overlay, Some(Overlay::Facts));
                self.desk.overlay = self.about_sample(is_open, Overlay::Facts);
            }
            SampleCommand::Edit => self.edit(),
            SampleCommand::Copy(what) => self.copy(what),
        }
    }

    /// Returns what lies over the screen after the key of `overlay`: it, or nothing if it is open already.
    fn about_sample(&self, is_open: bool, overlay: Overlay) -> Option<Overlay> {
        (!is_open && self.detail().is_some()).then_some(overlay)
    }

    fn edit(&mut self) {
        let place = match self.screen() {
            Screen::Samples => self.list_place(),
            _ => self.panes().place(),
        };
        let root = self.detail().and_then(|it| it.root.clone());
        match (place, root) {
            (Some((path, line)), Some(root)) => {
                self.desk.push(Effect::Edit {
                    path: root.join(path),
                    line,
                });
            }
            (Some(_), None) => self.say("the mined folder is gone", Role::Warning),
            (None, _) => self.say("nothing to edit here", Role::Dim),
        }
    }

    /// Returns the place in the list's preview; of the list itself, the test's.
    fn list_place(&mut self) -> Option<(String, u32)> {
        if let Some(code) = self.samples.code() {
            return code.place().map(|(path, line)| (path.to_owned(), line));
        }
        let test = &self.sample.detail.as_ref()?.test;
        Some((test.path.clone(), test.name_line))
    }

    fn copy(&mut self, what: Copied) {
        let in_list = self.screen() == Screen::Samples;
        let is_focal = in_list && self.samples.focus() == Pane::Focal;
        let taken = match (what, self.detail()) {
            (_, None) => None,
            (Copied::Code, Some(detail)) if is_focal => {
                let focal = detail.focal.as_ref();
                focal.map(|it| (it.text.clone(), "the focal method"))
            }
            (Copied::Code, Some(detail)) if in_list => Some((detail.test.text.clone(), "the test")),
            (Copied::Path, Some(_)) if in_list => {
                let place = self.list_place();
                place.map(|(path, line)| (format!("{path}:{line}"), "path and line"))
            }
            _ => self.panes().copied(what),
        };
        self.copy_out(taken);
    }

    /// Sends a text to the terminal's clipboard, and says what it was.
    pub(super) fn copy_out(&mut self, taken: Option<(String, &'static str)>) {
        match taken {
            None => self.say("nothing to copy here", Role::Dim),
            Some((text, _)) if text.len() > CLIPBOARD_BYTES_MAX => {
                let (size, most) = (size(text.len()), size(CLIPBOARD_BYTES_MAX));
                let text = format!("{size}: a terminal takes {most} · export it instead");
                self.say(text, Role::Warning);
            }
            Some((text, name)) => {
                let (size, note) = (size(text.len()), self.clipboard.note());
                let role = match self.clipboard {
                    Clipboard::Deaf(_) => Role::Warning,
                    _ => Role::Good,
                };
                self.say(format!("copied {name} · {size} · OSC 52 {note}"), role);
                self.desk.push(Effect::Copy(text));
            }
        }
    }
}

/// Returns a size as people read it.
fn size(n_bytes: usize) -> String {
    if n_bytes < 1_000 {
        format!("{n_bytes} B")
    } else {
        format!("{:.1} kB", n_bytes as f64 / 1_000.0)
    }
}

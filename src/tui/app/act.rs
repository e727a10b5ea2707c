//! The commands that every screen hears, and moving between screens.

use crate::app::App;
use crate::desk::overlay::{ConfirmedAction, InputPurpose, Overlay};
use crate::event::Effect;
use crate::keymap::{AppCommand, Command, ConfirmCommand, KeyContext, Motion};
use crate::model::RunRow;
use crate::screen::Screen;
use crate::screen::faults::FaultsOrigin;
use crate::screen::home::Home;
use crate::screen::repos::Repos;
use crate::screen::samples::commands::SamplesCommand;
use crate::screen::samples::selection::SelectionPurpose;
use crate::theme::Role;
use crate::widget::overlay::Help;
use crate::work::BackgroundTask;

impl App {
    pub(super) fn run(&mut self, command: Command) {
        if command.is_verdict() && self.is_too_small() {
            // The sample is not on the screen.
            return;
        }
        if command.needs_name() && self.must_ask_name() {
            self.ask_name();
            return;
        }
        match command {
            Command::Move(motion) => self.scroll(motion),
            Command::App(command) => self.run_app(command),
            Command::Samples(SamplesCommand::Filter) => self.ask_filter(),
            Command::Own(idx) => self.run_own(idx),
            Command::Input(command) => self.run_input(command),
            Command::Confirm(command) => self.run_confirm(command),
            command => {
                let (scene, desk) = self.scene_mut();
                scene.run(command, desk);
            }
        }
    }

    pub(super) fn scroll(&mut self, motion: Motion) {
        match &mut self.desk.overlay {
            Some(Overlay::Why) => match self.scene_mut().0.sample_mut() {
                Some(panes) => panes.step_candidate(motion),
                None => self.sample.panes.step_candidate(motion),
            },
            Some(Overlay::Past { cursor }) => {
                let cursor = *cursor;
                let cursor = self.annotate.scrolled_past(cursor, motion, &self.desk);
                self.desk.overlay = Some(Overlay::Past { cursor });
            }
            Some(Overlay::Chart(_)) => self.scroll_chart(motion),
            Some(Overlay::Alike(list)) => list.scroll(motion),
            Some(Overlay::Log { cursor }) => {
                let cursor = *cursor;
                self.scroll_log(cursor, motion);
            }
            _ => {
                let (scene, desk) = self.scene_mut();
                scene.scroll(motion, desk);
            }
        }
    }

    fn run_app(&mut self, command: AppCommand) {
        match command {
            AppCommand::Go(screen) => self.go_to(screen),
            AppCommand::Open => self.open(),
            AppCommand::Close => self.close(),
            AppCommand::Back if self.desk.overlay.is_some() => self.desk.overlay = None,
            AppCommand::Back if self.is_at_pick() => self.desk.push(Effect::Quit),
            AppCommand::Back if self.desk.stack.len() > 1 => self.back(),
            AppCommand::Back => self.desk.push(Effect::Quit),
            AppCommand::Help => {
                let on = KeyContext::On(self.screen());
                let left_out = self.scene(self.screen()).left_out();
                let help = Help::new(&self.keys.keymap, on, &left_out);
                self.desk.overlay = Some(Overlay::Help(help));
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
            AppCommand::Annotator => self.ask_name(),
            AppCommand::Charts => self.choose_chart(),
            AppCommand::Write => match self.desk.overlay {
                Some(Overlay::Log { .. }) => self.ask_to_write_log(),
                _ => self.ask_to_write_chart(),
            },
            AppCommand::Log => self.open_log(),
            AppCommand::CopyDeed => self.copy_deed(),
            AppCommand::CopyLog => self.copy_log(),
            AppCommand::SavedFilters => self.choose_saved(),
            AppCommand::SaveFilter => {
                let text = self.screen_filter().to_owned();
                self.ask_to_save_filter(&text);
            }
            AppCommand::Cancel => self.cancel(),
        }
    }

    /// Reads again the data that jobs write; cursors stay where they are.
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

    /// Goes to a screen as its key does.
    pub(super) fn go_to(&mut self, screen: Screen) {
        if screen == Screen::Compare && self.desk.stack.contains(&Screen::Results) {
            self.compare_results();
        }
        if screen == Screen::Faults {
            self.aim_faults();
        }
        if screen == Screen::Results {
            self.open_results();
        } else if screen == Screen::Samples && !self.samples.is_open {
            self.open_samples("");
            return;
        } else {
            let (scene, desk) = self.scene_of(screen);
            scene.enter(desk);
        }
        self.go(screen.way());
    }

    pub(super) fn go(&mut self, stack: &[Screen]) {
        self.desk.overlay = None;
        self.desk.stack = stack.to_vec();
        // Another process may have started a job meanwhile.
        self.jobs.tick(true, &mut self.desk);
    }

    /// Opens Results on the run under the cursor of Runs, else on the run that it showed last, even in the session
    /// before, else on the newest run. Until the runs are known, the screen stays empty.
    fn open_results(&mut self) {
        if !self.results.is_open && !self.runs.is_known() {
            return;
        }
        let name = |run_row: &RunRow| run_row.setting.name.clone();
        let under_cursor = if self.screen() == Screen::Runs {
            self.runs.selected().map(name)
        } else {
            None
        };
        let newest = || self.runs.rows().last().map(name);
        let shown = || self.results.options().run.clone();
        let run = under_cursor.or_else(shown).or_else(newest);
        self.results.begin(run.as_deref(), &mut self.desk);
    }

    /// Aims Faults at the sample under the cursor of Results, Samples or Sample; from elsewhere it keeps its sample.
    fn aim_faults(&mut self) {
        let aim = match self.screen() {
            Screen::Results => self.results.aim(),
            Screen::Samples => self
                .samples
                .selected()
                .map(|sample_row| sample_row.key)
                .map(FaultsOrigin::at),
            Screen::Sample => {
                let detail = self.sample.panes.detail.as_ref();
                detail
                    .map(|sample_detail| sample_detail.row.key)
                    .map(FaultsOrigin::at)
            }
            _ => None,
        };
        if let Some(aim) = aim {
            self.faults.aim(aim);
        }
    }

    /// Compares the run and the baseline of Results; without a baseline, Compare keeps its runs.
    fn compare_results(&mut self) {
        if let Some([run, baseline]) = self.results.compared() {
            self.compare.hold(run, baseline, &mut self.desk);
        }
    }

    /// Opens Results if somebody has gone there before the runs were known.
    pub(super) fn open_waiting_results(&mut self) {
        if self.screen() == Screen::Results && !self.results.is_open {
            self.go_to(Screen::Results);
        }
    }

    fn back(&mut self) {
        self.desk.overlay = None;
        self.begin_way_out();
        self.desk.stack.truncate(self.desk.stack.len().max(2) - 1);
        self.open_waiting_results();
    }

    fn close(&mut self) {
        let had_overlay = self.desk.overlay.take().is_some();
        let (scene, desk) = self.scene_mut();
        let had_more = had_overlay || scene.close(desk);
        // One Esc too many must not leave a screen that holds something, such as unfinished judging.
        let holds = scene.holds();
        if !had_more && self.is_at_pick() {
            self.desk.push(Effect::Quit);
        } else if !had_more && !holds && self.desk.stack.len() > 1 {
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
        let (scene, desk) = self.scene_mut();
        if scene.cancel(desk) {
            return;
        }
        self.samples.stop(&mut self.desk);
        if self.jobs.n_alive() > 0 {
            let text = "jobs keep running: gj, then x cancels one · ^c again quits";
            self.desk.show_message(text, Role::Warning);
            return;
        }
        self.desk
            .show_message("stopped · ^c again quits", Role::Warning);
    }

    fn open(&mut self) {
        if let Some(Overlay::Alike(list)) = self
            .desk
            .overlay
            .take_if(|overlay| matches!(overlay, Overlay::Alike(_)))
        {
            self.annotate.give_alike(list, &mut self.desk);
            return;
        }
        match &self.desk.overlay {
            Some(Overlay::Chart(_)) => return,
            Some(Overlay::Log { .. }) => {
                self.copy_deed();
                return;
            }
            Some(Overlay::Past { cursor }) => {
                let cursor = *cursor;
                self.desk.overlay = None;
                self.annotate.open_past(cursor, &mut self.desk);
                return;
            }
            Some(Overlay::Told(told)) if told.opens_stale => {
                self.open_stale();
                return;
            }
            _ => {}
        }
        if self.is_at_pick() {
            self.samples
                .use_selection(SelectionPurpose::Pick, &mut self.desk);
            return;
        }
        let (scene, desk) = self.scene_mut();
        scene.open(desk);
    }

    /// Tells whether the list in which samples are picked is shown.
    fn is_at_pick(&self) -> bool {
        self.is_picking && self.screen() == Screen::Samples
    }

    pub(super) fn open_samples(&mut self, text: &str) {
        self.go(Screen::Samples.way());
        if let Err(flaw) = self.filter_screen(text) {
            self.desk.show_message(flaw.text, Role::Error);
        }
    }

    fn ask_filter(&mut self) {
        // Another process may have saved filters.
        self.ask_saved();
        let mut text = self.screen_filter().to_owned();
        if !text.is_empty() {
            text.push(' ');
        }
        let label = self.scene(self.screen()).filter_label();
        self.desk.ask_line(InputPurpose::Filter, label, &text);
        self.after_typing();
    }

    /// Carries out the confirmed action on yes; closes the question on no.
    fn run_confirm(&mut self, command: ConfirmCommand) {
        let Some(Overlay::Confirm { confirmed, .. }) = self.desk.overlay.take() else {
            return;
        };
        match (command, confirmed) {
            (ConfirmCommand::No, _) => {}
            (ConfirmCommand::Yes, ConfirmedAction::Remove(run)) => {
                self.desk.begin(BackgroundTask::Remove { run });
            }
            (ConfirmCommand::Yes, ConfirmedAction::AcceptRest) => {
                self.annotate.accept_rest(&mut self.desk);
            }
            (ConfirmCommand::Yes, ConfirmedAction::ClearJobs) => {
                self.desk.begin(BackgroundTask::Clear);
            }
            (ConfirmCommand::Yes, ConfirmedAction::StartAgain(new)) => {
                self.desk.begin(BackgroundTask::Start(new));
            }
            (ConfirmCommand::Yes, ConfirmedAction::SaveFilter(name)) => self.save_filter(name),
        }
    }
}

//! What the commands of Jobs do, how jobs are begun from anywhere, and what follows from their end.

use std::ffi::OsString;

use crate::app::App;
use crate::desk::overlay::{Asked, Choosing, Confirmed, Overlay, Told};
use crate::event::Effect;
use crate::files::Listing;
use crate::job;
use crate::keymap::{JobsCommand, PaneCommand, Step};
use crate::mine;
use crate::model::{JobKind, JobRow, JobState, Matcher, RepoRow};
use crate::question::Failure;
use crate::question::shared::Files;
use crate::screen::Screen;
use crate::screen::jobs::form::JobForm;
use crate::screen::repos::questions::{AskMined, Mined};
use crate::store::NewJob;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::chooser::Choice;
use crate::widget::overlay::Prompt;
use crate::work::{Ended, Outcome, Task};

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_jobs(&mut self) {
        self.go(&[Screen::Home, Screen::Jobs]);
    }

    pub(super) fn run_jobs(&mut self, command: JobsCommand) {
        match command {
            JobsCommand::New => self.choose_job(),
            JobsCommand::Cancel => {
                if !self.cancel_job() {
                    self.say("it has ended · r starts it again", Role::Dim);
                }
            }
            JobsCommand::Again => self.start_again(),
            JobsCommand::Clear => {
                let n_ended = self.jobs.rows().len() - self.jobs.n_alive();
                if n_ended == 0 {
                    self.say("no job has ended", Role::Dim);
                    return;
                }
                self.desk.overlay = Some(Overlay::Confirm {
                    question: format!("forget {n_ended} ended jobs, with their logs?"),
                    confirmed: Confirmed::ClearJobs,
                });
            }
            JobsCommand::Level => {
                let text = if self.jobs.toggle_level() {
                    "only warnings and errors"
                } else {
                    "every line"
                };
                self.say(text, Role::Dim);
            }
            JobsCommand::Details => match self.jobs.details() {
                Some(facts) => self.desk.overlay = Some(Overlay::JobFacts(facts)),
                None => self.say("there is no job", Role::Dim),
            },
            JobsCommand::Copy => {
                let taken = self.jobs.copied();
                self.copy_out(taken);
            }
            JobsCommand::MineAgain => self.ask_how_mined(),
        }
    }

    /// Cancels the selected job; returns whether it lives.
    pub(super) fn cancel_job(&mut self) -> bool {
        let Some(row) = self.jobs.selected().filter(|it| it.state.is_alive()) else {
            return false;
        };
        let id = row.id;
        self.desk.push(Effect::Work(Task::Cancel(id)));
        let text = format!("job {id} is asked to stop; after 2 s it is told, after 5 s killed");
        self.say(text, Role::Warning);
        true
    }

    fn start_again(&mut self) {
        let Some(row) = self.jobs.selected() else {
            self.say("there is no job · A starts one", Role::Dim);
            return;
        };
        if row.state.is_alive() {
            let text = format!("job {} is {}", row.id, row.state.as_str());
            self.say(text, Role::Dim);
            return;
        }
        let own = job::own_arguments(row);
        let reads_stdin = row.kind == JobKind::Import && own.iter().any(|it| it == "-");
        let writes = |it: &OsString| {
            let word = it.to_string_lossy();
            word == "-o" || word.starts_with("--output")
        };
        if reads_stdin {
            self.say(
                "it read a pipe, which is gone · A imports a file",
                Role::Warning,
            );
            return;
        }
        if row.kind == JobKind::Export && !own.iter().any(writes) {
            self.say(
                "it wrote to a terminal · A exports to a file",
                Role::Warning,
            );
            return;
        }
        let new = NewJob {
            kind: row.kind,
            arguments: row.arguments.clone(),
            folder: row.folder.clone(),
            is_background: true,
            retry_of: Some(row.id),
        };
        self.begin(Task::Start(Box::new(new)));
    }

    fn choose_job(&mut self) {
        let about = |kind: JobKind| match kind {
            JobKind::Mine => "repositories into the index",
            JobKind::Import => "a model's predictions as a run",
            JobKind::Eval => "scores of the runs that were imported",
            JobKind::Export => "the dataset into a file",
            JobKind::Leakage => "near duplicates across the splits",
            JobKind::Index => "what answers `text:` and nearest samples at once",
        };
        let kinds = JobKind::ALL.iter();
        let choices = kinds.map(|it| Choice::new(it.as_str(), about(*it), ""));
        self.choose(Choosing::Job, "new job", choices.collect(), "");
    }

    /// Opens the form of a kind, with what was typed into it before, else with what the last such job was called with.
    pub(super) fn open_form(&mut self, kind: JobKind) {
        let draft = self.jobs.draft.take().filter(|it| it.kind == kind);
        let form = draft.unwrap_or_else(|| {
            let names = self.runs.rows().iter();
            let runs = names.map(|run| run.setting.name.clone()).collect();
            JobForm::new(kind, self.jobs.latest(kind), runs)
        });
        self.desk.overlay = Some(Overlay::Form(Box::new(form)));
        self.ask_files();
    }

    /// Asks what files there are, where the form wants to know.
    pub(super) fn ask_files(&mut self) {
        if let Some(Overlay::Form(form)) = &self.desk.overlay
            && let Some(path) = form.asks_for()
        {
            let files = Files(path.to_owned());
            self.desk.ask_for(files, Self::take_files);
        }
    }

    fn take_files(&mut self, answer: Result<Listing, Failure>) {
        match (&mut self.desk.overlay, answer) {
            (Some(Overlay::Form(form)), Ok(listing)) => {
                if form.take_listing(&listing) {
                    self.ask_files();
                }
            }
            (_, Ok(_)) => self.desk.is_dirty = false,
            (_, Err(failure)) => self.desk.say_failure(&failure),
        }
    }

    /// Starts the job that the form describes, or shows what is wrong with it.
    pub(super) fn submit(&mut self, mut form: Box<JobForm>) {
        match form.submit() {
            Some(arguments) => {
                let kind = form.kind;
                self.jobs.draft = Some(*form);
                self.begin(Task::start(kind, arguments));
            }
            None => self.desk.overlay = Some(Overlay::Form(form)),
        }
    }

    pub(super) fn begin(&mut self, task: Task) {
        if let Task::Start(new) = &task {
            self.say(format!("starting {} …", new.kind.as_str()), Role::Dim);
        }
        self.desk.push(Effect::Work(task));
    }

    /// Hears that something was begun, or done.
    pub(super) fn on_ended(&mut self, ended: Ended) {
        let Ended { task, outcome } = ended;
        match task {
            Task::Remove { .. } => self.ask_runs(),
            Task::Start(_) | Task::Cancel(_) | Task::Clear => self.jobs.ask(&mut self.desk),
        }
        let (text, role) = match outcome {
            Outcome::Started(id) => {
                self.jobs.started(id);
                let is_again = self.mines_again.take().is_some();
                if is_again {
                    self.jobs.told.insert(id);
                }
                self.jobs.draft = None;
                (format!("job {id} started · gj shows it"), Role::Good)
            }
            Outcome::Done(text) => (text, Role::Good),
            Outcome::Doubtful(text) => (text, Role::Warning),
            Outcome::Failed { text, hint } => {
                self.mines_again = None;
                self.tell_popup("that failed", (text.clone(), Role::Error), hint, false);
                (text, Role::Error)
            }
        };
        self.say(text, role);
    }

    /// Shows something over the screen; whoever types goes on typing.
    fn tell_popup(
        &mut self,
        title: &'static str,
        (text, role): (String, Role),
        hint: String,
        opens_stale: bool,
    ) {
        if self.desk.overlay.is_none() {
            self.desk.overlay = Some(Overlay::Told(Told {
                title,
                text,
                role,
                hint,
                opens_stale,
            }));
        }
    }

    /// What concerns the pane with the focus.
    pub(super) fn run_jobs_pane(&mut self, command: PaneCommand) {
        match command {
            PaneCommand::Focus(_) => self.jobs.turn_focus(),
            PaneCommand::Peek(step) => self.jobs.peek(step, &mut self.desk),
            PaneCommand::Search => {
                self.desk.overlay = Some(Overlay::Ask(
                    Asked::Search,
                    Prompt {
                        label: "/",
                        ..Prompt::default()
                    },
                ));
            }
            PaneCommand::Match(step) => self.step_log_match(step),
            PaneCommand::Mark(_) | PaneCommand::Wrap => {}
        }
    }

    /// Searches the log for what was typed.
    pub(super) fn find_in_log(&mut self, needle: &str) {
        self.jobs.find(needle);
        if !needle.is_empty() {
            self.step_log_match(Step::Next);
        }
    }

    fn step_log_match(&mut self, step: Step) {
        let (text, is_found) = self.jobs.step_match(step);
        let role = if is_found { Role::Dim } else { Role::Warning };
        self.say(text, role);
    }

    /// Enter.
    pub(super) fn open_job(&mut self) {
        self.jobs.toggle_zoom();
    }

    /// Says how jobs ended, and reads again what they may have written.
    pub(super) fn on_jobs_ended(&mut self, ended: &[JobRow]) {
        if ended.iter().any(|it| it.kind.is_writer()) {
            self.reload();
        }
        for row in ended {
            if row.kind == JobKind::Import
                && row.state == JobState::Done
                && let Some(name) = value_of(row, "--run")
            {
                self.runs.want(&name, &mut self.desk);
            }
            let (id, kind, state) = (row.id, row.kind.as_str(), row.state.as_str());
            let role = match row.state {
                JobState::Done => Role::Good,
                JobState::Failed => Role::Error,
                _ => Role::Warning,
            };
            let message = visible(&row.message);
            let colon = if message.is_empty() { "" } else { ": " };
            let text = format!("{kind} #{id} {state}{colon}{message}");
            if self.jobs.told.remove(&id) {
                let is_stale = row.changes.is_some_and(|it| it.n_stale > 0);
                let hint = if is_stale {
                    "Enter: the queue of stale verdicts"
                } else {
                    ""
                };
                let told = (text.clone(), role);
                self.tell_popup("mined again", told, hint.to_owned(), is_stale);
            }
            self.say(text, role);
        }
    }

    /// Opens the queue of what was judged and has changed since.
    pub(super) fn open_stale(&mut self) {
        if let Err(flaw) = self.annotate.open("stale", &mut self.desk) {
            self.say(flaw.text, Role::Error);
        }
        self.go(&[Screen::Home, Screen::Annotate]);
    }

    /// Asks for the jobs, without sending the question.
    #[cfg(test)]
    pub fn look_at_jobs(&mut self) -> crate::question::Ask {
        self.jobs.ask(&mut self.desk);
        match self.desk.take_effects().pop() {
            Some(Effect::Ask(ask)) => ask,
            other => panic!("the jobs are asked for: {other:?}"),
        }
    }

    /// Looks again at what changes by itself.
    pub(super) fn on_tick(&mut self) {
        let is_watched = self.results.tick(&mut self.desk);
        self.desk.is_dirty = self.compare.tick(&mut self.desk) || is_watched;
        let is_shown = self.screen() == Screen::Jobs;
        self.jobs.tick(is_shown, &mut self.desk);
    }

    /// Asks how the repository under the cursor was mined; the answer mines it again.
    fn ask_how_mined(&mut self) {
        let Some(row) = self.repos.selected() else {
            self.say("there is no repository · gj, then A, mines one", Role::Dim);
            return;
        };
        let identity = row.repo.identity.clone();
        self.mines_again = Some(Box::new(row.clone()));
        self.desk
            .ask_for(AskMined(identity), |app: &mut Self, answer| match answer {
                Ok(mined) => app.mine_again(mined),
                Err(failure) => {
                    app.mines_again = None;
                    app.desk.say_failure(&failure);
                }
            });
    }

    fn mine_again(&mut self, mined: Option<Mined>) {
        let row = self.mines_again.take();
        let (Some(row), Some(mined)) = (row, mined) else {
            self.say("the repository is gone from the index", Role::Warning);
            return;
        };
        let (options, has_classpath) =
            mine::Options::of_fingerprint(&mined.options, row.repo.language);
        if mined.root.as_os_str().is_empty() || options.matchers.is_empty() {
            self.say(
                "it came with a dataset: there are no sources",
                Role::Warning,
            );
            return;
        }
        if has_classpath {
            let text = "it was mined with a class path that the index does not know · gj, then A";
            self.say(text, Role::Warning);
            return;
        }
        let arguments = mine_arguments(&row, &mined, &options);
        self.begin(Task::start(JobKind::Mine, arguments));
        self.mines_again = Some(row);
    }
}

/// Returns the arguments that mine a repository as it was mined before.
fn mine_arguments(row: &RepoRow, mined: &Mined, options: &mine::Options) -> Vec<OsString> {
    let usual = mine::Options::default();
    let mut arguments: Vec<OsString> = vec!["mine".into()];
    let names: Vec<&str> = options
        .matchers
        .iter()
        .map(|it: &Matcher| it.as_str())
        .collect();
    arguments.push(format!("--matcher={}", names.join(",")).into());
    if options.tests == mine::TestSelection::Annotated {
        arguments.push("--tests=annotated".into());
    }
    if options.focal.context_constructors {
        arguments.push("--context-constructors".into());
    }
    let n_max = options.focal.max_context_tokens;
    if n_max != usual.focal.max_context_tokens {
        arguments.push(format!("--max-context-tokens={n_max}").into());
    }
    if let Some(below) = options.focal.abstain_below {
        arguments.push(format!("--abstain-below={below}").into());
    }
    // Where a remote tells what it is, a name would only be what people call it.
    arguments.push(format!("--name={}", row.repo.name).into());
    arguments.push("--".into());
    arguments.push(mined.root.clone().into_os_string());
    arguments
}

/// Returns the value of an option among a job's arguments.
fn value_of(row: &JobRow, option: &str) -> Option<String> {
    let words: Vec<_> = row
        .arguments
        .iter()
        .map(|it| it.to_string_lossy())
        .collect();
    let idx = words.iter().position(|it| {
        it == option
            || it
                .strip_prefix(option)
                .is_some_and(|rest| rest.starts_with('='))
    })?;
    match words[idx].split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => words.get(idx + 1).map(|it| it.clone().into_owned()),
    }
}

//! What screens share: questions and effects on their way out, overlays, and the message in the footer.
//!
//! Decides where an answer goes. A screen changes itself and the desk; a change of another screen it requests from the
//! app.

mod offer;
pub mod overlay;

use std::any::Any;
use std::collections::VecDeque;

use ratatui::layout::Size;
use rustc_hash::FxHashMap;

use crate::config::SavedFilters;
use crate::desk::overlay::Overlay;
use crate::eval::results::ResultsOptions;
use crate::event::Effect;
use crate::job::JobStart;
use crate::keymap::{Motion, StepDirection};
use crate::model::{Matcher, RunRow, SampleKey};
use crate::paint::{self, Cache};
use crate::plot::PlotKind;
use crate::question::shared::{ExplainedSample, TYPED};
use crate::question::{AnyAnswer, Question, QuestionFailure, QuestionReply, QuestionRequest, Slot};
use crate::screen::Screen;
use crate::term::Clipboard;
use crate::theme::Role;

/// A message and its role.
pub type Message = (String, Role);

/// A screen that asks questions.
pub trait QuestionScreen: Any {
    const SCREEN: Screen;

    /// Hears that a question has no answer. By default the footer tells why.
    fn fail(&mut self, _slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        desk.show_failure(failure);
    }
}

/// A screen's request to another one, or to the app.
#[derive(Debug)]
pub enum ScreenRequest {
    Go(Screen),
    /// The list of samples, under this filter.
    Samples(String),
    /// A sample over the screen, as a matcher decided it.
    Sample(SampleKey, Option<Matcher>),
    /// The neighbour in the list of samples.
    Step(Motion),
    /// The next sample whose test's name holds this text; an empty one repeats the last search.
    Find(String, StepDirection),
    /// The table of runs, at this one.
    Run(String),
    /// Moves the cursor of the table of runs to this run as soon as the table has it.
    Want(String),
    Form(JobStart),
    /// Opens the form that runs the predictions of this run.
    Execute(String),
    /// Opens the form that runs predictions again for the samples of this filter, of this run or of all.
    ExecuteAgain {
        run: Option<String>,
        filter: String,
    },
    /// Compares runs on the samples of this filter.
    Compare(String),
    Demo,
    /// Asks for a name and saves a filter under it.
    SaveFilter(String),
    /// Asks for a file, suggesting this name, and writes the content to it.
    Write(ExportContent, String),
    /// Completes and checks the typed line.
    Check,
    /// Reads again everything that jobs write.
    Reload,
    /// Reads the runs again.
    Runs,
    /// Moves the cursor to its item of the last session: the rows are there.
    Restore(Screen),
    /// Reports that the sample left in a list is gone.
    MissSample,
    /// Shows the sample that was asked for; nothing if the index no longer has it.
    Show(Option<Box<ExplainedSample>>),
    /// Marks these samples.
    Mark(Vec<SampleKey>),
    /// Ends the UI with these samples.
    Pick(Vec<SampleKey>),
    /// The number of disagreements that wait for a ruling.
    Conflicts(u64),
}

/// The content of the file whose path is asked for.
#[derive(Clone, Debug)]
pub enum ExportContent {
    Chart(PlotKind),
    Results(Box<ResultsOptions>),
    /// Some of them: a range of rows, counted from 0.
    SomeResults(Box<ResultsOptions>, [usize; 2]),
    /// Keys of samples, one a line.
    Keys(String),
    /// The log, as a script.
    Log(String),
}

/// The taker of an answer.
pub enum AnswerRoute {
    Screen(Screen, ScreenHandler),
    App(AppHandler),
}

type ScreenHandler = Box<dyn FnOnce(&mut dyn Any, Result<AnyAnswer, QuestionFailure>, &mut Desk)>;
type AppHandler = Box<dyn FnOnce(&mut dyn Any, Result<AnyAnswer, QuestionFailure>)>;

impl std::fmt::Debug for AnswerRoute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Screen(screen, _) => write!(f, "to {screen:?}"),
            Self::App(_) => f.write_str("to the app"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Desk {
    effects: Vec<Effect>,
    /// How often each slot was asked or stopped.
    generations: FxHashMap<Slot, u64>,
    /// The route of each slot's latest question, until it is answered.
    routes: FxHashMap<Slot, AnswerRoute>,
    requests: VecDeque<ScreenRequest>,
    pub overlay: Option<Overlay>,
    pub message: Option<Message>,
    /// The way back; the last is shown. Home is always at the bottom.
    pub stack: Vec<Screen>,
    pub saved: SavedFilters,
    /// All runs, in the order of import.
    pub runs: Vec<RunRow>,
    pub cache: Cache,
    pub clipboard: Clipboard,
    pub size: Size,
    /// Long lines wrap.
    pub wraps: bool,
    /// The screen has changed since it was drawn.
    pub is_dirty: bool,
}

impl Desk {
    /// Sets up the desk of a UI that shows Home.
    #[must_use]
    pub fn new(size: Size, clipboard: Clipboard) -> Self {
        Self {
            stack: vec![Screen::Home],
            clipboard,
            size,
            wraps: true,
            is_dirty: true,
            ..Self::default()
        }
    }

    /// Returns the visible screen.
    #[must_use]
    pub fn screen(&self) -> Screen {
        self.stack.last().copied().unwrap_or(Screen::Home)
    }

    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Hands out the gathered effects.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Asks the index; an earlier question in the same slot is stopped and its answer ignored. The answer goes to `take` of
    /// the screen, a failure to [`QuestionScreen::fail`].
    pub fn ask<Q: Question, T: QuestionScreen>(
        &mut self,
        question: Q,
        take: impl FnOnce(&mut T, Q::Answer, &mut Self) + 'static,
    ) {
        self.ask_in(Q::SLOT, question, take);
    }

    /// Asks in another slot than the question's own.
    pub fn ask_in<Q: Question, T: QuestionScreen>(
        &mut self,
        slot: Slot,
        question: Q,
        take: impl FnOnce(&mut T, Q::Answer, &mut Self) + 'static,
    ) {
        let route = move |screen: &mut dyn Any,
                          answer: Result<AnyAnswer, QuestionFailure>,
                          desk: &mut Self| {
            let Some(screen) = screen.downcast_mut::<T>() else {
                return;
            };
            match answer {
                Ok(found) => take(screen, of_type::<Q>(found), desk),
                Err(failure) if slot == TYPED => desk.fail_typed(&failure),
                Err(failure) => screen.fail(slot, &failure, desk),
            }
        };
        self.send(
            slot,
            question,
            AnswerRoute::Screen(T::SCREEN, Box::new(route)),
        );
    }

    /// Asks for data that several screens show: the answer goes to the app.
    pub fn ask_for<Q: Question, App: Any>(
        &mut self,
        question: Q,
        take: impl FnOnce(&mut App, Result<Q::Answer, QuestionFailure>) + 'static,
    ) {
        let route = move |app: &mut dyn Any, answer: Result<AnyAnswer, QuestionFailure>| {
            if let Some(app) = app.downcast_mut::<App>() {
                take(app, answer.map(of_type::<Q>));
            }
        };
        self.send(Q::SLOT, question, AnswerRoute::App(Box::new(route)));
    }

    fn send<Q: Question>(&mut self, slot: Slot, question: Q, route: AnswerRoute) {
        let generation = self.next(slot);
        self.routes.insert(slot, route);
        self.effects.push(Effect::Ask(QuestionRequest {
            slot,
            generation,
            question: Box::new(question),
        }));
    }

    fn next(&mut self, slot: Slot) -> u64 {
        let generation = self.generations.entry(slot).or_default();
        *generation += 1;
        *generation
    }

    /// Stops the question in a slot.
    pub fn stop(&mut self, slot: Slot) {
        let generation = self.next(slot);
        self.routes.remove(&slot);
        self.effects.push(Effect::Stop { slot, generation });
    }

    /// Takes the route of an answer; nothing unless it answers the latest question of its slot.
    pub fn way_of(&mut self, reply: &QuestionReply) -> Option<AnswerRoute> {
        let is_current = self.generations.get(&reply.slot) == Some(&reply.generation);
        if is_current {
            self.routes.remove(&reply.slot)
        } else {
            None
        }
    }

    /// Has these texts coloured, unless that is done or on its way.
    pub fn paint(&mut self, jobs: impl IntoIterator<Item = paint::PaintJob>) {
        for job in jobs {
            if self.cache.want(job.id) {
                self.effects.push(Effect::Paint(job));
            }
        }
    }

    pub fn request(&mut self, request: ScreenRequest) {
        self.requests.push_back(request);
    }

    pub fn next_request(&mut self) -> Option<ScreenRequest> {
        self.requests.pop_front()
    }

    pub fn show_message(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some((text.into(), role));
    }

    pub fn show_if_some(&mut self, message: Option<Message>) {
        self.message = message.or_else(|| self.message.take());
    }

    /// Tells in the footer why something cannot be read; a missing index needs no message, because the screens show it.
    pub fn show_failure(&mut self, failure: &QuestionFailure) {
        if let QuestionFailure::Other(text) = failure {
            self.show_message(text.clone(), Role::Error);
        }
    }
}

fn of_type<Q: Question>(found: AnyAnswer) -> Q::Answer {
    let answer = found.downcast::<Q::Answer>();
    *answer.expect("a question is answered with its own answer")
}

//! The overlays of a screen, as values. `widget` draws them; the screens that open them act on them.

use crate::chart::Figure;
use crate::plot::PlotKind;
use crate::screen::AnswerState;
use crate::screen::annotate::differing::AlikeList;
use crate::screen::jobs::form::JobForm;
use crate::store::NewJob;
use crate::theme::Role;
use crate::widget::chooser::Chooser;
use crate::widget::finder::Finder;
use crate::widget::overlay::{Help, Prompt};

/// An overlay of the screen.
#[derive(Clone, Debug)]
pub enum Overlay {
    Help(Help),
    /// A line of input.
    Ask(InputPurpose, Box<Prompt>),
    /// The methods in the repository of the judged sample.
    Finder(Box<Finder>),
    /// Near duplicates of a judged sample, and how they differ from it.
    Alike(Box<AlikeList>),
    /// A list to choose from by a few letters.
    Choose(ChoicePurpose, Box<Chooser>),
    /// The annotator's last verdicts.
    Past {
        cursor: usize,
    },
    /// Why the selected candidate has its weight.
    Why,
    /// The facts about the sample besides its code.
    Facts,
    Chart(Box<ChartOverlay>),
    /// The log of actions, as commands.
    Log {
        cursor: usize,
    },
    /// A job to start.
    Form(Box<JobForm>),
    /// The facts about a job.
    JobFacts(Vec<(String, String)>),
    /// The meaning of signs and short words of the screen.
    Legend(Vec<(String, String)>),
    Confirm {
        question: String,
        confirmed: ConfirmedAction,
    },
    Told(PopupMessage),
}

impl Overlay {
    /// Lists the keys of an overlay that differ from a list's, with a word for each; nothing where the keymap's keys
    /// hold.
    #[must_use]
    pub const fn own_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        match self {
            Self::Alike(_) => Some(&[
                ("Enter", "give it to all"),
                ("Space", "page"),
                ("G", "end"),
                ("Esc", "leave"),
            ]),
            Self::Log { .. } => Some(&[
                ("y", "copy the line"),
                ("Y", "copy all"),
                ("E", "write"),
                ("Esc", "leave"),
            ]),
            _ => None,
        }
    }
}

/// The purpose of a line of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPurpose {
    /// The filter of the list on the screen.
    Filter,
    Search,
    /// The metrics to evaluate.
    Metrics,
    /// A note on the judged sample.
    Note,
    /// The reason for ruling a disagreement so.
    Reason,
    /// The queue to judge.
    Queue,
    /// The columns of a table.
    Columns,
    /// The file that a list is written to.
    Export,
    /// The name under which a filter is saved.
    FilterName,
    /// The file to write.
    Path,
    /// The name of the annotator.
    Annotator,
    /// Words that narrow a list.
    Words,
}

/// The purpose of a choice from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoicePurpose {
    /// The run whose results are shown.
    Run,
    /// The run to compare it with.
    Baseline,
    /// The metric to look at.
    Metric,
    /// One more run to compare.
    AnotherRun,
    /// The grouping of the list.
    Group,
    /// How a prediction differs.
    Tags,
    /// A filter saved in the workspace.
    SavedFilter,
    Theme,
    /// The name of the annotator, among the known ones.
    Annotator,
    /// The kind of job to start.
    Job,
    Chart,
    /// Anything.
    Palette,
}

/// The action that a yes confirms.
#[derive(Clone, Debug)]
pub enum ConfirmedAction {
    Remove(String),
    /// Accepts the part that an audit did not draw.
    AcceptRest,
    /// Forgets the jobs that have ended.
    ClearJobs,
    /// Starts a job again, with the arguments that were shown.
    StartAgain(Box<NewJob>),
    /// Saves the filter under a name that another filter has.
    SaveFilter(String),
}

/// A message over the screen: how work ended, and a hint on what to do.
#[derive(Clone, Debug)]
pub struct PopupMessage {
    pub title: &'static str,
    pub text: String,
    pub role: Role,
    pub hint: String,
    /// Enter opens the queue of stale verdicts.
    pub opens_stale: bool,
}

/// A chart over the screen.
#[derive(Clone, Debug)]
pub struct ChartOverlay {
    pub kind: PlotKind,
    pub figure: AnswerState<Box<Figure>>,
}

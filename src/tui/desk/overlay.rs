//! What lies over a screen: as a value. How it is drawn is in `widget`, what it does is with those who open it.

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

/// What lies over the screen.
#[derive(Clone, Debug)]
pub enum Overlay {
    Help(Help),
    /// A line of input.
    Ask(InputPurpose, Box<Prompt>),
    /// The methods of the repository of the sample that is judged.
    Finder(Box<Finder>),
    /// Near duplicates of a sample that was judged, and how they differ from it.
    Alike(Box<AlikeList>),
    /// Something to be chosen by a few letters.
    Choose(ChoicePurpose, Box<Chooser>),
    /// What the annotator did last.
    Past {
        cursor: usize,
    },
    /// Why the selected candidate weighs what it weighs.
    Why,
    /// The facts about the sample besides its code.
    Facts,
    Chart(Box<ChartOverlay>),
    /// What was done, as commands.
    Log {
        cursor: usize,
    },
    /// A job to be started.
    Form(Box<JobForm>),
    /// The facts about a job.
    JobFacts(Vec<(String, String)>),
    /// What signs and short words of the screen mean.
    Legend(Vec<(String, String)>),
    Confirm {
        question: String,
        confirmed: ConfirmedAction,
    },
    Told(PopupMessage),
}

impl Overlay {
    /// Lists the keys of an overlay that has others than a list, with a word for each; nothing where the keymap says
    /// them.
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

/// What a line of input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPurpose {
    /// The filter of the list on the screen.
    Filter,
    Search,
    /// The metrics to evaluate.
    Metrics,
    /// A note on the sample that is judged.
    Note,
    /// Why a disagreement is ruled so.
    Reason,
    /// The queue to be judged.
    Queue,
    /// The columns of a table.
    Columns,
    /// The file that a list is written to.
    Export,
    /// The name of a filter that is saved.
    FilterName,
    /// A file to be written.
    Path,
    /// The name of the annotator.
    Annotator,
    /// Words that a list is narrowed to.
    Words,
}

/// The subject of a choice from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoicePurpose {
    /// The run whose results are shown.
    Run,
    /// The run that it is held against.
    Baseline,
    /// The metric that is looked at.
    Metric,
    /// One more run to compare.
    AnotherRun,
    /// What the list is grouped by.
    Group,
    /// What a prediction does differently.
    Tags,
    /// A filter saved in the workspace.
    SavedFilter,
    Theme,
    /// The name of the annotator, among the known ones.
    Annotator,
    /// The kind of job to be started.
    Job,
    Chart,
    /// Anything.
    Palette,
}

/// What happens after a yes.
#[derive(Clone, Debug)]
pub enum ConfirmedAction {
    Remove(String),
    /// Accepts what an audit did not draw.
    AcceptRest,
    /// Forgets the jobs that have ended.
    ClearJobs,
    /// Starts a job again, with the arguments that were shown.
    StartAgain(Box<NewJob>),
    /// Saves the filter under a name that another one has.
    SaveFilter(String),
}

/// How work ended, and what there is to know or to do about it.
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

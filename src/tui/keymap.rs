//! The one table of actions: keys, help, footer, the which-key popup and the table in the README all derive from it.
//!
//! Decides what can be done where, with which key unless somebody sets another, and how it is called. Does not do it:
//! that is `app` and the screens. A new action is one row here and one arm in `update`; what is said of samples has its
//! row in [`action`], which the command line shares.

mod bind;

use crate::review::action::{self, Act};

pub use bind::{Bound, Found, Keymap};

/// Where a key is heard: a screen, or something that lies over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    Home,
    Samples,
    Sample,
    Repos,
    Runs,
    Annotate,
    Disagree,
    /// A list that lies over the screen.
    List,
    /// The help overlay.
    Help,
    /// A line of input: search or filter.
    Input,
    /// Several fields to fill in.
    Form,
    /// A question with yes and no.
    Confirm,
}

impl Context {
    pub const ALL: &[Self] = &[
        Self::Home,
        Self::Samples,
        Self::Sample,
        Self::Repos,
        Self::Runs,
        Self::Annotate,
        Self::Disagree,
        Self::List,
        Self::Help,
        Self::Input,
        Self::Form,
        Self::Confirm,
    ];

    /// Returns the context that configuration calls so: its title in small letters.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|it| it.title().to_lowercase() == name)
    }

    /// Returns whether keys that type something are text there.
    #[must_use]
    pub const fn takes_text(self) -> bool {
        matches!(self, Self::Input | Self::Help | Self::Form)
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Home => "Home",
            Self::Samples => "Samples",
            Self::Sample => "Sample",
            Self::Repos => "Repos",
            Self::Runs => "Runs",
            Self::Annotate => "Annotate",
            Self::Disagree => "Disagree",
            Self::List => "List",
            Self::Help => "Help",
            Self::Input => "Input",
            Self::Form => "Form",
            Self::Confirm => "Question",
        }
    }
}

/// How far to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Up,
    Down,
    Left,
    Right,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Motion {
    /// Returns where the line `at` of a list or a text comes to, a page being `page` lines.
    ///
    /// Never below 0; how far down there is something is for the caller to say: `Last` is [`usize::MAX`]. Moving
    /// sideways changes nothing.
    #[must_use]
    pub const fn moved(self, at: usize, page: usize) -> usize {
        match self {
            Self::Up => at.saturating_sub(1),
            Self::Down => at.saturating_add(1),
            Self::Left | Self::Right => at,
            Self::HalfUp => at.saturating_sub(page / 2),
            Self::HalfDown => at.saturating_add(page / 2),
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at.saturating_add(page),
            Self::First => 0,
            Self::Last => usize::MAX,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Next,
    Previous,
}

/// What concerns the program as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppCommand {
    GoHome,
    GoSamples,
    GoRepos,
    GoRuns,
    GoAnnotate,
    GoDisagree,
    /// Enter: whatever the screen's cursor stands on.
    Open,
    /// Esc: closes or clears the nearest thing; never leaves the program.
    Close,
    /// q: one screen back, at the root out of the program.
    Back,
    Help,
    Suspend,
    Redraw,
    /// ^c: stops what runs; twice leaves the program.
    Cancel,
}

/// What concerns the pane with the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneCommand {
    Focus(Step),
    /// Scrolls the other pane, so that the list keeps the focus.
    Peek(Step),
    Search,
    Match(Step),
    /// The next focal call or assertion.
    Mark(Step),
    Wrap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplesCommand {
    Filter,
    Sort(Sort),
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// As mined: repository, file, position.
    Index,
    Repo,
    Class,
    Test,
    Focal,
    Status,
    Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    Code,
    Path,
    Key,
}

/// What concerns the sample under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleCommand {
    /// Shows the neighbour in the list.
    Sibling(Step),
    /// Why the selected candidate weighs what it weighs.
    Why,
    /// What decided, and all that is known besides the code.
    Facts,
    Edit,
    Copy(Copied),
}

/// What concerns the sample that is judged, or the queue that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotateCommand {
    Accept,
    NoneOfThese,
    NoFocal,
    /// The candidate of this number; 0 is the one under the cursor.
    Pick(u8),
    Unsure,
    Skip,
    Mark,
    Note,
    Undo,
    Redo,
    /// Finds another method of the repository.
    Find,
    /// What the annotator did last, to go back to it.
    History,
    Queue,
    Fold(Fold),
    /// What has changed since the verdict, or the code again.
    Difference,
    /// Accepts what an audit did not draw, provisionally.
    AcceptRest,
}

/// What concerns the sample that is ruled on, or what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisagreeCommand {
    /// With the opinion of this number.
    Side(u8),
    /// The machine's decision is right.
    Accept,
    /// The candidate under the cursor.
    Pick,
    NoneOfThese,
    NoFocal,
    /// Looked at, and nobody can say.
    LeaveOpen,
    /// The next ruling says that the guideline has a gap.
    Gap,
    /// Shows who said what.
    Names,
    /// Another pair of annotators in the matrix.
    Pair(Step),
    Note,
    Undo,
    Redo,
}

/// What can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Setup,
    Context,
    Comments,
    All,
}

/// What concerns the table of runs, or the run under its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsCommand {
    Sort(RunSort),
    /// Over all answers, over those that parse, adjusted.
    Values,
    /// What the others are compared with.
    Baseline,
    Import,
    Evaluate,
    EvaluateAll,
    /// Asks for the metrics first.
    EvaluateWith,
    Remove,
    Copy(RunCopy),
}

/// What runs can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSort {
    /// As imported.
    Index,
    /// By the column with the cursor.
    Column,
    Name,
    Model,
    Target,
    Samples,
    Problems,
    Unparsable,
    OverLength,
    /// By the metric of this id.
    Metric(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCopy {
    Row,
    TableTsv,
    TableMarkdown,
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmCommand {
    Yes,
    No,
}

/// What a line of input understands besides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCommand {
    Accept,
    Cancel,
    Complete(Step),
    /// Another field of a form.
    Field(Step),
    /// What is shown beside the list, a page on or back.
    Scroll(Step),
    DeleteBackwards,
    DeleteForwards,
    DeleteWord,
    DeleteAll,
    Left,
    Right,
    Start,
    End,
}

/// Everything a key can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Move(Motion),
    App(AppCommand),
    Pane(PaneCommand),
    Samples(SamplesCommand),
    Sample(SampleCommand),
    Runs(RunsCommand),
    Annotate(AnnotateCommand),
    Disagree(DisagreeCommand),
    Input(InputCommand),
    Confirm(ConfirmCommand),
}

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// The name in configuration and documentation.
    pub id: &'static str,
    /// Those that it has unless others are set; each a sequence in the notation of [`key::parse`](super::key::parse).
    /// Of those that are numbered the n-th stands for the n-th candidate or opinion.
    pub keys: &'static [&'static str],
    pub contexts: &'static [Context],
    pub command: Command,
    /// The word in the footer; empty: not shown there.
    pub hint: &'static str,
    /// The order in the footer, smallest first and dropped last.
    pub rank: u8,
    /// One line, imperative: what it does.
    pub help: &'static str,
}

use Context::{
    Annotate, Confirm, Disagree, Form, Help, Home, Input, List, Repos, Runs, Sample, Samples,
};

const SCREENS: &[Context] = &[Home, Samples, Sample, Repos, Runs, Annotate, Disagree];
const LISTS: &[Context] = &[Home, Samples, Sample, Repos, Runs, Annotate, Disagree, List];
const CODE: &[Context] = &[Samples, Sample, Annotate, Disagree];
const MARKED: &[Context] = &[Samples, Sample, Annotate];
const STEPPED: &[Context] = &[Sample, Disagree];
const PEEKING: &[Context] = &[Samples, Sample, Repos, Runs, Annotate, Disagree];
const JUDGED: &[Context] = &[Annotate];
/// Samples that are looked at; where they are judged, the reasons have a row of their own.
const EXPLAINED: &[Context] = &[Samples, Sample, Disagree];
const TEXT: &[Context] = &[Input, Help, Form];
/// Lines of input that stand alone.
const LINES: &[Context] = &[Input, Help];

const fn row(
    id: &'static str,
    keys: &'static [&'static str],
    contexts: &'static [Context],
    command: Command,
    help: &'static str,
) -> Action {
    Action {
        id,
        keys,
        contexts,
        command,
        hint: "",
        rank: u8::MAX,
        help,
    }
}

const fn hinted(action: Action, rank: u8, hint: &'static str) -> Action {
    Action {
        hint,
        rank,
        ..action
    }
}

const fn motion(
    id: &'static str,
    keys: &'static [&'static str],
    motion: Motion,
    help: &'static str,
) -> Action {
    row(id, keys, LISTS, Command::Move(motion), help)
}

const fn annotate(
    id: &'static str,
    keys: &'static [&'static str],
    command: AnnotateCommand,
    help: &'static str,
) -> Action {
    row(id, keys, JUDGED, Command::Annotate(command), help)
}

/// What an annotator does, as [`action`] has it.
const fn act(act: Act, command: Command) -> Action {
    let known = action::action(act);
    row(known.id, known.keys, JUDGED, command, known.help)
}

/// What an annotator does, with its hint at this place of the footer.
const fn judge(rank: u8, judged: Act, command: AnnotateCommand) -> Action {
    let hint = action::action(judged).hint;
    hinted(act(judged, Command::Annotate(command)), rank, hint)
}

const fn disagree(
    id: &'static str,
    keys: &'static [&'static str],
    command: DisagreeCommand,
    help: &'static str,
) -> Action {
    row(id, keys, &[Disagree], Command::Disagree(command), help)
}

const fn input(
    id: &'static str,
    keys: &'static [&'static str],
    command: InputCommand,
    help: &'static str,
) -> Action {
    row(id, keys, TEXT, Command::Input(command), help)
}

const fn sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: Sort,
    help: &'static str,
) -> Action {
    row(
        id,
        keys,
        &[Samples],
        Command::Samples(SamplesCommand::Sort(by)),
        help,
    )
}

const fn runs(
    id: &'static str,
    keys: &'static [&'static str],
    command: RunsCommand,
    help: &'static str,
) -> Action {
    row(id, keys, &[Runs], Command::Runs(command), help)
}

const fn runs_sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: RunSort,
    help: &'static str,
) -> Action {
    runs(id, keys, RunsCommand::Sort(by), help)
}

/// The registry. Its order is the order of the help.
#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[Action] = &[
    judge(1, Act::Accept, AnnotateCommand::Accept),
    judge(2, Act::NoneOfThese, AnnotateCommand::NoneOfThese),
    judge(3, Act::Pick, AnnotateCommand::Pick(1)),
    annotate("annotate-pick-shown", &["P"], AnnotateCommand::Pick(0), "pick the candidate under the cursor as the focal method"),
    judge(4, Act::NoFocal, AnnotateCommand::NoFocal),
    judge(5, Act::Unsure, AnnotateCommand::Unsure),
    judge(6, Act::Skip, AnnotateCommand::Skip),
    judge(7, Act::Undo, AnnotateCommand::Undo),
    act(Act::Redo, Command::Annotate(AnnotateCommand::Redo)),
    judge(8, Act::Note, AnnotateCommand::Note),
    judge(9, Act::Mark, AnnotateCommand::Mark),
    judge(10, Act::Find, AnnotateCommand::Find),
    hinted(annotate("annotate-queue", &["f"], AnnotateCommand::Queue, "queue: uncertain, random, unmapped:tie, stale … and a filter"), 11, "queue"),
    hinted(act(Act::Next, Command::Sample(SampleCommand::Sibling(Step::Next))), 13, action::action(Act::Next).hint),
    act(Act::Previous, Command::Sample(SampleCommand::Sibling(Step::Previous))),
    judge(14, Act::History, AnnotateCommand::History),
    hinted(act(Act::Why, Command::Sample(SampleCommand::Why)), 15, action::action(Act::Why).hint),
    annotate("annotate-difference", &["d"], AnnotateCommand::Difference, "what has changed since the verdict; again: the code"),
    hinted(annotate("fold-setup", &["zs"], AnnotateCommand::Fold(Fold::Setup), "fold the setup"), 19, "fold…"),
    annotate("fold-context", &["zc"], AnnotateCommand::Fold(Fold::Context), "show the contexts, or your last decisions"),
    annotate("fold-comments", &["zj"], AnnotateCommand::Fold(Fold::Comments), "fold comments, Javadoc and annotations"),
    annotate("fold-all", &["za"], AnnotateCommand::Fold(Fold::All), "fold everything that can be, or nothing"),
    annotate("annotate-accept-rest", &["A"], AnnotateCommand::AcceptRest, "of an audit that is done: accept the rest provisionally, with its bound"),
    hinted(disagree("disagree-side", &["1", "2", "3", "4", "5", "6", "7", "8", "9"], DisagreeCommand::Side(1), "rule that the opinion of this number is right"), 1, "side with"),
    hinted(disagree("disagree-none", &["x"], DisagreeCommand::NoneOfThese, "rule: none of these, the focal method is no candidate"), 2, "none of these"),
    hinted(disagree("disagree-no-focal", &["X"], DisagreeCommand::NoFocal, "rule: no focal, the test is not about one method"), 3, "no focal"),
    hinted(disagree("disagree-accept", &["a"], DisagreeCommand::Accept, "rule: what the machine decided is right"), 4, "machine"),
    disagree("disagree-pick-shown", &["P"], DisagreeCommand::Pick, "rule: the candidate under the cursor"),
    hinted(disagree("disagree-leave-open", &["o"], DisagreeCommand::LeaveOpen, "set aside: nobody can tell; not gold, and no longer waits"), 5, "set aside"),
    hinted(disagree("disagree-gap", &["!"], DisagreeCommand::Gap, "the guideline has a gap: the reason of the next ruling says so; again: not"), 6, "guideline gap"),
    hinted(disagree("disagree-undo", &["u", "<bs>"], DisagreeCommand::Undo, "undo what you did last, without limit, also of earlier days"), 7, "undo"),
    disagree("disagree-redo", &["U", "<c-r>"], DisagreeCommand::Redo, "redo what was undone"),
    hinted(disagree("disagree-names", &["."], DisagreeCommand::Names, "names of who said what; again: hide them until you rule"), 8, "names"),
    hinted(disagree("disagree-note", &["c"], DisagreeCommand::Note, "note on the sample; an empty one takes it away"), 9, "note"),
    hinted(disagree("disagree-pair-next", &["]"], DisagreeCommand::Pair(Step::Next), "the next pair of annotators in the matrix"), 18, "pair"),
    disagree("disagree-pair-previous", &["["], DisagreeCommand::Pair(Step::Previous), "the previous pair of annotators in the matrix"),
    hinted(row("open", &["<enter>"], LISTS, Command::App(AppCommand::Open), "open what the cursor is on; a pane: full size and back"), 10, "open"),
    hinted(row("filter", &["f"], &[Samples], Command::Samples(SamplesCommand::Filter), "filter the list: repo:gson status:tie weight<0.5 …"), 11, "filter"),
    hinted(row("search", &["/"], CODE, Command::Pane(PaneCommand::Search), "search in the pane; in the list: the next test of that name"), 12, "search"),
    row("search-next", &["n"], CODE, Command::Pane(PaneCommand::Match(Step::Next)), "next match"),
    row("search-previous", &["N"], CODE, Command::Pane(PaneCommand::Match(Step::Previous)), "previous match"),
    hinted(row("sample-next", &["}"], STEPPED, Command::Sample(SampleCommand::Sibling(Step::Next)), "next sample of the list"), 13, "next sample"),
    row("sample-previous", &["{"], STEPPED, Command::Sample(SampleCommand::Sibling(Step::Previous)), "previous sample of the list"),
    hinted(row("mark-next", &["]"], MARKED, Command::Pane(PaneCommand::Mark(Step::Next)), "next focal call or assertion in the test"), 18, "next mark"),
    row("mark-previous", &["["], MARKED, Command::Pane(PaneCommand::Mark(Step::Previous)), "previous focal call or assertion in the test"),
    hinted(row("pane-next", &["<tab>"], CODE, Command::Pane(PaneCommand::Focus(Step::Next)), "next pane"), 13, "pane"),
    row("pane-previous", &["<s-tab>"], CODE, Command::Pane(PaneCommand::Focus(Step::Previous)), "previous pane"),
    row("peek-down", &["J"], PEEKING, Command::Pane(PaneCommand::Peek(Step::Next)), "scroll the other pane down"),
    row("peek-up", &["K"], PEEKING, Command::Pane(PaneCommand::Peek(Step::Previous)), "scroll the other pane up"),
    hinted(row("wrap", &["w"], CODE, Command::Pane(PaneCommand::Wrap), "wrap long lines, or cut them off and scroll sideways"), 20, "wrap"),
    hinted(row("why", &["i"], EXPLAINED, Command::Sample(SampleCommand::Why), "why this match: what speaks for and against a candidate"), 15, "why"),
    row("facts", &["I"], CODE, Command::Sample(SampleCommand::Facts), "what is known besides the code: flags, licence, splits"),
    hinted(row("edit", &["e"], CODE, Command::Sample(SampleCommand::Edit), "open the file in $VISUAL or $EDITOR at the line"), 16, "edit"),
    hinted(row("copy-code", &["yy"], CODE, Command::Sample(SampleCommand::Copy(Copied::Code)), "copy the code of the pane"), 17, "copy"),
    row("copy-path", &["yp"], CODE, Command::Sample(SampleCommand::Copy(Copied::Path)), "copy path and line"),
    row("copy-key", &["yi"], CODE, Command::Sample(SampleCommand::Copy(Copied::Key)), "copy the sample's key"),
    sort("sort-index", &[",,"], Sort::Index, "order of the index"),
    sort("sort-weight", &[",w"], Sort::Weight, "sort by weight; again: turn round"),
    sort("sort-status", &[",s"], Sort::Status, "sort by status"),
    sort("sort-test", &[",t"], Sort::Test, "sort by the test's name"),
    sort("sort-class", &[",c"], Sort::Class, "sort by the test's class"),
    sort("sort-focal", &[",f"], Sort::Focal, "sort by the focal method"),
    sort("sort-repo", &[",r"], Sort::Repo, "sort by repository"),
    hinted(runs("run-import", &["i"], RunsCommand::Import, "import predictions as a run"), 11, "import"),
    hinted(runs("run-evaluate", &["e"], RunsCommand::Evaluate, "evaluate the run: the default metrics, and those it has"), 12, "evaluate"),
    runs("run-evaluate-all", &["E"], RunsCommand::EvaluateAll, "evaluate all runs"),
    runs("run-evaluate-with", &["m"], RunsCommand::EvaluateWith, "evaluate the run with metrics that you name"),
    hinted(runs_sort("runs-sort-column", &["s", ",c"], RunSort::Column, "sort by the column with the cursor; again: turn round"), 13, "sort"),
    runs_sort("runs-sort-index", &[",,"], RunSort::Index, "order of import"),
    runs_sort("runs-sort-name", &[",n"], RunSort::Name, "sort by name"),
    runs_sort("runs-sort-model", &[",m"], RunSort::Model, "sort by model"),
    runs_sort("runs-sort-target", &[",t"], RunSort::Target, "sort by what the model was to write"),
    runs_sort("runs-sort-samples", &[",s"], RunSort::Samples, "sort by samples"),
    runs_sort("runs-sort-problems", &[",p"], RunSort::Problems, "sort by problems"),
    runs_sort("runs-sort-unparsable", &[",u"], RunSort::Unparsable, "sort by the share that does not parse"),
    runs_sort("runs-sort-over-length", &[",o"], RunSort::OverLength, "sort by the share that was cut off"),
    runs_sort("runs-sort-bleu", &[",b"], RunSort::Metric("bleu"), "sort by BLEU"),
    runs_sort("runs-sort-rouge", &[",r"], RunSort::Metric("rougeL"), "sort by ROUGE-L"),
    runs_sort("runs-sort-codebleu", &[",k"], RunSort::Metric("codebleu"), "sort by CodeBLEU"),
    runs_sort("runs-sort-edit", &[",e"], RunSort::Metric("edit"), "sort by edit similarity"),
    runs_sort("runs-sort-exact", &[",x"], RunSort::Metric("em"), "sort by exact match"),
    hinted(runs("runs-values", &["v"], RunsCommand::Values, "values over all answers, over those that parse, adjusted"), 15, "values"),
    hinted(runs("run-baseline", &["c"], RunsCommand::Baseline, "compare the others with this run; again: stop"), 16, "compare"),
    hinted(runs("run-copy", &["yy"], RunsCommand::Copy(RunCopy::Row), "copy the run as tab-separated values, with the head"), 17, "copy"),
    runs("runs-copy-markdown", &["ym"], RunsCommand::Copy(RunCopy::TableMarkdown), "copy the table as Markdown"),
    runs("runs-copy-tsv", &["yt"], RunsCommand::Copy(RunCopy::TableTsv), "copy the table as tab-separated values"),
    hinted(runs("run-remove", &["d"], RunsCommand::Remove, "remove the run, after a question"), 18, "remove"),
    hinted(row("go-home", &["gh"], SCREENS, Command::App(AppCommand::GoHome), "Home: the funnel and what to do next"), 14, "go…"),
    row("go-samples", &["gs"], SCREENS, Command::App(AppCommand::GoSamples), "Samples: every test, mapped or not"),
    row("go-repos", &["gp"], SCREENS, Command::App(AppCommand::GoRepos), "Repos: what was mined, and its problems"),
    row("go-runs", &["gR"], SCREENS, Command::App(AppCommand::GoRuns), "Runs: models' answers and what they score"),
    row("go-annotate", &["ga"], SCREENS, Command::App(AppCommand::GoAnnotate), "Annotate: judge focal methods, one key each"),
    row("go-disagree", &["gd"], SCREENS, Command::App(AppCommand::GoDisagree), "Disagree: agreement, and what people differ on"),
    motion("down", &["j", "<down>"], Motion::Down, "down"),
    motion("up", &["k", "<up>"], Motion::Up, "up"),
    motion("left", &["h", "<left>"], Motion::Left, "left (lines that are not wrapped, columns)"),
    motion("right", &["l", "<right>"], Motion::Right, "right (lines that are not wrapped, columns)"),
    motion("half-down", &["<c-d>"], Motion::HalfDown, "half a page down"),
    motion("half-up", &["<c-u>"], Motion::HalfUp, "half a page up"),
    motion("page-down", &["<c-f>", "<pgdn>", "<space>"], Motion::PageDown, "a page down"),
    motion("page-up", &["<c-b>", "<pgup>"], Motion::PageUp, "a page up"),
    motion("first", &["gg", "<home>"], Motion::First, "first line"),
    motion("last", &["G", "<end>"], Motion::Last, "last line"),
    hinted(row("help", &["?"], SCREENS, Command::App(AppCommand::Help), "this help: type to filter, Enter runs the action"), 0, "help"),
    row("close", &["<esc>"], LISTS, Command::App(AppCommand::Close), "clear the search, close, one screen back"),
    hinted(row("back", &["q"], LISTS, Command::App(AppCommand::Back), "one screen back; from Home: quit"), 19, "back"),
    row("cancel", &["<c-c>"], Context::ALL, Command::App(AppCommand::Cancel), "stop what runs; twice: quit"),
    row("suspend", &["<c-z>"], SCREENS, Command::App(AppCommand::Suspend), "suspend; `fg` brings it back"),
    row("redraw", &["<c-l>"], SCREENS, Command::App(AppCommand::Redraw), "draw again, and read the index again"),
    hinted(input("accept", &["<enter>"], InputCommand::Accept, "take what is typed; in the help: run the action"), 1, "ok"),
    hinted(input("dismiss", &["<esc>"], InputCommand::Cancel, "leave without a change"), 2, "cancel"),
    hinted(row("complete", &["<tab>", "<down>"], LINES, Command::Input(InputCommand::Complete(Step::Next)), "complete the name; in the help: next line"), 3, "complete"),
    row("complete-back", &["<s-tab>", "<up>"], LINES, Command::Input(InputCommand::Complete(Step::Previous)), "previous completion or line"),
    row("scroll-next", &["<pgdn>"], &[Input], Command::Input(InputCommand::Scroll(Step::Next)), "in the finder: scroll the source down"),
    row("scroll-previous", &["<pgup>"], &[Input], Command::Input(InputCommand::Scroll(Step::Previous)), "in the finder: scroll the source up"),
    hinted(row("field-next", &["<down>", "<c-n>"], &[Form], Command::Input(InputCommand::Field(Step::Next)), "next field"), 4, "field"),
    row("field-previous", &["<up>", "<c-p>"], &[Form], Command::Input(InputCommand::Field(Step::Previous)), "previous field"),
    hinted(row("field-complete", &["<tab>"], &[Form], Command::Input(InputCommand::Complete(Step::Next)), "complete the name, else next field"), 3, "complete"),
    row("field-complete-back", &["<s-tab>"], &[Form], Command::Input(InputCommand::Complete(Step::Previous)), "previous completion, else previous field"),
    hinted(row("yes", &["y"], &[Confirm], Command::Confirm(ConfirmCommand::Yes), "yes"), 1, "yes"),
    hinted(row("no", &["n", "<esc>", "q"], &[Confirm], Command::Confirm(ConfirmCommand::No), "no"), 2, "no"),
    input("erase", &["<bs>", "<c-h>"], InputCommand::DeleteBackwards, "delete the character before the cursor"),
    input("delete", &["<del>"], InputCommand::DeleteForwards, "delete the character under the cursor"),
    input("delete-word", &["<c-w>"], InputCommand::DeleteWord, "delete the word before the cursor"),
    input("delete-all", &["<c-u>"], InputCommand::DeleteAll, "delete to the start of the line"),
    input("input-left", &["<left>"], InputCommand::Left, "left"),
    input("input-right", &["<right>"], InputCommand::Right, "right"),
    input("input-start", &["<home>", "<c-a>"], InputCommand::Start, "start of the line"),
    input("input-end", &["<end>", "<c-e>"], InputCommand::End, "end of the line"),
];

impl Command {
    /// Returns whether it changes what people said: then a key that is held down counts once, and nothing happens to a
    /// sample that was never painted.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        match self {
            Self::Annotate(command) => matches!(
                command,
                AnnotateCommand::Accept
                    | AnnotateCommand::NoneOfThese
                    | AnnotateCommand::NoFocal
                    | AnnotateCommand::Pick(_)
                    | AnnotateCommand::Unsure
                    | AnnotateCommand::Skip
                    | AnnotateCommand::Mark
                    | AnnotateCommand::Undo
                    | AnnotateCommand::Redo
                    | AnnotateCommand::AcceptRest
            ),
            Self::Disagree(command) => !matches!(
                command,
                DisagreeCommand::Names | DisagreeCommand::Pair(_) | DisagreeCommand::Note
            ),
            _ => false,
        }
    }
}

impl Action {
    /// Returns whether its n-th key stands for the n-th candidate or opinion.
    #[must_use]
    pub const fn is_numbered(&self) -> bool {
        matches!(
            self.command,
            Command::Annotate(AnnotateCommand::Pick(1..))
                | Command::Disagree(DisagreeCommand::Side(_))
        )
    }

    /// Returns what its key at `idx`, from 0, does.
    #[must_use]
    pub const fn command_at(&self, idx: usize) -> Command {
        let number = idx as u8 + 1;
        match self.command {
            Command::Annotate(AnnotateCommand::Pick(1..)) => {
                Command::Annotate(AnnotateCommand::Pick(number))
            }
            Command::Disagree(DisagreeCommand::Side(_)) => {
                Command::Disagree(DisagreeCommand::Side(number))
            }
            command => command,
        }
    }
}

/// Returns the actions of `context` in the order of the registry.
pub fn actions(context: Context) -> impl Iterator<Item = &'static Action> {
    ACTIONS
        .iter()
        .filter(move |action| action.contexts.contains(&context))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::key::{self, Key};
    use std::collections::BTreeMap;

    #[test]
    fn every_action_has_keys_help_and_a_place() {
        for action in ACTIONS {
            assert!(!action.keys.is_empty(), "{} has no key", action.id);
            assert!(!action.help.is_empty(), "{} has no help", action.id);
            assert!(
                !action.contexts.is_empty(),
                "{} is heard nowhere",
                action.id
            );
            for keys in action.keys {
                key::parse(keys).expect("every key of the registry can be read");
            }
        }
    }

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let mut ids: Vec<&str> = ACTIONS.iter().map(|action| action.id).collect();
        ids.sort_unstable();
        let n_ids = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for context in Context::ALL {
            let mut taken: BTreeMap<Vec<Key>, &str> = BTreeMap::new();
            for action in actions(*context) {
                for keys in action.keys {
                    let keys = key::parse(keys).expect("parsed above");
                    for (other, id) in &taken {
                        let clash = other.starts_with(&keys) || keys.starts_with(other);
                        assert!(!clash, "{} and {id} clash in {context:?}", action.id);
                    }
                    taken.insert(keys, action.id);
                }
            }
        }
    }

    #[test]
    fn a_digit_never_navigates_and_space_never_decides() {
        for action in ACTIONS {
            for keys in action.keys {
                let is_pick = matches!(
                    action.command,
                    Command::Annotate(AnnotateCommand::Pick(1..))
                        | Command::Disagree(DisagreeCommand::Side(_))
                );
                assert_eq!(
                    keys.contains(|char: char| char.is_ascii_digit()),
                    is_pick,
                    "{}",
                    action.id
                );
                if keys.contains("<space>") {
                    assert!(matches!(action.command, Command::Move(_)), "{}", action.id);
                }
            }
        }
    }

    #[test]
    fn a_motion_stops_at_the_top_and_leaves_the_bottom_to_the_caller() {
        let check = |motion: Motion, at: usize, expected: usize| {
            assert_eq!(motion.moved(at, 9), expected, "{motion:?} from {at}");
        };
        check(Motion::Up, 5, 4);
        check(Motion::Up, 0, 0);
        check(Motion::Down, 5, 6);
        check(Motion::HalfUp, 5, 1);
        check(Motion::HalfUp, 3, 0);
        check(Motion::HalfDown, 5, 9);
        check(Motion::PageUp, 20, 11);
        check(Motion::PageUp, 5, 0);
        check(Motion::PageDown, 5, 14);
        check(Motion::PageDown, usize::MAX, usize::MAX);
        check(Motion::First, 5, 0);
        check(Motion::Last, 5, usize::MAX);
        check(Motion::Left, 5, 5);
        check(Motion::Right, 5, 5);
    }

    #[test]
    fn a_prefix_waits_and_a_sequence_acts() {
        let keymap = Keymap::default();
        let g = Key::char('g');
        assert_eq!(keymap.find(Home, &[g]), Found::Prefix);
        assert_eq!(
            keymap.find(Home, &[g, Key::char('s')]),
            Found::Command(Command::App(AppCommand::GoSamples))
        );
        assert_eq!(keymap.find(Home, &[g, Key::char('z')]), Found::Nothing);
    }
}

//! The rows of the registry that belong to no single screen, and how a row is made.

use super::KeyContext::{Confirm, Form, Help, Input, List, On};
use super::{
    AppCommand, Command, ConfirmCommand, CopyContent, InputCommand, KeyAction, KeyContext, Motion,
    PaneCommand, SampleCommand, StepDirection,
};
use crate::screen::Screen;
use crate::screen::samples::commands::SamplesCommand;

const HOME: KeyContext = On(Screen::Home);
const SAMPLES: KeyContext = On(Screen::Samples);
const SAMPLE: KeyContext = On(Screen::Sample);
const REPOS: KeyContext = On(Screen::Repos);
const RUNS: KeyContext = On(Screen::Runs);
const RESULTS: KeyContext = On(Screen::Results);
const COMPARE: KeyContext = On(Screen::Compare);
const ANNOTATE: KeyContext = On(Screen::Annotate);
const DISAGREE: KeyContext = On(Screen::Disagree);
const JOBS: KeyContext = On(Screen::Jobs);
const CONSISTENCY: KeyContext = On(Screen::Consistency);
const CLOVER: KeyContext = On(Screen::Clover);
const FAULTS: KeyContext = On(Screen::Faults);

const SCREENS: &[KeyContext] = &[
    HOME,
    SAMPLES,
    SAMPLE,
    REPOS,
    RUNS,
    RESULTS,
    COMPARE,
    ANNOTATE,
    DISAGREE,
    JOBS,
    CONSISTENCY,
    CLOVER,
    FAULTS,
];
const LISTS: &[KeyContext] = &[
    HOME,
    SAMPLES,
    SAMPLE,
    REPOS,
    RUNS,
    RESULTS,
    COMPARE,
    ANNOTATE,
    DISAGREE,
    JOBS,
    CONSISTENCY,
    CLOVER,
    FAULTS,
    List,
];
const CODE: &[KeyContext] = &[SAMPLES, SAMPLE, ANNOTATE, DISAGREE];
/// Screens with texts that can be searched, wrapped and copied.
const TEXTS: &[KeyContext] = &[SAMPLES, SAMPLE, RESULTS, COMPARE, ANNOTATE, DISAGREE];
/// Screens with texts, and those with lines that can only be searched.
const SEARCHED: &[KeyContext] = &[
    SAMPLES,
    SAMPLE,
    REPOS,
    RESULTS,
    COMPARE,
    ANNOTATE,
    DISAGREE,
    JOBS,
    CONSISTENCY,
    CLOVER,
];
/// Screens with panes that take the focus in turn.
const PANED: &[KeyContext] = &[SAMPLES, SAMPLE, RESULTS, COMPARE, ANNOTATE, DISAGREE, JOBS];
/// Lists that a filter narrows.
const FILTERED: &[KeyContext] = &[SAMPLES, RESULTS, COMPARE];
const MARKED: &[KeyContext] = &[SAMPLES, SAMPLE, ANNOTATE];
const STEPPED: &[KeyContext] = &[SAMPLE, RESULTS, COMPARE, DISAGREE];
const PEEKING: &[KeyContext] = &[
    SAMPLES,
    SAMPLE,
    REPOS,
    RUNS,
    RESULTS,
    COMPARE,
    ANNOTATE,
    DISAGREE,
    JOBS,
    CONSISTENCY,
    CLOVER,
    FAULTS,
];
/// Screens that show samples without judging; where they are judged, the reasons have a row of their own.
const EXPLAINED: &[KeyContext] = &[SAMPLES, SAMPLE, DISAGREE];
const TEXT: &[KeyContext] = &[Input, Help, Form];
/// Lines of input that stand alone.
const LINES: &[KeyContext] = &[Input, Help];

pub const fn row(
    id: &'static str,
    keys: &'static [&'static str],
    contexts: &'static [KeyContext],
    command: Command,
    help: &'static str,
) -> KeyAction {
    KeyAction {
        id,
        keys,
        contexts,
        command,
        hint: "",
        rank: u8::MAX,
        help,
    }
}

pub const fn hinted(action: KeyAction, rank: u8, hint: &'static str) -> KeyAction {
    KeyAction {
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
) -> KeyAction {
    row(id, keys, LISTS, Command::Move(motion), help)
}

const fn input(
    id: &'static str,
    keys: &'static [&'static str],
    command: InputCommand,
    help: &'static str,
) -> KeyAction {
    row(id, keys, TEXT, Command::Input(command), help)
}

/// Actions that several screens share.
#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const SHARED: &[KeyAction] = &[
    hinted(row("open", &["<enter>"], LISTS, Command::App(AppCommand::Open), "open the item under the cursor; in a pane: full size and back"), 10, "open"),
    hinted(row("filter", &["f"], &[SAMPLES, RESULTS], Command::Samples(SamplesCommand::Filter), "filter the list: repo:gson status:tie weight<0.5 …"), 11, "filter"),
    hinted(row("search", &["/"], SEARCHED, Command::Pane(PaneCommand::Search), "search in the pane; in the list: the next test of that name"), 12, "search"),
    row("search-next", &["n"], SEARCHED, Command::Pane(PaneCommand::Match(StepDirection::Next)), "next match"),
    row("search-previous", &["N"], SEARCHED, Command::Pane(PaneCommand::Match(StepDirection::Previous)), "previous match"),
    hinted(row("sample-next", &["}"], STEPPED, Command::Sample(SampleCommand::Sibling(StepDirection::Next)), "next sample of the list"), 13, "next sample"),
    row("sample-previous", &["{"], STEPPED, Command::Sample(SampleCommand::Sibling(StepDirection::Previous)), "previous sample of the list"),
    hinted(row("mark-next", &["]"], MARKED, Command::Pane(PaneCommand::Mark(StepDirection::Next)), "next focal call or assertion in the test"), 18, "next mark"),
    row("mark-previous", &["["], MARKED, Command::Pane(PaneCommand::Mark(StepDirection::Previous)), "previous focal call or assertion in the test"),
    hinted(row("pane-next", &["<tab>"], PANED, Command::Pane(PaneCommand::Focus(StepDirection::Next)), "next pane"), 13, "pane"),
    row("pane-previous", &["<s-tab>"], PANED, Command::Pane(PaneCommand::Focus(StepDirection::Previous)), "previous pane"),
    hinted(row("section-next", &["<tab>"], &[HOME], Command::Pane(PaneCommand::Focus(StepDirection::Next)), "next section"), 12, "section"),
    row("section-previous", &["<s-tab>"], &[HOME], Command::Pane(PaneCommand::Focus(StepDirection::Previous)), "previous section"),
    row("peek-down", &["J"], PEEKING, Command::Pane(PaneCommand::Peek(StepDirection::Next)), "scroll the other pane down"),
    row("peek-up", &["K"], PEEKING, Command::Pane(PaneCommand::Peek(StepDirection::Previous)), "scroll the other pane up"),
    hinted(row("wrap", &["w"], TEXTS, Command::Pane(PaneCommand::Wrap), "wrap long lines, or cut them off and scroll sideways"), 20, "wrap"),
    hinted(row("why", &["i"], EXPLAINED, Command::Sample(SampleCommand::Why), "why this match: what speaks for and against a candidate"), 15, "why"),
    row("facts", &["I"], CODE, Command::Sample(SampleCommand::Facts), "facts beyond the code: flags, licence, splits"),
    hinted(row("edit", &["e"], TEXTS, Command::Sample(SampleCommand::Edit), "open the file in $VISUAL or $EDITOR at the line"), 16, "edit"),
    hinted(row("copy-code", &["yy"], TEXTS, Command::Sample(SampleCommand::Copy(CopyContent::Code)), "copy the code of the pane"), 17, "copy"),
    row("copy-path", &["yp"], CODE, Command::Sample(SampleCommand::Copy(CopyContent::Path)), "copy path and line"),
    row("copy-key", &["yi"], TEXTS, Command::Sample(SampleCommand::Copy(CopyContent::Key)), "copy the sample's key"),
];

/// Actions of the program as a whole, and of lines and questions.
#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const EVERYWHERE: &[KeyAction] = &[
    hinted(row("go-home", &["gh"], SCREENS, Command::App(AppCommand::Go(Screen::Home)), "Home: the funnel and what to do next"), 14, "go…"),
    row("go-samples", &["gs"], SCREENS, Command::App(AppCommand::Go(Screen::Samples)), "Samples: every test, mapped or not"),
    row("go-repos", &["gp"], SCREENS, Command::App(AppCommand::Go(Screen::Repos)), "Repos: mined repositories and their problems"),
    row("go-runs", &["gR"], SCREENS, Command::App(AppCommand::Go(Screen::Runs)), "Runs: models' answers and their scores"),
    row("go-results", &["gr"], SCREENS, Command::App(AppCommand::Go(Screen::Results)), "Results: samples of a run, prediction against truth"),
    row("go-compare", &["gc"], SCREENS, Command::App(AppCommand::Go(Screen::Compare)), "Compare: runs on the samples they share"),
    row("go-jobs", &["gj"], SCREENS, Command::App(AppCommand::Go(Screen::Jobs)), "Jobs: background jobs and their logs"),
    row("go-consistency", &["gk"], SCREENS, Command::App(AppCommand::Go(Screen::Consistency)), "Consistency: completions of equivalent variants, and their outliers"),
    row("go-clover", &["gq"], SCREENS, Command::App(AppCommand::Go(Screen::Clover)), "Clover: problems from Python suites, their files and lines"),
    row("go-faults", &["gF"], SCREENS, Command::App(AppCommand::Go(Screen::Faults)), "Faults: mutants by tests, of the sample under the cursor"),
    row("go-annotate", &["ga"], SCREENS, Command::App(AppCommand::Go(Screen::Annotate)), "Annotate: judge focal methods, one key each"),
    row("go-disagree", &["gd"], SCREENS, Command::App(AppCommand::Go(Screen::Disagree)), "Disagree: agreement of annotators, and where they differ"),
    hinted(row("palette", &[":", "<c-p>"], SCREENS, Command::App(AppCommand::Palette), "palette: actions, screens, runs, repositories, filters, themes, samples"), 20, "palette"),
    row("charts", &["gx"], SCREENS, Command::App(AppCommand::Charts), "charts: splits, verdicts, runs, a metric, calibration …"),
    row("chart-write", &["E", "o"], &[List], Command::App(AppCommand::Write), "write a chart as SVG, or the log to a file"),
    row("log", &["gl"], SCREENS, Command::App(AppCommand::Log), "log: your actions in this session, as commands to paste"),
    row("log-copy-line", &["y"], &[List], Command::App(AppCommand::CopyDeed), "in the log: copy the line"),
    row("log-copy", &["Y"], &[List], Command::App(AppCommand::CopyLog), "in the log: copy all of it"),
    row("theme", &["gt"], SCREENS, Command::App(AppCommand::Theme), "choose a theme, with a preview; Esc keeps the current one"),
    row("annotator", &["gn"], SCREENS, Command::App(AppCommand::Annotator), "your name, under which verdicts, notes and tags are saved"),
    row("saved-filter", &["@"], FILTERED, Command::App(AppCommand::SavedFilters), "a saved filter; `@name` stands for it in every filter"),
    row("save-filter", &["S"], &[SAMPLES, RESULTS], Command::App(AppCommand::SaveFilter), "save the filter under a name"),
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
    row("cancel", &["<c-c>"], KeyContext::ALL, Command::App(AppCommand::Cancel), "stop the current task; twice: quit"),
    row("suspend", &["<c-z>"], SCREENS, Command::App(AppCommand::Suspend), "suspend; `fg` brings it back"),
    row("redraw", &["<c-l>"], SCREENS, Command::App(AppCommand::Redraw), "redraw, and read the index again"),
    hinted(input("accept", &["<enter>"], InputCommand::Accept, "accept the line; in the help: run the action"), 1, "ok"),
    hinted(input("dismiss", &["<esc>"], InputCommand::Cancel, "leave without a change"), 2, "cancel"),
    hinted(row("complete", &["<tab>", "<down>"], LINES, Command::Input(InputCommand::Complete(StepDirection::Next)), "complete the name; in the help: next line"), 3, "complete"),
    row("complete-back", &["<s-tab>", "<up>"], LINES, Command::Input(InputCommand::Complete(StepDirection::Previous)), "previous completion or line"),
    row("scroll-next", &["<pgdn>"], &[Input], Command::Input(InputCommand::Scroll(StepDirection::Next)), "in the finder: scroll the source down"),
    row("scroll-previous", &["<pgup>"], &[Input], Command::Input(InputCommand::Scroll(StepDirection::Previous)), "in the finder: scroll the source up"),
    hinted(row("field-next", &["<down>", "<c-n>"], &[Form], Command::Input(InputCommand::Field(StepDirection::Next)), "next field"), 4, "field"),
    row("field-previous", &["<up>", "<c-p>"], &[Form], Command::Input(InputCommand::Field(StepDirection::Previous)), "previous field"),
    hinted(row("field-complete", &["<tab>"], &[Form], Command::Input(InputCommand::Complete(StepDirection::Next)), "complete the name, else next field"), 3, "complete"),
    row("field-complete-back", &["<s-tab>"], &[Form], Command::Input(InputCommand::Complete(StepDirection::Previous)), "previous completion, else previous field"),
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

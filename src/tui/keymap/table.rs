//! The rows of the registry that belong to no screen that has a table of its own, and how a row is made.

use super::Context::{Confirm, Form, Help, Input, List, On};
use super::{
    Action, AnnotateCommand, AppCommand, Command, ConfirmCommand, Context, Copied, DisagreeCommand,
    Fold, InputCommand, Motion, PaneCommand, RunCopy, RunSort, RunsCommand, SampleCommand,
    SamplesCommand, Sort, Step,
};
use crate::review::action::{self, Act};
use crate::screen::Screen;

const HOME: Context = On(Screen::Home);
const SAMPLES: Context = On(Screen::Samples);
const SAMPLE: Context = On(Screen::Sample);
const REPOS: Context = On(Screen::Repos);
const RUNS: Context = On(Screen::Runs);
const RESULTS: Context = On(Screen::Results);
const COMPARE: Context = On(Screen::Compare);
const ANNOTATE: Context = On(Screen::Annotate);
const DISAGREE: Context = On(Screen::Disagree);
const JOBS: Context = On(Screen::Jobs);

const SCREENS: &[Context] = &[
    HOME, SAMPLES, SAMPLE, REPOS, RUNS, RESULTS, COMPARE, ANNOTATE, DISAGREE, JOBS,
];
const LISTS: &[Context] = &[
    HOME, SAMPLES, SAMPLE, REPOS, RUNS, RESULTS, COMPARE, ANNOTATE, DISAGREE, JOBS, List,
];
const CODE: &[Context] = &[SAMPLES, SAMPLE, ANNOTATE, DISAGREE];
/// Screens with texts that can be searched, wrapped and copied.
const TEXTS: &[Context] = &[SAMPLES, SAMPLE, RESULTS, COMPARE, ANNOTATE, DISAGREE];
/// Screens with texts, and those with lines that can only be searched.
const SEARCHED: &[Context] = &[SAMPLES, SAMPLE, RESULTS, COMPARE, ANNOTATE, DISAGREE, JOBS];
/// Lists that a filter narrows.
const FILTERED: &[Context] = &[SAMPLES, RESULTS, COMPARE];
const MARKED: &[Context] = &[SAMPLES, SAMPLE, ANNOTATE];
const STEPPED: &[Context] = &[SAMPLE, RESULTS, COMPARE, DISAGREE];
const PEEKING: &[Context] = &[
    SAMPLES, SAMPLE, REPOS, RUNS, RESULTS, COMPARE, ANNOTATE, DISAGREE, JOBS,
];
const JUDGED: &[Context] = &[ANNOTATE];
/// Samples that are looked at; where they are judged, the reasons have a row of their own.
const EXPLAINED: &[Context] = &[SAMPLES, SAMPLE, DISAGREE];
const TEXT: &[Context] = &[Input, Help, Form];
/// Lines of input that stand alone.
const LINES: &[Context] = &[Input, Help];

pub(super) const fn row(
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

pub(super) const fn hinted(action: Action, rank: u8, hint: &'static str) -> Action {
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
    row(id, keys, &[DISAGREE], Command::Disagree(command), help)
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
        &[SAMPLES],
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
    row(id, keys, &[RUNS], Command::Runs(command), help)
}

const fn runs_sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: RunSort,
    help: &'static str,
) -> Action {
    runs(id, keys, RunsCommand::Sort(by), help)
}

/// Its order is the order of the help.
#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const ACTIONS: &[Action] = &[
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
    hinted(row("filter", &["f"], &[SAMPLES, RESULTS], Command::Samples(SamplesCommand::Filter), "filter the list: repo:gson status:tie weight<0.5 …"), 11, "filter"),
    hinted(row("search", &["/"], SEARCHED, Command::Pane(PaneCommand::Search), "search in the pane; in the list: the next test of that name"), 12, "search"),
    row("search-next", &["n"], SEARCHED, Command::Pane(PaneCommand::Match(Step::Next)), "next match"),
    row("search-previous", &["N"], SEARCHED, Command::Pane(PaneCommand::Match(Step::Previous)), "previous match"),
    hinted(row("sample-next", &["}"], STEPPED, Command::Sample(SampleCommand::Sibling(Step::Next)), "next sample of the list"), 13, "next sample"),
    row("sample-previous", &["{"], STEPPED, Command::Sample(SampleCommand::Sibling(Step::Previous)), "previous sample of the list"),
    hinted(row("mark-next", &["]"], MARKED, Command::Pane(PaneCommand::Mark(Step::Next)), "next focal call or assertion in the test"), 18, "next mark"),
    row("mark-previous", &["["], MARKED, Command::Pane(PaneCommand::Mark(Step::Previous)), "previous focal call or assertion in the test"),
    hinted(row("pane-next", &["<tab>"], SEARCHED, Command::Pane(PaneCommand::Focus(Step::Next)), "next pane"), 13, "pane"),
    row("pane-previous", &["<s-tab>"], SEARCHED, Command::Pane(PaneCommand::Focus(Step::Previous)), "previous pane"),
    row("peek-down", &["J"], PEEKING, Command::Pane(PaneCommand::Peek(Step::Next)), "scroll the other pane down"),
    row("peek-up", &["K"], PEEKING, Command::Pane(PaneCommand::Peek(Step::Previous)), "scroll the other pane up"),
    hinted(row("wrap", &["w"], TEXTS, Command::Pane(PaneCommand::Wrap), "wrap long lines, or cut them off and scroll sideways"), 20, "wrap"),
    hinted(row("why", &["i"], EXPLAINED, Command::Sample(SampleCommand::Why), "why this match: what speaks for and against a candidate"), 15, "why"),
    row("facts", &["I"], CODE, Command::Sample(SampleCommand::Facts), "what is known besides the code: flags, licence, splits"),
    hinted(row("edit", &["e"], TEXTS, Command::Sample(SampleCommand::Edit), "open the file in $VISUAL or $EDITOR at the line"), 16, "edit"),
    hinted(row("copy-code", &["yy"], TEXTS, Command::Sample(SampleCommand::Copy(Copied::Code)), "copy the code of the pane"), 17, "copy"),
    row("copy-path", &["yp"], CODE, Command::Sample(SampleCommand::Copy(Copied::Path)), "copy path and line"),
    row("copy-key", &["yi"], TEXTS, Command::Sample(SampleCommand::Copy(Copied::Key)), "copy the sample's key"),
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
    row("go-results", &["gr"], SCREENS, Command::App(AppCommand::GoResults), "Results: samples of a run, prediction against truth"),
    row("go-compare", &["gc"], SCREENS, Command::App(AppCommand::GoCompare), "Compare: runs on the samples they share"),
    row("go-jobs", &["gj"], SCREENS, Command::App(AppCommand::GoJobs), "Jobs: what runs underneath, and its log"),
    row("go-annotate", &["ga"], SCREENS, Command::App(AppCommand::GoAnnotate), "Annotate: judge focal methods, one key each"),
    row("go-disagree", &["gd"], SCREENS, Command::App(AppCommand::GoDisagree), "Disagree: agreement, and what people differ on"),
    hinted(row("palette", &[":", "<c-p>"], SCREENS, Command::App(AppCommand::Palette), "palette: actions, screens, runs, repositories, filters, themes, samples"), 20, "palette"),
    row("charts", &["gx"], SCREENS, Command::App(AppCommand::Charts), "charts: splits, verdicts, runs, a metric, calibration …"),
    row("chart-write", &["E", "o"], &[List], Command::App(AppCommand::WriteChart), "of a chart: write it as SVG"),
    row("theme", &["gt"], SCREENS, Command::App(AppCommand::Theme), "another theme, seen while you move; Esc leaves the one there was"),
    row("saved-filter", &["@"], FILTERED, Command::App(AppCommand::SavedFilters), "a filter that was saved; `@name` means it in every filter"),
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

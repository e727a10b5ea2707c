//! The actions of Results.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::compare::commands::DifferenceCommand;
use crate::screen::results::commands::{ResultCopy, ResultSort, ResultsCommand};

const fn results(
    id: &'static str,
    keys: &'static [&'static str],
    command: ResultsCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Results)],
        Command::Results(command),
        help,
    )
}

const fn sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: ResultSort,
    help: &'static str,
) -> KeyAction {
    results(id, keys, ResultsCommand::Sort(by), help)
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(results("results-run", &["R"], ResultsCommand::Run, "another run"), 17, "run"),
    hinted(results("results-baseline", &["b"], ResultsCommand::Baseline, "the baseline: differences per sample"), 15, "baseline"),
    hinted(results("results-metric", &["m"], ResultsCommand::Metric, "the metric for explanations and differences"), 16, "metric"),
    results("results-select", &["V"], ResultsCommand::Select, "select rows: j k extend, Esc ends; then t, M, r, c, E, yi"),
    results("results-mark", &["M"], ResultsCommand::Mark, "mark the selected samples, for discussion"),
    results("results-compare", &["c"], ResultsCommand::Compare, "compare runs on the selected samples"),
    results("results-columns", &["C"], ResultsCommand::Columns, "columns of the table: bleu delta parse tags repo …"),
    hinted(results("results-group", &["F"], ResultsCommand::Group, "groups with counts: by tag, repository, assertion, length …"), 12, "group"),
    hinted(results("results-breakdown", &["i"], ResultsCommand::Breakdown, "how the value is computed, and the cost of each token; again: the list"), 3, "why"),
    results("results-costs", &["zi"], ResultsCommand::Costs, "hide the cost of each line, or show it"),
    hinted(results("results-tag", &["t"], ResultsCommand::Tag, "correct the tags: what went wrong in your view"), 13, "tag"),
    results("results-equal", &["="], ResultsCommand::Equal, "the metric is wrong: both check the same"),
    results("results-undo", &["u"], ResultsCommand::Undo, "undo your last action (unlimited, across days)"),
    results("results-redo", &["U", "<c-r>"], ResultsCommand::Redo, "redo the last undone action"),
    hinted(results("results-nearest", &["T"], ResultsCommand::Nearest, "the nearest training samples: leakage and memorisation"), 14, "nearest"),
    hinted(results("results-ran", &["x"], ResultsCommand::Ran, "the outcome of running it: reason, trace, coverage of the focal method; again: the difference"), 4, "ran"),
    results("results-prompt", &["p"], ResultsCommand::Prompt, "the prompt, the raw answer and its numbers; again: the difference"),
    results("results-trace", &["zt"], ResultsCommand::Trace, "show the trace of the exception, or fold it"),
    hinted(results("results-unseen", &["X"], ResultsCommand::Unseen, "correct answers that the metric misses: ran:correct bleu<0.3; again: everything"), 18, "unseen"),
    hinted(results("results-sample", &["s"], ResultsCommand::Sample, "the sample: test, focal method, contexts"), 9, "sample"),
    hinted(results("results-mode", &["d"], ResultsCommand::Difference(DifferenceCommand::Mode), "difference side by side, unified, word by word"), 5, "difference"),
    results("results-space", &["W"], ResultsCommand::Difference(DifferenceCommand::Space), "white space counts always, only where it separates, or never"),
    hinted(results("results-hunk-next", &["]"], ResultsCommand::Difference(DifferenceCommand::Hunk(StepDirection::Next)), "next change"), 8, "change"),
    results("results-hunk-previous", &["["], ResultsCommand::Difference(DifferenceCommand::Hunk(StepDirection::Previous)), "previous change"),
    results("results-fold", &["za"], ResultsCommand::Difference(DifferenceCommand::Fold), "fold equal lines, or show them"),
    results("results-context-more", &["z+"], ResultsCommand::Difference(DifferenceCommand::Context(StepDirection::Next)), "more lines around a change"),
    results("results-context-less", &["z-"], ResultsCommand::Difference(DifferenceCommand::Context(StepDirection::Previous)), "fewer lines around a change"),
    sort("results-sort-index", &[",,"], ResultSort::Index, "order of the imported file"),
    sort("results-sort-value", &[",v"], ResultSort::Value, "sort by the metric, the worst first; again: reverse"),
    sort("results-sort-delta", &[",d"], ResultSort::Delta, "sort by the difference to the baseline, the greatest loss first"),
    sort("results-sort-repo", &[",r"], ResultSort::Repo, "sort by repository"),
    sort("results-sort-test", &[",t"], ResultSort::Test, "sort by the test's name"),
    sort("results-sort-length", &[",l"], ResultSort::Length, "sort by the length of the ground truth"),
    sort("results-sort-ran", &[",o"], ResultSort::Ran, "sort by the outcome of running it"),
    results("results-evaluate", &["r"], ResultsCommand::Again, "evaluate the run again, with the metrics it has; with selected rows: run them again"),
    results("results-export", &["E"], ResultsCommand::Export, "write the listed predictions to a file"),
    results("results-copy-prediction", &["yp"], ResultsCommand::Copy(ResultCopy::Prediction), "copy the prediction"),
    results("results-copy-truth", &["yt"], ResultsCommand::Copy(ResultCopy::Truth), "copy the ground truth"),
    results("results-copy-difference", &["yd"], ResultsCommand::Copy(ResultCopy::Difference), "copy the difference, as `diff -u` writes it"),
    results("results-copy-reason", &["yr"], ResultsCommand::Copy(ResultCopy::Reason), "copy the compile error, or the exception with its trace"),
];

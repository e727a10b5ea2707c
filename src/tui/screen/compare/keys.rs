//! The actions of Compare.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::compare::commands::{CompareCommand, ComparedCopy, DifferenceCommand};
use crate::screen::samples::commands::SamplesCommand;

const fn compare(
    id: &'static str,
    keys: &'static [&'static str],
    command: CompareCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Compare)],
        Command::Compare(command),
        help,
    )
}

const fn difference(
    id: &'static str,
    keys: &'static [&'static str],
    command: DifferenceCommand,
    help: &'static str,
) -> KeyAction {
    compare(id, keys, CompareCommand::Difference(command), help)
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(compare("compare-run", &["R"], CompareCommand::Run, "another run B, compared with the baseline A"), 16, "run"),
    hinted(compare("compare-baseline", &["B"], CompareCommand::Baseline, "another baseline A"), 17, "baseline"),
    hinted(compare("compare-swap", &["b"], CompareCommand::Swap, "swap A and B"), 14, "swap"),
    compare("compare-add", &["+"], CompareCommand::Add, "add a run: only samples that all of them answered count"),
    compare("compare-drop", &["-"], CompareCommand::Drop, "leave out the current run"),
    compare("compare-other", &["c"], CompareCommand::Other, "compare the next of several runs with the baseline"),
    hinted(compare("compare-metric", &["m"], CompareCommand::Metric, "the metric that table, histogram and slices are about"), 5, "metric"),
    hinted(compare("compare-slice", &["F"], CompareCommand::Slice, "where they differ most: slices by repository, split, length …, or tags"), 4, "slices"),
    hinted(compare("compare-upper", &["v"], CompareCommand::Upper, "on small screens: summary, slices, or histogram"), 18, "view"),
    // The filter of other lists, with its own help: here a field could belong to several runs.
    hinted(row("compare-filter", &["f"], &[KeyContext::On(Screen::Compare)], Command::Samples(SamplesCommand::Filter), "filter: fields of a run (bleu<0.2, tag:…, outcome:…) are B's; baseline-parse: is A's"), 11, "filter"),
    compare("compare-turn", &[",d"], CompareCommand::Turn, "the greatest loss first, or the greatest gain"),
    hinted(compare("compare-pair", &["d"], CompareCommand::Pair, "difference of truth and A, truth and B, A and B"), 2, "A/B/truth"),
    hinted(difference("compare-mode", &["D"], DifferenceCommand::Mode, "difference side by side, unified, word by word"), 6, "mode"),
    difference("compare-space", &["W"], DifferenceCommand::Space, "white space counts always, only where it separates, or never"),
    hinted(difference("compare-hunk-next", &["]"], DifferenceCommand::Hunk(StepDirection::Next), "next change"), 8, "change"),
    difference("compare-hunk-previous", &["["], DifferenceCommand::Hunk(StepDirection::Previous), "previous change"),
    difference("compare-fold", &["za"], DifferenceCommand::Fold, "fold equal lines, or show them"),
    difference("compare-context-more", &["z+"], DifferenceCommand::Context(StepDirection::Next), "more lines around a change"),
    difference("compare-context-less", &["z-"], DifferenceCommand::Context(StepDirection::Previous), "fewer lines around a change"),
    hinted(compare("compare-sample", &["s"], CompareCommand::Sample, "the sample: test, focal method, contexts"), 9, "sample"),
    compare("compare-evaluate", &["r"], CompareCommand::Evaluate, "evaluate the runs again, with the metrics they have"),
    hinted(compare("compare-save-filter", &["S"], CompareCommand::SaveFilter, "save the listed samples as a filter: runs, metric and conditions"), 7, "save"),
    hinted(compare("compare-export", &["E"], CompareCommand::Export, "write the listed samples to a file, as JSON Lines"), 7, "export"),
    compare("compare-copy-truth", &["yt"], CompareCommand::Copy(ComparedCopy::Truth), "copy the ground truth"),
    compare("compare-copy-baseline", &["ya"], CompareCommand::Copy(ComparedCopy::Baseline), "copy A's answer"),
    compare("compare-copy-other", &["yb"], CompareCommand::Copy(ComparedCopy::Other), "copy B's answer"),
    compare("compare-copy-difference", &["yd"], CompareCommand::Copy(ComparedCopy::Difference), "copy the difference, as `diff -u` writes it"),
];

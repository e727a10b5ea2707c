//! The actions of Runs.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext};
use crate::screen::Screen;
use crate::screen::runs::commands::{RunCopy, RunSort, RunsCommand};

const fn runs(
    id: &'static str,
    keys: &'static [&'static str],
    command: RunsCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Runs)],
        Command::Runs(command),
        help,
    )
}

const fn runs_sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: RunSort,
    help: &'static str,
) -> KeyAction {
    runs(id, keys, RunsCommand::Sort(by), help)
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(runs("run-import", &["i"], RunsCommand::Import, "import predictions as a run"), 11, "import"),
    hinted(runs("run-evaluate", &["e"], RunsCommand::Evaluate, "evaluate the run: the default metrics, and those it has"), 12, "evaluate"),
    runs("run-evaluate-all", &["E"], RunsCommand::EvaluateAll, "evaluate all runs"),
    runs("run-evaluate-with", &["m"], RunsCommand::EvaluateWith, "evaluate the run with metrics that you name"),
    hinted(runs("run-execute", &["x"], RunsCommand::Execute, "run its predictions in their projects: a form asks how"), 14, "execute"),
    hinted(runs_sort("runs-sort-column", &["s", ",c"], RunSort::Column, "sort by the column with the cursor; again: reverse"), 13, "sort"),
    runs_sort("runs-sort-index", &[",,"], RunSort::Index, "order of import"),
    runs_sort("runs-sort-name", &[",n"], RunSort::Name, "sort by name"),
    runs_sort("runs-sort-model", &[",m"], RunSort::Model, "sort by model"),
    runs_sort("runs-sort-target", &[",t"], RunSort::Target, "sort by target: assertion part or whole test"),
    runs_sort("runs-sort-samples", &[",s"], RunSort::Samples, "sort by samples"),
    runs_sort("runs-sort-problems", &[",p"], RunSort::Problems, "sort by problems"),
    runs_sort("runs-sort-unparsable", &[",u"], RunSort::Unparsable, "sort by the share that does not parse"),
    runs_sort("runs-sort-over-length", &[",o"], RunSort::OverLength, "sort by the share that was cut off"),
    runs_sort("runs-sort-correct", &[",g"], RunSort::Correct, "sort by the share that is correct when it runs"),
    runs_sort("runs-sort-bleu", &[",b"], RunSort::Metric("bleu"), "sort by BLEU"),
    runs_sort("runs-sort-rouge", &[",r"], RunSort::Metric("rougeL"), "sort by ROUGE-L"),
    runs_sort("runs-sort-codebleu", &[",k"], RunSort::Metric("codebleu:k4black"), "sort by CodeBLEU"),
    runs_sort("runs-sort-edit", &[",e"], RunSort::Metric("edit"), "sort by edit similarity"),
    runs_sort("runs-sort-exact", &[",x"], RunSort::Metric("em"), "sort by exact match"),
    hinted(runs("runs-values", &["v"], RunsCommand::Values, "values over all answers, over those that parse, adjusted"), 15, "values"),
    hinted(runs("run-baseline", &["c"], RunsCommand::Baseline, "compare the others with this run; again: stop"), 16, "compare"),
    hinted(runs("run-copy", &["yy"], RunsCommand::Copy(RunCopy::Row), "copy the run as tab-separated values, with the head"), 17, "copy"),
    runs("runs-copy-markdown", &["ym"], RunsCommand::Copy(RunCopy::TableMarkdown), "copy the table as Markdown"),
    runs("runs-copy-tsv", &["yt"], RunsCommand::Copy(RunCopy::TableTsv), "copy the table as tab-separated values"),
    hinted(runs("run-remove", &["d"], RunsCommand::Remove, "remove the run, after a question"), 18, "remove"),
];

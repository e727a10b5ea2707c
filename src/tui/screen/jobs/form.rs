//! The forms that start jobs: their fields become the arguments that the command line takes.
//!
//! Decides which values are suggested, and finds flaws before anything starts; [`fields`](super::fields) chooses the
//! fields.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::browse::complete;
use crate::files::{Listing, path_of};
use crate::filter;
use crate::job::{self, JobStart, Refusal, Verbs};
use crate::keymap::{InputCommand, StepDirection};
use crate::metrics;
use crate::model::{JobKind, JobRow};
use crate::screen::jobs::fields::{JobField, JobFieldKind, specs};
use crate::screen::jobs::job_arguments::JobArguments;
use crate::widget::form::InputForm;

/// The beginning of a filter that names samples.
const SELECTED: &str = "key:";

#[derive(Clone, Debug)]
pub struct JobForm {
    pub start: JobStart,
    pub form: InputForm,
    specs: Vec<JobField>,
    /// Checks the arguments as the command line would.
    check: fn(&[OsString]) -> Result<(), Refusal>,
    /// The run's name that was suggested for the file; it follows the file until the user changes it.
    suggested: String,
    /// For each field, the findings about its path; absent before the lookup.
    found: Vec<Option<PathCheck>>,
    /// The names of the runs in the index.
    runs: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct PathCheck {
    is_file: bool,
    is_folder: bool,
}

impl JobForm {
    /// Makes a form, filled with the last job's arguments where they are a good guess.
    #[must_use]
    pub fn new(start: JobStart, verbs: &Verbs, last: Option<&JobRow>, runs: Vec<String>) -> Self {
        let (title, note) = match start.kind {
            JobKind::Mine => ("mine repositories", "Enter mines · Esc"),
            JobKind::Import => ("import predictions", "Enter imports · Esc"),
            JobKind::Eval => ("evaluate runs", "Enter evaluates · Esc"),
            JobKind::Export => ("export the dataset", "Enter exports · Esc"),
            JobKind::Execute => ("execute runs", "Enter executes · Esc"),
            JobKind::Generate => ("ask a model", "Enter asks · Esc"),
            JobKind::Train => ("train a model", "Enter trains · Esc"),
            JobKind::Leakage => ("find leakage", "Enter searches · Esc"),
            JobKind::Index => ("index for search", "Enter indexes · Esc"),
            JobKind::Prepare => ("prepare projects", "Enter prepares · Esc"),
            JobKind::Clover if start.action() == Some("eval") => {
                ("answers to questions", "Enter runs them · Esc")
            }
            JobKind::Clover => ("questions from a suite", "Enter makes them · Esc"),
            JobKind::Experiment => ("run an experiment", "Enter runs it · Esc"),
            JobKind::Consistency => ("judge completions", "Enter judges · Esc"),
            JobKind::Benchmark => match start.action() {
                Some("filter") => ("filter repositories", "Enter filters · Esc"),
                Some("split") => ("split the benchmark", "Enter splits · Esc"),
                _ => ("count the benchmark", "Enter counts · Esc"),
            },
            JobKind::Mutate => ("make variants", "Enter makes them · Esc"),
        };
        let known = specs(start, verbs.of(start), &[]);
        let called = last.map(|row| JobArguments::read(row, start.action(), &known));
        let used = called
            .as_ref()
            .map_or_else(Vec::new, JobArguments::kept_names);
        let specs = specs(start, verbs.of(start), &used);
        let fields = specs.iter().map(JobField::field).collect();
        let mut form = Self {
            start,
            form: InputForm::new(title, note, fields),
            suggested: String::new(),
            found: vec![None; specs.len()],
            specs,
            check: verbs.check,
            runs,
        };
        if let (Some(called), Some(last)) = (called, last) {
            form.fill(&called, last);
        }
        form.show_more();
        form
    }

    /// Fills in the run.
    pub fn offer_run(&mut self, name: &str) {
        let at = self.at("RUN");
        self.form.offer(at, name);
    }

    /// Fills in the filter of samples to execute again.
    pub fn offer_again(&mut self, filter: &str) {
        let (at, force) = (self.at("--filter"), self.at("--force"));
        self.form.offer(at, filter);
        self.form.set(force, "yes");
    }

    /// Finds the field with this option or name of a value; [`usize::MAX`] where there is none.
    fn at(&self, name: &str) -> usize {
        let found = self.specs.iter().position(|spec| spec.name() == name);
        found.unwrap_or(usize::MAX)
    }

    /// Shows or hides the fields behind `more`.
    fn show_more(&mut self) {
        let more = self
            .specs
            .iter()
            .position(|spec| spec.takes == JobFieldKind::More);
        let hides = more.filter(|at| self.form.choice(*at) == 0);
        self.form.n_shown = hides.map_or(self.specs.len(), |at| at + 1);
    }

    /// Fills in the arguments of an earlier job.
    fn fill(&mut self, called: &JobArguments, row: &JobRow) {
        for (name, value) in &called.values {
            let at = self.at(name);
            self.set(at, value, row);
        }
        let rest = job::command_line(&called.rest);
        self.set(self.specs.len() - 1, &rest, row);
    }

    /// Fills in a field, if the old value is a good guess. A relative path is taken from the folder of that job.
    fn set(&mut self, idx: usize, value: &str, row: &JobRow) {
        let Some(spec) = self.specs.get(idx) else {
            return;
        };
        // A selection of single samples is about one job only.
        let is_selection = spec.takes == JobFieldKind::Filter && value.starts_with(SELECTED);
        if !spec.is_kept || value.is_empty() || is_selection {
            return;
        }
        let absolute = |path: &Path| row.folder.join(path).to_string_lossy().into_owned();
        let text = match spec.takes {
            JobFieldKind::Jars => {
                let paths = value.split(':').map(|part| absolute(Path::new(part)));
                paths.collect::<Vec<_>>().join(":")
            }
            JobFieldKind::File
            | JobFieldKind::Folder
            | JobFieldKind::NewFolder
            | JobFieldKind::Output => absolute(Path::new(value)),
            JobFieldKind::Metrics => value.replace(',', " "),
            JobFieldKind::Text
            | JobFieldKind::Filter
            | JobFieldKind::Run
            | JobFieldKind::Words(_)
            | JobFieldKind::Switch
            | JobFieldKind::More
            | JobFieldKind::Rest => value.to_owned(),
        };
        self.form.offer(idx, &text);
    }

    pub fn insert(&mut self, text: &str) {
        self.form.insert(text);
        self.after_typing();
    }

    pub fn edit(&mut self, command: InputCommand) {
        self.form.edit(command);
        self.after_typing();
    }

    /// Completes the field; without completions goes to the next field.
    pub fn complete(&mut self, step: StepDirection) {
        let at = self.form.at;
        let is_anew = self.form.complete(step);
        if self.specs[at].is_path() {
            self.suggest();
            self.found[at] = None;
        }
        if is_anew {
            self.complete_words();
        }
    }

    pub fn step(&mut self, step: StepDirection) {
        self.form.step(step);
        self.complete_words();
    }

    /// Returns a path to look up: the one under the cursor, else one that has not been looked up yet.
    #[must_use]
    pub fn asks_for(&self) -> Option<&str> {
        let at = self.form.at;
        let is_wanted = |idx: usize| {
            let is_named = idx == at || !self.form.text(idx).is_empty();
            is_named && self.specs[idx].is_looked_up()
        };
        let here = (is_wanted(at) && self.form.chosen.is_none()).then_some(at);
        let mut all = 0..self.specs.len();
        let unknown = || all.find(|idx| is_wanted(*idx) && self.found[*idx].is_none());
        here.or_else(unknown).map(|idx| self.form.text(idx))
    }

    /// Takes a listing for the fields whose text is still the same. Tells whether another path must be looked up.
    pub fn take_listing(&mut self, listing: &Listing) -> bool {
        for idx in 0..self.specs.len() {
            if self.specs[idx].is_path() && listing.typed == self.form.text(idx) {
                self.found[idx] = Some(PathCheck {
                    is_file: listing.is_file,
                    is_folder: listing.is_folder,
                });
                if idx == self.form.at && self.form.chosen.is_none() {
                    self.form.completions.clone_from(&listing.names);
                }
            }
        }
        let at = self.form.at;
        let mut all = self.specs.iter().enumerate();
        all.any(|(idx, spec)| {
            idx != at
                && spec.is_looked_up()
                && self.found[idx].is_none()
                && !self.form.text(idx).is_empty()
                && (!self.specs[at].is_looked_up() || self.form.chosen.is_some())
        })
    }

    fn after_typing(&mut self) {
        self.show_more();
        let at = self.form.at;
        if self.specs[at].is_path() {
            self.found[at] = None;
            self.suggest();
        }
        self.complete_words();
    }

    /// Suggests the file's name, without its endings, as the name of the run.
    fn suggest(&mut self) {
        if self.start.kind != JobKind::Import || self.form.at != self.at("FILE") {
            return;
        }
        let run = self.at("--run");
        if self.form.text(run) != self.suggested {
            return;
        }
        let name = self
            .form
            .text(self.form.at)
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        stem.clone_into(&mut self.suggested);
        let stem = self.suggested.clone();
        self.form.offer(run, &stem);
    }

    fn complete_words(&mut self) {
        let at = self.form.at;
        let text = self.form.text(at).to_owned();
        let found = match self.specs[at].takes {
            JobFieldKind::Filter => complete(&text, text.len()),
            JobFieldKind::Metrics => metrics::complete(&text),
            JobFieldKind::Run => {
                let runs = self.runs.iter().filter(|run| run.starts_with(&text));
                self.form.completions = runs.cloned().collect();
                return;
            }
            _ => return,
        };
        let whole = found.into_iter().map(|completion| {
            let start = completion.span.start.min(text.len());
            format!("{}{}", &text[..start], completion.text)
        });
        self.form.completions = whole.collect();
    }

    /// Writes the arguments that the fields describe; if a field is wrong, moves the cursor there and shows the flaw.
    pub fn submit(&mut self) -> Option<Vec<OsString>> {
        let read = self.wrong().and_then(|()| self.arguments());
        let read = read.and_then(|arguments| match (self.check)(&arguments) {
            Ok(()) => Ok(arguments),
            Err(refusal) => Err(self.refused(refusal)),
        });
        match read {
            Ok(arguments) => Some(arguments),
            Err((at, text)) => {
                if at >= self.form.n_shown {
                    self.form.n_shown = self.specs.len();
                    let more = self
                        .specs
                        .iter()
                        .position(|spec| spec.takes == JobFieldKind::More);
                    self.form.set(more.unwrap_or(usize::MAX), "yes");
                }
                self.form.go(at);
                // A value that must be corrected is no longer a suggestion.
                let typed = self.form.text(at).to_owned();
                self.form.set(at, &typed);
                self.form.flaw = Some((at, text));
                None
            }
        }
    }

    /// Finds the field that the command line refuses, and the reason; the last one where it names none.
    fn refused(&self, refusal: Refusal) -> (usize, String) {
        let name = refusal.argument.unwrap_or_default();
        let at = self.specs.iter().position(|spec| spec.name() == name);
        let at = at.filter(|_| !name.is_empty());
        (at.unwrap_or(self.specs.len() - 1), refusal.text)
    }

    /// Finds flaws that the command line does not know, because they concern the index or the disk, or that a form
    /// words better.
    fn wrong(&self) -> Result<(), (usize, String)> {
        let text = |name| self.form.text(self.at(name)).trim();
        let wrong = |name, text: &str| Err((self.at(name), text.to_owned()));
        let is_eval = self.start.action() == Some("eval");
        match self.start.kind {
            JobKind::Mine if text("PATH").is_empty() && text("--list").is_empty() => {
                return wrong("PATH", "which folder? Tab completes names");
            }
            JobKind::Import | JobKind::Experiment if text("FILE").is_empty() => {
                return wrong("FILE", "which file? Tab completes names");
            }
            JobKind::Generate => self.check_asking()?,
            JobKind::Train => {
                for name in ["--train", "--validation", "--vocabulary"] {
                    if text(name).is_empty() {
                        return wrong(name, "which file? Tab completes names");
                    }
                }
                if text("--output").is_empty() {
                    return wrong("--output", "which folder? It is created if missing");
                }
            }
            JobKind::Clover if is_eval && text("--answers").is_empty() => {
                return wrong("--answers", "which file of answers? Tab completes names");
            }
            JobKind::Mutate if text("PATH").is_empty() && text("--filter").is_empty() => {
                return wrong("PATH", "which sources, or which filter of samples?");
            }
            JobKind::Clover if !is_eval && text("PROJECT|PATH").is_empty() => {
                return wrong("PROJECT|PATH", "which project? `prepare` names them");
            }
            JobKind::Export | JobKind::Mutate if text("--output").is_empty() => {
                return wrong("--output", "write to which file?");
            }
            _ => {}
        }
        for (idx, spec) in self.specs.iter().enumerate() {
            let text = self.form.text(idx).trim();
            if !text.is_empty() {
                self.check_field(idx, spec, text)
                    .map_err(|error| (idx, error))?;
            }
        }
        if self.start.kind == JobKind::Execute
            && !text("RUN").is_empty()
            && self.form.choice(self.at("--truth")) == 1
        {
            return wrong("--truth", "either a run or the true tests");
        }
        if self.start.kind == JobKind::Import {
            let is_replacing = self.form.choice(self.at("--replace")) == 1;
            // A dataset's samples are imported without a run.
            let is_dataset = self.form.choice(self.at("--dataset")) > 0;
            if text("--run").is_empty() && !is_dataset {
                return wrong("--run", "a run needs a name");
            }
            if !is_replacing && self.runs.iter().any(|run| run == text("--run")) {
                return wrong(
                    "--run",
                    "this run exists: choose another name, or `replace`",
                );
            }
            let file = text("FILE").to_ascii_lowercase();
            let is_lines = [".txt", ".text"].iter().any(|end| file.ends_with(end));
            if is_lines && text("--aligned-with").is_empty() && !is_dataset {
                let flaw = "lines of text name no samples: say which, such as split:test";
                return wrong("--aligned-with", flaw);
            }
        }
        Ok(())
    }

    fn check_asking(&self) -> Result<(), (usize, String)> {
        let text = |name| self.form.text(self.at(name)).trim();
        let wrong = |name, text: &str| Err((self.at(name), text.to_owned()));
        let has_kind = self.form.choice(self.at("--kind")) > 0;
        if text("--run").is_empty() {
            return wrong("--run", "a run needs a name");
        }
        if text("--model").is_empty() {
            return wrong("--model", "which model?");
        }
        match (text("--prompts").is_empty(), has_kind) {
            (true, false) => wrong("--prompts", "which prompts: a file, or a kind?"),
            (false, true) => wrong("--kind", "either a file or a kind"),
            (false, false) if !text("FILTER").is_empty() => {
                wrong("FILTER", "a file of prompts is sent as it is")
            }
            _ => Ok(()),
        }
    }

    fn check_field(&self, idx: usize, spec: &JobField, text: &str) -> Result<(), String> {
        let found = self.found[idx];
        let flaw = match spec.takes {
            // A dataset to import may be a folder.
            JobFieldKind::File
                if found.is_some_and(|path_check| !path_check.is_file && !path_check.is_folder)
                    || (self.start.kind != JobKind::Import
                        && found.is_some_and(|path_check| !path_check.is_file)) =>
            {
                "there is no such file"
            }
            JobFieldKind::Folder if found.is_some_and(|path_check| !path_check.is_folder) => {
                "there is no such folder"
            }
            JobFieldKind::NewFolder if found.is_some_and(|path_check| path_check.is_file) => {
                "that is a file, not a folder"
            }
            JobFieldKind::Output if found.is_some_and(|path_check| path_check.is_folder) => {
                "that is a folder: name a file in it"
            }
            JobFieldKind::Filter => {
                return filter::parse(text)
                    .map(drop)
                    .map_err(|filter_flaw| filter_flaw.text);
            }
            JobFieldKind::Metrics => {
                return metrics::parse(text).map(drop).map_err(|(_, text)| text);
            }
            JobFieldKind::Run if !self.runs.iter().any(|run| run == text) => "there is no such run",
            JobFieldKind::Rest => return split(text).map(drop),
            JobFieldKind::File
            | JobFieldKind::Folder
            | JobFieldKind::NewFolder
            | JobFieldKind::Output
            | JobFieldKind::Run
            | JobFieldKind::Jars
            | JobFieldKind::Text
            | JobFieldKind::Words(_)
            | JobFieldKind::Switch
            | JobFieldKind::More => return Ok(()),
        };
        Err(flaw.to_owned())
    }

    /// Writes the arguments, the name of the verb first.
    fn arguments(&self) -> Result<Vec<OsString>, (usize, String)> {
        let mut arguments: Vec<OsString> = self.start.name.split(' ').map(Into::into).collect();
        let mut alone: Vec<OsString> = Vec::new();
        for (idx, spec) in self.specs.iter().enumerate() {
            let text = self.form.text(idx).trim();
            let value: OsString = match spec.takes {
                JobFieldKind::More => continue,
                JobFieldKind::Switch | JobFieldKind::Words(_) if self.form.choice(idx) == 0 => {
                    continue;
                }
                _ if text.is_empty() => continue,
                JobFieldKind::Switch => {
                    arguments.push((&spec.option).into());
                    continue;
                }
                JobFieldKind::Rest => {
                    let words = split(text).map_err(|error| (idx, error))?;
                    arguments.extend(words.into_iter().map(OsString::from));
                    continue;
                }
                JobFieldKind::Metrics => {
                    text.split([' ', ',']).collect::<Vec<_>>().join(",").into()
                }
                JobFieldKind::Jars => {
                    let paths = text.split(':').map(path_of).map(PathBuf::into_os_string);
                    paths.collect::<Vec<_>>().join(":".as_ref())
                }
                JobFieldKind::File
                | JobFieldKind::Folder
                | JobFieldKind::NewFolder
                | JobFieldKind::Output => path_of(text).into_os_string(),
                JobFieldKind::Text
                | JobFieldKind::Filter
                | JobFieldKind::Run
                | JobFieldKind::Words(_) => text.into(),
            };
            if spec.option.is_empty() {
                alone.push(value);
            } else {
                // In one word, so that a value that begins with a dash is not taken for an option.
                let mut word = OsString::from(&spec.option);
                word.push("=");
                word.push(value);
                arguments.push(word);
            }
        }
        if !alone.is_empty() {
            arguments.push("--".into());
            arguments.extend(alone);
        }
        Ok(arguments)
    }
}

/// Splits a line into words, as [`job::command_line`] quotes them.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(other) => word.push(other),
                        None => return Err("a ' is not closed".to_owned()),
                    }
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests;

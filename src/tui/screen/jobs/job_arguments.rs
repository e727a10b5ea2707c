//! The arguments of an earlier job, sorted into the fields of a form.
//!
//! Reads command lines as they were typed, also ones of other versions: words that no field knows stay words.

use std::ffi::OsString;

use crate::job;
use crate::model::JobRow;
use crate::screen::jobs::fields::{JobField, JobFieldKind};

/// The arguments of a job, sorted by field.
pub(super) struct JobArguments {
    /// Values by the name of their option, in order; a switch has `yes`.
    pub(super) values: Vec<(String, String)>,
    /// The words that no field takes.
    pub(super) rest: Vec<OsString>,
    /// The names of the options whose values the next job keeps.
    kept: Vec<String>,
}

impl JobArguments {
    pub(super) fn read(row: &JobRow, action: Option<&str>, specs: &[JobField]) -> Self {
        let mut called = Self {
            values: Vec::new(),
            rest: Vec::new(),
            kept: specs
                .iter()
                .filter(|spec| spec.is_kept)
                .map(|spec| spec.name().to_owned())
                .collect(),
        };
        let mut alone: Vec<String> = Vec::new();
        // Less protection is never taken over: the user must ask for it each time.
        let own = job::protected(job::own_arguments(row));
        let mut words = own.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == "--" {
                alone.extend(
                    words
                        .by_ref()
                        .map(|word| word.to_string_lossy().into_owned()),
                );
                break;
            }
            if !text.starts_with('-') {
                alone.push(text.into_owned());
                continue;
            }
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (&*text, None),
            };
            let is_it = |spec: &&JobField| {
                let short = spec.short.map(|short| format!("-{short}"));
                !spec.option.is_empty()
                    && (spec.option == option || short.as_deref() == Some(option))
            };
            match specs.iter().find(is_it) {
                _ if option == "--background" => {}
                Some(spec) if spec.takes == JobFieldKind::Switch => called.put(spec, "yes"),
                Some(spec) => {
                    let next = || words.next().map(|word| word.to_string_lossy().into_owned());
                    let value = value.or_else(next).unwrap_or_default();
                    called.put(spec, &value);
                }
                None => called.rest.push(word.clone()),
            }
        }
        if let Some(action) = action
            && !alone.is_empty()
            && alone.remove(0) != action
        {
            // Another action of the verb has other options.
            called.values.clear();
            called.rest.clear();
        }
        called.put_alone(specs, alone, row);
        called
    }

    /// Puts the words without an option into their field: a filter takes all of them, another field only the first.
    fn put_alone(&mut self, specs: &[JobField], mut alone: Vec<String>, row: &JobRow) {
        let own = specs
            .iter()
            .find(|spec| spec.option.is_empty() && !spec.value.is_empty());
        let Some(own) = own.filter(|_| !alone.is_empty()) else {
            return;
        };
        if own.takes == JobFieldKind::Filter {
            return self.put(own, &alone.join(" "));
        }
        let first = alone.remove(0);
        self.put(own, &first);
        if own.is_kept {
            let others = alone
                .iter()
                .map(|alone| row.folder.join(alone).into_os_string());
            self.rest.extend(others);
        }
    }

    /// Stores a value; one that the field cannot show, or a second one, stays a word.
    fn put(&mut self, spec: &JobField, value: &str) {
        let is_unknown = match &spec.takes {
            JobFieldKind::Words(words) => !words.iter().any(|word| word == value),
            _ => false,
        };
        let is_second = self.values.iter().any(|(name, _)| name == spec.name());
        if spec.is_kept && (is_unknown || is_second) {
            self.rest.push(format!("{}={value}", spec.option).into());
        } else {
            self.values.push((spec.name().to_owned(), value.to_owned()));
        }
    }

    /// Lists the fields whose values are kept for the next job, in the order of the values.
    pub(super) fn kept_names(&self) -> Vec<String> {
        let names = self.values.iter().map(|(name, _)| name.clone());
        names.filter(|name| self.kept.contains(name)).collect()
    }
}

//! Functions and their variants as `focalist mutate` wrote them.
//!
//! Decides which lines make up a function: those with its id. A line of an unknown pass, and one that is no JSON, is a
//! problem with its place.

use std::io::{self, BufRead};

use rustc_hash::FxHashMap;

use crate::exchange::records::{Fields, Layout, Record, each_record};
use crate::model::{Language, Problem, Reason};
use crate::mutate::{Mutator, Pass, Source, VERSION};
use crate::store::{MutationSeed, MutationVariant};
use crate::syntax::dialect;

/// Functions in the order in which they were first named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seeds {
    pub list: Vec<MutationSeed>,
    by_name: FxHashMap<String, usize>,
}

impl Seeds {
    /// Reads what `focalist mutate` wrote.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn read(
        input: &mut dyn BufRead,
        path: &str,
        problems: &mut Vec<Problem>,
    ) -> io::Result<Self> {
        let mut seeds = Self::default();
        let mut mutator = Mutator::new();
        each_record(input, Layout::Json, |record: Record| -> io::Result<()> {
            let added = record.fields.and_then(|it| seeds.add(&it, &mut mutator));
            if let Err(detail) = added {
                problems.push(problem(path, record.line, detail));
            }
            Ok(())
        })?;
        for it in &mut seeds.list {
            it.variants.sort_by_key(|it| Pass::of(&it.pass));
        }
        Ok(seeds)
    }

    /// Makes a list of functions that are known.
    #[must_use]
    pub fn of(list: Vec<MutationSeed>) -> Self {
        let names = list.iter().enumerate();
        Self {
            by_name: names.map(|(idx, it)| (it.name.clone(), idx)).collect(),
            list,
        }
    }

    /// Returns the place of a function.
    #[must_use]
    pub fn idx_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the place of a function of which nothing but its name is known, and makes it first where it is new.
    pub fn named(&mut self, name: &str) -> usize {
        let next = self.list.len();
        let idx = *self.by_name.entry(name.to_owned()).or_insert(next);
        if idx == next {
            self.list.push(MutationSeed {
                name: name.to_owned(),
                language: Language::Python,
                path: String::new(),
                function: String::new(),
                start_line: 0,
                end_line: 0,
                source: String::new(),
                dataset: String::new(),
                variants: Vec::new(),
            });
        }
        idx
    }

    fn add(&mut self, fields: &Fields, mutator: &mut Mutator) -> Result<(), String> {
        let seed = fields.get("seed").ok_or("no `seed`")?;
        let field = |name: &str| seed.get(name).and_then(|it| it.as_str());
        let number = |name: &str| -> Option<u32> {
            let value = seed.get(name)?.as_u64()?;
            u32::try_from(value).ok()
        };
        let id = field("id").ok_or("no `id` in `seed`")?;
        let source = field("source").ok_or("no `source` in `seed`")?;
        let pass = match fields.get("pass").and_then(|it| it.as_str()) {
            Some(word) => Some(Pass::of(word).ok_or_else(|| format!("unknown pass `{word}`"))?),
            // What was left out has no variant.
            None => None,
        };
        let language = language(field("language").unwrap_or_default())?;
        let idx = self.named(id);
        let known = &mut self.list[idx];
        if known.source.is_empty() {
            known.language = language;
            field("file")
                .unwrap_or_default()
                .clone_into(&mut known.path);
            field("function")
                .unwrap_or_default()
                .clone_into(&mut known.function);
            known.start_line = number("start_line").unwrap_or(0);
            known.end_line = number("end_line").unwrap_or(0);
            source.clone_into(&mut known.source);
            field("dataset")
                .unwrap_or_default()
                .clone_into(&mut known.dataset);
        } else if known.source != source {
            return Err(format!("`{id}` is another function above"));
        }
        let Some(pass) = pass else {
            return Ok(());
        };
        if known.variants.iter().any(|it| it.pass == pass.as_str()) {
            return Err(format!("a second variant `{}` of `{id}`", pass.as_str()));
        }
        let text = fields.get("source").and_then(|it| it.as_str());
        let text = text.ok_or("no text in `source`")?;
        let cut = fields.get("cut").and_then(|cut| {
            let at = |name: &str| -> Option<u32> {
                let value = cut.get(name)?.as_u64()?;
                u32::try_from(value).ok()
            };
            at("seed").zip(at("variant"))
        });
        let distance = match fields.get("distance") {
            Some(it) => it.as_f64(),
            None => None,
        };
        let is_strict = match fields.get("strict") {
            Some(it) => it.as_bool() == Some(true),
            None => false,
        };
        known.variants.push(MutationVariant {
            pass: pass.as_str().to_owned(),
            is_strict,
            version: VERSION,
            source: text.to_owned(),
            edits: fields
                .get("edits")
                .map_or_else(|| "[]".to_owned(), ToString::to_string),
            cut,
            distance: distance
                .filter(|it| (0.0..=1.0).contains(it))
                .unwrap_or(0.0),
            does_parse: mutator.does_parse(Source {
                language,
                path: &known.path,
                text,
            }),
        });
        Ok(())
    }
}

fn language(word: &str) -> Result<Language, String> {
    let mut all = Language::ALL.iter().copied();
    all.find(|it| it.as_str() == word || dialect(*it).fences.contains(&word))
        .ok_or_else(|| format!("unknown language `{word}`"))
}

/// Returns what is wrong with a line.
#[must_use]
pub fn problem(path: &str, line: u32, detail: String) -> Problem {
    Problem {
        path: path.to_owned(),
        line: Some(line),
        reason: Reason::BadLine,
        detail,
    }
}

/// Returns the two halves of a function; nothing where the cut is not inside.
#[must_use]
pub fn halves(source: &str, cut: u32) -> Option<(&str, &str)> {
    let lines = source.split_inclusive('\n').take(cut as usize);
    let at: usize = lines.map(str::len).sum();
    (at > 0 && at < source.len()).then(|| source.split_at(at))
}

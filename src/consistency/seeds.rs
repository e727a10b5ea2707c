//! Functions and their variants as `focalist mutate` wrote them.
//!
//! Decides which lines make up a function: those with its id. A line of an unknown pass and one that is not JSON are
//! problems with their places.

use std::io::{self, BufRead};

use rustc_hash::FxHashMap;

use crate::exchange::records::{Fields, Record, RecordError, RecordLayout, each_record, text_at};
use crate::fault::LineFault;
use crate::model::{Language, Problem};
use crate::mutate::{MutationSource, Mutator, Pass, VERSION};
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
        each_record(
            input,
            RecordLayout::Json,
            |record: Record| -> io::Result<()> {
                let added = record.fields.map_err(LineFault::from);
                let added = added.and_then(|added| seeds.add(&added, &mut mutator));
                if let Err(fault) = added {
                    problems.push(Problem::bad_line(path, record.line, &fault));
                }
                Ok(())
            },
        )?;
        for mutation_seed in &mut seeds.list {
            mutation_seed
                .variants
                .sort_by_key(|variant| Pass::of(&variant.pass));
        }
        Ok(seeds)
    }

    /// Makes a list of functions that are known.
    #[must_use]
    pub fn of(list: Vec<MutationSeed>) -> Self {
        let names = list.iter().enumerate();
        Self {
            by_name: names
                .map(|(idx, mutation_seed)| (mutation_seed.name.clone(), idx))
                .collect(),
            list,
        }
    }

    /// Finds the place of a function.
    #[must_use]
    pub fn idx_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Finds the place of a function by its name, and adds one without a text where the name is new.
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

    fn add(&mut self, fields: &Fields, mutator: &mut Mutator) -> Result<(), LineFault> {
        let id = text_at(fields, "seed.id")?;
        let source = text_at(fields, "seed.source")?;
        let seed = &fields["seed"];
        let field = |name: &str| seed.get(name).and_then(|value| value.as_str());
        let number = |name: &str| -> Option<u32> {
            let value = seed.get(name)?.as_u64()?;
            u32::try_from(value).ok()
        };
        // A function that was left out has a line without a pass, and no variant.
        let pass = fields.get("pass").and_then(|field| field.as_str());
        let pass = pass.map(known_pass).transpose()?;
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
            let id = id.to_owned();
            return Err(LineFault::OtherFunction { id });
        }
        let Some(pass) = pass else {
            return Ok(());
        };
        if known
            .variants
            .iter()
            .any(|variant| variant.pass == pass.as_str())
        {
            let id = id.to_owned();
            return Err(LineFault::SecondVariant { id, pass });
        }
        let text = text_at(fields, "source")?;
        let cut = fields.get("cut").and_then(|cut| {
            let at = |name: &str| -> Option<u32> {
                let value = cut.get(name)?.as_u64()?;
                u32::try_from(value).ok()
            };
            at("seed").zip(at("variant"))
        });
        let distance = match fields.get("distance") {
            Some(value) => value.as_f64(),
            None => None,
        };
        let is_strict = match fields.get("strict") {
            Some(value) => value.as_bool() == Some(true),
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
                .filter(|distance| (0.0..=1.0).contains(distance))
                .unwrap_or(0.0),
            does_parse: mutator.does_parse(MutationSource {
                language,
                path: &known.path,
                text,
            }),
        });
        Ok(())
    }
}

/// Looks up a language by its name or by a name of its code fences.
pub(crate) fn language(word: &str) -> Result<Language, RecordError> {
    let mut all = Language::ALL.iter().copied();
    all.find(|language| language.as_str() == word || dialect(*language).fences.contains(&word))
        .ok_or_else(|| RecordError::unknown("language", word))
}

pub(crate) fn known_pass(word: &str) -> Result<Pass, RecordError> {
    Pass::of(word).ok_or_else(|| RecordError::unknown("pass", word))
}

/// Splits a function into its two halves; nothing where the cut is not inside.
#[must_use]
pub fn halves(source: &str, cut: u32) -> Option<(&str, &str)> {
    let lines = source.split_inclusive('\n').take(cut as usize);
    let at: usize = lines.map(str::len).sum();
    (at > 0 && at < source.len()).then(|| source.split_at(at))
}

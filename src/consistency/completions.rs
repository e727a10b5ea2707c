//! Completions out of a file: what a model made of the first half of a function, or of one of its variants.
//!
//! Decides which lines count: `{"seed","pass","completion"}`, and the answers of `focalist generate`, whose `meta` says
//! seed and pass. A line of an unknown function or pass, a second completion, and a line that is not JSON are problems
//! with their lines. Of several attempts the first that is not empty counts: where all are empty there is no result.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use crate::cutting::completed;
use crate::exchange::records::{Fields, Record, RecordError, RecordLayout, each_record, text_at};
use crate::fault::LineFault;
use crate::model::Problem;
use crate::mutate::Pass;
use crate::seeds::{Seeds, halves, known_pass};
use crate::store::MutationSeed;

/// A model's completion of one function or variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The place of the function among the seeds.
    pub seed: usize,
    /// `None` for the function itself.
    pub pass: Option<Pass>,
    /// Cut where the function ends; empty where there is no result.
    pub text: String,
    /// The answer as it came, where `text` is only a part of it.
    pub raw: Option<String>,
}

/// Whether the functions that completions name have to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedRequirement {
    All,
    /// An unknown name adds a function.
    None,
}

type Attempts = BTreeMap<(usize, Option<Pass>), BTreeMap<u64, String>>;

/// Reads completions, by function and pass.
///
/// # Errors
/// Those of the disk.
pub fn read(
    input: &mut dyn BufRead,
    path: &str,
    seeds: &mut Seeds,
    known: SeedRequirement,
    problems: &mut Vec<Problem>,
) -> io::Result<Vec<Completion>> {
    let mut attempts = Attempts::new();
    each_record(
        input,
        RecordLayout::Json,
        |record: Record| -> io::Result<()> {
            let added = record.fields.map_err(LineFault::from);
            let added = added.and_then(|fields| add(&fields, seeds, known, &mut attempts));
            if let Err(fault) = added {
                problems.push(Problem::bad_line(path, record.line, &fault));
            }
            Ok(())
        },
    )?;
    let completions = attempts.into_iter().map(|((seed, pass), attempts)| {
        let raw = attempts
            .into_values()
            .find(|value| !value.trim().is_empty());
        completion(&seeds.list[seed], seed, pass, raw.unwrap_or_default())
    });
    Ok(completions.collect())
}

fn completion(of: &MutationSeed, seed: usize, pass: Option<Pass>, raw: String) -> Completion {
    let text = match prompt(of, pass) {
        Some(prompt) => completed(of.language, prompt, &raw).into_owned(),
        None => raw.clone(),
    };
    Completion {
        seed,
        pass,
        raw: (raw != text).then_some(raw),
        text,
    }
}

/// Returns the first half of a function or of one of its variants, which is the prompt; nothing where it has no such
/// variant or no cut.
#[must_use]
pub fn prompt(of: &MutationSeed, pass: Option<Pass>) -> Option<&str> {
    let Some(pass) = pass else {
        let cut = of.variants.first()?.cut?.0;
        return Some(halves(&of.source, cut)?.0);
    };
    let variant = of
        .variants
        .iter()
        .find(|variant| variant.pass == pass.as_str())?;
    Some(halves(&variant.source, variant.cut?.1)?.0)
}

/// Returns the second half of a function or of one of its variants; nothing where it has no such variant or no cut.
#[must_use]
pub fn oracle(of: &MutationSeed, pass: Option<Pass>) -> Option<&str> {
    let Some(pass) = pass else {
        let cut = of.variants.first()?.cut?.0;
        return Some(halves(&of.source, cut)?.1);
    };
    let variant = of
        .variants
        .iter()
        .find(|variant| variant.pass == pass.as_str())?;
    Some(halves(&variant.source, variant.cut?.1)?.1)
}

fn add(
    fields: &Fields,
    seeds: &mut Seeds,
    known: SeedRequirement,
    attempts: &mut Attempts,
) -> Result<(), LineFault> {
    if let Some(kind) = fields.get("kind").and_then(|field| field.as_str())
        && kind != "half"
    {
        let kind = kind.to_owned();
        return Err(LineFault::OtherKind { kind });
    }
    let meta = fields.get("meta");
    let field = |name: &str| {
        meta.and_then(|value| value.get(name))
            .or_else(|| fields.get(name))
    };
    let seed = field("seed").ok_or_else(|| RecordError::missing_in(fields, "seed"))?;
    let id = seed.get("id").unwrap_or(seed);
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let pass = match field("pass").and_then(|value| value.as_str()) {
        None | Some("" | "seed") => None,
        Some(word) => Some(known_pass(word)?),
    };
    let names = ["completion", "prediction", "text"];
    let name = names.into_iter().find(|name| fields.contains_key(*name));
    let name = name.unwrap_or(names[0]);
    let text = match fields.get(name) {
        // A prompt that was too long for the model.
        Some(value) if value.is_null() => String::new(),
        _ => text_at(fields, name)?.to_owned(),
    };
    let attempt = match fields.get("attempt") {
        Some(value) => value.as_u64().unwrap_or(0),
        None => 0,
    };
    let idx = match known {
        SeedRequirement::None => seeds.named(&id),
        SeedRequirement::All => seeds
            .idx_of(&id)
            .ok_or_else(|| RecordError::unknown("seed", &id))?,
    };
    if known == SeedRequirement::All
        && let Some(pass) = pass
        && !seeds.list[idx]
            .variants
            .iter()
            .any(|variant| variant.pass == pass.as_str())
    {
        return Err(LineFault::NoVariant { id, pass });
    }
    let all = attempts.entry((idx, pass)).or_default();
    if all.contains_key(&attempt) {
        return Err(LineFault::SecondCompletion { id, pass });
    }
    all.insert(attempt, text);
    Ok(())
}

//! The verb `consistency` over completions that exist: which function and pass each belongs to, what is unlike, and what
//! repairing gains.
//!
//! Decides which lines count: one of an unknown function or pass, a second one, and one that is no JSON are problems with
//! their lines. Without a file of variants every function that is named is known, and nothing is scored.

use std::io::{self, BufRead};

use rustc_hash::FxHashMap;

use crate::exchange::records::{Fields, Layout, Record, each_record};
use crate::metric::edit::Scratch;
use crate::model::{Language, Problem, Reason};
use crate::mutate::Pass;
use crate::outliers::{Matrix, Rule, THRESHOLDS};

/// A function as the file of variants has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSeed {
    pub language: Option<Language>,
    /// What the second half should be.
    pub oracle: String,
    pub passes: Vec<Pass>,
}

/// Functions by their names.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    by_id: FxHashMap<String, KnownSeed>,
}

/// One function's completions.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub seed: String,
    /// The function's own, then in the order of the passes; no empty ones.
    pub passes: Vec<Option<Pass>>,
    pub texts: Vec<String>,
    pub n_empty: u64,
    pub matrix: Matrix,
    /// By threshold.
    pub outliers: [Vec<bool>; THRESHOLDS.len()],
    /// At the threshold that was asked for.
    pub repaired: Option<usize>,
    /// How like the true second half: of the function's own completion, and of the repaired one.
    pub edit: Option<(f64, Option<f64>)>,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// By their names.
    pub seeds: Vec<Judged>,
    pub problems: Vec<Problem>,
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
        each_record(input, Layout::Json, |record: Record| -> io::Result<()> {
            let line = record.line;
            match record.fields.and_then(|fields| seeds.add(&fields)) {
                Ok(()) => {}
                Err(detail) => problems.push(problem(path, line, detail)),
            }
            Ok(())
        })?;
        Ok(seeds)
    }

    fn add(&mut self, fields: &Fields) -> Result<(), String> {
        let seed = fields.get("seed").ok_or("no `seed`")?;
        let field = |name: &str| seed.get(name).and_then(|it| it.as_str());
        let id = field("id").ok_or("no `id` in `seed`")?;
        let source = field("source").ok_or("no `source` in `seed`")?;
        let Some(pass) = fields.get("pass").and_then(|it| it.as_str()) else {
            // What was left out has no variant.
            return Ok(());
        };
        let pass = Pass::of(pass).ok_or_else(|| format!("unknown pass `{pass}`"))?;
        let cut = fields.get("cut").and_then(|it| it.get("seed")?.as_u64());
        let oracle = cut.map_or_else(String::new, |cut| {
            let lines = source.split_inclusive('\n');
            lines
                .skip(usize::try_from(cut).unwrap_or(usize::MAX))
                .collect()
        });
        let language = field("language").and_then(|word| {
            let mut all = Language::ALL.iter().copied();
            all.find(|it| it.as_str() == word)
        });
        let known = self.by_id.entry(id.to_owned()).or_insert(KnownSeed {
            language,
            oracle,
            passes: Vec::new(),
        });
        known.passes.push(pass);
        Ok(())
    }
}

fn problem(path: &str, line: u32, detail: String) -> Problem {
    Problem {
        path: path.to_owned(),
        line: Some(line),
        reason: Reason::BadLine,
        detail,
    }
}

/// Which rule and threshold decide what is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub rule: Rule,
    pub threshold: usize,
}

type Completions = FxHashMap<String, Vec<(Option<Pass>, String)>>;

/// Reads completions and judges them by function.
///
/// # Errors
/// Those of the disk.
///
/// # Panics
/// Never: it asks only for keys that are there.
pub fn consistency(
    input: &mut dyn BufRead,
    path: &str,
    seeds: Option<&Seeds>,
    options: Options,
) -> io::Result<Report> {
    let mut report = Report::default();
    let mut completions: Completions = FxHashMap::default();
    each_record(input, Layout::Json, |record: Record| -> io::Result<()> {
        let line = record.line;
        let added = record
            .fields
            .and_then(|fields| add(&fields, seeds, &mut completions));
        if let Err(detail) = added {
            report.problems.push(problem(path, line, detail));
        }
        Ok(())
    })?;
    let mut ids: Vec<String> = completions.keys().cloned().collect();
    ids.sort();
    let mut scratch = Scratch::default();
    for id in ids {
        let mut all = completions.remove(&id).expect("it is one of its keys");
        all.sort_by_key(|it| it.0);
        let known = seeds.and_then(|it| it.by_id.get(&id));
        report
            .seeds
            .push(judged(id, all, known, options, &mut scratch));
    }
    Ok(report)
}

/// Reads `{"seed","pass","completion"}`; without a pass it is the function's own.
fn add(
    fields: &Fields,
    seeds: Option<&Seeds>,
    completions: &mut Completions,
) -> Result<(), String> {
    let seed = fields.get("seed").ok_or("no `seed`")?;
    let id = seed.get("id").unwrap_or(seed);
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let pass = match fields.get("pass").and_then(|it| it.as_str()) {
        None | Some("" | "seed") => None,
        Some(word) => Some(Pass::of(word).ok_or_else(|| format!("unknown pass `{word}`"))?),
    };
    let names = ["completion", "prediction", "text"];
    let text = names.iter().find_map(|it| fields.get(*it)?.as_str());
    let text = text.ok_or("no text in `completion`")?;
    if let Some(seeds) = seeds {
        let known = seeds
            .by_id
            .get(&id)
            .ok_or_else(|| format!("unknown seed `{id}`"))?;
        if pass.is_some_and(|it| !known.passes.contains(&it)) {
            let word = pass.map_or("", Pass::as_str);
            return Err(format!("`{id}` has no variant `{word}`"));
        }
    }
    let all = completions.entry(id.clone()).or_default();
    if all.iter().any(|it| it.0 == pass) {
        let word = pass.map_or("its own", Pass::as_str);
        return Err(format!("a second completion of `{id}`, {word}"));
    }
    all.push((pass, text.to_owned()));
    Ok(())
}

fn judged(
    seed: String,
    all: Vec<(Option<Pass>, String)>,
    known: Option<&KnownSeed>,
    options: Options,
    scratch: &mut Scratch,
) -> Judged {
    let n_all = all.len();
    let all: Vec<(Option<Pass>, String)> = all
        .into_iter()
        .filter(|it| !it.1.trim().is_empty())
        .collect();
    let n_empty = (n_all - all.len()) as u64;
    let texts: Vec<&str> = all.iter().map(|it| it.1.as_str()).collect();
    let matrix = Matrix::new(&texts, scratch);
    let outliers = THRESHOLDS.map(|it| matrix.outliers(options.rule, it));
    let repaired = matrix.repaired(&matrix.outliers(options.rule, options.threshold));
    let edit = known
        .filter(|it| !it.oracle.is_empty())
        .zip(all.first().filter(|it| it.0.is_none()))
        .and_then(|(known, own)| {
            let mut score = |text: &str| scratch.fuzzywuzzy(text, &known.oracle);
            let own = score(&own.1)?;
            Some((own, repaired.and_then(|it| score(texts[it]))))
        });
    Judged {
        seed,
        passes: all.iter().map(|it| it.0).collect(),
        texts: all.iter().map(|it| it.1.clone()).collect(),
        n_empty,
        matrix,
        outliers,
        repaired,
        edit,
    }
}

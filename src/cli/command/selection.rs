//! What `export` leaves out by `--splits`, `--max-similarity` and `--stable`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::Context;
use crate::args::{self, SplitName};
use crate::command::mining::tell_problems;
use crate::command::{inspect, project_name};
use crate::exchange::benchmark::{ReadSplit, parse_split};
use crate::failure::{ExitCode, Failure, Stop};
use crate::leakage::{self, LeakageIndex, Splits};
use crate::model::{Filter, Language, Problem, Shakes, Split, agreeing, counted};
use crate::progress;
use crate::store::{Store, TRUTH, name_in};
use crate::table::visible;
use crate::transfer::{ExportChoice, NearSamples, OwnSplits, SplitBy, UnstableSamples};

pub fn selection(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    store: &Store,
) -> Result<ExportChoice, Stop> {
    let splits = match &arguments.splits {
        Some(path) => Some(read(context, path, store)?),
        None => None,
    };
    let near = match arguments.max_similarity {
        Some(max) => Some(near(context, (arguments, max), store, splits.as_ref())?),
        None => None,
    };
    let only = match (&splits, &arguments.split) {
        (Some(own), Some(split)) => Some(only(own, split)?),
        _ => None,
    };
    let unstable = match arguments.stable {
        Some(shakes) => Some(unstable(context, store, shakes)?),
        None => None,
    };
    Ok(ExportChoice {
        splits,
        only,
        near,
        unstable,
    })
}

/// Reads the samples whose true tests are unstable under one of these shakes.
fn unstable(
    context: &mut Context<'_, '_>,
    store: &Store,
    shakes: Shakes,
) -> Result<UnstableSamples, Stop> {
    let mut found = UnstableSamples {
        shakes,
        keys: BTreeSet::new(),
    };
    let mut n_known = 0;
    for language in Language::ALL {
        let known = store.stabilities(&name_in(TRUTH, *language))?;
        n_known += known.len();
        let unstable = known
            .into_iter()
            .filter(|known| !known.1.changed.and(shakes).is_empty());
        found.keys.extend(unstable.map(|unstable| unstable.0));
    }
    if n_known == 0 {
        context.say("warning: no true test was shaken; `execute --truth --shake all` does that");
    }
    Ok(found)
}

/// Finds the only split that is written, by name; no file of splits has examples for prompts.
fn only(own: &OwnSplits, split_name: &SplitName) -> Result<String, Failure> {
    let name = match split_name {
        SplitName::Ours(split) => split.as_str(),
        SplitName::Own(name) => name,
        SplitName::Shots => return Ok(String::new()),
    };
    let names = own.names();
    if matches!(split_name, SplitName::Own(_)) && !names.contains(name) {
        let message = format!("`--splits` gives no split `{name}`");
        let names: Vec<&str> = names.into_iter().collect();
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint(format!("it gives {}", names.join(", "))));
    }
    Ok(name.to_owned())
}

/// Reads a file of splits. A line about what the index does not have is told and skipped.
fn read(context: &mut Context<'_, '_>, path: &Path, store: &Store) -> Result<OwnSplits, Stop> {
    let text = fs::read_to_string(path).map_err(Failure::unreadable(path))?;
    let rows = store.repos()?;
    let mut splits = OwnSplits::default();
    let mut problems = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|pair| !pair.1.trim().is_empty())
    {
        let detail = match parse_split(line) {
            Ok(ReadSplit::Sample(key, split)) => {
                splits.by_sample.insert(key, split);
                continue;
            }
            Ok(ReadSplit::Project(name, split)) => match project_name::identity(&rows, &name)? {
                Some(identity) => {
                    splits.by_project.insert(identity, split);
                    continue;
                }
                None => format!("no repository `{name}` in the index"),
            },
            Err(error) => error.to_string(),
        };
        let path = path.to_string_lossy();
        problems.push(Problem::bad_line(&path, number, &detail));
    }
    tell_problems(context, &problems, "focalist export");
    if splits == OwnSplits::default() {
        let message = format!(
            "no line of `{}` gives a split",
            visible(&path.to_string_lossy())
        );
        return Err(Failure::new(ExitCode::Input, message)
            .with_hint("`focalist benchmark split --json` prints such lines")
            .into());
    }
    Ok(splits)
}

/// A split whose name is not about training is held out.
fn held_out(name: &str) -> Split {
    Split::parse(name).unwrap_or(Split::Test)
}

/// Finds the samples too near to training, among all samples of the index, written or not.
fn near(
    context: &mut Context<'_, '_>,
    (arguments, max_similarity): (&args::Export, f64),
    store: &Store,
    own: Option<&OwnSplits>,
) -> Result<NearSamples, Stop> {
    let by_project = arguments.format == args::FormatName::Parquet
        && arguments.parquet.split_by.unwrap_or_default() == SplitBy::Project;
    let options = leakage::LeakageOptions {
        filter: Filter::default(),
        scope: inspect::scope(arguments.all),
        splits: if by_project {
            Splits::Project
        } else {
            Splits::Random
        },
    };
    let found = progress::run(context, |_, monitor| {
        let index = match own {
            Some(own) => LeakageIndex::build_by(store, monitor, &options, &|sample| {
                own.of(sample).map(held_out)
            })?,
            None => LeakageIndex::build(store, monitor, &options)?,
        };
        Ok(index.too_near(store, monitor, max_similarity)?)
    })?;
    if found.n_left_out > 0 {
        let n_left_out = found.n_left_out;
        context.say(&format!(
            "warning: {} of nearly identical tests {} not compared: more samples may be too near",
            counted(n_left_out, "pair"),
            agreeing(n_left_out, "was", "were")
        ));
    }
    Ok(NearSamples {
        max_similarity,
        keys: found.keys,
    })
}

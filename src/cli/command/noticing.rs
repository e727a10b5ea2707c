//! The faults that true tests notice in the methods that they may be about: `faults --candidates`.

use std::io::Write;

use crate::Context;
use crate::command::hint;
use crate::exchange::faults::WireCandidate;
use crate::exchange::write_line;
use crate::execute::candidates::{CandidateShare, CandidateShares, noticing};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::SampleKey;
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable, visible};

/// Stands for the share where no mutant is viable.
const NONE_VIABLE: &str = "none viable";

/// Prints the candidates of one true test, or of all.
pub fn run(
    context: &mut Context<'_, '_>,
    store: &Store,
    (key, is_json): (Option<&SampleKey>, bool),
) -> Result<(), Stop> {
    let found = noticing(store, key)?;
    if found.is_empty() {
        let of = key.map_or_else(String::new, |key| format!(" of sample `{key}`"));
        let message = format!("no true test{of} was run against mutants of its candidates");
        let command = ["execute", "--truth", "--faults", "--candidates"];
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(format!("{} does that", hint::command(&command)))
            .into());
    }
    for (idx, test) in found.iter().enumerate() {
        if is_json {
            for (matched, candidate) in (1..).zip(&test.candidates) {
                write_line(context.streams.out, &wire(test, matched, candidate))?;
            }
            continue;
        }
        if idx > 0 {
            writeln!(context.streams.out)?;
        }
        write(context.streams.out, store, test)?;
    }
    Ok(())
}

fn write(out: &mut dyn Write, store: &Store, test: &CandidateShares) -> Result<(), Stop> {
    let sample = store.sample(&test.sample, None)?;
    let name = sample.map_or_else(String::new, |stored_sample| {
        format!(" {}", stored_sample.row.test_name)
    });
    writeln!(out, "{}{}", test.sample, visible(&name))?;
    let numbers = NumberStyle::People;
    let mut table = TextTable::new(&[
        (String::new(), Align::Left),
        ("candidate".to_owned(), Align::Left),
        ("viable".to_owned(), Align::Right),
        ("by assertion".to_owned(), Align::Right),
        (numbers.head("share"), Align::Right),
        ("rank".to_owned(), Align::Right),
        (numbers.head("only there"), Align::Right),
        ("called by".to_owned(), Align::Left),
    ]);
    for candidate in &test.candidates {
        let share = candidate.share.map(|share| numbers.share(Some(share)));
        let rank = candidate.rank.map(|rank| rank.to_string());
        table.row([
            if candidate.method.is_picked {
                "▶"
            } else {
                ""
            }
            .to_owned(),
            candidate.method.name.clone(),
            candidate.counts.n_viable.to_string(),
            candidate.counts.n_by_assertion.to_string(),
            share.unwrap_or_else(|| NONE_VIABLE.to_owned()),
            rank.unwrap_or_else(|| numbers.none().to_owned()),
            numbers.share(candidate.only_there),
            callers(test, candidate).join(", "),
        ]);
    }
    table.write(out)?;
    Ok(())
}

fn callers<'t>(test: &'t CandidateShares, candidate_share: &CandidateShare) -> Vec<&'t str> {
    let callers = candidate_share.method.callers.iter();
    let callers = callers.filter_map(|rank| test.candidates.get(*rank as usize));
    callers.map(|caller| caller.method.name.as_str()).collect()
}

fn wire<'t>(
    test: &'t CandidateShares,
    matched: u32,
    candidate_share: &'t CandidateShare,
) -> WireCandidate<'t> {
    WireCandidate {
        run: &test.run,
        sample: test.sample.to_string(),
        candidate: &candidate_share.method.name,
        file: &candidate_share.method.file,
        line: candidate_share.method.line,
        is_focal: candidate_share.method.is_picked,
        matched,
        pairs: candidate_share.counts.into(),
        share: candidate_share.share,
        rank: candidate_share.rank,
        only_there: candidate_share.only_there,
        callers: callers(test, candidate_share),
    }
}

//! The faults that tests notice in each method that they enter: `faults --scope covered`.

use std::io::Write;

use crate::Context;
use crate::args;
use crate::command::hint;
use crate::exchange::faults::WireMethod;
use crate::exchange::write_line;
use crate::execute::candidates::covering;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{FaultCounts, SampleKey};
use crate::store::{Store, StoredMethodFaults, TestMethods};
use crate::table::{Align, NumberStyle, TextTable, visible};

/// Prints the methods that tests enter, of one sample or of all.
pub fn run(
    context: &mut Context<'_, '_>,
    store: &Store,
    (key, arguments): (Option<&SampleKey>, &args::FaultMatrixArgs),
) -> Result<(), Stop> {
    let found = covering(store, arguments.run.as_deref(), key)?;
    if found.is_empty() {
        let of = key.map_or_else(String::new, |key| format!(" of sample `{key}`"));
        let message = format!("no test{of} was run against mutants of the methods that it enters");
        let command = ["execute", "--truth", "--faults", "--scope", "covered"];
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(format!("{} does that", hint::command(&command)))
            .into());
    }
    for (idx, (run, test)) in found.iter().enumerate() {
        if arguments.json {
            for method in &test.methods {
                write_line(context.streams.out, &wire(run, test, method))?;
            }
            continue;
        }
        if idx > 0 {
            writeln!(context.streams.out)?;
        }
        write(context.streams.out, store, (run, test))?;
    }
    Ok(())
}

fn write(
    out: &mut dyn Write,
    store: &Store,
    (run, test): (&str, &TestMethods),
) -> Result<(), Stop> {
    let sample = store.sample(&test.sample, None)?;
    let name = sample.map_or_else(String::new, |stored_sample| {
        format!(" {}", stored_sample.row.test_name)
    });
    let head = format!("{}{name}, {run} attempt {}", test.sample, test.attempt);
    writeln!(out, "{}", visible(&head))?;
    let numbers = NumberStyle::People;
    let mut table = TextTable::new(&[
        (String::new(), Align::Left),
        ("method".to_owned(), Align::Left),
        ("viable".to_owned(), Align::Right),
        ("covered".to_owned(), Align::Right),
        ("detected".to_owned(), Align::Right),
        (numbers.head("mutation"), Align::Right),
        (numbers.head("strength"), Align::Right),
    ]);
    let row = |sign: &str, name: String, counts: FaultCounts| {
        let of =
            |share: Option<f64>, n: u64| numbers.share(share.filter(|_| n >= FaultCounts::FEWEST));
        [
            sign.to_owned(),
            name,
            counts.n_viable.to_string(),
            counts.n_covered.to_string(),
            counts.n_detected.to_string(),
            of(counts.score(), counts.n_viable),
            of(counts.strength(), counts.n_covered),
        ]
    };
    for method in &test.methods {
        let sign = if method.method.is_picked { "▶" } else { "" };
        table.row(row(sign, method.method.name.clone(), method.counts));
    }
    let n_drawn = test.methods.len() as u64;
    let n_entered = test.n_methods.map_or(n_drawn, u64::from);
    let name = if n_drawn < n_entered {
        format!("{n_drawn} of {n_entered} methods")
    } else {
        "all methods".to_owned()
    };
    table.row(row("", name, test.counts));
    table.write(out)?;
    Ok(())
}

fn wire<'t>(
    run: &'t str,
    test: &TestMethods,
    method_faults: &'t StoredMethodFaults,
) -> WireMethod<'t> {
    WireMethod {
        run,
        sample: test.sample.to_string(),
        attempt: test.attempt,
        method: &method_faults.method.name,
        file: &method_faults.method.file,
        line: method_faults.method.line,
        is_focal: method_faults.method.is_picked,
        entered: test.n_methods,
        counts: method_faults.counts.into(),
    }
}

//! The command `validate`.

use crate::args;
use crate::exchange::validated::{WireChecked, WireFlaw, WireValidation};
use crate::exchange::write_pretty;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{agreeing, counted};
use crate::table::{Align, TextTable, visible};
use crate::transfer::{ValidateError, Validation, validate};
use crate::{Context, progress};

/// Unchecked files that are named; all are counted.
const N_UNKNOWN_SHOWN: usize = 3;

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Validate) -> Result<(), Stop> {
    let found = progress::run(context, |_, monitor| {
        Ok(validate(monitor, &arguments.path)?)
    })?;
    if found.files.is_empty() {
        let path = arguments.path.display();
        let message = format!("`{path}` is in no format that can be checked");
        return Err(Failure::new(ExitCode::Input, message)
            .with_hint("`focalist validate --help` lists the formats")
            .into());
    }
    context.print(
        arguments.format.name(),
        |out| write_pretty(out, &wire(&found)),
        |_| (!found.flaws.is_empty()).then(|| table(&found)),
    )?;
    tell(context, &found);
    if found.is_valid() {
        Ok(())
    } else {
        let n = counted(found.n_flaws, "problem");
        let files = counted(found.files.len() as u64, "file");
        Err(Failure::new(ExitCode::Problems, format!("{n} in {files}")).into())
    }
}

fn table(found: &Validation) -> TextTable {
    let mut table = TextTable::new(&[
        ("file", Align::Left),
        ("line", Align::Ordinal),
        ("problem", Align::Left),
        ("how to mend it", Align::Left),
    ]);
    for flaw in &found.flaws {
        let line = flaw.line.map_or_else(String::new, |line| line.to_string());
        table.row([
            flaw.path.clone(),
            line,
            flaw.what.clone(),
            flaw.mend.clone(),
        ]);
    }
    table
}

/// Lists the checked files, and those that were not.
fn tell(context: &mut Context<'_, '_>, found: &Validation) {
    if found.is_valid() {
        for file in &found.files {
            let n = file.n_records;
            let n = n.map_or_else(String::new, |n| format!(", {}", counted(n, "record")));
            let path = visible(&file.path);
            context.say(&format!("{path}: valid ({}{n})", file.kind));
        }
    }
    let n_kept = found.flaws.len() as u64;
    if n_kept < found.n_flaws {
        let n = counted(found.n_flaws - n_kept, "more problem");
        context.say(&format!("{n} not shown"));
    }
    if !found.unknown.is_empty() {
        let n = found.unknown.len() as u64;
        let shown = found.unknown.iter().take(N_UNKNOWN_SHOWN);
        let shown: Vec<String> = shown.map(|shown| visible(shown)).collect();
        let more = if found.unknown.len() > N_UNKNOWN_SHOWN {
            ", …"
        } else {
            ""
        };
        context.say(&format!(
            "{} {} not checked: {}{more}",
            counted(n, "file"),
            agreeing(n, "was", "were"),
            shown.join(", ")
        ));
    }
}

fn wire(found: &Validation) -> WireValidation<'_> {
    let files = found.files.iter().map(|file| WireChecked {
        file: &file.path,
        kind: file.kind,
        records: file.n_records,
    });
    let problems = found.flaws.iter().map(|flaw| WireFlaw {
        file: &flaw.path,
        line: flaw.line,
        problem: &flaw.what,
        mend: &flaw.mend,
    });
    WireValidation {
        valid: found.is_valid(),
        files: files.collect(),
        unknown: &found.unknown,
        n_problems: found.n_flaws,
        problems: problems.collect(),
    }
}

impl From<ValidateError> for Stop {
    fn from(error: ValidateError) -> Self {
        match error {
            ValidateError::Read { .. } => {
                Failure::new(ExitCode::Input, visible(&error.to_string())).into()
            }
            ValidateError::Cancelled(cancelled) => cancelled.into(),
        }
    }
}

//! Writes files beside the index while nobody waits: saved filters, charts, exports, the demo.
//!
//! Decides how each is done and how it is reported. Unlike [`work`](crate::work) these do not write the index, or do it
//! as another process; several may go on at once. A file appears whole or not at all, and never replaces another one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chart;
use crate::config::saved;
use crate::eval::results::{self, ResultsOptions};
use crate::files::path_of;
use crate::plot::{Plot, PlotKind};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::task::Monitor;
use crate::text::{visible, with_causes};
use crate::widget::frame::counted;

/// Width and height of a chart in a file, in pixels.
const CHART_SIZE: (u32, u32) = (800, 500);
/// Rows read at a time, so that an export of any length needs little memory.
const CHUNK: usize = 500;

/// Something to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Chore {
    SaveFilter {
        name: String,
        text: String,
    },
    WriteChart {
        kind: PlotKind,
        path: String,
    },
    /// The listed predictions, with their texts.
    Export {
        options: Box<ResultsOptions>,
        /// The first row, counted from 0, and the number of rows; without it, all.
        rows: Option<[usize; 2]>,
        path: String,
    },
    /// A text that is written unchanged.
    WriteText {
        text: String,
        path: String,
    },
    /// The bundled samples, in this workspace.
    Demo,
}

/// The end of a chore, with a message for people in both cases.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedChore {
    pub chore: Chore,
    pub outcome: Result<String, String>,
}

/// Carries out a chore.
#[must_use]
pub fn perform(folder: &Path, chore: Chore) -> FinishedChore {
    // A panic is a bug in one chore; the panic hook has told the UI its message.
    let outcome = catch_unwind(AssertUnwindSafe(|| match &chore {
        Chore::SaveFilter { name, text } => saved::save(folder, name, text)
            .map(|()| format!("saved as @{name}"))
            .map_err(|error| visible(&error.to_string())),
        Chore::WriteChart { kind, path } => write_chart(folder, *kind, path),
        Chore::Export {
            options,
            rows,
            path,
        } => export(folder, (options, *rows), path),
        Chore::WriteText { text, path } => write_new(path, |out| out.write_all(text.as_bytes()))
            .map(|()| format!("wrote {}", visible(path))),
        Chore::Demo => demo(folder),
    }));
    let outcome = outcome.unwrap_or_else(|_| Err("that failed: a bug in focalist".to_owned()));
    FinishedChore { chore, outcome }
}

fn write_chart(folder: &Path, kind: PlotKind, path: &str) -> Result<String, String> {
    let words = |error: &dyn std::error::Error| with_causes(error);
    let store = Store::open(folder, StoreAccess::Read).map_err(|error| words(&error))?;
    let verdicts = Verdicts::open_or_empty(folder).map_err(|error| words(&error))?;
    let figure = crate::plot::figure(&store, &verdicts, &Monitor::default(), &Plot::new(kind))
        .map_err(|error| words(&error))?;
    let text = chart::svg(&figure, CHART_SIZE);
    write_new(path, |out| out.write_all(text.as_bytes()))?;
    Ok(format!("wrote {}", visible(path)))
}

fn export(
    folder: &Path,
    (options, rows): (&ResultsOptions, Option<[usize; 2]>),
    path: &str,
) -> Result<String, String> {
    let store = Store::open(folder, StoreAccess::Read).map_err(|error| with_causes(&error))?;
    let list =
        results::list(&store, &Monitor::default(), options).map_err(|error| with_causes(&error))?;
    let mut n_written = 0;
    write_new(path, |out| {
        let [first, n] = rows.unwrap_or([0, usize::MAX]);
        let meant = list.ordinals.iter().skip(first).take(n);
        let meant: Vec<u32> = meant.copied().collect();
        for ordinals in meant.chunks(CHUNK) {
            let n = results::write_texts(&store, &list.view, ordinals, out);
            n_written += n.map_err(|error| io::Error::other(with_causes(&error)))?;
        }
        Ok(())
    })?;
    Ok(format!(
        "wrote {} to {}",
        counted(n_written, "prediction"),
        visible(path)
    ))
}

/// Writes a new file: first beside it under another name, so that it is whole when it gets its own.
fn write_new(
    path: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let place = path_of(path);
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{} exists already; choose another name", visible(path))
        }
        _ => format!(
            "cannot write {}: {}",
            visible(path),
            visible(&error.to_string())
        ),
    };
    if place.try_exists().map_err(failed)? {
        return Err(failed(io::ErrorKind::AlreadyExists.into()));
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let beside = place.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create(&beside).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&beside, &place)
    });
    if written.is_err() {
        // Removing the rest of it may fail; only the first failure counts.
        let _left = fs::remove_file(&beside);
    }
    written.map_err(failed)
}

/// Runs `focalist demo` on this workspace in a process of its own.
fn demo(folder: &Path) -> Result<String, String> {
    let failed = |error: io::Error| format!("the demo does not start: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    let output = Command::new(program)
        .arg("--workspace")
        .arg(folder)
        .args(["demo", "--no-tui"])
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    if output.status.success() {
        return Ok("the demo is here: the bundled samples and two runs".to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| !line.trim().is_empty());
    Err(visible(line.unwrap_or("the demo failed")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SavedFilters;
    use crate::store::testing::{counter_repo, store_with};

    fn check(folder: &Path, chore: Chore, expected: Result<&str, &str>) {
        let finished = perform(folder, chore);
        match (&finished.outcome, expected) {
            (Ok(text), Ok(part)) | (Err(text), Err(part)) => assert!(text.contains(part), "{text}"),
            _ => panic!("{finished:?}"),
        }
    }

    #[test]
    fn what_is_written_is_whole_and_takes_no_place_of_another() {
        let (folder, _store) = store_with(&[counter_repo("a")]);
        let place = folder.path().join("funnel.svg");
        let write = |path: &Path| Chore::WriteChart {
            kind: PlotKind::Funnel,
            path: path.to_string_lossy().into_owned(),
        };
        check(folder.path(), write(&place), Ok("wrote"));
        let text = fs::read_to_string(&place).expect("it is there");
        assert!(
            text.starts_with("<svg") || text.starts_with("<?xml"),
            "{text}"
        );
        check(folder.path(), write(&place), Err("exists already"));
        let nowhere = folder.path().join("no/funnel.svg");
        check(folder.path(), write(&nowhere), Err("cannot write"));
        let export = Chore::Export {
            options: Box::default(),
            rows: None,
            path: folder.path().join("a.jsonl").to_string_lossy().into_owned(),
        };
        check(folder.path(), export, Err("run"));
        let names = fs::read_dir(folder.path()).expect("the folder reads");
        let names = names.filter_map(|name| name.ok()?.file_name().into_string().ok());
        assert_eq!(names.filter(|name| name.contains(".tmp")).count(), 0);
    }

    #[test]
    fn a_filter_is_saved_in_the_workspace() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let save = |name: &str| Chore::SaveFilter {
            name: name.to_owned(),
            text: "status:tie".to_owned(),
        };
        check(folder.path(), save("hard"), Ok("@hard"));
        assert_eq!(
            SavedFilters::load(folder.path()).get("hard"),
            Some("status:tie")
        );
        check(folder.path(), save("a b"), Err("cannot name"));
    }
}

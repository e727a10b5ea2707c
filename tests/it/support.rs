//! Runs the program in this process or as a child, and creates small repositories for it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use focalist::cli::{self, ExitCode, Streams, UiHooks};
use focalist::job::Jobs;
use focalist::tui;
use serde_json::Value;
use tempfile::TempDir;

/// The functions of the terminal UI that the command line calls.
pub const UI: UiHooks = UiHooks {
    keys: tui::keys,
    keys_markdown: tui::keys_markdown,
    check: tui::check,
    look: tui::look_around,
    themes: tui::themes,
    known_themes: tui::known_themes,
};

/// The options that keep out the settings of the user who runs the tests.
const NO_SETTINGS: [&str; 2] = ["--config", "/dev/null"];

/// Returns a text in the program's JSON output; an empty one where there is none.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Outcome {
    pub code: ExitCode,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// Returns stdout after checking that the run succeeded.
    pub fn success(self) -> String {
        assert_eq!(self.code, ExitCode::Ok, "{}", self.err);
        self.out
    }

    /// Returns stderr after checking the code.
    pub fn failure(self, code: ExitCode) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }
}

/// A folder with a workspace and further files of a test.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder can be made"),
        }
    }

    /// Creates a place with the sample data, mined.
    pub fn with_sample_data() -> Self {
        let place = Self::new();
        place
            .run(&[
                "mine",
                "--each",
                &sample_data("repos"),
                "--matcher",
                "contest,evidence,methods2test",
            ])
            .success();
        place
    }

    /// Creates a place with the sample data of the other languages, mined.
    pub fn with_languages() -> Self {
        let place = Self::new();
        let folder = sample_data("languages");
        place
            .run(&[
                "mine",
                "--each",
                &folder,
                "--matcher",
                "contest,evidence,mera",
            ])
            .success();
        place
    }

    /// Kills the background jobs of this place. Each job is the leader of its own session, so the processes that it has
    /// started are killed with it.
    fn end_jobs(&self) {
        let Ok(mut jobs) = Jobs::open_or_empty(&self.path(".focalist")) else {
            return;
        };
        let rows = jobs.rows().unwrap_or_default().into_iter();
        let alive = rows.filter(|row| row.is_background && row.state.is_alive());
        for pid in alive.filter_map(|row| row.pid) {
            // One that has just ended needs no signal.
            let _sent = Command::new("kill")
                .args(["-KILL", "--", &format!("-{pid}")])
                .stderr(Stdio::null())
                .status();
        }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn write(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("the path lies below the folder"))
            .expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Writes a repository `name` with one class and one test of it; returns its folder.
    pub fn counter(&self, name: &str) -> String {
        self.write(&format!("{name}/src/main/java/p/Counter.java"), COUNTER);
        self.write(
            &format!("{name}/src/test/java/p/CounterTest.java"),
            COUNTER_TEST,
        );
        self.path(name).to_string_lossy().into_owned()
    }

    /// Runs the program in this process on the place's workspace.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.answer(args, "")
    }

    /// Runs the program in this process, with these lines as its input.
    pub fn answer(&self, args: &[&str], lines: &str) -> Outcome {
        let workspace = self.folder.path().to_string_lossy().into_owned();
        let all = ["focalist", "--workspace", &workspace]
            .into_iter()
            .chain(NO_SETTINGS)
            .chain(args.iter().copied())
            .map(OsString::from);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cli::run(
            all,
            &mut Streams {
                input: &mut lines.as_bytes(),
                input_is_terminal: false,
                out: &mut out,
                err: &mut err,
                err_is_terminal: false,
                out_is_terminal: false,
                open_ui: &mut |_| Err("there is no terminal here".to_owned()),
                ui: UI,
            },
        );
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Outcome {
            code,
            out: text(out),
            err: text(err),
        }
    }

    /// Starts the program as a child on the place's workspace.
    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program can be started")
    }

    /// Returns the program on the place's workspace, to be started as a child.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
        command
            .arg("--workspace")
            .arg(self.folder.path())
            .args(NO_SETTINGS)
            .args(args);
        command
    }
}

impl Drop for Place {
    /// A job would outlive the test that has started it, also when the test fails.
    fn drop(&mut self) {
        self.end_jobs();
    }
}

/// Copies a folder recursively.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file can be copied");
        }
    }
}

/// Returns the Python that has packages to read focalist's files; where there is none, the test is skipped with a
/// message.
pub fn python_with(packages: &str) -> Option<OsString> {
    let found = env::var_os("FOCALIST_PYTHON_DATA");
    if found.is_none() {
        let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
        assert!(
            !is_needed,
            "FOCALIST_PYTHON_DATA names no Python with {packages}"
        );
        writeln!(io::stderr(), "skipped: FOCALIST_PYTHON_DATA is not set")
            .expect("stderr can be written");
    }
    found
}

/// Returns the path of something in `sample-data`.
pub fn sample_data(below: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample-data")
        .join(below)
        .to_string_lossy()
        .into_owned()
}

pub const COUNTER: &str = "package p;

public class Counter {
    private int count;

    public int inc() {
        return set(count + 1);
    }

    private int set(int value) {
        count = value;
        return count;
    }
}
";

pub const COUNTER_TEST: &str = "package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CounterTest {
    @Test
    public void testInc() {
        Counter counter = new Counter();
        int once = counter.inc();
        assertEquals(1, once);
    }
}
";

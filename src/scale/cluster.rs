//! Scripts for existing engines: one mines the shards of a folder and merges them, or does the same for a verb on a
//! run, and is meant to be read and changed. Nothing of this is run here.

use std::io;
use std::path::Path;

use crate::exchange::shards::WirePlannedRun;

use super::plan::shards_in;
use super::run::planned_run;

/// An engine that runs the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterEngine {
    Parallel,
    Slurm,
    Ray,
}

impl ClusterEngine {
    pub const ALL: &[Self] = &[Self::Parallel, Self::Slurm, Self::Ray];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parallel => "parallel",
            Self::Slurm => "slurm",
            Self::Ray => "ray",
        }
    }

    const fn template(self) -> &'static str {
        match self {
            Self::Parallel => include_str!("drivers/parallel.sh"),
            Self::Slurm => include_str!("drivers/slurm.sh"),
            Self::Ray => include_str!("drivers/ray.py"),
        }
    }
}

/// The work on shards of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunVerb {
    Eval,
    Execute,
    Generate,
}

impl RunVerb {
    pub const ALL: &[Self] = &[Self::Eval, Self::Execute, Self::Generate];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::Execute => "execute",
            Self::Generate => "generate",
        }
    }
}

/// The arguments that a driver calls the program with.
struct Calls {
    does: String,
    into: String,
    /// The words for each shard, before those that name it.
    work: Vec<String>,
    /// The words for `merge`, behind the shards.
    target: Vec<String>,
    /// The last call: the verb in one process, which finds everything done, sums it up and reports. Empty where there
    /// is none.
    last: Vec<String>,
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Calls {
    /// Makes the calls that mine repositories.
    fn mining(shards: &str) -> Self {
        Self {
            does: "Mines the shards of a folder".to_owned(),
            into: "the workspace `all` in it".to_owned(),
            work: words(&["mine", "--jobs", "1"]),
            target: words(&["--workspace", &format!("{shards}/all")]),
            last: Vec::new(),
        }
    }

    /// Makes the calls that apply a verb to a run.
    fn of_run(planned: &WirePlannedRun, verb: RunVerb) -> Self {
        let (name, workspace) = (planned.name.as_str(), planned.workspace.as_str());
        let verb = verb.as_str();
        let last = ["--workspace", workspace, verb];
        let (work, of_run) = match &planned.prompts {
            Some(prompts) => (
                words(&[verb, "--run", name]),
                words(&["--run", name, "--prompts", prompts]),
            ),
            None => (words(&[verb, "--jobs", "1"]), words(&[name])),
        };
        Self {
            // The run's name is left out: it may hold characters that end a comment.
            does: format!("Calls `focalist {verb}` for the shards of a run"),
            into: "the workspace that they were cut from".to_owned(),
            work,
            target: words(&["--workspace", workspace, "--run", name]),
            last: [words(&last), of_run].concat(),
        }
    }
}

/// Writes the script that runs the shards of a folder; for shards of a run, `verb` tells the work.
///
/// # Errors
/// The folder cannot be read, has no shards, or has shards that `verb` does not work on.
pub fn driver(engine: ClusterEngine, shards: &Path, verb: Option<RunVerb>) -> io::Result<String> {
    let shards = shards.canonicalize()?;
    let n_shards = shards_in(&shards)?.len();
    if n_shards == 0 {
        let error = "there are no shards in it: `focalist plan` writes some";
        return Err(io::Error::new(io::ErrorKind::NotFound, error));
    }
    let folder = shards.to_string_lossy();
    let unfit = |error: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    let calls = match (planned_run(&shards), verb) {
        (None, None) => Calls::mining(&folder),
        (Some(planned), None) if planned.prompts.is_some() => {
            Calls::of_run(&planned, RunVerb::Generate)
        }
        (Some(planned), Some(verb)) if planned.prompts.is_some() == (verb == RunVerb::Generate) => {
            Calls::of_run(&planned, verb)
        }
        (None, Some(_)) => return unfit("they are shards of repositories, which are mined"),
        (Some(_), None) => {
            return unfit("they are shards of a run: `--verb` says what to do with them");
        }
        (Some(_), Some(RunVerb::Generate)) => {
            return unfit(
                "they are shards of predictions: `plan --prompts` makes shards of prompts",
            );
        }
        (Some(_), Some(_)) => {
            return unfit("they are shards of prompts, which only `generate` takes");
        }
    };
    let mut text = engine
        .template()
        .replace("@DOES@", &calls.does)
        .replace("@INTO@", &calls.into)
        .replace("@LAST@", &(n_shards - 1).to_string());
    let [shards, work, target, last] = match engine {
        ClusterEngine::Parallel | ClusterEngine::Slurm => {
            let all = |words: &[String]| {
                let words: Vec<String> = words.iter().map(|word| in_shell(word)).collect();
                words.join(" ")
            };
            let last = match (engine, calls.last.as_slice()) {
                (_, []) => String::new(),
                (ClusterEngine::Slurm, last) => format!("#   focalist {}", all(last)),
                (_, last) => format!("\"$focalist\" {} \"$@\"", all(last)),
            };
            let mut work = all(&calls.work);
            if engine == ClusterEngine::Slurm {
                work = work.replace("--jobs 1", "--jobs \"${SLURM_CPUS_PER_TASK:-1}\"");
            }
            [in_shell(&folder), work, all(&calls.target), last]
        }
        ClusterEngine::Ray => {
            let all = |words: &[String]| {
                let words: Vec<String> = words.iter().map(|word| in_python(word)).collect();
                format!("[{}]", words.join(", "))
            };
            [
                in_python(&folder),
                all(&calls.work),
                all(&calls.target),
                all(&calls.last),
            ]
        }
    };
    for (place, words) in [
        ("@WORK@", work),
        ("@TARGET@", target),
        ("@LAST_STEP@", last),
        // Last: a folder's name may hold anything.
        ("@SHARDS@", shards),
    ] {
        text = text.replace(place, &words);
    }
    Ok(text.trim_end().to_owned() + "\n")
}

/// Quotes a text as a word of a shell.
fn in_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Quotes a text as a literal of Python.
fn in_python(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            control if control.is_control() => format!("\\x{:02x}", control as u32),
            other => other.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

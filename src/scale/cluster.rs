//! What engines that exist are called with: a script that mines the shards of a folder and merges them, ready to be read
//! and changed. Nothing of this is run here.

use std::io;
use std::path::Path;

use super::plan::shards_in;

/// An engine that runs the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Parallel,
    Slurm,
    Ray,
}

impl Engine {
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

/// Returns the script that runs the shards of a folder.
///
/// # Errors
/// The folder cannot be read, or has no shards.
pub fn driver(engine: Engine, shards: &Path) -> io::Result<String> {
    let shards = shards.canonicalize()?;
    let n_shards = shards_in(&shards)?.len();
    if n_shards == 0 {
        let error = "there are no shards in it: `focalist plan` writes some";
        return Err(io::Error::new(io::ErrorKind::NotFound, error));
    }
    let folder = shards.to_string_lossy();
    let folder = match engine {
        Engine::Parallel | Engine::Slurm => in_shell(&folder),
        Engine::Ray => in_python(&folder),
    };
    let text = engine.template().replace("@SHARDS@", &folder);
    Ok(text.replace("@LAST@", &(n_shards - 1).to_string()))
}

/// Returns a text as a word of a shell.
fn in_shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns a text as a literal of Python.
fn in_python(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|it| match it {
            '"' | '\\' => format!("\\{it}"),
            it if it.is_control() => format!("\\x{:02x}", it as u32),
            it => it.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

//! The options of `prepare`, and those of every command that runs code of others.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Prepares projects: each is built once, in a copy and in a sandbox, so that tests can be run in it. What is built is kept
/// in the cache; a project, or a module, that does not build is reported with the reason.
#[derive(Debug, Args)]
pub struct Prepare {
    /// A repository of the index by its name or identity, or a folder; without any, all of the index
    #[arg(value_name = "REPO|PATH")]
    pub projects: Vec<OsString>,
    #[command(flatten)]
    pub java: Java,
    /// Build again what is in the cache
    #[arg(long)]
    pub rebuild: bool,
    #[command(flatten)]
    pub site: Site,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

/// Where the tools of Java are.
#[derive(Clone, Debug, Args)]
pub struct Java {
    /// The home of a JDK to choose from, before `$JAVA_HOME`, the one on `$PATH` and those of the system; may be given
    /// several times
    #[arg(long, value_name = "HOME")]
    pub java: Vec<PathBuf>,
    /// The home of Maven, or its program; else `$MAVEN_HOME`, else `mvn` on `$PATH`
    #[arg(long, value_name = "PATH")]
    pub maven: Option<PathBuf>,
}

/// Where code of others runs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Site {
    /// Download nothing: what is not in the cache fails
    #[arg(long)]
    pub offline: bool,
    /// What keeps code of others from doing harm; `none` lets it do whatever you may do
    #[arg(long, value_enum, default_value = "auto")]
    pub sandbox: SandboxName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SandboxName {
    /// The best there is; never none
    Auto,
    Bwrap,
    None,
}

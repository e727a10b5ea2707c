//! The options of `prepare`, and those of every command that runs other people's code.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Detach;

/// Prepares projects: each is built once, in a copy and in a sandbox, so that tests can be run in it. Builds are kept
/// in the cache; a project, or a module, that does not build is reported with the reason.
#[derive(Debug, Args)]
pub struct Prepare {
    /// A repository of the index by its name or identity, or a folder; without one, all repositories of the index
    #[arg(value_name = "REPO|PATH")]
    pub projects: Vec<OsString>,
    /// Also the projects of this file, one per line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Print instead how many of the projects are usable, and where and why the others are left out
    #[arg(long = "yield")]
    pub shows_yield: bool,
    #[command(flatten)]
    pub java: Java,
    #[command(flatten)]
    pub python: Python,
    /// Rebuild projects that are in the cache
    #[arg(long)]
    pub rebuild: bool,
    #[command(flatten)]
    pub site: SandboxArgs,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detach: Detach,
}

/// Where the tools of Java are.
#[derive(Clone, Debug, Args)]
pub struct Java {
    /// The home of a JDK to choose from, before `$JAVA_HOME`, the one on `$PATH` and the system's own; may be given
    /// several times
    #[arg(long, value_name = "HOME")]
    pub java: Vec<PathBuf>,
    /// The home of Maven, or its program; else `$MAVEN_HOME`, else `mvn` on `$PATH`
    #[arg(long, value_name = "PATH")]
    pub maven: Option<PathBuf>,
}

/// How environments of Python projects are made.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named like their options"
)]
pub struct Python {
    /// The project's name from then on; else the name of its folder
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Python: the version to use; else the one on `$PATH` if the project accepts it
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub python: Option<String>,
    /// Python: take packages as they were on this day; else on the day of the commit. It needs `uv`, which is
    /// downloaded if it is not installed
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub as_of: Option<String>,
    /// Python: install a package besides those that the project names; may be given several times
    #[arg(long, value_name = "PKG")]
    pub add: Vec<String>,
    /// Python: a folder with wheels to take first
    #[arg(long, value_name = "DIR")]
    pub wheels: Option<PathBuf>,
    /// Let builds of the project, and of packages without a wheel, reach the network. Their code then reaches
    /// everything that you can reach: the network, services on this machine, its abstract Unix sockets
    #[arg(long)]
    pub build_network: bool,
    /// Python: the share of the project's tests that has to pass, 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = crate::args::probability)]
    pub accept: f64,
}

/// Reads a version such as `3.11`.
fn version(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("python").unwrap_or(text);
    let mut numbers = number.split('.');
    let is_number = |text: Option<&str>| text.is_some_and(|text| text.parse::<u32>().is_ok());
    let is_version = numbers.next() == Some("3") && is_number(numbers.next());
    let is_whole = numbers
        .next()
        .is_none_or(|number| number.parse::<u32>().is_ok());
    if is_version && is_whole {
        Ok(number.to_owned())
    } else {
        Err("not a version such as `3.11`".to_owned())
    }
}

/// Reads a day such as `2024-09-01`.
pub(super) fn day(text: &str) -> Result<String, String> {
    let numbers: Vec<Option<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    let is_day = matches!(
        numbers.as_slice(),
        [Some(1990..=9999), Some(1..=12), Some(1..=31)]
    );
    if is_day && text.len() == 10 {
        Ok(text.to_owned())
    } else {
        Err("not a day such as `2024-09-01`".to_owned())
    }
}

/// Where code of others runs.
#[derive(Clone, Copy, Debug, Args)]
pub struct SandboxArgs {
    /// Download nothing; anything that the cache lacks fails
    #[arg(long)]
    pub offline: bool,
    /// The sandbox for foreign code; `none` lets it do anything that you may do
    #[arg(long, value_enum, default_value = "auto")]
    pub sandbox: SandboxName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SandboxName {
    /// The best one available; never none
    Auto,
    Bwrap,
    None,
}

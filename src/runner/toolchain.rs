//! Finds the programs of each language on this machine, for users who ask before they prepare a project.

use std::path::PathBuf;

use crate::java::Machine;
use crate::python::{self, Surroundings};

/// The programs that preparing and running need, as they would be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// Versions of the JDKs, such as `17.0.15`; the one that `$JAVA_HOME` names comes first.
    pub jdks: Vec<String>,
    /// The home of Maven.
    pub maven: Option<PathBuf>,
    /// Interpreters of Python: the one that `python3` means comes first.
    pub pythons: Vec<PathBuf>,
    pub uv: Option<PathBuf>,
}

impl Toolchain {
    /// Looks for the programs; starts none of them.
    #[must_use]
    pub fn find(machine: &Machine, surroundings: &Surroundings) -> Self {
        let jdks = machine.jdks(&[]).unwrap_or_default();
        let (pythons, uv) = python::found(surroundings);
        Self {
            jdks: jdks.into_iter().map(|jdk| jdk.version).collect(),
            maven: machine.maven(None).ok(),
            pythons,
            uv,
        }
    }
}

//! The place and the compilers of candidates: one compiler that runs no foreign code, and one that runs the project's
//! annotation processors. Neither writes to the folder of the other, nor to the folder of the sources.

use std::path::{Path, PathBuf};

use crate::java::Build;
use crate::sandbox::{ProgramPlan, Root};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

use super::talk::Worker;
use super::{FastOptions, plan};

pub const CLASSES: &str = "classes";
pub const PROCESSED: &str = "processed";
pub const SOURCES: &str = "sources";
/// Classes with faults, written by the maker of mutants.
pub const MUTANTS: &str = "mutants";
const RUNNERS: &str = "runners";

/// A folder with its compilers.
pub struct CompilerFolder {
    pub(super) root: Root,
    pub(super) program: PathBuf,
    pub(super) compiler: Option<Worker>,
    /// The compiler for sources with annotation processors.
    pub(super) processing: Option<Worker>,
}

impl CompilerFolder {
    /// Makes the subfolders in an empty folder; `program` is the folder of our own classes.
    pub(super) fn new(folder: &Path, program: PathBuf) -> Result<Self, RunnerError> {
        let root = Root::open(folder).map_err(io_error(folder))?;
        for name in [CLASSES, MUTANTS, PROCESSED, RUNNERS, SOURCES] {
            let made = root.create_folder(name);
            made.map_err(io_error(&folder.join(name)))?;
        }
        Ok(Self {
            root,
            program,
            compiler: None,
            processing: None,
        })
    }

    /// Returns the folder of a module's runners.
    pub(super) fn runners(&self, module: usize) -> PathBuf {
        self.root.path().join(RUNNERS).join(module.to_string())
    }

    pub(super) fn compiler(&mut self) -> &mut Worker {
        self.compiler.as_mut().expect("it was started")
    }

    /// Builds the plan of a compiler: of the one in which processors run, or of the other one.
    pub(super) fn plan(
        &self,
        (build, options): (&Build, &FastOptions),
        is_processing: bool,
    ) -> ProgramPlan {
        let written: &[&str] = if is_processing {
            &[PROCESSED]
        } else {
            &[CLASSES, RUNNERS]
        };
        plan::compiler(build, options, &self.program, (self.root.path(), written))
    }

    /// Starts the compiler where there is none.
    pub(super) fn open(
        &mut self,
        (site, build, options): (&Site, &Build, &FastOptions),
        monitor: &Monitor,
    ) -> Result<(), RunnerError> {
        if self.compiler.is_none() {
            let plan = self.plan((build, options), false);
            self.compiler = Some(Worker::start(&site.sandbox, &plan, None, monitor)?);
        }
        Ok(())
    }

    /// Starts the compiler in which annotation processors run where there is none.
    pub(super) fn open_processing(
        &mut self,
        (site, build, options): (&Site, &Build, &FastOptions),
        monitor: &Monitor,
    ) -> Result<(), RunnerError> {
        if self.processing.is_none() {
            let plan = self.plan((build, options), true);
            self.processing = Some(Worker::start(&site.sandbox, &plan, None, monitor)?);
        }
        Ok(())
    }

    /// Removes compiled files that have run. The folders themselves stay, because running compilers use them.
    pub(super) fn clear(&self) -> Result<(), RunnerError> {
        self.clear_of(&[CLASSES, MUTANTS, PROCESSED, SOURCES])
    }

    /// Empties some of its folders.
    pub(super) fn clear_of(&self, names: &[&str]) -> Result<(), RunnerError> {
        let failed = io_error(self.root.path());
        for name in names {
            for (entry, _) in self.root.entries(name).map_err(&failed)? {
                let path = Path::new(name).join(entry);
                self.root.remove(path).map_err(&failed)?;
            }
        }
        Ok(())
    }
}

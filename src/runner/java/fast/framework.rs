//! The runners of tests, one for each framework.

use std::path::PathBuf;

use crate::java::Module;
use crate::model::Framework;

/// Focalist's class that runs a test; it is compiled against the project's own libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    JUnit4,
    Platform,
    TestNg,
}

impl Runner {
    /// Returns the name of its class.
    pub const fn class(self) -> &'static str {
        match self {
            Self::JUnit4 => "focalist.runner.JUnit4",
            Self::Platform => "focalist.runner.Platform",
            Self::TestNg => "focalist.runner.TestNg",
        }
    }

    /// Chooses the runner for tests of a framework; nothing for those of other languages.
    pub const fn of(framework: Framework) -> Option<Self> {
        match framework {
            Framework::JUnit3 | Framework::JUnit4 => Some(Self::JUnit4),
            Framework::JUnit5 => Some(Self::Platform),
            Framework::TestNg => Some(Self::TestNg),
            _ => None,
        }
    }

    pub const fn source(self) -> &'static str {
        match self {
            Self::JUnit4 => include_str!("../worker/runner/JUnit4.java"),
            Self::Platform => include_str!("../worker/runner/Platform.java"),
            Self::TestNg => include_str!("../worker/runner/TestNg.java"),
        }
    }
}

/// Chooses the runner for tests of a framework, where the module has its library. Where there are jars in `more`, these
/// are assumed to have it, because their names tell nothing.
pub fn runner_of(module: &Module, more: &[PathBuf], framework: Framework) -> Option<Runner> {
    let runner = Runner::of(framework)?;
    (!more.is_empty() || has(module, runner)).then_some(runner)
}

/// Tells whether a module has the library that a runner needs.
pub fn has(module: &Module, runner: Runner) -> bool {
    let all = module.test_class_path.iter().chain(&module.launcher);
    let mut names = all.filter_map(|path| path.file_name()?.to_str());
    match runner {
        Runner::JUnit4 => names.any(|name| {
            name.strip_prefix("junit-")
                .or_else(|| name.strip_prefix("junit-dep-"))
                .is_some_and(|rest| rest.starts_with('4'))
        }),
        Runner::Platform => names.any(|name| name.starts_with("junit-platform-launcher")),
        Runner::TestNg => names.any(|name| name.starts_with("testng-")),
    }
}

//! A prepared Java project: the hand-over from preparing to running, kept in the cache as JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A project that was built; all paths are absolute and in the cache, except the paths of JDK and Maven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of this file's shape.
    pub format: u32,
    /// A hash of the tree, the JDK, and the version of the preparing code.
    pub key: String,
    /// The copy of the repository that was built.
    pub tree: PathBuf,
    pub jdk: Jdk,
    pub maven: Maven,
    /// The project's own local repository, which its build may have written, and the one below it, which no code of a
    /// project writes: every jar of the class paths is in one of them.
    pub repository: PathBuf,
    #[serde(default)]
    pub shared: PathBuf,
    /// In order of their folders.
    pub modules: Vec<Module>,
    /// Modules without test classes.
    pub unbuilt: Vec<UnbuiltModule>,
    /// JaCoCo's core with the ASM that it needs, and its agent.
    pub jacoco: Vec<PathBuf>,
    pub jacoco_agent: PathBuf,
    /// The program that makes reports of the agent's data.
    pub jacoco_cli: PathBuf,
    pub jacoco_version: String,
    /// PIT's engine with what it needs; empty where it could not be had.
    #[serde(default)]
    pub pit: Vec<PathBuf>,
    /// Plugins that were dropped because they fail, as `group:artifact`.
    pub dropped: Vec<String>,
    /// Changes to the project's build that made it work, for people.
    pub notes: Vec<String>,
    /// Whether a module was not built because nothing was to be downloaded.
    #[serde(default)]
    pub lacks_downloads: bool,
    /// Whether code of the project had the network.
    #[serde(default)]
    pub has_network: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jdk {
    pub home: PathBuf,
    /// `17.0.15`
    pub version: String,
    /// 8, 11, 17 …
    pub feature: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maven {
    pub home: PathBuf,
    pub version: String,
}

/// One module of the project that has compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Relative to the tree; empty for the root.
    pub folder: String,
    /// `group:artifact:version`
    pub artifact: String,
    pub source_roots: Vec<PathBuf>,
    pub test_source_roots: Vec<PathBuf>,
    /// Compiled classes and copied resources.
    pub output: PathBuf,
    pub test_output: PathBuf,
    /// The test class path as Maven has it when tests are compiled: outputs, sibling modules' outputs, jars.
    pub test_class_path: Vec<PathBuf>,
    pub javac: Javac,
    pub surefire: Surefire,
    /// The launcher of the JUnit Platform that fits the project's engine; empty where it has no such engine.
    pub launcher: Vec<PathBuf>,
}

/// How tests are compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Javac {
    pub release: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
    pub encoding: Option<String>,
    pub has_parameters: bool,
    /// Further arguments that matter to whether a test compiles, such as `--add-exports`.
    pub others: Vec<String>,
}

/// How tests are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surefire {
    /// The version of the plugin; nothing where the module has none.
    pub version: Option<String>,
    /// Dependencies that the module adds to the plugin, such as another provider: `group:artifact:version`.
    pub dependencies: Vec<String>,
    pub arg_line: String,
    pub properties: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    pub class_path: Vec<PathBuf>,
    /// Empty for the module's folder.
    pub working_folder: Option<PathBuf>,
    /// Patterns of test classes; empty for surefire's own.
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
}

/// A module that could not be built, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnbuiltModule {
    pub folder: String,
    pub reason: String,
}

//! Knowledge about a project from outside its sources: libraries, and the files that say how it is built.
//!
//! Each language defines its libraries and settings; here they are together, so that callers pass one value for all
//! languages.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::csharp::msbuild::Projects;
use crate::java::library::Libraries;

/// Knowledge from outside the sources of a project; by default the built-in part.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The libraries that Java sources may name, where a class path was given.
    pub java: Option<Libraries>,
    pub configuration: Configurations,
}

/// The files that say how the sources are built and tested, by [`Files::configuration`](crate::syntax::dialect::Files),
/// sorted by path. Clones share the files and the settings that were read from them.
#[derive(Clone, Debug, Default)]
pub struct Configurations(Arc<ConfigurationCache>);

#[derive(Debug, Default)]
struct ConfigurationCache {
    files: Vec<Configuration>,
    projects: OnceLock<Projects>,
}

impl Configurations {
    /// Returns the settings in the project files of C#. They are read at the first call: every source with `#if` asks.
    pub(super) fn projects(&self) -> &Projects {
        let files = self
            .iter()
            .map(|configuration| (configuration.path.as_str(), configuration.text.as_str()));
        let read = || Projects::read(files);
        self.0.projects.get_or_init(read)
    }
}

impl Deref for Configurations {
    type Target = [Configuration];

    fn deref(&self) -> &[Configuration] {
        &self.0.files
    }
}

impl FromIterator<Configuration> for Configurations {
    fn from_iter<T: IntoIterator<Item = Configuration>>(files: T) -> Self {
        Self(Arc::new(ConfigurationCache {
            files: files.into_iter().collect(),
            projects: OnceLock::new(),
        }))
    }
}

/// A file that is not a source, but describes the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Relative to the repository, with `/`.
    pub path: String,
    pub text: String,
}

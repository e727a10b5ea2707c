//! Where sources came from.

/// A programming language. All of them can be scored; those with a front end can be mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Java,
    Python,
    Go,
    JavaScript,
    CSharp,
}

impl Language {
    /// Every language; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Java,
        Self::Python,
        Self::Go,
        Self::JavaScript,
        Self::CSharp,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Python => "python",
            Self::Go => "go",
            Self::JavaScript => "javascript",
            Self::CSharp => "csharp",
        }
    }

    /// Looks up the language that [`Language::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.as_str() == word)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuildTool {
    Maven,
    Gradle,
    Ant,
    Bazel,
    Sbt,
    Go,
    Pip,
    Poetry,
    Uv,
    Pdm,
    Npm,
    Yarn,
    Pnpm,
    Bun,
    Dotnet,
}

impl BuildTool {
    /// Every build tool; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Maven,
        Self::Gradle,
        Self::Ant,
        Self::Bazel,
        Self::Sbt,
        Self::Go,
        Self::Pip,
        Self::Poetry,
        Self::Uv,
        Self::Pdm,
        Self::Npm,
        Self::Yarn,
        Self::Pnpm,
        Self::Bun,
        Self::Dotnet,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Ant => "ant",
            Self::Bazel => "bazel",
            Self::Sbt => "sbt",
            Self::Go => "go",
            Self::Pip => "pip",
            Self::Poetry => "poetry",
            Self::Uv => "uv",
            Self::Pdm => "pdm",
            Self::Npm => "npm",
            Self::Yarn => "yarn",
            Self::Pnpm => "pnpm",
            Self::Bun => "bun",
            Self::Dotnet => "dotnet",
        }
    }
}

/// A repository as it lies on disk when it is mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// The short name for people: the last part of the identity, or the user's name for it.
    pub name: String,
    /// The project identity of DESIGN.md section 2: the normalised remote URL (`github.com/google/gson`),
    /// else the given name, else the folder's name. Never a path, a commit or an enclosing checkout's.
    pub identity: String,
    /// The remote's URL as written, without credentials.
    pub url: Option<String>,
    /// The commit checked out, in hexadecimal.
    pub commit: Option<String>,
    /// Whether tracked files differ from the commit; absent without a checkout.
    pub dirty: Option<bool>,
    /// The SPDX identifier of the licence file's text.
    pub license: Option<String>,
    pub language: Language,
    pub build_tool: Option<BuildTool>,
    /// From the list's metadata.
    pub stars: Option<u32>,
    pub is_fork: Option<bool>,
    /// The number that the host has for it, from the list's metadata.
    pub host_id: Option<String>,
    /// The folders with a `package.json`, sorted, each with the runner among its dependencies that MERA knows; `""` for
    /// none of them.
    pub runners: Vec<(String, String)>,
}

/// The key of a repository in the index: a project in one language. A project with tests in several languages is there
/// once for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoKey {
    /// The project identity.
    pub identity: String,
    pub language: Language,
}

impl Repo {
    /// Makes the key that the index knows it by.
    #[must_use]
    pub fn key(&self) -> RepoKey {
        RepoKey {
            identity: self.identity.clone(),
            language: self.language,
        }
    }
}

impl std::fmt::Display for RepoKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.identity, self.language.as_str())
    }
}

impl RepoKey {
    /// Tells whether these are in several languages, so that each is worth naming.
    pub fn have_several_languages<'k>(keys: impl IntoIterator<Item = &'k Self>) -> bool {
        let mut languages = keys.into_iter().map(|repo_key| repo_key.language);
        let first = languages.next();
        languages.any(|language| Some(language) != first)
    }
}

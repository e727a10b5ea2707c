//! The facts about a language that the rest of the program needs: one record of words for each language.
//!
//! Matching, mining and extracting use the record and name no language themselves. A language that cannot be mined yet
//! fills in what scoring needs and leaves the rest as in [`Dialect::UNTOLD`]. Words are compared as they are written,
//! except the words of [`Dialect::fences`].

use crate::model::BuildTool;

/// The words of one language.
#[derive(Debug)]
pub struct Dialect {
    /// The language's name for people: `C#`.
    pub name: &'static str,
    /// Its names after the opening fence of a code block, in lower case.
    pub fences: &'static [&'static str],
    /// The name that MERA's task expects after the opening fence.
    pub mera_fence: &'static str,
    /// The sign that begins a comment to the end of the line.
    pub line_comment: &'static str,
    /// Whether the end of a line may end a statement.
    pub lines_end_statements: bool,
    pub files: Files,
    pub assertions: Assertions,
    pub mocks: Mocks,
    pub names: Names,
    /// Prefixes of the packages of the language's own library: `java.`.
    pub standard_library: &'static [&'static str],
    /// The method that an assertion of equality calls on the objects that it compares: `equals`.
    pub equality: Option<&'static str>,
    /// Tells whether the head of a test, from its first annotation to its body, declares that the test must throw.
    pub expects_exception: fn(&str) -> bool,
    /// Makes a file out of a single declaration, for datasets that hold no more; `None` where no way is known.
    pub wrap: Option<fn(LoneDeclaration<'_>) -> WrapperFile>,
}

/// The files of a language, and where they lie.
#[derive(Debug)]
pub struct Files {
    /// Extensions of source files, without the dot.
    pub extensions: &'static [&'static str],
    /// Ends of the names of files that are not sources although their extension says so: `.d.ts`.
    pub no_sources: &'static [&'static str],
    /// Whether compilers accept UTF-16 with a byte order mark; such a file is read as if it were UTF-8.
    pub is_utf16_read: bool,
    /// Folders whose files are never read: `node_modules`; `_*` stands for all names that begin with `_`.
    pub skipped_folders: &'static [&'static str],
    /// Files that say how the sources are built and tested, wherever they lie; `*.csproj` stands for all names with
    /// that end. They are read together with the sources.
    pub configuration: &'static [&'static str],
    /// Files at a repository's root, each with the build tool that it stands for; the first that exists decides.
    /// `*.sln` stands for all names with that end.
    pub build: &'static [(&'static str, BuildTool)],
    /// Folders of tests, each with the mirrored folder that holds the code under test: `src/test`, `src/main`.
    pub mirrored: &'static [(&'static str, &'static str)],
}

impl Files {
    /// Tells whether a file of this name is a source, wherever it lies.
    #[must_use]
    pub fn is_source(&self, name: &str) -> bool {
        let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        extension.is_some_and(|(_, text)| self.extensions.contains(&text))
            && !self.no_sources.iter().any(|source| name.ends_with(source))
    }

    /// Tells whether a file of this name says how sources are built.
    #[must_use]
    pub fn is_configuration(&self, name: &str) -> bool {
        let mut known = self.configuration.iter();
        known.any(|text| match text.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == *text,
        })
    }

    /// Tells whether nothing in a folder of this name is read.
    #[must_use]
    pub fn is_skipped(&self, folder: &str) -> bool {
        let mut skipped = self.skipped_folders.iter();
        skipped.any(|text| match text.strip_suffix('*') {
            Some(begin) => folder.starts_with(begin),
            None => folder == *text,
        })
    }
}

/// How tests assert.
#[derive(Debug)]
pub struct Assertions {
    /// Packages and classes of the libraries whose calls check, stub or verify; each stands for everything in it.
    pub libraries: &'static [&'static str],
    /// Names, and prefixes of names, that indicate an assertion by themselves, where the declaration is unknown.
    pub names: &'static [&'static str],
    pub prefixes: &'static [&'static str],
    /// Prefixes of the names of the project's own helpers that assert.
    pub helpers: &'static [&'static str],
    /// Names of assertions that fail whenever they are called.
    pub failing: &'static [&'static str],
    /// Names of assertions that compare two objects with [`Dialect::equality`].
    pub equal: &'static [&'static str],
    /// Names of assertions that expect an exception from the code in their argument.
    pub throwing: &'static [&'static str],
}

impl Assertions {
    /// Tells whether a name indicates an assertion by itself.
    #[must_use]
    pub fn is_name(&self, name: &str) -> bool {
        self.names.contains(&name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Tells whether a helper of the project is named as one that asserts.
    #[must_use]
    pub fn is_helper(&self, name: &str) -> bool {
        self.helpers.iter().any(|helper| name.starts_with(helper))
    }

    /// Tells whether a class or a package belongs to an assertion, matcher or mocking library.
    #[must_use]
    pub fn is_library(&self, owner: &str) -> bool {
        self.libraries.iter().any(|library| {
            owner
                .strip_prefix(library)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        })
    }
}

/// How tests replace code that they do not test.
#[derive(Debug)]
pub struct Mocks {
    /// Prefixes of the owners of calls that create and configure mocks.
    pub libraries: &'static [&'static str],
    /// Names of calls that say which call is stubbed: the stubbed call is their argument, or they are its receiver.
    pub stubbing: &'static [&'static str],
    /// Prefixes of the names of calls that check which calls a mock received.
    pub verifying: &'static [&'static str],
}

/// Words for constructing in languages whose test names spell it out.
pub const CONSTRUCTING: &[&str] = &[
    "constructor",
    "constructors",
    "ctor",
    "construct",
    "constructs",
    "constructing",
    "construction",
    "instantiate",
    "instantiation",
    "create",
    "creation",
    "new",
    "init",
];

/// Conventions by which names describe classes and methods.
#[derive(Debug)]
pub struct Names {
    /// Affixes of test classes, longest first; the rest names the class under test.
    pub test_suffixes: &'static [&'static str],
    pub test_prefixes: &'static [&'static str],
    /// Affixes that the stem of a test file adds to the name of the file under test, at its beginning or its end, in
    /// lower case; empty where test classes are named after the class under test.
    pub file_affixes: &'static [&'static str],
    /// Whether a test tests its own package: the files in its folder.
    pub is_package_tested: bool,
    /// The rule by which the benchmark MERA pairs tests and methods.
    pub mera: MeraRule,
    /// Prefixes of methods without parameters that return an object's state; and whole names of such methods.
    pub getters: &'static [&'static str],
    pub properties: &'static [&'static str],
    /// Prefixes of methods with a parameter that change an object's state.
    pub setters: &'static [&'static str],
    /// Prefixes of methods that make an object.
    pub makers: &'static [&'static str],
    /// Names of methods that begin or end an object's work.
    pub closers: &'static [&'static str],
    /// Methods that any class has, each with its number of parameters.
    pub universal: &'static [(&'static str, usize)],
    /// Words in a test's name that mean constructing.
    pub constructing: &'static [&'static str],
}

/// How MERA pairs a test with a method (LANGUAGES.md L23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeraRule {
    /// By the mirrored class, as Methods2Test does.
    Mirrored,
    /// By the beginning of the test's name.
    Beginning,
    /// By the words of a called method's name, which follow each other in the test's name.
    Inside,
    /// The focal method is the last call.
    LastCall,
}

/// A declaration that stands in no file.
#[derive(Clone, Copy, Debug)]
pub struct LoneDeclaration<'c> {
    /// Distinguishes the declaration from others.
    pub number: usize,
    /// The class that it is declared in.
    pub class: &'c str,
}

/// A file around a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrapperFile {
    /// Paths sort in the order of [`LoneDeclaration::number`].
    pub path: String,
    /// Whole lines.
    pub head: String,
    pub tail: &'static str,
}

impl Dialect {
    /// A language without rules: every list is empty.
    pub const UNTOLD: Self = Self {
        name: "",
        fences: &[],
        mera_fence: "",
        line_comment: "//",
        lines_end_statements: true,
        files: Files {
            extensions: &[],
            no_sources: &[],
            is_utf16_read: false,
            skipped_folders: &[],
            configuration: &[],
            build: &[],
            mirrored: &[],
        },
        assertions: Assertions {
            libraries: &[],
            names: &[],
            prefixes: &[],
            helpers: &[],
            failing: &[],
            equal: &[],
            throwing: &[],
        },
        mocks: Mocks {
            libraries: &[],
            stubbing: &[],
            verifying: &[],
        },
        names: Names {
            test_suffixes: &[],
            test_prefixes: &[],
            file_affixes: &[],
            is_package_tested: false,
            mera: MeraRule::Mirrored,
            getters: &[],
            properties: &[],
            setters: &[],
            makers: &[],
            closers: &[],
            universal: &[],
            constructing: &[],
        },
        standard_library: &[],
        equality: None,
        expects_exception: never,
        wrap: None,
    };
}

fn never(_: &str) -> bool {
    false
}

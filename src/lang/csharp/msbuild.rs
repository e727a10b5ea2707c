//! Facts from project files: defined symbols, namespaces that are used everywhere, and references between projects.
//!
//! Files are only read, not run: properties, items and conditions on the target framework. Their imports are not
//! followed; `Directory.Build.props` above a project counts.

use rustc_hash::FxHashSet;

/// The contents of a project or `.props` file, in its order.
#[derive(Clone, Debug, Default)]
pub struct ProjectFile {
    /// Relative to the repository.
    pub path: String,
    /// Its folder, with a `/` at its end; empty at the root.
    pub folder: String,
    constants: Vec<String>,
    /// Namespaces of `<Using Include=…>`; static ones and aliases as `static N`, `A=N`.
    pub usings: Vec<String>,
    /// The path of each referenced project, relative to the repository.
    pub references: Vec<String>,
    /// The newest `netN.0` that it is built for.
    net: Option<u32>,
    /// Whether it uses the package of a test framework.
    has_test_package: bool,
}

/// Words in a project's name that indicate that it is for tests.
const TEST_WORDS: &[&str] = &[
    "test", "tests", "testing", "spec", "specs", "fake", "fakes", "mock", "mocks", "stub", "stubs",
    "fixture", "fixtures",
];

/// Prefixes of the names of packages that only tests use, in lower case.
const TEST_PACKAGES: &[&str] = &[
    "xunit",
    "nunit",
    "mstest",
    "tunit",
    "microsoft.net.test.sdk",
];

impl ProjectFile {
    /// Tells whether its name or its packages indicate that it is for tests.
    pub fn speaks_of_tests(&self) -> bool {
        let name = &self.path[self.folder.len()..];
        self.has_test_package || words(name).any(|word| is_one_of(TEST_WORDS, word))
    }

    pub fn is_project(&self) -> bool {
        self.path.ends_with(".csproj")
    }
}

/// The project files of a repository, sorted by path.
#[derive(Clone, Debug, Default)]
pub struct Projects {
    pub files: Vec<ProjectFile>,
    /// The symbols that any of them defines: projects may share sources, and seldom give one symbol different meanings.
    constants: FxHashSet<String>,
}

/// Namespaces that the SDK lets every file use.
const IMPLICIT: &[&str] = &[
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
];

/// The version of .NET that is assumed where no file names one.
const NET_DEFAULT: u32 = 8;

/// Symbols of older frameworks that a current SDK still defines.
const OLD: &[&str] = &["1_0", "1_1", "2_0", "2_1", "2_2", "3_0", "3_1"];

impl Projects {
    /// Reads files, each by its path and its text.
    pub fn read<'c>(files: impl IntoIterator<Item = (&'c str, &'c str)>) -> Self {
        let files = files.into_iter().map(|(path, text)| read(path, text));
        let files: Vec<ProjectFile> = files.collect();
        let constants = files.iter().flat_map(|file| file.constants.iter().cloned());
        Self {
            constants: constants.collect(),
            files,
        }
    }

    /// Finds the project file that a source belongs to, by index: the one in the nearest folder above it.
    pub fn project_of(&self, source: &str) -> Option<usize> {
        let mut found: Option<usize> = None;
        for (idx, file) in self.files.iter().enumerate() {
            let is_nearer =
                found.is_none_or(|found| file.folder.len() > self.files[found].folder.len());
            if file.is_project() && is_nearer && source.starts_with(&file.folder) {
                found = Some(idx);
            }
        }
        found
    }

    /// Iterates over the build files that apply to a source, the project last.
    fn speaking<'p>(&'p self, source: &'p str) -> impl Iterator<Item = &'p ProjectFile> {
        let project = self.project_of(source);
        let props = self
            .files
            .iter()
            .filter(move |file| is_for_all(&file.path) && source.starts_with(&file.folder));
        props.chain(project.map(|project| &self.files[project]))
    }

    /// Collects the preprocessor symbols that are defined for a source.
    pub fn symbols(&self, source: &str) -> FxHashSet<String> {
        let mut net = None;
        for file in self.speaking(source) {
            net = file.net.or(net);
        }
        let mut symbols = self.constants.clone();
        let net = net.unwrap_or(NET_DEFAULT);
        for known in ["NET", "NETCOREAPP", "DEBUG", "TRACE"] {
            symbols.insert(known.to_owned());
        }
        symbols.insert(format!("NET{net}_0"));
        symbols.extend((5..=net).map(|n| format!("NET{n}_0_OR_GREATER")));
        symbols.extend(
            OLD.iter()
                .map(|text| format!("NETCOREAPP{text}_OR_GREATER")),
        );
        symbols
    }

    /// Collects the namespaces that a source uses implicitly. Those that the SDK may add always count: a name that is
    /// declared in more than one of them would not compile.
    pub fn usings(&self, source: &str) -> Vec<String> {
        let own = self.project_of(source);
        let mut usings: Vec<String> = IMPLICIT.iter().map(|&text| text.to_owned()).collect();
        for (at, file) in self.files.iter().enumerate() {
            // Imports are not followed, so every file that is not a project counts.
            if !file.is_project() || own == Some(at) {
                usings.extend(file.usings.iter().cloned());
            }
        }
        usings
    }
}

/// Tells whether a file speaks for every project below its folder.
fn is_for_all(path: &str) -> bool {
    path.ends_with("Directory.Build.props") || path.ends_with("Directory.Build.targets")
}

pub fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// An element as it is written: name, attributes, and the text up to the next `<`.
struct Element<'t> {
    name: &'t str,
    attributes: &'t str,
    text: &'t str,
    is_empty: bool,
}

fn elements(text: &str) -> impl Iterator<Item = Element<'_>> {
    let mut parts = text.split('<');
    parts.next();
    parts.filter_map(|part| {
        let (head, text) = part.split_once('>')?;
        let end = head
            .find(|c: char| c.is_whitespace() || c == '/')
            .filter(|&at| at > 0)
            .unwrap_or(head.len());
        let (name, attributes) = head.split_at(end);
        Some(Element {
            name,
            attributes,
            text: text.trim(),
            is_empty: attributes.ends_with('/'),
        })
    })
}

impl<'t> Element<'t> {
    fn attribute(&self, name: &str) -> Option<&'t str> {
        let at = self
            .attributes
            .match_indices(name)
            .find(|(at, _)| self.attributes[..*at].ends_with(char::is_whitespace))?
            .0;
        let rest = self.attributes[at + name.len()..].trim_start();
        let rest = rest.strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next()
    }
}

#[cfg(test)]
thread_local! {
    /// How many project files this thread has read.
    pub static N_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn read(path: &str, text: &str) -> ProjectFile {
    #[cfg(test)]
    N_READ.set(N_READ.get() + 1);
    let mut file = ProjectFile {
        path: path.to_owned(),
        folder: folder_of(path).to_owned(),
        ..ProjectFile::default()
    };
    // Whether the group around the place is for an old framework, or for another configuration.
    let mut is_left_out = false;
    for element in elements(text) {
        let condition = element.attribute("Condition").unwrap_or_default();
        match element.name {
            "PropertyGroup" | "ItemGroup" => {
                is_left_out = !element.is_empty && is_legacy(condition);
            }
            "/PropertyGroup" | "/ItemGroup" => is_left_out = false,
            "TargetFramework" | "TargetFrameworks" => {
                file.net = file.net.max(newest(element.text));
            }
            _ if is_left_out || is_legacy(condition) => {}
            "DefineConstants" => file.constants.extend(
                element
                    .text
                    .split([';', ','])
                    .map(str::trim)
                    .filter(|text| !text.is_empty() && !text.starts_with('$'))
                    .map(str::to_owned),
            ),
            "Using" => file.usings.extend(using(&element)),
            "PackageReference" => {
                let package = element.attribute("Include").unwrap_or_default();
                let package = package.to_ascii_lowercase();
                file.has_test_package |= TEST_PACKAGES.iter().any(|text| package.starts_with(text));
            }
            "ProjectReference" => {
                let target = element.attribute("Include");
                file.references
                    .extend(target.map(|target| joined(&file.folder, target)));
            }
            _ => {}
        }
    }
    file
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|text| text.eq_ignore_ascii_case(word))
}

/// Splits a name into words, which begin after a sign and at a hump of camel case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|name: char| !name.is_alphanumeric())
        .flat_map(humps)
}

fn humps(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let mut before = rest.chars().next()?;
        let end = rest.char_indices().skip(1).find_map(|(at, c)| {
            let next = rest[at..].chars().nth(1);
            let begins = c.is_uppercase()
                && (!before.is_uppercase() || next.is_some_and(char::is_lowercase));
            before = c;
            begins.then_some(at)
        });
        let (word, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        Some(word)
    })
}

fn using(element: &Element<'_>) -> Option<String> {
    let name = element.attribute("Include")?;
    let is_static = element
        .attribute("Static")
        .is_some_and(|text| text.eq_ignore_ascii_case("true"));
    Some(match element.attribute("Alias") {
        Some(alias) => format!("{alias}={name}"),
        None if is_static => format!("static {name}"),
        None => name.to_owned(),
    })
}

fn is_legacy(condition: &str) -> bool {
    let condition = condition.to_ascii_lowercase();
    if let Some((before, _)) = condition.split_once("[msbuild]::istargetframeworkcompatible") {
        // A condition that asks for at least an older framework holds for a newer one.
        return before.trim_end().ends_with("!$(");
    }
    let is_old = [
        "net2",
        "net3",
        "net40",
        "net45",
        "net46",
        "net47",
        "netstandard",
        "netframework",
        "netcoreapp",
        "release",
    ]
    .iter()
    .any(|text| condition.contains(text));
    is_old && !condition.contains("!=")
}

/// Parses N of the newest `netN.0` in a list of frameworks, from 5 to 99.
fn newest(frameworks: &str) -> Option<u32> {
    frameworks
        .split(';')
        .filter_map(|part| {
            let (major, _) = part.trim().strip_prefix("net")?.split_once('.')?;
            major.parse().ok().filter(|n| (5..100).contains(n))
        })
        .max()
}

/// Joins a folder with a path relative to it, written with `\` or `/`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects(files: &[(&str, &str)]) -> Projects {
        Projects::read(files.iter().copied())
    }

    #[test]
    fn a_name_or_a_package_says_that_a_project_is_there_for_tests() {
        let speaks = |path: &str, text: &str| projects(&[(path, text)]).files[0].speaks_of_tests();
        assert!(speaks("A.TestUtils/A.TestUtils.csproj", ""));
        assert!(speaks("NUnitTESTSupport/NUnitTESTSupport.csproj", ""));
        assert!(speaks("My.Fakes.csproj", ""));
        assert!(!speaks("tests/Latest.csproj", ""));
        assert!(!speaks("Attestation/AttestationHelpers.csproj", ""));
        let package = |name: &str| format!("<PackageReference Include=\"{name}\" />");
        assert!(speaks("A/A.csproj", &package("Microsoft.NET.Test.Sdk")));
        assert!(speaks("A/A.csproj", &package("xunit.assert")));
        assert!(!speaks("A/A.csproj", &package("PolySharp")));
    }

    #[test]
    fn constants_of_frameworks_of_old_are_left_out() {
        let projects = projects(&[(
            "src/A/A.csproj",
            "<Project Sdk=\"x\"><PropertyGroup><TargetFrameworks>net462;net9.0</TargetFrameworks></PropertyGroup>\
             <PropertyGroup Condition=\" '$(TargetFramework)' == 'net462' \"><DefineConstants>OLD</DefineConstants></PropertyGroup>\
             <PropertyGroup Condition=\"'$(TargetFramework)' != 'net462'\"><DefineConstants>$(DefineConstants);NEW</DefineConstants></PropertyGroup>\
             </Project>",
        )]);
        let symbols = projects.symbols("src/A/B/c.cs");
        for symbol in [
            "NEW",
            "NET9_0",
            "NET5_0_OR_GREATER",
            "NETCOREAPP3_1_OR_GREATER",
            "DEBUG",
        ] {
            assert!(symbols.contains(symbol), "{symbol}");
        }
        for symbol in [
            "OLD",
            "NET8_0",
            "NET10_0_OR_GREATER",
            "NETFRAMEWORK",
            "$(DefineConstants)",
        ] {
            assert!(!symbols.contains(symbol), "{symbol}");
        }
        assert!(
            projects.symbols("src/B/c.cs").contains("NEW"),
            "shared files see it, too"
        );
    }

    #[test]
    fn the_nearest_project_above_a_source_is_its_own() {
        let projects = projects(&[("A.csproj", ""), ("test/T/T.csproj", "")]);
        assert_eq!(projects.project_of("test/T/x/y.cs"), Some(1));
        assert_eq!(projects.project_of("test/x.cs"), Some(0));
        assert_eq!(projects.project_of("src/x.cs"), Some(0));
    }

    #[test]
    fn usings_come_from_the_sdk_and_from_items() {
        let projects = projects(&[
            (
                "eng/Test.targets",
                "<ItemGroup><Using Include=\"Moq\" /></ItemGroup>",
            ),
            (
                "T/T.csproj",
                "<ItemGroup><Using Include=\"Xunit\" /><Using Include=\"A.B\" Static=\"true\"/></ItemGroup>",
            ),
        ]);
        let usings = projects.usings("T/a.cs");
        for using in ["Xunit", "static A.B", "System.Linq", "Moq"] {
            assert!(usings.iter().any(|text| text == using), "{using}");
        }
    }

    #[test]
    fn references_are_paths_from_the_repository() {
        let projects = projects(&[(
            "test/T/T.csproj",
            "<ProjectReference Include=\"..\\..\\src\\A\\A.csproj\" />",
        )]);
        assert_eq!(projects.files[0].references, ["src/A/A.csproj"]);
    }
}

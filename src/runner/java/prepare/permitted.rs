//! Decides what may be downloaded for a build after code of the project has run in it: nothing that this code makes up.
//!
//! A name that is asked of a repository is a message to its operator. So only names count that were read from poms
//! before any code of the project had run: an artifact in them, or one that these need, in a version that one of these
//! has. A build can only choose among them, and their number is limited.

use std::collections::BTreeSet;

/// The maximum number of artifacts that a build may get besides those of the first downloads.
const N_MORE_MAX: usize = 32;
/// The extensions and classifiers that coordinates may have: kinds of files, and variants for a platform or purpose.
const EXTENSIONS: [&str; 8] = ["pom", "jar", "exe", "zip", "tar.gz", "war", "aar", "so"];
const CLASSIFIERS: [&str; 8] = [
    "linux-x86_64",
    "linux-aarch_64",
    "osx-x86_64",
    "osx-aarch_64",
    "tests",
    "test-sources",
    "sources",
    "runtime",
];

/// Names that poms lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PomNames {
    /// `group:artifact`
    artifacts: BTreeSet<String>,
    versions: BTreeSet<String>,
    n_more: usize,
}

impl PomNames {
    /// Adds the coordinates that were read from poms: `group:artifact:version`, or without a version.
    pub fn add(&mut self, coordinates: &BTreeSet<String>) {
        for coordinate in coordinates {
            let mut parts = coordinate.splitn(3, ':');
            if let (Some(group), Some(artifact)) = (parts.next(), parts.next()) {
                self.artifacts.insert(format!("{group}:{artifact}"));
            }
            self.versions.extend(parts.next().map(str::to_owned));
        }
    }

    /// Tells whether poms lead to coordinates: `group:artifact[:extension[:classifier]]:version`.
    pub fn leads_to(&self, coordinates: &str) -> bool {
        let parts: Vec<&str> = coordinates.split(':').collect();
        let ([group, artifact, between @ .., version], 0..=2) =
            (parts.as_slice(), parts.len().saturating_sub(3))
        else {
            return false;
        };
        let is_known =
            |at: usize, all: &[&str]| between.get(at).is_none_or(|text| all.contains(text));
        self.artifacts.contains(&format!("{group}:{artifact}"))
            && self.versions.contains(*version)
            && is_known(0, &EXTENSIONS)
            && is_known(1, &CLASSIFIERS)
    }

    /// Tells whether some artifact that poms lead to has the version of coordinates.
    pub fn has_version_of(&self, coordinates: &str) -> bool {
        let version = coordinates.rsplit(':').next();
        version.is_some_and(|version| self.versions.contains(version))
    }

    /// Splits coordinates into those that a build still gets, and those that are refused.
    pub fn allow(&mut self, asked: &BTreeSet<String>) -> (BTreeSet<String>, BTreeSet<String>) {
        let mut refused = asked.clone();
        let mut allowed = BTreeSet::new();
        for text in asked {
            if self.n_more < N_MORE_MAX && self.leads_to(text) {
                self.n_more += 1;
                refused.remove(text);
                allowed.insert(text.clone());
            }
        }
        (allowed, refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|text| (*text).to_owned()).collect()
    }

    fn named() -> PomNames {
        let mut named = PomNames::default();
        named.add(&set(&["g:a:1.0", "g:b:2.0", "com.google:protoc"]));
        named
    }

    #[test]
    fn a_name_is_put_together_of_what_poms_name_alone() {
        let check = |coordinates, expected| {
            assert_eq!(named().leads_to(coordinates), expected, "{coordinates}");
        };
        check("g:a:1.0", true);
        check("g:a:jar:2.0", true);
        check("com.google:protoc:exe:linux-x86_64:2.0", true);
        check("g:a:jar:3.0", false);
        check("g:secret:jar:1.0", false);
        check("g:a:secret:1.0", false);
        check("g:a:jar:secret:1.0", false);
        check("g:a", false);
        check("g:a:jar:tests:1.0:x", false);
    }

    #[test]
    fn a_build_gets_no_more_than_some() {
        let mut named = PomNames::default();
        let all: BTreeSet<String> = (10..90).map(|n| format!("g:a{n}:1.0")).collect();
        named.add(&all);
        let (allowed, refused) = named.allow(&all);
        assert_eq!(
            (allowed.len(), refused.len()),
            (N_MORE_MAX, 80 - N_MORE_MAX)
        );
        assert!(named.allow(&refused).0.is_empty());
    }
}

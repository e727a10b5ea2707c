//! Finds the class that a test of an abstract class is run in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::sandbox::{EntryKind, Root};
use crate::syntax::java::header::Header;

/// The deepest nesting of folders that is read.
const DEPTH_MAX: usize = 64;
/// The largest class file that is read; the virtual machine allows little more.
const CLASS_BYTES_MAX: u64 = 16 << 20;

/// The classes of a module's tests, by their binary names.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    classes: BTreeMap<String, Header>,
    /// Direct subclasses and implementations.
    below: BTreeMap<String, BTreeSet<String>>,
}

impl Hosts {
    /// Reads the class files below folders of a tree; files that cannot be read, or are behind a link, are left out.
    #[must_use]
    pub fn read(tree: &Root, folders: &[PathBuf]) -> Self {
        let mut hosts = Self::default();
        for folder in folders {
            hosts.read_folder(tree, folder, 0);
        }
        for header in hosts.classes.values() {
            for parent in header.super_class.iter().chain(&header.interfaces) {
                let below = hosts.below.entry(parent.clone()).or_default();
                below.insert(header.name.clone());
            }
        }
        hosts
    }

    fn read_folder(&mut self, tree: &Root, folder: &Path, depth: usize) {
        for (name, kind) in tree.entries(folder).unwrap_or_default() {
            let path = folder.join(name);
            if kind == EntryKind::Folder && depth < DEPTH_MAX {
                self.read_folder(tree, &path, depth + 1);
            } else if kind == EntryKind::File
                && path
                    .extension()
                    .is_some_and(|extension| extension == "class")
            {
                let bytes = tree.read(&path, CLASS_BYTES_MAX).unwrap_or_default();
                if let Some(header) = Header::read(&bytes) {
                    self.classes.entry(header.name.clone()).or_insert(header);
                }
            }
        }
    }

    /// Finds the class in which a test runs that a class declares, both as `p.Outer$Inner`: the class itself; where it
    /// is abstract or an interface the first concrete class below it, in order of names, that does not declare a method
    /// of the same name again. Nothing where there is none.
    #[must_use]
    pub fn host(&self, class: &str, method: &str) -> Option<String> {
        let name = class.replace('.', "/");
        let Some(header) = self.classes.get(&name) else {
            // The class may be generated in a way that we do not see.
            return Some(class.to_owned());
        };
        if header.is_concrete {
            return Some(class.to_owned());
        }
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([name.as_str()]);
        let mut open = vec![name.as_str()];
        while let Some(parent) = open.pop() {
            for child in self.below.get(parent).into_iter().flatten() {
                let Some(header) = self.classes.get(child) else {
                    continue;
                };
                let is_own = header.methods.iter().any(|text| text == method);
                if is_own || !seen.insert(child) {
                    continue;
                }
                if header.is_concrete && !header.is_local {
                    found.insert(child.replace('/', "."));
                }
                open.push(child);
            }
        }
        found.into_iter().next()
    }

    /// Finds the class in which a candidate runs, under its own name or else the one at its place. A class below that
    /// declares a method of the candidate's own name expects something else of it, so one that does not is better.
    #[must_use]
    pub fn host_of(&self, class: &str, (own, placed): (&str, &str)) -> Option<String> {
        let host = self.host(class, own);
        host.or_else(|| self.host(class, placed))
    }

    /// Finds the subclass with which the tests of a nested class run, where a class around that is abstract or an
    /// interface: the first concrete class below the outermost such one, in order of names.
    #[must_use]
    pub fn outer(&self, class: &str) -> Option<String> {
        let ends = class.match_indices('$').map(|match_index| match_index.0);
        let mut around = ends.map(|end| &class[..end]);
        let is_abstract = |text: &&str| {
            let header = self.classes.get(&text.replace('.', "/"));
            header.is_some_and(|header| !header.is_concrete)
        };
        // No method has an empty name, so no class below declares it again.
        self.host(around.find(is_abstract)?, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, parent: &str, is_concrete: bool, methods: &[&str]) -> Header {
        Header {
            name: name.to_owned(),
            super_class: Some(parent.to_owned()),
            interfaces: Vec::new(),
            is_concrete,
            is_local: name.contains("$1"),
            methods: methods.iter().map(|method| (*method).to_owned()).collect(),
        }
    }

    fn hosts() -> Hosts {
        let classes = [
            class("p/A", "java/lang/Object", false, &["test"]),
            class("p/A$1", "p/A", true, &[]),
            class("p/B", "p/A", true, &["test"]),
            class("p/D", "p/C", true, &[]),
            class("p/C", "p/A", false, &[]),
            class("p/E", "p/A", true, &[]),
            class("p/F", "java/lang/Object", false, &["test"]),
            class("p/G", "java/lang/Object", false, &["test"]),
            class("p/H", "p/G", true, &["test"]),
            class("p/A$N", "java/lang/Object", true, &["test"]),
            class("p/B$N", "java/lang/Object", true, &["test"]),
        ];
        let mut hosts = Hosts::default();
        for class in classes {
            let parent = class.super_class.clone().expect("all have one");
            hosts
                .below
                .entry(parent)
                .or_default()
                .insert(class.name.clone());
            hosts.classes.insert(class.name.clone(), class);
        }
        hosts
    }

    fn check(class_name: &str, expected: Option<&str>) {
        assert_eq!(hosts().host(class_name, "test").as_deref(), expected);
    }

    #[test]
    fn a_nested_class_of_an_abstract_one_runs_with_a_class_below_that() {
        let check = |class_name: &str, expected: Option<&str>| {
            assert_eq!(hosts().outer(class_name).as_deref(), expected);
        };
        check("p.A$N", Some("p.B"));
        check("p.A$N$M", Some("p.B"));
        check("p.B$N", None);
        check("p.A", None);
    }

    #[test]
    fn a_concrete_class_is_its_own_host() {
        check("p.B", Some("p.B"));
        check("p.Unknown", Some("p.Unknown"));
    }

    #[test]
    fn a_candidate_under_another_name_still_runs_where_its_own_is_not_declared_again() {
        let hosts = hosts();
        let check = |class_name, names, expected: &str| {
            assert_eq!(hosts.host_of(class_name, names).as_deref(), Some(expected));
        };
        check("p.A", ("test", "test__2"), "p.D");
        check("p.A", ("other", "other__2"), "p.B");
        // Where all classes below declare it, any of them is better than none.
        check("p.G", ("test", "test__2"), "p.H");
    }

    #[test]
    fn an_abstract_class_has_the_first_class_below_it_that_takes_the_test_over() {
        check("p.A", Some("p.D"));
        check("p.F", None);
    }
}

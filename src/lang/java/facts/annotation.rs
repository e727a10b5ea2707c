//! Annotations: their names in every file, and the values in their parentheses where they are needed.
//!
//! Values are needed for Lombok, which most files do not use, and for annotations that decide how a test runs.

use super::kind::Kind;
use super::lower::JavaLowering;
use super::{JavaFacts, Name};
use crate::run::Run;

/// Annotations whose values are kept in every file: one of them may disable a test or give it rows.
const READ: &[&str] = &["RunWith", "Test"];

/// The values of annotations: of all annotations in a file that names Lombok, elsewhere of those in `READ`.
#[derive(Debug, Default)]
pub struct AnnotationValues {
    /// Whether something of Lombok is imported or named in full.
    pub has_lombok: bool,
    /// Values as written, in order of the annotations.
    values: Vec<AnnotationValue>,
    /// The annotations of parameters and of records' components.
    params: Vec<(u32, Run)>,
}

/// One value in an annotation's parentheses.
#[derive(Debug)]
struct AnnotationValue {
    /// The number of the annotation in [`JavaFacts::annotations`].
    annotation: u32,
    /// `value` where none is written.
    key: Box<str>,
    text: Box<str>,
}

impl AnnotationValues {
    /// Looks up the value that an annotation gives to a key, as written.
    pub fn value(&self, annotation: u32, key: &str) -> Option<&str> {
        let first = self
            .values
            .partition_point(|note| note.annotation < annotation);
        self.values[first..]
            .iter()
            .take_while(|note| note.annotation == annotation)
            .find(|note| &*note.key == key)
            .map(|note| &*note.text)
    }

    /// Finds the annotations of a parameter or component; none in a file without Lombok.
    pub fn of_param(&self, param: u32) -> Run {
        self.params
            .iter()
            .find(|(index, _)| *index == param)
            .map_or_else(Run::default, |&(_, run)| run)
    }
}

impl JavaFacts {
    /// Remembers whether a dotted name is one of Lombok.
    pub(super) fn note_lombok(&mut self, path: Name) {
        let path = self.names.get(path);
        self.notes.has_lombok |= path.starts_with("lombok.") || path == "lombok";
    }
}

impl JavaLowering<'_> {
    /// Lowers the annotation under the cursor.
    pub fn annotation(&mut self) {
        let index = self.facts.annotations.len() as u32;
        self.children(|lower, kind| match kind {
            Kind::Identifier | Kind::ScopedIdentifier => {
                let name = lower.dotted();
                if kind == Kind::ScopedIdentifier {
                    lower.facts.note_lombok(name);
                }
                lower.facts.annotations.push(name);
            }
            Kind::AnnotationArguments if lower.is_read(index) => lower.annotation_values(index),
            _ => {}
        });
    }

    fn is_read(&self, annotation: u32) -> bool {
        let facts = &self.facts;
        let name = facts.annotations.get(annotation as usize);
        let is_read = |name: &Name| {
            let name = facts.names.get(*name);
            READ.contains(&name.rsplit('.').next().unwrap_or(name))
        };
        facts.notes.has_lombok || name.is_some_and(is_read)
    }

    fn annotation_values(&mut self, annotation: u32) {
        self.children(|lower, kind| {
            let (mut key, mut text) = ("value", lower.slice());
            if kind == Kind::AnnotationPair
                && let Some((before, after)) = text.split_once('=')
            {
                (key, text) = (before.trim(), after.trim());
            }
            if lower.is_named() {
                lower.facts.notes.values.push(AnnotationValue {
                    annotation,
                    key: key.into(),
                    text: text.into(),
                });
            }
        });
    }

    /// Remembers the annotations of the parameter under the cursor, whose number is `param`.
    pub fn param_annotations(&mut self, param: u32) {
        if !self.facts.notes.has_lombok {
            return;
        }
        self.children(|lower, kind| {
            if kind == Kind::Modifiers {
                let run = lower.modifiers().annotations;
                lower.facts.notes.params.push((param, run));
            }
        });
    }
}

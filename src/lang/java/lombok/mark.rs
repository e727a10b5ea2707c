//! Recognises Lombok's annotations by the imports, and reads the values in their parentheses.

use crate::java::facts::JavaFacts;
use crate::java::project::{JavaFile, JavaProject};
use crate::run::Run;

/// An annotation that generates members, or controls how they are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Getter,
    Setter,
    Data,
    Value,
    NoArgs,
    RequiredArgs,
    AllArgs,
    Builder,
    SuperBuilder,
    Default,
    Singular,
    With,
    EqualsAndHashCode,
    ToString,
    NonNull,
    Accessors,
    UtilityClass,
    FieldDefaults,
    NonFinal,
    /// A logger of that class.
    Log(&'static str),
}

/// Every annotation that counts, by its full name.
const MARKS: &[(&str, Mark)] = &[
    ("lombok.Getter", Mark::Getter),
    ("lombok.Setter", Mark::Setter),
    ("lombok.Data", Mark::Data),
    ("lombok.Value", Mark::Value),
    ("lombok.experimental.Value", Mark::Value),
    ("lombok.NoArgsConstructor", Mark::NoArgs),
    ("lombok.RequiredArgsConstructor", Mark::RequiredArgs),
    ("lombok.AllArgsConstructor", Mark::AllArgs),
    ("lombok.Builder", Mark::Builder),
    ("lombok.experimental.Builder", Mark::Builder),
    ("lombok.Builder.Default", Mark::Default),
    ("lombok.experimental.SuperBuilder", Mark::SuperBuilder),
    ("lombok.Singular", Mark::Singular),
    ("lombok.With", Mark::With),
    ("lombok.experimental.Wither", Mark::With),
    ("lombok.EqualsAndHashCode", Mark::EqualsAndHashCode),
    ("lombok.ToString", Mark::ToString),
    ("lombok.NonNull", Mark::NonNull),
    ("lombok.experimental.Accessors", Mark::Accessors),
    ("lombok.experimental.UtilityClass", Mark::UtilityClass),
    ("lombok.experimental.FieldDefaults", Mark::FieldDefaults),
    ("lombok.experimental.NonFinal", Mark::NonFinal),
    (
        "lombok.extern.apachecommons.CommonsLog",
        Mark::Log("org.apache.commons.logging.Log"),
    ),
    (
        "lombok.extern.flogger.Flogger",
        Mark::Log("com.google.common.flogger.FluentLogger"),
    ),
    (
        "lombok.extern.jbosslog.JBossLog",
        Mark::Log("org.jboss.logging.Logger"),
    ),
    (
        "lombok.extern.java.Log",
        Mark::Log("java.util.logging.Logger"),
    ),
    (
        "lombok.extern.log4j.Log4j",
        Mark::Log("org.apache.log4j.Logger"),
    ),
    (
        "lombok.extern.log4j.Log4j2",
        Mark::Log("org.apache.logging.log4j.Logger"),
    ),
    ("lombok.extern.slf4j.Slf4j", Mark::Log("org.slf4j.Logger")),
    (
        "lombok.extern.slf4j.XSlf4j",
        Mark::Log("org.slf4j.ext.XLogger"),
    ),
];

/// Names of other libraries' annotations that mean the same as `lombok.NonNull`.
const NON_NULL: &[&str] = &["NonNull", "Nonnull"];

/// Who may use a member; `None` is Lombok's word for "do not make it".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Public,
    Protected,
    Package,
    Private,
    None,
}

impl Access {
    /// Parses the level that an expression like `AccessLevel.PRIVATE` ends with.
    fn read(text: &str) -> Self {
        match last_word(text) {
            "NONE" => Self::None,
            "PRIVATE" => Self::Private,
            "PROTECTED" => Self::Protected,
            "PACKAGE" | "MODULE" => Self::Package,
            _ => Self::Public,
        }
    }
}

/// One annotation of Lombok on a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Annotation<'f> {
    pub mark: Mark,
    facts: &'f JavaFacts,
    index: u32,
}

impl<'f> Annotation<'f> {
    pub fn text(&self, key: &str) -> Option<&'f str> {
        self.facts.notes.value(self.index, key)
    }

    /// Reads a switch; absent where it is not written.
    pub fn switch(&self, key: &str) -> Option<bool> {
        self.text(key).map(|text| text == "true")
    }

    /// Reads the text of a string literal.
    pub fn string(&self, key: &str) -> Option<&'f str> {
        self.strings(key).first().copied()
    }

    /// Reads the texts of the string literals in a value.
    pub fn strings(&self, key: &str) -> Vec<&'f str> {
        self.text(key)
            .map(|text| text.split('"').skip(1).step_by(2).collect())
            .unwrap_or_default()
    }

    /// Reads the access level under a key; public where none is written.
    pub fn access(&self, key: &str) -> Access {
        self.text(key).map_or(Access::Public, Access::read)
    }
}

/// The annotations of one declaration.
#[derive(Clone, Debug, Default)]
pub struct Marks<'f>(Vec<Annotation<'f>>);

impl<'f> Marks<'f> {
    /// Reads the Lombok annotations of a run.
    pub fn read(project: &JavaProject, file: &'f JavaFile, run: Run) -> Self {
        let facts = &file.facts;
        let mut found = Vec::new();
        for index in run.range() {
            let name = facts.names.get(facts.annotations[index]);
            if let Some(mark) = mark_of(project, file, name) {
                let index = index as u32;
                found.push(Annotation { mark, facts, index });
            }
        }
        Self(found)
    }

    pub fn get(&self, mark: Mark) -> Option<Annotation<'f>> {
        self.0
            .iter()
            .copied()
            .find(|annotation| annotation.mark == mark)
    }

    pub fn has(&self, mark: Mark) -> bool {
        self.get(mark).is_some()
    }

    /// Returns the full name of the logger's class that an annotation asks for, and its access.
    pub fn logger(&self) -> Option<(&'static str, Access)> {
        self.0.iter().find_map(|annotation| match annotation.mark {
            Mark::Log(class) => Some((class, annotation.access("access"))),
            _ => None,
        })
    }
}

/// Resolves an annotation's name, if it is one of Lombok, or another library's in `NON_NULL`.
///
/// An explicit import decides; then a class of the file or its package of that name hides an import on demand.
fn mark_of(project: &JavaProject, file: &JavaFile, written: &str) -> Option<Mark> {
    if written.starts_with("lombok.") {
        return find(written);
    }
    let facts = &file.facts;
    let (first, rest) = written
        .split_once('.')
        .map_or((written, ""), |(first, _)| (first, &written[first.len()..]));
    let path_of = |import: &crate::java::facts::JavaImport| facts.names.get(import.path);
    let single = facts
        .imports
        .iter()
        .filter(|import| !import.is_static && !import.on_demand)
        .map(path_of)
        .find(|path| path.rsplit('.').next() == Some(first));
    if let Some(path) = single {
        let found = find(&format!("{path}{rest}"));
        return found.or_else(|| NON_NULL.contains(&first).then_some(Mark::NonNull));
    }
    let is_hidden = facts
        .types
        .iter()
        .any(|ty| facts.names.get(ty.name) == first)
        || project
            .symbols
            .find(first)
            .is_some_and(|sym| project.has_top_level(file.package, sym));
    if is_hidden {
        return None;
    }
    facts
        .imports
        .iter()
        .filter(|import| !import.is_static && import.on_demand)
        .find_map(|import| find(&format!("{}.{first}{rest}", path_of(import))))
}

fn find(qualified: &str) -> Option<Mark> {
    MARKS
        .iter()
        .find(|(name, _)| *name == qualified)
        .map(|&(_, mark)| mark)
}

/// Cuts a dotted expression down to its last identifier.
fn last_word(text: &str) -> &str {
    text.trim_matches(|c: char| matches!(c, '{' | '}' | ' '))
        .rsplit('.')
        .next()
        .unwrap_or(text)
}

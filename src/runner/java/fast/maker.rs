//! The program that puts faults into classes, and its protocol: one line of JSON in, one file out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{ContentHash, Language, Mutant, MutantPlace};
use crate::sandbox::{ProgramEnd, Root};
use crate::task::Monitor;
use crate::{RunnerError, io_error};

use super::compiler_folder::MUTANTS;
use super::talk::{FocalQuery, wrong};
use super::{Fast, plan, program, text_of};

/// The largest answer that is read; a class with two thousand mutants takes a megabyte of it.
const ANSWER_BYTES_MAX: u64 = 512 << 20;
/// PIT needs this version of Java.
const JAVA_MIN: u32 = 11;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MakerRequest<'r> {
    class_path: &'r [String],
    main: Vec<String>,
    /// The folder for the class files of mutants; nothing where they are not needed.
    out: Option<String>,
    /// Asks for variants that keep the contract instead of mutants.
    variants: bool,
    classes: Vec<ClassRequest>,
}

/// The purpose of changing classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MakerKind {
    Mutants,
    /// Code that keeps the contract, in the form of mutants; the mutator is [`VARIANT`] and the word of the kind.
    Variants,
}

/// The beginning of the mutators of variants.
pub const VARIANT: &str = "variant:";

#[derive(Serialize)]
struct ClassRequest {
    class: String,
    focals: Vec<MethodLookup>,
    methods: BTreeSet<String>,
}

/// The question about one class.
#[derive(Default)]
pub struct ClassQuery {
    /// The methods to mutate, with the methods of their lambdas.
    pub focals: Vec<MethodLookup>,
    /// Further methods to mutate, as names with descriptors.
    pub methods: BTreeSet<String>,
}

/// A method, by its declaration in the index or by its name at run time.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum MethodLookup {
    Written(FocalQuery),
    Named { name: String, descriptor: String },
}

#[derive(Deserialize)]
struct MakerReply {
    classes: Vec<ClassReply>,
}

/// The answer about one class.
#[derive(Deserialize)]
pub struct ClassReply {
    pub class: String,
    /// Why there are no mutants of it.
    #[serde(default)]
    pub failed: Option<String>,
    #[serde(default)]
    pub source: Option<String>,
    /// For each method in question: itself and its lambdas; nothing where it does not exist.
    #[serde(default)]
    pub focals: Vec<Option<MethodDescriptors>>,
    #[serde(default)]
    pub mutants: Vec<MutantReply>,
}

/// Names of methods with their descriptors.
#[derive(Deserialize)]
pub struct MethodDescriptors {
    pub methods: Vec<String>,
}

#[derive(Deserialize)]
pub struct MutantReply {
    pub method: String,
    pub descriptor: String,
    pub indexes: Vec<u32>,
    /// How many instructions stand before each change; empty where the change goes beyond the method.
    pub at: Vec<u32>,
    pub mutator: String,
    pub line: u32,
    pub description: String,
    /// Whether the class equals the original's or that of an earlier mutant.
    #[serde(default, rename = "equal")]
    pub is_equal: bool,
    /// The files of changed classes by class name, as far as they were written.
    #[serde(default)]
    pub classes: BTreeMap<String, String>,
}

impl MutantReply {
    /// Returns the key that PIT knows it by, in a class.
    pub fn key(&self) -> (&str, &str, &[u32], &str) {
        let (method, descriptor) = (self.method.as_str(), self.descriptor.as_str());
        (method, descriptor, &self.indexes, &self.mutator)
    }
}

impl Fast<'_> {
    /// Lets the maker find the mutants of classes, and write their class files if `is_written` is set.
    ///
    /// # Errors
    /// Where PIT is missing, or does not end.
    pub(super) fn make(
        &mut self,
        module: usize,
        asked: BTreeMap<String, ClassQuery>,
        (making, is_written): (MakerKind, bool),
        monitor: &Monitor,
    ) -> Result<Vec<ClassReply>, RunnerError> {
        let build = self.build;
        if build.pit.is_empty() || build.jdk.feature < JAVA_MIN {
            let said = if build.pit.is_empty() {
                "it was not there when the project was prepared".to_owned()
            } else {
                format!(
                    "it needs Java {JAVA_MIN}, and the project has {}",
                    build.jdk.feature
                )
            };
            return Err(RunnerError::Unavailable {
                what: "PIT".to_owned(),
                said,
            });
        }
        let program = program::maker(self.site, &build.jdk, &build.pit, monitor)?;
        let class_path = self.class_path(module);
        let (site, options) = (self.site, self.options.clone());
        let compiler_folder = self.furnish(monitor)?;
        let out = compiler_folder.root.path().join(MUTANTS);
        let classes = asked.into_iter().map(|(class, asked)| ClassRequest {
            class,
            focals: asked.focals,
            methods: asked.methods,
        });
        let request = MakerRequest {
            class_path: &class_path,
            main: build
                .modules
                .iter()
                .map(|module| text_of(&module.output))
                .collect(),
            out: is_written.then(|| text_of(&out)),
            variants: making == MakerKind::Variants,
            classes: classes.collect(),
        };
        let mut line = serde_json::to_vec(&request).expect("it is made for JSON");
        line.push(b'\n');
        let plan = plan::maker(build, &options, &program, &out);
        let finished = site.sandbox.run(&plan, &line, monitor)?;
        if finished.ending.end != ProgramEnd::Exited(0) {
            let said = finished.errors.text();
            return Err(wrong(&format!("{:?}: {said}", finished.ending.end)));
        }
        let path = Path::new(MUTANTS).join(plan::MADE);
        let bytes = compiler_folder.root.read(&path, ANSWER_BYTES_MAX);
        let bytes = bytes.map_err(io_error(&out))?;
        let told: MakerReply =
            serde_json::from_slice(&bytes).map_err(|error| wrong(&error.to_string()))?;
        Ok(told.classes)
    }

    /// Finds the file of a class below the project's root, by its package and the file name that the compiler gives.
    pub(super) fn file_of(&self, tree: &Root, class: &ClassReply) -> String {
        let package = class.class.rsplit_once('.').map_or("", |pair| pair.0);
        let source = class.source.clone().unwrap_or_else(|| {
            let simple = class.class.rsplit('.').next().unwrap_or_default();
            format!("{}.java", simple.split('$').next().unwrap_or(simple))
        });
        let below = Path::new(&package.replace('.', "/")).join(source);
        let roots = self
            .build
            .modules
            .iter()
            .flat_map(|module| &module.source_roots);
        let mut files = roots.filter_map(|root| {
            let file = root.strip_prefix(&self.build.tree).ok()?.join(&below);
            tree.kind(&file).ok().flatten().map(|_| text_of(&file))
        });
        files.next().unwrap_or_else(|| text_of(&below))
    }
}

/// A class, as it is written.
pub struct WrittenClass<'c> {
    pub class: &'c str,
    pub file: &'c str,
    /// A hash of the file's text: where that changes, the same numbers mean other mutants.
    pub source: blake3::Hash,
}

/// Converts a mutant of PIT to ours.
pub fn mutant(written: &WrittenClass<'_>, told: &MutantReply) -> Mutant {
    let (class, file) = (written.class, written.file);
    let mut hasher = blake3::Hasher::new();
    hasher.update(written.source.as_bytes());
    let indexes: Vec<String> = told.indexes.iter().map(u32::to_string).collect();
    let indexes = indexes.join(",");
    let parts = [
        Language::Java.as_str(),
        file,
        class,
        &told.method,
        &told.descriptor,
        &indexes,
        &told.mutator,
        &told.description,
    ];
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    Mutant {
        id: ContentHash::of(&hasher),
        language: Language::Java,
        file: file.to_owned(),
        line: told.line,
        mutator: told.mutator.clone(),
        description: told.description.clone(),
        place: MutantPlace::ByteCode {
            class: class.to_owned(),
            method: told.method.clone(),
            descriptor: told.descriptor.clone(),
            indexes: told.indexes.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_in_another_source_are_another_mutant() {
        let told = MutantReply {
            method: "inc".to_owned(),
            descriptor: "()V".to_owned(),
            indexes: vec![4],
            at: vec![4],
            mutator: "MathMutator".to_owned(),
            line: 3,
            description: "Replaced integer addition with subtraction".to_owned(),
            is_equal: false,
            classes: BTreeMap::new(),
        };
        let id = |source: &str| {
            let written = WrittenClass {
                class: "p.Counter",
                file: "src/p/Counter.java",
                source: blake3::hash(source.as_bytes()),
            };
            mutant(&written, &told).id
        };
        assert_eq!(id("n + 1"), id("n + 1"));
        assert_ne!(id("n + 1"), id("n + 2"));
    }
}

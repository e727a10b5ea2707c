//! Variants of code that keep its contract: other words where no caller may rely on them, in Python.
//!
//! A file, the place of a function in it, and the words of the project's other files in; at most one variant of each
//! kind out. Decides the changes, and checks that the results parse. Uncertain code stays unchanged. The engines tell
//! whether a test fails on a variant, and whether a variant is sound: other files are only known by their words here.
//! Java, whose variants are made in byte code, uses the check whether a test looks at the changes, too.
//!
//! Messages are those of exceptions that the function itself raises; printing and logging go, but their arguments are
//! still evaluated; private members are those of its file; locals are renamed as under
//! [`MutationOptions::is_strict`](crate::MutationOptions).

mod log;
mod looks;
mod message;
mod private;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Code;
use crate::facts::MutationFile;
use crate::fault::function_at;
use crate::function::{Function, functions};
use crate::model::{ContentHash, Language, Span, Variant, VariantEdit, VariantKind};
use crate::pass;
use crate::python_tree;
use crate::syntax::tree::{Parser, Tree};

pub use looks::{TestWords, looks_at};

/// The version of all that decides variants.
pub const VERSION: u32 = 1;

/// In how many files of a project's main code each word is.
#[derive(Clone, Debug, Default)]
pub struct WordFrequencies {
    n_files: FxHashMap<String, u32>,
}

impl WordFrequencies {
    /// Adds the words of a file.
    pub fn add(&mut self, text: &str) {
        let of_file: BTreeSet<&str> = words(text).collect();
        for word in of_file {
            match self.n_files.get_mut(word) {
                Some(n) => *n += 1,
                None => drop(self.n_files.insert(word.to_owned(), 1)),
            }
        }
    }

    /// Returns the words of all files except the one with this text; of all files where `text` is empty.
    #[must_use]
    pub fn but<'w>(&'w self, text: &'w str) -> ForeignWords<'w> {
        ForeignWords {
            all: self,
            own: words(text).collect(),
        }
    }
}

/// The words of a project's main code but the file that is changed.
#[derive(Clone, Debug)]
pub struct ForeignWords<'w> {
    all: &'w WordFrequencies,
    own: FxHashSet<&'w str>,
}

impl ForeignWords<'_> {
    fn has(&self, word: &str) -> bool {
        let n_own = u32::from(self.own.contains(word));
        self.all.n_files.get(word).is_some_and(|n| *n > n_own)
    }
}

/// Iterates over the names in a text, and anything that looks like one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty())
}

/// A file of Python with its tree.
pub struct Variants<'t> {
    path: &'t str,
    text: &'t str,
    tree: Tree,
}

impl<'t> Variants<'t> {
    /// Parses a file; nothing where it has an error.
    #[must_use]
    pub fn new(path: &'t str, text: &'t str) -> Option<Self> {
        let tree = python_tree(text)?;
        Some(Self { path, text, tree })
    }

    /// Makes the variants of the function at a place, in the order of their kinds; none of a kind that changes nothing.
    #[must_use]
    pub fn of(&self, function: Span, elsewhere: &ForeignWords<'_>) -> Vec<Variant> {
        let code = Code::new(self.text, &self.tree);
        let Some(root) = function_at(&code, function) else {
            return Vec::new();
        };
        let file = MutationFile::new(&code, Language::Python, self.path);
        let (mut parser, mut tree) = (Parser::new(), Tree::new());
        let mut variants = Vec::new();
        for kind in VariantKind::ALL {
            let mut edits = match kind {
                VariantKind::Message => message::edits(&code, root),
                VariantKind::Log => log::edits(&file, root),
                VariantKind::Private => private::edits(&file, elsewhere),
                VariantKind::Locals => locals(&file, root),
                VariantKind::Order => Vec::new(),
            };
            edits.sort();
            let changed = applied_to(self.text, &edits).unwrap_or_default();
            if *kind != VariantKind::Order {
                parser.parse(Language::Python, &changed, &mut tree);
                if changed == self.text || edits.is_empty() || tree.has_error() {
                    continue;
                }
            }
            variants.push(Variant {
                id: id(self.path, self.text, *kind, &edits),
                language: Language::Python,
                kind: *kind,
                file: self.path.to_owned(),
                edits,
            });
        }
        variants
    }
}

/// Renames the locals of a function that lies in no other one, and the parameters that no call can name.
fn locals(file: &MutationFile<'_>, root: u32) -> Vec<VariantEdit> {
    let mut all = functions(file.code, file.words).into_iter();
    let Some(found) =
        all.find(|function_place| function_place.outer == root || function_place.node == root)
    else {
        return Vec::new();
    };
    let edits = pass::rename_all(&Function::new(file, found)).into_iter();
    edits.map(|rename| edit(rename.span, rename.text)).collect()
}

fn edit(span: Span, replacement: String) -> VariantEdit {
    VariantEdit {
        start: span.start,
        end: span.end,
        replacement,
    }
}

/// Hashes all parts of a variant.
fn id(path: &str, text: &str, kind: VariantKind, edits: &[VariantEdit]) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist variant of python");
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(path.as_bytes());
    add(blake3::hash(text.as_bytes()).as_bytes());
    add(kind.as_str().as_bytes());
    for edit in edits {
        add(&edit.start.to_le_bytes());
        add(&edit.end.to_le_bytes());
        add(edit.replacement.as_bytes());
    }
    ContentHash::of(&hasher)
}

/// Tells whether a variant belongs to a file with this text.
#[must_use]
pub fn is_of(text: &str, variant: &Variant) -> bool {
    id(&variant.file, text, variant.kind, &variant.edits) == variant.id
}

/// Applies the changes of a variant to a text; nothing where their places are not in this text.
#[must_use]
pub fn applied(text: &str, variant: &Variant) -> Option<String> {
    applied_to(text, &variant.edits)
}

fn applied_to(text: &str, edits: &[VariantEdit]) -> Option<String> {
    let mut changed = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        changed.push_str(text.get(at..edit.start as usize)?);
        changed.push_str(&edit.replacement);
        at = edit.end as usize;
    }
    changed.push_str(text.get(at..)?);
    Some(changed)
}

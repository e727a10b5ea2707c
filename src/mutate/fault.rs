//! Faults: one small change each in one function of Python, by the operators of the literature.
//!
//! A file and the place of a function in it go in; mutants come out, in order of their places. Decides the changes, and
//! checks that each result is a file of its own: one that parses, and differs from the original and from every other
//! mutant. The engines check that the interpreter takes it, and makes other code of it.
//!
//! Names of operators are those of `MutPy` (Derezińska and Hałas, "Analysis of Mutation Operators for the Python Language",
//! 2014) where it has the operator; `DESCRIPTIONS` has them all. Compared with Cosmic Ray 8 and mutmut 3: no operator adds
//! or removes a name that a function binds, or a `yield`, because such a change reaches lines that never run; none turns a
//! number into another type such as a string, because every test that comes there notices it.

mod edit;
mod operators;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::code::Code;
use crate::model::{ContentHash, Language, Mutant, MutantPlace, Span};
use crate::syntax::tree::{Parser, Tree};
use crate::{n_line_breaks, python_tree};

use edit::Change;
pub use operators::{DESCRIPTIONS, is_operator};

/// The version of all that decides mutants.
pub const VERSION: u32 = 2;

/// The choice of mutants that are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// Names of operators; all where empty.
    pub names: Vec<String>,
    /// Every replacement that an operator has, instead of one.
    pub is_every: bool,
}

impl Operators {
    /// The word for every replacement.
    pub const EVERY: &'static str = "all";

    /// Tells whether this operator was requested.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|asked| asked == name)
    }
}

/// A file of Python with its tree.
pub struct Faults<'t> {
    path: &'t str,
    text: &'t str,
    tree: Tree,
}

impl<'t> Faults<'t> {
    /// Parses a file; nothing where it has an error.
    #[must_use]
    pub fn new(path: &'t str, text: &'t str) -> Option<Self> {
        let tree = python_tree(text)?;
        Some(Self { path, text, tree })
    }

    /// Makes the mutants of the function at a place, in order of their places in the file. Mutants of a nested function
    /// are among them, those of a nested class are not.
    #[must_use]
    pub fn of(&self, function: Span, operators: &Operators) -> Vec<Mutant> {
        let code = Code::new(self.text, &self.tree);
        let Some(root) = function_at(&code, function) else {
            return Vec::new();
        };
        let mut changes = operators::changes(&code, root, operators.is_every);
        changes.retain(|change| operators.has(change.mutator) && function.contains(change.span));
        changes.sort();
        let mut seen = BTreeSet::from([*blake3::hash(self.text.as_bytes()).as_bytes()]);
        let (mut parser, mut tree) = (Parser::new(), Tree::new());
        let mut mutants = Vec::new();
        for change in changes {
            let change = change.keeping_lines(self.text);
            let changed = change.apply(self.text);
            if !seen.insert(*blake3::hash(changed.as_bytes()).as_bytes()) {
                continue;
            }
            parser.parse(Language::Python, &changed, &mut tree);
            if !tree.has_error() {
                mutants.push(self.mutant(change));
            }
        }
        mutants
    }

    fn mutant(&self, change: Change) -> Mutant {
        Mutant {
            id: id(self.path, self.text, change.span, &change.replacement),
            language: Language::Python,
            file: self.path.to_owned(),
            line: self.line_of(change.span.start),
            mutator: change.mutator.to_owned(),
            description: change.describe(self.text),
            place: MutantPlace::Text {
                start: change.span.start,
                end: change.span.end,
                replacement: change.replacement,
            },
        }
    }

    fn line_of(&self, at: u32) -> u32 {
        n_line_breaks(&self.text[..at as usize]) + 1
    }

    /// Finds the first and the last line of the innermost statement around a place, or of its head where it has a body:
    /// lines that run whenever the place is reached.
    #[must_use]
    pub fn lines_around(&self, at: u32) -> (u32, u32) {
        let code = Code::new(self.text, &self.tree);
        let line_of = |at| self.line_of(at);
        let holds = |idx: u32| {
            let span = code.span(idx);
            span.start <= at && at < span.end
        };
        // Nodes come in the order of the text, parents first, so that the last one is the innermost.
        let statement = (0..self.tree.nodes.len() as u32)
            .rfind(|idx| holds(*idx) && is_statement(code.kind(*idx)));
        let Some(statement) = statement else {
            return (line_of(at), line_of(at));
        };
        let span = code.span(statement);
        let body = code
            .children(statement)
            .find(|child| code.kind(*child) == "block");
        let end = body.map_or(span.end, |body| code.span(body).start);
        let head = self.text[span.start as usize..end as usize].trim_end();
        (line_of(span.start), line_of(span.start + head.len() as u32))
    }
}

/// Hashes all parts of a mutant.
fn id(path: &str, text: &str, place: Span, replacement: &str) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist mutant of python");
    for part in [
        path.as_bytes(),
        blake3::hash(text.as_bytes()).as_bytes(),
        &place.start.to_le_bytes(),
        &place.end.to_le_bytes(),
        // Blank lines that only fill up distinguish no mutants, and people marked mutants that had none yet.
        replacement.trim_end_matches('\n').as_bytes(),
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    ContentHash::of(&hasher)
}

/// Tells whether a mutant belongs to a file with this text.
#[must_use]
pub fn is_of(text: &str, mutant: &Mutant) -> bool {
    match &mutant.place {
        MutantPlace::Text {
            start,
            end,
            replacement,
        } => id(&mutant.file, text, Span::new(*start, *end), replacement) == mutant.id,
        MutantPlace::ByteCode { .. } => false,
    }
}

/// Applies a mutant's change to a text; nothing where its place is not in this text, or is in byte code.
#[must_use]
pub fn applied(text: &str, mutant: &Mutant) -> Option<String> {
    let MutantPlace::Text {
        start,
        end,
        replacement,
    } = &mutant.place
    else {
        return None;
    };
    let before = text.get(..*start as usize)?;
    let after = text.get(*end as usize..)?;
    Some([before, replacement, after].concat())
}

/// Finds the first function within a place, with those of its decorators that lie in the place.
pub(crate) fn function_at(code: &Code<'_>, place: Span) -> Option<u32> {
    (0..code.tree.nodes.len() as u32).find(|idx| {
        let is_function = match code.kind(*idx) {
            "function_definition" => true,
            "decorated_definition" => code
                .child(*idx, "definition")
                .is_some_and(|inner| code.kind(inner) == "function_definition"),
            _ => false,
        };
        // Spans of declarations may include the line's end, and may begin behind decorators.
        let span = code.span(*idx);
        is_function && place.start <= span.start && span.end <= place.end
    })
}

/// Tells whether the interpreter reports that it has reached such a node, on a line of the node's own.
fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || matches!(
            kind,
            "elif_clause"
                | "except_clause"
                | "except_group_clause"
                | "case_clause"
                | "function_definition"
                | "decorator"
        )
}

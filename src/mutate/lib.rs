//! Changes of functions by their syntax trees: equivalent variants, by the nine passes of `CCTest`, faults ([`mod@fault`]), and
//! code that keeps the contract ([`mod@variant`]).
//!
//! A text, its language and options in; functions and their variants out, with reasons for those left out. Decides the
//! changes and, with [`MutationOptions::is_strict`], keeps results, exceptions and effects. Reads no files, and never fails: a
//! text that does not parse has faults instead of functions. The same options give the same variants, with any other
//! inputs.
//!
//! The names in a language's grammar form one table (`words`); the meaning of its variables has a file of its own
//! (`scope`), and so have the certain facts about its values (`sure`); each pass is written once (`pass`).

use focalist_model as model;
use focalist_syntax as syntax;

mod code;
mod cut;
mod distance;
mod facts;
pub mod fault;
mod function;
mod pass;
mod scope;
mod sure;
#[cfg(test)]
mod tests;
mod unchanged;
pub mod variant;
mod words;

use crate::model::{Language, Position, Span};
use crate::syntax::tree::{Parser, Tree};
pub use cut::FunctionCut;
pub use pass::{Edit, Pass};
pub use unchanged::UnchangedReason;

use code::Code;
use facts::MutationFile;
use function::{Function, FunctionPlace, functions};
use pass::PassChoice;

/// The version of all that decides variants.
pub const VERSION: u32 = 2;

/// The functions and passes to mutate with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutationOptions {
    pub passes: Vec<Pass>,
    /// Results, exceptions and effects stay, except for the lines that `INI` prints.
    pub is_strict: bool,
    /// Chooses among places that qualify.
    pub seed: u64,
    pub tokens_min: usize,
    pub tokens_max: usize,
}

impl Default for MutationOptions {
    fn default() -> Self {
        Self {
            passes: Pass::ALL.to_vec(),
            is_strict: false,
            seed: 0,
            tokens_min: 64,
            tokens_max: 2048,
        }
    }
}

/// A function in the form that it has in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub function: String,
    /// From 1.
    pub start_line: u32,
    pub end_line: u32,
    /// Whole lines.
    pub source: String,
    pub n_tokens: usize,
}

/// The result of one pass on a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub pass: Pass,
    pub source: String,
    /// Edits of the seed's source, ascending.
    pub edits: Vec<Edit>,
    /// Absent for a function on one line.
    pub cut: Option<FunctionCut>,
    /// From the seed's tree, in 0..=1 (MUTATIONS.md 15).
    pub distance: f64,
}

/// A function, its variants in the order of the passes, and why the other passes changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct MutatedFunction {
    pub seed: Seed,
    pub variants: Vec<Variant>,
    pub left_out: Vec<(Pass, UnchangedReason)>,
    /// Why no pass was tried.
    pub skipped: Option<UnchangedReason>,
    /// Variants that did not parse: flaws of ours.
    pub refused: Vec<Pass>,
}

/// The functions of a file with their variants, or the place where it does not parse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileMutations {
    /// In the order of the text.
    pub functions: Vec<MutatedFunction>,
    /// Where the file does not parse; then it has no functions.
    pub fault: Option<Position>,
}

/// A file, or a function that stands alone.
#[derive(Clone, Copy, Debug)]
pub struct MutationSource<'t> {
    pub language: Language,
    /// Its ending may tell the dialect: `.ts`.
    pub path: &'t str,
    pub text: &'t str,
}

/// Mutates files; keeps parsers and trees from one to the next. One per thread.
#[derive(Default)]
pub struct Mutator {
    parser: Parser,
    tree: Tree,
    variant: Tree,
    around: String,
}

impl Mutator {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the variants of a text's functions. Takes any text.
    pub fn mutate(
        &mut self,
        source: MutationSource<'_>,
        options: &MutationOptions,
    ) -> FileMutations {
        let mut tree = std::mem::take(&mut self.tree);
        self.parser
            .parse_file(source.language, source.path, source.text, &mut tree);
        let mut outcome = FileMutations::default();
        if tree.has_error() {
            outcome.fault = Some(fault(source.text, &tree));
        } else {
            outcome = self.functions(source, options, &tree);
        }
        // A method of C# that stands alone reads like a function of a script.
        let may_be_member = outcome.fault.is_some() || source.language == Language::CSharp;
        if may_be_member
            && outcome.functions.is_empty()
            && let Some(file_mutations) = self.in_a_frame(source, options, &mut tree)
        {
            outcome = file_mutations;
        }
        self.tree = tree;
        outcome
    }

    /// Tells whether a function parses; it may be a member of a class, or be indented.
    pub fn does_parse(&mut self, source: MutationSource<'_>) -> bool {
        let mut frames = vec![("", "")];
        if source.language == Language::Python {
            frames.push(("if 1:\n", ""));
        }
        frames.extend(words::words(source.language).around_member);
        if source.language == Language::JavaScript {
            frames.extend([("({", "})"), ("var ", ";"), ("(", ")")]);
        }
        frames.into_iter().any(|(head, tail)| {
            let text = format!("{head}{}{tail}", source.text);
            let tree = &mut self.variant;
            self.parser
                .parse_file(source.language, source.path, &text, tree);
            !tree.has_error()
        })
    }

    /// Mutates a text that is no file but may be a member of a class, or be indented.
    fn in_a_frame(
        &mut self,
        source: MutationSource<'_>,
        options: &MutationOptions,
        tree: &mut Tree,
    ) -> Option<FileMutations> {
        let frame = match source.language {
            Language::Python if source.text.starts_with([' ', '\t']) => Some(("if 1:\n", "")),
            language => words::words(language).around_member,
        };
        let (head, tail) = frame?;
        let text = format!("{head}{}{tail}", source.text);
        let framed = MutationSource {
            text: &text,
            ..source
        };
        self.parser
            .parse_file(source.language, source.path, &text, tree);
        if tree.has_error() {
            return None;
        }
        let mut outcome = self.functions(framed, options, tree);
        for function in &mut outcome.functions {
            function.seed.start_line -= 1;
            function.seed.end_line -= 1;
        }
        Some(outcome)
    }

    fn functions(
        &mut self,
        source: MutationSource<'_>,
        options: &MutationOptions,
        tree: &Tree,
    ) -> FileMutations {
        let code = Code::new(source.text, tree);
        let file = MutationFile::new(&code, source.language, source.path);
        let mut tokens = Vec::new();
        tree.push_tokens(source.text, &mut tokens);
        let mut line = 1;
        let mut at = 0;
        let mut outcome = FileMutations::default();
        for found in functions(&code, file.words) {
            let span = code.span(found.outer);
            line += n_line_breaks(&source.text[at..span.start as usize]);
            at = span.start as usize;
            let lines = Span::new(code.line_start(span.start), code.line_end(span.end));
            let text = lines.of(source.text);
            let from = tokens.partition_point(|token| token.start < span.start);
            let to = tokens.partition_point(|token| token.start < span.end);
            let seed = Seed {
                function: found.name.to_owned(),
                start_line: line,
                end_line: line + n_line_breaks(text),
                source: text.to_owned(),
                n_tokens: to - from,
            };
            outcome
                .functions
                .push(self.function(&file, found, seed, options));
        }
        outcome
    }

    fn function(
        &mut self,
        file: &MutationFile<'_>,
        found: FunctionPlace<'_>,
        seed: Seed,
        options: &MutationOptions,
    ) -> MutatedFunction {
        let mut mutated = MutatedFunction {
            seed,
            variants: Vec::new(),
            left_out: Vec::new(),
            skipped: None,
            refused: Vec::new(),
        };
        let n_tokens = mutated.seed.n_tokens;
        if n_tokens < options.tokens_min || n_tokens > options.tokens_max {
            mutated.skipped = Some(UnchangedReason::Size { n_tokens });
            return mutated;
        }
        let function = Function::new(file, found);
        let cut = cut::line(&function);
        for pass in Pass::ALL
            .iter()
            .filter(|pass| options.passes.contains(pass))
        {
            let choice = PassChoice {
                pass: *pass,
                is_strict: options.is_strict,
                seed: options.seed,
            };
            match pass::apply(&function, choice) {
                Ok(edits) => match self.variant(&function, *pass, edits, cut) {
                    Some(variant) => mutated.variants.push(variant),
                    None => mutated.refused.push(*pass),
                },
                Err(reason) => mutated.left_out.push((*pass, reason)),
            }
        }
        mutated
    }

    /// Makes a variant of edits; nothing where it does not parse.
    fn variant(
        &mut self,
        function: &Function<'_>,
        pass: Pass,
        edits: Vec<Edit>,
        cut: Option<u32>,
    ) -> Option<Variant> {
        let start = function.lines.start;
        let edits: Vec<Edit> = edits
            .into_iter()
            .map(|edit| Edit {
                span: Span::new(edit.span.start - start, edit.span.end - start),
                text: edit.text,
            })
            .collect();
        let seed = function.source();
        let source = applied(seed, &edits);
        let distance = self.distance(function, &edits)?;
        let cut = cut.map(|line| {
            let at = seed.split_inclusive('\n').take(line as usize);
            let at = at.map(str::len).sum::<usize>() as u32;
            let before = edits.iter().filter(|edit| edit.span.start < at);
            let n_more: u32 = before
                .map(|edit| {
                    let old = n_line_breaks(edit.span.of(seed));
                    n_line_breaks(&edit.text).saturating_sub(old)
                })
                .sum();
            FunctionCut {
                seed: line,
                variant: line + n_more,
            }
        });
        Some(Variant {
            pass,
            source,
            edits,
            cut,
            distance,
        })
    }

    /// Computes how far the variant's tree is from the seed's; nothing where it does not parse, alone or in its file.
    fn distance(&mut self, function: &Function<'_>, edits: &[Edit]) -> Option<f64> {
        let file = function.file;
        let code = function.code;
        let span = code.span(function.outer);
        let start = function.lines.start;
        let (head, tail) = frame(function);
        // From the line's start in Python, where the depth of the first line counts.
        let from = if file.language == Language::Python {
            start
        } else {
            span.start
        };
        let alone = Span::new(from - start, span.end - start);
        let inside: Vec<Edit> = edits
            .iter()
            .map(|edit| Edit {
                span: Span::new(edit.span.start - alone.start, edit.span.end - alone.start),
                text: edit.text.clone(),
            })
            .collect();
        self.around.clear();
        self.around.push_str(head);
        self.around
            .push_str(&applied(alone.of(function.source()), &inside));
        self.around.push_str(tail);
        let parse = |this: &mut Self| {
            this.parser
                .parse_file(file.language, file.path, &this.around, &mut this.variant);
        };
        parse(self);
        let mut offset = head.len() as u32 + (span.start - from);
        if self.variant.has_error() {
            // A function that parses only in its place.
            self.around.clear();
            self.around.push_str(&code.text[..start as usize]);
            self.around.push_str(&applied(function.source(), edits));
            self.around
                .push_str(&code.text[function.lines.end as usize..]);
            parse(self);
            offset = span.start;
            if self.variant.has_error() {
                return None;
            }
        }
        let kind = code.kind(function.outer);
        let nodes = &self.variant.nodes;
        let root = nodes.iter().position(|node| {
            node.span.start == offset && self.variant.grammar.kind_name(node.kind) == kind
        })?;
        let of_variant = (&self.variant, root as u32);
        Some(distance::distance((code.tree, function.outer), of_variant))
    }
}

/// Returns the texts before and behind a function that make a file of it.
fn frame(function: &Function<'_>) -> (&'static str, &'static str) {
    let code = function.code;
    let kind = code.kind(function.outer);
    let is_indented = function.lines.start < code.span(function.outer).start;
    match function.file.language {
        Language::Python if is_indented => ("if 1:\n", ""),
        Language::Python | Language::Go => ("", ""),
        Language::JavaScript => match kind {
            "pair" => ("({", "})"),
            "variable_declarator" => ("var ", ";"),
            "method_definition" | "field_definition" | "public_field_definition" => {
                ("class Around {\n", "\n}")
            }
            _ => ("", ""),
        },
        Language::Java | Language::CSharp => ("class Around {\n", "\n}"),
    }
}

/// Applies edits to a text.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut made = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        made.push_str(&text[at..edit.span.start as usize]);
        made.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    made.push_str(&text[at..]);
    made
}

/// Parses a file of Python; nothing where it has an error.
fn python_tree(text: &str) -> Option<Tree> {
    let mut tree = Tree::new();
    Parser::new().parse(Language::Python, text, &mut tree);
    (!tree.has_error()).then_some(tree)
}

fn n_line_breaks(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// Finds the place where a text does not parse.
fn fault(text: &str, tree: &Tree) -> Position {
    let first = tree
        .nodes
        .iter()
        .find(|node| node.is_error() || node.is_missing())
        .map_or(0, |node| node.span.start as usize);
    let before = text.get(..first).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    Position {
        line: n_line_breaks(before) + 1,
        column: line.encode_utf16().count() as u32 + 1,
    }
}

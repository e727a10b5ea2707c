//! The walk over one syntax tree: the parser, the cursor, the word table, and other state that all of lowering shares.
//!
//! One cursor goes over the tree once. A `lower` function finds the cursor on its node and leaves it there.

use crate::ids::add;
use crate::run::Run;
use std::borrow::Cow;
use std::cell::RefCell;

use tree_sitter::{Node, Parser, TreeCursor};

use super::kind::{GRAMMAR, JavaGrammar, Kind};
use super::{
    Expr, ExprId, Ids, JavaFacts, LineTable, Name, Pattern, PatternId, Root, SiteId, Stmt, StmtId,
    TypeId, TypeSyntax, Variable,
};
use crate::fault::{self, Fault};
use crate::generated::is_generated;
use crate::index::{FileReading, SourceText};
use crate::model::{Language, Span};
use crate::syntax::bounded;
use crate::syntax::nesting;
use crate::syntax::tree::NodeField;

thread_local! {
    // A parser keeps its buffers; making one per file costs more than parsing a small file.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Reads one file. Never fails: a file that does not parse as a whole gives the facts of the parts that do, and a
/// problem.
pub fn parse(source: SourceText<'_>) -> FileReading<JavaFacts> {
    let SourceText { path, text } = source;
    let readable = readable(text);
    let (tree, is_given_up) = PARSER.with_borrow_mut(|parser| {
        let parser = parser.get_or_insert_with(|| GRAMMAR.tree.parser());
        let tree = bounded::parse(parser, &readable);
        let is_given_up = tree.is_none();
        // Of a file that cannot be read in time only the lines are known.
        let tree = tree
            .or_else(|| bounded::parse(parser, ""))
            .expect("nothing is parsed at once");
        (tree, is_given_up)
    });
    let root = tree.root_node();
    let mut lower = JavaLowering::new(path, text, root);
    lower.file();
    let facts = lower.facts;
    let fault = if is_given_up {
        Some(Fault::GivenUp)
    } else {
        fault::first_error(root).map(|at| Fault::at(facts.lines.line(at)))
    };
    FileReading {
        facts,
        tokens: None,
        problem: fault.map(|fault| fault.of(path)),
    }
}

/// The greatest number of `<`, casts and lambdas that are open at once in a parsed text; people write far fewer.
///
/// The parser keeps every way to read a `<`, so that 8,000 of them in 16 kB take it a second and 700 MB, and twice as
/// many four times that. Casts after casts and lambdas in lambdas it keeps until the last one ends, and where the text
/// is broken besides, each error takes time for all of them: `(a, b)` written 4,000 times in 32 kB took three seconds.
const OPEN_MAX: u32 = 64;

/// The casts and lambdas that are open at a place of the text.
#[derive(Default)]
struct Chain {
    n_casts: u32,
    n_arrows: u32,
}

impl Chain {
    /// Takes a bracket, a `;` or a `>`; returns which bytes are to be blanked when one more cast or lambda is too many.
    fn too_long(&mut self, text: &[u8], at: usize) -> Option<[usize; 2]> {
        let is_open = self.n_casts > 0 || self.n_arrows > 0;
        if !is_open && !matches!(text[at], b'(' | b'>') {
            return None;
        }
        let before = text[..at].trim_ascii_end();
        let n = match text[at] {
            b'(' if before.ends_with(b")") => &mut self.n_casts,
            b'>' if text[..at].ends_with(b"-") => &mut self.n_arrows,
            b')' => {
                // The lambda is an argument and ends here, unless its parameters do.
                if !text[at + 1..].trim_ascii_start().starts_with(b"-") {
                    self.n_arrows = 0;
                }
                return None;
            }
            // A lambda that has no body yet does not end.
            b';' | b'}' if before.ends_with(b"->") => return None,
            b';' | b'{' | b'}' => {
                *self = Self::default();
                return None;
            }
            _ => return None,
        };
        *n = (*n + 1).min(OPEN_MAX + 1);
        (*n > OPEN_MAX).then_some([before.len() - 1, at])
    }
}

/// How many characters back the `@` of an annotation is looked for, so that a megabyte of dots is not searched for each
/// of them.
const NAME_MAX: usize = 256;

/// Blanks the annotation before dots.
fn blank_annotation(text: &str, dots: usize, patched: &mut Option<Vec<u8>>) {
    let before = text[..dots].trim_end();
    let name = before
        .char_indices()
        .rev()
        .take(NAME_MAX)
        .take_while(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
        .last();
    if let Some((start, _)) = name
        && before[..start].ends_with('@')
    {
        let bytes = patched.get_or_insert_with(|| text.as_bytes().to_vec());
        bytes[start - 1..before.len()].fill(b' ');
    }
}

/// By byte: whether it is looked at; most are skipped.
static IS_SIGN: [bool; 256] = {
    let mut is_sign = [false; 256];
    let signs = b"<>;{}().";
    let mut at = 0;
    while at < signs.len() {
        is_sign[signs[at] as usize] = true;
        at += 1;
    }
    is_sign
};

/// Blanks annotations before the dots of `T @A ... values`, which the grammar does not know, and every `<`, every `->`
/// and every pair `)(` that is nested too deep.
///
/// Offsets stay the same, and everything but the syntax tree is read from the original text.
fn readable(text: &str) -> Cow<'_, str> {
    let mut patched: Option<Vec<u8>> = None;
    let mut dots_end = 0;
    let mut n_open = 0;
    let mut chain = Chain::default();
    for (at, byte) in text.bytes().enumerate() {
        if !IS_SIGN[usize::from(byte)] {
            continue;
        }
        match byte {
            b'.' => {
                if at >= dots_end && text.as_bytes()[at..].starts_with(b"...") {
                    dots_end = at + 3;
                    blank_annotation(text, at, &mut patched);
                }
                continue;
            }
            b'<' if n_open == OPEN_MAX => {
                patched.get_or_insert_with(|| text.as_bytes().to_vec())[at] = b' ';
            }
            b'<' => n_open += 1,
            b'>' => n_open = n_open.saturating_sub(1),
            b';' | b'{' | b'}' => n_open = 0,
            _ => {}
        }
        if byte != b'<'
            && let Some(places) = chain.too_long(text.as_bytes(), at)
        {
            let bytes = patched.get_or_insert_with(|| text.as_bytes().to_vec());
            for place in places {
                bytes[place] = b' ';
            }
        }
    }
    let patched = patched.and_then(|bytes| String::from_utf8(bytes).ok());
    patched.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Calls around a call beyond which it counts as standing alone. Chains of builders stay far below; a walk over the
/// calls around each call of a chain must not take time quadratic in its length.
pub const AROUND_MAX: u16 = 1000;

/// The state of the walk.
pub struct JavaLowering<'t> {
    pub text: &'t str,
    pub grammar: &'static JavaGrammar,
    cursor: TreeCursor<'t>,
    /// The node under the cursor, kept because it is asked several times.
    here: Node<'t>,
    pub facts: JavaFacts,
    /// Children of lists under construction.
    scratch: Vec<u32>,
    /// Left spines of expressions under construction.
    pub levels: Vec<Level>,
    /// How many sites are around each site.
    pub heights: Vec<u16>,
    /// The site around the cursor, and whether the cursor is in its arguments.
    pub parent: Option<SiteId>,
    pub is_argument: bool,
    /// Lambdas and local class bodies around the cursor.
    pub depth: u16,
    /// Recursion of this walk.
    nesting: u32,
    pub owner: Option<u32>,
    pub method: Option<u32>,
    pub root: Option<Root>,
    pub block_end: u32,
    /// Whether the cursor is among statements, where a type is a local one.
    pub is_statement: bool,
}

/// One step of a left spine of an expression, from the outside in.
#[derive(Clone, Copy)]
pub enum Level {
    Parentheses,
    Field,
    Index,
    Binary,
    Call {
        site: SiteId,
        parent: Option<SiteId>,
        is_argument: bool,
    },
}

impl<'t> JavaLowering<'t> {
    fn new(path: &str, text: &'t str, root: Node<'t>) -> Self {
        let size = text.len();
        let facts = JavaFacts {
            path: path.into(),
            lines: LineTable::new(text),
            is_generated: is_generated(Language::Java, path, text),
            // Arenas keep their first place empty, so that an optional id takes no extra space.
            type_syntax: with_first(TypeSyntax::Broken, size / 64),
            exprs: with_first(Expr::Broken, size / 24),
            stmts: with_first(Stmt::Nothing, size / 80),
            patterns: vec![Pattern::Any],
            sites: Vec::with_capacity(size / 64),
            lists: Vec::with_capacity(size / 40),
            ..JavaFacts::default()
        };
        Self {
            text,
            grammar: &GRAMMAR,
            cursor: root.walk(),
            here: root,
            facts,
            scratch: Vec::new(),
            levels: Vec::new(),
            heights: Vec::new(),
            parent: None,
            is_argument: false,
            depth: 0,
            nesting: 0,
            owner: None,
            method: None,
            root: None,
            block_end: 0,
            is_statement: false,
        }
    }

    fn file(&mut self) {
        self.children(Self::top_level);
        let facts = &mut self.facts;
        facts.names.finish();
        facts.exprs.shrink_to_fit();
        facts.stmts.shrink_to_fit();
        facts.type_syntax.shrink_to_fit();
        facts.sites.shrink_to_fit();
        facts.lists.shrink_to_fit();
        facts.locals.shrink_to_fit();
    }

    fn top_level(&mut self, kind: Kind) {
        match kind {
            Kind::Package => self.package(),
            Kind::Import => self.import(),
            // Unbalanced braces put whole declarations into one error node.
            Kind::Error => {
                self.nested(|lower| lower.children(Self::top_level));
            }
            _ => {
                self.type_declaration(kind);
            }
        }
    }

    /// Runs `f` one level deeper, unless that is too deep.
    pub fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        nesting::deeper(self, |lowering| &mut lowering.nesting, f)
    }

    pub fn kind(&self) -> Kind {
        self.grammar.kind_of_id(self.here.kind_id())
    }

    pub fn field(&self) -> NodeField {
        NodeField::of_id(self.cursor.field_id())
    }

    pub fn span(&self) -> Span {
        Span::new(self.here.start_byte() as u32, self.here.end_byte() as u32)
    }

    /// Returns the text under the cursor.
    pub fn slice(&self) -> &'t str {
        self.span().of(self.text)
    }

    /// Calls `f` with the cursor on each child in turn, comments left out.
    ///
    /// They are counted, because a cursor that is asked for a sibling behind the last searches everything around it.
    pub fn children(&mut self, mut f: impl FnMut(&mut Self, Kind)) {
        let around = self.here;
        let mut n_left = around.child_count();
        if n_left > 0 && self.goto_first_child() {
            loop {
                let kind = self.kind();
                if !kind.is_comment() {
                    f(self, kind);
                }
                n_left -= 1;
                if n_left == 0 || !self.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
            self.here = around;
        }
    }

    /// Returns what `read` yields at the last of the children where it yields something.
    pub fn last<T>(&mut self, mut read: impl FnMut(&mut Self, Kind) -> Option<T>) -> Option<T> {
        let mut last = None;
        self.children(|lower, kind| last = read(lower, kind).or(last.take()));
        last
    }

    /// Moves to the first child and returns true; stays and returns false where there is none.
    pub fn goto_first_child(&mut self) -> bool {
        let has_moved = self.cursor.goto_first_child();
        if has_moved {
            self.here = self.cursor.node();
        }
        has_moved
    }

    /// Moves to the next sibling and returns true; stays and returns false where there is none.
    pub fn goto_next_sibling(&mut self) -> bool {
        let has_moved = self.cursor.goto_next_sibling();
        if has_moved {
            self.here = self.cursor.node();
        }
        has_moved
    }

    /// Moves to the parent.
    pub fn goto_parent(&mut self) {
        self.cursor.goto_parent();
        self.here = self.cursor.node();
    }

    /// Calls `f` with the cursor on each sibling after the current one, comments left out.
    pub fn siblings(&mut self, mut f: impl FnMut(&mut Self, Kind)) {
        while self.goto_next_sibling() {
            let kind = self.kind();
            if !kind.is_comment() {
                f(self, kind);
            }
        }
    }

    /// Moves to the first child that is not a comment; stays where it is when there is none.
    pub fn down(&mut self) -> bool {
        if !self.goto_first_child() {
            return false;
        }
        while self.kind().is_comment() {
            if !self.goto_next_sibling() {
                self.goto_parent();
                return false;
            }
        }
        true
    }

    pub fn is_named(&self) -> bool {
        self.here.is_named()
    }

    /// Interns the word under the cursor.
    pub fn word(&mut self) -> Name {
        let word = self.slice();
        self.intern(word)
    }

    pub fn intern(&mut self, word: &str) -> Name {
        self.facts.names.intern(word)
    }

    /// Interns a dotted name without layout and comments.
    pub fn dotted(&mut self) -> Name {
        let raw = self.slice();
        if raw
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'$'))
        {
            return self.intern(raw);
        }
        let mut whole = String::new();
        self.dotted_parts(&mut whole);
        self.intern(&whole)
    }

    fn dotted_parts(&mut self, into: &mut String) {
        if self.kind() == Kind::Identifier {
            if !into.is_empty() {
                into.push('.');
            }
            into.push_str(self.slice());
        } else {
            self.nested(|lower| lower.children(|lower, _| lower.dotted_parts(into)));
        }
    }

    pub fn mark(&self) -> usize {
        self.scratch.len()
    }

    pub fn push(&mut self, id: usize) {
        self.scratch.push(id as u32);
    }

    /// Makes a list of everything pushed since `mark`.
    pub fn list<T>(&mut self, mark: usize) -> Ids<T> {
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend_from_slice(&self.scratch[mark..]);
        let len = (self.scratch.len() - mark) as u32;
        self.scratch.truncate(mark);
        Ids::new(start, len)
    }

    /// Appends variables to the file's table, and returns their run.
    pub fn locals(&mut self, variables: &[Variable]) -> Run {
        Run::add(&mut self.facts.locals, variables.iter().copied())
    }

    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        add(&mut self.facts.exprs, expr)
    }

    pub fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        add(&mut self.facts.stmts, stmt)
    }

    pub fn add_type(&mut self, ty: TypeSyntax) -> TypeId {
        add(&mut self.facts.type_syntax, ty)
    }

    pub fn add_pattern(&mut self, pattern: Pattern) -> PatternId {
        add(&mut self.facts.patterns, pattern)
    }
}

fn with_first<T>(first: T, capacity: usize) -> Vec<T> {
    let mut arena = Vec::with_capacity(capacity + 1);
    arena.push(first);
    arena
}

/// Parses and nothing else, for measuring.
pub fn parse_only<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    let mut parser = GRAMMAR.tree.parser();
    texts
        .filter(|text| bounded::parse(&mut parser, &readable(text)).is_some())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reason;

    fn check(text: &str, expected: &str) {
        assert_eq!(readable(text), expected);
    }

    #[test]
    fn annotations_before_dots_are_blanked() {
        check("f(T @A... t)", "f(T   ... t)");
        check("f(T... t)", "f(T... t)");
    }

    #[test]
    fn only_so_many_casts_and_lambdas_stand_open() {
        let max = OPEN_MAX as usize;
        let casts = |n: usize| "(a)".repeat(n);
        check(&casts(max + 1), &casts(max + 1));
        check(&casts(max + 3), &format!("{}(a  a  a)", casts(max)));
        let arrows = |n: usize| "x -> () ->".repeat(n / 2);
        check(&arrows(max), &arrows(max));
        check(&arrows(max + 2), &format!("{}x    ()   ", arrows(max)));
        for end in [";", "{", "}"] {
            let again = format!("{}a{end}", casts(max) + &arrows(max)).repeat(2);
            check(&again, &again);
        }
        check(
            &format!("{};x -> a; x -> a", arrows(max)),
            &format!("{};x    a; x -> a", arrows(max)),
        );
        let apart = "f(x -> a).".repeat(max * 2);
        check(&apart, &apart);
    }

    #[test]
    fn only_so_many_signs_stand_open() {
        let open = "a<".repeat(OPEN_MAX as usize);
        let more = "a ".repeat(9);
        check(&format!("{open}a<b<c"), &format!("{open}a b c"));
        check(
            &format!("{open}{}", "a<".repeat(9)),
            &format!("{open}{more}"),
        );
        for end in [";", "{", "}"] {
            let again = format!("{open}{end}{open}");
            check(&again, &again);
        }
        let closed = format!("{open}>a<b");
        check(&closed, &closed);
    }
    #[test]
    fn what_keeps_the_parser_busy_is_a_problem_and_has_its_lines() {
        // Where the parser cannot decide, it tries every possible reading.
        let text = format!("class A {{ int f() {{\n\n{}", "a ? b c : ".repeat(1500));
        let read = |text: &str| {
            let path = "A.java";
            let FileReading { facts, problem, .. } = parse(SourceText { path, text });
            (facts, problem)
        };
        let (facts, problem) = read(&text);
        let problem = problem.expect("it does not parse");
        assert_eq!((problem.reason, problem.line), (Reason::Syntax, None));
        assert_eq!(problem.detail, fault::GIVEN_UP);
        assert!(facts.types.is_empty());
        assert_eq!(facts.lines.line(text.len() as u32), 3);
        // The parser starts anew with the next file.
        let (facts, problem) = read("class A { }");
        assert!(problem.is_none());
        assert_eq!(facts.types.len(), 1);
    }
}

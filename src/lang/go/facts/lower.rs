//! The walk over one syntax tree: the parser, the cursor, the word table, and what every part of lowering shares.
//!
//! One cursor goes over the tree once. A lowering function finds the cursor on its node and leaves it there.

use crate::ids::add;
use crate::run::Run;
use std::cell::RefCell;

use tree_sitter::Parser;

use super::kind::{GRAMMAR, GoGrammar, Kind};
use super::{
    BlockId, Expr, ExprId, GoFacts, LineTable, Name, Stmt, StmtId, TypeId, TypeSyntax, head,
};
use crate::fault::{self, Fault};
use crate::generated::is_generated;
use crate::index::{FileReading, SourceText};
use crate::model::{Language, Span};
use crate::syntax::bounded;
use crate::syntax::file_tokens::FileTokens;
use crate::syntax::nesting;
use crate::syntax::tree::{Cursor, NodeField, Tree};

thread_local! {
    // A parser keeps its buffers; making one per file costs more than parsing a small file.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
    static TREE: RefCell<Tree> = RefCell::new(Tree::new());
}

/// Reads one file, with its tokens where the tree tells them. Never fails: a file with syntax errors gives the facts
/// that can be read, and a problem.
pub fn parse(source: SourceText<'_>) -> FileReading<GoFacts> {
    let SourceText { path, text } = source;
    let parsed = PARSER.with_borrow_mut(|parser| {
        let parser = parser.get_or_insert_with(|| GRAMMAR.tree.parser());
        bounded::parse(parser, text)
    });
    let (facts, tokens) = TREE.with_borrow_mut(|tree| {
        tree.become_parsed(GRAMMAR.tree, parsed.as_ref());
        (lowered(path, text, tree), FileTokens::of_tree(tree, text))
    });
    let fault = match &parsed {
        Some(tree) => {
            let at = fault::first_error(tree.root_node());
            at.map(|at| Fault::at(facts.lines.line(at)))
        }
        None => Some(Fault::GivenUp),
    };
    FileReading {
        facts,
        tokens,
        problem: fault.map(|fault| fault.of(path)),
    }
}

/// Lowers a tree. A file that took too long to parse has an empty one, and keeps only the facts of its text.
fn lowered(path: &str, text: &str, tree: &Tree) -> GoFacts {
    let facts = GoFacts {
        path: path.into(),
        lines: LineTable::new(text),
        is_built: head::is_built(path, text),
        is_generated: is_generated(Language::Go, path, text),
        ..GoFacts::default()
    };
    match Cursor::at_root(tree) {
        Some(cursor) => {
            let mut lower = GoLowering::new(text, cursor, facts);
            lower.children(GoLowering::top_level);
            lower.facts.names.finish();
            lower.facts
        }
        None => facts,
    }
}

/// The state of the walk.
pub struct GoLowering<'t> {
    pub text: &'t str,
    pub grammar: &'static GoGrammar,
    pub cursor: Cursor<'t>,
    pub facts: GoFacts,
    /// Children of lists under construction.
    scratch: Vec<u32>,
    /// Left spines of expressions under construction.
    pub levels: Vec<(Kind, Span)>,
    /// The depth of this walk's recursion.
    nesting: u32,
    /// The type declaration and the function around the cursor.
    pub in_type: Option<u32>,
    pub in_func: Option<u32>,
    /// Where the block around the cursor ends.
    pub block_end: u32,
}

impl<'t> GoLowering<'t> {
    fn new(text: &'t str, cursor: Cursor<'t>, facts: GoFacts) -> Self {
        Self {
            text,
            grammar: &GRAMMAR,
            cursor,
            facts,
            scratch: Vec::new(),
            levels: Vec::new(),
            nesting: 0,
            in_type: None,
            in_func: None,
            block_end: 0,
        }
    }

    /// Runs `f` one level deeper, unless that is too deep.
    pub fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        nesting::deeper(self, |lowering| &mut lowering.nesting, f)
    }

    pub fn kind(&self) -> Kind {
        self.grammar.kind(self.cursor.node().kind)
    }

    pub fn field(&self) -> NodeField {
        self.cursor.node().field
    }

    pub fn span(&self) -> Span {
        self.cursor.node().span
    }

    /// Returns the text under the cursor.
    pub fn slice(&self) -> &'t str {
        self.span().of(self.text)
    }

    pub fn is_named(&self) -> bool {
        self.cursor.node().is_named()
    }

    /// Calls `f` with the cursor on each child in turn, comments left out.
    pub fn children(&mut self, f: impl FnMut(&mut Self, Kind)) {
        if self.cursor.goto_first_child() {
            self.and_siblings(f);
            self.cursor.goto_parent();
        }
    }

    /// Calls `read` on each child, and returns the last result that is not `None`.
    pub fn last<T>(&mut self, mut read: impl FnMut(&mut Self, Kind) -> Option<T>) -> Option<T> {
        let mut last = None;
        self.children(|lower, kind| last = read(lower, kind).or(last.take()));
        last
    }

    /// Calls `f` with the cursor on each sibling after the current one, comments left out, and goes to their parent.
    pub fn siblings_and_up(&mut self, f: impl FnMut(&mut Self, Kind)) {
        if self.cursor.goto_next_sibling() {
            self.and_siblings(f);
        }
        self.cursor.goto_parent();
    }

    fn and_siblings(&mut self, mut f: impl FnMut(&mut Self, Kind)) {
        loop {
            let kind = self.kind();
            if kind != Kind::Comment {
                f(self, kind);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
    }

    /// Moves to the first child that is no comment; stays where it is when there is none.
    pub fn down(&mut self) -> bool {
        if !self.cursor.goto_first_child() {
            return false;
        }
        while self.kind() == Kind::Comment {
            if !self.cursor.goto_next_sibling() {
                self.cursor.goto_parent();
                return false;
            }
        }
        true
    }

    /// Interns the word under the cursor.
    pub fn word(&mut self) -> Name {
        let word = self.slice();
        self.facts.names.intern(word)
    }

    pub fn mark(&self) -> usize {
        self.scratch.len()
    }

    pub fn push(&mut self, id: u32) {
        self.scratch.push(id);
    }

    /// Makes a list of the expressions pushed since `mark`.
    pub fn expr_list(&mut self, mark: usize) -> Run {
        let list = &mut self.facts.expr_lists;
        Run::add(list, self.scratch.drain(mark..).map(ExprId))
    }

    /// Makes a list of the types pushed since `mark`.
    pub fn type_list(&mut self, mark: usize) -> Run {
        let list = &mut self.facts.type_lists;
        Run::add(list, self.scratch.drain(mark..).map(TypeId))
    }

    /// Makes a list of the statements pushed since `mark`.
    pub fn stmt_list(&mut self, mark: usize) -> Run {
        let list = &mut self.facts.stmt_lists;
        Run::add(list, self.scratch.drain(mark..).map(StmtId))
    }

    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        add(&mut self.facts.exprs, expr)
    }

    pub fn add_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        self.facts.stmt_spans.push(span);
        add(&mut self.facts.stmts, stmt)
    }

    pub fn add_type(&mut self, ty: TypeSyntax) -> TypeId {
        add(&mut self.facts.type_syntax, ty)
    }

    pub fn add_block(&mut self, span: Span, stmts: Run) -> BlockId {
        add(&mut self.facts.blocks, super::GoBlock { span, stmts })
    }
}

//! The walk over one syntax tree: the state that every part of lowering shares.

use super::kind::{CSharpGrammar, Fields, Kind, WORDS};
use super::{
    BlockDecl, CSharpFacts, Expr, ExprId, Ids, LineTable, Name, ParamDecl, Pattern, PatternId,
    ScopeDecl, Stmt, StmtId, TypeRef, TypeSyntax,
};
use crate::csharp::preprocess;
use crate::fault::Fault;
use crate::generated::is_generated;
use crate::ids::add;
use crate::index::{FileReading, SourceText};
use crate::model::{Language, Span};
use crate::run::Run;
use crate::syntax::file_tokens::FileTokens;
use crate::syntax::nesting;
use crate::syntax::tree::{NodeField, Parser, Tree};
use rustc_hash::FxHashSet;

struct Buffers {
    parser: Parser,
    tree: Tree,
}

thread_local! {
    // A parser keeps its buffers; making one per file costs more than parsing a small file.
    static BUFFERS: std::cell::RefCell<Option<Buffers>> = const { std::cell::RefCell::new(None) };
}

/// Reads one file, with its tokens where the tree tells them. Never fails: a file that does not parse as a whole gives
/// the facts of the parts that do, and a problem.
pub fn parse(
    source: SourceText<'_>,
    defined: impl FnOnce() -> FxHashSet<String>,
) -> FileReading<CSharpFacts> {
    let SourceText { path, text } = source;
    let (readable, extensions) = preprocess::opened(preprocess::blanked(text, defined));
    BUFFERS.with_borrow_mut(|buffers| {
        let Buffers { parser, tree } = buffers.get_or_insert_with(|| Buffers {
            parser: Parser::new(),
            tree: Tree::new(),
        });
        parser.parse(Language::CSharp, &readable, tree);
        let facts = lowered(path, text, (tree, extensions));
        let problem = tree.has_error().then(|| {
            let fault = if tree.is_stopped() {
                Fault::GivenUp
            } else {
                Fault::Syntax {
                    line: first_error(tree).map(|at| facts.lines.line(at)),
                    detail: String::new(),
                }
            };
            fault.of(path)
        });
        FileReading {
            facts,
            tokens: FileTokens::of_csharp(tree, (text, &readable)),
            problem,
        }
    })
}

/// Reads the signatures that are built in.
pub fn parse_library(path: &str, text: &str) -> CSharpFacts {
    let FileReading { facts, problem, .. } = parse(SourceText { path, text }, FxHashSet::default);
    debug_assert!(problem.is_none(), "{path}: {problem:?}");
    facts
}

fn first_error(tree: &Tree) -> Option<u32> {
    let mut nodes = tree.nodes.iter();
    let fault = nodes.find(|node| node.is_error() || node.is_missing())?;
    Some(fault.span.start)
}

fn lowered(path: &str, text: &str, (tree, extensions): (&Tree, Vec<Span>)) -> CSharpFacts {
    let mut lower = CSharpLowering {
        tree,
        words: &WORDS,
        fields: &WORDS.fields,
        text,
        facts: CSharpFacts {
            path: path.into(),
            lines: LineTable::new(text),
            is_generated: is_generated(Language::CSharp, path, text),
            scopes: vec![ScopeDecl::default()],
            // The first element of each table stands for anything broken or missing.
            exprs: vec![Expr::Broken],
            spans: vec![Span::default()],
            stmts: vec![Stmt::Nothing],
            stmt_spans: vec![Span::default()],
            patterns: vec![Pattern::Discard],
            type_refs: vec![TypeSyntax::Broken, TypeSyntax::Var],
            ..CSharpFacts::default()
        },
        depth: 0,
        ready: None,
        extensions,
        receiver: None,
    };
    if !tree.is_stopped() {
        lower.file();
    }
    lower.facts.names.finish();
    lower.facts
}

/// Stands for an expression that cannot be read.
pub const BROKEN: ExprId = ExprId(0);
pub const NO_STMT: StmtId = StmtId(0);
pub const NO_PATTERN: PatternId = PatternId(0);
pub const BROKEN_TYPE: TypeRef = TypeRef(0);
pub const VAR: TypeRef = TypeRef(1);

/// The receiver of the block of extensions that is being read.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub end: u32,
    pub param: ParamDecl,
    pub vars: Run,
}

pub struct CSharpLowering<'t> {
    pub tree: &'t Tree,
    words: &'static CSharpGrammar,
    pub fields: &'static Fields,
    text: &'t str,
    pub facts: CSharpFacts,
    depth: u32,
    /// The expression at the bottom of a chain that was lowered already.
    pub ready: Option<(u32, ExprId)>,
    /// The blocks of extension members, in order.
    pub extensions: Vec<Span>,
    pub receiver: Option<Receiver>,
}

impl<'t> CSharpLowering<'t> {
    pub fn kind(&self, idx: u32) -> Kind {
        self.words.kind(self.tree.nodes[idx as usize].kind)
    }

    pub fn span(&self, idx: u32) -> Span {
        self.tree.nodes[idx as usize].span
    }

    pub fn field_of(&self, idx: u32) -> NodeField {
        self.tree.nodes[idx as usize].field
    }

    pub fn text(&self, idx: u32) -> &'t str {
        self.span(idx).of(self.text)
    }

    pub fn children(&self, idx: u32) -> impl Iterator<Item = u32> + 't {
        self.tree.children(idx)
    }

    /// Iterates over the children except tokens and comments.
    pub fn parts(&self, idx: u32) -> impl Iterator<Item = u32> + 't {
        let tree = self.tree;
        tree.children(idx).filter(move |&child| {
            tree.nodes[child as usize].is_named() && !tree.nodes[child as usize].is_extra()
        })
    }

    /// Finds the first child of that field.
    pub fn child(&self, idx: u32, field: NodeField) -> Option<u32> {
        self.children(idx)
            .find(|&child| self.field_of(child) == field)
    }

    pub fn child_of(&self, idx: u32, kind: Kind) -> Option<u32> {
        self.children(idx).find(|&child| self.kind(child) == kind)
    }

    pub fn has(&self, idx: u32, kind: Kind) -> bool {
        self.child_of(idx, kind).is_some()
    }

    /// Interns a node's text without the sign that lets a keyword be a name.
    pub fn word(&mut self, idx: u32) -> Name {
        let text = self.text(idx);
        self.facts
            .names
            .intern(text.strip_prefix('@').unwrap_or(text))
    }

    /// Interns a text with white space folded.
    pub fn folded(&mut self, span: Span) -> Name {
        let text = span.of(self.text);
        let words: Vec<&str> = text.split_whitespace().collect();
        self.facts.names.intern(&words.join(" "))
    }

    /// Runs `f` one level deeper; nothing where source is nested too deep.
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        nesting::deeper(self, |lowering| &mut lowering.depth, f)
    }

    pub fn add_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.facts.exprs.push(expr);
        self.facts.spans.push(span);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    pub fn add_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        self.facts.stmts.push(stmt);
        self.facts.stmt_spans.push(span);
        StmtId(self.facts.stmts.len() as u32 - 1)
    }

    pub fn add_pattern(&mut self, pattern: Pattern) -> PatternId {
        add(&mut self.facts.patterns, pattern)
    }

    pub fn add_type(&mut self, ty: TypeSyntax) -> TypeRef {
        add(&mut self.facts.type_refs, ty)
    }

    pub fn list<T: Into<u32> + Copy>(&mut self, ids: &[T]) -> Ids<T> {
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend(ids.iter().map(|&id| id.into()));
        Ids::new(start, ids.len() as u32)
    }

    /// Notes a body and its statements, before the bodies in it.
    pub fn note_block(&mut self, span: Span, statements: &[Span], is_function: bool) {
        let statements = self.note_statements(statements);
        self.facts.blocks.push(BlockDecl {
            span,
            statements,
            is_function,
        });
    }

    pub fn note_statements(&mut self, statements: &[Span]) -> Run {
        Run::add(&mut self.facts.statements, statements.iter().copied())
    }

    /// Lists the places of a block's statements, in order.
    pub fn statement_spans(&self, block: u32) -> Vec<Span> {
        self.parts(block).map(|part| self.span(part)).collect()
    }
}

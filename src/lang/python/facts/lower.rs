//! The walk over one syntax tree: the parser, the word table, and what every part of lowering shares.

use crate::run::Run;
use std::cell::RefCell;

use super::kind::{Fields, Kind as K, PythonGrammar, WORDS_OF_GRAMMAR};
use super::{
    Binding, BindingOrigin, Expr, ExprId, FieldAssign, Literal, Name, PythonFacts, PythonScope,
    ScopeKind, Stmt, StmtId, flag,
};
use crate::fault::Fault;
use crate::generated::is_generated;
use crate::index::{FileReading, SourceText};
use crate::lines::LineTable;
use crate::model::{Language, Span};
use crate::syntax::file_tokens::FileTokens;
use crate::syntax::nesting;
use crate::syntax::tree::{NodeField, Parser, Tree};

thread_local! {
    // Parsers and trees keep their memory from one file to the next.
    static READER: RefCell<(Parser, Tree)> = RefCell::new((Parser::new(), Tree::new()));
}

/// Reads one file, with its tokens where the tree tells them. Never fails: a file with syntax errors gives the facts
/// that can be read, and a problem.
pub fn parse(source: SourceText<'_>) -> FileReading<PythonFacts> {
    let SourceText { path, text } = source;
    READER.with_borrow_mut(|(parser, tree)| {
        parser.parse(Language::Python, text, tree);
        let mut lower = PythonLowering::new(path, text, tree);
        lower.module();
        let facts = lower.finish();
        let fault = if tree.is_stopped() {
            Some(Fault::GivenUp)
        } else {
            let first = tree.has_error().then(|| tree.first_fault(text)).flatten();
            first.map(|fault| Fault::Syntax {
                line: Some(fault.position.line),
                detail: fault.detail,
            })
        };
        FileReading {
            facts,
            tokens: FileTokens::of_tree(tree, text),
            problem: fault.map(|fault| fault.of(path)),
        }
    })
}

/// A scope that is being read.
pub(super) struct OpenScope {
    pub index: u32,
    pub kind: ScopeKind,
    /// The name of a method's first parameter.
    pub receiver: Option<Name>,
    /// Names that `global` or `nonlocal` assigns to scopes around this one, and whether it is `global`.
    pub outer: Vec<(Name, bool)>,
    /// How many `if`, `try` and loops are around the place.
    pub n_conditions: u32,
}

pub(super) struct PythonLowering<'t> {
    pub text: &'t str,
    pub tree: &'t Tree,
    pub words: &'static PythonGrammar,
    pub facts: PythonFacts,
    pub open: Vec<OpenScope>,
    pub depth: u32,
}

impl<'t> PythonLowering<'t> {
    fn new(path: &str, text: &'t str, tree: &'t Tree) -> Self {
        let size = tree.nodes.len();
        let facts = PythonFacts {
            path: path.into(),
            lines: LineTable::new(text),
            exprs: Vec::with_capacity(size / 3 + 1),
            is_generated: is_generated(Language::Python, path, text),
            ..PythonFacts::default()
        };
        let mut lower = Self {
            text,
            tree,
            words: &WORDS_OF_GRAMMAR,
            facts,
            open: Vec::new(),
            depth: 0,
        };
        lower.push_expr(Expr::Broken, Span::default(), 0);
        lower.facts.stmts.push(Stmt::Leave);
        lower.facts.stmt_spans.push(Span::default());
        lower
    }

    fn module(&mut self) {
        let end = self.text.len() as u32;
        self.facts.scopes.push(PythonScope {
            span: Span::new(0, end),
            body_span: Some(Span::new(0, end)),
            ..PythonScope::default()
        });
        self.facts.headers.push(Box::default());
        self.open.push(OpenScope {
            index: 0,
            kind: ScopeKind::Module,
            receiver: None,
            outer: Vec::new(),
            n_conditions: 0,
        });
        if !self.tree.is_stopped() {
            let body = self.block(0);
            self.facts.scopes[0].body = body;
        }
    }

    fn finish(mut self) -> PythonFacts {
        self.facts.names.finish();
        // Stable: bindings of a scope stay in source order.
        self.facts.bindings.sort_by_key(|binding| binding.scope);
        let mut at = 0;
        for scope in 0..self.facts.scopes.len() as u32 {
            let start = at;
            while self
                .facts
                .bindings
                .get(at)
                .is_some_and(|binding| binding.scope == scope)
            {
                at += 1;
            }
            self.facts.bindings_of.push(Run {
                start: start as u32,
                end: at as u32,
            });
        }
        let lambdas = self.facts.lambdas.iter().enumerate();
        let starts =
            lambdas.map(|(number, lambda)| (self.facts.span(lambda.body).start, number as u32));
        let mut starts: Vec<(u32, u32)> = starts.collect();
        starts.sort_unstable();
        self.facts.lambda_starts = starts;
        if self.tree.has_error() {
            let nodes = self.tree.nodes.iter();
            let faulty = nodes.filter(|node| node.is_error() || node.is_missing());
            self.facts.errors = faulty.map(|node| node.span).collect();
        }
        self.facts
    }

    // The tree.

    pub fn kind(&self, idx: u32) -> K {
        self.words.kind(self.tree.nodes[idx as usize].kind)
    }

    pub fn fields(&self) -> &'static Fields {
        &self.words.fields
    }

    pub fn span_of(&self, idx: u32) -> Span {
        self.tree.nodes[idx as usize].span
    }

    pub fn text_of(&self, idx: u32) -> &'t str {
        self.span_of(idx).of(self.text)
    }

    pub fn child(&self, idx: u32, field: NodeField) -> Option<u32> {
        self.tree.child_by_field(idx, field)
    }

    /// Iterates over the named children, without comments and line continuations.
    pub fn named(&self, idx: u32) -> impl Iterator<Item = u32> + use<'t> {
        let (tree, words) = (self.tree, self.words);
        tree.children(idx).filter(move |child| {
            let node = &tree.nodes[*child as usize];
            node.is_named() && !matches!(words.kind(node.kind), K::Comment | K::LineContinuation)
        })
    }

    /// Tells whether a node has an unnamed child with this text.
    pub fn has_token(&self, idx: u32, token: &str) -> bool {
        let mut children = self.tree.children(idx);
        children.any(|child| {
            !self.tree.nodes[child as usize].is_named() && self.text_of(child) == token
        })
    }

    /// Runs `f` one level deeper; nothing beyond [`nesting::NESTING_MAX`].
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        nesting::deeper(self, |lowering| &mut lowering.depth, f)
    }

    // Words and arenas.

    pub fn word(&mut self, word: &str) -> Name {
        self.facts.names.intern(word)
    }

    pub fn word_of(&mut self, idx: u32) -> Name {
        self.word(self.text_of(idx))
    }

    pub fn push_expr(&mut self, expr: Expr, span: Span, token: u32) -> ExprId {
        self.facts.exprs.push(expr);
        self.facts.spans.push(span);
        self.facts.tokens.push(token);
        // Ids begin at one: place 0 stays empty.
        ExprId::new((self.facts.exprs.len() - 1).max(1))
    }

    pub fn push_plain(&mut self, expr: Expr, idx: u32) -> ExprId {
        let span = self.span_of(idx);
        self.push_expr(expr, span, span.start)
    }

    pub fn literal(&mut self, literal: Literal, idx: u32) -> ExprId {
        self.push_plain(Expr::Literal(literal), idx)
    }

    pub fn push_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        self.facts.stmts.push(stmt);
        self.facts.stmt_spans.push(span);
        StmtId::new(self.facts.stmts.len() - 1)
    }

    pub fn push_list(&mut self, ids: &[ExprId]) -> Run {
        Run::add(&mut self.facts.lists, ids.iter().copied())
    }

    // Scopes.

    pub fn here(&mut self) -> &mut OpenScope {
        self.open.last_mut().expect("the module is open")
    }

    /// Notes that the scope at hand gives a name a meaning: the module's after `global`, none after `nonlocal`.
    pub fn bind(&mut self, name: Name, what: BindingOrigin) {
        let open = self.here();
        let is_conditional = open.n_conditions > 0;
        let mut scope = open.index;
        let mut what = what;
        if let Some((_, is_global)) = open
            .outer
            .iter()
            .find(|(outer_name, _)| *outer_name == name)
        {
            if !is_global {
                return;
            }
            what = BindingOrigin::Global(scope);
            scope = 0;
        }
        self.facts.bindings.push(Binding {
            scope,
            name,
            what,
            is_conditional,
        });
    }

    pub fn flag(&mut self, flag: u8) {
        let scope = self.here().index as usize;
        self.facts.scopes[scope].flags |= flag;
    }

    pub fn conditional<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.here().n_conditions += 1;
        let value = f(self);
        self.here().n_conditions -= 1;
        value
    }

    /// Notes the targets of assignments: names of the scope, and fields of the receiver.
    pub fn bind_target(&mut self, target: ExprId) {
        match self.facts.expr(target) {
            Expr::Name(name) => self.bind(name, BindingOrigin::Assign),
            Expr::Attr { value, name } => self.bind_field(value, name),
            Expr::Display(_, run) => {
                for at in run.range() {
                    self.bind_target(self.facts.lists[at]);
                }
            }
            Expr::Star(value) => self.bind_target(value),
            _ => {}
        }
    }

    fn bind_field(&mut self, value: ExprId, name: Name) {
        let open = self.open.last().expect("the module is open");
        let scope = open.index;
        let class = match self.facts.expr(value) {
            Expr::Name(receiver) if open.receiver == Some(receiver) => {
                Some(self.facts.scopes[scope as usize].parent)
            }
            Expr::Attr { name: cls, .. }
                if open.kind == ScopeKind::Function && self.facts.word(cls) == "cls" =>
            {
                None
            }
            _ => return,
        };
        self.facts.fields.push(FieldAssign { class, name, scope });
    }

    pub fn note_dynamic(&mut self, function: ExprId) {
        if let Expr::Name(name) = self.facts.expr(function)
            && matches!(self.facts.word(name), "getattr" | "globals" | "__import__")
        {
            self.flag(flag::DYNAMIC);
        }
    }
}

//! The walk over one syntax tree: what every part of lowering shares.
//!
//! Nesting is bounded, and chains of calls, members and operators are followed without recursion.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::kind::{Field, JavaScriptGrammar, Kind};
use super::node::Node;
use super::{
    Binding, BindingId, BindingKind, Expr, ExprId, FnId, Function, JavaScriptFacts,
    JavaScriptScope, LineTable, Name, Owner, ScopeId, SiteId, Type, TypeId, VariableWrite,
};
use crate::generated::is_generated;
use crate::ids::add;
use crate::model::{Language, Span};
use crate::syntax::nesting;

/// A child of a node.
#[derive(Clone, Copy)]
pub struct ChildNode<'t> {
    pub node: Node<'t>,
    pub kind: Kind,
    pub field: Field,
    pub is_type: bool,
}

/// The children of a node: nearly all nodes have few, for which nothing is allocated.
pub type ChildNodes<'t> = SmallVec<[ChildNode<'t>; 4]>;

/// Finds the first of a node's children that is in a field.
pub fn in_field<'t>(kids: &[ChildNode<'t>], field: Field) -> Option<ChildNode<'t>> {
    kids.iter().find(|kid| kid.field == field).copied()
}

/// The identity that a function or an object literal will have.
#[derive(Clone, Copy)]
pub struct FunctionIdentity {
    pub name: Name,
    pub name_span: Span,
    /// The holders around a function of that name.
    pub path: Name,
    /// The path of the declarations inside it.
    pub inner: Name,
    pub owner: Owner,
    pub is_declared: bool,
    /// Whether the value goes through a call first.
    pub is_wrapped: bool,
    /// The whole declaration, where it is more than the value.
    pub span: Option<Span>,
}

/// An assignment to a name, before it is known which variable that is.
pub struct PendingAssignment {
    pub name: Name,
    pub write: VariableWrite,
}

pub struct JavaScriptLowering<'t> {
    pub text: &'t str,
    pub grammar: &'static JavaScriptGrammar,
    pub facts: JavaScriptFacts,
    pub depth: u32,
    pub function: FnId,
    pub scope: ScopeId,
    /// The call whose receiver or argument is read, and whether it is an argument.
    pub call: Option<(SiteId, bool)>,
    /// The holders around this place, joined with dots.
    pub path: Name,
    /// Whether declarations here are the module's: not in a function that is called later.
    pub is_module_level: bool,
    pub fn_depth: u16,
    pub declared: FxHashMap<(ScopeId, Name), BindingId>,
    pub assigned: Vec<PendingAssignment>,
    /// Whether the next function is called where it stands.
    pub is_called_here: bool,
    /// Comments with tags, by the offset of the code that they describe.
    pub comments: FxHashMap<u32, Span>,
    pub is_typescript: bool,
    /// Other names of a runner's functions, and the words that they stand for.
    pub aliases: FxHashMap<Name, Vec<Name>>,
    /// Names of modules that have a runner's functions.
    pub runner_modules: FxHashSet<Name>,
    /// How many loops stand around this place.
    pub n_loops: u32,
}

impl<'t> JavaScriptLowering<'t> {
    /// Lowers a tree from its root; without one, only the facts of the text remain, such as its lines.
    pub fn of(
        path: &str,
        text: &'t str,
        grammar: &'static JavaScriptGrammar,
        root: Option<Node<'t>>,
    ) -> JavaScriptFacts {
        let facts = JavaScriptFacts {
            path: path.to_owned(),
            lines: LineTable::new(text),
            is_generated: is_generated(Language::JavaScript, path, text),
            ..JavaScriptFacts::default()
        };
        let mut lower = Self {
            text,
            grammar,
            facts,
            depth: 0,
            function: FnId(0),
            scope: ScopeId(0),
            call: None,
            path: Name(0),
            is_module_level: true,
            fn_depth: 0,
            declared: FxHashMap::default(),
            assigned: Vec::new(),
            is_called_here: false,
            comments: FxHashMap::default(),
            aliases: FxHashMap::default(),
            runner_modules: FxHashSet::default(),
            n_loops: 0,
            is_typescript: path.ends_with("ts") || path.ends_with("tsx"),
        };
        lower.module(root);
        lower.settle();
        lower.facts.declared = lower.declared;
        lower.facts.config_text = is_configuration(path).then(|| text.into());
        lower.facts
    }

    fn module(&mut self, root: Option<Node<'t>>) {
        let span = Span::new(0, self.text.len() as u32);
        self.facts.scopes.push(JavaScriptScope {
            parent: None,
            function: FnId(0),
            span,
        });
        self.add_expr(Expr::Unknown, 0);
        self.add_type(Type::Unknown);
        self.facts.functions.push(blank_function(span));
        match root {
            Some(root) if root.is_error() => self.broken(root),
            Some(root) => {
                for kid in self.kids(root) {
                    self.stmt(kid);
                }
            }
            None => {}
        }
        self.facts.functions[0].sites.1 = self.facts.sites.len() as u32;
    }

    /// Lists the named children of a node, and words that tell alternatives apart. Comments are kept aside.
    pub fn kids(&mut self, node: Node<'t>) -> ChildNodes<'t> {
        let mut kids = ChildNodes::new();
        self.each_kid(node, |kid| kids.push(kid));
        kids
    }

    /// Lists the elements of an array or of an array pattern with their places: holes count.
    pub fn placed(&mut self, node: Node<'t>) -> SmallVec<[(usize, ChildNode<'t>); 4]> {
        let text = self.text;
        let is_comma = move |node: &Node<'t>| !node.is_named() && node.span().of(text) == ",";
        let mut commas = node.children().filter(is_comma).peekable();
        let mut place = 0;
        let kids = self.kids(node).into_iter().map(|kid| {
            let start = kid.node.start_byte();
            while commas.next_if(|comma| comma.start_byte() < start).is_some() {
                place += 1;
            }
            (place, kid)
        });
        kids.collect()
    }

    /// Finds the child in a field. The search goes on to the last child all the same, for comments after it are kept
    /// aside, too.
    pub fn kid(&mut self, node: Node<'t>, field: Field) -> Option<ChildNode<'t>> {
        let mut found = None;
        self.each_kid(node, |kid| {
            if found.is_none() && kid.field == field {
                found = Some(kid);
            }
        });
        found
    }

    fn each_kid(&mut self, node: Node<'t>, mut look: impl FnMut(ChildNode<'t>)) {
        for node in node.children() {
            let kind = self.grammar.kind(node.kind());
            if kind == Kind::Comment {
                self.comment(node.span());
            } else if (node.is_named() || kind != Kind::Other) && !node.is_missing() {
                let (field, is_type) = self.grammar.fields.get(node.field());
                look(ChildNode {
                    node,
                    kind,
                    field,
                    is_type,
                });
            }
        }
    }

    /// Makes a child of a node that is at hand.
    pub fn as_kid(&self, node: Node<'t>) -> ChildNode<'t> {
        ChildNode {
            node,
            kind: self.grammar.kind(node.kind()),
            field: Field::Other,
            is_type: false,
        }
    }

    /// Goes one level deeper, or returns nothing where that is too deep.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        nesting::deeper(self, |script_lowering| &mut script_lowering.depth, read)
    }

    /// Reads something that is no part of the call around this place.
    pub fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let call = self.call.take();
        let value = read(self);
        self.call = call;
        value
    }

    pub fn slice(&self, node: Node<'t>) -> &'t str {
        node.span().of(self.text)
    }

    pub fn word(&mut self, node: Node<'t>) -> Name {
        let slice = self.slice(node);
        self.facts.names.intern(slice)
    }

    pub fn intern(&mut self, word: &str) -> Name {
        self.facts.names.intern(word)
    }

    pub fn add_expr(&mut self, expr: Expr, start: u32) -> ExprId {
        self.facts.exprs.push(expr);
        self.facts.starts.push(start);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    /// Adds an expression for what stands at a node.
    pub fn expr_at(&mut self, expr: Expr, node: Node<'t>) -> ExprId {
        self.add_expr(expr, node.start_byte() as u32)
    }

    pub fn add_type(&mut self, ty: Type) -> TypeId {
        add(&mut self.facts.types, ty)
    }

    /// Joins two names as `a.b`; an empty one is left out.
    pub fn joined(&mut self, path: Name, name: Name) -> Name {
        if path == Name(0) {
            return name;
        }
        if name == Name(0) {
            return path;
        }
        let joined = [self.facts.word(path), ".", self.facts.word(name)].concat();
        // Only where functions are nested in each other without end is a path that long.
        if joined.len() > 1_000 {
            return path;
        }
        self.intern(&joined)
    }

    /// Finds the scope of the function around this place, where `var` declares.
    pub fn function_scope(&self) -> ScopeId {
        match self.function {
            FnId(0) => ScopeId(0),
            function => self.facts.function(function).scope,
        }
    }

    pub fn push_scope(&mut self, span: Span) -> ScopeId {
        add(
            &mut self.facts.scopes,
            JavaScriptScope {
                parent: Some(self.scope),
                function: self.function,
                span,
            },
        )
    }

    /// Reads something in a scope of its own.
    pub fn scoped<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.scope;
        self.scope = self.push_scope(span);
        let value = read(self);
        self.scope = around;
        value
    }

    /// Declares a name in a scope; a second declaration is the same variable.
    pub fn declare(&mut self, scope: ScopeId, name: Name, kind: BindingKind) -> BindingId {
        let next = BindingId(self.facts.bindings.len() as u32);
        let id = *self.declared.entry((scope, name)).or_insert(next);
        if id == next {
            self.facts.bindings.push(Binding {
                name,
                kind,
                scope,
                writes: Vec::new(),
                ty: None,
            });
        }
        id
    }

    /// Gives a declared name its value.
    pub fn give(&mut self, binding: BindingId, value: ExprId, at: u32) {
        let write = VariableWrite::new(value, at, self.scope);
        self.facts.bindings[binding.index()].writes.push(write);
    }

    /// Finds the variables that names mean, now that all are declared.
    fn settle(&mut self) {
        for PendingAssignment { name, write } in std::mem::take(&mut self.assigned) {
            let id = self
                .find(write.scope, name)
                .unwrap_or_else(|| self.declare(ScopeId(0), name, BindingKind::Var));
            self.facts.bindings[id.index()].writes.push(write);
        }
        for binding in &mut self.facts.bindings {
            binding.writes.sort_by_key(|write| write.at);
        }
        for at in 0..self.facts.exprs.len() {
            // Until now the number is the name's.
            let Expr::Var(BindingId(name), scope) = self.facts.exprs[at] else {
                continue;
            };
            let name = Name(name);
            self.facts.exprs[at] = match self.find(scope, name) {
                Some(binding) => Expr::Var(binding, scope),
                None => Expr::Global(name),
            };
        }
        self.declare_members();
        self.settle_cases();
        self.facts
            .chains
            .sort_by_key(|chain| (chain.span.start, std::cmp::Reverse(chain.span.end)));
        self.facts
            .blocks
            .sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
    }

    fn find(&self, scope: ScopeId, name: Name) -> Option<BindingId> {
        let mut scope = Some(scope);
        while let Some(id) = scope {
            if let Some(&binding) = self.declared.get(&(id, name)) {
                return Some(binding);
            }
            scope = self.facts.scope(id).parent;
        }
        None
    }

    /// Marks local functions as declared that a member holds (`return { dispatch }`, `lodash.chunk = chunk`) or that a
    /// declared function returns by name.
    fn declare_members(&mut self) {
        let mut held: Vec<ExprId> = self
            .facts
            .effects
            .iter()
            .map(|effect| effect.value)
            .collect();
        held.extend(self.returned_names());
        for object in &self.facts.objects {
            held.extend(object.members.iter().filter_map(|member| member.value));
        }
        for value in held {
            let Expr::Var(binding, _) = *self.facts.expr(value) else {
                continue;
            };
            let binding = self.facts.binding(binding);
            let [write] = binding.writes[..] else {
                continue;
            };
            if let Expr::Function(function) = *self.facts.expr(write.value) {
                let name = binding.name;
                let function = &mut self.facts.functions[function.index()];
                if function.name == Name(0) {
                    function.name = name;
                }
                function.is_declared = true;
            }
        }
    }

    fn returned_names(&self) -> Vec<ExprId> {
        let functions = self.facts.functions.iter();
        let returned = functions
            .filter(|function| function.is_declared)
            .flat_map(|function| &function.returns);
        let is_name = |expr_id: &&ExprId| matches!(self.facts.expr(**expr_id), Expr::Var(..));
        returned.filter(is_name).copied().collect()
    }
}

/// Makes a function with a known place, and nothing else.
pub fn blank_function(span: Span) -> Function {
    Function {
        name_span: Span::new(span.start, span.start),
        span,
        header: Span::new(span.start, span.start),
        sites: (0, 0),
        ..Function::default()
    }
}

/// Tells whether a file configures how others are found: a configuration of Jest or a bundler.
fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let kinds = [
        "jest.config.",
        "vite.config.",
        "vitest.config.",
        "rollup.config.",
        "webpack.config.",
        "tsup.config.",
    ];
    kinds.iter().any(|kind| name.starts_with(kind))
}

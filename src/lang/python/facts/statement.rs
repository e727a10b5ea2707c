//! Lowering of statements.

use super::kind::Kind as K;
use super::lower::PythonLowering;
use super::{
    BindingOrigin, Branch, Display, Expr, ExprId, Handler, Name, PythonImport, Stmt, StmtId,
    WithItem,
};
use crate::ids::add;
use crate::run::Run;

impl PythonLowering<'_> {
    /// Lowers the statements of a block or a module; in errors, those that parse.
    pub fn block(&mut self, idx: u32) -> Run {
        let mut ids = Vec::new();
        self.statements(idx, &mut ids);
        Run::add(&mut self.facts.blocks, ids)
    }

    fn statements(&mut self, idx: u32, ids: &mut Vec<StmtId>) {
        for child in self.named(idx) {
            if self.kind(child) == K::Error {
                self.deeper(|lowering| lowering.statements(child, ids));
                continue;
            }
            let span = self.span_of(child);
            let stmts = self.deeper(|lowering| lowering.statement(child));
            for stmt in stmts.into_iter().flatten() {
                ids.push(self.push_stmt(stmt, span));
            }
        }
    }

    fn block_of(&mut self, idx: Option<u32>) -> Run {
        idx.map_or_else(Run::default, |idx| self.block(idx))
    }

    fn statement(&mut self, idx: u32) -> Vec<Stmt> {
        let stmt = match self.kind(idx) {
            K::ExpressionStatement => return self.expression_statement(idx),
            K::Return => {
                let value = self.named(idx).next();
                let value = value.map(|value| self.expr(value));
                Stmt::Return(value)
            }
            K::If => self.if_statement(idx),
            K::While => self.while_statement(idx),
            K::For => self.for_statement(idx),
            K::With => self.with_statement(idx),
            K::Try => self.try_statement(idx),
            K::Match => self.match_statement(idx),
            K::Decorated | K::FunctionDefinition | K::ClassDefinition => {
                return self.definition(idx).map(Stmt::Define).into_iter().collect();
            }
            K::Import | K::ImportFrom => self.import(idx),
            K::Assert => Stmt::Assert(self.parts(idx)),
            K::Raise => Stmt::Raise(self.parts(idx)),
            K::Delete | K::Print | K::Exec => Stmt::Other(self.parts(idx)),
            K::Global | K::Nonlocal => {
                let is_global = self.kind(idx) == K::Global;
                for child in self.named(idx) {
                    let name = self.word_of(child);
                    self.here().outer.push((name, is_global));
                }
                return Vec::new();
            }
            K::TypeAlias => return self.type_alias(idx).into_iter().collect(),
            K::Other if matches!(self.text_of(idx), "break" | "continue") => Stmt::Leave,
            _ => Stmt::Other(Run::default()),
        };
        vec![stmt]
    }

    fn parts(&mut self, idx: u32) -> Run {
        let children: Vec<u32> = self.named(idx).collect();
        let ids: Vec<ExprId> = children.into_iter().map(|child| self.expr(child)).collect();
        self.push_list(&ids)
    }

    fn expression_statement(&mut self, idx: u32) -> Vec<Stmt> {
        let children: Vec<u32> = self.named(idx).collect();
        let mut stmts = Vec::new();
        if let [one] = children.as_slice() {
            match self.kind(*one) {
                K::Assignment => stmts.extend(self.assignment(*one)),
                K::Augmented => stmts.extend(self.augmented(*one)),
                K::Error => {}
                _ => {
                    let value = self.expr(*one);
                    stmts.push(Stmt::Expr(value));
                }
            }
            return stmts;
        }
        // `a, b` without brackets.
        let ids: Vec<ExprId> = children.into_iter().map(|child| self.expr(child)).collect();
        stmts.push(Stmt::Other(self.push_list(&ids)));
        stmts
    }

    fn assignment(&mut self, idx: u32) -> Option<Stmt> {
        let fields = self.fields();
        let mut targets = Vec::new();
        let mut at = idx;
        let annotation = self.child(at, fields.r#type);
        // `a = b = c` hangs to the right.
        let value = loop {
            let target = self.child(at, fields.left)?;
            let target = self.expr(target);
            self.bind_target(target);
            targets.push(target);
            match self.child(at, fields.right) {
                Some(right) if self.kind(right) == K::Assignment => at = right,
                right => break right,
            }
        };
        let value = value.map(|value| self.expr(value));
        if let Some(annotation) = annotation {
            let annotation = self.annotation(annotation);
            return Some(Stmt::Annotated {
                target: targets[0],
                annotation,
                value,
            });
        }
        let value = value?;
        self.note_exported(targets[0], value);
        let targets = self.push_list(&targets);
        Some(Stmt::Assign { targets, value })
    }

    fn augmented(&mut self, idx: u32) -> Option<Stmt> {
        let fields = self.fields();
        let target = self.child(idx, fields.left)?;
        let value = self.child(idx, fields.right)?;
        let (target, value) = (self.expr(target), self.expr(value));
        self.note_exported(target, value);
        Some(Stmt::Augmented { target, value })
    }

    /// Notes the names of `__all__ = [...]` and `__all__ += [...]`; a computed value says nothing.
    fn note_exported(&mut self, target: ExprId, value: ExprId) {
        let Expr::Name(name) = self.facts.expr(target) else {
            return;
        };
        if self.open.len() > 1 || self.facts.word(name) != "__all__" {
            return;
        }
        if let Expr::Display(Display::List | Display::Tuple, run) = self.facts.expr(value) {
            let list = self.facts.list(run);
            let names: Vec<Name> = list
                .iter()
                .filter_map(|expr_id| match self.facts.expr(*expr_id) {
                    Expr::Str(name) => Some(name),
                    _ => None,
                })
                .collect();
            self.facts.exported.get_or_insert_default().extend(names);
        }
    }

    fn type_alias(&mut self, idx: u32) -> Option<Stmt> {
        let fields = self.fields();
        let left = self.child(idx, fields.left)?;
        let right = self.child(idx, fields.right)?;
        let target = self.expr(left);
        self.bind_target(target);
        let value = self.annotation(right);
        let targets = self.push_list(&[target]);
        Some(Stmt::Assign { targets, value })
    }

    fn if_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let mut branches = Vec::new();
        let test = self.child(idx, fields.condition);
        let body = self.child(idx, fields.consequence);
        branches.push(self.branch(test, body));
        for child in self.named(idx) {
            match self.kind(child) {
                K::Elif => {
                    let test = self.child(child, fields.condition);
                    let body = self.child(child, fields.consequence);
                    branches.push(self.branch(test, body));
                }
                K::Else => {
                    let body = self.child(child, fields.body);
                    branches.push(self.branch(None, body));
                }
                _ => {}
            }
        }
        // Without an `else`, all branches may be skipped.
        Stmt::If {
            branches: Run::add(&mut self.facts.branches, branches),
        }
    }

    fn branch(&mut self, test: Option<u32>, body: Option<u32>) -> Branch {
        let test = test.map(|test| self.expr(test));
        let body = self.conditional(|lowering| lowering.block_of(body));
        Branch { test, body }
    }

    fn other_of(&mut self, idx: u32, kind: K) -> Run {
        let other = self.named(idx).find(|n| self.kind(*n) == kind);
        let block = other.and_then(|other| {
            self.named(other)
                .find(|child| self.kind(*child) == K::Block)
        });
        self.conditional(|lowering| lowering.block_of(block))
    }

    fn while_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let test = self.child(idx, fields.condition);
        let body = self.child(idx, fields.body);
        let Branch { test, body } = self.branch(test, body);
        let other = self.other_of(idx, K::Else);
        match test {
            Some(test) => Stmt::While { test, body, other },
            None => Stmt::Other(Run::default()),
        }
    }

    fn for_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let (Some(left), Some(right)) =
            (self.child(idx, fields.left), self.child(idx, fields.right))
        else {
            return Stmt::Other(Run::default());
        };
        let target = self.expr(left);
        self.bind_target(target);
        let iter = self.expr(right);
        let body = self.child(idx, fields.body);
        let body = self.conditional(|lowering| lowering.block_of(body));
        let other = self.other_of(idx, K::Else);
        Stmt::For {
            target,
            iter,
            body,
            other,
        }
    }

    fn with_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let mut items = Vec::new();
        let clause = self.named(idx).find(|n| self.kind(*n) == K::WithClause);
        let written: Vec<u32> = clause.map_or_else(Vec::new, |clause| self.named(clause).collect());
        for item in written {
            let Some(value) = self.child(item, fields.value) else {
                continue;
            };
            // `with (a as x, b as y):` reads as one tuple.
            let parts: Vec<u32> = if self.kind(value) == K::Tuple {
                self.named(value).collect()
            } else {
                vec![value]
            };
            for part in parts {
                items.push(self.item(part));
            }
        }
        let items = Run::add(&mut self.facts.items, items);
        let body = self.child(idx, fields.body);
        let body = self.block_of(body);
        Stmt::With { items, body }
    }

    fn item(&mut self, idx: u32) -> WithItem {
        let target = self.child(idx, self.fields().alias);
        let target = target.and_then(|target| self.named(target).next());
        let value = self.expr(idx);
        let target = target.map(|target| self.expr(target));
        if let Some(target) = target {
            self.bind_target(target);
        }
        WithItem { value, target }
    }

    fn try_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let body = self.child(idx, fields.body);
        let body = self.conditional(|lowering| lowering.block_of(body));
        let mut handlers = Vec::new();
        for child in self.named(idx) {
            if matches!(self.kind(child), K::Except | K::ExceptGroup) {
                handlers.push(self.handler(child));
            }
        }
        let handlers = Run::add(&mut self.facts.handlers, handlers);
        let other = self.other_of(idx, K::Else);
        let last = self.other_of(idx, K::Finally);
        Stmt::Try {
            body,
            handlers,
            other,
            last,
        }
    }

    fn handler(&mut self, idx: u32) -> Handler {
        let mut types = None;
        let mut name = None;
        let mut body = Run::default();
        for child in self.named(idx) {
            match self.kind(child) {
                K::Block => body = self.conditional(|lowering| lowering.block(child)),
                K::AsPattern => {
                    let target = self.child(child, self.fields().alias);
                    let target = target.and_then(|target| self.named(target).next());
                    if let Some(target) =
                        target.filter(|target| self.kind(*target) == K::Identifier)
                    {
                        let word = self.word_of(target);
                        self.bind(word, BindingOrigin::Assign);
                        name = Some(word);
                    }
                    types = Some(self.expr(child));
                }
                _ => types = types.or_else(|| Some(self.expr(child))),
            }
        }
        Handler { types, name, body }
    }

    fn match_statement(&mut self, idx: u32) -> Stmt {
        let fields = self.fields();
        let subject = self.child(idx, fields.subject);
        let Some(subject) = subject.map(|subject| self.expr(subject)) else {
            return Stmt::Other(Run::default());
        };
        let mut branches = Vec::new();
        let body = self.child(idx, fields.body);
        let cases: Vec<u32> = body.map_or_else(Vec::new, |body| self.named(body).collect());
        for case in cases {
            if self.kind(case) != K::CaseClause {
                continue;
            }
            self.bind_captures(case);
            let body = self.child(case, fields.consequence);
            branches.push(self.branch(None, body));
        }
        Stmt::Match {
            subject,
            branches: Run::add(&mut self.facts.branches, branches),
        }
    }

    /// Binds the names in a case's pattern; their values are unknown.
    fn bind_captures(&mut self, case: u32) {
        let tree = self.tree;
        let mut at = case + 1;
        let end = tree.nodes[case as usize].subtree_end;
        while at < end {
            match self.kind(at) {
                K::Block => at = tree.nodes[at as usize].subtree_end,
                K::DottedName => {
                    let name = self.text_of(at);
                    if !name.contains('.')
                        && tree.nodes[at as usize - 1].kind != tree.nodes[at as usize].kind
                    {
                        let name = self.word(name);
                        self.bind(name, BindingOrigin::Assign);
                    }
                    at = tree.nodes[at as usize].subtree_end;
                }
                _ => at += 1,
            }
        }
    }

    // Imports.

    fn import(&mut self, idx: u32) -> Stmt {
        let start = self.facts.imports.len() as u32;
        if self.kind(idx) == K::Import {
            let children: Vec<u32> = self.named(idx).collect();
            for child in children {
                self.import_module(child);
            }
        } else {
            self.import_from(idx);
        }
        let end = self.facts.imports.len() as u32;
        Stmt::Import(Run { start, end })
    }

    fn dotted(&mut self, idx: u32) -> Name {
        // White space and line ends may stand between the parts.
        let parts: Vec<&str> = self.named(idx).map(|n| self.text_of(n)).collect();
        let dotted = parts.join(".");
        self.word(&dotted)
    }

    fn aliased(&mut self, idx: u32) -> Option<(u32, Option<Name>)> {
        match self.kind(idx) {
            K::DottedName => Some((idx, None)),
            K::AliasedImport => {
                let name = self.child(idx, self.fields().name)?;
                let alias = self.child(idx, self.fields().alias)?;
                Some((name, Some(self.word_of(alias))))
            }
            _ => None,
        }
    }

    fn import_module(&mut self, idx: u32) {
        let Some((name, alias)) = self.aliased(idx) else {
            return;
        };
        let module = self.dotted(name);
        let first = self.named(name).next();
        let Some(bound) = alias.or_else(|| first.map(|first| self.word_of(first))) else {
            return;
        };
        self.push_import(PythonImport {
            module,
            level: 0,
            name: None,
            bound,
            is_aliased: alias.is_some(),
            is_star: false,
        });
    }

    fn import_from(&mut self, idx: u32) {
        let fields = self.fields();
        let Some(from) = self.child(idx, fields.module_name) else {
            return;
        };
        let mut level = 0;
        let mut module = None;
        if self.kind(from) == K::RelativeImport {
            for child in self.named(from) {
                match self.kind(child) {
                    K::ImportPrefix => {
                        level = self.text_of(child).matches('.').count().min(64) as u16;
                    }
                    K::DottedName => module = Some(self.dotted(child)),
                    _ => {}
                }
            }
        } else {
            module = Some(self.dotted(from));
        }
        let module = module.unwrap_or(Name::NONE);
        let names: Vec<u32> = self.named(idx).filter(|n| *n != from).collect();
        for child in names {
            if self.kind(child) == K::Wildcard {
                let bound = self.word("*");
                self.push_import(PythonImport {
                    module,
                    level,
                    name: None,
                    bound,
                    is_aliased: false,
                    is_star: true,
                });
            } else if let Some((name, alias)) = self.aliased(child) {
                let name = self.dotted(name);
                self.push_import(PythonImport {
                    module,
                    level,
                    name: Some(name),
                    bound: alias.unwrap_or(name),
                    is_aliased: alias.is_some(),
                    is_star: false,
                });
            }
        }
    }

    fn push_import(&mut self, import: PythonImport) {
        let number = add(&mut self.facts.imports, import);
        self.bind(import.bound, BindingOrigin::Import(number));
    }
}

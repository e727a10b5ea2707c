//! From a body to its resolved calls: walks statements in order, with the variables in scope.
//!
//! A body is walked once; every expression is typed once, and a site's resolution is written when its receiver and
//! arguments are known. A method of a local or anonymous class is resolved by walking the outermost body around it,
//! which declares its variables.

mod arguments;
mod call;
mod expr;
mod member;
mod reference;
mod statement;
mod trace;

use crate::run::Run;
pub use trace::trace;

use std::sync::Arc;

use super::facts::{JavaFacts, LambdaBody, MethodDecl, Root, SiteId, SiteKind, TypeSyntax};
use super::lombok;
use super::project::{JavaFile, JavaNameScope, JavaProject};
use super::types::{ClassId, MemberId, Ty};
use super::walks::Resolutions;
use crate::calls;
use crate::model::{Call, CallKind, CallMarks, FileId, MethodId, Resolution};
use crate::statements::statement_of;
use crate::symbols::Sym;

/// Resolves every call in a method's body, in order of the name tokens.
pub fn calls(project: &JavaProject, method: MethodId) -> Vec<Call> {
    let Some((file_id, decl)) = project.method_decl(MemberId(method.0)) else {
        return Vec::new();
    };
    let walk =
        || walked(project, method, |_| {}).map_or_else(Resolutions::default, |walker| walker.found);
    let found = match decl.root {
        None => Arc::new(walk()),
        // A body with a thousand local classes is not walked a thousand times.
        Some(root) => project.walks.get(file_id, root, walk),
    };
    collect(project.file(file_id), decl, &found)
}

/// Walks a method's body, after `prepare`; nothing when there is no body.
fn walked<'p>(
    project: &'p JavaProject,
    method: MethodId,
    prepare: impl FnOnce(&mut JavaWalker<'p>),
) -> Option<JavaWalker<'p>> {
    let (file_id, decl) = project.method_decl(MemberId(method.0))?;
    decl.body?;
    let file = project.file(file_id);
    let root = decl.root.unwrap_or_else(|| {
        let index = project.member(MemberId(method.0)).decl;
        Root::Method(index.expect("a method with a body is written"))
    });
    let mut walker = JavaWalker::new(project, file_id, sites_of(&file.facts, root));
    prepare(&mut walker);
    walker.root(root);
    Some(walker)
}

fn sites_of(facts: &JavaFacts, root: Root) -> Run {
    match root {
        Root::Method(index) => facts.methods[index as usize].sites,
        Root::Field(index) => facts.fields[index as usize].sites,
        Root::Initializer(index) => facts.initializers[index as usize].sites,
    }
}

/// Makes the calls of one method out of the sites in it.
fn collect(file: &JavaFile, decl: &MethodDecl, found: &Resolutions) -> Vec<Call> {
    let facts = &file.facts;
    let statements = &facts.statements[decl.statements.range()];
    let numbering = Numbering::of(facts, decl);
    numbering
        .order
        .iter()
        .map(|&index| {
            let site = &facts.sites[index as usize];
            Call {
                kind: call_kind(site.kind),
                name: match site.kind {
                    SiteKind::Call | SiteKind::Reference => facts.names.get(site.name).to_owned(),
                    _ => "<init>".to_owned(),
                },
                span: site.span,
                name_span: site.name_span,
                at: facts.lines.position(site.name_span.start),
                end: facts.lines.position(site.span.end),
                parent: site.parent.and_then(|site_id| {
                    Some((numbering.get(site_id)?, calls::role(site.is_argument)))
                }),
                statement: statement_of(statements, site.name_span),
                depth: site.depth - decl.depth,
                n_arguments: site.args.len as u16,
                marks: CallMarks::NONE,
                resolution: found.get(SiteId(index), site),
            }
        })
        .collect()
}

/// The numbers of a method's calls, by the sites in its body.
pub(super) struct Numbering {
    first: u32,
    order: Vec<u32>,
    number: Vec<u32>,
}

impl Numbering {
    pub(super) fn of(facts: &JavaFacts, decl: &MethodDecl) -> Self {
        let mut order: Vec<u32> = (decl.sites.start..decl.sites.end)
            .filter(|&site| facts.sites[site as usize].kind != SiteKind::Constant)
            .collect();
        order.sort_by_key(|&site| facts.sites[site as usize].name_span.start);
        let mut number = vec![u32::MAX; decl.sites.range().len()];
        for (index, &site) in order.iter().enumerate() {
            number[(site - decl.sites.start) as usize] = index as u32;
        }
        Self {
            first: decl.sites.start,
            order,
            number,
        }
    }

    /// Looks up the index of a site's call; none where the site is no call of this method.
    pub(super) fn get(&self, site: SiteId) -> Option<u32> {
        let at = site.0.checked_sub(self.first)?;
        self.number
            .get(at as usize)
            .copied()
            .filter(|&index| index != u32::MAX)
    }
}

const fn call_kind(kind: SiteKind) -> CallKind {
    match kind {
        SiteKind::Call => CallKind::Method,
        SiteKind::New => CallKind::Constructor,
        SiteKind::ThisCall | SiteKind::SuperCall | SiteKind::Constant => CallKind::Delegation,
        SiteKind::Reference | SiteKind::NewReference => CallKind::Reference,
    }
}

/// A class body around the place, with the index at which its variables begin.
#[derive(Clone, Copy)]
struct ClassFrame {
    class: ClassId,
    method: Option<u32>,
    locals_start: usize,
}

/// The expected type of `return` in a lambda or a method, and the type of its values so far.
struct JavaReturnTarget {
    expected: Option<Ty>,
    /// The common type of the values so far; absent before the first one.
    common_type: Option<Ty>,
}

/// The expected type of an expression.
#[derive(Clone, Copy)]
enum ExpectedType<'t> {
    /// Nothing is known of it.
    Nothing,
    /// A member is about to be looked up in it.
    Member,
    Type(&'t Ty),
}

/// The state of the walk.
pub(super) struct JavaWalker<'p> {
    project: &'p JavaProject,
    file_id: FileId,
    file: &'p JavaFile,
    facts: &'p JavaFacts,
    frames: Vec<ClassFrame>,
    locals: Vec<(Sym, Ty)>,
    local_classes: Vec<(Sym, ClassId)>,
    returning: Vec<JavaReturnTarget>,
    /// The common type of the values of `yield` so far, one for each switch around the place.
    yields: Vec<Option<Ty>>,
    found: Resolutions,
    /// Types of lambda bodies that were walked before the method was chosen.
    bodies: Vec<(u32, Ty)>,
    /// The last generic call that was typed without an expected type.
    open: Option<arguments::PendingGenericCall<'p>>,
    /// The record of the steps of one call, where they are asked for.
    trace: Option<Box<calls::Trace>>,
}

impl<'p> JavaWalker<'p> {
    fn new(project: &'p JavaProject, file_id: FileId, sites: Run) -> Self {
        let file = project.file(file_id);
        Self {
            project,
            file_id,
            file,
            facts: &file.facts,
            frames: Vec::new(),
            locals: Vec::new(),
            local_classes: Vec::new(),
            returning: Vec::new(),
            yields: Vec::new(),
            found: Resolutions::of(sites),
            bodies: Vec::new(),
            open: None,
            trace: None,
        }
    }

    fn record(&mut self, site: SiteId, resolution: Resolution) {
        self.found.record(site, resolution);
    }

    fn class_of(&self, owner: u32) -> ClassId {
        ClassId(self.file.first_class + owner)
    }

    fn root(&mut self, root: Root) {
        match root {
            Root::Method(index) => {
                let class = self.class_of(self.facts.methods[index as usize].owner);
                self.method(class, index);
            }
            Root::Field(index) => {
                let field = &self.facts.fields[index as usize];
                let class = self.class_of(field.owner);
                self.field(class, index);
            }
            Root::Initializer(index) => {
                let initializer = &self.facts.initializers[index as usize];
                let class = self.class_of(initializer.owner);
                self.enter(class, None, |walker| walker.stmt(initializer.body));
            }
        }
    }

    /// Runs `f` inside a class body.
    fn enter(&mut self, class: ClassId, method: Option<u32>, f: impl FnOnce(&mut Self)) {
        let n_locals = self.locals.len();
        let n_classes = self.local_classes.len();
        self.frames.push(ClassFrame {
            class,
            method,
            locals_start: n_locals,
        });
        f(self);
        self.frames.pop();
        self.locals.truncate(n_locals);
        self.local_classes.truncate(n_classes);
    }

    fn method(&mut self, class: ClassId, index: u32) {
        let decl = &self.facts.methods[index as usize];
        let Some(body) = decl.body else { return };
        self.enter(class, Some(index), |walker| {
            let params = match decl.kind {
                super::facts::MethodKind::Compact => {
                    walker.facts.types[decl.owner as usize].components
                }
                _ => decl.params,
            };
            for param in &walker.facts.params[params.range()] {
                let ty = param.ty.map_or(Ty::Unknown, |ty| walker.resolve(ty));
                walker.declare(param.name, ty);
            }
            let expected = decl.result.map(|ty| walker.resolve(ty));
            walker.returning.push(JavaReturnTarget {
                expected,
                common_type: None,
            });
            walker.stmt(body);
            walker.returning.pop();
        });
    }

    fn field(&mut self, class: ClassId, index: u32) {
        let field = &self.facts.fields[index as usize];
        let Some(init) = field.init else { return };
        self.enter(class, None, |walker| {
            let ty = field.ty.map(|ty| walker.resolve(ty));
            walker.expr(
                init,
                ty.as_ref()
                    .map_or(ExpectedType::Nothing, ExpectedType::Type),
            );
        });
    }

    /// Walks the body of a local or anonymous class.
    fn class_body(&mut self, index: u32) {
        let class = self.class_of(index);
        let decl = &self.facts.types[index as usize];
        let methods: Vec<u32> = self
            .project
            .class(class)
            .methods
            .iter()
            .filter_map(|&(_, id)| self.project.member(id).decl)
            .collect();
        for method in methods {
            self.method(class, method);
        }
        let body = self.file.body(index);
        for &at in &body.fields {
            let sites = self.facts.fields[at as usize].sites;
            if sites.end > sites.start {
                self.field(class, at);
            }
        }
        for &at in &body.initializers {
            let body = self.facts.initializers[at as usize].body;
            self.enter(class, None, |walker| walker.stmt(body));
        }
        for &nested in &body.types {
            if decl.span.contains(self.facts.types[nested as usize].span) {
                self.class_body(nested);
            }
        }
    }

    fn sym(&self, name: super::facts::Name) -> Sym {
        self.file.syms[name.0 as usize]
    }

    fn declare(&mut self, name: super::facts::Name, ty: Ty) {
        let sym = self.sym(name);
        self.locals.push((sym, ty));
    }

    fn scope(&self) -> JavaNameScope<'_> {
        let frame = self.frames.last();
        JavaNameScope {
            file: self.file_id,
            class: frame.map(|frame| frame.class),
            method: frame.and_then(|frame| frame.method),
            locals: &self.local_classes,
        }
    }

    fn resolve(&self, ty: super::facts::TypeId) -> Ty {
        self.project.resolve(ty, self.scope())
    }

    fn is_var(&self, ty: super::facts::TypeId) -> bool {
        matches!(self.facts.type_syntax(ty), TypeSyntax::Named { name, args, outer: None }
            if args.is_empty()
                && (self.sym(name) == self.project.words.var
                    || lombok::is_val(self.project, self.file, self.sym(name))))
    }

    /// Walks a lambda's body with the types its parameters have; returns the type of its value.
    fn lambda(&mut self, index: u32, params: &[Ty], wanted: Option<&Ty>) -> Ty {
        let lambda = self.facts.lambdas[index as usize];
        let n_locals = self.locals.len();
        for (at, variable) in self.facts.locals[lambda.params.range()].iter().enumerate() {
            let declared = variable.ty.filter(|&ty| !self.is_var(ty));
            let ty = match declared {
                Some(ty) => self.resolve(ty),
                None => params.get(at).cloned().unwrap_or(Ty::Unknown),
            };
            self.declare(variable.name, ty);
        }
        let ty = match lambda.body {
            LambdaBody::Expr(body) => self.expr(
                body,
                wanted.map_or(ExpectedType::Nothing, ExpectedType::Type),
            ),
            LambdaBody::Block(body) => {
                self.returning.push(JavaReturnTarget {
                    expected: wanted.cloned(),
                    common_type: None,
                });
                self.stmt(body);
                let seen = self
                    .returning
                    .pop()
                    .and_then(|returning| returning.common_type);
                seen.unwrap_or(Ty::Void)
            }
        };
        self.locals.truncate(n_locals);
        ty
    }
}

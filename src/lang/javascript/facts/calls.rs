//! Lowering of chains: calls, `new`, members, and functions that are handed over.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, ChildNodes, FunctionIdentity, JavaScriptLowering, in_field};
use super::node::Node;
use super::{Expr, ExprId, MemberKey, Name, Site, SiteId, SiteKind, TypeId};
use crate::ids::add;
use crate::model::Span;

/// One link of a chain, outermost first.
struct Link<'t> {
    node: Node<'t>,
    kind: Kind,
    kids: ChildNodes<'t>,
    site: Option<SiteId>,
}

/// Names of functions that call what they are given and return something else; the result does not bear the name.
const NO_WRAPPERS: &[&str] = &[
    "map",
    "filter",
    "forEach",
    "reduce",
    "reduceRight",
    "some",
    "every",
    "find",
    "findIndex",
    "flatMap",
    "sort",
    "then",
    "catch",
    "finally",
    "on",
    "once",
    "addEventListener",
    "each",
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "before",
    "beforeEach",
    "beforeAll",
    "after",
    "afterEach",
    "afterAll",
    "setTimeout",
    "setInterval",
    "replace",
    "subscribe",
    "keys",
    "values",
    "entries",
    "require",
    "nextTick",
    "setup",
];

impl<'t> JavaScriptLowering<'t> {
    /// Lists the links of a chain, outermost first, with its base; opens the calls in it.
    fn links(&mut self, kid: ChildNode<'t>) -> (Vec<Link<'t>>, ChildNode<'t>) {
        let mut links: Vec<Link<'t>> = Vec::new();
        let mut next = kid;
        loop {
            let kids = self.kids(next.node);
            let inner = match next.kind {
                Kind::Call => in_field(&kids, Field::function),
                Kind::New => in_field(&kids, Field::constructor),
                Kind::Member | Kind::Subscript => in_field(&kids, Field::object),
                Kind::NonNull => kids.first().copied(),
                // Brackets around a receiver: `(await a).b()`.
                _ => None,
            };
            let Some(inner) = inner else {
                return (links, next);
            };
            let is_callee = links
                .last()
                .is_some_and(|link| link.kind == Kind::Call || link.kind == Kind::New);
            let site = match next.kind {
                Kind::Call => Some(self.open_site(SiteKind::Call, next.node)),
                Kind::New => Some(self.open_site(SiteKind::New, next.node)),
                Kind::Member if !is_callee => Some(self.open_site(SiteKind::Read, next.node)),
                _ => None,
            };
            if let Some(site) = site {
                // A member that is read lies in the receiver of its call, but is no parent of other calls.
                if next.kind != Kind::Member {
                    self.call = Some((site, false));
                }
            }
            links.push(Link {
                node: next.node,
                kind: next.kind,
                kids,
                site,
            });
            next = inner;
        }
    }

    /// Lowers a chain of calls and members from its base outwards.
    pub fn chain(&mut self, kid: ChildNode<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        let around = self.call;
        let (mut links, base) = self.links(kid);
        let is_assertion = self.asserts(&links, base);
        let mut value = self.base(&links, base);
        let mut name_span = match base.kind {
            Kind::Identifier | Kind::Super | Kind::This => Some(base.node.span()),
            _ => None,
        };
        let mut name = match base.kind {
            Kind::Identifier => self.word(base.node),
            _ => Name(0),
        };
        if base.kind == Kind::Parenthesized
            && let Some(named) = self.called_name(base)
        {
            name = self.word(named.node);
            name_span = Some(named.node.span());
        }
        let is_import = base.kind == Kind::ImportWord;
        while let Some(link) = links.pop() {
            self.call = around;
            match link.kind {
                Kind::Member => {
                    let Some(property) = in_field(&link.kids, Field::property) else {
                        continue;
                    };
                    name = self.word(property.node);
                    name_span = Some(property.node.span());
                    let object = value;
                    value = self.expr_at(Expr::Member(object, name), link.node);
                    self.close_read(link.site, value, name, property.node.span());
                }
                Kind::Subscript => {
                    let Some(index) = in_field(&link.kids, Field::index) else {
                        continue;
                    };
                    (value, name) = self.subscript(value, index, link.node);
                    name_span = Some(index.node.span());
                }
                Kind::Call | Kind::New => {
                    let Some(site) = link.site else { continue };
                    if is_import && links.is_empty() && link.kind == Kind::Call {
                        value = self.dynamic_import(&link);
                        continue;
                    }
                    let callee = value;
                    // `new (f())()` has no name.
                    self.finish_call((site, callee), (name, name_span), &link, hint);
                    value = self.expr_at(Expr::Call(site), link.node);
                    if let (Some(hint), true, Kind::Call) = (hint, links.is_empty(), link.kind) {
                        self.named_call(hint, site, value);
                    }
                    name = Name(0);
                    name_span = None;
                }
                _ => {}
            }
        }
        self.call = around;
        if is_assertion {
            self.facts.chains.push(super::Chain {
                span: kid.node.span(),
                value,
            });
        }
        value
    }

    /// Finds the name of a callee in brackets: `(0, a.b)()`, `(a || b)()`.
    fn called_name(&mut self, kid: ChildNode<'t>) -> Option<ChildNode<'t>> {
        let mut kid = kid;
        for _ in 0..16 {
            let kids = self.kids(kid.node);
            kid = match kid.kind {
                Kind::Identifier | Kind::PropertyIdentifier | Kind::PrivateProperty => {
                    return Some(kid);
                }
                Kind::Member => in_field(&kids, Field::property)?,
                // Of `a && b` only the last is called.
                Kind::Binary if kids.iter().any(|kid| kid.kind == Kind::SignAnd) => {
                    in_field(&kids, Field::right)?
                }
                Kind::Binary => in_field(&kids, Field::left)?,
                Kind::Ternary => in_field(&kids, Field::consequence)?,
                Kind::Sequence => kids.last().copied()?,
                Kind::Parenthesized | Kind::Await | Kind::As | Kind::NonNull | Kind::Satisfies => {
                    kids.first().copied()?
                }
                _ => return None,
            };
        }
        None
    }

    fn base(&mut self, links: &[Link<'t>], base: ChildNode<'t>) -> ExprId {
        // A function that is called where it stands belongs to the code around it.
        let is_called = links.last().is_some_and(|link| link.kind == Kind::Call)
            || matches!(links, [.., call, member]
                if call.kind == Kind::Call && member.kind == Kind::Member
                && matches!(self.slice(member.node).rsplit('.').next(), Some("call" | "apply")));
        match base.kind {
            Kind::Super => {
                let function = self.function;
                self.expr_at(Expr::Super(function), base.node)
            }
            Kind::ImportWord => ExprId(0),
            Kind::Parenthesized | Kind::FunctionExpression | Kind::Arrow | Kind::Unary
                if is_called =>
            {
                self.is_called_here = true;
                let value = self.expr(base);
                self.is_called_here = false;
                value
            }
            _ => self.expr(base),
        }
    }

    /// Lowers `object[index]`; returns its value and its name.
    fn subscript(
        &mut self,
        object: ExprId,
        index: ChildNode<'t>,
        node: Node<'t>,
    ) -> (ExprId, Name) {
        if index.kind == Kind::Number
            && let Ok(n) = self.slice(index.node).parse()
        {
            let value = self.expr_at(Expr::Item(object, n), node);
            return (value, self.index_name(index));
        }
        match self.apart(|lower| lower.computed_key(index)) {
            MemberKey::Named(literal) => {
                let value = self.expr_at(Expr::Member(object, literal), node);
                (value, literal)
            }
            MemberKey::Computed(at) => {
                let name = self.index_name(index);
                (self.expr_at(Expr::Index(object, at), node), name)
            }
        }
    }

    fn index_name(&mut self, index: ChildNode<'t>) -> Name {
        let folded = super::expressions::folded(self.slice(index.node));
        self.intern(&format!("[{folded}]"))
    }

    /// Opens a call before its parts are lowered, so that these know it.
    pub fn open_site(&mut self, kind: SiteKind, node: Node<'t>) -> SiteId {
        let span = node.span();
        let (parent, is_argument) = match self.call {
            Some((parent, is_argument)) => (Some(parent), is_argument),
            None => (None, false),
        };
        add(
            &mut self.facts.sites,
            Site {
                kind,
                callee: ExprId(0),
                args: Box::default(),
                type_args: Box::default(),
                span,
                name: Name(0),
                name_span: Span::new(span.start, span.start),
                parent,
                is_argument,
                depth: self.fn_depth,
                is_broken: node.has_error(),
            },
        )
    }

    fn close_read(&mut self, site: Option<SiteId>, value: ExprId, name: Name, name_span: Span) {
        if let Some(site) = site {
            let site = &mut self.facts.sites[site.index()];
            site.callee = value;
            site.name = name;
            site.name_span = name_span;
        }
    }

    fn finish_call(
        &mut self,
        (id, callee): (SiteId, ExprId),
        (name, name_span): (Name, Option<Span>),
        link: &Link<'t>,
        hint: Option<FunctionIdentity>,
    ) {
        let hint = hint.and_then(|function_identity| {
            self.hint_of_argument(function_identity, callee, name, link.kind)
        });
        let around = self.call.replace((id, true));
        let mut args = Vec::new();
        let mut type_args = Vec::new();
        for kid in &link.kids {
            match (kid.kind, kid.field) {
                (Kind::TypeArguments, _) => type_args = self.type_arguments(kid.node),
                (Kind::Arguments, _) if matches!(self.facts.word(name), "forEach" | "map") => {
                    args = self.looped(|lower| lower.arguments(kid.node, callee, hint));
                }
                (Kind::Arguments, _) => args = self.arguments(kid.node, callee, hint),
                (Kind::Template, Field::arguments) => args.push(self.expr(*kid)),
                _ => {}
            }
        }
        self.call = around;
        let site = &mut self.facts.sites[id.index()];
        site.callee = callee;
        site.args = args.into();
        site.type_args = type_args.into();
        if let Some(span) = name_span {
            site.name = name;
            site.name_span = span;
        }
        self.case(id, link.node);
    }

    fn arguments(
        &mut self,
        node: Node<'t>,
        callee: ExprId,
        hint: Option<FunctionIdentity>,
    ) -> Vec<ExprId> {
        let mut hint = hint;
        let is_called_here = matches!(self.facts.expr(callee), Expr::Function(_))
            || is_global(self, callee, "define");
        let assigned = self.assigned_holder(node, callee);
        self.kids(node)
            .into_iter()
            .map(|kid| match kid.kind {
                Kind::Identifier | Kind::Member => self.handed(kid),
                Kind::Object if assigned.is_some() => self.expr_with(kid, assigned),
                kind if kind.is_function() && is_called_here => {
                    // `(function (root, factory) {…}(this, function () {…}))`.
                    self.is_called_here = true;
                    self.expr(kid)
                }
                kind if kind.is_function() || kind == Kind::Class => {
                    // Only the first function of several is what the name stands for.
                    self.expr_with(kid, hint.take())
                }
                Kind::Call | Kind::Object => {
                    let value = self.expr_with(kid, hint);
                    if kid.kind == Kind::Call {
                        hint = None;
                    }
                    value
                }
                _ => self.expr(kid),
            })
            .collect()
    }

    /// Makes the identity of functions in objects that `Object.assign(X.prototype, {…})` and the like copy into
    /// another.
    fn assigned_holder(&mut self, node: Node<'t>, callee: ExprId) -> Option<FunctionIdentity> {
        let Expr::Member(_, name) = *self.facts.expr(callee) else {
            return None;
        };
        if !matches!(
            self.facts.word(name),
            "assign" | "extend" | "defineProperty" | "defineProperties" | "mixin"
        ) {
            return None;
        }
        let first = self.kids(node).into_iter().next()?;
        if !matches!(first.kind, Kind::Identifier | Kind::Member) {
            return None;
        }
        let path = self.holder_path(first);
        Some(self.hint_in(path, Name::NONE, Span::default()))
    }

    /// Passes the name of a variable on to the function in `f = wrap(function …)`.
    fn hint_of_argument(
        &self,
        hint: FunctionIdentity,
        callee: ExprId,
        name: Name,
        kind: Kind,
    ) -> Option<FunctionIdentity> {
        let is_wrapper = kind == Kind::Call
            && !NO_WRAPPERS.contains(&self.facts.word(name))
            && !matches!(self.facts.expr(callee), Expr::Function(_));
        is_wrapper.then_some(FunctionIdentity {
            is_wrapped: true,
            ..hint
        })
    }

    /// Lowers a name that stands where a function may be handed over.
    pub fn handed(&mut self, kid: ChildNode<'t>) -> ExprId {
        let site = self.open_site(SiteKind::Handed, kid.node);

        if kid.kind == Kind::Member {
            let kids = self.kids(kid.node);
            let (Some(object), Some(property)) = (
                in_field(&kids, Field::object),
                in_field(&kids, Field::property),
            ) else {
                return self.expr(kid);
            };
            let around = self.call;
            self.call = Some((site, false));
            let object = self.expr(object);
            self.call = around;
            let name = self.word(property.node);
            let value = self.expr_at(Expr::Member(object, name), kid.node);
            self.close_read(Some(site), value, name, property.node.span());
            value
        } else {
            let value = self.expr(kid);
            let name = self.word(kid.node);
            self.close_read(Some(site), value, name, kid.node.span());
            value
        }
    }

    fn dynamic_import(&mut self, link: &Link<'t>) -> ExprId {
        for kid in &link.kids {
            if kid.kind == Kind::Arguments {
                for arg in self.kids(kid.node) {
                    if let Some(from) = self.literal(arg) {
                        return self.expr_at(Expr::DynamicImport(from), link.node);
                    }
                    self.expr(arg);
                }
            }
        }
        ExprId(0)
    }

    pub fn type_arguments(&mut self, node: Node<'t>) -> Vec<TypeId> {
        self.kids(node)
            .into_iter()
            .map(|kid| self.ty(kid))
            .collect()
    }

    /// Tells whether a chain looks like an assertion as a whole: `expect(x).to.be.true`, `x.should.equal(y)`.
    fn asserts(&self, links: &[Link<'t>], base: ChildNode<'t>) -> bool {
        let is_expected = base.kind == Kind::Identifier
            && matches!(
                self.slice(base.node),
                "expect" | "expectAsync" | "expectTypeOf" | "should"
            )
            && links
                .last()
                .is_some_and(|link| link.kind == Kind::Call || link.kind == Kind::Member);
        is_expected
            || links.iter().any(|link| {
                link.kind == Kind::Member
                    && link
                        .kids
                        .iter()
                        .any(|kid| kid.field == Field::property && self.slice(kid.node) == "should")
            })
    }
}

/// Tells whether an expression is this name; nothing is known of declarations yet.
fn is_global(lower: &JavaScriptLowering<'_>, expr: ExprId, name: &str) -> bool {
    matches!(*lower.facts.expr(expr), Expr::Var(variable, _)
        if lower.facts.word(Name(variable.0)) == name)
}

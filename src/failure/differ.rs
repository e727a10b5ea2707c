//! Names the differences of two trees: from the roots down, as long as both are of one sort.
//!
//! Where the trees part, the smallest difference has a tag: a literal, a variable, a receiver … Looks at most at
//! [`STEPS_MAX`] pairs of nodes; differences further down are not named.

use super::code::{Code, NodeSort};
use super::form::FormLink;
use super::{Evidence, quoted};
use crate::model::{Span, Tag};

/// How many pairs of nodes are compared below one pair of roots.
const STEPS_MAX: usize = 2_000;

/// Compares subtrees of two sides and writes down what it finds.
pub struct Differ<'d, 't> {
    pub reference: &'d Code<'t>,
    pub prediction: &'d Code<'t>,
    pub found: &'d mut Vec<Evidence>,
    /// Pairs that are still to be compared.
    open: Vec<(u32, u32)>,
}

/// A chain of calls: the receiver of the first one, and the calls, innermost first.
struct CallChain {
    root: Option<u32>,
    links: Vec<FormLink>,
}

impl<'d, 't> Differ<'d, 't> {
    pub fn new(
        reference: &'d Code<'t>,
        prediction: &'d Code<'t>,
        found: &'d mut Vec<Evidence>,
    ) -> Self {
        Self {
            reference,
            prediction,
            found,
            open: Vec::new(),
        }
    }

    /// Names the differences below two nodes.
    pub fn compare(&mut self, r: u32, p: u32) {
        self.open.push((r, p));
        self.run();
    }

    /// Names the differences of two lists, pair by pair, if they are equally long.
    pub fn compare_all(&mut self, r: &[u32], p: &[u32]) {
        if r.len() == p.len() {
            for (r, p) in r.iter().zip(p) {
                self.compare(*r, *p);
            }
        }
    }

    /// Names the differences of chains that are no nodes of the tree.
    pub fn compare_links(&mut self, r: (Option<u32>, &[FormLink]), p: (Option<u32>, &[FormLink])) {
        let chain = |pair: (Option<u32>, &[FormLink])| CallChain {
            root: pair.0,
            links: pair.1.to_vec(),
        };
        self.chains(&chain(r), &chain(p), None);
        self.run();
    }

    fn run(&mut self) {
        let mut n_steps = 0;
        while let Some((r, p)) = self.open.pop() {
            n_steps += 1;
            if n_steps > STEPS_MAX {
                self.open.clear();
                return;
            }
            if self.reference.hash(r) != self.prediction.hash(p) {
                self.step(r, p);
            }
        }
    }

    fn step(&mut self, r: u32, p: u32) {
        if self.reference.is_literal(r) && self.prediction.is_literal(p) {
            return self.instead(Tag::WrongLiteral, r, p);
        }
        let sorts = (self.reference.sort(r), self.prediction.sort(p));
        match sorts {
            (NodeSort::Name, NodeSort::Name)
                if is_method_of_reference(self.reference, r)
                    && is_method_of_reference(self.prediction, p) =>
            {
                self.instead(Tag::WrongMethod, r, p);
            }
            (NodeSort::FieldAccess, NodeSort::FieldAccess) if self.is_same_field(r, p) => {
                self.pairwise(r, p);
            }
            (
                NodeSort::Name | NodeSort::FieldAccess | NodeSort::This,
                NodeSort::Name | NodeSort::FieldAccess | NodeSort::This,
            ) => self.instead(Tag::WrongVariable, r, p),
            (NodeSort::TypeName | NodeSort::Type, NodeSort::TypeName | NodeSort::Type)
            | (NodeSort::ClassLiteral, NodeSort::ClassLiteral) => {
                self.instead(Tag::WrongType, r, p);
            }
            (NodeSort::Call, NodeSort::Call) => {
                let chains = (chain(self.reference, r), chain(self.prediction, p));
                self.chains(&chains.0, &chains.1, Some((r, p)));
            }
            (NodeSort::New, NodeSort::New) => self.constructors(r, p),
            (NodeSort::New, NodeSort::Call) | (NodeSort::Call, NodeSort::New)
                if self.reference.words.is_untyped =>
            {
                self.functions(r, p);
            }
            (NodeSort::Binary, NodeSort::Binary) => self.operations(r, p),
            (NodeSort::Cast, NodeSort::Cast) => self.casts(r, p),
            (NodeSort::Operator, NodeSort::Operator) => self.instead(Tag::WrongOperator, r, p),
            (NodeSort::Unary, NodeSort::Unary) => self.pairwise(r, p),
            (NodeSort::Unary, _) if is_below(self.reference, r, self.prediction, p) => {
                self.instead(Tag::WrongOperator, r, p);
            }
            (_, NodeSort::Unary) if is_below(self.prediction, p, self.reference, r) => {
                self.instead(Tag::WrongOperator, r, p);
            }
            (NodeSort::Cast, _) if is_below(self.reference, r, self.prediction, p) => {
                self.instead(Tag::WrongType, r, p);
            }
            (_, NodeSort::Cast) if is_below(self.prediction, p, self.reference, r) => {
                self.instead(Tag::WrongType, r, p);
            }
            _ => self.pairwise(r, p),
        }
    }

    /// Compares children one by one; nodes of other kinds or with more children differ in structure.
    fn pairwise(&mut self, r: u32, p: u32) {
        let (a, b) = (self.reference.node(r), self.prediction.node(p));
        let r_children: Vec<u32> = self.reference.children(r).collect();
        let p_children: Vec<u32> = self.prediction.children(p).collect();
        let is_like = a.kind == b.kind && r_children.len() == p_children.len();
        if !is_like || r_children.is_empty() {
            return self.instead(Tag::DifferentStructure, r, p);
        }
        self.open.extend(r_children.into_iter().zip(p_children));
    }

    /// Tells whether both are fields of one name on two objects, of which at least one is more than a name: the
    /// difference is in the objects.
    fn is_same_field(&self, r: u32, p: u32) -> bool {
        let of = |code: &Code<'_>, idx: u32| {
            let object = code.child(idx, code.fields().object)?;
            let is_plain = is_path(code, object);
            let field = code.child(idx, code.fields().field)?;
            Some((code.node(field).word, is_plain))
        };
        of(self.reference, r)
            .zip(of(self.prediction, p))
            .is_some_and(|(r, p)| r.0 == p.0 && !(r.1 && p.1))
    }

    fn constructors(&mut self, r: u32, p: u32) {
        let of = |code: &Code<'_>, idx: u32| {
            let is_type = |n: &u32| matches!(code.sort(*n), NodeSort::TypeName | NodeSort::Type);
            let ty = code.children(idx).find(is_type);
            (ty, code.arguments(idx))
        };
        let (r_type, r_arguments) = of(self.reference, r);
        let (p_type, p_arguments) = of(self.prediction, p);
        let n_before = self.found.len();
        if let (Some(r), Some(p)) = (r_type, p_type)
            && self.reference.hash(r) != self.prediction.hash(p)
        {
            self.instead(Tag::WrongType, r, p);
        }
        let is_argued = self.arguments(&r_arguments, &p_arguments, r, p);
        if self.found.len() == n_before && !is_argued {
            // The body of an anonymous class.
            self.pairwise(r, p);
        }
    }

    /// Compares a call with the making of an object, where both are written as calls: `repr(x)` and `str(x)`.
    fn functions(&mut self, r: u32, p: u32) {
        let name = |code: &Code<'_>, call: u32| {
            let has_object = code.child(call, code.fields().object).is_some();
            let name = code.child(call, code.fields().name);
            name.filter(|_| !has_object)
                .map(|name| FormLink { call, name })
        };
        match name(self.reference, r).zip(name(self.prediction, p)) {
            Some((r, p)) => self.links(r, p, false),
            None => self.instead(Tag::DifferentStructure, r, p),
        }
    }

    fn operations(&mut self, r: u32, p: u32) {
        let of = |code: &Code<'_>, idx| {
            [
                code.fields().left,
                code.fields().operator,
                code.fields().right,
            ]
            .map(|field| code.child(idx, field))
        };
        let [Some(r_left), Some(r_operator), Some(r_right)] = of(self.reference, r) else {
            return self.pairwise(r, p);
        };
        let [Some(p_left), Some(p_operator), Some(p_right)] = of(self.prediction, p) else {
            return self.pairwise(r, p);
        };
        let is_same = |r, p| self.reference.hash(r) == self.prediction.hash(p);
        if is_same(r_operator, p_operator) {
            self.open.extend([(r_left, p_left), (r_right, p_right)]);
        } else if is_same(r_left, p_left) || is_same(r_right, p_right) {
            self.instead(Tag::WrongOperator, r, p);
            self.open.extend([(r_left, p_left), (r_right, p_right)]);
        } else {
            self.instead(Tag::DifferentStructure, r, p);
        }
    }

    fn casts(&mut self, r: u32, p: u32) {
        let of = |code: &Code<'_>, idx: u32| {
            let value = code.child(idx, code.fields().value);
            (
                code.children(idx).find(|child| Some(*child) != value),
                value,
            )
        };
        let (r_type, r_value) = of(self.reference, r);
        let (p_type, p_value) = of(self.prediction, p);
        self.open.extend(r_type.zip(p_type));
        self.open.extend(r_value.zip(p_value));
    }

    /// Compares arguments; returns whether they differ.
    fn arguments(&mut self, r_all: &[u32], p_all: &[u32], r: u32, p: u32) -> bool {
        let is_same = |(r, p): (&u32, &u32)| self.reference.hash(*r) == self.prediction.hash(*p);
        if r_all.len() == p_all.len() && r_all.iter().zip(p_all).all(is_same) {
            return false;
        }
        let text = format!(
            "arguments `{}` where the reference has `{}`",
            listed(self.prediction, p_all),
            listed(self.reference, r_all)
        );
        self.note(Tag::WrongArgument, Some(r), Some(p), text);
        if r_all.len() == p_all.len() {
            let is_alike = |(r, p): &(u32, u32)| self.reference.key(*r) == self.prediction.key(*p);
            let pairs = r_all.iter().copied().zip(p_all.iter().copied());
            self.open.extend(pairs.filter(is_alike));
        }
        true
    }

    /// Compares two chains of calls; `whole` are their nodes, where they have some.
    fn chains(&mut self, r: &CallChain, p: &CallChain, whole: Option<(u32, u32)>) {
        let is_same_root = match (r.root, p.root) {
            (None, None) => true,
            (Some(r), Some(p)) => self.reference.hash(r) == self.prediction.hash(p),
            _ => false,
        };
        let is_same_name = |(r, p): (&FormLink, &FormLink)| {
            self.reference.node(r.name).word == self.prediction.node(p.name).word
        };
        let last = |chain: &CallChain| chain.links.last().copied();
        let ends = last(r).zip(last(p));
        if r.links.len() == p.links.len() {
            let names: Vec<bool> = r.links.iter().zip(&p.links).map(is_same_name).collect();
            let shares_name = names.iter().any(|name| *name);
            if !shares_name && !is_same_root {
                return self.apart(r, p, whole);
            }
            if !is_same_root {
                self.roots(r, p, whole);
            }
            for ((r, p), is_same_name) in r.links.iter().zip(&p.links).zip(names) {
                self.links(*r, *p, is_same_name);
            }
        } else if ends.is_some_and(|(r, p)| is_same_name((&r, &p))) {
            if is_same_root && r.links.len() > 1 && p.links.len() > 1 {
                return self.objects(r, p);
            }
            let (r_last, p_last) = ends.expect("there is a last call on both sides");
            let text = format!(
                "`{}` is called on another object",
                quoted(self.prediction.source(p_last.name))
            );
            self.note(
                Tag::WrongReceiver,
                Some(r_last.call),
                Some(p_last.call),
                text,
            );
            self.links(r_last, p_last, true);
        } else if is_same_root {
            let node =
                |chain: &CallChain| last(chain).map(|form_link| form_link.name).or(chain.root);
            let text = match (last(r), last(p)) {
                (Some(r), Some(p)) => format!(
                    "`{}` is called last, and in the reference `{}`",
                    quoted(self.prediction.source(p.name)),
                    quoted(self.reference.source(r.name))
                ),
                _ => "one call more or less".to_owned(),
            };
            self.note(Tag::WrongMethod, node(r), node(p), text);
        } else {
            self.apart(r, p, whole);
        }
    }

    /// Compares chains of different lengths that begin and end alike: the last calls are made on the result of a call
    /// on both sides, so these results are compared instead. The rest has no such end, or one call on one side.
    fn objects(&mut self, r: &CallChain, p: &CallChain) {
        let n_max = r.links.len().min(p.links.len()) - 1;
        let ends = r.links.iter().rev().zip(p.links.iter().rev()).take(n_max);
        let word = |code: &Code<'_>, link: &FormLink| code.node(link.name).word;
        let n_alike = ends
            .take_while(|(r, p)| word(self.reference, r) == word(self.prediction, p))
            .count();
        let (r_head, r_tail) = r.links.split_at(r.links.len() - n_alike);
        let (p_head, p_tail) = p.links.split_at(p.links.len() - n_alike);
        for (r, p) in r_tail.iter().zip(p_tail) {
            self.links(*r, *p, true);
        }
        let head = |root, links: &[FormLink]| CallChain {
            root,
            links: links.to_vec(),
        };
        self.chains(&head(r.root, r_head), &head(p.root, p_head), None);
    }

    fn apart(&mut self, r: &CallChain, p: &CallChain, whole: Option<(u32, u32)>) {
        let node = |chain: &CallChain| chain.links.last().map(|link| link.call).or(chain.root);
        match whole.or(node(r).zip(node(p))) {
            Some((r, p)) => self.instead(Tag::DifferentStructure, r, p),
            None => self.note(
                Tag::DifferentStructure,
                node(r),
                node(p),
                "nothing alike".to_owned(),
            ),
        }
    }

    /// Names the difference of the chains' beginnings.
    fn roots(&mut self, r: &CallChain, p: &CallChain, whole: Option<(u32, u32)>) {
        match (r.root, p.root) {
            (Some(r), Some(p)) => {
                let sorts = (self.reference.sort(r), self.prediction.sort(p));
                if matches!(
                    sorts,
                    (NodeSort::New, NodeSort::New) | (NodeSort::Call, NodeSort::Call)
                ) {
                    self.open.push((r, p));
                    return;
                }
                self.instead(Tag::WrongReceiver, r, p);
                if self.reference.is_literal(r) && self.prediction.is_literal(p) {
                    self.open.push((r, p));
                }
            }
            (r, p) => {
                let text = match (r, p) {
                    (Some(r), _) => {
                        format!(
                            "nothing where the reference has `{}`",
                            quoted(self.reference.source(r))
                        )
                    }
                    (_, Some(p)) => {
                        format!(
                            "`{}` where the reference has none",
                            quoted(self.prediction.source(p))
                        )
                    }
                    _ => return,
                };
                let (r_whole, p_whole) = whole.unzip();
                self.note(Tag::WrongReceiver, r.or(r_whole), p.or(p_whole), text);
            }
        }
    }

    /// Compares one call of a chain with its counterpart.
    fn links(&mut self, r: FormLink, p: FormLink, is_same_name: bool) {
        let r_arguments = self.reference.arguments(r.call);
        let p_arguments = self.prediction.arguments(p.call);
        if let Some((r, p)) = types(self.reference, r).zip(types(self.prediction, p)) {
            self.open.push((r, p));
        }
        if is_same_name {
            self.arguments(&r_arguments, &p_arguments, r.call, p.call);
        } else {
            self.instead(Tag::WrongMethod, r.name, p.name);
            if r_arguments.len() == p_arguments.len() {
                self.open.extend(r_arguments.into_iter().zip(p_arguments));
            }
        }
    }

    /// Notes that one piece stands where the reference has another.
    pub fn instead(&mut self, tag: Tag, r: u32, p: u32) {
        let text = format!(
            "`{}` where the reference has `{}`",
            quoted(self.prediction.source(p)),
            quoted(self.reference.source(r))
        );
        self.note(tag, Some(r), Some(p), text);
    }

    pub fn note(&mut self, tag: Tag, r: Option<u32>, p: Option<u32>, text: String) {
        let span = |code: &Code<'_>, idx: Option<u32>| idx.map(|idx| code.node(idx).span);
        let (reference, prediction): (Option<Span>, Option<Span>) =
            (span(self.reference, r), span(self.prediction, p));
        self.found.push(Evidence {
            tag,
            reference,
            prediction,
            text,
        });
    }
}

/// Tells whether a node is a name, or fields of one.
fn is_path(code: &Code<'_>, idx: u32) -> bool {
    let mut at = idx;
    while code.sort(at) == NodeSort::FieldAccess {
        match code.child(at, code.fields().object) {
            Some(object) => at = object,
            None => return false,
        }
    }
    matches!(
        code.sort(at),
        NodeSort::Name | NodeSort::TypeName | NodeSort::Type | NodeSort::This
    )
}

/// Tells whether a node is equal to a child of a node of the other side.
fn is_below(outer: &Code<'_>, parent: u32, inner: &Code<'_>, child: u32) -> bool {
    outer
        .children(parent)
        .any(|n| outer.hash(n) == inner.hash(child))
}

/// Collects the chain that ends with a call.
fn chain(code: &Code<'_>, call: u32) -> CallChain {
    let mut links = Vec::new();
    let mut at = Some(call);
    while let Some(call) = at.filter(|n| code.sort(*n) == NodeSort::Call) {
        let Some(name) = code.child(call, code.fields().name) else {
            break;
        };
        links.push(FormLink { call, name });
        at = code.child(call, code.fields().object);
    }
    links.reverse();
    CallChain { root: at, links }
}

/// Finds the types that a call names between angle brackets.
fn types(code: &Code<'_>, link: FormLink) -> Option<u32> {
    let mut children = code.children(link.call);
    children.find(|child| {
        code.sort(*child) == NodeSort::Type && code.node(*child).field != code.fields().object
    })
}

fn listed(code: &Code<'_>, nodes: &[u32]) -> String {
    let all: Vec<&str> = nodes.iter().map(|node| code.source(*node)).collect();
    quoted(&all.join(", "))
}

/// Tells whether a name is the method's in `Type::method`.
fn is_method_of_reference(code: &Code<'_>, idx: u32) -> bool {
    let parent = code.node(idx).parent;
    code.sort(parent) == NodeSort::MethodReference && idx != parent + 1
}

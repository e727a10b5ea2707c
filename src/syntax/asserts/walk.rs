//! Walks the code that a test runs, in its order, and notes what can fail.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use crate::dialects::dialect;
use crate::model::{Language, Span};

use super::call::{Chain, SyntaxCall};
use super::findings::{AssertFindings, AssertHelperCall, HelperReceiver};
use super::names::Names;
use super::shape::ControlFlowKinds;
use super::swallow;
use super::value::{ConstantValues, bare};
use super::words::{AssertionEffect, says};
use super::{IdleReason, named, source};

/// The walk goes no deeper: each level takes a frame of the stack.
const DEPTH_MAX: u32 = 600;

/// The state of the walk at a place.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each holds of a place by itself, and none excludes another"
)]
struct WalkPosition {
    depth: u32,
    /// Why nothing counts here.
    dead: Option<IdleReason>,
    /// Whether a condition decides whether the code runs.
    is_chosen: bool,
    /// Whether the test itself runs the code unless it has returned before: not in a lambda, nor in a handler.
    is_straight: bool,
    /// Whether the code is an argument of a call, which may run it.
    is_handed: bool,
    /// Whether the code here has to throw.
    must_throw: bool,
    /// Whether the walk came here from the answer.
    is_followed: bool,
}

impl WalkPosition {
    const fn dead_by(self, idle: Option<IdleReason>) -> Self {
        match self.dead {
            Some(_) => self,
            None => Self { dead: idle, ..self },
        }
    }
}

/// One walk through one text.
pub struct AssertWalk<'t> {
    shape: &'static ControlFlowKinds,
    text: &'t str,
    answer: Span,
    /// Whether the answer is all of the text.
    pub is_whole: bool,
    pub found: AssertFindings,
    names: Names<'t>,
    values: ConstantValues<'t>,
    followed: FxHashSet<(usize, bool, bool)>,
}

impl<'t> AssertWalk<'t> {
    pub fn new(shape: &'static ControlFlowKinds, text: &'t str, answer: Span) -> Self {
        Self {
            shape,
            text,
            answer,
            is_whole: false,
            found: AssertFindings::default(),
            names: Names::default(),
            values: ConstantValues {
                text,
                constants: FxHashSet::default(),
            },
            followed: FxHashSet::default(),
        }
    }

    /// Goes through a text that is a test: its functions, or itself where it has none.
    pub fn test(&mut self, root: Node<'t>) {
        self.know(root);
        let mut functions = Vec::new();
        // A test in JavaScript is a call, and its functions may be called or not, like any others.
        if self.shape.language != Language::JavaScript {
            let mut left = vec![root];
            while let Some(node) = left.pop() {
                if self.shape.functions.contains(&node.kind()) {
                    functions.push(node);
                } else if !self.shape.calls.contains(&node.kind()) {
                    left.extend(named(node));
                }
            }
        }
        if functions.is_empty() {
            self.visit(root, WalkPosition::default());
        }
        functions.sort_by_key(Node::start_byte);
        for function in functions {
            self.enter(function);
        }
    }

    /// Goes through one function that is called.
    pub fn function(&mut self, function: Node<'t>) {
        self.know(function);
        self.enter(function);
    }

    fn know(&mut self, root: Node<'t>) {
        self.names = Names::of(self.shape, root, self.text);
        self.values.constants = self.names.constants(&self.values);
    }

    fn enter(&mut self, function: Node<'t>) {
        let Some(body) = function.child_by_field_name("body") else {
            return;
        };
        let decorated = function.parent();
        let decorated = decorated.filter(|node| node.kind() == "decorated_definition");
        let start = decorated.unwrap_or(function).start_byte();
        let head = self.text.get(start..body.start_byte()).unwrap_or_default();
        self.visit(
            body,
            WalkPosition {
                must_throw: (dialect(self.shape.language).expects_exception)(head),
                is_straight: true,
                ..WalkPosition::default()
            },
        );
    }

    /// Notes something that can fail, or why it cannot.
    fn note(&mut self, node: Node<'t>, at: WalkPosition, idle: Option<IdleReason>) {
        if !self.counts(node, at) {
            return;
        }
        match at.dead.or(idle) {
            None => {
                self.found.asserts = true;
                self.found.checks |= !self.is_plain_throw(node);
            }
            Some(idle) => {
                self.found.idle.get_or_insert(idle);
            }
        }
    }

    /// Tells whether a node throws as tested code may, too: anything but the failure of an assertion.
    fn is_plain_throw(&self, node: Node<'t>) -> bool {
        let is_throw = self.shape.throws.contains(&node.kind());
        let is_throw = is_throw
            || SyntaxCall::of(self.shape, node, self.text)
                .is_some_and(|syntax_call| syntax_call.name == "panic");
        is_throw && !source(node, self.text).contains("Assertion")
    }

    fn counts(&self, node: Node<'_>, at: WalkPosition) -> bool {
        let start = node.start_byte() as u32;
        at.is_followed || self.answer.start <= start && start < self.answer.end
    }

    fn visit(&mut self, node: Node<'t>, at: WalkPosition) {
        if at.depth > DEPTH_MAX {
            return;
        }
        let at = WalkPosition {
            depth: at.depth + 1,
            ..at
        };
        let (shape, kind) = (self.shape, node.kind());
        if at.must_throw && may_throw(kind) {
            self.note(node, at, None);
        }
        match kind {
            "assert_statement" => {
                let condition = node.named_child(0);
                let fixed = condition.and_then(|condition| self.values.fixed(condition));
                // `assert False` says that the test should not come here.
                let holds = condition.and_then(|condition| self.values.holds(condition));
                self.note(node, at, fixed.filter(|_| holds != Some(false)));
                self.children(node, at);
            }
            "with_statement" => self.with(node, at),
            "while_statement" => self.while_(node, at),
            "method_reference" => self.reference(node, at),
            "identifier" if at.is_handed => self.handed(node, at),
            "member_expression" => self.member(node, at),
            // Those are followed where they are used.
            _ if shape.functions.contains(&kind) || shape.classes.contains(&kind) => {}
            _ if shape.lambdas.contains(&kind) => self.lambda(node, at),
            _ if shape.calls.contains(&kind) => self.call(node, at),
            _ if shape.creations.contains(&kind) => self.creation(node, at),
            _ if shape.lists.contains(&kind) => self.list(node, at),
            _ if shape.ifs.contains(&kind) => self.if_(node, at),
            _ if shape.tries.contains(&kind) => self.try_(node, at),
            _ => {
                if shape.throws.contains(&kind) && (at.is_chosen || at.is_straight) {
                    self.note(node, at, None);
                }
                let is_chosen = at.is_chosen || shape.choices.contains(&kind);
                self.children(node, WalkPosition { is_chosen, ..at });
            }
        }
    }

    fn children(&mut self, node: Node<'t>, at: WalkPosition) {
        let is_handed = at.is_handed || self.shape.arguments.contains(&node.kind());
        let is_handed = is_handed && !node.kind().ends_with("statement");
        for child in named(node) {
            self.visit(child, WalkPosition { is_handed, ..at });
        }
    }

    fn list(&mut self, node: Node<'t>, mut at: WalkPosition) {
        at.is_handed = false;
        for child in named(node) {
            self.visit(child, at);
            if swallow::ends(self.shape, child) {
                at = at.dead_by(Some(IdleReason::Unreachable));
            }
        }
    }

    fn if_(&mut self, node: Node<'t>, at: WalkPosition) {
        let condition = node.child_by_field_name("condition");
        let fixed = condition.and_then(|node| self.values.fixed(node));
        let holds = condition.and_then(|node| self.values.holds(node));
        let never = match fixed {
            Some(IdleReason::Itself) => IdleReason::Itself,
            _ => IdleReason::Unreachable,
        };
        let then = match holds {
            Some(true) => None,
            Some(false) => Some(never),
            None => fixed,
        };
        let otherwise = (holds == Some(true)).then_some(IdleReason::Unreachable);
        let mut cursor = node.walk();
        let parts: Vec<_> = node.children(&mut cursor).collect();
        for (idx, part) in parts.into_iter().enumerate() {
            if !part.is_named() {
                continue;
            }
            let dead = match node.field_name_for_child(idx as u32) {
                Some("consequence") => then,
                Some("alternative") => otherwise,
                _ => {
                    self.visit(part, at);
                    continue;
                }
            };
            let is_chosen = true;
            let at = WalkPosition {
                is_chosen,
                ..at.dead_by(dead)
            };
            self.visit(part, at);
        }
    }

    fn while_(&mut self, node: Node<'t>, at: WalkPosition) {
        let condition = node.child_by_field_name("condition");
        let holds = condition.and_then(|node| self.values.holds(node));
        let never = (holds == Some(false)).then_some(IdleReason::Unreachable);
        self.children(node, at.dead_by(never));
    }

    fn try_(&mut self, node: Node<'t>, at: WalkPosition) {
        let swallowed = swallow::is_swallowing(self.shape, node, self.text);
        let body = node.child_by_field_name("body");
        for child in named(node) {
            let is_caught = Some(child) == body || child.kind() == "resource_specification";
            let idle = (is_caught && swallowed).then_some(IdleReason::Swallowed);
            // An exception that a handler throws is not a check of its own.
            let at = WalkPosition {
                is_chosen: is_caught && at.is_chosen,
                is_straight: is_caught && at.is_straight,
                ..at
            };
            self.visit(child, at.dead_by(idle));
        }
    }

    /// Python: the effect of a `with` block on exceptions in it.
    fn with(&mut self, node: Node<'t>, at: WalkPosition) {
        let body = node.child_by_field_name("body");
        let (mut must_throw, mut is_suppressed) = (at.must_throw, false);
        let mut left: Vec<Node<'t>> = named(node);
        left.retain(|node| Some(*node) != body);
        while let Some(part) = left.pop() {
            if let Some(call) = Some(part)
                .filter(|node| self.shape.calls.contains(&node.kind()))
                .and_then(|node| SyntaxCall::of(self.shape, node, self.text))
            {
                let says = says(self.shape.language, &call, part, self.text);
                must_throw |= says == Some(AssertionEffect::Expects);
                is_suppressed |= call.name == "suppress"
                    && call
                        .arguments
                        .iter()
                        .any(|argument| swallow::covers_python(source(*argument, self.text)));
                continue;
            }
            left.extend(named(part));
        }
        for child in named(node) {
            if Some(child) == body {
                let idle = is_suppressed.then_some(IdleReason::Swallowed);
                self.visit(child, WalkPosition { must_throw, ..at }.dead_by(idle));
            } else {
                self.visit(child, at);
            }
        }
    }

    fn lambda(&mut self, node: Node<'t>, at: WalkPosition) {
        if at.is_handed || self.names.is_used_in_place(node) {
            self.body(node, at);
        } else if !self.names.is_bound(node) || !self.names.is_ever_named(node) {
            self.body(node, at.dead_by(Some(IdleReason::NeverCalled)));
        }
    }

    /// Goes into a function, or into the methods of a class.
    fn body(&mut self, node: Node<'t>, at: WalkPosition) {
        let at = WalkPosition {
            is_handed: false,
            is_chosen: false,
            is_straight: false,
            ..at
        };
        match node.child_by_field_name("body") {
            Some(body) if self.shape.is_function(node.kind()) => self.visit(body, at),
            Some(body) => self.methods(body, at, swallow::has_supertype(node)),
            // The grammar has no field for the body of an anonymous class.
            None => {
                let bodies = named(node).into_iter();
                for body in bodies.filter(|body| {
                    matches!(body.kind(), "class_body" | "block" | "declaration_list")
                }) {
                    if body.kind() == "block" {
                        self.visit(body, at);
                    } else {
                        self.methods(body, at, true);
                    }
                }
            }
        }
    }

    /// Goes into the methods of a class that is used: all where others may call them, else those that are called.
    fn methods(&mut self, body: Node<'t>, at: WalkPosition, are_all: bool) {
        for member in named(body) {
            let member = match member.kind() {
                "decorated_definition" => {
                    member.child_by_field_name("definition").unwrap_or(member)
                }
                _ => member,
            };
            if !self.shape.functions.contains(&member.kind()) {
                self.visit(member, at);
                continue;
            }
            let name = member.child_by_field_name("name");
            let name = name.map_or("", |node| source(node, self.text));
            let is_maker = member.kind().contains("constructor") || name == "__init__";
            if are_all || is_maker || self.names.is_called(name) {
                self.body(member, at);
            } else {
                self.body(member, at.dead_by(Some(IdleReason::NeverCalled)));
            }
        }
    }

    fn creation(&mut self, node: Node<'t>, at: WalkPosition) {
        let kind = node.child_by_field_name("type");
        let kind = kind.or_else(|| node.child_by_field_name("constructor"));
        if let Some(kind) = kind {
            self.follow(source(kind, self.text), node, at);
        }
        for child in named(node) {
            if child.kind() == "class_body" {
                self.lambda(node, at);
            } else {
                self.visit(child, at);
            }
        }
    }

    /// Follows a function that is handed on by its name.
    fn handed(&mut self, node: Node<'t>, at: WalkPosition) {
        let name = source(node, self.text);
        self.follow(name, node, at);
        self.calls(node, at, (name, HelperReceiver::Own, false));
    }

    fn reference(&mut self, node: Node<'t>, at: WalkPosition) {
        let name = named(node).into_iter().next_back();
        let name = name.map_or("", |node| source(node, self.text));
        self.calls(node, at, (name, HelperReceiver::Own, false));
        self.children(node, at);
    }

    /// Goes into the functions and classes that a name stands for in this text.
    fn follow(&mut self, name: &str, from: Node<'t>, at: WalkPosition) {
        let at = WalkPosition {
            is_followed: self.counts(from, at),
            ..at
        };
        for node in self.names.bound_to(name) {
            let key = (node.id(), at.dead.is_some(), at.is_followed);
            if self.followed.insert(key) {
                self.body(node, at);
            }
        }
    }

    /// Notes a call that may lead to something that can fail.
    fn calls(
        &mut self,
        node: Node<'t>,
        at: WalkPosition,
        (name, on, speaks): (&str, HelperReceiver, bool),
    ) {
        if !self.counts(node, at) {
            return;
        }
        match at.dead {
            Some(idle) if speaks => {
                self.found.idle.get_or_insert(idle);
            }
            Some(_) => {}
            None => self.found.calls.push(AssertHelperCall {
                name: name.to_owned(),
                on,
                speaks,
            }),
        }
    }

    /// Notes JavaScript's `x.should.be.true` and `x.should.equal(y)`.
    fn member(&mut self, node: Node<'t>, at: WalkPosition) {
        let property = node.child_by_field_name("property");
        if property.is_some_and(|node| source(node, self.text) == "should") {
            let chain = Chain::on(self.shape, node, self.text);
            let object = node.child_by_field_name("object");
            if chain.names.iter().any(|name| *name != "should") {
                let values: Vec<Node<'t>> =
                    object.into_iter().chain(chain.arguments.clone()).collect();
                self.note(node, at, self.values.over(&values));
            }
        }
        self.children(node, at);
    }

    fn call(&mut self, node: Node<'t>, at: WalkPosition) {
        let Some(call) = SyntaxCall::of(self.shape, node, self.text) else {
            // A function that is called where it stands: `(function () { … })()`.
            return self.children(node, at);
        };
        let on = self.on(&call);
        let says = says(self.shape.language, &call, node, self.text);
        if let Some(says) = says {
            self.check(node, at, (&call, says, on));
        } else {
            if call.name == "panic" && at.is_chosen && self.shape.language == Language::Go {
                self.note(node, at, None);
            }
            self.calls(node, at, (call.name, on, false));
        }
        if call.receiver.is_none() {
            self.follow(call.name, node, at);
        }
        if let Some(receiver) = call.receiver {
            if receiver.kind() == "identifier" {
                self.follow(source(receiver, self.text), node, at);
            }
            self.visit(
                receiver,
                WalkPosition {
                    is_handed: self.shape.is_function(receiver.kind()),
                    ..at
                },
            );
        }
        let must_throw = at.must_throw || says == Some(AssertionEffect::Expects);
        for argument in super::call::arguments(node) {
            self.visit(
                argument,
                WalkPosition {
                    is_handed: true,
                    must_throw,
                    ..at
                },
            );
        }
    }

    /// Notes a call whose words say that it asserts.
    fn check(
        &mut self,
        node: Node<'t>,
        at: WalkPosition,
        (call, says, on): (&SyntaxCall<'t>, AssertionEffect, HelperReceiver),
    ) {
        let chain = Chain::on(self.shape, node, self.text);
        let mut values: Vec<Node<'t>> = call.arguments.clone();
        if self.shape.language == Language::Go {
            // The object through which a test reports failures is not a value that is checked.
            values.retain(|node| !matches!(source(bare(*node), self.text), "t" | "tb" | "b" | "c"));
        }
        let receiver = call.receiver.filter(|_| call.name.starts_with("Should"));
        values.extend(receiver);
        let idle = match says {
            // Nothing is asserted about the value yet.
            AssertionEffect::Begins if chain.names.is_empty() => return,
            AssertionEffect::Begins => {
                values.extend(chain.arguments.iter().copied());
                self.values.over(&values)
            }
            // `assertTrue(false)` says that the test should not come here.
            AssertionEffect::Checks if self.values.never_holds(call.name, &values) => None,
            AssertionEffect::Checks => self.values.over(&values),
            AssertionEffect::Fails | AssertionEffect::Expects => None,
        };
        let is_caught = self.shape.language == Language::JavaScript
            && chain.calls.iter().any(|(name, call)| {
                let handler = call.child_by_field_name("arguments").unwrap_or(*call);
                *name == "catch" && !swallow::passes_on(self.shape, handler, self.text)
            });
        let idle = idle.or(is_caught.then_some(IdleReason::Swallowed));
        match idle {
            Some(_) => self.note(node, at, idle),
            None => self.calls(node, at, (call.name, on, true)),
        }
    }

    /// Classifies the receiver of a call.
    fn on(&self, call: &SyntaxCall<'t>) -> HelperReceiver {
        let Some(receiver) = call.receiver else {
            return HelperReceiver::Own;
        };
        let receiver = source(receiver, self.text);
        if matches!(
            receiver,
            "this" | "self" | "cls" | "super" | "super()" | "base"
        ) {
            return HelperReceiver::Own;
        }
        let last = receiver.rsplit('.').next().unwrap_or(receiver);
        let is_name = last.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && last.starts_with(char::is_uppercase) && self.shape.language != Language::Go {
            return HelperReceiver::Type(last.to_owned());
        }
        HelperReceiver::Other
    }
}

/// Tells whether running such a node may throw.
fn may_throw(kind: &str) -> bool {
    [
        "call",
        "invocation",
        "creation",
        "subscript",
        "access",
        "binary",
    ]
    .iter()
    .any(|text| kind.contains(text))
        || matches!(kind, "attribute" | "new_expression" | "field_expression")
}

//! The functions of test files, by name: which of them have something that can fail.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::model::{Language, Span};

use super::findings::{AssertFindings, AssertHelperCall, HelperReceiver};
use super::shape::ControlFlowKinds;
use super::walk::AssertWalk;
use super::{IdleReason, named, source};

/// The functions of one or more files; of none by default.
#[derive(Debug, Default)]
pub struct Helpers {
    by_name: BTreeMap<String, Vec<Helper>>,
}

#[derive(Debug)]
struct Helper {
    /// The innermost class around it; empty outside of classes.
    class: String,
    found: AssertFindings,
    /// Whether something in the function, or in a function that it calls, checks.
    checks: bool,
    /// Whether something in the function, or in a function that it calls, can fail.
    asserts: bool,
}

impl Helpers {
    /// Collects the functions of a file, each followed as far as this file goes.
    #[must_use]
    pub fn of_file(language: Language, path: &str, text: &str) -> Self {
        let mut helpers = Self::default();
        helpers.add(language, path, text);
        helpers.settle();
        helpers
    }

    /// Adds the functions of a file; [`Helpers::settle`] follows them.
    pub fn add(&mut self, language: Language, path: &str, text: &str) {
        let Some(tree) = crate::excerpt::parse(language, path, text) else {
            return;
        };
        let shape = ControlFlowKinds::of(language);
        let mut left = vec![(tree.root_node(), String::new())];
        while let Some((node, class)) = left.pop() {
            let kind = node.kind();
            let name = |node: Node<'_>| {
                let name = node.child_by_field_name("name");
                name.map(|node| source(node, text).to_owned())
            };
            if let Some((name, function)) = declared(shape, node, text) {
                let span = Span::new(0, text.len() as u32);
                let mut walk = AssertWalk::new(shape, text, span);
                walk.is_whole = true;
                walk.function(function);
                self.by_name.entry(name).or_default().push(Helper {
                    class: class.clone(),
                    found: walk.found,
                    checks: false,
                    asserts: false,
                });
            }
            let inner = if shape.classes.contains(&kind) {
                name(node).unwrap_or_default()
            } else {
                class
            };
            left.extend(named(node).into_iter().map(|node| (node, inner.clone())));
        }
    }

    /// Follows the calls of functions among each other, until nothing changes.
    pub fn settle(&mut self) {
        let nothing = Self::default();
        loop {
            let mut changed = Vec::new();
            for (name, all) in &self.by_name {
                for (idx, helper) in all.iter().enumerate() {
                    let checks = helper.checks || helper.found.checks(self, &nothing);
                    let asserts = helper.asserts || helper.found.resolve(self, &nothing).is_none();
                    if (checks, asserts) != (helper.checks, helper.asserts) {
                        changed.push((name.clone(), idx, checks, asserts));
                    }
                }
            }
            if changed.is_empty() {
                return;
            }
            for (name, idx, checks, asserts) in changed {
                if let Some(helper) = self
                    .by_name
                    .get_mut(&name)
                    .and_then(|helpers| helpers.get_mut(idx))
                {
                    (helper.checks, helper.asserts) = (checks, asserts);
                }
            }
        }
    }

    /// Tells whether a called function contains something that can fail; nothing where it is not declared here. A mere
    /// exception counts only where the name says that something is checked: test files may declare code under test,
    /// too.
    fn asserts(&self, called: &AssertHelperCall) -> Option<bool> {
        let says_so =
            called.speaks || called.on == HelperReceiver::Own && is_named_a_check(&called.name);
        self.any(called, |helper| helper.checks || says_so && helper.asserts)
    }

    /// Tells whether a called function checks something.
    fn checks(&self, called: &AssertHelperCall) -> Option<bool> {
        self.any(called, |helper| helper.checks)
    }

    fn any(&self, called: &AssertHelperCall, is_so: impl Fn(&Helper) -> bool) -> Option<bool> {
        let all = self.by_name.get(&called.name)?;
        let mut meant = all
            .iter()
            .filter(|helper| match &called.on {
                HelperReceiver::Own | HelperReceiver::Other => true,
                HelperReceiver::Type(class) => helper.class == *class,
            })
            .peekable();
        meant.peek()?;
        Some(meant.any(is_so))
    }
}

/// Finds the name and the function of a declaration: of a function, or of a variable that holds one.
fn declared<'t>(
    shape: &ControlFlowKinds,
    node: Node<'t>,
    text: &str,
) -> Option<(String, Node<'t>)> {
    let name = node.child_by_field_name("name")?;
    let name = source(name, text).to_owned();
    if shape.functions.contains(&node.kind()) {
        return Some((name, node));
    }
    let value = node.child_by_field_name("value")?;
    let is_bound = node.kind() == "variable_declarator" && shape.lambdas.contains(&value.kind());
    is_bound.then_some((name, value))
}

/// Tells whether a function's name begins like a check's.
fn is_named_a_check(name: &str) -> bool {
    let name = name.trim_start_matches('_').to_ascii_lowercase();
    [
        "assert", "check", "ensure", "expect", "must", "require", "verify",
    ]
    .iter()
    .any(|text| name.starts_with(text))
}

impl AssertFindings {
    /// Tells why nothing can fail, given the helpers of the file and of the project; `None` where something can.
    #[must_use]
    pub fn resolve(&self, own: &Helpers, project: &Helpers) -> Option<IdleReason> {
        if self.asserts || self.leads(own, project, Helpers::asserts) {
            return None;
        }
        Some(self.idle.unwrap_or(IdleReason::Nothing))
    }

    /// Tells whether something is checked, here or in a called function.
    fn checks(&self, own: &Helpers, project: &Helpers) -> bool {
        self.checks || self.leads(own, project, Helpers::checks)
    }

    /// Tells whether a call leads to something that can fail, as `is_so` has it.
    fn leads(
        &self,
        own: &Helpers,
        project: &Helpers,
        is_so: impl Fn(&Helpers, &AssertHelperCall) -> Option<bool>,
    ) -> bool {
        self.calls.iter().any(|called| {
            // A method of another object is not the function of the same name in this file.
            let here = match called.on {
                HelperReceiver::Other if called.speaks => None,
                _ => is_so(own, called),
            };
            here.unwrap_or_else(|| called.speaks || is_so(project, called) == Some(true))
        })
    }
}

//! The data-flow part: where each variable's value comes from, by rules over the syntax tree.
//!
//! The rules are those of the reference implementations (METRICS.md 3.2), one table for all languages, quirks and all;
//! lists that are made unique there in an order that depends on hash seeds keep first occurrences here. Walking a node
//! appends *items*: a token, `comesFrom` or `computedFrom`, and the names of the tokens that it has its value from.
//! Names stand for texts. The *state* says for each name which tokens hold its value.
//!
//! Two shortcuts change nothing: only tokens whose text is not their kind matter, and of all other nodes only those
//! that have a rule, so that a walk goes from rule to rule and over the tokens between them; and items are sorted by
//! token once at the end instead of after every node, because no step before looks at the order of different tokens.

mod finish;
mod read;
mod rules;
mod state;

use self::finish::Groups;
use self::read::Leaves;
use self::rules::{Rule, Rules};
use self::state::States;
use super::CodeBleuCut;
use crate::model::{Language, Span};
use crate::syntax::tree::{NodeField, Tree};

/// How deep nodes may be nested, the root being 0. Python stops at 1,000 calls: a script that calls `calc_codebleu` of
/// codebleu 0.7.0 gets the flows of a Java text of depth 992 and no more (tried with parentheses, operators and blocks).
const DEPTH_MAX: u32 = 992;

/// Computes how many steps a walk may take, at least and per node: each loop in a loop doubles the steps of its body,
/// and a branch copies the state. A method of 2,000 nodes may have ten loops in each other.
const fn steps_max(n_nodes: usize) -> u64 {
    4_000_000 + 64 * n_nodes as u64
}

/// How a token has its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    ComesFrom,
    ComputedFrom,
}

/// A token that has its value from others.
#[derive(Clone, Copy, Debug)]
struct DependentToken {
    token: u32,
    relation: Relation,
    /// The names of the tokens, in `FlowWalk::parents`.
    parents: (u32, u32),
}

/// A normalized flow: variables are numbered in order of appearance.
#[derive(Clone, Copy, Debug)]
struct Flow {
    variable: u32,
    relation: Relation,
    parents: (u32, u32),
    /// Where the variable is in the text; flows are compared without it.
    place: Span,
}

/// The flows of one text.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    flows: Vec<Flow>,
    parents: Vec<u32>,
}

impl Flows {
    /// Returns how many flows there are.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Tells whether there are no flows.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Returns the flows: a variable, how it has its value, and from which variables.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Relation, &[u32])> {
        (0..self.flows.len()).map(|idx| self.get(idx))
    }

    /// Counts the flows in both lists, each as often as it is in both.
    pub fn n_shared(&self, other: &Self) -> u64 {
        let mut n = 0;
        self.each_shared(other, |_| n += 1);
        n
    }

    /// Returns, in the order of the text, where the variables are whose flows the other list does not have. Of equal
    /// flows the first ones are in both.
    pub fn unshared(&self, other: &Self) -> Vec<Span> {
        let mut is_shared = vec![false; self.flows.len()];
        self.each_shared(other, |idx| is_shared[idx] = true);
        let flows = self.flows.iter().zip(is_shared);
        flows
            .filter(|flow| !flow.1)
            .map(|flow| flow.0.place)
            .collect()
    }

    fn each_shared(&self, other: &Self, mut show: impl FnMut(usize)) {
        if self.flows.is_empty() || other.flows.is_empty() {
            return;
        }
        let sorted = |flows: &Self| {
            let mut order: Vec<usize> = (0..flows.flows.len()).collect();
            order.sort_unstable_by(|a, b| flows.get(*a).cmp(&flows.get(*b)).then(a.cmp(b)));
            order
        };
        let (ours, theirs) = (sorted(self), sorted(other));
        let (mut at, mut other_at) = (0, 0);
        while let (Some(our), Some(their)) = (ours.get(at), theirs.get(other_at)) {
            let order = self.get(*our).cmp(&other.get(*their));
            if order.is_eq() {
                show(*our);
            }
            at += usize::from(order.is_le());
            other_at += usize::from(order.is_ge());
        }
    }

    fn get(&self, idx: usize) -> (u32, Relation, &[u32]) {
        let flow = self.flows[idx];
        let (from, to) = flow.parents;
        let parents = &self.parents[from as usize..to as usize];
        (flow.variable, flow.relation, parents)
    }
}

/// Memory for reading flows.
#[derive(Default)]
pub struct FlowReader {
    leaves: Leaves,
    states: States,
    items: Vec<DependentToken>,
    parents: Vec<u32>,
    /// By token: whether it has parents or is one.
    is_used: Vec<bool>,
    groups: Groups,
}

impl FlowReader {
    /// Replaces `flows` by those of a tree, made of `text`. There are none when something is cut off, which is
    /// returned.
    pub fn read(
        &mut self,
        language: Language,
        tree: &Tree,
        text: &str,
        flows: &mut Flows,
    ) -> Option<CodeBleuCut> {
        flows.flows.clear();
        flows.parents.clear();
        if tree.is_stopped() {
            return Some(CodeBleuCut::Parser);
        }
        let rules = Rules::of(language);
        let is_too_deep = !self.leaves.read(rules, tree, text, DEPTH_MAX);
        if is_too_deep {
            return Some(CodeBleuCut::Depth);
        }
        self.items.clear();
        self.parents.clear();
        self.is_used.clear();
        self.is_used.resize(self.leaves.n_tokens as usize, false);
        self.states.clear(self.leaves.n_names());
        let mut walk = FlowWalk {
            rules,
            tree,
            leaves: &self.leaves,
            states: &mut self.states,
            items: &mut self.items,
            parents: &mut self.parents,
            is_used: &mut self.is_used,
            groups: &mut self.groups,
            steps_left: steps_max(tree.nodes.len()),
        };
        if let Err(cut) = walk.nodes(0, tree.nodes.len() as u32) {
            return Some(cut);
        }
        let used = &self.is_used;
        self.items
            .retain(|dependent_token| used[dependent_token.token as usize]);
        let leaves = &self.leaves;
        self.groups
            .finish(&self.items, &self.parents, leaves, flows);
        None
    }
}

struct FlowWalk<'w> {
    rules: &'static Rules,
    tree: &'w Tree,
    leaves: &'w Leaves,
    states: &'w mut States,
    items: &'w mut Vec<DependentToken>,
    parents: &'w mut Vec<u32>,
    is_used: &'w mut [bool],
    groups: &'w mut Groups,
    steps_left: u64,
}

impl FlowWalk<'_> {
    fn take_steps(&mut self, n: usize) -> Result<(), CodeBleuCut> {
        self.steps_left = self
            .steps_left
            .checked_sub(n as u64)
            .ok_or(CodeBleuCut::Work)?;
        Ok(())
    }

    /// Walks the nodes `from..to`, which are whole subtrees beside each other.
    fn nodes(&mut self, from: u32, to: u32) -> Result<(), CodeBleuCut> {
        let leaves = self.leaves;
        let mut at = from;
        let mut next = leaves.first_rule(from);
        loop {
            while let Some((node, _)) = leaves.rules.get(next)
                && *node < at
            {
                next += 1;
            }
            let rule = leaves.rules.get(next).filter(|rule| rule.0 < to);
            let end = rule.map_or(to, |rule| rule.0);
            self.tokens(at, end)?;
            let Some(&(node, rule)) = rule else {
                return Ok(());
            };
            self.take_steps(1)?;
            self.rule(node, rule)?;
            at = self.end_of(node);
        }
    }

    /// Walks tokens between rules: each has the value that its name has, or else is where the name's value begins.
    fn tokens(&mut self, from: u32, to: u32) -> Result<(), CodeBleuCut> {
        let leaves = self.leaves;
        for at in leaves.variables_in(from, to) {
            let variable = leaves.variables[at];
            let tokens = self.states.tokens(variable.name);
            if tokens.is_empty() {
                self.push_without_parents(variable.token, Relation::ComesFrom);
                if variable.is_identifier {
                    self.states.set(variable.name, variable.token);
                }
            } else {
                for token in tokens {
                    self.is_used[*token as usize] = true;
                }
                self.steps_left = self.steps_left.saturating_sub(tokens.len() as u64);
                self.is_used[variable.token as usize] = true;
                let start = self.parents.len() as u32;
                self.parents.push(variable.name);
                self.items.push(DependentToken {
                    token: variable.token,
                    relation: Relation::ComesFrom,
                    parents: (start, start + 1),
                });
            }
            self.take_steps(1)?;
        }
        Ok(())
    }

    fn push_without_parents(&mut self, token: u32, relation: Relation) {
        let start = self.parents.len() as u32;
        self.items.push(DependentToken {
            token,
            relation,
            parents: (start, start),
        });
    }

    fn rule(&mut self, node: u32, rule: Rule) -> Result<(), CodeBleuCut> {
        match rule {
            Rule::Define => self.define(node),
            Rule::Assign => self.assign(node),
            Rule::AssignEach => self.assign_each(node),
            Rule::Increment => self.pair(node, node, Relation::ComputedFrom),
            Rule::If => self.branch(node),
            Rule::For => self.repeat_after_marker(node),
            Rule::ForEach => self.repeat_each(node),
            Rule::ForIn => self.repeat_in(node),
            Rule::While => {
                let mark = self.items.len();
                for _ in 0..2 {
                    self.nodes(node + 1, self.end_of(node))?;
                }
                self.merge(mark)
            }
            Rule::FirstThoseInFor => self.first_those_in_for(node),
        }
    }

    fn end_of(&self, node: u32) -> u32 {
        self.tree.nodes[node as usize].subtree_end
    }

    fn walk(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        self.nodes(node, self.end_of(node))
    }

    /// Finds the child in a field. Python asks a missing one for its own children, which raises an exception: no flows
    /// at all.
    fn child(&self, node: u32, field: NodeField) -> Result<u32, CodeBleuCut> {
        self.tree
            .child_by_field(node, field)
            .ok_or(CodeBleuCut::Child)
    }

    /// Assigns to every variable of `left` from each variable of `right`, with one item each.
    fn pair(&mut self, left: u32, right: u32, relation: Relation) -> Result<(), CodeBleuCut> {
        let leaves = self.leaves;
        let sources = leaves.variables_in(right, self.end_of(right));
        for at in leaves.variables_in(left, self.end_of(left)) {
            let variable = leaves.variables[at];
            self.take_steps(1 + sources.len())?;
            for source in &leaves.variables[sources.clone()] {
                let start = self.parents.len() as u32;
                self.parents.push(source.name);
                self.is_used[source.token as usize] = true;
                self.is_used[variable.token as usize] = true;
                self.items.push(DependentToken {
                    token: variable.token,
                    relation,
                    parents: (start, start + 1),
                });
            }
            self.states.set(variable.name, variable.token);
        }
        Ok(())
    }

    /// Assigns to every variable of `left` from all variables of `right` together, with one item (Python).
    fn pair_with_all(&mut self, left: u32, right: u32) -> Result<(), CodeBleuCut> {
        let leaves = self.leaves;
        let sources = leaves.variables_in(right, self.end_of(right));
        let targets = leaves.variables_in(left, self.end_of(left));
        if targets.is_empty() {
            return Ok(());
        }
        let start = self.parents.len() as u32;
        self.take_steps(sources.len())?;
        for source in &leaves.variables[sources] {
            self.parents.push(source.name);
            self.is_used[source.token as usize] = true;
        }
        let end = self.parents.len() as u32;
        for at in targets {
            let variable = leaves.variables[at];
            self.take_steps(1)?;
            self.is_used[variable.token as usize] |= start < end;
            self.items.push(DependentToken {
                token: variable.token,
                relation: Relation::ComputedFrom,
                parents: (start, end),
            });
            self.states.set(variable.name, variable.token);
        }
        Ok(())
    }

    fn define(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let (name, value) = if self.rules.defines_by_place {
            let mut children = self.tree.children(node);
            let name = children.next().ok_or(CodeBleuCut::Child)?;
            let value = children.next().filter(|_| children.next().is_none());
            (name, value)
        } else {
            let name = self.child(node, self.rules.name)?;
            (name, self.tree.child_by_field(node, self.rules.value))
        };
        if let Some(value) = value {
            self.walk(value)?;
            return self.pair(name, value, Relation::ComesFrom);
        }
        let leaves = self.leaves;
        for at in leaves.variables_in(name, self.end_of(name)) {
            let variable = leaves.variables[at];
            self.take_steps(1)?;
            self.push_without_parents(variable.token, Relation::ComesFrom);
            self.states.set(variable.name, variable.token);
        }
        Ok(())
    }

    fn assign(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let right = self.child(node, self.rules.right)?;
        let left = self.child(node, self.rules.left)?;
        self.walk(right)?;
        self.pair(left, right, Relation::ComputedFrom)
    }

    /// Walks an assignment of Python: one by one when both sides have as many children, commas left out.
    fn assign_each(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let is_in_for = self.tree.nodes[node as usize].kind == self.rules.in_for;
        if is_in_for {
            let right = self.tree.children(node).last().ok_or(CodeBleuCut::Child)?;
            let left = self.child(node, self.rules.left)?;
            self.walk(right)?;
            return self.pair_with_all(left, right);
        }
        let Some(right) = self.tree.child_by_field(node, self.rules.right) else {
            return Ok(());
        };
        let left = self.child(node, self.rules.left)?;
        self.assign_sides(left, right)
    }

    fn assign_sides(&mut self, left: u32, right: u32) -> Result<(), CodeBleuCut> {
        let parts = |node: u32| {
            let children = self.tree.children(node);
            children.filter(|child| self.tree.nodes[*child as usize].kind != self.rules.comma)
        };
        let n_parts = parts(left).count();
        if n_parts == 0 || n_parts != parts(right).count() {
            self.walk(right)?;
            return self.pair_with_all(left, right);
        }
        let lefts: Vec<u32> = parts(left).collect();
        let rights: Vec<u32> = parts(right).collect();
        self.take_steps(n_parts)?;
        for right in &rights {
            self.walk(*right)?;
        }
        for (left, right) in lefts.iter().zip(&rights) {
            self.pair_with_all(*left, *right)?;
        }
        Ok(())
    }

    /// Walks the parts before the first branch one after the other, and every branch from the state before the whole.
    /// Afterwards a name may have its value from any of the ways through.
    fn branch(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let tree = self.tree;
        let before = self.states.save();
        let mut union = None;
        let mut has_else = false;
        let mut is_branching = false;
        for child in tree.children(node) {
            let place = self.rules.role(tree.nodes[child as usize].kind).place;
            has_else |= place.has_else;
            is_branching = place.is_branch || (is_branching && self.rules.stays_branching);
            if !is_branching {
                self.walk(child)?;
                continue;
            }
            self.take_steps(1 + self.states.n_names() / 2)?;
            let current = self.states.save();
            self.states.load(before);
            self.walk(child)?;
            if let Some(union) = union {
                self.states.add(union);
                self.states.exchange(union);
                self.states.load(current);
                self.states.forget(current);
            } else {
                self.states.exchange(current);
                union = Some(current);
            }
        }
        self.take_steps(1 + self.states.n_names() / 4)?;
        if let Some(union) = union {
            self.states.add(union);
        }
        if !has_else || self.rules.adds_state_before {
            self.states.add(before);
        }
        self.states.forget(before);
        let n_merged = self.states.take_n_merged();
        self.take_steps(n_merged)
    }

    /// Walks a `for` with parts: everything once, then again the parts behind the first marker.
    fn repeat_after_marker(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let tree = self.tree;
        let mark = self.items.len();
        self.nodes(node + 1, self.end_of(node))?;
        let marker = tree
            .children(node)
            .find(|child| tree.nodes[*child as usize].kind == self.rules.marker);
        if let Some(marker) = marker {
            let update = tree.child_by_field(marker, self.rules.update);
            if let Some(update) = update {
                self.walk(update)?;
            }
            self.nodes(self.end_of(marker), self.end_of(node))?;
        }
        self.merge(mark)
    }

    fn repeat_each(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let name = self.child(node, self.rules.each_name)?;
        let value = self.child(node, self.rules.each_value)?;
        let body = self.child(node, self.rules.body)?;
        let mark = self.items.len();
        for _ in 0..2 {
            self.walk(value)?;
            self.pair(name, value, Relation::ComputedFrom)?;
            self.walk(body)?;
        }
        self.merge(mark)
    }

    /// Walks Python's `for`: the body counts only when it is the last child, so not before an `else`.
    fn repeat_in(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let right = self.child(node, self.rules.right)?;
        let left = self.child(node, self.rules.left)?;
        let last = self.tree.children(node).last();
        let body = last.filter(|last| self.tree.nodes[*last as usize].kind == self.rules.block);
        let mark = self.items.len();
        for _ in 0..2 {
            self.assign_sides(left, right)?;
            if let Some(body) = body {
                self.walk(body)?;
            }
        }
        self.merge(mark)
    }

    fn first_those_in_for(&mut self, node: u32) -> Result<(), CodeBleuCut> {
        let tree = self.tree;
        let is_in_for = |child: &u32| tree.nodes[*child as usize].kind == self.rules.in_for;
        for child in tree.children(node).filter(is_in_for) {
            self.walk(child)?;
        }
        for child in tree.children(node).filter(|child| !is_in_for(child)) {
            self.walk(child)?;
        }
        Ok(())
    }

    /// Makes the items from `mark` on unique by token and relation.
    fn merge(&mut self, mark: usize) -> Result<(), CodeBleuCut> {
        let n_items = self.items.len() - mark;
        let n_parents = self
            .groups
            .merge(self.items, mark, self.parents, self.leaves);
        self.take_steps(n_items + n_parents)
    }
}

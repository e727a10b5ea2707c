//! The meaning of a function's names: variables with all places that use them.
//!
//! Decides to which variable a use belongs, by nested scopes; a file of each language says which scopes there are, and
//! which nodes are uses. A name that occurs in a place whose meaning no file knows is never renamed.

pub mod csharp;
pub mod go;
pub mod java;
pub mod javascript;
mod once;
pub mod python;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;

/// The role of a variable in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableRole {
    Parameter,
    /// `*args`, `...rest`.
    Rest,
    /// `self`, and others that its callers do not pass.
    Receiver,
    Local,
    /// A variable of a nested function or a comprehension, or one that is never renamed.
    Foreign,
}

/// How a use is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseForm {
    Plain,
    /// `{b}`: the name of a property as well.
    Shorthand,
}

#[derive(Clone, Copy, Debug)]
pub struct VariableUse {
    pub node: u32,
    pub form: UseForm,
    /// It is given a value here.
    pub is_binding: bool,
}

/// Why a variable keeps its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenameBarrier {
    pub why: &'static str,
    /// It matters only where results must stay.
    pub is_strict: bool,
}

#[derive(Clone, Debug)]
pub struct Variable<'c> {
    pub name: &'c str,
    pub role: VariableRole,
    /// In the order of the text.
    pub uses: Vec<VariableUse>,
    /// The node of its declared type.
    pub declared_type: Option<u32>,
    pub bar: Option<RenameBarrier>,
}

/// The variables of one function.
#[derive(Debug, Default)]
pub struct Scopes<'c> {
    /// In the order of their declarations.
    pub variables: Vec<Variable<'c>>,
    /// Why nothing may be renamed.
    pub bar: Option<&'static str>,
    by_node: FxHashMap<u32, usize>,
}

impl<'c> Scopes<'c> {
    /// Finds the variable that a node is a use of.
    pub fn of(&self, node: u32) -> Option<&Variable<'c>> {
        self.idx_of(node).map(|n| &self.variables[n])
    }

    pub fn idx_of(&self, node: u32) -> Option<usize> {
        self.by_node.get(&node).copied()
    }
}

struct LexicalScope {
    parent: Option<usize>,
    /// Its names mean nothing in the scopes inside.
    is_closed: bool,
}

struct VisibleVariable<'c> {
    variable: Variable<'c>,
    visible_from: u32,
}

/// Collects the scopes, declarations and uses that the file of a language finds in a function.
pub struct Builder<'c> {
    code: &'c Code<'c>,
    scopes: Vec<LexicalScope>,
    declared: Vec<VisibleVariable<'c>>,
    by_name: FxHashMap<(usize, &'c str), usize>,
    uses: Vec<(usize, VariableUse)>,
    /// Nodes whose meaning is known.
    known: FxHashSet<u32>,
    bars: Vec<(&'c str, RenameBarrier)>,
    bar: Option<&'static str>,
}

impl<'c> Builder<'c> {
    /// Makes a builder with one scope, number 0.
    pub fn new(code: &'c Code<'c>) -> Self {
        Self {
            code,
            scopes: vec![LexicalScope {
                parent: None,
                is_closed: false,
            }],
            declared: Vec::new(),
            by_name: FxHashMap::default(),
            uses: Vec::new(),
            known: FxHashSet::default(),
            bars: Vec::new(),
            bar: None,
        }
    }

    pub fn open(&mut self, parent: usize) -> usize {
        self.push(Some(parent), false)
    }

    /// Opens a scope whose names mean nothing in the scopes inside, as a class body of Python.
    pub fn open_closed(&mut self, parent: usize) -> usize {
        self.push(Some(parent), true)
    }

    fn push(&mut self, parent: Option<usize>, is_closed: bool) -> usize {
        self.scopes.push(LexicalScope { parent, is_closed });
        self.scopes.len() - 1
    }

    /// Declares a name from a place on; a second declaration in a scope is of the same variable, which keeps its first
    /// role.
    pub fn declare(
        &mut self,
        scope: usize,
        node: u32,
        role: VariableRole,
        visible_from: u32,
    ) -> &mut Variable<'c> {
        let name = self.code.source(node);
        self.known.insert(node);
        let declared = &mut self.declared;
        let idx = *self.by_name.entry((scope, name)).or_insert_with(|| {
            declared.push(VisibleVariable {
                variable: Variable {
                    name,
                    role,
                    uses: Vec::new(),
                    declared_type: None,
                    bar: None,
                },
                visible_from,
            });
            declared.len() - 1
        });
        let visible_variable = &mut self.declared[idx];
        visible_variable.visible_from = visible_variable.visible_from.min(visible_from);
        visible_variable.variable.uses.push(VariableUse {
            node,
            form: UseForm::Plain,
            is_binding: true,
        });
        &mut visible_variable.variable
    }

    /// Declares a name in another form, seen everywhere in its scope.
    pub fn declare_as(
        &mut self,
        scope: usize,
        node: u32,
        role: VariableRole,
        form: UseForm,
    ) -> &mut Variable<'c> {
        let variable = self.declare(scope, node, role, 0);
        if let Some(variable_use) = variable.uses.last_mut() {
            variable_use.form = form;
        }
        variable
    }

    /// Tells whether a scope itself has a name already.
    pub fn has(&self, scope: usize, name: &str) -> bool {
        self.by_name.contains_key(&(scope, name))
    }

    /// Records a use of a name.
    pub fn reads(&mut self, scope: usize, node: u32) {
        self.used(scope, node, UseForm::Plain, false);
    }

    pub fn used(&mut self, scope: usize, node: u32, form: UseForm, is_binding: bool) {
        self.known.insert(node);
        self.uses.push((
            scope,
            VariableUse {
                node,
                form,
                is_binding,
            },
        ));
    }

    /// Records that a node is no variable's name: a member, a label, a key.
    pub fn other(&mut self, node: u32) {
        self.known.insert(node);
    }

    /// Keeps every variable of a name from being renamed.
    pub fn bar(&mut self, name: &'c str, why: &'static str) {
        let is_strict = false;
        self.bars.push((name, RenameBarrier { why, is_strict }));
    }

    pub fn bar_strict(&mut self, name: &'c str, why: &'static str) {
        let is_strict = true;
        self.bars.push((name, RenameBarrier { why, is_strict }));
    }

    /// Keeps every variable of the function from being renamed.
    pub fn bar_all(&mut self, why: &'static str) {
        self.bar.get_or_insert(why);
    }

    /// Resolves all uses. `texts` are kinds of leaves that are no code.
    pub fn finish(mut self, function: u32, texts: &[&str]) -> Scopes<'c> {
        for (scope, variable_use) in std::mem::take(&mut self.uses) {
            if let Some(idx) = self.resolve(scope, variable_use.node) {
                self.declared[idx].variable.uses.push(variable_use);
            }
        }
        let names: FxHashSet<&str> = self
            .declared
            .iter()
            .map(|visible_variable| visible_variable.variable.name)
            .collect();
        for idx in self.code.below(function) {
            if self.code.is_leaf(idx)
                && !self.known.contains(&idx)
                && names.contains(self.code.source(idx))
                && !texts.contains(&self.code.kind(idx))
            {
                self.bars.push((
                    self.code.source(idx),
                    RenameBarrier {
                        why: "occurs where its meaning is not certain",
                        is_strict: false,
                    },
                ));
            }
        }
        let mut by_node = FxHashMap::default();
        let mut variables: Vec<Variable<'c>> = self
            .declared
            .into_iter()
            .map(|visible_variable| visible_variable.variable)
            .collect();
        for variable in &mut variables {
            variable.uses.sort_by_key(|variable_use| variable_use.node);
        }
        variables.sort_by_key(|variable| variable.uses[0].node);
        for (idx, variable) in variables.iter_mut().enumerate() {
            let own = self.bars.iter().filter(|(name, _)| *name == variable.name);
            // A barrier that always holds counts more than one that holds where results must stay.
            let bar = own
                .map(|(_, bar)| *bar)
                .min_by_key(|rename_barrier| rename_barrier.is_strict);
            variable.bar = match (variable.bar, bar) {
                (Some(own), Some(bar)) if own.is_strict => Some(bar),
                (own, bar) => own.or(bar),
            };
            by_node.extend(
                variable
                    .uses
                    .iter()
                    .map(|variable_use| (variable_use.node, idx)),
            );
        }
        Scopes {
            variables,
            bar: self.bar,
            by_node,
        }
    }

    fn resolve(&self, scope: usize, node: u32) -> Option<usize> {
        let name = self.code.source(node);
        let at = self.code.span(node).start;
        let mut next = Some(scope);
        while let Some(idx) = next {
            let is_visible = idx == scope || !self.scopes[idx].is_closed;
            if is_visible
                && let Some(found) = self.by_name.get(&(idx, name))
                && self.declared[*found].visible_from <= at
            {
                return Some(*found);
            }
            next = self.scopes[idx].parent;
        }
        None
    }
}

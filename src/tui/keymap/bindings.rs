//! The registry with its sequences parsed: what keys mean, and what may follow them.

use crate::tui::key::{self, Key};
use crate::tui::keymap::{ACTIONS, Action, Command, Context};

/// What a sequence of keys has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Command(Command),
    /// The beginning of at least one longer sequence.
    Prefix,
    Nothing,
}

/// The registry with its sequences parsed.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

#[derive(Clone, Debug)]
struct Binding {
    keys: Vec<Key>,
    action: &'static Action,
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings = ACTIONS
            .iter()
            .flat_map(|action| action.keys.iter().map(move |keys| (action, *keys)))
            .map(|(action, keys)| Binding {
                keys: key::parse(keys).expect("a test parses every key of the registry"),
                action,
            })
            .collect();
        Self { bindings }
    }
}

impl Keymap {
    /// Returns what `keys` mean in `context`.
    #[must_use]
    pub fn find(&self, context: Context, keys: &[Key]) -> Found {
        let mut found = Found::Nothing;
        for binding in self.heard_in(context) {
            if binding.keys == keys {
                return Found::Command(binding.action.command);
            }
            if binding.keys.starts_with(keys) {
                found = Found::Prefix;
            }
        }
        found
    }

    /// Returns what may follow `prefix`: the next keys as written, and the action.
    pub fn continuations(
        &self,
        context: Context,
        prefix: &[Key],
    ) -> impl Iterator<Item = (String, &'static Action)> {
        self.heard_in(context)
            .filter(move |binding| binding.keys.len() > prefix.len())
            .filter(move |binding| binding.keys.starts_with(prefix))
            .map(move |binding| (key::label(&binding.keys[prefix.len()..]), binding.action))
    }

    fn heard_in(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.bindings
            .iter()
            .filter(move |binding| binding.action.contexts.contains(&context))
    }
}

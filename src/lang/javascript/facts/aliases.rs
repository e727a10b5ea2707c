//! Other names of a runner's functions: `import { it as spec }`, `const check = it`, `import * as vt from "vitest"`.

use super::lower::JavaScriptLowering;
use super::suites::{is_left_out, is_runner_word};
use super::{BindingId, Expr, ExprId, Name};

/// Modules whose default export makes tests, and so does the module as a whole.
const TEST_MODULES: &[&str] = &["ava", "tape", "node:test"];

/// Modules that export a runner's functions by name.
const RUNNERS: &[&str] = &[
    "vitest",
    "@jest/globals",
    "mocha",
    "node:test",
    "@playwright/test",
    "bun:test",
    "tap",
];

impl JavaScriptLowering<'_> {
    /// Notes that a name stands for a runner's function, which was imported or taken out of an object.
    pub fn rename(&mut self, local: Name, word: Name) {
        if local != word && is_runner_word(self.facts.word(word)) {
            self.aliases.insert(local, vec![word]);
        }
    }

    /// Notes that a name stands for a module as a whole, or for its default export.
    pub fn name_module(&mut self, local: Name, from: Name, is_default: bool) {
        let module = self.facts.word(from);
        if RUNNERS.contains(&module) {
            self.runner_modules.insert(local);
        }
        if is_default && TEST_MODULES.contains(&module) && !is_runner_word(self.facts.word(local)) {
            let test = self.intern("test");
            self.aliases.insert(local, vec![test]);
        }
    }

    /// Notes that a variable is given a runner's function, or one that extends it.
    pub fn name_value(&mut self, local: Name, value: ExprId) {
        if let Expr::Call(site) = *self.facts.expr(value)
            && let Expr::Var(BindingId(callee), _) = *self.facts.expr(self.facts.site(site).callee)
            && self.facts.word(Name(callee)) == "require"
        {
            let from = self.facts.site(site).args.first();
            if let Some(&Expr::Text(from)) = from.map(|expr_id| self.facts.expr(*expr_id)) {
                self.name_module(local, from, true);
            }
            return;
        }
        if let Some(words) = self.runner_words(value, 0)
            && words[..] != [local]
        {
            self.aliases.insert(local, words);
        }
    }

    /// Finds the words of a runner's function that an expression names.
    fn runner_words(&self, value: ExprId, depth: u32) -> Option<Vec<Name>> {
        if depth > 4 {
            return None;
        }
        match *self.facts.expr(value) {
            Expr::Var(BindingId(name), _) => {
                let name = Name(name);
                let alias = self.aliases.get(&name);
                let is_known = is_runner_word(self.facts.word(name));
                alias.cloned().or_else(|| is_known.then(|| vec![name]))
            }
            Expr::Member(object, name) => {
                let is_word = is_runner_word(self.facts.word(name));
                if is_word && self.is_runner_module(object) {
                    return Some(vec![name]);
                }
                let mut words = self.runner_words(object, depth + 1)?;
                words.push(name);
                Some(words)
            }
            // A condition skips nothing for good: the side that runs the test counts.
            Expr::Either(a, b) => {
                let (a, b) = (
                    self.runner_words(a, depth + 1)?,
                    self.runner_words(b, depth + 1)?,
                );
                let is_left_out = is_left_out(a.iter().map(|name| self.facts.word(*name)));
                Some(if is_left_out { b } else { a })
            }
            Expr::Call(site) => match *self.facts.expr(self.facts.site(site).callee) {
                Expr::Member(object, name) if self.facts.word(name) == "extend" => {
                    self.runner_words(object, depth + 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_runner_module(&self, value: ExprId) -> bool {
        matches!(*self.facts.expr(value), Expr::Var(BindingId(name), _)
            if self.runner_modules.contains(&Name(name)))
    }
}

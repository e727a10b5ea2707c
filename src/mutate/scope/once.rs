//! Variables of languages in which only names are renamed that a function declares once: then every use in the
//! declaration's block is a use of it, under any rules of hiding.
//!
//! A name that is declared again, or occurs outside of its block, keeps its name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Builder, Scopes, UseForm, VariableRole};
use crate::code::Code;

/// The meaning of a node with a name in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameMeaning {
    /// A use of a variable.
    Use(UseForm),
    /// A declaration, and the node that it can be seen in.
    Declares(VariableRole, u32, UseForm),
    /// Nothing that is renamed with a variable.
    Other,
    /// A place where a variable keeps its name.
    Keeps(&'static str),
    /// The same, where results must stay.
    KeepsStrict(&'static str),
}

/// Reads the variables of a function from the leaves that `meaning` knows.
pub fn read<'c>(
    code: &'c Code<'c>,
    function: u32,
    texts: &[&str],
    meaning: impl Fn(u32) -> Option<(NameMeaning, Option<u32>)>,
) -> Scopes<'c> {
    let mut builder = Builder::new(code);
    let mut blocks: FxHashMap<&str, u32> = FxHashMap::default();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut uses = Vec::new();
    for idx in code.below(function) {
        if !code.is_leaf(idx) {
            continue;
        }
        let name = code.source(idx);
        match meaning(idx) {
            Some((NameMeaning::Use(form), _)) => uses.push((idx, form)),
            Some((NameMeaning::Declares(role, block, form), typed)) => {
                if !seen.insert(name) {
                    builder.bar(name, "is declared more than once");
                }
                blocks.insert(name, block);
                let variable = builder.declare_as(0, idx, role, form);
                variable.declared_type = variable.declared_type.or(typed);
            }
            Some((NameMeaning::Other, _)) => builder.other(idx),
            Some((NameMeaning::Keeps(why), _)) => {
                builder.bar(name, why);
                builder.other(idx);
            }
            Some((NameMeaning::KeepsStrict(why), _)) => {
                builder.bar_strict(name, why);
                uses.push((idx, UseForm::Plain));
            }
            None => {}
        }
    }
    for (idx, form) in uses {
        let name = code.source(idx);
        if let Some(block) = blocks.get(name)
            && !code.below(*block).contains(&idx)
        {
            builder.bar(name, "also means something outside of its block");
        }
        builder.used(0, idx, form, false);
    }
    builder.finish(function, texts)
}

/// Finds the innermost node of these kinds around a node, or the function.
pub fn around(code: &Code<'_>, idx: u32, function: u32, kinds: &[&str]) -> u32 {
    let mut above = code.above(idx).take_while(|n| *n != function);
    above
        .find(|n| kinds.contains(&code.kind(*n)))
        .unwrap_or(function)
}

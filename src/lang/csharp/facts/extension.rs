//! Methods declared in `extension(T it) { … }`, which take the receiver first.

use super::kind::Kind;
use super::lower::{CSharpLowering, Receiver};
use super::{MemberDecl, TypeVar, flag};
use crate::run::Run;

impl CSharpLowering<'_> {
    /// Tells whether a method stands for the head of a block, and reads its receiver.
    pub fn opens_extension(&mut self, node: u32) -> bool {
        let start = self.span(node).start;
        let Ok(at) = self
            .extensions
            .binary_search_by_key(&start, |extension| extension.start)
        else {
            return false;
        };
        let vars = self.child_of(node, Kind::TypeParameters);
        let vars = vars.map_or(Run::default(), |var| self.type_parameters(var, node));
        let params = self.child_of(node, Kind::Parameters);
        let params = params.map_or(Run::default(), |param| self.parameters(param).0);
        self.receiver = self.facts.params[params.range()]
            .first()
            .map(|&param| Receiver {
                end: self.extensions[at].end,
                param,
                vars,
            });
        true
    }

    /// Makes a method in a block take the receiver as its first parameter; static ones do not.
    pub fn extend(&mut self, decl: &mut MemberDecl) {
        let Some(receiver) = self.receiver.clone() else {
            return;
        };
        if decl.span.start >= receiver.end || decl.flags & flag::STATIC != 0 {
            return;
        }
        let own = self.facts.params[decl.params.range()].to_vec();
        let params = std::iter::once(receiver.param).chain(own);
        decl.params = Run::add(&mut self.facts.params, params);
        if !receiver.vars.is_empty() {
            let all: Vec<TypeVar> = [receiver.vars, decl.vars]
                .into_iter()
                .flat_map(|run| self.facts.vars[run.range()].to_vec())
                .collect();
            decl.vars = Run::add(&mut self.facts.vars, all);
        }
        decl.flags |= flag::EXTENSION | flag::STATIC;
    }
}

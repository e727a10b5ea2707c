//! The usings that every namespace's part in a file, and every project, sees.

use std::sync::Arc;

use super::{Alias, CSharpProject, FileScope};
use crate::csharp::facts::{CSharpFacts, Name, ScopeDecl, TypeRef, TypeSyntax, Using, UsingKind};
use crate::csharp::msbuild::Projects;
use crate::csharp::types::{Ty, TypeId};
use crate::symbols::Sym;

impl CSharpProject {
    /// Fills the scope of every namespace's part in a file.
    pub(super) fn open_scopes(&mut self, projects: &Projects) {
        self.globals = (0..=projects.files.len())
            .map(|_| FileScope::default())
            .collect();
        let mut is_told = vec![false; projects.files.len() + 1];
        for index in 0..self.files.len() {
            let facts = Arc::clone(&self.files[index].facts);
            let last = projects.files.len();
            let own = self.files[index]
                .project
                .map_or(last, |project| project as usize);
            if !self.files[index].is_library && !std::mem::replace(&mut is_told[own], true) {
                self.use_project(own, &projects.usings(&facts.path));
            }
            let mut scopes: Vec<FileScope> = Vec::with_capacity(facts.scopes.len());
            for (at, scope) in facts.scopes.iter().enumerate() {
                let levels = self.levels(&facts, at as u32);
                let mut opened = FileScope {
                    parent: scope.parent,
                    levels,
                    ..FileScope::default()
                };
                for using in &scope.usings {
                    let is_global = using.is_global && !self.files[index].is_library;
                    let mut globals = std::mem::take(&mut self.globals[own]);
                    let into = if is_global { &mut globals } else { &mut opened };
                    self.use_written(index, *using, (at as u32, is_global), into);
                    self.globals[own] = globals;
                }
                scopes.push(opened);
            }
            self.files[index].scopes = scopes;
        }
        for globals in &mut self.globals {
            globals.usings.sort_unstable();
            globals.usings.dedup();
        }
    }

    /// Lists the namespaces between a scope and the one around it, the innermost first.
    fn levels(&self, facts: &CSharpFacts, at: u32) -> Vec<Sym> {
        let scope = &facts.scopes[at as usize];
        let full = facts.word(scope.namespace);
        let Some(parent) = scope.parent else {
            return vec![Sym::NONE];
        };
        let around = facts.word(facts.scopes[parent as usize].namespace).len();
        let mut levels = Vec::new();
        let mut name = full;
        while name.len() > around {
            levels.extend(self.symbols.find(name));
            name = name.rsplit_once('.').map_or("", |pair| pair.0);
        }
        levels
    }

    fn use_written(
        &self,
        index: usize,
        using: Using,
        (at, is_global): (u32, bool),
        into: &mut FileScope,
    ) {
        let Using { kind, ty, .. } = using;
        let file = &self.files[index];
        let Some(name) = dotted(&file.facts, ty) else {
            if let UsingKind::Alias(alias) = kind {
                into.aliases
                    .push((file.syms[alias.0 as usize], Alias::Written(ty)));
            }
            return;
        };
        match kind {
            UsingKind::Namespace => into
                .usings
                .extend(self.namespace_from(&file.facts, at, &name)),
            UsingKind::Static => into
                .statics
                .extend(self.type_of_path(&file.facts, at, &name)),
            UsingKind::Alias(alias) => {
                let alias = file.syms[alias.0 as usize];
                let found = match self.namespace_from(&file.facts, at, &name) {
                    Some(namespace) => Alias::Namespace(namespace),
                    None if is_global => match self.type_of_path(&file.facts, at, &name) {
                        Some(id) => Alias::Type(Ty::named(id)),
                        None => return,
                    },
                    None => Alias::Written(ty),
                };
                into.aliases.push((alias, found));
            }
        }
    }

    /// Looks for a namespace as it is seen from inside another one.
    fn namespace_from(&self, facts: &CSharpFacts, at: u32, name: &str) -> Option<Sym> {
        let mut around = facts.word(facts.scopes[at as usize].namespace);
        loop {
            if around.is_empty() {
                return self.namespace(name);
            }
            if let Some(found) = self.namespace(&format!("{around}.{name}")) {
                return Some(found);
            }
            around = around.rsplit_once('.').map_or("", |pair| pair.0);
        }
    }

    /// Looks for a type by its path from a namespace: `A.B.Outer.Inner`.
    fn type_of_path(&self, facts: &CSharpFacts, at: u32, name: &str) -> Option<TypeId> {
        let mut end = name.len();
        loop {
            let cut = name[..end].rfind('.').unwrap_or(0);
            let namespace = if cut == 0 {
                Some(Sym::NONE)
            } else {
                self.namespace_from(facts, at, &name[..cut])
            };
            if let Some(namespace) = namespace {
                let mut parts = name[cut..].split('.').filter(|part| !part.is_empty());
                let first = self.symbols.find(parts.next()?)?;
                if let Some(types) = self.by_name.get(&(namespace, first, 0)) {
                    let mut id = *types.first()?;
                    for part in parts {
                        let part = self.symbols.find(part)?;
                        id = self.ty(id).nested.iter().find(|pair| pair.0 == part)?.1;
                    }
                    return Some(id);
                }
            }
            if cut == 0 {
                return None;
            }
            end = cut;
        }
    }

    fn use_project(&mut self, own: usize, usings: &[String]) {
        for using in usings {
            let facts = CSharpFacts {
                scopes: vec![ScopeDecl::default()],
                ..CSharpFacts::default()
            };
            if let Some(name) = using.strip_prefix("static ") {
                let id = self.type_of_path(&facts, 0, name);
                self.globals[own].statics.extend(id);
            } else if let Some((alias, name)) = using.split_once('=') {
                let alias = self.symbols.intern(alias);
                let found = match self.namespace(name) {
                    Some(namespace) => Some(Alias::Namespace(namespace)),
                    None => self
                        .type_of_path(&facts, 0, name)
                        .map(|type_id| Alias::Type(Ty::named(type_id))),
                };
                let found = found.map(|found| (alias, found));
                self.globals[own].aliases.extend(found);
            } else {
                let namespace = self.namespace(using);
                self.globals[own].usings.extend(namespace);
            }
        }
    }
}

/// Joins the names of a written type with dots; nothing when it has arguments or is not a name.
fn dotted(facts: &CSharpFacts, ty: TypeRef) -> Option<String> {
    let mut parts: Vec<Name> = Vec::new();
    let mut at = Some(ty);
    while let Some(ty) = at {
        let TypeSyntax::Named {
            outer, name, args, ..
        } = facts.type_syntax(ty)
        else {
            return None;
        };
        if !args.is_empty() {
            return None;
        }
        parts.push(name);
        at = outer;
    }
    let parts: Vec<&str> = parts.iter().rev().map(|&name| facts.word(name)).collect();
    Some(parts.join("."))
}

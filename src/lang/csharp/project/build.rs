//! Filling the tables of a project: words, types, namespaces, bases, members, methods.

use crate::ids::add;
use crate::run::Run;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::member::ANCESTORS_MAX;
use super::{CSharpFile, CSharpNameScope, CSharpProject, method, role};
use crate::csharp::facts::{CSharpFacts, MemberDecl, MemberKind, TypeDecl, TypeKind, flag};
use crate::csharp::library::{self, CSharpKnownTypes};
use crate::csharp::msbuild::Projects;
use crate::csharp::types::{CSharpMember, MemberId, Param, Ty, Type, TypeId, Var, VarId};
use crate::symbols::{Sym, Symbols};

/// Builds the index over the facts of all files, which are sorted by path.
pub fn build(sources: Vec<CSharpFacts>, projects: &Projects) -> CSharpProject {
    let mut symbols = Symbols::default();
    // The number of the empty word is [`Sym::NONE`].
    symbols.intern("");
    let mut project = CSharpProject {
        symbols,
        ..CSharpProject::default()
    };
    project.add_files(sources, projects);
    project.declare_types();
    project.know();
    project.open_scopes(projects);
    project.find_bases();
    project.find_ancestors();
    project.add_members();
    project.sort();
    method::number(&mut project);
    role::tell(&mut project, projects);
    (project.setups, project.collections) = crate::csharp::testing::setups(&project);
    project
}

impl CSharpProject {
    fn add_files(&mut self, sources: Vec<CSharpFacts>, projects: &Projects) {
        let n_sources = sources.len();
        let all = sources.into_iter().map(Arc::new);
        let all = all.chain(library::files().iter().map(Arc::clone));
        for (index, facts) in all.enumerate() {
            let syms = self.symbols.intern_all(&facts.names);
            let is_library = index >= n_sources;
            let project = if is_library {
                None
            } else {
                projects.project_of(&facts.path).map(|n| n as u32)
            };
            self.files.push(CSharpFile {
                syms,
                types: Vec::new(),
                members: Vec::new(),
                function_vars: Vec::new(),
                scopes: Vec::new(),
                project,
                is_library,
                facts,
            });
        }
    }

    /// Gives a number to every type; parts of one get the same.
    fn declare_types(&mut self) {
        let mut parts: FxHashMap<PartKey, TypeId> = FxHashMap::default();
        let mut of_sources: FxHashSet<(Sym, Sym, u32)> = FxHashSet::default();
        for index in 0..self.files.len() {
            let facts = Arc::clone(&self.files[index].facts);
            let is_library = self.files[index].is_library;
            for (at, decl) in facts.types.iter().enumerate() {
                let file = &self.files[index];
                let name = file.syms[decl.name.0 as usize];
                let namespace = facts.scopes[decl.scope as usize].namespace;
                let namespace = file.syms[namespace.0 as usize];
                let outer = decl.outer.map(|outer| file.types[outer as usize]);
                let arity = decl.vars.len() as u32;
                if outer.is_none() {
                    let key = (namespace, name, arity);
                    if !is_library {
                        of_sources.insert(key);
                    } else if of_sources.contains(&key) {
                        // Its nested types are declared as well, under a name that is never looked up.
                        let id = self.new_type(index, at, decl, (Sym::NONE, outer));
                        self.files[index].types.push(id);
                        continue;
                    }
                }
                let key = (outer, namespace, name, arity, file.project);
                let is_partial = decl.flags & flag::PARTIAL != 0;
                let known = parts.get(&key).copied().filter(|_| is_partial);
                let id = match known {
                    Some(id) => {
                        let ty = &mut self.types[id.0 as usize];
                        ty.parts.push((index as u32, at as u32));
                        ty.flags |= decl.flags;
                        id
                    }
                    None => self.new_type(index, at, decl, (namespace, outer)),
                };
                if known.is_none() {
                    match outer {
                        Some(outer) => self.types[outer.0 as usize].nested.push((name, id)),
                        None => self
                            .by_name
                            .entry((namespace, name, arity))
                            .or_default()
                            .push(id),
                    }
                    if is_partial {
                        parts.insert(key, id);
                    }
                }
                self.files[index].types.push(id);
            }
            for scope in &facts.scopes {
                self.add_namespace(facts.word(scope.namespace));
            }
        }
    }

    fn new_type(
        &mut self,
        index: usize,
        at: usize,
        decl: &TypeDecl,
        (namespace, outer): (Sym, Option<TypeId>),
    ) -> TypeId {
        let file = &self.files[index];
        let name = file.syms[decl.name.0 as usize];
        let mut vars = outer.map_or_else(Vec::new, |type_id| self.ty(type_id).vars.clone());
        let own = self.new_vars(index, decl.vars);
        vars.extend(own);
        let (before, n_package) = if let Some(outer) = outer {
            (
                Arc::clone(&self.ty(outer).qualified),
                self.ty(outer).n_package,
            )
        } else {
            let namespace: Arc<str> = self.word(namespace).into();
            let n = namespace.len() as u32;
            (namespace, n)
        };
        let dot = if before.is_empty() { "" } else { "." };
        let qualified = format!("{before}{dot}{}", self.word(name)).into();
        add(
            &mut self.types,
            Type {
                kind: decl.kind,
                name,
                namespace,
                outer,
                flags: decl.flags,
                qualified,
                n_package,
                vars,
                arity: decl.vars.len() as u32,
                parts: vec![(index as u32, at as u32)],
                bases: Vec::new(),
                has_missing_base: false,
                ancestors: Arc::default(),
                members: Vec::new(),
                nested: Vec::new(),
                is_library: self.files[index].is_library,
                signature: None,
            },
        )
    }

    fn new_vars(&mut self, index: usize, run: Run) -> Vec<VarId> {
        let file = &self.files[index];
        let first = self.vars.len() as u32;
        let vars: Vec<Var> = file.facts.vars[run.range()]
            .iter()
            .map(|type_var| Var {
                name: file.syms[type_var.name.0 as usize],
                bounds: Vec::new(),
                is_value: type_var.is_value,
            })
            .collect();
        self.vars.extend(vars);
        (first..self.vars.len() as u32).map(VarId).collect()
    }

    fn add_namespace(&mut self, name: &str) {
        let mut outer = Sym::NONE;
        let mut full = String::new();
        for part in name.split('.').filter(|part| !part.is_empty()) {
            if !full.is_empty() {
                full.push('.');
            }
            full.push_str(part);
            let part = self.symbols.intern(part);
            let inner = self.symbols.intern(&full);
            self.namespaces.insert((outer, part), inner);
            outer = inner;
        }
    }

    fn know(&mut self) {
        let mut symbols = std::mem::take(&mut self.symbols);
        let by_name = &self.by_name;
        let words = symbols.clone();
        let find = |namespace: &str, name: &str, arity: u32| {
            let key = (words.find(namespace)?, words.find(name)?, arity);
            by_name.get(&key)?.last().copied()
        };
        self.known_types = CSharpKnownTypes::new(&mut |word| symbols.intern(word), &find);
        self.symbols = symbols;
    }

    fn find_bases(&mut self) {
        for id in 0..self.types.len() as u32 {
            let id = TypeId(id);
            let mut bases: Vec<Ty> = Vec::new();
            let parts = self.ty(id).parts.clone();
            for (index, at) in parts {
                let file = self.file(index);
                let decl = &file.facts.types[at as usize];
                let scope = CSharpNameScope::of_head(index, decl.scope, id);
                for base in file.facts.ids(decl.bases) {
                    // Types nested in its bases are not known yet.
                    let base = self.resolve(base, scope);
                    if !bases.contains(&base) {
                        bases.push(base);
                    }
                }
                self.bind_vars(id, index, at);
            }
            let implied = match self.ty(id).kind {
                TypeKind::Enum => Some(self.known_types.r#enum),
                TypeKind::Delegate => Some(self.known_types.delegate),
                TypeKind::Struct | TypeKind::RecordStruct => Some(self.known_types.value_type),
                TypeKind::Class | TypeKind::Record if id != self.known_types.object => {
                    Some(self.known_types.object)
                }
                _ => None,
            };
            let has_class = bases.iter().any(|base_ty| match base_ty {
                Ty::Named(base, _) => {
                    matches!(self.ty(*base).kind, TypeKind::Class | TypeKind::Record)
                }
                _ => false,
            });
            if self.ty(id).kind == TypeKind::Enum {
                bases.clear();
            }
            let has_missing = bases
                .iter()
                .any(|base_ty| !matches!(base_ty, Ty::Named(..)));
            if let Some(implied) = implied.filter(|_| !has_class) {
                bases.push(Ty::named(implied));
            }
            // Members of the base class go before those that interfaces declare.
            bases.sort_by_key(|ty| match ty {
                Ty::Named(base, _) => self.ty(*base).kind == TypeKind::Interface,
                _ => true,
            });
            let ty = &mut self.types[id.0 as usize];
            ty.bases = bases;
            ty.has_missing_base = has_missing;
        }
    }

    fn bind_vars(&mut self, id: TypeId, index: u32, at: u32) {
        let file = self.file(index);
        let decl = &file.facts.types[at as usize];
        let scope = CSharpNameScope::of_head(index, decl.scope, id);
        let own = self.ty(id).vars.len() - self.ty(id).arity as usize;
        let mut found = Vec::new();
        for (n, var) in file.facts.vars[decl.vars.range()].iter().enumerate() {
            for bound in file.facts.ids(var.bounds) {
                found.push((self.ty(id).vars[own + n], self.resolve(bound, scope)));
            }
        }
        for (var, bound) in found {
            self.vars[var.0 as usize].bounds.push(bound);
        }
    }

    fn find_ancestors(&mut self) {
        for id in 0..self.types.len() as u32 {
            let id = TypeId(id);
            let mut found: Vec<TypeId> = Vec::new();
            let mut has_missing = self.ty(id).has_missing_base;
            // First the classes above, then the interfaces in order of their distance.
            let mut classes = vec![id];
            let mut at = id;
            while classes.len() < ANCESTORS_MAX {
                let base = self.ty(at).bases.iter().find_map(|ty| {
                    let base = ty.id()?;
                    (self.ty(base).kind != TypeKind::Interface).then_some(base)
                });
                match base {
                    Some(base) if !classes.contains(&base) => {
                        classes.push(base);
                        at = base;
                    }
                    _ => break,
                }
            }
            found.extend(&classes[1..]);
            let mut queue = classes;
            let mut seen: FxHashSet<TypeId> = queue.iter().copied().collect();
            let mut next = 0;
            while next < queue.len() && queue.len() < ANCESTORS_MAX {
                let ty = self.ty(queue[next]);
                has_missing |= ty.has_missing_base && !ty.is_library;
                for base in &ty.bases {
                    if let Some(base) = base.id()
                        && seen.insert(base)
                    {
                        queue.push(base);
                        found.push(base);
                    }
                }
                next += 1;
            }
            if self.ty(id).kind == TypeKind::Interface {
                found.push(self.known_types.object);
            }
            let ty = &mut self.types[id.0 as usize];
            ty.ancestors = found.into();
            ty.has_missing_base = has_missing;
        }
        for id in 0..self.types.len() as u32 {
            let bases: Vec<TypeId> = self.types[id as usize]
                .bases
                .iter()
                .filter_map(Ty::id)
                .collect();
            for base in bases {
                self.subtypes.add(base, TypeId(id));
            }
        }
        // Names are looked for in the bases from now on.
        for ty in &mut self.types {
            ty.nested.sort_by_key(|pair| pair.0);
        }
    }

    fn add_members(&mut self) {
        for index in 0..self.files.len() as u32 {
            let facts = Arc::clone(&self.file(index).facts);
            for (at, decl) in facts.types.iter().enumerate() {
                if decl.kind == TypeKind::Delegate {
                    let id = self.file(index).types[at];
                    let scope = CSharpNameScope::new(index, decl.scope, Some(id), &[]);
                    let params = self.params(decl.params, scope);
                    let result = decl
                        .result
                        .map_or(Ty::Void, |type_ref| self.resolve(type_ref, scope));
                    self.types[id.0 as usize].signature = Some((params, result));
                }
            }
            self.files[index as usize].function_vars = vec![Vec::new(); facts.functions.len()];
            for (at, decl) in facts.members.iter().enumerate() {
                let member = self.new_member(index, at as u32, decl);
                self.add_function_vars(index, decl, &member);
                let owner = member.owner;
                let name = member.name;
                let id = add(&mut self.members, member);
                self.files[index as usize].members.push(id);
                self.types[owner.0 as usize].members.push((name, id));
            }
        }
        method::add_constructors(self);
    }

    pub(super) fn params(&self, run: Run, scope: CSharpNameScope<'_>) -> Arc<[Param]> {
        let file = self.file(scope.file);
        file.facts.params[run.range()]
            .iter()
            .map(|param_decl| Param {
                name: file.syms[param_decl.name.0 as usize],
                ty: self.resolve(param_decl.ty, scope),
                passing: param_decl.passing,
                is_optional: param_decl.is_optional,
                is_params: param_decl.is_params,
            })
            .collect()
    }

    fn new_member(&mut self, index: u32, at: u32, decl: &MemberDecl) -> CSharpMember {
        let vars = self.new_vars(index as usize, decl.vars);
        let owner = self.file(index).types[decl.owner as usize];
        let facts = Arc::clone(&self.file(index).facts);
        let type_decl = &facts.types[decl.owner as usize];
        let scope = CSharpNameScope::new(index, type_decl.scope, Some(owner), &vars);
        let mut bounds = Vec::new();
        for (n, var) in facts.vars[decl.vars.range()].iter().enumerate() {
            for bound in facts.ids(var.bounds) {
                bounds.push((vars[n], self.resolve(bound, scope)));
            }
        }
        let params = self.params(decl.params, scope);
        let ty = match (decl.kind, decl.ty) {
            (MemberKind::EnumMember, _) => self.self_type(owner),
            (_, Some(ty)) => self.resolve(ty, scope),
            (_, None) => Ty::Void,
        };
        let explicit = decl
            .explicit
            .map(|explicit| self.resolve(explicit.0, scope));
        for (var, bound) in bounds {
            self.vars[var.0 as usize].bounds.push(bound);
        }
        let name = match decl.kind {
            MemberKind::Constructor => self.known_types.init,
            _ => self.file(index).syms[decl.name.0 as usize],
        };
        let mut flags = decl.flags;
        // Members of an interface are public.
        if type_decl.kind == TypeKind::Interface && flags & flag::PRIVATE == 0 {
            flags |= flag::PUBLIC;
        }
        CSharpMember {
            owner,
            name,
            kind: decl.kind,
            flags,
            vars,
            params,
            ty,
            explicit,
            file: index,
            decl: Some(at),
            method: None,
        }
    }

    /// Adds the type parameters of the functions in a member's body.
    fn add_function_vars(&mut self, index: u32, decl: &MemberDecl, member: &CSharpMember) {
        let facts = Arc::clone(&self.file(index).facts);
        let part = facts.types[decl.owner as usize].scope;
        for at in decl.functions.range() {
            let declared = facts.functions[at].vars;
            if declared.is_empty() {
                continue;
            }
            let vars = self.new_vars(index as usize, declared);
            let seen = [&member.vars[..], &vars[..]].concat();
            let scope = CSharpNameScope::new(index, part, Some(member.owner), &seen);
            for (var, declared) in vars.iter().zip(&facts.vars[declared.range()]) {
                let bounds = facts.ids(declared.bounds);
                let bounds = bounds.map(|bound| self.resolve(bound, scope)).collect();
                self.vars[var.0 as usize].bounds = bounds;
            }
            self.files[index as usize].function_vars[at] = vars;
        }
    }

    fn sort(&mut self) {
        for ty in &mut self.types {
            ty.members.sort();
        }
        for (at, member) in self.members.iter().enumerate() {
            if member.is(flag::EXTENSION) && member.kind == MemberKind::Method {
                let id = MemberId(at as u32);
                self.extensions.entry(member.name).or_default().push(id);
            }
        }
    }
}

/// The key of all parts of one type: the type around, namespace, name, number of type parameters, and project.
type PartKey = (Option<TypeId>, Sym, Sym, u32, Option<u32>);

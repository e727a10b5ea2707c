//! Looks up variables, fields and methods by name, from the place of the walk or in a type.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::JavaWalker;
use crate::java::class::JavaMember;
use crate::java::facts::flag;
use crate::java::library::{self, known};
use crate::java::overload::{JavaCandidate, OVERLOADS_MAX};
use crate::java::project::{FileType, JavaProject};
use crate::java::types::{Args, ClassId, Ty};
use crate::symbols::Sym;
use crate::syntax::java::prim::Prim;

/// The methods of one name, and the first missing supertype, which may have more of them.
#[derive(Default)]
pub struct JavaMethodLookup<'p> {
    pub candidates: Vec<JavaCandidate<'p>>,
    /// The first supertype that is in no file and no known library.
    pub missing: Option<Arc<str>>,
}

impl<'p> JavaWalker<'p> {
    /// Finds the type of the variable or field that a simple name means.
    pub fn variable(&self, sym: Sym) -> Option<Ty> {
        let mut end = self.locals.len();
        for frame in self.frames.iter().rev() {
            let own = &self.locals[frame.locals_start..end];
            if let Some((_, ty)) = own.iter().rev().find(|(name, _)| *name == sym) {
                return Some(ty.clone());
            }
            if let Some(ty) = self.field_of_class(frame.class, &None, sym, true) {
                return Some(ty);
            }
            end = frame.locals_start;
        }
        let mut next = self.outermost_outer();
        while let Some(class) = next {
            if let Some(ty) = self.field_of_class(class, &None, sym, true) {
                return Some(ty);
            }
            next = self.project.class(class).outer;
        }
        self.imported_field(sym)
    }

    fn outermost_outer(&self) -> Option<ClassId> {
        let frame = self.frames.first()?;
        self.project.class(frame.class).outer
    }

    fn imported_field(&self, sym: Sym) -> Option<Ty> {
        let mut missing = None;
        for (_, owner) in self
            .file
            .static_singles
            .iter()
            .filter(|(name, _)| *name == sym)
        {
            match owner {
                FileType::Class(class) => {
                    if let Some(ty) = self.field_of_class(*class, &None, sym, false) {
                        return Some(ty);
                    }
                }
                FileType::Missing(_) => missing = Some(Ty::Unknown),
            }
        }
        for owner in &self.file.static_demands {
            if let FileType::Class(class) = owner
                && let Some(ty) = self.field_of_class(*class, &None, sym, false)
            {
                return Some(ty);
            }
        }
        missing
    }

    /// Finds the type of a class's field, also an inherited one.
    pub fn field_of_class(
        &self,
        class: ClassId,
        args: &Args,
        sym: Sym,
        is_inside: bool,
    ) -> Option<Ty> {
        let project = self.project;
        if let Some(field) = project.field_named(class, sym) {
            return Some(if is_inside {
                field.ty.clone()
            } else {
                project.captured(class, args).apply(&field.ty)
            });
        }
        let ancestors = project.ancestors(class);
        for &ancestor in &ancestors[1..] {
            if let Some(field) = project.field_named(ancestor, sym) {
                if field.flags & flag::STATIC != 0 {
                    return Some(field.ty.clone());
                }
                let this = if is_inside {
                    project.this_type(class)
                } else {
                    Ty::Class(class, args.clone())
                };
                let seen = project.as_ancestor(&this, ancestor)?;
                return Some(project.captured(ancestor, seen.args()).apply(&field.ty));
            }
        }
        None
    }

    /// Finds the type of a field of a value.
    pub fn field_of(&self, value: &Ty, sym: Sym) -> Option<Ty> {
        match value {
            Ty::Class(class, args) => self.field_of_class(*class, args, sym, false),
            Ty::Array(_) if sym == self.project.words.length => Some(Ty::Prim(Prim::Int)),
            Ty::Var(var) => self
                .project
                .upper_bounds(*var)
                .iter()
                .filter(|bound| !matches!(bound, Ty::Var(_)))
                .find_map(|bound| self.field_of(bound, sym)),
            Ty::Both(parts) => parts.iter().find_map(|part| self.field_of(part, sym)),
            Ty::Extends(bound) => self.field_of(bound, sym),
            _ => None,
        }
    }

    /// Finds the methods of that name that a value has.
    pub fn methods_of(&self, value: &Ty, name: Sym) -> JavaMethodLookup<'p> {
        let mut found = JavaMethodLookup::default();
        self.add_methods(value, name, &mut found);
        found
    }

    fn add_methods(&self, value: &Ty, name: Sym, found: &mut JavaMethodLookup<'p>) {
        match value {
            Ty::Class(class, args) => self.project.add_methods(*class, args, name, found),
            Ty::Var(var) => {
                for bound in self.project.upper_bounds(*var) {
                    if !matches!(bound, Ty::Var(_)) {
                        self.add_methods(bound, name, found);
                    }
                }
                self.project.add_methods(known().object, &None, name, found);
            }
            Ty::Both(parts) => {
                for part in parts.iter() {
                    self.add_methods(part, name, found);
                }
            }
            Ty::Extends(bound) => self.add_methods(bound, name, found),
            Ty::Array(_) | Ty::Wild | Ty::Super(_) => {
                self.project.add_methods(known().object, &None, name, found);
            }
            Ty::Missing(missing) => {
                found.missing.get_or_insert_with(|| Arc::clone(missing));
            }
            _ => {}
        }
    }

    /// Finds the methods that an unqualified call may mean: those of the innermost class that has any, else those
    /// imported statically.
    pub fn methods_in_scope(&self, name: Sym) -> JavaMethodLookup<'p> {
        let mut missing = None;
        let mut classes: Vec<ClassId> = self.frames.iter().rev().map(|frame| frame.class).collect();
        let mut next = self.outermost_outer();
        while let Some(class) = next {
            classes.push(class);
            next = self.project.class(class).outer;
        }
        for class in classes {
            let mut found = JavaMethodLookup::default();
            let this = self.project.this_type(class);
            self.project
                .add_methods(class, this.args(), name, &mut found);
            if !found.candidates.is_empty() {
                return found;
            }
            missing = missing.or(found.missing);
        }
        let mut found = self.imported_methods(name);
        if found.candidates.is_empty() {
            found.missing = found.missing.or(missing);
        }
        found
    }

    /// Drops methods that cannot be named from here (JLS 6.6), unless that leaves none.
    pub fn accessible(&self, mut found: JavaMethodLookup<'p>) -> JavaMethodLookup<'p> {
        let is_accessible = |candidate: &JavaCandidate<'_>| self.is_accessible(candidate.member);
        let n_accessible = found
            .candidates
            .iter()
            .filter(|candidate| is_accessible(candidate));
        if (1..found.candidates.len()).contains(&n_accessible.count()) {
            found.candidates.retain(is_accessible);
        }
        found
    }

    fn is_accessible(&self, member: &JavaMember) -> bool {
        if member.is(flag::PUBLIC) {
            return true;
        }
        let project = self.project;
        let owner = member.owner;
        let Some(here) = self.frames.first().map(|frame| frame.class) else {
            return true;
        };
        if member.is(flag::PRIVATE) {
            return self.outermost(here) == self.outermost(owner);
        }
        let package_of = |class: ClassId| {
            project
                .class(self.outermost(class))
                .decl
                .map(|(file, _)| project.file(file).package)
        };
        if !owner.is_library() && package_of(owner) == package_of(here) {
            return true;
        }
        if !member.is(flag::PROTECTED) {
            return false;
        }
        let mut around: Vec<ClassId> = self.frames.iter().map(|frame| frame.class).collect();
        let mut next = self.outermost_outer();
        while let Some(class) = next {
            around.push(class);
            next = project.class(class).outer;
        }
        around
            .into_iter()
            .any(|class| project.is_below(class, owner) || project.class(class).has_missing_super)
    }

    fn outermost(&self, mut class: ClassId) -> ClassId {
        while let Some(outer) = self.project.class(class).outer {
            class = outer;
        }
        class
    }

    fn imported_methods(&self, name: Sym) -> JavaMethodLookup<'p> {
        let mut found = JavaMethodLookup::default();
        let singles = self
            .file
            .static_singles
            .iter()
            .filter(|(imported, _)| *imported == name)
            .map(|(_, owner)| owner);
        for owner in singles {
            self.add_static(owner, name, &mut found);
        }
        if !found.candidates.is_empty() || found.missing.is_some() {
            return found;
        }
        let mut n_missing = 0;
        for owner in &self.file.static_demands {
            n_missing += usize::from(matches!(owner, FileType::Missing(_)));
            self.add_static(owner, name, &mut found);
        }
        if n_missing > 1 {
            // Any of the missing classes may declare it: an empty name stands for all.
            found.missing = Some(Arc::from(""));
        }
        found
    }

    fn add_static(&self, owner: &FileType, name: Sym, found: &mut JavaMethodLookup<'p>) {
        match owner {
            FileType::Class(class) => {
                let mut more = JavaMethodLookup::default();
                self.project.add_methods(*class, &None, name, &mut more);
                more.candidates
                    .retain(|candidate| candidate.member.is(flag::STATIC));
                found.candidates.append(&mut more.candidates);
                found.missing = found.missing.take().or(more.missing);
            }
            FileType::Missing(path) => {
                found.missing.get_or_insert_with(|| Arc::clone(path));
            }
        }
    }
}

/// The greatest number of supertypes for which the way to the root is counted.
const RANK_MAX: usize = 200;

impl JavaProject {
    /// Adds a class's methods of that name, including inherited ones, except those that a nearer class overrides.
    pub fn add_methods<'p>(
        &'p self,
        class: ClassId,
        args: &Args,
        name: Sym,
        found: &mut JavaMethodLookup<'p>,
    ) {
        let is_interface = self.class(class).is_interface();
        let object = known().object;
        for &ancestor in self.ancestors(class) {
            if found.missing.is_none() && self.class(ancestor).has_missing_super {
                found.missing =
                    self.class(ancestor)
                        .supers
                        .iter()
                        .find_map(|parent| match parent {
                            Ty::Missing(name) => Some(Arc::clone(name)),
                            _ => None,
                        });
            }
            let mut subst = None;
            // A class does not declare the same signature twice, so its own methods are not compared.
            let n_before = found.candidates.len();
            let mut is_raw = false;
            for member in self.methods_named(ancestor, name) {
                if ancestor != class && !self.is_inherited(ancestor, member) {
                    continue;
                }
                // An interface has only the public methods of `Object`.
                if is_interface && ancestor == object && !member.is(flag::PUBLIC) {
                    continue;
                }
                let subst = subst.get_or_insert_with(|| {
                    let this = Ty::Class(class, self.captured_args(class, args));
                    let seen = self.as_ancestor(&this, ancestor);
                    is_raw = !self.class(ancestor).vars.is_empty()
                        && matches!(seen, Some(Ty::Class(_, None)));
                    self.captured(ancestor, seen.as_ref().map_or(&None, Ty::args))
                });
                let candidate = JavaCandidate {
                    member,
                    subst: subst.clone(),
                    vars: member.vars.clone(),
                    is_raw: is_raw && !member.is(flag::STATIC),
                };
                match self.same_signature(&found.candidates[..n_before], &candidate) {
                    None if found.candidates.len() > OVERLOADS_MAX => return,
                    None => found.candidates.push(candidate),
                    // An interface may be reached before the one that extends it and declares the method again.
                    Some(at) => {
                        let other = found.candidates[at].member.owner;
                        // Of unrelated interfaces javac keeps the one that has fewer above it.
                        let is_nearer_root = found.candidates[at].member.is(flag::ABSTRACT)
                            && member.is(flag::ABSTRACT)
                            && !self.is_below(other, ancestor)
                            && self.rank(ancestor) < self.rank(other);
                        if other != object && (is_nearer_root || self.is_below(ancestor, other)) {
                            found.candidates[at] = candidate;
                        }
                    }
                }
            }
        }
    }

    fn is_inherited(&self, owner: ClassId, member: &JavaMember) -> bool {
        let is_shut = member.is(flag::STATIC) && self.class(owner).is_interface();
        !is_shut && !member.is(flag::PRIVATE)
    }

    /// Counts the supertypes between a class and the root on the longest way.
    fn rank(&self, class: ClassId) -> usize {
        self.rank_among(class, &mut FxHashMap::default())
    }

    /// Counts as [`rank`](Self::rank) does, but visits each class once: walking up every way takes forever where many
    /// ways cross.
    fn rank_among(&self, class: ClassId, known: &mut FxHashMap<ClassId, usize>) -> usize {
        if let Some(&rank) = known.get(&class) {
            return rank;
        }
        if known.len() > RANK_MAX {
            return 0;
        }
        // A circle ends where it began.
        known.insert(class, 0);
        let parents = self.class(class).supers.iter().filter_map(Ty::class_id);
        let rank = parents
            .map(|parent| self.rank_among(parent, known) + 1)
            .max()
            .unwrap_or(0);
        known.insert(class, rank);
        rank
    }

    /// Finds the candidate that takes the same parameters, as far as types are known.
    fn same_signature(
        &self,
        candidates: &[JavaCandidate<'_>],
        candidate: &JavaCandidate<'_>,
    ) -> Option<usize> {
        candidates.iter().position(|other| {
            let params = other.member.params.iter().zip(&candidate.member.params);
            // A method of the same class may have replaced one further up already.
            other.member.owner != candidate.member.owner
                && other.member.params.len() == candidate.member.params.len()
                && params.into_iter().all(|(one, another)| {
                    let one = other.subst.apply(one);
                    let another = candidate.subst.apply(another);
                    one.is_unknown()
                        || another.is_unknown()
                        || matches!((&one, &another), (Ty::Var(_), Ty::Var(_)))
                        || self.same_erasure(&one, &another)
                })
        })
    }

    /// Binds a class's variables for looking members up: a wildcard gets its variable's bound.
    pub fn captured(&self, class: ClassId, args: &Args) -> crate::java::types::Subst {
        self.bindings(class, &self.captured_args(class, args))
    }

    /// Replaces each wildcard among a class's arguments by `? extends` its variable's bound, if that has one.
    fn captured_args(&self, class: ClassId, args: &Args) -> Args {
        let vars = self.class(class).vars.clone();
        let Some(wild) = args.as_ref().filter(|args| args.contains(&Ty::Wild)) else {
            return args.clone();
        };
        // A bound may mention other variables: `?` of `Builder<T, B extends Builder<T, B>>`.
        let mut subst = crate::java::types::Subst::default();
        subst.bind(vars.start, Arc::clone(wild));
        let mut values = wild.to_vec();
        for (value, var) in values.iter_mut().zip(vars) {
            if *value != Ty::Wild {
                continue;
            }
            let bounds = self.bounds(crate::java::types::VarId(var));
            let bound = match bounds {
                [] => continue,
                [only] => subst.apply(only),
                several => Ty::Both(several.iter().map(|bound| subst.apply(bound)).collect()),
            };
            *value = Ty::Extends(Arc::new(bound));
        }
        Some(values.into())
    }
}

/// Replaces a wildcard at the top of a type by the type that its values are known to have.
pub(super) fn settle(ty: &Ty) -> Ty {
    match ty {
        Ty::Extends(bound) => (**bound).clone(),
        Ty::Wild | Ty::Super(_) => library::object(),
        other => other.clone(),
    }
}

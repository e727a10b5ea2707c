//! Finds a type's member by name: its own methods and fields, then those of embedded types, depth by depth.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{GoFuncPlace, GoProject};
use crate::go::types::{Foreign, FuncId, NamedId, Subst, Ty};
use crate::symbols::Sym;

/// How many embedded types are looked at for one name; the largest real types embed a few dozen.
const EMBEDDED_MAX: usize = 500;

/// A member of a type.
#[derive(Clone, Debug)]
pub enum GoMember {
    Field(Ty),
    /// With the types that its receiver's type parameters stand for.
    Method(FuncId, Subst),
}

#[derive(Clone, Debug)]
pub enum GoMemberLookup {
    One(GoMember),
    /// Several at the same depth.
    Several(Vec<FuncId>),
    /// Not in the project; a type of another module, which is embedded or is the type itself, may have it.
    Foreign(Arc<Foreign>),
    /// The method of `error`.
    Error,
    /// The type is not known.
    Unknown,
    Nothing,
}

/// The search for a name, one depth of embedding after the other.
struct GoMemberSearch<'p> {
    project: &'p GoProject,
    name: Sym,
    /// Types of the depth that is looked at, and of the next one.
    here: Vec<Ty>,
    next: Vec<Ty>,
    seen: FxHashSet<NamedId>,
    found: Vec<GoMember>,
    foreign: Option<Arc<Foreign>>,
    is_unknown: bool,
    has_error: bool,
}

impl GoProject {
    /// Finds the member that a name means in a type; pointers are followed.
    pub fn member(&self, ty: &Ty, name: Sym) -> GoMemberLookup {
        let mut search = GoMemberSearch {
            project: self,
            name,
            here: vec![ty.clone()],
            next: Vec::new(),
            seen: FxHashSet::default(),
            found: Vec::new(),
            foreign: None,
            is_unknown: false,
            has_error: false,
        };
        search.run()
    }

    /// Returns the method that is declared on a type itself.
    pub fn own_method(&self, id: NamedId, name: Sym) -> Option<FuncId> {
        self.members.get(&(id, name)).copied()
    }
}

impl GoMemberSearch<'_> {
    fn run(&mut self) -> GoMemberLookup {
        let mut n_seen = 0;
        while !self.here.is_empty() && n_seen < EMBEDDED_MAX {
            for ty in std::mem::take(&mut self.here) {
                n_seen += 1;
                self.look(&ty);
            }
            match self.found.as_slice() {
                [] => {}
                [only] => return GoMemberLookup::One(only.clone()),
                several => return self.several(several),
            }
            if self.has_error {
                return GoMemberLookup::Error;
            }
            self.here = std::mem::take(&mut self.next);
        }
        match self.foreign.take() {
            Some(foreign) => GoMemberLookup::Foreign(foreign),
            None if self.is_unknown => GoMemberLookup::Unknown,
            None => GoMemberLookup::Nothing,
        }
    }

    fn several(&self, several: &[GoMember]) -> GoMemberLookup {
        let mut methods = Vec::new();
        for member in several {
            if let GoMember::Method(id, _) = member
                && !methods.contains(id)
            {
                methods.push(*id);
            }
        }
        match methods.as_slice() {
            [] => GoMemberLookup::Nothing,
            // Interfaces that embed the same one, or a generic type with different arguments.
            [_] => several
                .iter()
                .find(|member| matches!(member, GoMember::Method(..)))
                .map_or(GoMemberLookup::Nothing, |member| {
                    GoMemberLookup::One(member.clone())
                }),
            // Interfaces that an interface embeds may ask for the same method: the first is meant. A struct that embeds
            // them has it twice, and no call of it compiles.
            [first, ..] if methods.iter().all(|id| self.is_asked_for(*id)) => {
                GoMemberLookup::One(GoMember::Method(*first, Subst::default()))
            }
            _ => GoMemberLookup::Several(methods),
        }
    }

    fn is_asked_for(&self, id: FuncId) -> bool {
        matches!(self.project.func(id).place, GoFuncPlace::InterfaceMethod(_))
    }

    /// Searches one type, and puts the types that it embeds on the list for the next depth.
    fn look(&mut self, ty: &Ty) {
        let project = self.project;
        match ty.pointee() {
            Ty::Named(id, args) => {
                if !self.seen.insert(*id) {
                    return;
                }
                if let Some(method) = project.own_method(*id, self.name) {
                    let subst = project.member_substitution(*id, args);
                    self.found.push(GoMember::Method(method, subst));
                    return;
                }
                self.look_behind(*id, &project.member_substitution(*id, args));
            }
            Ty::Param(param) => {
                let constraint = &project.type_params[param.0 as usize].constraint;
                self.interface_or_core(constraint);
            }
            Ty::Foreign(foreign) => {
                self.foreign.get_or_insert_with(|| Arc::clone(foreign));
            }
            Ty::Error => self.has_error |= self.name == project.words.error,
            Ty::Unknown => self.is_unknown = true,
            other => self.parts(other, &Subst::default()),
        }
    }

    /// Searches the type behind a declared type's name; of another declared type there, fields count and methods do
    /// not.
    fn look_behind(&mut self, id: NamedId, subst: &Subst) {
        let project = self.project;
        match &project.named(id).ty {
            Ty::Named(..) => {
                let underlying = project.underlying(&project.named(id).ty);
                self.parts(&subst.apply(&underlying), &Subst::default());
            }
            Ty::Foreign(foreign) => {
                self.foreign.get_or_insert_with(|| Arc::clone(foreign));
            }
            Ty::Unknown => self.is_unknown = true,
            Ty::Error => self.has_error |= self.name == project.words.error,
            other => self.parts(other, subst),
        }
    }

    fn parts(&mut self, ty: &Ty, subst: &Subst) {
        match ty {
            Ty::Struct(structure) => {
                for field in &structure.fields {
                    if field.name == self.name {
                        self.found.push(GoMember::Field(subst.apply(&field.ty)));
                    } else if field.is_embedded {
                        self.next.push(subst.apply(&field.ty));
                    }
                }
            }
            Ty::Interface(interface) => {
                let methods = interface
                    .methods
                    .iter()
                    .filter(|(name, _)| *name == self.name);
                for (_, method) in methods {
                    self.found.push(GoMember::Method(*method, subst.clone()));
                }
                // Methods of embedded interfaces are its own; to find them at the next depth is enough, for names are
                // unique.
                self.next
                    .extend(interface.embedded.iter().map(|ty| subst.apply(ty)));
            }
            Ty::Foreign(foreign) => {
                self.foreign.get_or_insert_with(|| Arc::clone(foreign));
            }
            Ty::Unknown => self.is_unknown = true,
            Ty::Tilde(inner) => {
                let inner = self.project.underlying(inner);
                self.next.push(inner);
            }
            Ty::Union(parts) => self.next.extend(parts.iter().cloned()),
            _ => {}
        }
    }

    /// Puts a constraint on the list, for the methods it asks for, and its core type, for the fields.
    fn interface_or_core(&mut self, constraint: &Ty) {
        self.next.push(constraint.clone());
        let core = self.project.core(constraint);
        if matches!(core, Ty::Struct(_) | Ty::Pointer(_)) {
            self.next.push(core);
        }
    }
}

//! Building the index: every class first, then imports, then supertypes, then members.

use crate::hierarchy::Hierarchy;
use crate::run::Run;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    FileType, JavaClass, JavaFile, JavaNameScope, JavaProject, JavaSymbols, OnDemandImport, TypeVar,
};
use crate::java::facts::{JavaFacts, TypeDecl, TypeKind, flag};
use crate::java::junit;
use crate::java::library::{self, Library};
use crate::java::lombok::Plan;
use crate::java::types::{ClassId, Ty};
use crate::java::walks::WalkCache;
use crate::model::FileId;
use crate::symbols::{Sym, Symbols};

/// Rounds in which supertypes are looked up: an inherited member type may be needed to find another supertype.
const ROUNDS_MAX: usize = 6;

/// Builds the index over the facts of all files, sorted by path.
pub fn build(library: Arc<Library>, files: Vec<JavaFacts>) -> JavaProject {
    let mut project = empty(library);
    for facts in files {
        project.declare_file(facts);
    }
    project.index_types();
    let lombok = Plan::declare(&mut project);
    for file in 0..project.files.len() {
        project.resolve_imports(FileId(file as u32));
    }
    project.resolve_supers();
    project.resolve_bounds();
    lombok.link(&mut project);
    let mut methods = super::member::add_members(&mut project, &lombok);
    junit::mark_tests(&mut project, &mut methods);
    project.methods = methods.into();
    project
}

fn empty(library: Arc<Library>) -> JavaProject {
    let mut symbols = Symbols::default();
    for name in library.member_type_names() {
        symbols.intern(name);
    }
    let n_member_type_names = symbols.len();
    let words = JavaSymbols {
        init: symbols.intern("<init>"),
        var: symbols.intern("var"),
        length: symbols.intern("length"),
        values: symbols.intern("values"),
        value_of: symbols.intern("valueOf"),
        java_lang: symbols.intern("java.lang"),
        empty: symbols.intern(""),
    };
    JavaProject {
        library,
        files: Vec::new(),
        symbols,
        words,
        classes: Vec::new(),
        vars: Vec::new(),
        members: Vec::new(),
        methods: Arc::default(),
        roles: Vec::new(),
        tests: Vec::new(),
        packages: FxHashMap::default(),
        package_names: FxHashSet::default(),
        member_type_names: vec![true; n_member_type_names],
        subclasses: Hierarchy::default(),
        walks: WalkCache::default(),
        fixtures: OnceLock::new(),
    }
}

impl JavaProject {
    fn declare_file(&mut self, facts: JavaFacts) {
        let id = FileId(self.files.len() as u32);
        let syms = self.symbols.intern_all(&facts.names);
        let package = facts
            .package
            .map_or(self.words.empty, |name| syms[name.0 as usize]);
        let first_class = self.classes.len() as u32;
        let mut n_locals = FxHashMap::default();
        for (index, decl) in facts.types.iter().enumerate() {
            let name = syms[decl.name.0 as usize];
            let outer = decl.parent.map(|parent| ClassId(first_class + parent));
            let place = TypePlace { outer, package };
            let qualified = self.qualified(decl, name, place, &mut n_locals);
            let vars = self.declare_vars(&facts, &syms, decl.type_params);
            self.classes.push(JavaClass {
                decl: Some((id, index as u32)),
                outer,
                is_inner: self.is_inner(decl, outer),
                is_in_body: decl.kind == TypeKind::Anonymous || decl.is_statement,
                vars: vars.start..vars.end,
                ..JavaClass::new(name, qualified, decl.kind, decl.flags)
            });
        }
        let method_vars = facts
            .methods
            .iter()
            .map(|method| self.declare_vars(&facts, &syms, method.type_params))
            .collect();
        let cache = std::iter::repeat_with(|| AtomicU32::new(0))
            .take(syms.len())
            .collect();
        self.files.push(JavaFile {
            facts,
            syms,
            package,
            first_class,
            method_vars,
            singles: Vec::new(),
            demands: Vec::new(),
            static_singles: Vec::new(),
            static_demands: Vec::new(),
            cache,
            bodies: OnceLock::new(),
        });
    }

    fn declare_vars(&mut self, facts: &JavaFacts, syms: &[Sym], params: Run) -> Run {
        let start = self.vars.len() as u32;
        for param in &facts.type_params[params.range()] {
            self.vars.push(TypeVar {
                name: syms[param.name.0 as usize],
                bounds: Vec::new(),
            });
        }
        Run::since(start, self.vars.len())
    }

    /// Makes the qualified name of a class. Local and anonymous classes are numbered within the class around them, each
    /// name separately, as javac does.
    fn qualified(
        &self,
        decl: &TypeDecl,
        name: Sym,
        place: TypePlace,
        n_locals: &mut FxHashMap<(u32, Sym), u32>,
    ) -> Arc<str> {
        let TypePlace { outer, package } = place;
        let word = self.symbols.get(name);
        let Some(outer) = outer else {
            if package == self.words.empty {
                return Arc::clone(word);
            }
            return format!("{}.{word}", self.symbols.get(package)).into();
        };
        if decl.kind == TypeKind::Anonymous || decl.is_statement {
            let n = n_locals.entry((outer.0, name)).or_insert(0);
            *n += 1;
            return format!("{}${n}{word}", self.binary_name(outer)).into();
        }
        format!("{}.{word}", self.class(outer).qualified).into()
    }

    /// Makes the binary name `pkg.Outer$Inner`; the names of local and anonymous classes begin with the name of the
    /// class around them.
    fn binary_name(&self, id: ClassId) -> String {
        let class = self.class(id);
        match class.outer {
            Some(outer) if !class.is_in_body => {
                format!("{}${}", self.binary_name(outer), self.word(class.name))
            }
            _ => class.qualified.to_string(),
        }
    }

    fn is_inner(&self, decl: &TypeDecl, outer: Option<ClassId>) -> bool {
        if decl.is_local {
            return true;
        }
        let is_static = decl.flags & flag::STATIC != 0
            || !matches!(decl.kind, TypeKind::Class)
            || outer.is_some_and(|outer| self.class(outer).is_interface());
        outer.is_some() && !is_static
    }

    /// Fills the tables of packages and member types.
    fn index_types(&mut self) {
        self.member_type_names.resize(self.symbols.len(), false);
        for index in 0..self.classes.len() {
            let id = ClassId(index as u32);
            let class = &self.classes[index];
            let name = class.name;
            let Some((file, decl)) = class.decl else {
                continue;
            };
            let decl = &self.files[file.0 as usize].facts.types[decl as usize];
            match class.outer {
                None => {
                    let package = self.files[file.0 as usize].package;
                    self.packages.entry((package, name)).or_default().push(id);
                }
                Some(outer) if decl.kind != TypeKind::Anonymous && !decl.is_statement => {
                    self.member_type_names[name.0 as usize] = true;
                    self.classes[outer.0 as usize].types.push((name, id));
                }
                Some(_) => {}
            }
        }
        for class in &mut self.classes {
            class.types.sort_by_key(|&(name, id)| (name, id));
        }
        let packages: FxHashSet<Sym> = self.files.iter().map(|file| file.package).collect();
        let mut names: Vec<&str> = packages.iter().map(|&sym| self.word(sym)).collect();
        names.sort_unstable();
        let mut prefixes = FxHashSet::default();
        for name in names {
            for (at, _) in name.match_indices('.') {
                prefixes.insert(Box::from(&name[..at]));
            }
            prefixes.insert(Box::from(name));
        }
        self.package_names = prefixes;
    }

    /// Notes that some class has a member type of that name.
    pub fn name_member_type(&mut self, name: Sym) {
        let n_names = self.member_type_names.len().max(name.0 as usize + 1);
        self.member_type_names.resize(n_names, false);
        self.member_type_names[name.0 as usize] = true;
    }

    fn resolve_imports(&mut self, id: FileId) {
        let mut singles = Vec::new();
        let mut demands = Vec::new();
        let mut static_singles = Vec::new();
        let mut static_demands = Vec::new();
        let file = self.file(id);
        let imports = file.facts.imports.clone();
        let mut seen = FxHashSet::default();
        for import in imports {
            // A repeated import adds nothing, but would find every method twice.
            if !seen.insert((import.path, import.is_static, import.on_demand)) {
                continue;
            }
            let path_sym = self.file(id).syms[import.path.0 as usize];
            let path = Arc::clone(self.symbols.get(path_sym));
            let (head, last) = path.rsplit_once('.').unwrap_or(("", &path));
            let found = |project: &Self, path: &str| {
                project
                    .find_qualified(path, id)
                    .map_or_else(|| FileType::Missing(path.into()), FileType::Class)
            };
            match (import.is_static, import.on_demand) {
                (false, false) => {
                    let target = found(self, &path);
                    singles.push((self.symbols.intern(last), target));
                }
                (false, true) => demands.push(match self.find_qualified(&path, id) {
                    Some(class) if !self.package_names.contains(&*path) => {
                        OnDemandImport::Class(class)
                    }
                    _ => OnDemandImport::Package(path_sym, path),
                }),
                (true, false) => {
                    let target = found(self, head);
                    static_singles.push((self.symbols.intern(last), target));
                }
                (true, true) => static_demands.push(found(self, &path)),
            }
        }
        let file = &mut self.files[id.0 as usize];
        file.singles = singles;
        file.demands = demands;
        file.static_singles = static_singles;
        file.static_demands = static_demands;
    }

    fn resolve_supers(&mut self) {
        let mut pending: Vec<usize> = (0..self.classes.len())
            .filter(|&index| self.classes[index].decl.is_some())
            .collect();
        for _ in 0..ROUNDS_MAX {
            let n_before = pending.len();
            let mut changed = false;
            let mut still = Vec::new();
            for index in pending {
                let supers = self.supers_of(ClassId(index as u32));
                let is_whole = supers.iter().all(|ty| matches!(ty, Ty::Class(..)));
                changed |= supers != self.classes[index].supers;
                self.classes[index].supers = supers;
                if !is_whole {
                    still.push(index);
                }
            }
            pending = still;
            for class in &mut self.classes {
                class.lineage = OnceLock::new();
            }
            if !changed || (pending.is_empty() && n_before == 0) {
                break;
            }
        }
        self.mark_missing_supers();
        for index in 0..self.classes.len() {
            let parents: Vec<ClassId> = self.classes[index]
                .supers
                .iter()
                .filter_map(Ty::class_id)
                .collect();
            for parent in parents {
                self.subclasses.add(parent, ClassId(index as u32));
            }
        }
    }

    fn supers_of(&self, id: ClassId) -> Vec<Ty> {
        let Some((file, decl)) = self.type_decl(id) else {
            return Vec::new();
        };
        let class = self.class(id);
        let (file_id, _) = class.decl.expect("a declared class has a file");
        let scope = JavaNameScope {
            file: file_id,
            class: class.outer,
            method: decl.method,
            locals: &[],
        };
        let mut supers = Vec::new();
        if decl.kind == TypeKind::Anonymous && decl.superclass.is_none() {
            supers.extend(class.outer.map(Ty::class));
        }
        // A class's own variables are in scope in its list of supertypes, its member types are not.
        let own = OwnVars {
            vars: class.vars.clone(),
        };
        for ty in decl
            .superclass
            .into_iter()
            .chain(file.facts.ids(decl.interfaces))
        {
            supers.push(self.resolve_super(ty, scope, id, &own));
        }
        match decl.kind {
            TypeKind::Enum => {
                let args = [Ty::class(id)].into_iter().collect();
                supers.push(Ty::Class(library::known().enumeration, Some(args)));
            }
            TypeKind::Record => supers.push(Ty::class(library::known().record)),
            TypeKind::Annotation => supers.push(Ty::class(library::known().annotation)),
            _ => {}
        }
        supers
    }

    /// Resolves a supertype: from around the class, but with its own type variables.
    fn resolve_super(
        &self,
        ty: crate::java::facts::TypeId,
        scope: JavaNameScope<'_>,
        id: ClassId,
        own: &OwnVars,
    ) -> Ty {
        let scope = if own.vars.is_empty() && !self.class(id).is_inner {
            scope
        } else {
            JavaNameScope {
                class: Some(id),
                ..scope
            }
        };
        self.resolve(ty, scope)
    }

    fn mark_missing_supers(&mut self) {
        for index in 0..self.classes.len() {
            let id = ClassId(index as u32);
            let is_missing = self.ancestors(id).iter().any(|&ancestor| {
                self.class(ancestor)
                    .supers
                    .iter()
                    .any(|ty| !matches!(ty, Ty::Class(..)))
            });
            self.classes[index].has_missing_super = is_missing;
        }
    }

    fn resolve_bounds(&mut self) {
        for file in 0..self.files.len() {
            let id = FileId(file as u32);
            let first_class = self.files[file].first_class;
            for index in 0..self.files[file].facts.types.len() {
                let class = ClassId(first_class + index as u32);
                let params = self.files[file].facts.types[index].type_params;
                let first = self.class(class).vars.start;
                let scope = JavaNameScope::of_class(id, class);
                self.bounds_of(params, first, scope);
            }
            for index in 0..self.files[file].facts.methods.len() {
                let method = &self.files[file].facts.methods[index];
                let scope = JavaNameScope {
                    file: id,
                    class: Some(ClassId(first_class + method.owner)),
                    method: Some(index as u32),
                    locals: &[],
                };
                let params = method.type_params;
                let first = self.files[file].method_vars[index].start;
                self.bounds_of(params, first, scope);
            }
        }
    }

    fn bounds_of(&mut self, params: Run, first: u32, scope: JavaNameScope<'_>) {
        for at in params.range() {
            let facts = &self.file(scope.file).facts;
            let param = facts.type_params[at];
            let bounds: Vec<Ty> = facts
                .ids(param.bounds)
                .map(|bound| self.resolve(bound, scope))
                .collect();
            let var = first as usize + at - params.start as usize;
            self.vars[var].bounds = legal(bounds);
        }
    }
}

/// Drops other bounds beside a variable, which must stand alone (JLS 4.4): following several at once takes forever
/// where they lead to each other.
fn legal(mut bounds: Vec<Ty>) -> Vec<Ty> {
    if let Some(Ty::Var(_)) = bounds.first() {
        bounds.truncate(1);
    } else {
        bounds.retain(|bound| !matches!(bound, Ty::Var(_)));
    }
    bounds
}

/// Where a type is declared.
#[derive(Clone, Copy)]
struct TypePlace {
    outer: Option<ClassId>,
    package: Sym,
}

struct OwnVars {
    vars: std::ops::Range<u32>,
}

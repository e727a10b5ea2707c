//! Builds the index, in passes: words, packages, declarations, imports, types, signatures, methods, variables.

use crate::run::Run;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Decl, Func, GoFile, GoFuncPlace, GoNameScope, GoNamedType, GoProject, GoSymbols,
    ImportedPackage, Package, PackageId, Symbols, TypeParam, Var, VarId, method, role,
};
use crate::go::facts::{Expr, ExprId, GoFacts, ImportName, Op, Stmt};
use crate::go::module::Modules;
use crate::go::types::{Basic, FuncId, NamedId, ParamId, Signature, Ty};
use crate::methods;
use crate::model::{FileId, FileRole, Method};
use crate::outside::Configuration;
use crate::places::folder_of;
use crate::symbols::Sym;

/// Builds the index over the facts of all files, which are sorted by path; the types of variables and the tests are
/// found later, by walks of bodies.
pub fn build(facts: Vec<GoFacts>, configuration: &[Configuration]) -> GoProject {
    let mut builder = Builder::new(facts, configuration);
    builder.packages();
    builder.declarations();
    builder.imports();
    builder.types();
    builder.signatures();
    builder.methods();
    let mut project = builder.project;
    project.assigned = assigned(&project.files);
    project
}

/// The most imports of one file that an unknown name is compared with.
const LIBRARIES_MAX: usize = 200;

struct Builder {
    modules: Modules,
    folders: Vec<String>,
    /// The package that an import of a folder means.
    of_folder: FxHashMap<String, PackageId>,
    project: GoProject,
}

impl Builder {
    fn new(facts: Vec<GoFacts>, configuration: &[Configuration]) -> Self {
        let folders: Vec<String> = facts
            .iter()
            .map(|fact| folder_of(&fact.path).to_owned())
            .collect();
        let distinct: FxHashSet<String> = folders.iter().cloned().collect();
        let imports = facts
            .iter()
            .flat_map(|facts| facts.imports.iter().map(|import| facts.name(import.path)));
        let modules = Modules::read(configuration, &distinct, imports);
        let mut symbols = Symbols::default();
        let words = GoSymbols {
            blank: symbols.intern("_"),
            error: symbols.intern("Error"),
        };
        let universe = universe(&mut symbols);
        let files = facts
            .into_iter()
            .map(|facts| GoFile {
                syms: symbols.intern_all(&facts.names),
                facts,
                ..GoFile::default()
            })
            .collect();
        let project = GoProject {
            files,
            symbols,
            universe,
            words,
            ..GoProject::default()
        };
        Self {
            modules,
            folders,
            of_folder: FxHashMap::default(),
            project,
        }
    }

    /// Finds the packages: the files of one folder with the same package clause. An import of a folder means its
    /// package with the most files that are built, tests not counted.
    fn packages(&mut self) {
        let project = &mut self.project;
        let mut numbers: FxHashMap<(&str, Sym), PackageId> = FxHashMap::default();
        // The files of a package that are no tests: those that are built, and all.
        let mut n_files: Vec<(u32, u32)> = Vec::new();
        for (folder, file) in self.folders.iter().zip(&mut project.files) {
            let name = match file.facts.package {
                Some(name) => file.sym(name),
                None => project.words.blank,
            };
            let id = *numbers.entry((folder, name)).or_insert_with(|| {
                let path = self.modules.path_of(folder);
                project.packages.push(Package {
                    folder: folder.clone(),
                    name,
                    path: path.into(),
                    decls: FxHashMap::default(),
                });
                n_files.push((0, 0));
                PackageId(project.packages.len() as u32 - 1)
            });
            file.package = id;
            if !file.is_test() {
                let counts = &mut n_files[id.0 as usize];
                counts.0 += u32::from(file.facts.is_built);
                counts.1 += 1;
            }
        }
        for (at, package) in project.packages.iter().enumerate() {
            let is_better = self
                .of_folder
                .get(&package.folder)
                .is_none_or(|other: &PackageId| n_files[at] > n_files[other.0 as usize]);
            if is_better {
                let id = PackageId(at as u32);
                self.of_folder.insert(package.folder.clone(), id);
            }
        }
    }

    /// Numbers every declaration, and enters its name in its package.
    fn declarations(&mut self) {
        let project = &mut self.project;
        for (at, file) in project.files.iter_mut().enumerate() {
            let id = FileId(at as u32);
            file.first_type = project.named.len() as u32;
            let mut declared: Vec<(Sym, Decl)> = Vec::new();
            for (decl_idx, decl) in file.facts.types.iter().enumerate() {
                let named_id = NamedId(project.named.len() as u32);
                let params = add_params(&mut project.type_params, file, decl.type_params);
                project.named.push(GoNamedType {
                    file: id,
                    decl: decl_idx as u32,
                    name: file.sym(decl.name),
                    params,
                    ty: Ty::Unknown,
                });
                let name = file.sym(decl.name);
                if decl.in_func.is_none() {
                    declared.push((name, Decl::Type(named_id)));
                } else {
                    let same = file.local_types.entry(name).or_default();
                    same.push(decl_idx as u32);
                }
            }
            for funcs in places(&file.facts) {
                let func = func_at(&mut project.type_params, file, id, funcs);
                let func_id = FuncId(project.funcs.len() as u32);
                match funcs {
                    GoFuncPlace::Declared(at) => {
                        file.funcs[at as usize] = func_id;
                        if file.facts.funcs[at as usize].receiver.is_none() {
                            declared.push((func.name, Decl::Func(func_id)));
                        }
                    }
                    GoFuncPlace::InterfaceMethod(at) => {
                        file.interface_methods[at as usize] = func_id;
                    }
                }
                project.funcs.push(func);
            }
            add_vars(&mut project.vars, file, id, &mut declared);
            let package = &mut project.packages[file.package.0 as usize];
            for (name, decl) in declared {
                if name != project.words.blank {
                    package.decls.entry(name).or_default().push((decl, id));
                }
            }
        }
        // Declarations that are built for Linux come first, and those outside tests before those in tests.
        for package in &mut project.packages {
            #[expect(clippy::iter_over_hash_type, reason = "each list is sorted for itself")]
            for all in package.decls.values_mut() {
                all.sort_by_key(|(_, file)| {
                    let file = &project.files[file.0 as usize];
                    (!file.facts.is_built, file.is_test())
                });
            }
        }
    }

    fn imports(&mut self) {
        for at in 0..self.project.files.len() {
            let file = &self.project.files[at];
            let mut imports = FxHashMap::default();
            let mut dots = Vec::new();
            let mut blanks = Vec::new();
            let mut libraries = Vec::new();
            for import in &file.facts.imports {
                let path = file.facts.name(import.path);
                let folder = self.modules.folder_of_import(&self.folders[at], path);
                let package = folder.and_then(|folder| self.of_folder.get(&folder).copied());
                let imported = match package {
                    Some(package) => ImportedPackage::Package(package),
                    None => ImportedPackage::Library(path.into()),
                };
                if let (ImportName::Own, ImportedPackage::Library(path)) = (import.name, &imported)
                {
                    libraries.push(Arc::clone(path));
                }
                let name = match import.name {
                    ImportName::Own => match package {
                        Some(package) => Some(self.project.packages[package.0 as usize].name),
                        None => self.project.symbols.find(package_name(path)),
                    },
                    ImportName::Alias(name) => Some(file.sym(name)),
                    ImportName::Dot => {
                        dots.push(imported);
                        continue;
                    }
                    ImportName::Blank => {
                        blanks.push(imported);
                        continue;
                    }
                };
                match name {
                    Some(name) => imports.insert(name, imported),
                    // No file writes the package's name: the import is kept under its path.
                    None => imports.insert(file.sym(import.path), imported),
                };
            }
            let file = &mut self.project.files[at];
            file.imports = imports;
            file.dots = dots;
            file.blanks = blanks;
            libraries.truncate(LIBRARIES_MAX);
            file.libraries = libraries;
        }
    }

    /// Resolves the types behind the names of types, and the constraints of type parameters.
    fn types(&mut self) {
        let project = &mut self.project;
        let underlying: Vec<Ty> = project
            .named
            .iter()
            .map(|named| {
                let file = &project.files[named.file.0 as usize];
                let decl = &file.facts.types[named.decl as usize];
                let around = decl.in_func.map(|at| project.func(file.funcs[at as usize]));
                let params = around.map_or(&named.params, |func| &func.scope);
                project.resolve(decl.ty, GoNameScope::new(named.file, params))
            })
            .collect();
        for (named, ty) in project.named.iter_mut().zip(underlying) {
            named.ty = ty;
        }
        let mut constraints: Vec<(ParamId, Ty)> = Vec::new();
        for named in &project.named {
            let decl = &project.files[named.file.0 as usize].facts.types[named.decl as usize];
            let scope = GoNameScope::new(named.file, &named.params);
            add_constraints(
                project,
                &named.params,
                decl.type_params,
                scope,
                &mut constraints,
            );
        }
        for func in &project.funcs {
            let GoFuncPlace::Declared(at) = func.place else {
                continue;
            };
            let decl = &project.files[func.file.0 as usize].facts.funcs[at as usize];
            if decl.type_params.is_empty() {
                continue;
            }
            let scope = GoNameScope::new(func.file, &func.scope);
            add_constraints(
                project,
                &func.scope,
                decl.type_params,
                scope,
                &mut constraints,
            );
        }
        for (id, ty) in constraints {
            project.type_params[id.0 as usize].constraint = ty;
        }
    }

    /// Resolves receivers and signatures, and enters each method at its type: of several the one that is built.
    fn signatures(&mut self) {
        let project = &mut self.project;
        let mut receivers = Vec::new();
        for (at, func) in project.funcs.iter().enumerate() {
            if let GoFuncPlace::Declared(decl) = func.place
                && let Some(receiver) = method::receiver(project, func, decl)
            {
                receivers.push((at, receiver));
            }
        }
        for (at, receiver) in receivers {
            let func = &mut project.funcs[at];
            let id = receiver.of;
            func.receiver = Some((id, receiver.is_pointer));
            func.scope = receiver.params;
            let (name, file) = (func.name, func.file);
            let is_built = |file: FileId| project.files[file.0 as usize].facts.is_built;
            let func_id = FuncId(at as u32);
            let own = project.members.entry((id, name)).or_insert(func_id);
            let before = project.funcs[own.0 as usize].file;
            if is_built(file) && !is_built(before) {
                *own = func_id;
            }
        }
        let signatures: Vec<Signature> = project
            .funcs
            .iter()
            .map(|func| method::signature(project, func))
            .collect();
        for (func, signature) in project.funcs.iter_mut().zip(signatures) {
            func.signature = Arc::new(signature);
        }
    }

    /// Makes the methods that callers see.
    fn methods(&mut self) {
        let project = &mut self.project;
        project.roles = role::roles(project);
        let ids = (0..project.funcs.len() as u32).map(FuncId);
        let mut methods: Vec<Method> = ids.map(|id| method::method(project, id)).collect();
        methods::number(&mut methods);
        for (at, method) in methods.iter().enumerate() {
            let func = &project.funcs[at];
            if func.receiver.is_some() && method.role == FileRole::Main {
                let same = project.by_name.entry(func.name).or_default();
                same.push(FuncId(at as u32));
            }
        }
        project.methods = methods.into();
    }
}

/// Collects the names of all variables and fields that are assigned, or whose address is taken.
fn assigned(files: &[GoFile]) -> FxHashSet<Sym> {
    let mut found = FxHashSet::default();
    for file in files {
        let facts = &file.facts;
        let mut note = |id: ExprId| {
            if let Expr::Name(name, _) | Expr::Selector(_, name, _) = facts.expr(id) {
                found.insert(file.sym(name));
            }
        };
        for stmt in &facts.stmts {
            if let Stmt::Assign(left, _) = stmt {
                facts.exprs(*left).iter().copied().for_each(&mut note);
            }
        }
        for expr in &facts.exprs {
            if let Expr::Unary(Op::Address, inner) = expr {
                note(*inner);
            }
        }
    }
    found
}

fn universe(symbols: &mut Symbols) -> FxHashMap<Sym, Ty> {
    let basics = [
        (Basic::Bool, &["bool"][..]),
        (Basic::String, &["string"]),
        (Basic::Int, &["int"]),
        (Basic::Float, &["float64"]),
        (Basic::Complex, &["complex64", "complex128"]),
        (Basic::Rune, &["rune", "int32"]),
        (Basic::Byte, &["byte", "uint8"]),
        (
            Basic::Number,
            &[
                "int8", "int16", "int64", "uint", "uint16", "uint32", "uint64", "uintptr",
                "float32",
            ],
        ),
    ];
    let mut universe = FxHashMap::default();
    for (basic, names) in basics {
        for name in names {
            universe.insert(symbols.intern(name), Ty::Basic(basic));
        }
    }
    universe.insert(symbols.intern("error"), Ty::Error);
    universe.insert(symbols.intern("any"), Ty::any());
    universe.insert(symbols.intern("comparable"), Ty::any());
    universe
}

/// Guesses the name that a package of another module gives itself.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = |text: &str| {
        text.strip_prefix('v').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let last = if is_version(last) {
        parts.next().unwrap_or(last)
    } else {
        last
    };
    // `gopkg.in/yaml.v3`.
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}

fn add_params(table: &mut Vec<TypeParam>, file: &GoFile, params: Run) -> Vec<(Sym, ParamId)> {
    let params = &file.facts.type_params[params.range()];
    let add = |name: Sym| {
        table.push(TypeParam {
            name,
            constraint: Ty::Unknown,
        });
        (name, ParamId(table.len() as u32 - 1))
    };
    params
        .iter()
        .map(|param| file.sym(param.name))
        .map(add)
        .collect()
}

fn add_constraints(
    project: &GoProject,
    params: &[(Sym, ParamId)],
    written: Run,
    scope: GoNameScope<'_>,
    found: &mut Vec<(ParamId, Ty)>,
) {
    let written = &project.file(scope.file).facts.type_params[written.range()];
    for ((_, id), param) in params.iter().zip(written) {
        found.push((*id, project.resolve(param.constraint, scope)));
    }
}

/// Lists the functions of a file and the methods that its interfaces ask for, by position.
fn places(facts: &GoFacts) -> Vec<GoFuncPlace> {
    let mut places: Vec<(u32, GoFuncPlace)> = Vec::new();
    for (at, func_decl) in facts.funcs.iter().enumerate() {
        places.push((func_decl.span.start, GoFuncPlace::Declared(at as u32)));
    }
    for (at, interface_method) in facts.interface_methods.iter().enumerate() {
        places.push((
            interface_method.span.start,
            GoFuncPlace::InterfaceMethod(at as u32),
        ));
    }
    places.sort_by_key(|(start, _)| *start);
    places.into_iter().map(|(_, place)| place).collect()
}

fn func_at(params: &mut Vec<TypeParam>, file: &mut GoFile, id: FileId, place: GoFuncPlace) -> Func {
    if file.funcs.is_empty() && file.interface_methods.is_empty() {
        file.funcs = vec![FuncId(0); file.facts.funcs.len()];
        file.interface_methods = vec![FuncId(0); file.facts.interface_methods.len()];
    }
    let (name, scope) = match place {
        GoFuncPlace::Declared(at) => {
            let decl = &file.facts.funcs[at as usize];
            (decl.name, add_params(params, file, decl.type_params))
        }
        GoFuncPlace::InterfaceMethod(at) => {
            (file.facts.interface_methods[at as usize].name, Vec::new())
        }
    };
    Func {
        file: id,
        place,
        name: file.sym(name),
        receiver: None,
        params: scope.iter().map(|(_, id)| *id).collect(),
        scope,
        signature: Arc::default(),
    }
}

fn add_vars(vars: &mut Vec<Var>, file: &mut GoFile, id: FileId, declared: &mut Vec<(Sym, Decl)>) {
    for &values in &file.facts.package_values {
        let names = file.facts.values[values as usize].names;
        for (at, name_at) in names.range().enumerate() {
            let var_id = VarId(vars.len() as u32);
            vars.push(Var {
                file: id,
                values,
                at: at as u32,
                ty: OnceLock::new(),
                alias: OnceLock::new(),
            });
            file.vars.insert(name_at as u32, var_id);
            let name = file.syms[file.facts.value_names[name_at].0.index()];
            declared.push((name, Decl::Var(var_id)));
        }
    }
}

//! Finds the tests (LANGUAGES.md L7), the functions that run before them, and the helpers that fail them.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::facts::{BlockId, Expr, ExprId, Param, Stmt, StmtId, TypeSyntax};
use super::library;
use super::project::{GoFile, GoProject};
use super::resolve;
use super::types::{FuncId, NamedId, Ty};
use crate::methods::TestMark;
use crate::model::{FileRole, Framework, MethodId, Resolution, TestKind};

/// The most types that are collected through embedding.
const EMBEDDED_MAX: usize = 200;

/// How deep statements are searched for one that runs a suite.
const DEPTH_MAX: u32 = 8;

/// Methods of a suite that run before its tests, in the order in which they run.
const SUITE_FIXTURES: &[&str] = &[
    "SetupSuite",
    "SetUpSuite",
    "SetupTest",
    "SetUpTest",
    "BeforeTest",
];

/// Finds the tests of a project, in order.
pub fn all(project: &GoProject) -> Vec<(MethodId, TestMark)> {
    let funcs = (0..project.funcs.len() as u32).map(FuncId);
    let mut suites = Suites::default();
    funcs
        .filter_map(|id| Some((MethodId(id.0), mark_of(project, id, &mut suites)?)))
        .collect()
}

/// Whether types are suites, for those that were asked about.
#[derive(Default)]
struct Suites(rustc_hash::FxHashMap<NamedId, bool>);

impl Suites {
    fn has(&mut self, project: &GoProject, id: NamedId) -> bool {
        *self.0.entry(id).or_insert_with(|| is_suite(project, id))
    }
}

fn mark_of(project: &GoProject, id: FuncId, suites: &mut Suites) -> Option<TestMark> {
    let (file, decl) = project.func_decl(id)?;
    let body = decl.body?;
    if !file.is_test() {
        return None;
    }
    let facts = &file.facts;
    let name = facts.name(decl.name);
    let signature = facts.signature(decl.signature);
    let params = &facts.params[signature.params.range()];
    if !signature.results.is_empty() || !decl.type_params.is_empty() {
        return None;
    }
    let (framework, kind) = if decl.receiver.is_some() {
        let (named, _) = project.func(id).receiver?;
        if !name.starts_with("Test") {
            return None;
        }
        match params {
            [] if suites.has(project, named) => (Framework::Testify, TestKind::Suite),
            [only] if is_checker(project, id, only) => (Framework::Gocheck, TestKind::Suite),
            _ => return None,
        }
    } else {
        let [only] = params else { return None };
        let of = pointed(file, only)?;
        if of == "T" && is_named(name, "Test") {
            if only_runs_suites(file, body, DEPTH_MAX) {
                return None;
            }
            (Framework::Go, TestKind::Test)
        } else if of == "F" && is_named(name, "Fuzz") {
            (Framework::Go, TestKind::Fuzz)
        } else {
            return None;
        }
    };
    let is_skipped = is_skipped(file, body);
    Some(TestMark {
        is_skipped,
        ..TestMark::new(framework, kind)
    })
}

/// Tells whether a name is `TestXxx` as the go command defines it: the rest does not begin with a lower-case letter.
fn is_named(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Returns the name of the type that a parameter points to, `T` for `*testing.T`: the go command looks at the name
/// alone, and at one parameter only.
fn pointed<'f>(file: &'f GoFile, param: &Param) -> Option<&'f str> {
    let facts = &file.facts;
    let TypeSyntax::Pointer(inner) = facts.type_syntax(param.ty) else {
        return None;
    };
    match facts.type_syntax(inner) {
        TypeSyntax::Name(name, _) | TypeSyntax::Qualified(_, name) => Some(facts.name(name)),
        _ => None,
    }
}

/// Tells whether a method takes gocheck's `*C`.
fn is_checker(project: &GoProject, id: FuncId, param: &Param) -> bool {
    let file = project.file(project.func(id).file);
    let ty = project.func(id).signature.params.first();
    matches!(ty.map(Ty::pointee), Some(Ty::Foreign(foreign))
        if library::is_gocheck(&foreign.path) && &*foreign.name == "C")
        && pointed(file, param) == Some("C")
}

/// Tells whether a type embeds testify's suite, also through types of the project.
fn is_suite(project: &GoProject, id: NamedId) -> bool {
    embedded(project, id).1
}

/// Collects a type and the project's types that it embeds, itself first, and tells whether testify's suite is embedded,
/// too.
pub fn embedded(project: &GoProject, id: NamedId) -> (Vec<NamedId>, bool) {
    let mut found = vec![id];
    let mut seen: FxHashSet<NamedId> = FxHashSet::from_iter([id]);
    let mut is_suite = false;
    let mut at = 0;
    while at < found.len() && found.len() < EMBEDDED_MAX {
        let underlying = project.underlying(&Ty::named(found[at]));
        at += 1;
        let Ty::Struct(structure) = underlying else {
            continue;
        };
        for field in structure.fields.iter().filter(|field| field.is_embedded) {
            match field.ty.pointee() {
                // Testify tests itself.
                Ty::Named(id, _)
                    if project.qualified(*id) == "github.com/stretchr/testify/suite.Suite" =>
                {
                    is_suite = true;
                }
                Ty::Named(id, _) if seen.insert(*id) => found.push(*id),
                Ty::Foreign(foreign) => {
                    is_suite |=
                        foreign.path.ends_with("testify/suite") && &*foreign.name == "Suite";
                }
                _ => {}
            }
        }
    }
    (found, is_suite)
}

/// Tells whether a test does nothing but run suites: their methods are the tests.
fn only_runs_suites(file: &GoFile, body: BlockId, depth: u32) -> bool {
    let mut has_run = false;
    let stmts = file.facts.stmts_of(body);
    stmts
        .iter()
        .all(|id| runs_suite(file, *id, depth, &mut has_run))
        && has_run
}

fn runs_suite(file: &GoFile, id: StmtId, depth: u32, has_run: &mut bool) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let facts = &file.facts;
    match facts.stmt(id) {
        Stmt::Nothing | Stmt::Define(..) | Stmt::Assign(..) | Stmt::Values(_) | Stmt::Later(_) => {
            true
        }
        Stmt::Expr(expr) => match called(file, expr) {
            Some((Some("suite"), "Run") | (_, "TestingT")) => {
                *has_run = true;
                true
            }
            Some((Some(_), "Run")) => {
                // `t.Run("name", func(t *testing.T) { suite.Run(t, …) })`.
                let Expr::Call(call) = facts.expr(expr) else {
                    return false;
                };
                let args = facts.exprs(facts.calls[call as usize].args);
                match args.last().map(|arg| facts.expr(*arg)) {
                    Some(Expr::Function(at)) => {
                        let body = facts.literals[at as usize].body;
                        *has_run |= only_runs_suites(file, body, depth);
                        *has_run
                    }
                    _ => false,
                }
            }
            Some((Some(_), "Parallel" | "Helper" | "Setenv" | "Log" | "Logf")) => true,
            _ => false,
        },
        Stmt::If(at) => {
            let stmts = facts.stmts_of(facts.ifs[at as usize].then).iter();
            stmts.copied().all(|id| {
                is_skip(file, id)
                    || matches!(facts.stmt(id), Stmt::Return(_))
                    || runs_suite(file, id, depth, has_run)
            })
        }
        Stmt::Range(at) => {
            let stmts = facts.stmts_of(facts.ranges[at as usize].body).iter();
            stmts
                .copied()
                .all(|id| runs_suite(file, id, depth, has_run))
        }
        _ => false,
    }
}

/// Returns the name before the dot and the called name; the former is empty where no plain name stands there.
fn called(file: &GoFile, expr: ExprId) -> Option<(Option<&str>, &str)> {
    let facts = &file.facts;
    let Expr::Call(call) = facts.expr(expr) else {
        return None;
    };
    match facts.expr(facts.calls[call as usize].function) {
        Expr::Name(name, _) => Some((None, facts.name(name))),
        Expr::Selector(operand, name, _) => {
            let before = match facts.expr(operand) {
                Expr::Name(name, _) => facts.name(name),
                _ => "",
            };
            Some((Some(before), facts.name(name)))
        }
        _ => None,
    }
}

/// Tells whether the first statement skips the test unconditionally.
fn is_skipped(file: &GoFile, body: BlockId) -> bool {
    let stmts = file.facts.stmts_of(body);
    stmts.first().is_some_and(|id| is_skip(file, *id))
}

fn is_skip(file: &GoFile, id: StmtId) -> bool {
    let Stmt::Expr(expr) = file.facts.stmt(id) else {
        return false;
    };
    matches!(
        called(file, expr),
        Some((Some(_), "Skip" | "Skipf" | "SkipNow"))
    )
}

/// Finds the functions that run before a test: `TestMain`, then those that set its suite up, embedded suites first.
pub fn fixtures(project: &GoProject, test: FuncId) -> Vec<MethodId> {
    let mut found = Vec::new();
    let func = project.func(test);
    let file = project.file(func.file);
    let folder = &project.package(file.package).folder;
    found.extend(test_mains(project).iter().copied().filter(|id| {
        let file = project.file(project.func(*id).file);
        project.package(file.package).folder == *folder
    }));
    if let Some((named, _)) = func.receiver {
        let (types, _) = embedded(project, named);
        for name in SUITE_FIXTURES {
            let Some(name) = project.symbols.find(name) else {
                continue;
            };
            found.extend(
                types
                    .iter()
                    .rev()
                    .filter_map(|id| project.own_method(*id, name)),
            );
        }
    }
    found.into_iter().map(|id| MethodId(id.0)).collect()
}

/// Finds the `TestMain` functions of all packages.
fn test_mains(project: &GoProject) -> &[FuncId] {
    project.test_mains.get_or_init(|| {
        let funcs = (0..project.funcs.len() as u32).map(FuncId);
        let is_main = |id: &FuncId| {
            project.func_decl(*id).is_some_and(|(file, decl)| {
                file.is_test()
                    && decl.receiver.is_none()
                    && file.facts.name(decl.name) == "TestMain"
            })
        };
        funcs.filter(is_main).collect()
    })
}

/// Names the group that takes the place of a test's class: its suite, else the file's name without `_test`.
pub fn group(project: &GoProject, test: FuncId) -> String {
    let func = project.func(test);
    if let Some((named, _)) = func.receiver {
        return project.word(project.named(named).name).to_string();
    }
    let path = &project.file(func.file).facts.path;
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.strip_suffix(".go").unwrap_or(stem);
    stem.strip_suffix("_test").unwrap_or(stem).to_owned()
}

/// Tells whether a function of test code may fail the test that it is given, and returns nothing: a helper that
/// asserts.
pub fn is_failing(project: &GoProject, id: FuncId) -> bool {
    let known = project.failing.get_or_init(|| {
        let all = std::iter::repeat_with(OnceLock::new);
        all.take(project.funcs.len()).collect()
    });
    *known[id.0 as usize].get_or_init(|| fails(project, id))
}

fn fails(project: &GoProject, id: FuncId) -> bool {
    let func = project.func(id);
    let signature = &func.signature;
    if project.roles[func.file.0 as usize] != FileRole::Test
        || !signature.results.is_empty()
        || !signature.params.iter().any(is_testing)
        // A function that it runs for the test belongs to the test.
        || signature.params.iter().any(|ty| matches!(project.underlying(ty), Ty::Func(_)))
    {
        return false;
    }
    let body = resolve::body(project, id);
    body.calls.iter().any(|call| {
        let is_fail = resolve::FAILING_METHODS.contains(&call.name.as_str());
        match &call.resolution {
            Resolution::Outside(Some(owner)) => {
                is_fail
                    || crate::syntax::go::dialect::DIALECT
                        .assertions
                        .is_library(owner)
            }
            _ => is_fail,
        }
    })
}

/// Tells whether a parameter is a `testing.TB` or another value that fails tests.
fn is_testing(ty: &Ty) -> bool {
    matches!(ty.pointee(), Ty::Foreign(foreign) if library::is_test(&foreign.path, &foreign.name))
}

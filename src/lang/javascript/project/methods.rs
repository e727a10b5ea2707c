//! The project's methods: declared functions, tests and hooks, in order of file and position.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tests::{Cases, Test};
use super::{Decl, JavaScriptProject};
use crate::javascript::eval::Eval;
use crate::javascript::facts::{
    CaseKind, ClassId, ExportedBinding, Expr, ExprId, FnId, JavaScriptFacts, MemberKey, MemberKind,
    Name, ObjId, Owner,
};
use crate::javascript::value::JavaScriptValue;
use crate::methods;
use crate::model::{
    CONSTRUCTOR, FileId, FileRole, Framework, Method, MethodId, MethodKind, Origin, Span,
    Visibility,
};
use crate::symbols::Sym;

/// Adds all methods to a project, and the tests among them.
pub fn add(project: &mut JavaScriptProject, cases: &Cases) {
    let mut all: Vec<(Method, Decl)> = Vec::new();
    for n in 0..project.files.len() {
        let file = FileId(n as u32);
        let mut found = of_file(project, cases, file);
        found.sort_by_key(|(method, _)| (method.span.start, std::cmp::Reverse(method.span.end)));
        all.extend(found);
    }
    methods::number(all.iter_mut().map(|pair| &mut pair.0));
    for (n, (_, decl)) in all.iter().enumerate() {
        let id = MethodId(n as u32);
        match *decl {
            Decl::Function(file, function) => {
                project.files[file.0 as usize].methods.insert(function, id);
            }
            Decl::Default(file, class) => {
                let file = &mut project.files[file.0 as usize];
                file.constructors.insert(class, id);
            }
            Decl::Case(..) => {}
        }
    }
    let by_name = by_name(project, &all);
    let (methods, decls): (Vec<Method>, Vec<Decl>) = all.into_iter().unzip();
    project.by_name = by_name;
    project.methods = Arc::from(methods);
    project.decls = decls;
    add_aliases(project);
    add_tests(project, cases);
}

/// Lists functions under the names of members that hold them, too: `res.set = res.header = function header() {}`.
fn add_aliases(project: &mut JavaScriptProject) {
    let mut found: Vec<(Sym, MethodId)> = Vec::new();
    let mut eval = Eval::new(project);
    for (n, script_file) in project.files.iter().enumerate() {
        if project.roles[n] != FileRole::Main {
            continue;
        }
        let file = FileId(n as u32);
        for effect in &script_file.facts.effects {
            let MemberKey::Named(name) = effect.key else {
                continue;
            };
            eval.refresh();
            for value in eval.expr(file, effect.value).list {
                if let JavaScriptValue::Fn(there, function) = value {
                    let sym = script_file.sym(name);
                    let method = project.method_of(there, function);
                    found.extend(method.map(|method| (sym, method)));
                }
            }
        }
    }
    drop(eval);
    let words = project.words;
    for (sym, method) in found {
        if sym == words.exports || project.methods[method.0 as usize].role != FileRole::Main {
            continue;
        }
        let all = project.by_name.entry(sym).or_default();
        if !all.contains(&method) && all.len() < NAMED_MAX {
            all.push(method);
            all.sort_unstable();
        }
    }
}

/// How many members of one name are kept; more are too many to name.
const NAMED_MAX: usize = 64;

/// Groups the members of main code by name, for unknown receivers (L12).
fn by_name(project: &JavaScriptProject, all: &[(Method, Decl)]) -> FxHashMap<Sym, Vec<MethodId>> {
    let mut by_name: FxHashMap<Sym, Vec<MethodId>> = FxHashMap::default();
    for (n, (method, decl)) in all.iter().enumerate() {
        let Decl::Function(file, function) = *decl else {
            continue;
        };
        let facts = &project.file(file).facts;
        let function_facts = facts.function(function);
        let is_member = match function_facts.owner {
            Owner::None => false,
            Owner::Object(object) => {
                function_facts.path != Name(0) || is_exported(project, file, object)
            }
            _ => function_facts.path != Name(0),
        };
        if method.role == FileRole::Main && is_member && method.kind == MethodKind::Method {
            let sym = project.file(file).sym(function_facts.name);
            by_name.entry(sym).or_default().push(MethodId(n as u32));
        }
    }
    by_name
}

/// Tells whether a file exports an object literal as it stands: `module.exports = {…}`.
fn is_exported(project: &JavaScriptProject, file: FileId, object: ObjId) -> bool {
    let script = project.file(file);
    let is_it =
        |id: ExprId| matches!(*script.facts.expr(id), Expr::Object(other) if other == object);
    let default = script.exports.get(&project.words.default);
    let mut default = default.map_or(&[][..], Vec::as_slice).iter();
    script.replaced.iter().any(|id| is_it(*id))
        || default.any(|what| matches!(what, ExportedBinding::Value(id) if is_it(*id)))
}

fn of_file(project: &JavaScriptProject, cases: &Cases, file: FileId) -> Vec<(Method, Decl)> {
    let script = project.file(file);
    let facts = &script.facts;
    let role = project.roles[file.0 as usize];
    let stem = facts
        .path
        .rsplit_once('.')
        .map_or(facts.path.as_str(), |pair| pair.0);
    let mut found = Vec::new();
    for (n, function) in facts.functions.iter().enumerate().skip(1) {
        let id = FnId(n as u32);
        if function.is_declared && function.kind != MemberKind::Setter {
            found.push((
                method(facts, id, (file, role), stem),
                Decl::Function(file, id),
            ));
        }
    }
    for (n, class) in facts.classes.iter().enumerate() {
        let id = ClassId(n as u32);
        let has_own = class
            .members
            .iter()
            .any(|member| member.kind == MemberKind::Constructor);
        if !class.is_interface && !has_own && class.heritage.is_none() && class.name != Name(0) {
            found.push((
                default(facts, id, (file, role), stem),
                Decl::Default(file, id),
            ));
        }
    }
    for (n, (case, judged)) in facts
        .cases
        .iter()
        .zip(&cases.runner_cases[file.0 as usize])
        .enumerate()
    {
        let is_run = !matches!(case.kind, CaseKind::Group | CaseKind::After);
        if let Some(judged) = judged
            && is_run
        {
            let mut path = Vec::new();
            let mut group = case.parent;
            while let Some(at) = group {
                let parent_case = &facts.cases[at as usize];
                if cases.runner_cases[file.0 as usize][at as usize].is_some() {
                    path.push(facts.word(parent_case.title));
                }
                group = parent_case.parent;
            }
            path.push(stem);
            path.reverse();
            let body = judged.function.map(|fn_id| facts.function(fn_id));
            let body = body
                .and_then(|function| function.body)
                .filter(|span| case.span.contains(*span));
            found.push((
                Method {
                    class: path.join(" > "),
                    n_package: stem.len() as u32,
                    name: facts.word(case.title).to_owned(),
                    body,
                    role: FileRole::Test,
                    ..at(file, facts, case.span, case.at)
                },
                Decl::Case(file, n as u32),
            ));
        }
    }
    found
}

fn method(
    facts: &JavaScriptFacts,
    id: FnId,
    (file, role): (FileId, FileRole),
    stem: &str,
) -> Method {
    let function = facts.function(id);
    let path = facts.word(function.path);
    let word = facts.word(function.name);
    let kind = match function.kind {
        MemberKind::Constructor => MethodKind::Constructor,
        MemberKind::Getter => MethodKind::Property,
        _ => MethodKind::Method,
    };
    let is_private = word.starts_with('#');
    Method {
        class: class_of(stem, path),
        n_package: stem.len() as u32,
        name: match kind {
            MethodKind::Constructor => CONSTRUCTOR.to_owned(),
            _ => word.to_owned(),
        },
        kind,
        signature: facts
            .signatures
            .get(&id)
            .map_or_else(String::new, ToString::to_string),
        body: function.body,
        visibility: if is_private {
            Visibility::Private
        } else {
            Visibility::Public
        },
        is_static: function.is_static,
        role,
        ..at(file, facts, function.span, function.name_span.start)
    }
}

fn default(
    facts: &JavaScriptFacts,
    id: ClassId,
    (file, role): (FileId, FileRole),
    stem: &str,
) -> Method {
    let class = facts.class(id);
    Method {
        class: class_of(stem, facts.word(class.path)),
        n_package: stem.len() as u32,
        name: CONSTRUCTOR.to_owned(),
        kind: MethodKind::Constructor,
        origin: Origin::Compiler,
        role,
        ..at(file, facts, class.span, class.name_at)
    }
}

fn at(file: FileId, facts: &JavaScriptFacts, span: Span, name_at: u32) -> Method {
    Method {
        end_line: facts.lines.line(span.end),
        ..methods::at(file, &facts.lines, span, name_at)
    }
}

fn class_of(stem: &str, path: &str) -> String {
    match path {
        "" => stem.to_owned(),
        _ => format!("{stem}.{path}"),
    }
}

fn add_tests(project: &mut JavaScriptProject, cases: &Cases) {
    let mut of_case: FxHashMap<(FileId, u32), MethodId> = FxHashMap::default();
    for (n, decl) in project.decls.iter().enumerate() {
        if let Decl::Case(file, case) = *decl {
            of_case.insert((file, case), MethodId(n as u32));
        }
    }
    let mut tests = Vec::new();
    for (n, decl) in project.decls.iter().enumerate() {
        let Decl::Case(file, number) = *decl else {
            continue;
        };
        let facts = &project.file(file).facts;
        let case = &facts.cases[number as usize];
        if case.kind != CaseKind::Test {
            continue;
        }
        let judged = cases.runner_cases[file.0 as usize][number as usize];
        let framework = judged.and_then(|runner_case| runner_case.framework);
        let imported = framework_in(facts);
        let framework = framework.or(imported).unwrap_or(project.framework);
        let runs_todo = matches!(framework, Framework::NodeTest | Framework::QUnit);
        tests.push(Test {
            method: MethodId(n as u32),
            framework,
            fixtures: fixtures(facts, number, |case| of_case.get(&(file, case)).copied()),
            group: group_of(facts, number),
            is_skipped: case.is_skipped || case.is_todo && !runs_todo,
            is_parametrised: case.is_parametrised
                || judged.is_some_and(|runner_case| has_subtests(facts, runner_case.function)),
        });
    }
    for (n, found) in cases.nightwatch.iter().enumerate() {
        for (function, _) in found {
            if let Some(&method) = project.files[n].methods.get(function) {
                tests.push(Test {
                    method,
                    framework: Framework::Nightwatch,
                    fixtures: Vec::new(),
                    group: stem_without_affix(&project.files[n].facts.path).to_owned(),
                    is_skipped: false,
                    is_parametrised: false,
                });
            }
        }
    }
    tests.sort_by_key(|test| test.method);
    tests.dedup_by_key(|test| test.method);
    project.tests = tests;
}

/// Finds the runner that a file names otherwise than by its tests.
fn framework_in(facts: &JavaScriptFacts) -> Option<Framework> {
    let first = |specifier: &str| match specifier {
        "vitest" => Some(Framework::Vitest),
        "@jest/globals" => Some(Framework::Jest),
        "mocha" => Some(Framework::Mocha),
        "node:test" => Some(Framework::NodeTest),
        _ => None,
    };
    let imported = facts
        .imports
        .iter()
        .find_map(|import| first(facts.word(import.from)));
    imported.or_else(|| match facts.names.find("jest") {
        Some(_) => Some(Framework::Jest),
        None => facts.names.find("vi").map(|_| Framework::Vitest),
    })
}

/// Tells whether a test runs tests of its own: `t.test(…)`, `t.step(…)`.
fn has_subtests(facts: &JavaScriptFacts, function: Option<FnId>) -> bool {
    let Some(function) = function else {
        return false;
    };
    let is_context = |object: ExprId| {
        let Expr::Var(binding, _) = *facts.expr(object) else {
            return false;
        };
        let writes = &facts.binding(binding).writes;
        matches!(writes[..], [write]
            if matches!(*facts.expr(write.value), Expr::Param(of, 0) if of == function))
    };
    let (first, end) = facts.function(function).sites;
    facts.sites[first as usize..end as usize]
        .iter()
        .any(|site| {
            matches!(facts.word(site.name), "test" | "step")
                && matches!(*facts.expr(site.callee), Expr::Member(object, _) if is_context(object))
        })
}

/// Lists the hooks of the file and of all groups around a test: those that run once, then those that run each time,
/// both with the outermost group first.
fn fixtures(
    facts: &JavaScriptFacts,
    test: u32,
    method: impl Fn(u32) -> Option<MethodId>,
) -> Vec<MethodId> {
    let mut groups = vec![None];
    let mut group = facts.cases[test as usize].parent;
    let mut around = Vec::new();
    while let Some(at) = group {
        around.push(Some(at));
        group = facts.cases[at as usize].parent;
    }
    groups.extend(around.into_iter().rev());
    let mut found = Vec::new();
    for kind in [CaseKind::Before, CaseKind::BeforeEach] {
        for group in &groups {
            let hooks = facts.hooks.get(group).map_or(&[][..], Vec::as_slice);
            for &hook in hooks {
                if facts.cases[hook as usize].kind == kind {
                    found.extend(method(hook));
                }
            }
        }
    }
    found
}

fn group_of(facts: &JavaScriptFacts, test: u32) -> String {
    match facts.cases[test as usize].parent {
        Some(group) => facts.word(facts.cases[group as usize].title).to_owned(),
        None => stem_without_affix(&facts.path).to_owned(),
    }
}

/// Strips the affix that marks a test from a file's name: `pad` of `test/pad.test.js`.
fn stem_without_affix(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut stem = name.rsplit_once('.').map_or(name, |pair| pair.0);
    for end in [
        ".test", ".spec", "-test", "-spec", "_test", "_spec", ".tests", "Test", "Spec", ".e2e",
    ] {
        stem = stem
            .strip_suffix(end)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(stem);
    }
    for begin in ["test-", "test_", "test."] {
        stem = stem
            .strip_prefix(begin)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(stem);
    }
    stem
}

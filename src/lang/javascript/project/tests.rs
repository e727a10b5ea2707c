//! Decides which calls are tests, groups and hooks: calls of a runner's functions, never of the project's own (L8).

use rustc_hash::FxHashSet;

use super::config::Config;
use super::{JavaScriptFile, JavaScriptProject};
use crate::javascript::eval::Eval;
use crate::javascript::facts::{
    CaseKind, Expr, ExprId, FnId, JavaScriptFacts, MemberKind, Name, Owner, SiteId, SuiteCall,
};
use crate::javascript::value::JavaScriptValue;
use crate::model::{FileId, Framework, MethodId};
use crate::symbols::Sym;

/// A test, with what runs before it.
#[derive(Debug)]
pub struct Test {
    pub method: MethodId,
    pub framework: Framework,
    pub fixtures: Vec<MethodId>,
    /// The title of its innermost group; the file's stem where it has none.
    pub group: String,
    pub is_skipped: bool,
    pub is_parametrised: bool,
}

/// A case that a runner runs.
#[derive(Clone, Copy, Debug)]
pub struct RunnerCase {
    /// The function that the runner calls.
    pub function: Option<FnId>,
    pub framework: Option<Framework>,
}

/// The cases of every file that count, and functions of exported objects that Nightwatch runs.
#[derive(Debug, Default)]
pub struct Cases {
    pub runner_cases: Vec<Vec<Option<RunnerCase>>>,
    pub nightwatch: Vec<Vec<(FnId, Sym)>>,
}

const RUNNERS: &[(&str, Framework)] = &[
    ("vitest", Framework::Vitest),
    ("@jest/globals", Framework::Jest),
    ("jest", Framework::Jest),
    ("mocha", Framework::Mocha),
    ("jasmine", Framework::Jasmine),
    ("qunit", Framework::QUnit),
    ("qunitjs", Framework::QUnit),
    ("QUnit", Framework::QUnit),
    ("node:test", Framework::NodeTest),
    ("test", Framework::NodeTest),
    ("Deno", Framework::Deno),
    ("ava", Framework::Ava),
    ("tape", Framework::Tape),
    ("tap", Framework::Tap),
    ("@playwright/test", Framework::Playwright),
    ("nightwatch", Framework::Nightwatch),
];

/// Chooses the runner that packages depend on, for tests that name none.
pub fn framework_of(config: &Config) -> Framework {
    let known = [
        ("vitest", Framework::Vitest),
        ("jest", Framework::Jest),
        ("mocha", Framework::Mocha),
        ("jasmine", Framework::Jasmine),
        ("jasmine-core", Framework::Jasmine),
        ("qunit", Framework::QUnit),
        ("qunitjs", Framework::QUnit),
        ("nightwatch", Framework::Nightwatch),
        ("ts-jest", Framework::Jest),
        ("react-scripts", Framework::Jest),
    ];
    // The outermost package comes last.
    let packages = config.packages().iter().rev();
    let mut dependencies = packages.flat_map(|package| &package.dependencies);
    let found =
        dependencies.find_map(|dependency| known.iter().find(|known| known.0 == dependency));
    found.map_or(Framework::Unknown, |found| found.1)
}

/// Finds the cases that a runner runs, and notes their functions.
pub fn cases(project: &mut JavaScriptProject) -> Cases {
    let mut cases = Cases::default();
    for n in 0..project.files.len() {
        let file = FileId(n as u32);
        let runner_cases = runner_cases(project, file);
        let owner = |project: &JavaScriptProject, framework: Option<Framework>| {
            let word = match framework {
                Some(Framework::Ava) => "ava.assert",
                Some(Framework::Tape) => "tape.assert",
                Some(Framework::Tap) => "tap.assert",
                Some(Framework::QUnit) => "qunit.assert",
                Some(Framework::NodeTest) => "node:test.assert",
                Some(Framework::Deno) => "deno.assert",
                _ => "runner",
            };
            project.symbols.find(word).unwrap_or(project.words.empty)
        };
        let mut runs = Vec::new();
        for (case, runner_cases) in project.file(file).facts.cases.iter().zip(&runner_cases) {
            if let Some(runner_case) = runner_cases
                && let Some(function) = runner_case.function
            {
                // A test with a table is handed its rows.
                let handed = (!case.has_table).then(|| owner(project, runner_case.framework));
                runs.push((function, (case.kind, handed)));
            }
        }
        let is_nightwatch = project.framework == Framework::Nightwatch || {
            let path = &project.file(file).facts.path;
            path.contains("nightwatch")
        };
        let exported = if is_nightwatch && runner_cases.iter().all(Option::is_none) {
            nightwatch(project.file(file))
        } else {
            Vec::new()
        };
        project.files[n].case_functions = runner_cases
            .iter()
            .map(|runner_case| runner_case.and_then(|runner_case| runner_case.function))
            .collect();
        declare_helpers(&mut project.files[n], &runner_cases);
        project.files[n].runs = runs.into_iter().collect();
        cases.runner_cases.push(runner_cases);
        cases.nightwatch.push(exported);
    }
    cases
}

/// Declares functions that stand in a group under a name: they are helpers of its tests.
fn declare_helpers(file: &mut JavaScriptFile, runner_cases: &[Option<RunnerCase>]) {
    let facts = &mut file.facts;
    let mut groups: FxHashSet<FnId> = FxHashSet::default();
    let mut run: FxHashSet<FnId> = FxHashSet::default();
    for (case, runner_cases) in facts.cases.iter().zip(runner_cases) {
        let Some(function) = runner_cases.and_then(|runner_case| runner_case.function) else {
            continue;
        };
        run.insert(function);
        if case.kind == CaseKind::Group {
            groups.insert(function);
        }
    }
    for (n, function) in facts.functions.iter_mut().enumerate() {
        let is_helper = function.name != Name(0)
            && function.body.is_some()
            && function.made_by.is_none()
            && function.owner == Owner::None
            && groups.contains(&function.parent);
        if is_helper && !run.contains(&FnId(n as u32)) {
            function.is_declared = true;
        }
    }
}

fn runner_cases(project: &JavaScriptProject, file: FileId) -> Vec<Option<RunnerCase>> {
    let facts = &project.file(file).facts;
    let mut eval = Eval::new(project);
    let mut runner_cases: Vec<Option<RunnerCase>> = Vec::with_capacity(facts.cases.len());
    for case in &facts.cases {
        eval.refresh();
        let known = root(&mut eval, file, case);
        let found = known.and_then(|framework| {
            let framework = Some(framework).filter(|framework| *framework != Framework::Unknown);
            let function = function(&mut eval, file, case.function);
            // A group may be open, without a function, for all that follows it; tests and hooks have a function.
            (function.is_some() || case.kind == CaseKind::Group || is_wrapped(facts, case.function))
                .then_some(RunnerCase {
                    function,
                    framework,
                })
        });
        runner_cases.push(found);
    }
    runner_cases
}

fn is_wrapped(facts: &JavaScriptFacts, function: ExprId) -> bool {
    matches!(facts.expr(function), Expr::Call(_))
}

/// Tells which runner a root belongs to, if any.
fn root(eval: &mut Eval<'_>, file: FileId, case: &SuiteCall) -> Option<Framework> {
    let root = case.root;
    let facts = eval.facts(file);
    if let Expr::Global(name) = facts.expr(root) {
        let word = facts.word(*name);
        let named = RUNNERS.iter().find(|pair| pair.0 == word && word != "test");
        // `t.test` with an undeclared `t` is no test, and an undeclared `tap` is no runner.
        match word {
            "t" | "tap" | "tape" | "hooks" | "module" => None,
            _ => Some(named.map_or(Framework::Unknown, |named| named.1)),
        }
    } else {
        let values = eval.expr(file, root);
        let mut found = None;
        for value in &values.list {
            match *value {
                // An undeclared `test` tells no runner, as in [`runner`].
                JavaScriptValue::Outside(owner) if is_global_test(eval, file, owner) => {
                    found = Some(Framework::Unknown);
                }
                JavaScriptValue::Outside(owner)
                | JavaScriptValue::Result(_, _, Some(owner))
                | JavaScriptValue::Runner(owner) => {
                    found = Some(runner(eval.project.word(owner))?);
                }
                JavaScriptValue::Nothing => {}
                // A value of the project is no runner's.
                _ => return None,
            }
        }
        found.or_else(|| {
            // An unknown variable is most likely a runner's, unless it is a parameter.
            let is_variable = match facts.expr(root) {
                Expr::Var(binding, _) => {
                    let kind = facts.binding(*binding).kind;
                    !matches!(kind, crate::javascript::facts::BindingKind::Parameter)
                }
                _ => false,
            };
            (is_variable && !case.is_renamed).then_some(Framework::Unknown)
        })
    }
}

/// Tells whether an owner is the global `test`, and not the module of that name.
fn is_global_test(eval: &Eval<'_>, file: FileId, owner: Sym) -> bool {
    let facts = eval.facts(file);
    eval.project.word(owner) == "test"
        && !facts
            .imports
            .iter()
            .any(|import| facts.word(import.from) == "test")
}

/// Names the runner that a module or a global name stands for; nothing for any other library.
pub fn runner(owner: &str) -> Option<Framework> {
    if let Some(known) = RUNNERS.iter().find(|pair| pair.0 == owner) {
        return Some(known.1);
    }
    if matches!(
        owner,
        "global" | "globalThis" | "window" | "self" | "it" | "test" | "describe"
    ) {
        return Some(Framework::Unknown);
    }
    // `@effect/vitest`, `jest-each`, `tape-catch`.
    let mut parts = owner.split(|c: char| !c.is_alphanumeric());
    let known = parts.find_map(|part| RUNNERS.iter().find(|pair| pair.0 == part && part != "test"));
    if let Some(known) = known {
        return Some(known.1);
    }
    if owner.starts_with("bun:") || owner.contains("testing/bdd") {
        return Some(Framework::Unknown);
    }
    None
}

fn function(eval: &mut Eval<'_>, file: FileId, function: ExprId) -> Option<FnId> {
    match *eval.facts(file).expr(function) {
        Expr::Function(function) => Some(function),
        Expr::Unknown => None,
        _ => {
            let values = eval.expr(file, function);
            values
                .list
                .iter()
                .find_map(|script_value| match *script_value {
                    JavaScriptValue::Fn(there, function) if there == file => Some(function),
                    JavaScriptValue::Result(there, site, Some(_)) if there == file => {
                        macro_of(eval.facts(file), site)
                    }
                    _ => None,
                })
        }
    }
}

/// Finds the function of a macro of ava: `test.macro(f)`, `test.macro({ exec: f })`.
fn macro_of(facts: &JavaScriptFacts, site: SiteId) -> Option<FnId> {
    let site = facts.site(site);
    if facts.word(site.name) != "macro" {
        return None;
    }
    let function_in = |value: ExprId| match *facts.expr(value) {
        Expr::Function(function) => Some(function),
        _ => None,
    };
    match *facts.expr(*site.args.first()?) {
        Expr::Function(function) => Some(function),
        Expr::Object(object) => {
            let mut members = facts.object(object).members.iter();
            let run = members.find(|member| facts.word(member.name) == "exec")?;
            run.function.or_else(|| run.value.and_then(function_in))
        }
        _ => None,
    }
}

/// Lists the functions in the exported objects of a file that take a browser, hooks left out.
fn nightwatch(file: &JavaScriptFile) -> Vec<(FnId, Sym)> {
    let facts = &file.facts;
    let values = file.replaced.iter().copied();
    let exported = file
        .exports
        .values()
        .flatten()
        .filter_map(|exported_binding| match exported_binding {
            crate::javascript::facts::ExportedBinding::Value(value) => Some(*value),
            _ => None,
        });
    let mut found: Vec<(FnId, Sym)> = Vec::new();
    for value in values.chain(exported) {
        let Expr::Object(object) = *facts.expr(value) else {
            continue;
        };
        for member in &facts.object(object).members {
            let function = match (member.kind, member.function, member.value) {
                (MemberKind::Method, Some(function), _) => function,
                (MemberKind::Field, _, Some(value)) => match *facts.expr(value) {
                    Expr::Function(function) => function,
                    _ => continue,
                },
                _ => continue,
            };
            let function_facts = facts.function(function);
            let first = function_facts.params.first().and_then(|param| param.name);
            let takes_browser = first
                .is_some_and(|name| matches!(facts.word(name), "browser" | "client" | "b" | "api"));
            let word = facts.word(member.name);
            if takes_browser && !matches!(word, "before" | "after" | "beforeEach" | "afterEach") {
                found.push((function, file.sym(member.name)));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

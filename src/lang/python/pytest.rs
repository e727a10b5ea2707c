//! Finds the tests: the functions that pytest and unittest collect, and which of them they skip.

use crate::run::Run;
use rustc_hash::FxHashSet;

use super::facts::{Expr, ExprId, Literal, Name, PythonFacts, ScopeKind, Stmt};
use super::fixture::{marks_of, module_mark_list};
use super::project::{BaseClass, CollectedTest, PythonProject};
use super::resolve::Ctx;
use super::types::ScopeId;
use crate::model::{FileId, Framework, TestKind};

/// Finds all tests, in order of the functions.
pub fn tests(project: &PythonProject, ctx: Ctx<'_>) -> Vec<(ScopeId, CollectedTest)> {
    let mut found = Finder {
        project,
        ctx,
        off: project
            .files
            .iter()
            .map(|file| switched_off(&file.facts))
            .collect(),
        seen: FxHashSet::default(),
        found: Vec::new(),
    };
    for file in 0..project.files.len() as u32 {
        found.file(FileId(file));
    }
    let mut tests = found.found;
    tests.sort_by_key(|test| test.0);
    tests
}

struct Finder<'p> {
    project: &'p PythonProject,
    ctx: Ctx<'p>,
    /// By file: names at its top whose `__test__` is set to false.
    off: Vec<FxHashSet<Name>>,
    seen: FxHashSet<ScopeId>,
    found: Vec<(ScopeId, CollectedTest)>,
}

impl Finder<'_> {
    fn file(&mut self, id: FileId) {
        let project = self.project;
        let file = project.file(id);
        let path = &*file.facts.path;
        let collected = project.settings.collected(path);
        let is_file =
            collected.is_file(path) && !is_switched_off(&file.facts, file.facts.scopes[0].body);
        let is_skipped = is_module_skipped(&file.facts);
        for (local, scope) in file.facts.scopes.iter().enumerate().skip(1) {
            let id = ScopeId(file.first_scope + local as u32);
            let word = file.facts.word(scope.name);
            match scope.kind {
                ScopeKind::Function
                    if is_file
                        && scope.parent == 0
                        && collected.is_function(word)
                        && self.is_last(id)
                        && !self.is_named_off(id) =>
                {
                    self.add(id, None, Framework::Pytest, is_skipped);
                }
                ScopeKind::Class => self.class(id, is_file, is_skipped),
                _ => {}
            }
        }
    }

    /// Tells whether no later definition of the same name replaces a function.
    fn is_last(&self, function: ScopeId) -> bool {
        let name = self.project.name_of(function);
        let parent = self.project.parent(function);
        let file = self.project.file_of(function);
        let local = function.0 - file.first_scope;
        let mut bindings = self.project.bindings(parent, name);
        !bindings.any(|binding| {
            matches!(binding.what, super::facts::BindingOrigin::Define(other) if other > local && !binding.is_conditional)
        })
    }

    fn class(&mut self, class: ScopeId, is_file: bool, is_skipped: bool) {
        let project = self.project;
        let file = project.file_of(class);
        let collected = project.settings.collected(&file.facts.path);
        let is_unittest = self.is_unittest(class);
        let is_collected = if is_unittest {
            project.kind(project.parent(class)) != ScopeKind::Function
        } else {
            is_file && self.is_pytest(class)
        };
        if !is_collected || self.is_off(class) {
            return;
        }
        let order = self.ctx.order(class);
        let is_skipped = is_skipped || self.is_class_skipped(class);
        let mut names = FxHashSet::default();
        for base in &*order {
            let BaseClass::Class(at) = base else { continue };
            let table = &project.names[at.index()];
            for (name, binding) in table {
                let facts = &project.file_of(*at).facts;
                let super::facts::BindingOrigin::Define(local) =
                    facts.bindings[*binding as usize].what
                else {
                    // A test that is replaced by a value is none.
                    names.insert(*name);
                    continue;
                };
                let function = ScopeId(project.file_of(*at).first_scope + local);
                let word = project.word(*name);
                let is_test = if is_unittest {
                    word.starts_with("test")
                } else {
                    collected.is_function(word)
                };
                if !is_test
                    || project.kind(function) != ScopeKind::Function
                    || !self.is_last(function)
                    || !names.insert(*name)
                {
                    continue;
                }
                let framework = if is_unittest {
                    Framework::Unittest
                } else {
                    Framework::Pytest
                };
                self.add(function, Some(class), framework, is_skipped);
            }
        }
    }

    fn is_pytest(&self, class: ScopeId) -> bool {
        let project = self.project;
        let mut at = class;
        loop {
            let file = project.file_of(at);
            let collected = project.settings.collected(&file.facts.path);
            if project.kind(at) != ScopeKind::Class
                || !collected.is_class(project.word(project.name_of(at)))
            {
                return false;
            }
            if self.makes_itself(at) {
                return false;
            }
            let parent = project.parent(at);
            if project.kind(parent) == ScopeKind::Module {
                return true;
            }
            at = parent;
        }
    }

    /// Tells whether a class has a constructor: pytest does not collect such classes.
    fn makes_itself(&self, class: ScopeId) -> bool {
        ["__init__", "__new__"].iter().any(|word| {
            let name = self.project.find(word);
            name.is_some_and(|sym| self.ctx.class_member(class, sym).is_some())
        })
    }

    fn is_unittest(&self, class: ScopeId) -> bool {
        self.ctx.order(class).iter().any(|base| match base {
            BaseClass::Lib(path) => path.rsplit('.').next().is_some_and(|part| {
                part.ends_with("TestCase")
                    || (part == "AsyncHTTPTestCase")
                    || part.ends_with("LiveServerTestCase")
            }),
            _ => false,
        })
    }

    fn is_off(&self, class: ScopeId) -> bool {
        for base in &*self.ctx.order(class) {
            if let BaseClass::Class(at) = base {
                let facts = &self.project.file_of(*at).facts;
                if let Some(is_on) = switched(facts, self.project.scope(*at).body) {
                    return !is_on;
                }
            }
        }
        self.is_named_off(class)
    }

    /// Tells whether a statement after a class or function switches it off: `Klass.__test__ = False`.
    fn is_named_off(&self, scope: ScopeId) -> bool {
        let file = self.project.scope_files[scope.index()];
        let name = self.project.scope(scope).name;
        self.off[file.0 as usize].contains(&name)
    }

    fn is_class_skipped(&self, class: ScopeId) -> bool {
        self.ctx.order(class).iter().any(|base| match base {
            BaseClass::Class(at) => {
                let facts = &self.project.file_of(*at).facts;
                let scope = self.project.scope(*at);
                facts
                    .list(scope.decorators)
                    .iter()
                    .any(|expr_id| is_skip(facts, *expr_id))
                    || marks_of(facts, scope.body)
                        .iter()
                        .any(|expr_id| is_skip(facts, *expr_id))
            }
            _ => false,
        })
    }

    fn add(
        &mut self,
        function: ScopeId,
        class: Option<ScopeId>,
        framework: Framework,
        is_skipped: bool,
    ) {
        let decorated = self.ctx.decorated(function);
        if decorated.is_fixture || decorated.is_property || !self.seen.insert(function) {
            return;
        }
        let project = self.project;
        let facts = &project.file_of(function).facts;
        let scope = project.scope(function);
        let decorators = facts.list(scope.decorators);
        let mut is_parametrised = decorators
            .iter()
            .any(|decorator| is_parametrise(facts, *decorator));
        if let Some(class) = class {
            let scope = project.scope(class);
            let facts = &project.file_of(class).facts;
            is_parametrised |= facts
                .list(scope.decorators)
                .iter()
                .any(|expr_id| is_parametrise(facts, *expr_id));
        }
        let is_skipped = is_skipped
            || decorators
                .iter()
                .any(|decorator| is_skip(facts, *decorator))
            || begins_with_skip(facts, scope.body);
        let kind = match (framework, is_parametrised) {
            (_, true) => TestKind::ParameterizedTest,
            (Framework::Unittest, _) => TestKind::Suite,
            _ => TestKind::Test,
        };
        is_parametrised |= has_subtests(facts, scope.span);
        self.found.push((
            function,
            CollectedTest {
                framework,
                kind,
                is_skipped,
                is_parametrised,
                class,
            },
        ));
    }
}

/// Reads the value of `__test__ = …` in a body.
fn switched(facts: &PythonFacts, body: Run) -> Option<bool> {
    let is_word = |expr_id: &ExprId| matches!(facts.expr(*expr_id), Expr::Literal(Literal::Bool));
    let value = facts.given(body, "__test__").find(is_word)?;
    // `True` is one letter shorter than `False`.
    let span = facts.span(value);
    Some(span.end - span.start == 4)
}

fn is_switched_off(facts: &PythonFacts, body: Run) -> bool {
    switched(facts, body) == Some(false)
}

/// Collects the names for which `name.__test__ = False` stands at the top of a file.
fn switched_off(facts: &PythonFacts) -> FxHashSet<Name> {
    let mut off = FxHashSet::default();
    for id in facts.block(facts.scopes[0].body) {
        let Stmt::Assign { targets, value } = facts.stmt(*id) else {
            continue;
        };
        let span = facts.span(value);
        for target in facts.list(targets) {
            if let Expr::Attr { value, name } = facts.expr(*target)
                && facts.word(name) == "__test__"
                && let Expr::Name(of) = facts.expr(value)
                && span.end - span.start == 5
            {
                off.insert(of);
            }
        }
    }
    off
}

/// Tells whether a decorator skips: `@pytest.mark.skip`, `@unittest.skip("…")`, `@skip`.
fn is_skip(facts: &PythonFacts, id: ExprId) -> bool {
    let name = facts.decorator(id);
    name.is_some_and(|name| name.rsplit('.').next() == Some("skip"))
}

fn is_parametrise(facts: &PythonFacts, id: ExprId) -> bool {
    facts.decorator(id).is_some_and(|text| {
        let last = text.rsplit('.').next().unwrap_or(&text);
        matches!(
            last,
            "parametrize"
                | "parameterized"
                | "parameterized_class"
                | "named_parameters"
                | "parameters"
        ) || text.ends_with("parameterized.expand")
            || matches!(text.as_str(), "data" | "ddt.data" | "file_data")
    })
}

/// Tells whether a body skips before it does anything else.
fn begins_with_skip(facts: &PythonFacts, body: Run) -> bool {
    let mut block = facts.block(body).iter().map(|stmt_id| facts.stmt(*stmt_id));
    let first = block.find(|statement| {
        !matches!(statement, Stmt::Expr(value) if matches!(facts.expr(*value), Expr::Str(_) | Expr::Literal(_)))
    });
    match first {
        Some(Stmt::Expr(value)) => is_skip_call(facts, value),
        Some(Stmt::Raise(parts)) => facts.list(parts).iter().any(|expr_id| {
            facts
                .decorator(*expr_id)
                .is_some_and(|text| text.ends_with("SkipTest"))
        }),
        _ => false,
    }
}

fn is_skip_call(facts: &PythonFacts, value: ExprId) -> bool {
    let Expr::Call { function, .. } = facts.expr(value) else {
        return false;
    };
    let name = facts.dotted(function);
    name.is_some_and(|name| name == "pytest.skip" || name.ends_with(".skipTest"))
}

/// Tells whether a whole file is skipped, by a mark or by a call at its top level.
fn is_module_skipped(facts: &PythonFacts) -> bool {
    module_mark_list(facts)
        .iter()
        .any(|expr_id| is_skip(facts, *expr_id))
        || facts
            .block(facts.scopes[0].body)
            .iter()
            .any(|id| matches!(facts.stmt(*id), Stmt::Expr(value) if is_skip_call(facts, value)))
}

/// Tells whether `subTest` is called in a test.
fn has_subtests(facts: &PythonFacts, span: crate::model::Span) -> bool {
    let is_inside = |at: &crate::model::Span| span.contains(*at);
    facts.sub_tests.iter().any(is_inside)
}

//! Finds fixtures: the one that a parameter's name means, those that a class uses, and in which order they run before a
//! test.

use super::facts::{Expr, ExprId, FieldAssign, ParamKind, PythonFacts, ScopeKind};
use super::project::{BaseClass, Fixtures, PythonProject};
use super::resolve::{Ctx, is_set_up};
use super::types::{ScopeId, Ty, UNKNOWN};
use crate::model::{FileId, MethodId};
use crate::places::folder_of;
use crate::run::Run;
use crate::symbols::Sym;

/// How many fixtures a test may use, with those that they request.
const REQUESTS_MAX: usize = 60;

/// How long a fixture lives; the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FixtureLifetime {
    Session,
    Module,
    Class,
    Function,
}

/// Finds every fixture, and every function that sets fields of a test's class.
pub fn collect(project: &PythonProject, ctx: Ctx<'_>) -> Fixtures {
    let mut fixtures = Fixtures::default();
    for (file_idx, file) in project.files.iter().enumerate() {
        let path = &*file.facts.path;
        if path == "conftest.py" || path.ends_with("/conftest.py") {
            let folder = folder_of(path);
            fixtures
                .conftests
                .insert(folder.into(), FileId(file_idx as u32));
        }
        for (local, scope) in file.facts.scopes.iter().enumerate() {
            if scope.kind != ScopeKind::Function || scope.decorators.is_empty() {
                continue;
            }
            let id = ScopeId(file.first_scope + local as u32);
            if !ctx.decorated(id).is_fixture {
                continue;
            }
            let holder = project.parent(id);
            let name = renamed(&file.facts, scope.decorators)
                .and_then(|text| project.find(&text))
                .unwrap_or_else(|| project.name_of(id));
            fixtures.by_scope.insert((holder, name), id);
            fixtures.named.entry(name).or_default().push(id);
            if decorator_word(&file.facts, id, project, "autouse").as_deref() == Some("True") {
                fixtures.automatic.entry(holder).or_default().push(id);
            }
        }
        for FieldAssign { class, name, scope } in &file.facts.fields {
            if class.is_none() {
                let setters = fixtures
                    .class_setters
                    .entry(file.syms[name.0 as usize])
                    .or_default();
                setters.push(ScopeId(file.first_scope + scope));
            }
        }
    }
    fixtures
}

/// Reads the name in `@pytest.fixture(name="…")`.
fn renamed(facts: &PythonFacts, decorators: Run) -> Option<String> {
    let mut names = facts.decorated(decorators, "name");
    names.find_map(|expr_id| match facts.expr(expr_id) {
        Expr::Str(name) => Some(facts.word(name).to_owned()),
        _ => None,
    })
}

/// Reads an argument of a fixture's decorator, if it is a word.
fn decorator_word(
    facts: &PythonFacts,
    function: ScopeId,
    project: &PythonProject,
    name: &str,
) -> Option<String> {
    let decorators = project.scope(function).decorators;
    match facts.expr(facts.decorated(decorators, name).next()?) {
        Expr::Str(word) => Some(facts.word(word).to_owned()),
        // `True` and `False` have one kind; a decorator with `autouse` means `True`.
        Expr::Literal(_) => Some("True".to_owned()),
        _ => None,
    }
}

impl Ctx<'_> {
    /// Finds the fixture that a name means for code in a file, or in a class of it; `not` is left out, because a
    /// fixture may request another one of its own name.
    pub fn fixture(
        self,
        file: FileId,
        class: Option<ScopeId>,
        name: Sym,
        not: Option<ScopeId>,
    ) -> Option<ScopeId> {
        let project = self.project;
        let fixtures = &project.fixtures;
        fixtures.named.get(&name)?;
        let is_it = |scope_id: &ScopeId| Some(*scope_id) != not;
        if let Some(class) = class {
            for base in &*self.order(class) {
                if let BaseClass::Class(at) = base
                    && let Some(found) = fixtures.by_scope.get(&(*at, name)).copied().filter(is_it)
                {
                    return Some(found);
                }
            }
        }
        if let Some(found) = self.fixture_of_file(file, name).filter(is_it) {
            return Some(found);
        }
        let path = &*project.file(file).facts.path;
        let mut folder = folder_of(path);
        loop {
            if let Some(conftest) = fixtures.conftests.get(folder)
                && let Some(found) = self.fixture_of_file(*conftest, name).filter(is_it)
            {
                return Some(found);
            }
            if folder.is_empty() {
                break;
            }
            folder = folder_of(folder);
        }
        // A plug-in's: the only one of that name, and not another test file's own.
        let mut all = fixtures.named[&name]
            .iter()
            .filter(|scope_id| is_it(scope_id));
        let first = *all.next()?;
        let is_plugin = project.kind(project.parent(first)) == ScopeKind::Module
            && !project.tests.iter().any(|(test, _)| {
                project.scope_files[project.scope_of[test.0 as usize].index()]
                    == project.scope_files[first.index()]
            });
        (all.next().is_none() && is_plugin).then_some(first)
    }

    fn fixture_of_file(self, file: FileId, name: Sym) -> Option<ScopeId> {
        let scope = self.project.module_scope(file);
        if let Some(found) = self.project.fixtures.by_scope.get(&(scope, name)) {
            return Some(*found);
        }
        match self.global(file, name) {
            Some(Ty::Func(function)) if self.decorated(function).is_fixture => Some(function),
            _ => None,
        }
    }

    /// Finds the type of the value that a fixture gives to a test.
    pub fn fixture_ty(self, fixture: ScopeId, test_class: Option<ScopeId>) -> Ty {
        let given = super::resolve::BodyContext {
            params: Vec::new(),
            test_class,
        };
        let is_of_class = test_class.is_some()
            && !self.project.scope(fixture).params.is_empty()
            && self.asks_for_request(fixture);
        let read = |summary: &super::project::Summary| match &summary.yields {
            Some(yields) => yields.clone(),
            None => summary.returns.clone().unwrap_or(Ty::None),
        };
        let value = if is_of_class {
            self.walk(fixture, &given).map(|summary| read(&summary))
        } else {
            self.summary(fixture, read)
        };
        match value.unwrap_or(UNKNOWN) {
            Ty::Await(value) | Ty::Context(value) => (*value).clone(),
            value => value,
        }
    }

    fn asks_for_request(self, function: ScopeId) -> bool {
        let facts = &self.project.file_of(function).facts;
        let params = self.project.scope(function).params;
        let mut params = facts.params[params.range()].iter();
        params.any(|param| facts.word(param.name) == "request")
    }

    /// Lists the fixtures that the tests of a class use without naming them: by marks, or automatically.
    pub fn used_fixtures(self, class: ScopeId) -> Vec<ScopeId> {
        let project = self.project;
        let file = project.scope_files[class.index()];
        let mut names: Vec<String> = Vec::new();
        let mut used = Vec::new();
        for base in &*self.order(class) {
            if let BaseClass::Class(at) = base {
                let facts = &project.file_of(*at).facts;
                marked(facts, facts.list(project.scope(*at).decorators), &mut names);
                used.extend(project.fixtures.automatic.get(at).into_iter().flatten());
            }
        }
        for name in names {
            if let Some(name) = project.find(&name) {
                used.extend(self.fixture(file, Some(class), name, None));
            }
        }
        used.extend(self.used_by_all(file, Some(class)));
        used.extend(self.automatic_of(file));
        self.with_requests(used, file, Some(class))
    }

    /// Lists the fixtures that the marks of a file and the configuration name.
    fn used_by_all(self, file: FileId, class: Option<ScopeId>) -> Vec<ScopeId> {
        let facts = &self.project.file(file).facts;
        let mut names = Vec::new();
        module_marks(facts, &mut names);
        let collected = self.project.settings.collected(&facts.path);
        names.extend(collected.use_fixtures.iter().cloned());
        let named = names.iter().filter_map(|name| self.project.find(name));
        named
            .filter_map(|sym| self.fixture(file, class, sym, None))
            .collect()
    }

    /// Lists the automatic fixtures for every test of a file, outermost first.
    fn automatic_of(self, file: FileId) -> Vec<ScopeId> {
        let project = self.project;
        let automatic = &project.fixtures.automatic;
        let path = &*project.file(file).facts.path;
        let mut found = Vec::new();
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in std::iter::once("").chain(folders) {
            if let Some(conftest) = project.fixtures.conftests.get(folder)
                && *conftest != file
            {
                let scope = project.module_scope(*conftest);
                found.extend(automatic.get(&scope).into_iter().flatten());
            }
        }
        found.extend(
            automatic
                .get(&project.module_scope(file))
                .into_iter()
                .flatten(),
        );
        found
    }

    /// Puts before each fixture those that it requests.
    fn with_requests(
        self,
        asked: Vec<ScopeId>,
        file: FileId,
        class: Option<ScopeId>,
    ) -> Vec<ScopeId> {
        let mut found = Vec::new();
        for fixture in asked {
            self.add_requested(fixture, (file, class), &mut found, &mut Vec::new());
        }
        found
    }

    fn add_requested(
        self,
        fixture: ScopeId,
        (file, class): (FileId, Option<ScopeId>),
        found: &mut Vec<ScopeId>,
        open: &mut Vec<ScopeId>,
    ) {
        if found.contains(&fixture)
            || open.contains(&fixture)
            || found.len() + open.len() > REQUESTS_MAX
        {
            return;
        }
        open.push(fixture);
        for name in self.requested(fixture) {
            let own_file = self.project.scope_files[fixture.index()];
            let requested_fixture = self
                .fixture(file, class, name, Some(fixture))
                .or_else(|| self.fixture(own_file, class, name, Some(fixture)));
            if let Some(scope_id) = requested_fixture {
                self.add_requested(scope_id, (file, class), found, open);
            }
        }
        open.pop();
        found.push(fixture);
    }

    /// Lists the names of a function's parameters that may be fixtures.
    fn requested(self, function: ScopeId) -> Vec<Sym> {
        let file = self.project.file_of(function);
        let params = self.project.scope(function).params;
        file.facts.params[params.range()]
            .iter()
            .filter(|param| matches!(param.kind, ParamKind::Plain | ParamKind::Named))
            .filter(|param| param.default.is_none())
            .map(|param| file.syms[param.name.0 as usize])
            .collect()
    }

    /// Lists the fixtures of a test, widest scope and bases first.
    pub fn fixtures_of(self, test: ScopeId, class: Option<ScopeId>) -> Vec<MethodId> {
        let project = self.project;
        let file = project.scope_files[test.index()];
        let facts = &project.file(file).facts;
        let mut asked = if let Some(class) = class {
            self.used_fixtures(class)
        } else {
            let mut used = self.automatic_of(file);
            used.extend(self.used_by_all(file, None));
            used
        };
        let mut names = Vec::new();
        marked(
            facts,
            facts.list(project.scope(test).decorators),
            &mut names,
        );
        let marked = names.iter().filter_map(|name| project.find(name));
        let wanted: Vec<Sym> = marked.chain(self.requested(test)).collect();
        asked.extend(
            wanted
                .into_iter()
                .filter_map(|sym| self.fixture(file, class, sym, None)),
        );
        let mut found: Vec<(FixtureLifetime, ScopeId)> = self
            .with_requests(asked, file, class)
            .into_iter()
            .map(|scope_id| (self.life(scope_id), scope_id))
            .collect();
        found.extend(self.set_ups(file, class));
        found.sort_by_key(|pair| pair.0);
        let mut methods = Vec::new();
        for (_, scope) in found {
            if let Some(method) = project
                .method(scope)
                .filter(|method_id| !methods.contains(method_id))
            {
                methods.push(method);
            }
        }
        methods
    }

    fn life(self, fixture: ScopeId) -> FixtureLifetime {
        let facts = &self.project.file_of(fixture).facts;
        match decorator_word(facts, fixture, self.project, "scope").as_deref() {
            Some("session") => FixtureLifetime::Session,
            Some("module" | "package") => FixtureLifetime::Module,
            Some("class") => FixtureLifetime::Class,
            _ => FixtureLifetime::Function,
        }
    }

    /// Lists the methods and functions that run before tests because of their names.
    fn set_ups(self, file: FileId, class: Option<ScopeId>) -> Vec<(FixtureLifetime, ScopeId)> {
        let project = self.project;
        let mut found = Vec::new();
        let mut functions = vec![
            (FixtureLifetime::Module, "setUpModule"),
            (FixtureLifetime::Module, "setup_module"),
        ];
        if class.is_none() {
            functions.push((FixtureLifetime::Function, "setup_function"));
        }
        for (life, word) in functions {
            if let Some(name) = project.find(word)
                && let Some(Ty::Func(scope_id)) = self.global(file, name)
            {
                found.push((life, scope_id));
            }
        }
        let Some(class) = class else { return found };
        let order = self.order(class);
        for base in order.iter().rev() {
            let BaseClass::Class(at) = base else { continue };
            let names = &project.names[at.index()];
            let mut last = None;
            for (name, _) in names {
                let word = project.word(*name);
                if last == Some(*name) || !is_set_up(word) {
                    continue;
                }
                last = Some(*name);
                let life = match word {
                    "setUpClass" | "setup_class" | "setUpTestData" => FixtureLifetime::Class,
                    _ => FixtureLifetime::Function,
                };
                if let Some(Ty::Func(scope_id)) = self.bound(*at, *name) {
                    found.push((life, scope_id));
                }
            }
        }
        found
    }
}

/// Adds the names in `@pytest.mark.usefixtures(…)`.
fn marked(facts: &PythonFacts, decorators: &[ExprId], names: &mut Vec<String>) {
    for id in decorators {
        let Expr::Call { function, args } = facts.expr(*id) else {
            continue;
        };
        if !facts
            .dotted(function)
            .is_some_and(|text| text.ends_with("usefixtures"))
        {
            continue;
        }
        for arg in &facts.args[args.range()] {
            if let Expr::Str(name) = facts.expr(arg.value) {
                names.push(facts.word(name).to_owned());
            }
        }
    }
}

fn module_marks(facts: &PythonFacts, names: &mut Vec<String>) {
    for id in module_mark_list(facts) {
        marked(facts, &[id], names);
    }
}

/// Lists the marks in `pytestmark = …` at the top of a file.
pub fn module_mark_list(facts: &PythonFacts) -> Vec<ExprId> {
    marks_of(facts, facts.scopes[0].body)
}

/// Lists the marks in `pytestmark = …` in a body.
pub fn marks_of(facts: &PythonFacts, body: Run) -> Vec<ExprId> {
    let mut found = Vec::new();
    for value in facts.given(body, "pytestmark") {
        match facts.expr(value) {
            Expr::Display(_, run) => found.extend_from_slice(facts.list(run)),
            _ => found.push(value),
        }
    }
    found
}

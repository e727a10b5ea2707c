//! Finds calls that look like tests, groups of tests and hooks (L8, L26). Whether the runner's function is meant is
//! decided when the project is known.

use smallvec::SmallVec;

use super::kind::{Field, Kind};
use super::lower::JavaScriptLowering;
use super::node::Node;
use super::{BindingId, Expr, ExprId, MemberKind, Name, Primitive, SiteId};
use crate::model::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    Test,
    Group,
    /// A hook that runs once before the tests of its group, or before each.
    Before,
    BeforeEach,
    /// A hook that runs after the tests: no fixture, but it shares their `this`.
    After,
}

/// A call that looks like a test, a group or a hook.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of it"
)]
pub struct SuiteCall {
    pub kind: CaseKind,
    pub span: Span,
    /// Where its root begins: `it` of `it.each(…)(…)`.
    pub at: u32,
    /// The root of the chain: a name, or the object of `QUnit.test`.
    pub root: ExprId,
    /// Whether its root has another name than in the runner: then it counts only if the root is known to be the
    /// runner's.
    pub is_renamed: bool,
    pub title: Name,
    pub function: ExprId,
    pub is_skipped: bool,
    /// Whether it is still to be done: some runners leave it out, others run it.
    pub is_todo: bool,
    /// Whether it is run for each row of a table, which its function is given.
    pub has_table: bool,
    /// Whether it is run for each row of its own table or of its group's, or made in a loop.
    pub is_parametrised: bool,
    /// The innermost group around it.
    pub parent: Option<u32>,
}

/// A chain of names, root first, and whether it has a call in it.
struct Chain {
    root: ExprId,
    words: SmallVec<[Name; 4]>,
    has_table: bool,
}

const TESTS: &[&str] = &[
    "it", "test", "specify", "fit", "xit", "xtest", "ftest", "xspecify", "fspecify", "iit",
];
const GROUPS: &[&str] = &[
    "describe",
    "context",
    "suite",
    "fdescribe",
    "xdescribe",
    "xcontext",
    "fcontext",
    "ddescribe",
    "xsuite",
];
const LINKS: &[&str] = &[
    "only",
    "skip",
    "each",
    "concurrent",
    "failing",
    "fails",
    "fail",
    "sequential",
    "shuffle",
    "todo",
    "for",
    "runIf",
    "skipIf",
    "serial",
    "parallel",
    "fixme",
    "slow",
    "cb",
    "ignore",
    "options",
    "if",
    "todoIf",
    "always",
    "retry",
    "retries",
    "timeout",
    "skipOn",
    "onlyOn",
    "extend",
];

/// How many hooks of one group are kept; generated tests may have any number.
const HOOKS_MAX: usize = 50;

impl<'t> JavaScriptLowering<'t> {
    /// Notes a call that looks like a runner's.
    pub fn case(&mut self, id: SiteId, node: Node<'t>) {
        let callee = self.facts.site(id).callee;
        let Some(chain) = self.words(callee) else {
            return;
        };
        let Some(modifiers) = self.modifiers_of(&chain) else {
            return;
        };
        let Some((title, function)) = self.title_and_function(id, node, modifiers.kind) else {
            return;
        };
        let span = self.facts.site(id).span;
        let has_table = modifiers.is_each && chain.has_table;
        self.facts.cases.push(SuiteCall {
            kind: modifiers.kind,
            span,
            at: span.start,
            root: chain.root,
            is_renamed: self.aliases.contains_key(&chain.words[0]),
            title,
            function,
            is_skipped: modifiers.is_skipped || self.has_skip(id),
            is_todo: modifiers.is_todo,
            has_table,
            is_parametrised: has_table || self.n_loops > 0,
            parent: None,
        });
    }

    /// Reads a chain by the names that its root has in the runner.
    fn modifiers_of(&self, chain: &Chain) -> Option<SuiteModifiers> {
        let (&root, links) = chain.words.split_first()?;
        let words: SmallVec<[&str; 4]> = match self.aliases.get(&root) {
            Some(alias) => alias
                .iter()
                .chain(links)
                .map(|name| self.facts.word(*name))
                .collect(),
            None => chain
                .words
                .iter()
                .map(|word| self.facts.word(*word))
                .collect(),
        };
        modifiers_in(&words).or_else(|| {
            // `vt.it(…)`, `test.suite(…)`.
            let is_module = self.runner_modules.contains(&root);
            is_module.then(|| modifiers_in(&words[1..]))?
        })
    }

    /// Tells whether the options of a call leave it out for good: `{ skip: true }`, `{ skip: "why" }`.
    fn has_skip(&self, id: SiteId) -> bool {
        let mut objects =
            self.facts
                .site(id)
                .args
                .iter()
                .filter_map(|arg| match *self.facts.expr(*arg) {
                    Expr::Object(object) => Some(self.facts.object(object)),
                    _ => None,
                });
        objects.any(|object| {
            object.members.iter().any(|member| {
                matches!(self.facts.word(member.name), "skip" | "ignore")
                    && member.value.is_some_and(|expr_id| self.is_true(expr_id))
            })
        })
    }

    /// Tells whether a literal counts as true.
    fn is_true(&self, value: ExprId) -> bool {
        match *self.facts.expr(value) {
            Expr::Text(text) => !self.facts.word(text).is_empty(),
            Expr::Primitive(Primitive::Boolean) => {
                let start = self.facts.starts[value.index()] as usize;
                self.text[start..].starts_with("true")
            }
            _ => false,
        }
    }

    /// Takes `a.b.c(…)` apart into its names, root first.
    fn words(&self, callee: ExprId) -> Option<Chain> {
        let mut words = SmallVec::new();
        let mut has_table = false;
        let mut at = callee;
        for _ in 0..8 {
            match *self.facts.expr(at) {
                Expr::Member(object, name) => {
                    words.push(name);
                    at = object;
                }
                Expr::Call(site) => {
                    has_table = true;
                    at = self.facts.site(site).callee;
                }
                Expr::Var(BindingId(name), _) => {
                    words.push(Name(name));
                    words.reverse();
                    return Some(Chain {
                        root: at,
                        words,
                        has_table,
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// Finds the title and the function among the arguments of a call.
    fn title_and_function(
        &mut self,
        id: SiteId,
        node: Node<'t>,
        kind: CaseKind,
    ) -> Option<(Name, ExprId)> {
        let values: Vec<ExprId> = self.facts.site(id).args.to_vec();
        let arguments = self.kid(node, Field::arguments)?;
        let kids = self.kids(arguments.node);
        if kids.len() != values.len() {
            return None;
        }
        let is_test = !matches!(
            kind,
            CaseKind::Before | CaseKind::BeforeEach | CaseKind::After
        );
        let function_of = |lower: &Self, from: usize| {
            (from..values.len()).find_map(|at| lower.function_in(values[at], 0))
        };
        if !is_test {
            let function = function_of(self, 0)?;
            let name = self.facts.site(id).name;
            return Some((name, function));
        }
        let first = *kids.first()?;
        // `Deno.test({ name: "…", fn() {} })`, `Deno.test(function adds() {})`.
        if kids.len() == 1 {
            return self.single(values[0], kind);
        }
        if first.kind.is_function() {
            return self.single(values[0], kind);
        }
        let title = match first.kind {
            Kind::String => self.literal(first)?,
            Kind::Template => self.template_title(first.node),
            _ => self.intern("<expr>"),
        };
        let function = function_of(self, 1).or_else(|| {
            match (kind, self.facts.expr(values[0])) {
                // A module of QUnit may have no function; its tests follow.
                (CaseKind::Group, _) => Some(ExprId(0)),
                // `test(macro, 1)`: the macro gives the title.
                (CaseKind::Test, Expr::Var(..)) => Some(values[0]),
                _ => None,
            }
        })?;
        Some((title, function))
    }

    fn single(&mut self, value: ExprId, kind: CaseKind) -> Option<(Name, ExprId)> {
        match *self.facts.expr(value) {
            Expr::Function(function) => {
                let name = self.facts.function(function).name;
                (name != Name(0)).then_some((name, value))
            }
            Expr::Object(object) => {
                let members = &self.facts.object(object).members;
                let title = members
                    .iter()
                    .find(|member| self.facts.word(member.name) == "name")?;
                let title = match *self.facts.expr(title.value?) {
                    Expr::Text(text) => Some(text),
                    _ => None,
                };
                let run = members
                    .iter()
                    .find(|member| self.facts.word(member.name) == "fn")?;
                let function = match (run.kind, run.function, run.value) {
                    (MemberKind::Method, Some(function), _) => {
                        self.add_expr(Expr::Function(function), run.name_at)
                    }
                    (.., value) => value?,
                };
                let title = title.unwrap_or_else(|| self.intern("<expr>"));
                Some((title, function))
            }
            Expr::Text(title) => Some((title, ExprId(0))),
            Expr::Var(..) if kind == CaseKind::Test => Some((self.intern("<expr>"), value)),
            _ => None,
        }
    }

    /// Finds the function in an argument: the argument itself, or one given to a wrapper: `fakeAsync(() => {…})`.
    fn function_in(&self, value: ExprId, depth: u32) -> Option<ExprId> {
        match self.facts.expr(value) {
            Expr::Function(_) => Some(value),
            Expr::Var(..) | Expr::Member(..) if depth == 0 => Some(value),
            Expr::Call(site) if self.facts.word(self.facts.site(*site).name) == "macro" => {
                Some(value)
            }
            Expr::Call(site) if depth < 3 => {
                let args = &self.facts.site(*site).args;
                args.iter().find_map(|arg| match self.facts.expr(*arg) {
                    Expr::Function(_) => Some(*arg),
                    Expr::Call(_) => self.function_in(*arg, depth + 1),
                    Expr::Array(items) => {
                        let is_function = |expr_id: &&ExprId| {
                            matches!(self.facts.expr(**expr_id), Expr::Function(_))
                        };
                        items.iter().find(is_function).copied()
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// Writes a template's text with `${}` for each computed part.
    fn template_title(&mut self, node: Node<'t>) -> Name {
        let mut title = String::new();
        let mut at = node.start_byte() + 1;
        for kid in self.kids(node) {
            if kid.kind == Kind::TemplateSubstitution {
                title.push_str(self.text.get(at..kid.node.start_byte()).unwrap_or_default());
                title.push_str("${}");
                at = kid.node.end_byte();
            }
        }
        let end = node.end_byte().saturating_sub(1);
        title.push_str(self.text.get(at..end).unwrap_or_default());
        let title = super::expressions::unescaped(&title).into_owned();
        self.intern(&title)
    }

    /// Finds the group around each case; a module of `QUnit` without a function holds what follows it.
    pub fn settle_cases(&mut self) {
        let mut cases = std::mem::take(&mut self.facts.cases);
        cases.sort_by_key(|case| (case.span.start, std::cmp::Reverse(case.span.end)));
        let mut open: Vec<u32> = Vec::new();
        let mut following: Option<u32> = None;
        for at in 0..cases.len() {
            let span = cases[at].span;
            while open
                .last()
                .is_some_and(|&n| cases[n as usize].span.end <= span.start)
            {
                open.pop();
            }
            cases[at].parent = open.last().copied().or(following);
            if cases[at].kind == CaseKind::Group {
                let is_open = cases[at].function == ExprId(0);
                if is_open && open.is_empty() {
                    cases[at].parent = None;
                    following = Some(at as u32);
                } else {
                    open.push(at as u32);
                }
            }
        }
        for (at, case) in cases.iter().enumerate() {
            if matches!(case.kind, CaseKind::Before | CaseKind::BeforeEach) && !case.is_skipped {
                let hooks = self.facts.hooks.entry(case.parent).or_default();
                // A test does not wait for thousands of hooks.
                if hooks.len() < HOOKS_MAX {
                    hooks.push(at as u32);
                }
            }
        }
        for at in 0..cases.len() {
            if let Some(parent) = cases[at].parent.map(|parent| parent as usize) {
                cases[at].is_skipped |= cases[parent].is_skipped;
                cases[at].is_todo |= cases[parent].is_todo;
                cases[at].is_parametrised |= cases[parent].is_parametrised;
            }
        }
        self.facts.cases = cases;
    }
}

/// The kind of a call, and its modifiers, from a chain of names.
struct SuiteModifiers {
    kind: CaseKind,
    is_skipped: bool,
    is_todo: bool,
    /// Whether a table follows.
    is_each: bool,
}

impl SuiteModifiers {
    const fn plain(kind: CaseKind) -> Self {
        Self {
            kind,
            is_skipped: false,
            is_todo: false,
            is_each: false,
        }
    }
}

/// Tells whether a name is one of a runner's functions.
pub fn is_runner_word(word: &str) -> bool {
    TESTS.contains(&word) || GROUPS.contains(&word) || is_hook(word)
}

/// Tells whether a chain of names skips its test or group.
pub fn is_left_out<'w>(mut words: impl Iterator<Item = &'w str>) -> bool {
    words.any(|word| matches!(word, "skip" | "fixme" | "ignore") || word.starts_with('x'))
}

/// Reads a chain of names; nothing where it is no runner's.
fn modifiers_in(words: &[&str]) -> Option<SuiteModifiers> {
    let (root, rest) = words.split_first()?;
    // `QUnit.test`, `Deno.test`, `t.test` of tap, `test.describe` of playwright.
    let (word, links) = match (*root, rest) {
        ("QUnit" | "Deno" | "tap" | "t" | "tape", [word, links @ ..])
        | ("test", [word @ "describe", links @ ..]) => (*word, links),
        ("test" | "it" | "hooks" | "QUnit.hooks", [word, links @ ..]) if is_hook(word) => {
            (*word, links)
        }
        ("hooks" | "jest" | "vi", _) => return None,
        (root, links) => (root, links),
    };
    // `import { module } from "qunit"`.
    let word = match (word, *root) {
        ("module", "module") => "suite",
        (word, _) => word,
    };
    let is_namespace = matches!(*root, "QUnit" | "Deno" | "tap" | "t" | "tape");
    let kind = match word {
        "module" if *root == "QUnit" => CaseKind::Group,
        "hooks" if *root == "QUnit" => return hook(rest.get(1)?).map(SuiteModifiers::plain),
        "skip" | "only" | "todo" if is_namespace && *root == "QUnit" => CaseKind::Test,
        word if is_namespace
            && *root != "QUnit"
            && !matches!(
                word,
                "test" | "before" | "beforeEach" | "after" | "afterEach"
            ) =>
        {
            return None;
        }
        word if TESTS.contains(&word) => CaseKind::Test,
        word if GROUPS.contains(&word) => CaseKind::Group,
        word => hook(word)?,
    };
    if !links.iter().all(|link| LINKS.contains(link)) {
        return None;
    }
    let chain = || std::iter::once(&word).chain(links).copied();
    Some(SuiteModifiers {
        kind,
        is_skipped: is_left_out(chain()),
        is_todo: chain().any(|text| text == "todo"),
        is_each: links.iter().any(|link| matches!(*link, "each" | "for")),
    })
}

fn is_hook(word: &str) -> bool {
    hook(word).is_some()
}

fn hook(word: &str) -> Option<CaseKind> {
    Some(match word {
        "before" | "beforeAll" | "suiteSetup" => CaseKind::Before,
        "beforeEach" | "setup" => CaseKind::BeforeEach,
        "after" | "afterAll" | "afterEach" | "teardown" | "suiteTeardown" => CaseKind::After,
        _ => return None,
    })
}

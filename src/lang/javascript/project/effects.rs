//! Collects the effects of code on objects: assignments to members, and their like.

mod copies;
mod helpers;

use rustc_hash::FxHashMap;

use super::roles::is_test_path;
use super::{AssignedValue, JavaScriptFile, JavaScriptProject, MemberAssignment};
use crate::javascript::eval::{Eval, maker_of};
use crate::javascript::facts::{
    CaseKind, Expr, ExprId, FnId, MemberKey, MemberKind, SiteId, SiteKind,
};
use crate::javascript::value::{JavaScriptValue, ValueSet};
use crate::model::FileId;
use crate::symbols::Sym;

/// How often the members of objects are computed anew, because one assignment needs another: `a.b.c = f`.
const PASSES: u32 = 3;

/// How many values are kept for one member, and how many families for one object.
const HELD_MAX: usize = 16;

/// Where a helper's effect takes its parts from.
#[derive(Clone, Copy, Debug)]
enum EffectPart {
    /// The n-th argument, and whether its prototype is meant.
    Argument(u16, bool),
    This(bool),
    Name(Sym),
    Value(ExprId),
    /// A computed name, such as one that a callback gets for each element or key.
    Computed,
}

/// The effect of a function on its arguments or its `this`: `function defineGetter(o, name, f) {…}`.
#[derive(Clone, Copy, Debug)]
struct HelperEffect {
    target: EffectPart,
    key: EffectPart,
    value: EffectPart,
    is_getter: bool,
}

/// One assignment, wherever it comes from.
#[derive(Clone, Copy)]
struct EffectAssignment {
    target: ExprId,
    is_prototype: bool,
    key: MemberKey,
    value: ExprId,
    /// The method that a descriptor has in the place of a value.
    method: Option<FnId>,
    is_getter: bool,
}

impl EffectAssignment {
    const fn new(target: ExprId, key: MemberKey, value: ExprId) -> Self {
        Self {
            target,
            is_prototype: false,
            key,
            value,
            method: None,
            is_getter: false,
        }
    }
}

#[derive(Default)]
struct EffectTables {
    members: FxHashMap<(JavaScriptValue, Sym), Vec<MemberAssignment>>,
    computed_members: FxHashMap<JavaScriptValue, Vec<MemberAssignment>>,
    parents: FxHashMap<JavaScriptValue, Vec<JavaScriptValue>>,
    literal_holders: FxHashMap<(FileId, crate::javascript::facts::ObjId), Vec<JavaScriptValue>>,
    extend_sites: rustc_hash::FxHashSet<(FileId, SiteId)>,
}

impl EffectTables {
    fn hold(&mut self, holder: JavaScriptValue, sym: Sym, held: MemberAssignment) {
        let all = self.members.entry((holder, sym)).or_default();
        if all.len() < HELD_MAX && !all.contains(&held) {
            all.push(held);
        }
    }

    /// Tells whether a project has these tables already: then no further pass finds others.
    fn are_of(&self, project: &JavaScriptProject) -> bool {
        self.members == project.members
            && self.computed_members == project.computed_members
            && self.parents == project.parents
            && self.literal_holders == project.literal_holders
            && self.extend_sites == project.extend_sites
    }

    fn parent(&mut self, child: JavaScriptValue, parent: JavaScriptValue) {
        let all = self.parents.entry(child).or_default();
        if child != parent && all.len() < HELD_MAX && !all.contains(&parent) {
            all.push(parent);
        }
    }
}

/// Fills the tables of members.
pub fn fill(project: &mut JavaScriptProject) {
    replace_exports(project);
    let is_effect_site: Vec<Vec<bool>> = project.files.iter().map(effect_sites).collect();
    for _ in 0..PASSES {
        let mut tables = EffectTables::default();
        let helpers = helpers(project, &is_effect_site);
        for (n, is_effect_site) in is_effect_site.iter().enumerate() {
            let file = FileId(n as u32);
            let mut eval = Eval::new(project);
            let mut fill = EffectWalk {
                eval: &mut eval,
                tables: &mut tables,
                helpers: &helpers,
                is_effect_site,
                file,
                is_test: is_test_file(project.file(file)),
            };
            fill.effects();
            fill.sites();
        }
        let is_settled = tables.are_of(project);
        project.members = tables.members;
        project.computed_members = tables.computed_members;
        project.parents = tables.parents;
        project.literal_holders = tables.literal_holders;
        project.extend_sites = tables.extend_sites;
        if is_settled {
            break;
        }
    }
    declare(project);
}

/// Declares functions that members were given, such as in `addMethod(Assertion.prototype, "equal", function …)`.
fn declare(project: &mut JavaScriptProject) {
    let mut found: Vec<(FileId, FnId, Sym)> = Vec::new();
    let mut keys: Vec<_> = project.members.keys().copied().collect();
    keys.sort_unstable();
    for key in keys {
        for held in &project.members[&key] {
            let function = match held.value {
                AssignedValue::Getter(function) => Some(function),
                AssignedValue::Expr(value) => match *project.file(held.file).facts.expr(value) {
                    Expr::Function(function) => Some(function),
                    _ => None,
                },
                AssignedValue::Value(_) => None,
            };
            found.extend(function.map(|fn_id| (held.file, fn_id, key.1)));
        }
    }
    for (file, function, sym) in found {
        let word = project.symbols.get(sym).to_string();
        let facts = &mut project.files[file.0 as usize].facts;
        let name = facts.names.find(&word);
        let function = &mut facts.functions[function.index()];
        if let (Some(name), false) = (name, function.is_declared) {
            function.is_declared = true;
            function.name = name;
        }
    }
}

/// Finds the values that are given to `module.exports`.
fn replace_exports(project: &mut JavaScriptProject) {
    let words = project.words;
    for file in &mut project.files {
        let mut replaced = Vec::new();
        for effect in &file.facts.effects {
            if let (MemberKey::Named(key), Expr::Global(target)) =
                (effect.key, file.facts.expr(effect.target))
                && file.sym(*target) == words.module
                && file.sym(key) == words.exports
            {
                replaced.push(effect.value);
            }
        }
        file.replaced = replaced;
    }
}

/// Finds functions that assign to members of their arguments.
fn helpers(
    project: &JavaScriptProject,
    is_effect_site: &[Vec<bool>],
) -> FxHashMap<(FileId, FnId), Vec<HelperEffect>> {
    let mut helpers: FxHashMap<(FileId, FnId), Vec<HelperEffect>> = FxHashMap::default();
    for (n, is_effect_site) in is_effect_site.iter().enumerate() {
        let file = FileId(n as u32);
        let mut eval = Eval::new(project);
        let mut tables = EffectTables::default();
        let none = FxHashMap::default();
        let mut fill = EffectWalk {
            eval: &mut eval,
            tables: &mut tables,
            helpers: &none,
            is_effect_site,
            file,
            is_test: false,
        };
        let mut assignments: Vec<EffectAssignment> = Vec::new();
        for effect in &project.file(file).facts.effects {
            assignments.push(EffectAssignment::new(
                effect.target,
                effect.key,
                effect.value,
            ));
        }
        for at in 0..project.file(file).facts.sites.len() {
            let id = SiteId(at as u32);
            if fill.acts(id) {
                assignments.extend(fill.defined(id));
            }
        }
        for assignment in assignments {
            if let Some((function, helper)) = fill.helper(assignment) {
                let all = helpers.entry((file, function)).or_default();
                if all.len() < HELD_MAX {
                    all.push(helper);
                }
            }
        }
    }
    helpers
}

/// Tells for each site whether it calls, by its name, a function that defines or copies members. Few do.
fn effect_sites(file: &JavaScriptFile) -> Vec<bool> {
    let facts = &file.facts;
    let acts = |word: &str| is_defining(word) || copies::is_copying(word);
    (facts.sites.iter())
        .map(|site| acts(facts.word(site.name)))
        .collect()
}

fn is_defining(word: &str) -> bool {
    matches!(word, "defineProperty" | "defineProperties")
}

/// Tells whether a file belongs to tests, as far as that is known before tests are found.
pub fn is_test_file(file: &JavaScriptFile) -> bool {
    let mut cases = file.facts.cases.iter();
    cases.any(|case| case.kind == CaseKind::Test && !case.is_renamed)
        || is_test_path(&file.facts.path)
}

struct EffectWalk<'e, 'p> {
    eval: &'e mut Eval<'p>,
    tables: &'e mut EffectTables,
    helpers: &'e FxHashMap<(FileId, FnId), Vec<HelperEffect>>,
    /// By site: whether its name is one of the functions that define or copy members.
    is_effect_site: &'e [bool],
    file: FileId,
    is_test: bool,
}

impl EffectWalk<'_, '_> {
    fn effects(&mut self) {
        let facts = self.eval.facts(self.file);
        for effect in &facts.effects {
            self.eval.refresh();
            let assignment = EffectAssignment::new(effect.target, effect.key, effect.value);
            self.apply_assignment(assignment);
        }
    }

    fn apply_assignment(&mut self, assignment: EffectAssignment) {
        let file = self.file;
        let words = self.eval.project.words;
        let facts = self.eval.facts(file);
        if let Expr::Global(name) = *facts.expr(assignment.target) {
            let sym = self.eval.file(file).sym(name);
            if sym == words.module {
                return;
            }
        }
        let targets = self.eval.expr(file, assignment.target);
        let value = self.member_assignment(assignment);
        match assignment.key {
            MemberKey::Named(name) => {
                let sym = self.eval.file(file).sym(name);
                self.put_into(&targets, sym, value, assignment.is_prototype);
            }
            MemberKey::Computed(key) => {
                let keys = self.eval.expr(file, key);
                let keys = self.eval.concrete(&keys);
                let mut is_named = false;
                for key in &keys.list {
                    if let JavaScriptValue::Text(sym) = *key {
                        is_named = true;
                        self.put_into(&targets, sym, value, assignment.is_prototype);
                    }
                }
                if !is_named && self.is_function(value) {
                    for target in self.holders(&targets, assignment.is_prototype) {
                        let all = self.tables.computed_members.entry(target).or_default();
                        if all.len() < HELD_MAX && !all.contains(&value) {
                            all.push(value);
                        }
                    }
                }
            }
        }
    }

    fn member_assignment(&self, assignment: EffectAssignment) -> MemberAssignment {
        let value = self.eval.facts(self.file).expr(assignment.value);
        let value = match (assignment.is_getter, assignment.method, value) {
            (true, Some(function), _) => AssignedValue::Getter(function),
            (false, Some(function), _) => {
                AssignedValue::Value(JavaScriptValue::Fn(self.file, function))
            }
            (true, None, Expr::Function(function)) => AssignedValue::Getter(*function),
            _ => AssignedValue::Expr(assignment.value),
        };
        MemberAssignment {
            file: self.file,
            value,
        }
    }

    fn is_function(&mut self, held: MemberAssignment) -> bool {
        match held.value {
            AssignedValue::Expr(value) => {
                let values = self.eval.expr(held.file, value);
                values.list.iter().any(JavaScriptValue::may_be_function)
            }
            _ => true,
        }
    }

    fn put_into(
        &mut self,
        targets: &ValueSet,
        sym: Sym,
        value: MemberAssignment,
        is_prototype: bool,
    ) {
        let words = self.eval.project.words;
        for target in self.holders(targets, is_prototype) {
            if sym == words.proto
                && let AssignedValue::Expr(id) = value.value
            {
                for parent in self.eval.expr(value.file, id).list {
                    self.tables.parent(target, parent);
                }
                continue;
            }
            if sym == words.prototype {
                self.give_prototype(target, value);
            }
            self.tables.hold(target, sym, value);
        }
    }

    /// Notes `A.prototype = B`; functions in a literal `B` see instances of `A`.
    fn give_prototype(&mut self, target: JavaScriptValue, value: MemberAssignment) {
        let (Some(maker), AssignedValue::Expr(id)) = (maker_of(target), value.value) else {
            return;
        };
        if let Expr::Object(object) = *self.eval.facts(value.file).expr(id) {
            let all = self
                .tables
                .literal_holders
                .entry((value.file, object))
                .or_default();
            all.push(JavaScriptValue::Instance(maker));
        }
        for parent in self.eval.expr(value.file, id).list {
            self.tables.parent(JavaScriptValue::Proto(maker), parent);
        }
    }

    /// Lists the objects that an assignment's target may be.
    fn holders(&mut self, targets: &ValueSet, is_prototype: bool) -> Vec<JavaScriptValue> {
        let mut holders = Vec::new();
        for &target in &targets.list {
            match target {
                JavaScriptValue::This(file, function) => {
                    holders.extend(self.eval.holder_of_this(file, function).list);
                }
                JavaScriptValue::New(file, function) => {
                    holders.extend(self.eval.made_by_this(file, function));
                }
                JavaScriptValue::Fn(..)
                | JavaScriptValue::Class(..)
                | JavaScriptValue::Instance(_)
                | JavaScriptValue::Proto(_)
                | JavaScriptValue::Object(..)
                | JavaScriptValue::Module(_)
                | JavaScriptValue::Context(_)
                | JavaScriptValue::Result(..)
                | JavaScriptValue::Made(..) => holders.push(target),
                JavaScriptValue::Param(..) => {
                    let given = self.eval.concrete(&ValueSet::one(target));
                    holders.extend(given.list.into_iter().filter(|value| {
                        !matches!(
                            value,
                            JavaScriptValue::Param(..)
                                | JavaScriptValue::Outside(_)
                                | JavaScriptValue::This(..)
                        )
                    }));
                }
                JavaScriptValue::Runner(_) => holders.push(JavaScriptValue::Context(self.file)),
                _ => {}
            }
        }
        if self.is_test {
            // A member that a test gives to main code is no part of it: most likely it is a stub.
            let project = self.eval.project;
            holders.retain(|holder| {
                holder.home().is_none_or(|file_id| {
                    file_id == self.file || is_test_file(project.file(file_id))
                })
            });
        }
        if is_prototype {
            let prototypes = holders
                .iter()
                .filter_map(|holder| maker_of(*holder).map(JavaScriptValue::Proto));
            holders = prototypes.collect();
        }
        holders.truncate(HELD_MAX);
        holders
    }

    fn acts(&self, id: SiteId) -> bool {
        self.is_effect_site[id.0 as usize]
    }

    fn sites(&mut self) {
        let n_sites = self.eval.facts(self.file).sites.len();
        for at in 0..n_sites {
            let id = SiteId(at as u32);
            if self.eval.site(self.file, id).kind != SiteKind::Call {
                continue;
            }
            self.eval.refresh();
            if self.acts(id) {
                for assignment in self.defined(id) {
                    self.apply_assignment(assignment);
                }
                self.copied(id);
            }
            self.helped(id);
        }
    }

    /// Lists assignments: `Object.defineProperty(o, "name", { get() {…} })` and `Object.defineProperties(o, {…})`.
    fn defined(&mut self, id: SiteId) -> Vec<EffectAssignment> {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let word = facts.word(site.name);
        match (word, &site.args[..]) {
            ("defineProperty", &[target, key, descriptor, ..]) => {
                let key = match *facts.expr(key) {
                    Expr::Text(name) => MemberKey::Named(name),
                    _ => MemberKey::Computed(key),
                };
                let assignment = self
                    .described(descriptor)
                    .map(|(value, method, is_getter)| EffectAssignment {
                        method,
                        is_getter,
                        ..EffectAssignment::new(target, key, value)
                    });
                assignment.into_iter().collect()
            }
            ("defineProperties", &[target, descriptors, ..]) => {
                let Expr::Object(object) = *facts.expr(descriptors) else {
                    return Vec::new();
                };
                let mut assignments = Vec::new();
                for member in &facts.object(object).members {
                    if let Some((value, method, is_getter)) =
                        member.value.and_then(|expr_id| self.described(expr_id))
                    {
                        assignments.push(EffectAssignment {
                            method,
                            is_getter,
                            ..EffectAssignment::new(target, MemberKey::Named(member.name), value)
                        });
                    }
                }
                assignments
            }
            _ => Vec::new(),
        }
    }

    /// Reads the value of a property descriptor, and whether it is a getter.
    fn described(&self, descriptor: ExprId) -> Option<(ExprId, Option<FnId>, bool)> {
        let facts = self.eval.facts(self.file);
        let Expr::Object(object) = *facts.expr(descriptor) else {
            return None;
        };
        facts.object(object).members.iter().find_map(|member| {
            let is_getter = match facts.word(member.name) {
                "get" => true,
                "value" => false,
                _ => return None,
            };
            match (member.kind, member.function, member.value) {
                (MemberKind::Method, Some(function), _) => {
                    Some((ExprId(0), Some(function), is_getter))
                }
                (_, _, Some(value)) => Some((value, None, is_getter)),
                _ => None,
            }
        })
    }
}

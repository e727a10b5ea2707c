//! What code does to objects: assignments to members, `Object.assign` and its kin, inheritance by prototypes.

use rustc_hash::FxHashMap;

use super::{Held, HeldValue, Project};
use crate::javascript::eval::{Eval, maker_of};
use crate::javascript::facts::{Expr, ExprId, FnId, Key, MemberKind, SiteId, SiteKind};
use crate::javascript::value::{Sym, Vals, Value};
use crate::model::FileId;

/// How often what objects hold is computed anew, because one assignment needs another: `a.b.c = f`.
const PASSES: u32 = 3;

/// How many values are kept for one member, and how many families for one object.
const HELD_MAX: usize = 16;

/// Where a helper's effect takes its parts from.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The n-th argument; of its prototype.
    Argument(u16, bool),
    This(bool),
    Name(Sym),
    Value(ExprId),
    /// Each element or key is given to a callback: the name is computed.
    Computed,
}

/// What a function does to what it is given: `function defineGetter(o, name, f) {…}`.
#[derive(Clone, Copy, Debug)]
struct Helper {
    target: Part,
    key: Part,
    value: Part,
    is_getter: bool,
}

/// One assignment, wherever it comes from.
#[derive(Clone, Copy)]
struct Put {
    target: ExprId,
    is_prototype: bool,
    key: Key,
    value: ExprId,
    /// The method that a descriptor has in the place of a value.
    method: Option<FnId>,
    is_getter: bool,
    function: FnId,
}

#[derive(Default)]
struct Tables {
    members: FxHashMap<(Value, Sym), Vec<Held>>,
    families: FxHashMap<Value, Vec<Held>>,
    parents: FxHashMap<Value, Vec<Value>>,
    given_to: FxHashMap<(FileId, crate::javascript::facts::ObjId), Vec<Value>>,
    given_sites: rustc_hash::FxHashSet<(FileId, SiteId)>,
}

impl Tables {
    fn hold(&mut self, holder: Value, sym: Sym, held: Held) {
        let all = self.members.entry((holder, sym)).or_default();
        if all.len() < HELD_MAX && !all.contains(&held) {
            all.push(held);
        }
    }

    fn parent(&mut self, child: Value, parent: Value) {
        let all = self.parents.entry(child).or_default();
        if child != parent && all.len() < HELD_MAX && !all.contains(&parent) {
            all.push(parent);
        }
    }
}

/// Fills the tables of members.
pub fn fill(project: &mut Project) {
    replace_exports(project);
    for _ in 0..PASSES {
        let mut tables = Tables::default();
        let helpers = helpers(project);
        for n in 0..project.files.len() {
            let file = FileId(n as u32);
            let mut eval = Eval::new(project);
            let mut fill = Fill {
                eval: &mut eval,
                tables: &mut tables,
                helpers: &helpers,
                file,
            };
            fill.effects();
            fill.sites();
        }
        project.members = tables.members;
        project.families = tables.families;
        project.parents = tables.parents;
        project.given_to = tables.given_to;
        project.given_sites = tables.given_sites;
    }
}

/// Finds what is given to `module.exports`.
fn replace_exports(project: &mut Project) {
    let known = project.known;
    for file in &mut project.files {
        let mut replaced = Vec::new();
        for effect in &file.facts.effects {
            if let (Key::Named(key), Expr::Global(target)) =
                (effect.key, file.facts.expr(effect.target))
                && file.sym(*target) == known.module
                && file.sym(key) == known.exports
            {
                replaced.push(effect.value);
            }
        }
        file.replaced = replaced;
    }
}

/// Finds functions that assign to members of what they are given.
fn helpers(project: &Project) -> FxHashMap<(FileId, FnId), Vec<Helper>> {
    let mut helpers: FxHashMap<(FileId, FnId), Vec<Helper>> = FxHashMap::default();
    for n in 0..project.files.len() {
        let file = FileId(n as u32);
        let mut eval = Eval::new(project);
        let mut tables = Tables::default();
        let none = FxHashMap::default();
        let mut fill = Fill {
            eval: &mut eval,
            tables: &mut tables,
            helpers: &none,
            file,
        };
        let mut puts: Vec<Put> = Vec::new();
        for effect in &project.file(file).facts.effects {
            puts.push(Put {
                target: effect.target,
                is_prototype: false,
                key: effect.key,
                value: effect.value,
                method: None,
                is_getter: false,
                function: effect.function,
            });
        }
        for at in 0..project.file(file).facts.sites.len() {
            puts.extend(fill.defined(SiteId(at as u32)));
        }
        for put in puts {
            if let Some((function, helper)) = fill.helper(put) {
                let all = helpers.entry((file, function)).or_default();
                if all.len() < HELD_MAX {
                    all.push(helper);
                }
            }
        }
    }
    helpers
}

struct Fill<'e, 'p> {
    eval: &'e mut Eval<'p>,
    tables: &'e mut Tables,
    helpers: &'e FxHashMap<(FileId, FnId), Vec<Helper>>,
    file: FileId,
}

impl Fill<'_, '_> {
    fn effects(&mut self) {
        let facts = self.eval.facts(self.file);
        for effect in &facts.effects {
            self.eval.refresh();
            let put = Put {
                target: effect.target,
                is_prototype: false,
                key: effect.key,
                value: effect.value,
                method: None,
                is_getter: false,
                function: effect.function,
            };
            self.put(put);
        }
    }

    fn put(&mut self, put: Put) {
        let file = self.file;
        let known = self.eval.project.known;
        let facts = self.eval.facts(file);
        if let Expr::Global(name) = *facts.expr(put.target) {
            let sym = self.eval.file(file).sym(name);
            if sym == known.module {
                return;
            }
        }
        let targets = self.eval.expr(file, put.target);
        let value = self.held(put);
        match put.key {
            Key::Named(name) => {
                let sym = self.eval.file(file).sym(name);
                self.put_into(&targets, sym, value, put.is_prototype);
            }
            Key::Computed(key) => {
                let keys = self.eval.expr(file, key);
                let keys = self.eval.concrete(&keys);
                let mut is_named = false;
                for key in &keys.list {
                    if let Value::Text(sym) = *key {
                        is_named = true;
                        self.put_into(&targets, sym, value, put.is_prototype);
                    }
                }
                if !is_named && self.is_function(value) {
                    for target in self.holders(&targets, put.is_prototype) {
                        let all = self.tables.families.entry(target).or_default();
                        if all.len() < HELD_MAX && !all.contains(&value) {
                            all.push(value);
                        }
                    }
                }
            }
        }
    }

    fn held(&self, put: Put) -> Held {
        let value = self.eval.facts(self.file).expr(put.value);
        let value = match (put.is_getter, put.method, value) {
            (true, Some(function), _) => HeldValue::Getter(function),
            (false, Some(function), _) => HeldValue::Value(Value::Fn(self.file, function)),
            (true, None, Expr::Function(function)) => HeldValue::Getter(*function),
            _ => HeldValue::Expr(put.value),
        };
        Held {
            file: self.file,
            value,
        }
    }

    fn is_function(&mut self, held: Held) -> bool {
        match held.value {
            HeldValue::Expr(value) => {
                let vals = self.eval.expr(held.file, value);
                vals.list
                    .iter()
                    .any(|it| matches!(it, Value::Fn(..) | Value::Result(_, _, None)))
            }
            _ => true,
        }
    }

    fn put_into(&mut self, targets: &Vals, sym: Sym, value: Held, is_prototype: bool) {
        let known = self.eval.project.known;
        for target in self.holders(targets, is_prototype) {
            if sym == known.proto
                && let HeldValue::Expr(id) = value.value
            {
                for parent in self.eval.expr(value.file, id).list {
                    self.tables.parent(target, parent);
                }
                continue;
            }
            if sym == known.prototype {
                self.give_prototype(target, value);
            }
            self.tables.hold(target, sym, value);
        }
    }

    /// `A.prototype = B`: functions in a literal see instances of `A`.
    fn give_prototype(&mut self, target: Value, value: Held) {
        let (Some(maker), HeldValue::Expr(id)) = (maker_of(target), value.value) else {
            return;
        };
        if let Expr::Object(object) = *self.eval.facts(value.file).expr(id) {
            let all = self
                .tables
                .given_to
                .entry((value.file, object))
                .or_default();
            all.push(Value::Of(maker));
        }
        for parent in self.eval.expr(value.file, id).list {
            self.tables.parent(Value::Proto(maker), parent);
        }
    }

    /// Returns the objects that a target is.
    fn holders(&mut self, targets: &Vals, is_prototype: bool) -> Vec<Value> {
        let mut holders = Vec::new();
        for &target in &targets.list {
            match target {
                Value::This(file, function) => {
                    holders.extend(self.eval.holder_of_this(file, function).list);
                }
                Value::Fn(..)
                | Value::Class(..)
                | Value::Of(_)
                | Value::Proto(_)
                | Value::Object(..)
                | Value::Space(_)
                | Value::Context(_)
                | Value::Made(..) => holders.push(target),
                Value::Param(..) => {
                    let given = self.eval.concrete(&Vals::one(target));
                    holders.extend(given.list.into_iter().filter(|it| {
                        !matches!(it, Value::Param(..) | Value::Outside(_) | Value::This(..))
                    }));
                }
                Value::Runner(_) => holders.push(Value::Context(self.file)),
                _ => {}
            }
        }
        if is_prototype {
            let prototypes = holders
                .iter()
                .filter_map(|it| maker_of(*it).map(Value::Proto));
            holders = prototypes.collect();
        }
        holders.truncate(HELD_MAX);
        holders
    }

    fn sites(&mut self) {
        let n_sites = self.eval.facts(self.file).sites.len();
        for at in 0..n_sites {
            let id = SiteId(at as u32);
            if self.eval.site(self.file, id).kind != SiteKind::Call {
                continue;
            }
            self.eval.refresh();
            for put in self.defined(id) {
                self.put(put);
            }
            self.copied(id);
            self.helped(id);
        }
    }

    /// `Object.defineProperty(o, "name", { get() {…} })` and `Object.defineProperties(o, {…})`.
    fn defined(&mut self, id: SiteId) -> Vec<Put> {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let word = facts.word(site.name);
        match (word, &site.args[..]) {
            ("defineProperty", &[target, key, descriptor, ..]) => {
                let key = match *facts.expr(key) {
                    Expr::Text(name) => Key::Named(name),
                    _ => Key::Computed(key),
                };
                let put = self
                    .described(descriptor)
                    .map(|(value, method, is_getter)| Put {
                        target,
                        is_prototype: false,
                        key,
                        value,
                        method,
                        is_getter,
                        function: site.function,
                    });
                put.into_iter().collect()
            }
            ("defineProperties", &[target, descriptors, ..]) => {
                let Expr::Object(object) = *facts.expr(descriptors) else {
                    return Vec::new();
                };
                let mut puts = Vec::new();
                for member in &facts.object(object).members {
                    if let Some((value, method, is_getter)) =
                        member.value.and_then(|it| self.described(it))
                    {
                        puts.push(Put {
                            target,
                            is_prototype: false,
                            key: Key::Named(member.name),
                            value,
                            method,
                            is_getter,
                            function: site.function,
                        });
                    }
                }
                puts
            }
            _ => Vec::new(),
        }
    }

    /// Returns the value of a descriptor, and whether it is a getter.
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

    /// `Object.assign(a, b)`, `extend(a, b)`, `inherits(A, B)`, `Object.setPrototypeOf(a, b)`, `Base.extend({…})`.
    fn copied(&mut self, id: SiteId) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let word = facts.word(site.name);
        let is_inheritance = matches!(
            word,
            "inherits" | "inherit" | "__extends" | "_inheritsLoose" | "_inherits"
        );
        let is_copy = matches!(
            word,
            "assign"
                | "extend"
                | "mixin"
                | "mixins"
                | "merge"
                | "defaults"
                | "setPrototypeOf"
                | "augment"
                | "include"
                | "implement"
                | "copyProperties"
                | "mergeDescriptors"
                | "mixIn"
                | "assignIn"
                | "mixinProperties"
                | "applyMixins"
                | "_extend"
                | "__assign"
                | "use"
        );
        if word == "create" {
            self.created(id);
            return;
        }
        if !is_inheritance && !is_copy {
            return;
        }
        let is_setter = word == "setPrototypeOf";
        let [first, rest @ ..] = &site.args[..] else {
            return;
        };
        if rest.is_empty() || is_copy && word == "extend" && self.is_extended(id, *first) {
            self.extended(id);
            return;
        }
        let targets = self.eval.expr(self.file, *first);
        let targets = self.holders(&targets, false);
        for &other in rest.iter().take(16) {
            let others = self.eval.expr(self.file, other);
            let others = self.eval.concrete(&others);
            let literal = match *facts.expr(other) {
                Expr::Object(object) => Some(object),
                _ => None,
            };
            for &target in &targets {
                for &parent in &others.list {
                    if is_inheritance || is_setter && maker_of(target).is_some() {
                        let makers = (maker_of(target), maker_of(parent));
                        if let (Some(child), Some(parent)) = makers {
                            self.tables.parent(Value::Proto(child), Value::Of(parent));
                        }
                    }
                    self.tables.parent(target, parent);
                }
                if let Some(object) = literal {
                    let holder = match target {
                        Value::Proto(maker) => Value::Of(maker),
                        other => other,
                    };
                    let all = self.tables.given_to.entry((self.file, object)).or_default();
                    if all.len() < HELD_MAX && !all.contains(&holder) {
                        all.push(holder);
                    }
                }
            }
        }
    }

    /// `Object.create(prototype)`.
    fn created(&mut self, id: SiteId) {
        let site = self.eval.site(self.file, id);
        let Some(&first) = site.args.first() else {
            return;
        };
        let is_object = self
            .eval
            .expr(self.file, site.callee)
            .list
            .iter()
            .any(|it| matches!(it, Value::Outside(_)));
        if !is_object {
            return;
        }
        for parent in self.eval.expr(self.file, first).list {
            self.tables.parent(Value::Made(self.file, id), parent);
        }
    }

    /// Whether `X.extend(…)` makes a class: `X` is one, and no function of the project says otherwise.
    fn is_extended(&self, id: SiteId, first: ExprId) -> bool {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        matches!(facts.expr(site.callee), Expr::Member(..))
            && matches!(facts.expr(first), Expr::Object(_))
    }

    fn extended(&mut self, id: SiteId) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let Expr::Member(object, name) = *facts.expr(site.callee) else {
            return;
        };
        if facts.word(name) != "extend" {
            return;
        }
        let bases = self.eval.expr(self.file, object);
        let makers: Vec<_> = bases.list.iter().filter_map(|it| maker_of(*it)).collect();
        if makers.is_empty() {
            return;
        }
        let made = Value::Made(self.file, id);
        let maker = crate::javascript::value::Maker::Made(self.file, id);
        self.tables.given_sites.insert((self.file, id));
        for base in makers {
            self.tables.parent(Value::Proto(maker), Value::Of(base));
            self.tables
                .parent(made, crate::javascript::eval::made_by(base));
        }
        for (at, &arg) in site.args.iter().enumerate().take(2) {
            for parent in self.eval.expr(self.file, arg).list {
                match at {
                    0 => self.tables.parent(Value::Proto(maker), parent),
                    _ => self.tables.parent(made, parent),
                }
            }
            if let (0, Expr::Object(object)) = (at, facts.expr(arg)) {
                let all = self
                    .tables
                    .given_to
                    .entry((self.file, *object))
                    .or_default();
                all.push(Value::Of(maker));
            }
        }
    }

    /// Reads an assignment as one to what its function is given.
    fn helper(&mut self, put: Put) -> Option<(FnId, Helper)> {
        self.eval.refresh();
        let (target, function) = self.part_of(put.target, put.function)?;
        let key = match put.key {
            Key::Named(name) => Part::Name(self.eval.file(self.file).sym(name)),
            Key::Computed(key) => match self.part_of(key, put.function) {
                Some((part @ Part::Argument(..), there)) if there == function => part,
                _ => Part::Computed,
            },
        };
        let value = match self.part_of(put.value, put.function) {
            Some((part @ Part::Argument(..), there)) if there == function => part,
            _ => Part::Value(put.value),
        };
        let is_plain = matches!(
            (target, key, value),
            (Part::This(_), Part::Name(_), Part::Value(_))
        );
        (!is_plain).then_some((
            function,
            Helper {
                target,
                key,
                value,
                is_getter: put.is_getter,
            },
        ))
    }

    /// Returns which parameter of which function an expression is; `this` is that of the function where it stands.
    fn part_of(&mut self, id: ExprId, _function: FnId) -> Option<(Part, FnId)> {
        let facts = self.eval.facts(self.file);
        let known = self.eval.project.known;
        let (id, is_prototype) = match *facts.expr(id) {
            Expr::Member(object, name)
                if self.eval.file(self.file).sym(name) == known.prototype =>
            {
                (object, true)
            }
            _ => (id, false),
        };
        match *facts.expr(id) {
            Expr::This(function) => Some((Part::This(is_prototype), function)),
            Expr::Var(binding, _) => {
                let binding = facts.binding(binding);
                let [write] = binding.writes[..] else {
                    return None;
                };
                match *facts.expr(write.value) {
                    Expr::Param(function, n) => Some((Part::Argument(n, is_prototype), function)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Does what a helper does, for a call of it.
    fn helped(&mut self, id: SiteId) {
        if self.helpers.is_empty() {
            return;
        }
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        if site.args.is_empty() || !self.may_help(site.callee) {
            return;
        }
        for callee in self.eval.expr(self.file, site.callee).list {
            let Value::Fn(there, function) = callee else {
                continue;
            };
            let Some(helpers) = self.helpers.get(&(there, function)) else {
                continue;
            };
            for helper in helpers {
                self.help(id, there, *helper);
            }
        }
    }

    /// Only names are looked at: what is called without one is no helper.
    fn may_help(&self, callee: ExprId) -> bool {
        matches!(
            self.eval.facts(self.file).expr(callee),
            Expr::Var(..) | Expr::Member(..)
        )
    }

    fn help(&mut self, id: SiteId, there: FileId, helper: Helper) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let arg = |n: u16| site.args.get(usize::from(n)).copied();
        let (target, is_prototype) = match helper.target {
            Part::Argument(n, is_prototype) => (arg(n), is_prototype),
            Part::This(is_prototype) => match *facts.expr(site.callee) {
                Expr::Member(object, _) => (Some(object), is_prototype),
                _ => return,
            },
            _ => return,
        };
        let Some(target) = target else { return };
        let value = match helper.value {
            Part::Argument(n, _) => match arg(n) {
                Some(value) => (self.file, value),
                None => return,
            },
            Part::Value(value) => (there, value),
            _ => return,
        };
        let held = match (helper.is_getter, self.eval.facts(value.0).expr(value.1)) {
            (true, Expr::Function(function)) => HeldValue::Getter(*function),
            _ => HeldValue::Expr(value.1),
        };
        let held = Held {
            file: value.0,
            value: held,
        };
        let targets = self.eval.expr(self.file, target);
        match helper.key {
            Part::Name(sym) => self.put_into(&targets, sym, held, is_prototype),
            Part::Argument(n, _) => {
                let Some(key) = arg(n) else { return };
                let keys = self.eval.expr(self.file, key);
                for key in self.eval.concrete(&keys).list {
                    if let Value::Text(sym) = key {
                        self.put_into(&targets, sym, held, is_prototype);
                    }
                }
            }
            _ => {
                if self.is_function(held) {
                    for target in self.holders(&targets, is_prototype) {
                        let all = self.tables.families.entry(target).or_default();
                        if all.len() < HELD_MAX && !all.contains(&held) {
                            all.push(held);
                        }
                    }
                }
            }
        }
    }
}

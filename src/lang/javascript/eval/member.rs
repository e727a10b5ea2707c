//! Members of values: own ones, those of prototypes and base classes, and those that are assigned.

use smallvec::{SmallVec, smallvec};

use super::{Eval, maker_of};
use crate::javascript::facts::{ClassId, Expr, ExprId, FnId, MemberKind, ObjId, TypeId};
use crate::javascript::project::{AssignedValue, MemberAssignment};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, PrimitiveValue, ValueSet};
use crate::model::{CallMarks, FileId};
use crate::symbols::Sym;

/// How far up the bases members are looked for.
const BASES_MAX: u32 = 24;

/// Members of every emitter of events; members with computed names do not stand for them.
const EMITTER: &[&str] = &[
    "on",
    "once",
    "off",
    "emit",
    "addListener",
    "removeListener",
    "removeAllListeners",
    "prependListener",
    "listeners",
    "listenerCount",
    "eventNames",
    "setMaxListeners",
];

/// A definition of a member.
#[derive(Clone, Debug)]
pub enum MemberDefinition {
    Fn(FileId, FnId),
    Getter(FileId, FnId),
    Value(FileId, ExprId),
    Typed(FileId, TypeId),
    Known(JavaScriptValue),
    Values(ValueSet),
    /// A member whose name is computed.
    Computed(FileId, ExprId),
}

/// The definitions found: mostly one or none, for which nothing is allocated.
pub type Finds = SmallVec<[MemberDefinition; 1]>;

impl Eval<'_> {
    /// Evaluates the members of that name of all objects; unknown where there are none.
    pub fn get(&mut self, objects: &ValueSet, sym: Sym) -> ValueSet {
        let found = self.lookup(objects, sym);
        if found.is_empty() {
            return ValueSet::unknown();
        }
        let mut values = ValueSet::open(objects.is_open);
        for found in &found {
            values.add(&self.found(found, objects));
        }
        values.without_nothing()
    }

    pub fn found(&mut self, found: &MemberDefinition, objects: &ValueSet) -> ValueSet {
        match found {
            MemberDefinition::Fn(file, function) => {
                ValueSet::one(JavaScriptValue::Fn(*file, *function))
            }
            MemberDefinition::Getter(file, function) => {
                let returned = self.returned(*file, *function);
                Self::with_this(&returned, (*file, *function), objects)
            }
            MemberDefinition::Value(file, value) => self.expr(*file, *value),
            MemberDefinition::Typed(file, ty) => {
                let values = self.ty(*file, *ty);
                if values.list.is_empty() {
                    ValueSet::unknown()
                } else {
                    values
                }
            }
            MemberDefinition::Known(value) => ValueSet::one(*value),
            MemberDefinition::Values(values) => values.clone(),
            MemberDefinition::Computed(file, value) => {
                let mut values = self.expr(*file, *value);
                values.marks.add(CallMarks::COMPUTED);
                values
            }
        }
    }

    /// Finds the members of that name of all objects.
    pub fn lookup(&mut self, objects: &ValueSet, sym: Sym) -> Finds {
        let mut found = Finds::new();
        // Of a text and an object, only the object can be meant where a member is asked for.
        let is_object = |value: &JavaScriptValue| {
            !matches!(
                value,
                JavaScriptValue::Text(_) | JavaScriptValue::Primitive(_) | JavaScriptValue::Nothing
            )
        };
        let has_objects = objects.list.iter().any(is_object);
        for value in objects
            .list
            .iter()
            .filter(|script_value| !has_objects || is_object(script_value))
        {
            add(&mut found, self.lookup_in(*value, sym, 0));
        }
        if found.is_empty() && sym == self.project.words.should {
            // Every object has it.
            found.push(MemberDefinition::Known(JavaScriptValue::Outside(sym)));
        }
        if found.is_empty() {
            for value in &objects.list {
                add(&mut found, self.computed_members(*value));
            }
        }
        found
    }

    fn computed_members(&mut self, value: JavaScriptValue) -> Finds {
        let mut holders = vec![value];
        if let JavaScriptValue::Instance(maker) = value {
            holders.push(JavaScriptValue::Proto(maker));
        }
        if let JavaScriptValue::This(file, function) = value {
            holders.extend(self.holder_of_this(file, function).list);
        }
        if let JavaScriptValue::Module(file) = value {
            holders.extend(self.exports_of(file).list);
        }
        let project = self.project;
        let held = holders
            .iter()
            .filter_map(|holder| project.computed_members.get(holder));
        let found = held
            .flatten()
            .filter_map(|member_assignment| match member_assignment.value {
                AssignedValue::Expr(value) => {
                    Some(MemberDefinition::Computed(member_assignment.file, value))
                }
                _ => None,
            });
        found.take(8).collect()
    }

    pub fn lookup_in(&mut self, value: JavaScriptValue, sym: Sym, depth: u32) -> Finds {
        if depth > BASES_MAX {
            return Finds::new();
        }
        self.deeper(|eval| eval.lookup_here(value, sym, depth))
            .unwrap_or_default()
    }

    fn lookup_here(&mut self, value: JavaScriptValue, sym: Sym, depth: u32) -> Finds {
        let words = &self.project.words;
        let outside = |owner: Sym| -> Finds {
            smallvec![MemberDefinition::Known(JavaScriptValue::Outside(owner))]
        };
        match value {
            JavaScriptValue::Nothing => Finds::new(),
            JavaScriptValue::Result(_, _, owner) => {
                let mut found = self.assigned(value, sym);
                if found.is_empty() {
                    found = self.in_parents(value, sym, depth);
                }
                match owner {
                    Some(owner) if found.is_empty() => outside(owner),
                    _ => found,
                }
            }
            JavaScriptValue::Runner(owner) if sym == words.context => {
                let _ = owner;
                Finds::new()
            }
            JavaScriptValue::Outside(owner) | JavaScriptValue::Runner(owner) => outside(owner),
            JavaScriptValue::Text(_) | JavaScriptValue::Primitive(PrimitiveValue::String) => {
                outside(words.string)
            }
            JavaScriptValue::Primitive(PrimitiveValue::Number) => outside(words.number),
            JavaScriptValue::Primitive(PrimitiveValue::Boolean) => outside(words.boolean),
            JavaScriptValue::Primitive(PrimitiveValue::RegExp) => outside(words.regexp),
            JavaScriptValue::Array(..) | JavaScriptValue::Each(..) | JavaScriptValue::List(..) => {
                outside(words.array)
            }
            JavaScriptValue::Fn(file, function) => self.in_function(file, function, sym, depth),
            JavaScriptValue::Class(file, class) => self.in_class(file, class, sym, depth),
            JavaScriptValue::Instance(maker) => self.in_instance(maker, sym, depth),
            JavaScriptValue::Proto(maker) => {
                if sym == words.constructor {
                    return smallvec![MemberDefinition::Known(made_by(maker))];
                }
                self.in_instance(maker, sym, depth)
            }
            JavaScriptValue::Object(file, object) => self.in_object(file, object, sym, depth),
            JavaScriptValue::Module(file) => self.in_module(file, sym, depth),
            JavaScriptValue::Context(_) => self.assigned(value, sym),
            JavaScriptValue::Made(..) => {
                let own = self.assigned(value, sym);
                if own.is_empty() {
                    self.in_parents(value, sym, depth)
                } else {
                    own
                }
            }
            JavaScriptValue::This(file, function) => {
                let holders = self.holder_of_this(file, function);
                let mut found = Finds::new();
                for holder in holders.list {
                    add(&mut found, self.lookup_in(holder, sym, depth + 1));
                }
                found
            }
            JavaScriptValue::New(file, function) => {
                let mut found = Finds::new();
                for made in self.made_by_this(file, function) {
                    add(&mut found, self.lookup_in(made, sym, depth + 1));
                }
                found
            }
            JavaScriptValue::Param(..) => {
                let concrete = self.concrete(&ValueSet::one(value));
                let mut found = Finds::new();
                for value in concrete.list {
                    if !matches!(value, JavaScriptValue::Param(..)) {
                        add(&mut found, self.lookup_in(value, sym, depth + 1));
                    }
                }
                found
            }
        }
    }

    /// Lists the values that are assigned to a member.
    pub fn assigned(&self, holder: JavaScriptValue, sym: Sym) -> Finds {
        let held = self.project.members.get(&(holder, sym));
        held.map_or_else(Finds::new, |member_assignments| {
            member_assignments.iter().map(found_of).collect()
        })
    }

    fn in_parents(&mut self, holder: JavaScriptValue, sym: Sym, depth: u32) -> Finds {
        let project = self.project;
        let Some(parents) = project.parents.get(&holder) else {
            return Finds::new();
        };
        for &parent in parents.iter().rev() {
            let found = self.lookup_in(parent, sym, depth + 1);
            let is_outside = matches!(
                found[..],
                [MemberDefinition::Known(JavaScriptValue::Outside(_))]
            );
            if is_outside && !EMITTER.contains(&project.word(sym)) {
                // A computed name of the project is nearer than a member that a library may have.
                let computed: Finds = parents
                    .iter()
                    .flat_map(|parent| self.computed_members(*parent))
                    .collect();
                return if computed.is_empty() { found } else { computed };
            }
            if !found.is_empty() {
                return found;
            }
        }
        parents
            .iter()
            .flat_map(|parent| self.computed_members(*parent))
            .collect()
    }

    fn in_function(&mut self, file: FileId, function: FnId, sym: Sym, depth: u32) -> Finds {
        let words = &self.project.words;
        let value = JavaScriptValue::Fn(file, function);
        let mut own = self.assigned(value, sym);
        if let (true, Some(site)) = (own.is_empty(), self.facts(file).function(function).made_by) {
            for closure in self.called(file, site).list {
                add(&mut own, self.lookup_in(closure, sym, depth + 1));
            }
        }
        if sym == words.prototype {
            let mut found = own;
            found.push(MemberDefinition::Known(JavaScriptValue::Proto(
                InstanceOrigin::Fn(file, function),
            )));
            return found;
        }
        if !own.is_empty() {
            return own;
        }
        let found = self.in_parents(value, sym, depth);
        if !found.is_empty() {
            return found;
        }
        if sym == words.call || sym == words.apply || sym == words.bind {
            smallvec![MemberDefinition::Known(JavaScriptValue::Outside(
                words.function
            ))]
        } else {
            Finds::new()
        }
    }

    fn in_class(&mut self, file: FileId, class: ClassId, sym: Sym, depth: u32) -> Finds {
        let words = &self.project.words;
        let value = JavaScriptValue::Class(file, class);
        if sym == words.prototype {
            return smallvec![MemberDefinition::Known(JavaScriptValue::Proto(
                InstanceOrigin::Class(file, class)
            ))];
        }
        let mut found = self.class_members(file, class, sym, true);
        add(&mut found, self.assigned(value, sym));
        if !found.is_empty() {
            return found;
        }
        let found = self.in_parents(value, sym, depth);
        if !found.is_empty() {
            return found;
        }
        if let Some(heritage) = self.facts(file).class(class).heritage {
            for base in self.expr(file, heritage).list {
                let found = self.lookup_in(base, sym, depth + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Finds::new()
    }

    /// Finds the members of a class itself: methods before fields, bodies before signatures.
    fn class_members(&self, file: FileId, class: ClassId, sym: Sym, is_static: bool) -> Finds {
        let script = self.file(file);
        let mut signature = None;
        let mut getter = None;
        let mut fields = Finds::new();
        for member in &script.facts.class(class).members {
            if script.sym(member.name) != sym || member.is_static != is_static || member.is_computed
            {
                continue;
            }
            match (member.kind, member.function) {
                (MemberKind::Getter, Some(function)) => {
                    getter = Some(MemberDefinition::Getter(file, function));
                }
                (MemberKind::Method, Some(function)) => {
                    let found = MemberDefinition::Fn(file, function);
                    if script.facts.function(function).body.is_some() {
                        return smallvec![found];
                    }
                    signature.get_or_insert(found);
                }
                (MemberKind::Field, _) => match (member.ty, member.value) {
                    // The function itself says more than its type.
                    (Some(_), Some(value))
                        if matches!(script.facts.expr(value), Expr::Function(_)) =>
                    {
                        fields.push(MemberDefinition::Value(file, value));
                    }
                    (Some(ty), _) if !self.is_vague_type(file, ty) => {
                        fields.push(MemberDefinition::Typed(file, ty));
                    }
                    (_, Some(value)) => fields.push(MemberDefinition::Value(file, value)),
                    (Some(ty), None) => fields.push(MemberDefinition::Typed(file, ty)),
                    (None, None) => {}
                },
                _ => {}
            }
        }
        match getter.or(signature) {
            Some(found) => smallvec![found],
            None => fields,
        }
    }

    fn in_instance(&mut self, maker: InstanceOrigin, sym: Sym, depth: u32) -> Finds {
        let words = &self.project.words;
        if sym == words.constructor {
            return smallvec![MemberDefinition::Known(made_by(maker))];
        }
        let mut found = match maker {
            InstanceOrigin::Class(file, class) => self.class_members(file, class, sym, false),
            _ => Finds::new(),
        };
        if !matches!(
            found[..],
            [MemberDefinition::Fn(..) | MemberDefinition::Getter(..)]
        ) {
            add(
                &mut found,
                self.assigned(JavaScriptValue::Instance(maker), sym),
            );
            add(
                &mut found,
                self.assigned(JavaScriptValue::Proto(maker), sym),
            );
        }
        if !found.is_empty() {
            return found;
        }
        let found = self.in_parents(JavaScriptValue::Proto(maker), sym, depth);
        if !found.is_empty() {
            return found;
        }
        match maker {
            InstanceOrigin::Class(file, class) => self.in_bases(file, class, sym, depth),
            InstanceOrigin::Fn(file, function) => {
                let prototype = self.assigned(JavaScriptValue::Fn(file, function), words.prototype);
                for member_definition in prototype {
                    let values = self.found(&member_definition, &ValueSet::default());
                    for value in values.list {
                        if value == JavaScriptValue::Proto(maker) {
                            continue;
                        }
                        let found = self.lookup_in(value, sym, depth + 1);
                        if !found.is_empty() {
                            return found;
                        }
                    }
                }
                Finds::new()
            }
            InstanceOrigin::Made(..) => Finds::new(),
        }
    }

    fn in_bases(&mut self, file: FileId, class: ClassId, sym: Sym, depth: u32) -> Finds {
        let class_facts = self.facts(file).class(class);
        if let Some(heritage) = class_facts.heritage {
            for base in self.expr(file, heritage).list {
                let base = match base {
                    // A mixin: `class A extends Mixin(B)`.
                    JavaScriptValue::Outside(_) | JavaScriptValue::Result(..) => Some(base),
                    other => maker_of(other).map(JavaScriptValue::Instance),
                };
                let Some(base) = base else { continue };
                let found = self.lookup_in(base, sym, depth + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        if class_facts.is_interface || class_facts.heritage.is_none() {
            for &ty in class_facts.supertypes.iter().take(32) {
                for base in self.ty(file, ty).list {
                    let found = self.lookup_in(base, sym, depth + 1);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Finds::new()
    }

    fn in_object(&mut self, file: FileId, object: ObjId, sym: Sym, depth: u32) -> Finds {
        let script = self.file(file);
        let value = JavaScriptValue::Object(file, object);
        let mut found = self.assigned(value, sym);
        let members = &script.facts.object(object).members;
        for member in members.iter().rev() {
            if member.kind == MemberKind::Spread
                || script.sym(member.name) != sym
                || member.is_computed
            {
                continue;
            }
            match (member.kind, member.function, member.value) {
                (MemberKind::Getter, Some(function), _) => {
                    found.push(MemberDefinition::Getter(file, function));
                    break;
                }
                (MemberKind::Method, Some(function), _) => {
                    found.push(MemberDefinition::Fn(file, function));
                    break;
                }
                (MemberKind::Field, _, Some(value)) => {
                    found.push(MemberDefinition::Value(file, value));
                    break;
                }
                _ => {}
            }
        }
        if !found.is_empty() {
            return found;
        }
        for member in members.iter().rev().take(64) {
            let is_spread = member.kind == MemberKind::Spread;
            if (is_spread || script.sym(member.name) == self.project.words.proto)
                && let Some(inner) = member.value
            {
                for value in self.expr(file, inner).list {
                    let found = self.lookup_in(value, sym, depth + 1);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        self.in_parents(value, sym, depth)
    }

    fn in_module(&mut self, file: FileId, sym: Sym, depth: u32) -> Finds {
        if let Some(values) = self.module_member(file, sym) {
            return smallvec![MemberDefinition::Values(values)];
        }
        self.in_parents(JavaScriptValue::Module(file), sym, depth)
    }
}

/// Appends definitions to those found before, mostly none.
fn add(found: &mut Finds, more: Finds) {
    if found.is_empty() {
        *found = more;
    } else {
        found.extend(more);
    }
}

fn found_of(held: &MemberAssignment) -> MemberDefinition {
    match held.value {
        AssignedValue::Expr(value) => MemberDefinition::Value(held.file, value),
        AssignedValue::Getter(function) => MemberDefinition::Getter(held.file, function),
        AssignedValue::Value(value) => MemberDefinition::Known(value),
    }
}

/// Returns the class or function that makes such instances, as a value.
pub const fn made_by(maker: InstanceOrigin) -> JavaScriptValue {
    match maker {
        InstanceOrigin::Class(file, class) => JavaScriptValue::Class(file, class),
        InstanceOrigin::Fn(file, function) => JavaScriptValue::Fn(file, function),
        InstanceOrigin::Made(file, site) => JavaScriptValue::Made(file, site),
    }
}

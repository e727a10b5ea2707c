//! Values of a type: instances of its classes and interfaces.

use super::Eval;
use super::module::Export;
use crate::javascript::facts::{Expr, Name, ScopeId, Type, TypeDecl, TypeId};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::FileId;

/// How many parts of a union are looked at.
const PARTS_MAX: usize = 24;

impl Eval<'_> {
    pub fn ty(&mut self, file: FileId, id: TypeId) -> ValueSet {
        self.deeper(|eval| eval.ty_here(file, id))
            .unwrap_or_else(ValueSet::unknown)
    }

    fn ty_here(&mut self, file: FileId, id: TypeId) -> ValueSet {
        let facts = self.facts(file);
        match facts.ty(id) {
            Type::Unknown | Type::This => ValueSet::unknown(),
            Type::Nothing => ValueSet::one(JavaScriptValue::Nothing),
            Type::Primitive(primitive) => {
                ValueSet::one(JavaScriptValue::Primitive((*primitive).into()))
            }
            Type::Named { path, args, scope } => self.named(file, path, args, *scope),
            Type::Array(element) => ValueSet::one(JavaScriptValue::List(file, *element)),
            Type::Tuple(items) => match items.first() {
                Some(first) => ValueSet::one(JavaScriptValue::List(file, *first)),
                None => ValueSet::unknown(),
            },
            Type::Intersection(parts) => {
                let mut values = self.any_of(file, parts);
                // Parts of the project decide, whatever the others are.
                let is_foreign =
                    |value: &JavaScriptValue| matches!(value, JavaScriptValue::Outside(_));
                if !values.list.iter().all(is_foreign) {
                    values.list.retain(|script_value| !is_foreign(script_value));
                }
                values.is_open &= values.is_vague();
                values.without_nothing()
            }
            Type::Union(parts) => self.any_of(file, parts).without_nothing(),
            Type::Object(class) => ValueSet::one(JavaScriptValue::Instance(InstanceOrigin::Class(
                file, *class,
            ))),
            Type::Function(function) => ValueSet::one(JavaScriptValue::Fn(file, *function)),
            Type::Typeof(value) => self.expr(file, *value),
            Type::Text(text) => ValueSet::one(JavaScriptValue::Text(self.file(file).sym(*text))),
        }
    }

    fn any_of(&mut self, file: FileId, parts: &[TypeId]) -> ValueSet {
        let mut values = ValueSet::default();
        for part in parts.iter().take(PARTS_MAX) {
            values.add(&self.ty(file, *part));
        }
        values
    }

    fn named(&mut self, file: FileId, path: &[Name], args: &[TypeId], scope: ScopeId) -> ValueSet {
        let Some((&first, rest)) = path.split_first() else {
            return ValueSet::unknown();
        };
        if let Some(decl) = self.type_decl(file, first, scope) {
            return self.declared_type(file, decl, rest);
        }
        let facts = self.facts(file);
        let word = facts.word(first);
        match (word, args) {
            (
                "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" | "IterableIterator"
                | "Iterator" | "Generator" | "AsyncGenerator" | "AsyncIterable",
                [element, ..],
            ) => ValueSet::one(JavaScriptValue::List(file, *element)),
            (
                "Promise" | "NoInfer" | "PromiseLike" | "Awaited" | "Partial" | "Required"
                | "Readonly" | "NonNullable" | "Omit" | "Pick" | "Extract" | "Exclude" | "Mocked"
                | "MockedObject" | "DeepMocked" | "Mutable",
                [inner, ..],
            ) => self.ty(file, *inner),
            ("InstanceType", [inner, ..]) => {
                let made = self.ty(file, *inner).list;
                let mut values = ValueSet::default();
                for value in made {
                    if let Some(maker) = super::maker_of(value) {
                        values.push(JavaScriptValue::Instance(maker));
                    }
                }
                values
            }
            ("ReturnType", [inner, ..]) => {
                let functions = self.ty(file, *inner).list;
                let mut values = ValueSet::default();
                for value in functions {
                    if let JavaScriptValue::Fn(file, function) = value {
                        values.add(&self.returned(file, function));
                    }
                }
                values
            }
            ("Function" | "Object" | "Record", _) => ValueSet::unknown(),
            ("jest" | "vi" | "sinon", _) => {
                match (rest.first().map(|name| facts.word(*name)), args) {
                    (
                        Some("Mocked" | "MockedClass" | "SinonStubbedInstance" | "MockedObject"),
                        [inner, ..],
                    ) => self.ty(file, *inner),
                    _ => ValueSet::one(JavaScriptValue::Outside(self.file(file).sym(first))),
                }
            }
            _ => self.type_of_value(file, first, scope),
        }
    }

    /// Evaluates a type that only a variable of its name declares: a class of `CommonJS`.
    fn type_of_value(&mut self, file: FileId, name: Name, scope: ScopeId) -> ValueSet {
        let facts = self.facts(file);
        let mut at = Some(scope);
        let binding = std::iter::from_fn(|| {
            let here = at?;
            at = facts.scope(here).parent;
            Some(here)
        })
        .find_map(|here| facts.declared.get(&(here, name)).copied());
        let Some(binding) = binding else {
            return ValueSet::one(JavaScriptValue::Outside(self.file(file).sym(name)));
        };
        let held = self.variable(file, binding, scope, u32::MAX);
        let mut values = ValueSet::default();
        for value in held.list {
            match super::maker_of(value) {
                Some(maker) => values.push(JavaScriptValue::Instance(maker)),
                None => values.push(value),
            }
        }
        if values.list.is_empty() {
            return ValueSet::unknown();
        }
        values
    }

    fn type_decl(&self, file: FileId, name: Name, scope: ScopeId) -> Option<TypeDecl> {
        let facts = self.facts(file);
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(&decl) = facts.type_names.get(&(scope, name)) {
                return Some(decl);
            }
            at = facts.scope(scope).parent;
        }
        None
    }

    fn declared_type(&mut self, file: FileId, decl: TypeDecl, rest: &[Name]) -> ValueSet {
        match decl {
            TypeDecl::Class(class) => ValueSet::one(JavaScriptValue::Instance(
                InstanceOrigin::Class(file, class),
            )),
            TypeDecl::Alias(ty) => self.ty(file, ty),
            TypeDecl::Parameter => ValueSet::unknown(),
            TypeDecl::Import(import) => {
                let export = self.imported(file, import, &mut Vec::new());
                let Some(mut export) = export else {
                    return ValueSet::unknown();
                };
                for &name in rest {
                    let sym = self.file(file).sym(name);
                    let (Export::Module(target) | Export::Whole(target)) = export else {
                        break;
                    };
                    match self.exported(target, sym, &mut Vec::new()) {
                        Some(found) => export = found,
                        None => return ValueSet::unknown(),
                    }
                }
                self.exported_type(export)
            }
        }
    }

    fn exported_type(&mut self, export: Export) -> ValueSet {
        match export {
            Export::Type(file, decl) => self
                .deeper(|eval| eval.declared_type(file, decl, &[]))
                .unwrap_or_else(ValueSet::unknown),
            Export::Value(file, value) => {
                // `export { Foo }` of an interface exports a name that has no value.
                if let Expr::Global(name) = *self.facts(file).expr(value)
                    && let Some(decl) = self.type_decl(file, name, ScopeId(0))
                {
                    return self
                        .deeper(|eval| eval.declared_type(file, decl, &[]))
                        .unwrap_or_else(ValueSet::unknown);
                }
                self.instances(file, value)
            }
            Export::Outside(owner) => ValueSet::one(JavaScriptValue::Outside(owner)),
            Export::Whole(target) => {
                let made = self.exports_of(target);
                Self::made_instances(&made)
            }
            Export::Known(value) => Self::made_instances(&ValueSet::one(value)),
            Export::Module(_) => ValueSet::unknown(),
        }
    }

    fn instances(&mut self, file: FileId, value: crate::javascript::facts::ExprId) -> ValueSet {
        if let Expr::Var(binding, _) = *self.facts(file).expr(value) {
            let binding = self.facts(file).binding(binding);
            if let Some(decl) = self.type_decl(file, binding.name, binding.scope) {
                return self
                    .deeper(|eval| eval.declared_type(file, decl, &[]))
                    .unwrap_or_else(ValueSet::unknown);
            }
        }
        let values = self.expr(file, value);
        Self::made_instances(&values)
    }

    fn made_instances(values: &ValueSet) -> ValueSet {
        let mut made = ValueSet::default();
        for &value in &values.list {
            match (super::maker_of(value), value) {
                (Some(maker), _) => made.push(JavaScriptValue::Instance(maker)),
                (None, JavaScriptValue::Outside(_)) => made.push(value),
                _ => {}
            }
        }
        if made.list.is_empty() {
            return ValueSet::unknown();
        }
        made
    }

    /// Tells whether a type is too vague to follow, without following it.
    pub fn is_vague_type(&self, file: FileId, id: TypeId) -> bool {
        matches!(self.facts(file).ty(id), Type::Unknown | Type::Nothing)
    }
}

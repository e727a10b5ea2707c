//! Members of classes: the order in which classes are searched (C3), methods, variables, fields, and fields that
//! fixtures set.

use std::rc::Rc;
use std::sync::Arc;

use super::context::{BodyContext, Ctx};
use crate::model::UnknownReason;
use crate::python::facts::{Expr, ExprId, Stmt};
use crate::python::project::{BaseClass, Summary};
use crate::python::types::{ClassExactness, ScopeId, Ty, UNKNOWN};
use crate::symbols::{Sym, named};

/// How many supertypes of a class are followed.
const ORDER_MAX: usize = 200;

/// How many classes may wait for the order of their supertypes.
const OPEN_MAX: usize = 60;

/// How many subclasses are searched.
const SUBCLASSES_MAX: usize = 100;

/// How many overriding methods an ambiguous call lists.
const OVERRIDES_MAX: usize = 8;

impl<'p> Ctx<'p> {
    /// Lists the class and its supertypes in method resolution order.
    pub fn order(self, class: ScopeId) -> Arc<[BaseClass]> {
        if let Some(order) = self.project.orders[class.index()].get() {
            return Arc::clone(order);
        }
        {
            let mut open = self.state.orders.borrow_mut();
            if open.len() >= OPEN_MAX || open.contains(&class) {
                self.state.is_order_cut.set(true);
                return Arc::new([BaseClass::Unknown]);
            }
            open.push(class);
        }
        let before = self.state.is_order_cut.replace(false);
        let order: Arc<[BaseClass]> = self.linear(class).into();
        let is_cut = self.state.is_order_cut.get();
        self.state.orders.borrow_mut().pop();
        let is_outermost = self.state.orders.borrow().is_empty();
        self.state
            .is_order_cut
            .set(is_cut && !is_outermost || before);
        if !is_cut || is_outermost {
            let _ = self.project.orders[class.index()].set(Arc::clone(&order));
        }
        order
    }

    /// Merges the orders of the bases by C3; where none of the next classes fits, the first one is taken.
    fn linear(self, class: ScopeId) -> Vec<BaseClass> {
        let bases = self.bases(class);
        if let [BaseClass::Class(only)] = bases.as_slice() {
            let above = self.order(*only);
            let above = above
                .iter()
                .filter(|base_class| **base_class != BaseClass::Class(class));
            let order = std::iter::once(BaseClass::Class(class)).chain(above.cloned());
            return order.take(ORDER_MAX).collect();
        }
        let mut rows: Vec<Vec<BaseClass>> = Vec::new();
        for base in &bases {
            rows.push(match base {
                BaseClass::Class(base_id) => self.order(*base_id).to_vec(),
                other => vec![other.clone()],
            });
        }
        rows.push(bases);
        let mut order = vec![BaseClass::Class(class)];
        loop {
            rows.retain(|row| !row.is_empty());
            if rows.is_empty() || order.len() > ORDER_MAX {
                return order;
            }
            let is_free =
                |base_class: &BaseClass| rows.iter().all(|row| !row[1..].contains(base_class));
            let next = rows
                .iter()
                .map(|row| &row[0])
                .find(|base_class| is_free(base_class));
            let next = next.unwrap_or(&rows[0][0]).clone();
            for row in &mut rows {
                row.retain(|base_class| *base_class != next);
            }
            if !order.contains(&next) {
                order.push(next);
            }
        }
    }

    fn bases(self, class: ScopeId) -> Vec<BaseClass> {
        let scope = *self.project.scope(class);
        let facts = &self.project.file_of(class).facts;
        let parent = self.project.parent(class);
        let mut bases = Vec::new();
        for arg in &facts.args[scope.bases.range()] {
            if arg.name.is_some() || arg.is_star || bases.len() > ORDER_MAX {
                continue;
            }
            let ty = self.base_ty(parent, class, arg.value);
            for part in ty.parts().iter().take(1) {
                let base = match part {
                    Ty::Class(base_id, _) if *base_id == class => continue,
                    Ty::Class(base_id, _) => BaseClass::Class(*base_id),
                    Ty::Lib(path) | Ty::LibInst(path) => BaseClass::Lib(Arc::clone(path)),
                    _ => BaseClass::Unknown,
                };
                if !bases.contains(&base) {
                    bases.push(base);
                }
            }
        }
        bases
    }

    fn base_ty(self, parent: ScopeId, class: ScopeId, value: ExprId) -> Ty {
        let facts = &self.project.file_of(class).facts;
        let name = self.project.name_of(class);
        match facts.expr(value) {
            Expr::Subscript { value, .. } => self.base_ty(parent, class, value),
            // six.with_metaclass(Meta, Base)
            Expr::Call { function, args }
                if facts
                    .dotted(function)
                    .is_some_and(|text| text.ends_with("with_metaclass")) =>
            {
                let args = &facts.args[args.range()];
                args.get(1).map_or(Ty::lib("builtins.object"), |arg| {
                    self.base_ty(parent, class, arg.value)
                })
            }
            _ => self
                .looking(class, name, || Some(self.static_ty(parent, value)))
                .unwrap_or(UNKNOWN),
        }
    }

    /// Finds a member of a class or of its supertypes, and the class that has it.
    pub fn class_member(self, class: ScopeId, name: Sym) -> Option<(ScopeId, Ty)> {
        self.member_in(&self.order(class), name)
    }

    fn member_in(self, order: &[BaseClass], name: Sym) -> Option<(ScopeId, Ty)> {
        order.iter().find_map(|base| match base {
            BaseClass::Class(class) if self.project.is_bound(*class, name) => {
                let ty = self.looking(*class, name, || self.bound(*class, name));
                Some((*class, ty.unwrap_or(UNKNOWN)))
            }
            _ => None,
        })
    }

    /// Finds the function that a class or its supertypes declare under a name.
    pub fn function_member(self, class: ScopeId, name: Sym) -> Option<ScopeId> {
        match self.class_member(class, name)?.1 {
            Ty::Func(function) => Some(function),
            _ => None,
        }
    }

    /// Finds the first supertype outside the project; `object` and classes that only mark others do not count.
    pub fn outside_base(self, class: ScopeId) -> Option<BaseClass> {
        let order = self.order(class);
        let found = order.iter().find(|base| match base {
            BaseClass::Class(_) => false,
            BaseClass::Lib(path) => !is_mark(path),
            BaseClass::Unknown => true,
        });
        found.cloned()
    }

    pub fn is_enum(self, class: ScopeId) -> bool {
        self.order(class).iter().any(|base| {
            matches!(base, BaseClass::Lib(path) if path.starts_with("enum.") && path.ends_with("Enum") || &**path == "enum.Flag" || &**path == "enum.IntFlag")
        })
    }

    /// Makes the object of a call of a class; where the project defines `__new__`, it may be of a subclass.
    pub fn instance_of(self, class: ScopeId, exact: ClassExactness) -> Ty {
        let is_own = self
            .project
            .find("__new__")
            .and_then(|sym| self.class_member(class, sym))
            .is_some();
        match exact {
            ClassExactness::Made if is_own => Ty::Inst(class, ClassExactness::AtLeast),
            exact => Ty::Inst(class, exact),
        }
    }

    /// Tells whether a function is abstract or its body does nothing: subclasses do the work.
    pub fn is_stub(self, function: ScopeId) -> bool {
        if self.decorated(function).is_abstract {
            return true;
        }
        let facts = &self.project.file_of(function).facts;
        let body = facts.block(self.project.scope(function).body);
        body.iter().all(|stmt_id| match facts.stmt(*stmt_id) {
            Stmt::Expr(value) => matches!(facts.expr(value), Expr::Str(_) | Expr::Literal(_)),
            Stmt::Raise(parts) => facts
                .list(parts)
                .first()
                .and_then(|expr_id| facts.decorator(*expr_id))
                .is_some_and(|text| text.starts_with("NotImplemented")),
            Stmt::Other(parts) => parts.is_empty(),
            _ => false,
        })
    }

    pub fn derives(self, class: ScopeId, from: ScopeId) -> bool {
        class == from || self.order(class).contains(&BaseClass::Class(from))
    }

    /// Lists the classes that derive from a class, at any distance.
    pub fn subclasses(self, class: ScopeId) -> &'p [ScopeId] {
        let found = self.project.subclasses.get(&class);
        let found = found.map_or(&[][..], Vec::as_slice);
        &found[..found.len().min(SUBCLASSES_MAX)]
    }

    /// Lists the functions of subclasses that override one.
    pub fn overrides(self, class: ScopeId, function: ScopeId) -> Rc<[ScopeId]> {
        let key = (class, function);
        if let Some(known) = self.state.overrides.borrow().get(&key) {
            return Rc::clone(known);
        }
        let found: Rc<[ScopeId]> = self.overriding(class, function).into();
        let mut overrides = self.state.overrides.borrow_mut();
        overrides.insert(key, Rc::clone(&found));
        found
    }

    fn overriding(self, class: ScopeId, function: ScopeId) -> Vec<ScopeId> {
        let name = self.project.name_of(function);
        let mut found = Vec::new();
        for subclass in self.subclasses(class) {
            // With several bases, a sibling of the declaring class may come before it and override it, too.
            if let Some(other) = self.function_member(*subclass, name)
                && other != function
                && !found.contains(&other)
            {
                found.push(other);
                if found.len() >= OVERRIDES_MAX {
                    break;
                }
            }
        }
        found
    }

    // Members of values.

    /// Finds the type of `value.name`.
    pub fn attr(self, value: &Ty, name: Sym) -> Ty {
        match value {
            Ty::Inst(class, exact) => self.inst_attr(*class, *exact, name),
            Ty::Class(class, exact) => self.class_attr(*class, *exact, name),
            Ty::Module(_) | Ty::Folder(_) | Ty::Lib(_) => self.module_attr(value, name),
            Ty::Str(_) => Ty::lib_inst("builtins.str"),
            Ty::Iter(_) | Ty::Tuple(_) => Ty::lib_inst("builtins.list"),
            Ty::Dict(_) | Ty::Globals(_) => Ty::lib_inst("builtins.dict"),
            Ty::Await(_) | Ty::Context(_) => Ty::lib_inst("contextlib"),
            Ty::Func(_) | Ty::Bound(..) => self.function_attr(value, name),
            Ty::Wrapped(_) | Ty::Property(_) | Ty::Callable(_) => Ty::lib_inst("builtins.function"),
            Ty::Union(parts) => Ty::join_all(parts.iter().map(|ty| self.attr(ty, name))),
            Ty::Super(class, receiver) => self.super_attr(*class, receiver, name),
            Ty::Request(fixture, class) => self.request_attr(*fixture, *class, name),
            Ty::None | Ty::Param(_) => UNKNOWN,
            Ty::LibInst(_) | Ty::Unknown(_) => value.clone(),
        }
    }

    fn function_attr(self, value: &Ty, name: Sym) -> Ty {
        match self.project.word(name) {
            "__wrapped__" | "__func__" => value.clone(),
            "__self__" => match value {
                Ty::Bound(_, receiver) => (**receiver).clone(),
                _ => UNKNOWN,
            },
            // Other members are unknown: decorators add some to functions.
            "__name__" | "__doc__" | "__module__" | "__qualname__" => Ty::lib_inst("builtins.str"),
            _ => UNKNOWN,
        }
    }

    /// Binds a class's member to an object: a method gets its receiver, a property is evaluated.
    pub fn bind(self, held: Ty, receiver: &Ty) -> Ty {
        match held {
            Ty::Func(function) => {
                let decorated = self.decorated(function);
                if decorated.is_static {
                    Ty::Func(function)
                } else if decorated.is_class {
                    Ty::Bound(function, Arc::new(class_of(receiver)))
                } else if decorated.is_property {
                    self.result(function, Some(receiver), &[])
                } else if self.is_built_by_class(function) {
                    Ty::Bound(function, Arc::new(class_of(receiver)))
                } else {
                    Ty::Bound(function, Arc::new(receiver.clone()))
                }
            }
            Ty::Property(function) => self.result(function, Some(receiver), &[]),
            Ty::Union(parts) => {
                Ty::join_all(parts.iter().map(|ty| self.bind(ty.clone(), receiver)))
            }
            other => other,
        }
    }

    fn is_built_by_class(self, function: ScopeId) -> bool {
        let word = self.project.word(self.project.name_of(function));
        matches!(word, "__new__" | "__init_subclass__" | "__class_getitem__")
    }

    fn inst_attr(self, class: ScopeId, exact: ClassExactness, name: Sym) -> Ty {
        let receiver = Ty::Inst(class, exact);
        match self.held(class, name, &receiver) {
            // Subclasses may replace a value: theirs count, too.
            Some(ty)
                if exact == ClassExactness::Own && !matches!(ty, Ty::Func(_) | Ty::Bound(..)) =>
            {
                return match self.held_below(class, name, true) {
                    Some(below) => ty.join(below),
                    None => ty,
                };
            }
            Some(ty) => return ty,
            None => {}
        }
        match self.project.word(name) {
            "__class__" => return Ty::Class(class, exact),
            "__dict__" => return Ty::lib_inst("builtins.dict"),
            "__doc__" | "__module__" => return Ty::lib_inst("builtins.str"),
            _ => {}
        }
        if let Some(ty) = self.class_field(class, name) {
            return ty;
        }
        if exact != ClassExactness::Made
            && let Some(ty) = self.held_below(class, name, false)
        {
            return ty;
        }
        self.missing(class, name, "__getattr__")
    }

    /// Finds the type of an object's member: the nearest of its classes that has it decides, by field or variable.
    fn held(self, class: ScopeId, name: Sym, receiver: &Ty) -> Option<Ty> {
        for base in &*self.order(class) {
            let BaseClass::Class(at) = base else { continue };
            let bound = if self.project.is_bound(*at, name) {
                self.looking(*at, name, || self.bound(*at, name))
            } else {
                None
            };
            match bound {
                Some(ty @ (Ty::Func(_) | Ty::Class(..) | Ty::Property(_))) => {
                    return Some(self.bind(ty, receiver));
                }
                bound => {
                    let field = self.field(*at, name);
                    let bound = bound.map(|ty| self.bind(ty, receiver));
                    let held = match (bound, field) {
                        (Some(Ty::None), Some(field)) => Some(field),
                        (Some(bound), None | Some(Ty::None)) => Some(bound),
                        (Some(bound), Some(field)) if bound.is_unknown() => Some(field),
                        (Some(bound), Some(field)) if field.is_unknown() => Some(bound),
                        (Some(bound), Some(field)) => Some(bound.join(field)),
                        (None, field) => field,
                    };
                    if let Some(held) = held {
                        return Some(self.place(held, receiver));
                    }
                }
            }
        }
        None
    }

    /// Replaces `self` in a member's type by the object at hand.
    fn place(self, held: Ty, receiver: &Ty) -> Ty {
        self.replaced(held, Some(receiver), &[], 0)
    }

    /// Finds the type of a field from what methods of a class assign to it: constructors, set-up methods and fixtures,
    /// else the others.
    fn field(self, class: ScopeId, name: Sym) -> Option<Ty> {
        let assigns = self.project.fields.get(&class)?;
        let mut makers = Vec::new();
        let mut others = Vec::new();
        for (_, function) in named(assigns, name) {
            let word = self.project.word(self.project.name_of(*function));
            let list = if is_maker(word) || self.decorated(*function).is_fixture {
                &mut makers
            } else {
                &mut others
            };
            if !list.contains(function) {
                list.push(*function);
            }
        }
        if makers.is_empty() && others.is_empty() {
            return None;
        }
        let given = |functions: &[ScopeId]| {
            Ty::join_all(functions.iter().take(20).map(|function| {
                let read = |summary: &Summary| Summary::get(&summary.fields, name).cloned();
                self.summary(*function, read).flatten().unwrap_or(UNKNOWN)
            }))
        };
        let made = given(&makers);
        Some(match made {
            // A field that begins as `None` is filled elsewhere.
            Ty::None => given(&others),
            made => made,
        })
    }

    /// Finds the type of a member that subclasses of an object's class declare: one that a mix-in counts on, or with
    /// `is_replaced` one that they replace.
    fn held_below(self, class: ScopeId, name: Sym, is_replaced: bool) -> Option<Ty> {
        let mut found = Ty::None;
        let mut n_found = 0;
        for subclass in self.subclasses(class) {
            if is_replaced && !self.project.is_bound(*subclass, name) {
                continue;
            }
            let receiver = Ty::Inst(*subclass, ClassExactness::AtLeast);
            if let Some(ty) = self
                .held(*subclass, name, &receiver)
                .or_else(|| self.class_field(*subclass, name))
            {
                found = found.join(ty);
                n_found += 1;
                if n_found >= OVERRIDES_MAX {
                    break;
                }
            }
        }
        (n_found > 0).then_some(found)
    }

    /// Finds the type of a member that no class of the project declares: unknown where the class has the method `hook`,
    /// else of the library if a supertype is outside.
    fn missing(self, class: ScopeId, name: Sym, hook: &str) -> Ty {
        if let Some(hook) = self.project.find(hook)
            && self.class_member(class, hook).is_some()
        {
            return UNKNOWN;
        }
        match self.outside_base(class) {
            Some(BaseClass::Lib(path)) => Ty::lib(&format!("{path}.{}", self.project.word(name))),
            Some(_) => Ty::Unknown(UnknownReason::ClassNotFound),
            None if is_of_object(self.project.word(name)) => {
                Ty::lib(&format!("builtins.object.{}", self.project.word(name)))
            }
            None => Ty::Unknown(UnknownReason::MethodNotFound),
        }
    }

    fn class_attr(self, class: ScopeId, exact: ClassExactness, name: Sym) -> Ty {
        if let Some((owner, held)) = self.class_member(class, name) {
            return match held {
                Ty::Func(function) => {
                    let decorated = self.decorated(function);
                    if decorated.is_class {
                        Ty::Bound(function, Arc::new(Ty::Class(class, exact)))
                    } else if decorated.is_property {
                        UNKNOWN
                    } else {
                        Ty::Func(function)
                    }
                }
                held @ Ty::Class(..) => held,
                held => {
                    if self.is_enum(owner) && !self.project.word(name).starts_with('_') {
                        return Ty::Inst(class, exact);
                    }
                    self.place(held, &Ty::Inst(class, exact))
                }
            };
        }
        match self.project.word(name) {
            "__name__" | "__qualname__" if exact == ClassExactness::Made => {
                let word = self.project.word(self.project.name_of(class));
                return Ty::Str(word.into());
            }
            "__name__" | "__qualname__" | "__module__" | "__doc__" => {
                return Ty::lib_inst("builtins.str");
            }
            "__mro__" | "__bases__" | "__dict__" | "__subclasses__" => {
                return Ty::lib_inst("builtins.type");
            }
            _ => {}
        }
        if let Some(ty) = self.field(class, name) {
            return ty;
        }
        if exact == ClassExactness::Own
            && let Some(ty) = self.held_below(class, name, false)
        {
            return ty;
        }
        self.missing(class, name, "__metaclass__")
    }

    fn super_attr(self, class: ScopeId, receiver: &Ty, name: Sym) -> Ty {
        let from = match receiver {
            Ty::Inst(receiver_class, ClassExactness::Made)
            | Ty::Class(receiver_class, ClassExactness::Made) => *receiver_class,
            _ => class,
        };
        let order = self.order(from);
        let at = order
            .iter()
            .position(|base_class| *base_class == BaseClass::Class(class));
        let rest = at.map_or(&order[..0], |at| &order[at + 1..]);
        if let Some((_, held)) = self.member_in(rest, name) {
            return self.bind(held, receiver);
        }
        let outside = rest.iter().find_map(|base| match base {
            BaseClass::Lib(path) => Some(format!("{path}.{}", self.project.word(name))),
            _ => None,
        });
        match outside {
            Some(path) => Ty::lib(&path),
            None if rest.contains(&BaseClass::Unknown) => Ty::Unknown(UnknownReason::ClassNotFound),
            None => Ty::lib(&format!("builtins.object.{}", self.project.word(name))),
        }
    }

    fn request_attr(self, fixture: ScopeId, class: Option<ScopeId>, name: Sym) -> Ty {
        match (self.project.word(name), class) {
            ("param", _) => self.fixture_param(fixture),
            ("cls", Some(class)) => Ty::Class(class, ClassExactness::Made),
            ("instance", Some(class)) => Ty::Inst(class, ClassExactness::Made),
            ("cls" | "instance", None) => UNKNOWN,
            _ => Ty::lib_inst("pytest.FixtureRequest"),
        }
    }

    /// Finds the type of `request.param` in a fixture: `@pytest.fixture(params=[…])`.
    fn fixture_param(self, fixture: ScopeId) -> Ty {
        let scope = *self.project.scope(fixture);
        let facts = &self.project.file_of(fixture).facts;
        let Some(params) = facts.decorated(scope.decorators, "params").next() else {
            return UNKNOWN;
        };
        let values = self.static_ty(self.project.parent(fixture), params);
        values.element().unwrap_or(UNKNOWN)
    }

    // What fixtures set on the class of a test.

    /// Finds the type of a field that the fixtures of a class set by `request.cls.name = …`.
    fn class_field(self, class: ScopeId, name: Sym) -> Option<Ty> {
        let fixtures = &self.project.fixtures;
        let setters = fixtures.class_setters.get(&name)?;
        let used = self.used_fixtures(class);
        let mut found: Option<Ty> = None;
        for fixture in used
            .into_iter()
            .filter(|scope_id| setters.contains(scope_id))
        {
            let given = BodyContext {
                params: Vec::new(),
                test_class: Some(class),
            };
            let Some(summary) = self.walk(fixture, &given) else {
                continue;
            };
            if let Some(ty) = Summary::get(&summary.class_fields, name) {
                found = Some(match found {
                    Some(known) => known.join(ty.clone()),
                    None => ty.clone(),
                });
            }
        }
        found
    }
}

/// Returns the class of an object, or the class itself.
fn class_of(receiver: &Ty) -> Ty {
    match receiver {
        Ty::Inst(class, exact) => Ty::Class(*class, *exact),
        other => other.clone(),
    }
}

/// Tells whether a method initialises fields.
fn is_maker(name: &str) -> bool {
    matches!(
        name,
        "__init__"
            | "__new__"
            | "__post_init__"
            | "__attrs_post_init__"
            | "__enter__"
            | "__aenter__"
    ) || is_set_up(name)
}

/// Tells whether a function's name makes it run before tests.
pub fn is_set_up(name: &str) -> bool {
    matches!(
        name,
        "setUp"
            | "setUpClass"
            | "setUpTestData"
            | "asyncSetUp"
            | "setup"
            | "setup_method"
            | "setup_class"
            | "setUpModule"
            | "setup_module"
            | "setup_function"
    )
}

/// Tells whether a library's class only marks those that derive from it.
fn is_mark(path: &str) -> bool {
    matches!(
        path,
        "builtins.object"
            | "typing.Generic"
            | "typing.Protocol"
            | "abc.ABC"
            | "typing_extensions.Protocol"
    )
}

/// Tells whether every object has a member of that name.
fn is_of_object(name: &str) -> bool {
    matches!(
        name,
        "__init__"
            | "__new__"
            | "__eq__"
            | "__ne__"
            | "__hash__"
            | "__repr__"
            | "__str__"
            | "__setattr__"
            | "__getattribute__"
            | "__delattr__"
            | "__reduce__"
            | "__reduce_ex__"
            | "__format__"
            | "__sizeof__"
            | "__dir__"
            | "__init_subclass__"
            | "__subclasshook__"
            | "mro"
    )
}

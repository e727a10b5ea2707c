//! Functions of libraries whose result is said by what they are given.

use std::sync::Arc;

use super::Walker;
use super::call::Argument;
use crate::python::types::{Exact, Ty, UNKNOWN};

/// What a function of a library gives, as far as it is said by what it is given.
enum Gives {
    /// Its first argument.
    First,
    /// The first argument, where that is a value that is known.
    Value,
    /// The first argument, where that is a function.
    Function,
    /// The first argument, where that is a dictionary.
    Dict,
    /// A function around the first argument.
    Wrapped,
    /// A function around the first argument, or the class that it is.
    Partial,
    /// What the first argument holds, or the second argument.
    Element,
    /// What the first argument holds, one after the other.
    Elements,
    ElementsOfSecond,
    /// What all arguments hold, one after the other.
    Chain,
    /// What all arguments hold, side by side.
    Pairs,
    /// What the first argument holds, each with its number.
    Numbered,
    /// Something that `with` makes the first argument of.
    Context,
    Property,
    /// The class that is its second argument.
    Second,
    /// Values of a test's parameters.
    Parameters,
    Special(fn(&mut Walker<'_>, Option<&Ty>, &[Argument]) -> Option<Ty>),
}

/// Functions of libraries, sorted.
const KNOWN: &[(&str, Gives)] = &[
    (
        "anyio.run",
        Gives::Special(|it, first, _| it.known_run(first)),
    ),
    ("asyncio.create_task", Gives::Value),
    ("asyncio.ensure_future", Gives::Value),
    (
        "asyncio.run",
        Gives::Special(|it, first, _| it.known_run(first)),
    ),
    (
        "asyncio.run_until_complete",
        Gives::Special(|it, first, _| it.known_run(first)),
    ),
    ("asyncio.shield", Gives::Value),
    ("asyncio.wait_for", Gives::Value),
    (
        "builtins.__import__",
        Gives::Special(|it, first, _| it.known_import(first)),
    ),
    ("builtins.anext", Gives::Element),
    ("builtins.classmethod", Gives::First),
    ("builtins.dict", Gives::Dict),
    ("builtins.enumerate", Gives::Numbered),
    ("builtins.filter", Gives::ElementsOfSecond),
    ("builtins.frozenset", Gives::Elements),
    (
        "builtins.getattr",
        Gives::Special(|it, first, arguments| Some(it.known_getattr(first, arguments))),
    ),
    (
        "builtins.globals",
        Gives::Special(|it, _, _| Some(Ty::Globals(it.file_id))),
    ),
    ("builtins.iter", Gives::Elements),
    ("builtins.list", Gives::Elements),
    (
        "builtins.map",
        Gives::Special(|it, first, _| it.known_map(first)),
    ),
    ("builtins.max", Gives::Element),
    ("builtins.min", Gives::Element),
    ("builtins.next", Gives::Element),
    ("builtins.property", Gives::Property),
    ("builtins.reversed", Gives::Elements),
    ("builtins.set", Gives::Elements),
    ("builtins.sorted", Gives::Elements),
    ("builtins.staticmethod", Gives::Wrapped),
    ("builtins.tuple", Gives::Elements),
    (
        "builtins.type",
        Gives::Special(|_, first, arguments| Walker::known_type(first, arguments)),
    ),
    ("builtins.zip", Gives::Pairs),
    ("collections.deque", Gives::Elements),
    ("contextlib.aclosing", Gives::Context),
    ("contextlib.closing", Gives::Context),
    ("contextlib.nullcontext", Gives::Value),
    ("copy.copy", Gives::Value),
    ("copy.deepcopy", Gives::Value),
    ("dataclasses.replace", Gives::Value),
    ("functools.cache", Gives::Wrapped),
    ("functools.lru_cache", Gives::Wrapped),
    ("functools.partial", Gives::Partial),
    ("functools.partialmethod", Gives::Partial),
    ("functools.singledispatch", Gives::Wrapped),
    ("functools.wraps", Gives::Wrapped),
    (
        "importlib.import_module",
        Gives::Special(|it, first, _| it.known_import(first)),
    ),
    ("importlib.reload", Gives::First),
    ("itertools.chain", Gives::Chain),
    ("itertools.islice", Gives::Elements),
    ("pickle.dumps", Gives::Value),
    ("pickle.loads", Gives::Value),
    ("pytest.fixture", Gives::Function),
    (
        "pytest.importorskip",
        Gives::Special(|it, first, _| it.known_import(first)),
    ),
    ("pytest.param", Gives::Parameters),
    ("random.choice", Gives::Element),
    (
        "trio.run",
        Gives::Special(|it, first, _| it.known_run(first)),
    ),
    ("typing.NewType", Gives::Second),
    (
        "typing.TypeVar",
        Gives::Special(|it, _, arguments| Some(it.known_type_var(arguments))),
    ),
    (
        "typing.cast",
        Gives::Special(|it, _, arguments| Some(it.annotation(arguments.first()?.id))),
    ),
    (
        "typing_extensions.TypeVar",
        Gives::Special(|it, _, arguments| Some(it.known_type_var(arguments))),
    ),
    (
        "typing_extensions.cast",
        Gives::Special(|it, _, arguments| Some(it.annotation(arguments.first()?.id))),
    ),
    ("weakref.proxy", Gives::Value),
];

fn elements(arguments: &[Argument]) -> impl Iterator<Item = Ty> {
    let held = arguments.iter().map(|it| it.ty.element());
    held.map(|it| it.unwrap_or(UNKNOWN))
}

/// `pytest.param(…)`.
fn parameters(arguments: &[Argument]) -> Ty {
    if let [one] = arguments {
        return one.ty.clone();
    }
    let values = arguments.iter().filter(|it| it.name.is_none());
    let values: Vec<Ty> = values.map(|it| it.ty.clone()).collect();
    match values.as_slice() {
        [one] => one.clone(),
        _ => Ty::tuple(values),
    }
}

impl Walker<'_> {
    /// Evaluates a call of a known library function.
    pub(super) fn known_function(
        &mut self,
        path: &str,
        first: Option<&Ty>,
        arguments: &[Argument],
    ) -> Option<Ty> {
        let at = KNOWN.binary_search_by_key(&path, |it| it.0).ok()?;
        let second = arguments.get(1).map(|it| &it.ty);
        match KNOWN[at].1 {
            Gives::First => first.cloned(),
            Gives::Value => match first? {
                Ty::Tuple(_)
                | Ty::Dict(_)
                | Ty::Iter(_)
                | Ty::Inst(..)
                | Ty::Await(_)
                | Ty::Class(..) => first.cloned(),
                _ => None,
            },
            Gives::Function => match first? {
                Ty::Func(_) => first.cloned(),
                _ => None,
            },
            Gives::Dict => match first? {
                it @ Ty::Dict(_) => Some(it.clone()),
                _ => None,
            },
            Gives::Wrapped => match first? {
                it @ (Ty::Func(_) | Ty::Bound(..)) => Some(Ty::Wrapped(Arc::new(it.clone()))),
                _ => None,
            },
            Gives::Partial => Some(match first? {
                it @ (Ty::Func(_) | Ty::Bound(..)) => Ty::Wrapped(Arc::new(it.clone())),
                Ty::Class(class, exact) => Ty::Class(*class, *exact),
                _ => UNKNOWN,
            }),
            Gives::Element => first?.element().or_else(|| second.cloned()),
            Gives::Elements => Some(Ty::iter(first?.element()?)),
            Gives::ElementsOfSecond => Some(Ty::iter(second?.element()?)),
            Gives::Chain => Some(Ty::iter(Ty::join_all(elements(arguments)))),
            Gives::Pairs => Some(Ty::iter(Ty::tuple(elements(arguments).collect()))),
            Gives::Numbered => {
                let number = Ty::lib_inst("builtins.int");
                Some(Ty::iter(Ty::tuple(vec![number, first?.element()?])))
            }
            Gives::Context => Some(Ty::context(first?.clone())),
            Gives::Property => Some(match first? {
                Ty::Func(function) => Ty::Property(*function),
                _ => UNKNOWN,
            }),
            Gives::Second => Some(match second? {
                Ty::Class(class, exact) => Ty::Class(*class, *exact),
                _ => UNKNOWN,
            }),
            Gives::Parameters => Some(parameters(arguments)),
            Gives::Special(special) => special(self, first, arguments),
        }
    }

    /// `getattr(value, "name")`.
    fn known_getattr(&mut self, first: Option<&Ty>, arguments: &[Argument]) -> Ty {
        let second = arguments.get(1).map(|it| &it.ty);
        let (Some(value), Some(Ty::Str(name))) = (first, second) else {
            return UNKNOWN;
        };
        let name = self.project.find(name);
        name.map_or(UNKNOWN, |name| self.ctx.attr(value, name))
    }

    /// `type(value)`, `type(name, bases, members)`.
    fn known_type(first: Option<&Ty>, arguments: &[Argument]) -> Option<Ty> {
        Some(match (arguments.len(), first?) {
            (1, Ty::Inst(class, exact)) => Ty::Class(*class, *exact),
            (1, Ty::LibInst(path)) => Ty::Lib(path.clone()),
            (3, _) => match arguments[1].ty.element()? {
                Ty::Class(class, _) => Ty::Class(class, Exact::AtLeast),
                _ => UNKNOWN,
            },
            _ => UNKNOWN,
        })
    }

    /// `map(function, values)`.
    fn known_map(&mut self, first: Option<&Ty>) -> Option<Ty> {
        Some(Ty::iter(self.call_result(first?, &[])))
    }

    /// `asyncio.run(…)`.
    fn known_run(&mut self, first: Option<&Ty>) -> Option<Ty> {
        match first? {
            Ty::Await(value) => Some((**value).clone()),
            function @ (Ty::Func(_) | Ty::Bound(..)) => {
                Some(match self.call_result(function, &[]) {
                    Ty::Await(value) => (*value).clone(),
                    other => other,
                })
            }
            _ => None,
        }
    }

    /// `TypeVar("T", bound=…)`.
    fn known_type_var(&mut self, arguments: &[Argument]) -> Ty {
        let mut named = arguments.iter();
        let bound = named.find(|it| it.name.is_some_and(|it| self.project.word(it) == "bound"));
        match bound.map(|it| (&it.ty, it.id)) {
            Some((Ty::Str(path), _)) => self.named(path),
            Some((_, id)) => self.annotation(id),
            None => UNKNOWN,
        }
    }

    /// `importlib.import_module("name")`.
    fn known_import(&mut self, first: Option<&Ty>) -> Option<Ty> {
        Some(match first? {
            Ty::Str(module) => self.ctx.module_ty(self.file_id, module),
            _ => UNKNOWN,
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn functions_are_sorted() {
        assert!(super::KNOWN.is_sorted_by_key(|it| it.0));
    }
}

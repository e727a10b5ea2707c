//! Library functions whose results follow from their arguments.

use std::sync::Arc;

use super::PythonWalker;
use super::call::Argument;
use crate::python::types::{ClassExactness, Ty, UNKNOWN};

/// How a library function's result follows from its arguments.
enum ReturnRule {
    /// Its first argument.
    First,
    /// The first argument, where that is a container, an object, a class or something to await.
    Value,
    /// The first argument, where that is a function.
    Function,
    /// The first argument, where that is a dictionary.
    Dict,
    /// A function around the first argument.
    Wrapped,
    /// A function around the first argument, or the class that it is.
    Partial,
    /// An element of the first argument, else the second argument.
    Element,
    /// The elements of the first argument.
    Elements,
    ElementsOfSecond,
    /// The elements of all arguments, one after the other.
    Chain,
    /// The elements of all arguments, side by side in tuples.
    Pairs,
    /// The elements of the first argument, each with its number.
    Numbered,
    /// A value whose `with` gives the first argument.
    Context,
    Property,
    /// The class that is its second argument.
    Second,
    /// Values of a test's parameters.
    Parameters,
    Special(fn(&mut PythonWalker<'_>, Option<&Ty>, &[Argument]) -> Option<Ty>),
}

/// Known functions of libraries, sorted by path.
const KNOWN: &[(&str, ReturnRule)] = &[
    (
        "anyio.run",
        ReturnRule::Special(|walker, first, _| walker.known_run(first)),
    ),
    ("asyncio.create_task", ReturnRule::Value),
    ("asyncio.ensure_future", ReturnRule::Value),
    (
        "asyncio.run",
        ReturnRule::Special(|walker, first, _| walker.known_run(first)),
    ),
    (
        "asyncio.run_until_complete",
        ReturnRule::Special(|walker, first, _| walker.known_run(first)),
    ),
    ("asyncio.shield", ReturnRule::Value),
    ("asyncio.wait_for", ReturnRule::Value),
    (
        "builtins.__import__",
        ReturnRule::Special(|walker, first, _| walker.known_import(first)),
    ),
    ("builtins.anext", ReturnRule::Element),
    ("builtins.classmethod", ReturnRule::First),
    ("builtins.dict", ReturnRule::Dict),
    ("builtins.enumerate", ReturnRule::Numbered),
    ("builtins.filter", ReturnRule::ElementsOfSecond),
    ("builtins.frozenset", ReturnRule::Elements),
    (
        "builtins.getattr",
        ReturnRule::Special(|walker, first, arguments| {
            Some(walker.known_getattr(first, arguments))
        }),
    ),
    (
        "builtins.globals",
        ReturnRule::Special(|walker, _, _| Some(Ty::Globals(walker.file_id))),
    ),
    ("builtins.iter", ReturnRule::Elements),
    ("builtins.list", ReturnRule::Elements),
    (
        "builtins.map",
        ReturnRule::Special(|walker, first, _| walker.known_map(first)),
    ),
    ("builtins.max", ReturnRule::Element),
    ("builtins.min", ReturnRule::Element),
    ("builtins.next", ReturnRule::Element),
    ("builtins.property", ReturnRule::Property),
    ("builtins.reversed", ReturnRule::Elements),
    ("builtins.set", ReturnRule::Elements),
    ("builtins.sorted", ReturnRule::Elements),
    ("builtins.staticmethod", ReturnRule::Wrapped),
    ("builtins.tuple", ReturnRule::Elements),
    (
        "builtins.type",
        ReturnRule::Special(|_, first, arguments| PythonWalker::known_type(first, arguments)),
    ),
    ("builtins.zip", ReturnRule::Pairs),
    ("collections.deque", ReturnRule::Elements),
    ("contextlib.aclosing", ReturnRule::Context),
    ("contextlib.closing", ReturnRule::Context),
    ("contextlib.nullcontext", ReturnRule::Value),
    ("copy.copy", ReturnRule::Value),
    ("copy.deepcopy", ReturnRule::Value),
    ("dataclasses.replace", ReturnRule::Value),
    ("functools.cache", ReturnRule::Wrapped),
    ("functools.lru_cache", ReturnRule::Wrapped),
    ("functools.partial", ReturnRule::Partial),
    ("functools.partialmethod", ReturnRule::Partial),
    ("functools.singledispatch", ReturnRule::Wrapped),
    ("functools.wraps", ReturnRule::Wrapped),
    (
        "importlib.import_module",
        ReturnRule::Special(|walker, first, _| walker.known_import(first)),
    ),
    ("importlib.reload", ReturnRule::First),
    ("itertools.chain", ReturnRule::Chain),
    ("itertools.islice", ReturnRule::Elements),
    ("pickle.dumps", ReturnRule::Value),
    ("pickle.loads", ReturnRule::Value),
    ("pytest.fixture", ReturnRule::Function),
    (
        "pytest.importorskip",
        ReturnRule::Special(|walker, first, _| walker.known_import(first)),
    ),
    ("pytest.param", ReturnRule::Parameters),
    ("random.choice", ReturnRule::Element),
    (
        "trio.run",
        ReturnRule::Special(|walker, first, _| walker.known_run(first)),
    ),
    ("typing.NewType", ReturnRule::Second),
    (
        "typing.TypeVar",
        ReturnRule::Special(|walker, _, arguments| Some(walker.known_type_var(arguments))),
    ),
    (
        "typing.cast",
        ReturnRule::Special(|walker, _, arguments| Some(walker.annotation(arguments.first()?.id))),
    ),
    (
        "typing_extensions.TypeVar",
        ReturnRule::Special(|walker, _, arguments| Some(walker.known_type_var(arguments))),
    ),
    (
        "typing_extensions.cast",
        ReturnRule::Special(|walker, _, arguments| Some(walker.annotation(arguments.first()?.id))),
    ),
    ("weakref.proxy", ReturnRule::Value),
];

fn elements(arguments: &[Argument]) -> impl Iterator<Item = Ty> {
    let held = arguments.iter().map(|argument| argument.ty.element());
    held.map(|ty| ty.unwrap_or(UNKNOWN))
}

/// `pytest.param(…)`.
fn parameters(arguments: &[Argument]) -> Ty {
    if let [one] = arguments {
        return one.ty.clone();
    }
    let values = arguments.iter().filter(|argument| argument.name.is_none());
    let values: Vec<Ty> = values.map(|argument| argument.ty.clone()).collect();
    match values.as_slice() {
        [one] => one.clone(),
        _ => Ty::tuple(values),
    }
}

impl PythonWalker<'_> {
    /// Finds the type of a library function's result; nothing where neither the table nor the arguments tell.
    pub(super) fn known_function(
        &mut self,
        path: &str,
        first: Option<&Ty>,
        arguments: &[Argument],
    ) -> Option<Ty> {
        let at = KNOWN.binary_search_by_key(&path, |pair| pair.0).ok()?;
        let second = arguments.get(1).map(|argument| &argument.ty);
        match KNOWN[at].1 {
            ReturnRule::First => first.cloned(),
            ReturnRule::Value => match first? {
                Ty::Tuple(_)
                | Ty::Dict(_)
                | Ty::Iter(_)
                | Ty::Inst(..)
                | Ty::Await(_)
                | Ty::Class(..) => first.cloned(),
                _ => None,
            },
            ReturnRule::Function => match first? {
                Ty::Func(_) => first.cloned(),
                _ => None,
            },
            ReturnRule::Dict => match first? {
                dict @ Ty::Dict(_) => Some(dict.clone()),
                _ => None,
            },
            ReturnRule::Wrapped => match first? {
                function @ (Ty::Func(_) | Ty::Bound(..)) => {
                    Some(Ty::Wrapped(Arc::new(function.clone())))
                }
                _ => None,
            },
            ReturnRule::Partial => Some(match first? {
                function @ (Ty::Func(_) | Ty::Bound(..)) => Ty::Wrapped(Arc::new(function.clone())),
                Ty::Class(class, exact) => Ty::Class(*class, *exact),
                _ => UNKNOWN,
            }),
            ReturnRule::Element => first?.element().or_else(|| second.cloned()),
            ReturnRule::Elements => Some(Ty::iter(first?.element()?)),
            ReturnRule::ElementsOfSecond => Some(Ty::iter(second?.element()?)),
            ReturnRule::Chain => Some(Ty::iter(Ty::join_all(elements(arguments)))),
            ReturnRule::Pairs => Some(Ty::iter(Ty::tuple(elements(arguments).collect()))),
            ReturnRule::Numbered => {
                let number = Ty::lib_inst("builtins.int");
                Some(Ty::iter(Ty::tuple(vec![number, first?.element()?])))
            }
            ReturnRule::Context => Some(Ty::context(first?.clone())),
            ReturnRule::Property => Some(match first? {
                Ty::Func(function) => Ty::Property(*function),
                _ => UNKNOWN,
            }),
            ReturnRule::Second => Some(match second? {
                Ty::Class(class, exact) => Ty::Class(*class, *exact),
                _ => UNKNOWN,
            }),
            ReturnRule::Parameters => Some(parameters(arguments)),
            ReturnRule::Special(special) => special(self, first, arguments),
        }
    }

    /// `getattr(value, "name")`.
    fn known_getattr(&mut self, first: Option<&Ty>, arguments: &[Argument]) -> Ty {
        let second = arguments.get(1).map(|argument| &argument.ty);
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
                Ty::Class(class, _) => Ty::Class(class, ClassExactness::AtLeast),
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
        let bound = named.find(|argument| {
            argument
                .name
                .is_some_and(|sym| self.project.word(sym) == "bound")
        });
        match bound.map(|argument| (&argument.ty, argument.id)) {
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
        assert!(super::KNOWN.is_sorted_by_key(|pair| pair.0));
    }
}

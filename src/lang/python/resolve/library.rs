//! Knowledge of Python's built-in names, of containers, and of pytest and its best known plug-ins.

use std::sync::Arc;

use super::PythonWalker;
use super::call::Argument;
use crate::python::facts::{Expr, ExprId};
use crate::python::types::{ClassExactness, ScopeId, Ty, UNKNOWN};

const BUILT_IN: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__build_class__",
    "__import__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "basestring",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "long",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "unichr",
    "unicode",
    "vars",
    "xrange",
    "zip",
];

/// Tells whether a name is built into Python.
pub fn is_built_in(word: &str) -> bool {
    BUILT_IN.binary_search(&word).is_ok()
}

/// Names the library type that pytest or one of its best known plug-ins gives to a parameter of this name.
pub fn fixture_of_pytest(word: &str) -> Option<&'static str> {
    Some(match word {
        "monkeypatch" => "pytest.MonkeyPatch",
        "tmp_path" => "pathlib.Path",
        "tmpdir" => "py.path.local",
        "tmp_path_factory" | "tmpdir_factory" => "pytest.TempPathFactory",
        "capsys" | "capfd" | "capsysbinary" | "capfdbinary" => "pytest.CaptureFixture",
        "caplog" => "pytest.LogCaptureFixture",
        "recwarn" => "pytest.WarningsRecorder",
        "pytestconfig" => "pytest.Config",
        "pytester" | "testdir" => "pytest.Pytester",
        "cache" => "pytest.Cache",
        "record_property" | "record_testsuite_property" | "doctest_namespace" => "pytest",
        "mocker" | "class_mocker" | "module_mocker" | "session_mocker" | "package_mocker" => {
            "pytest_mock.MockerFixture"
        }
        "benchmark" => "pytest_benchmark.fixture",
        "event_loop" => "asyncio",
        "faker" => "faker.Faker",
        "httpx_mock" => "pytest_httpx.HTTPXMock",
        "requests_mock" => "requests_mock.Mocker",
        "freezer" => "freezegun.api",
        _ => return None,
    })
}

/// Names the methods that a built-in function tries on its argument, in order.
fn protocol_of(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "len" => &["__len__"],
        "str" => &["__str__", "__repr__"],
        "repr" => &["__repr__"],
        "aiter" => &["__aiter__"],
        "next" => &["__next__"],
        "anext" => &["__anext__"],
        "hash" => &["__hash__"],
        "bool" => &["__bool__", "__len__"],
        "int" => &["__int__", "__index__"],
        "float" => &["__float__"],
        "complex" => &["__complex__"],
        "bytes" => &["__bytes__"],
        "abs" => &["__abs__"],
        "round" => &["__round__"],
        "reversed" => &["__reversed__"],
        "format" => &["__format__"],
        "dir" => &["__dir__"],
        "iter" | "list" | "tuple" | "set" | "frozenset" | "sorted" | "enumerate" => &["__iter__"],
        _ => return None,
    })
}

impl PythonWalker<'_> {
    /// Notes a call of a library's function that is known here, and returns the type of its result; nothing for others.
    pub(super) fn library_call(
        &mut self,
        id: ExprId,
        (function, path): (ExprId, &Arc<str>),
        arguments: &[Argument],
    ) -> Option<Ty> {
        let first = arguments
            .first()
            .filter(|argument| !argument.is_star)
            .map(|argument| argument.ty.clone());
        if let Some(name) = path.strip_prefix("builtins.") {
            if name == "super" {
                return Some(self.super_object(arguments));
            }
            if let (Some(first), Some(methods)) = (&first, protocol_of(name)) {
                let token = self.facts.token(function);
                let place = (token, name.len() as u32);
                for method in methods {
                    if let Some(given) = self.operator(id, place, (first, method)) {
                        return Some(self.by_protocol(name, given, id));
                    }
                }
            }
        }
        let given = self.known_function(path, first.as_ref(), arguments)?;
        self.note_outside(id, function, (path, arguments.len()));
        Some(given)
    }

    /// Finds the type of a built-in function's result after its protocol method gave `given`.
    fn by_protocol(&mut self, name: &str, given: Ty, id: ExprId) -> Ty {
        let record = self.record.take();
        let value = match name {
            "len" | "int" | "hash" => Ty::lib_inst("builtins.int"),
            "str" | "repr" | "format" => Ty::lib_inst("builtins.str"),
            "bool" => Ty::lib_inst("builtins.bool"),
            "list" | "tuple" | "set" | "frozenset" | "sorted" => {
                let element = self.elements(&given, 0, id);
                Ty::iter(self.next_of(element, &given))
            }
            "enumerate" => {
                let element = self.elements(&given, 0, id);
                let element = self.next_of(element, &given);
                Ty::iter(Ty::tuple(vec![Ty::lib_inst("builtins.int"), element]))
            }
            _ => given,
        };
        self.record = record;
        value
    }

    fn next_of(&mut self, element: Ty, iterator: &Ty) -> Ty {
        if element.is_unknown() && matches!(iterator, Ty::Inst(..)) {
            return self.given_by(iterator, "__next__");
        }
        element
    }

    /// Makes the value of `super()`: the class that the function is in, and the object that it was called on.
    fn super_object(&mut self, arguments: &[Argument]) -> Ty {
        let class = match arguments.first().map(|argument| &argument.ty) {
            Some(Ty::Class(class, _)) => Some(*class),
            _ => self.class_around(),
        };
        let Some(class) = class else { return UNKNOWN };
        let receiver = self
            .receiver
            .and_then(|sym| self.env.get(&(sym, None)).cloned());
        let receiver = receiver.unwrap_or(Ty::Inst(class, ClassExactness::Own));
        Ty::Super(class, Arc::new(receiver))
    }

    /// Finds the class whose method the place is in.
    fn class_around(&self) -> Option<ScopeId> {
        let mut at = self.scope;
        loop {
            if let Some(class) = self.project.class_of(at) {
                return Some(class);
            }
            let parent = self.project.parent(at);
            if parent == at {
                return None;
            }
            at = parent;
        }
    }

    /// Finds the type of a method's result on a container, from its elements, and on a few other values.
    pub(super) fn container_call(
        &mut self,
        receiver: &Ty,
        name: &str,
        arguments: &[Argument],
    ) -> Option<Ty> {
        match receiver {
            Ty::Dict(dict) => Some(match name {
                "get" | "pop" | "setdefault" => dict.1.clone(),
                "keys" => Ty::iter(dict.0.clone()),
                "values" => Ty::iter(dict.1.clone()),
                "items" => Ty::iter(Ty::tuple(vec![dict.0.clone(), dict.1.clone()])),
                "popitem" => Ty::tuple(vec![dict.0.clone(), dict.1.clone()]),
                "copy" => receiver.clone(),
                _ => return None,
            }),
            Ty::Iter(element) => Some(match name {
                "pop" | "popleft" | "__next__" | "send" => (**element).clone(),
                "copy" | "union" | "difference" | "intersection" => receiver.clone(),
                _ => return None,
            }),
            Ty::Globals(file) if name == "get" => {
                let name = &arguments.first()?.ty;
                Some(self.global_of(*file, name))
            }
            Ty::Request(fixture, class) if name == "getfixturevalue" => {
                let Ty::Str(name) = &arguments.first()?.ty else {
                    return None;
                };
                let name = self.project.find(name)?;
                let found = self
                    .ctx
                    .fixture(self.file_id, *class, name, Some(*fixture))?;
                Some(self.ctx.fixture_ty(found, *class))
            }
            Ty::LibInst(path) if &**path == "asyncio" && name == "run_until_complete" => {
                match &arguments.first()?.ty {
                    Ty::Await(value) => Some((**value).clone()),
                    _ => None,
                }
            }
            Ty::LibInst(_) | Ty::Str(_) => match (name, arguments) {
                // A mock's `return_value`, or text: nothing of the project.
                ("format" | "join" | "lower" | "upper" | "strip", _) => {
                    Some(Ty::lib_inst("builtins.str"))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Finds the type that the rows of `@pytest.mark.parametrize` give to a parameter of the function at hand.
    pub(super) fn row(&mut self, name: crate::symbols::Sym) -> Option<Ty> {
        let word = self.project.word(name).to_owned();
        let mut at = self.scope;
        // Marks of the function, and of the classes around it.
        while self.project.parent(at) != at {
            let decorators = self.project.scope(at).decorators;
            for number in decorators.range() {
                let id = self.facts.lists[number];
                if let Some(ty) = self.row_of(id, &word) {
                    return Some(ty);
                }
            }
            at = self.project.parent(at);
        }
        None
    }

    fn row_of(&mut self, id: ExprId, word: &str) -> Option<Ty> {
        let Expr::Call { function, args } = self.facts.expr(id) else {
            return None;
        };
        if !self.facts.dotted(function)?.ends_with("parametrize") {
            return None;
        }
        let args = &self.facts.args[args.range()];
        let names: Vec<String> =
            match self.facts.expr(args.first()?.value) {
                Expr::Str(names) => self
                    .facts
                    .word(names)
                    .split(',')
                    .map(|part| part.trim().to_owned())
                    .collect(),
                Expr::Display(_, run) => {
                    let words = self.facts.list(run).iter().map(|expr_id| {
                        match self.facts.expr(*expr_id) {
                            Expr::Str(name) => self.facts.word(name).to_owned(),
                            _ => String::new(),
                        }
                    });
                    words.collect()
                }
                _ => return None,
            };
        let at = names.iter().position(|name| name == word)?;
        let is_indirect = args.iter().any(|arg| {
            arg.name
                .is_some_and(|name| self.facts.word(name) == "indirect")
        });
        if is_indirect {
            return None;
        }
        let record = self.record.take();
        let mark = self.log.len();
        let values = self
            .ctx
            .static_ty(self.project.parent(self.scope), args.get(1)?.value);
        self.roll_back(mark);
        self.record = record;
        let row = values.element().unwrap_or(UNKNOWN);
        if names.len() == 1 {
            return Some(row);
        }
        let cell = |row: &Ty| match row {
            Ty::Tuple(cells) => cells.get(at).cloned().unwrap_or(UNKNOWN),
            other => other.element().unwrap_or(UNKNOWN),
        };
        Some(Ty::join_all(row.parts().iter().map(cell)))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_python_are_sorted() {
        assert!(super::BUILT_IN.is_sorted());
    }
}

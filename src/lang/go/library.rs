//! The standard library and testing libraries, as far as they are known: only the parts that lead back to types of the
//! project, and those that mark a test.
//!
//! Everything else of a library is a value of that library: calls on it lie outside.

use std::sync::Arc;

use super::types::{Args, Basic, Foreign, Signature, Ty};

/// Types of the standard library that values are converted to.
const TYPES: &[(&str, &[&str])] = &[
    ("encoding/json", &["RawMessage", "Number"]),
    ("html/template", &["HTML", "JS", "CSS", "URL", "HTMLAttr"]),
    ("io/fs", &["FileMode"]),
    ("log/slog", &["Level", "HandlerOptions"]),
    ("math/big", &["Word"]),
    ("mime/multipart", &["Form"]),
    ("net", &["IP", "IPMask", "HardwareAddr", "Flags"]),
    (
        "net/http",
        &["HandlerFunc", "Header", "Dir", "SameSite", "ConnState"],
    ),
    ("net/textproto", &["MIMEHeader"]),
    ("net/url", &["Values"]),
    ("os", &["FileMode"]),
    ("reflect", &["Kind", "ChanDir", "StructTag"]),
    ("sort", &["StringSlice", "IntSlice", "Float64Slice"]),
    ("syscall", &["Errno", "Signal", "Handle"]),
    ("time", &["Duration", "Month", "Weekday"]),
    ("unsafe", &["Pointer"]),
];

/// Tells whether a name of a package is a type, so that `pkg.Name(x)` converts.
pub fn is_type(path: &str, name: &str) -> bool {
    let types = TYPES.iter().find(|(text, _)| *text == path);
    types.is_some_and(|(_, names)| names.contains(&name))
        || (path == "C" && matches!(name, "int" | "uint" | "char" | "long" | "size_t" | "double"))
}

/// Tells whether a value of a library's type runs or fails tests.
pub fn is_test(path: &str, of: &str) -> bool {
    match path {
        "testing" => matches!(of, "T" | "TB" | "B" | "F" | ""),
        "github.com/stretchr/testify/suite" => matches!(of, "Suite" | ""),
        "github.com/frankban/quicktest" => of == "C",
        _ => is_gocheck(path) && of == "C",
    }
}

/// Methods of test values that do not assert.
const NO_ASSERTIONS: &[&str] = &[
    "Cleanup", "Context", "Failed", "Helper", "Log", "Logf", "Mkdir", "MkDir", "Name", "Parallel",
    "Patch", "Run", "Setenv", "SetS", "SetT", "Skip", "SkipNow", "Skipf", "Skipped", "T", "TB",
    "TempDir", "TestName", "Assert", "Require", "Unsetenv",
];

/// Names the owner to report for a method of a value that runs tests: a suite's assertions belong to the `Assertions`
/// that it embeds, and a method that only runs a test to `testing.T`, in any library. Nothing for every other one.
pub fn owner_of_test(path: &str, of: &str, name: &str) -> Option<&'static str> {
    if !is_test(path, of) || of.is_empty() || path == "testing" {
        return None;
    }
    let is_suite = path.ends_with("/suite");
    // Only a suite hands out its assertions under these names.
    let is_assertion = matches!(name, "Assert" | "Require") && !is_suite;
    if NO_ASSERTIONS.contains(&name) && !is_assertion {
        Some("testing.T")
    } else {
        is_suite.then_some("github.com/stretchr/testify/assert.Assertions")
    }
}

/// Tells whether an import path is gocheck or one of its copies.
pub fn is_gocheck(path: &str) -> bool {
    matches!(
        path,
        "gopkg.in/check.v1"
            | "gopkg.in/check.v0"
            | "launchpad.net/gocheck"
            | "github.com/go-check/check"
            | "github.com/pingcap/check"
            | "github.com/motain/gocheck"
    )
}

/// Guesses which of the dot-imported libraries declares a name: Ginkgo its own words, another one the rest.
pub fn of_dot_import<'l>(libraries: &[&'l Arc<str>], name: &str) -> Option<&'l Arc<str>> {
    const GINKGO: &[&str] = &[
        "AfterAll",
        "AfterEach",
        "AfterSuite",
        "BeforeAll",
        "BeforeEach",
        "BeforeSuite",
        "By",
        "Context",
        "DeferCleanup",
        "Describe",
        "DescribeTable",
        "Entry",
        "FContext",
        "FDescribe",
        "FIt",
        "Fail",
        "GinkgoT",
        "GinkgoWriter",
        "It",
        "JustAfterEach",
        "JustBeforeEach",
        "Label",
        "Measure",
        "PDescribe",
        "PIt",
        "RunSpecs",
        "Skip",
        "SynchronizedBeforeSuite",
        "When",
    ];
    let is_ginkgo = |path: &str| path.contains("/ginkgo");
    let wanted = GINKGO.contains(&name);
    let fits = libraries.iter().find(|path| is_ginkgo(path) == wanted);
    fits.or(libraries.first()).copied()
}

/// Returns the function type behind `iter.Seq` and `iter.Seq2`; nothing for every other library type.
pub fn iterator_function(foreign: &Foreign) -> Option<Ty> {
    let arg = |at: usize| foreign.args.get(at).cloned();
    match (&*foreign.path, &*foreign.name) {
        ("iter", "Seq") => Some(sequence(vec![arg(0)?])),
        ("iter", "Seq2") => Some(sequence(vec![arg(0)?, arg(1)?])),
        _ => None,
    }
}

/// Makes the type of an iterator: a function that is given the function which takes the values.
fn sequence(values: Vec<Ty>) -> Ty {
    let body = Signature {
        params: values,
        results: vec![Ty::Basic(Basic::Bool)],
        is_variadic: false,
    };
    function(vec![Ty::Func(Arc::new(body))], Vec::new())
}

fn function(params: Vec<Ty>, results: Vec<Ty>) -> Ty {
    Ty::Func(Arc::new(Signature {
        params,
        results,
        is_variadic: false,
    }))
}

/// Finds the result of a library's function or method, where it leads back to the project or marks a test; `given` are
/// type arguments, of the function or of its receiver.
pub fn result(path: &str, of: &str, name: &str, given: &Args, args: &[Ty]) -> Option<Ty> {
    let first = || args.first().cloned().filter(|ty| !ty.is_unknown());
    match (path, of, name) {
        ("sync/atomic", "Pointer", "Load" | "Swap") => Some(given.first()?.clone().pointer()),
        ("sync/atomic", "Value", _) | ("sync", "Pool", "Get") => Some(Ty::any()),
        ("sync", "", "OnceValue") => match args.first()? {
            Ty::Func(signature) => Some(function(Vec::new(), signature.results.clone())),
            _ => None,
        },
        ("sync", "", "OnceValues") => args.first().cloned(),
        (
            "slices",
            "",
            "Clone" | "Clip" | "Compact" | "CompactFunc" | "Concat" | "Delete" | "DeleteFunc"
            | "Grow" | "Insert" | "Repeat" | "Replace",
        )
        | ("maps", "", "Clone")
        | ("cmp", "", "Or") => first(),
        ("errors", "", "AsType") => {
            let ty = given.first()?.clone();
            Some(Ty::Tuple([ty, Ty::Basic(Basic::Bool)].into()))
        }
        ("errors", "", "New" | "Unwrap" | "Join") | ("fmt", "", "Errorf") => Some(Ty::Error),
        ("github.com/stretchr/testify/suite", _, "T") => Some(named("testing", "T").pointer()),
        ("github.com/stretchr/testify/suite", _, "Require")
        | ("github.com/stretchr/testify/require", "", "New") => {
            Some(named("github.com/stretchr/testify/require", "Assertions").pointer())
        }
        ("github.com/stretchr/testify/suite", _, "Assert")
        | ("github.com/stretchr/testify/assert", "", "New") => {
            Some(named("github.com/stretchr/testify/assert", "Assertions").pointer())
        }
        ("github.com/frankban/quicktest", "", "New") => {
            Some(named("github.com/frankban/quicktest", "C").pointer())
        }
        ("github.com/matryer/is", "", "New") => Some(named("github.com/matryer/is", "I").pointer()),
        ("github.com/onsi/gomega", "", "NewWithT" | "NewGomegaWithT" | "NewGomega") => {
            Some(named("github.com/onsi/gomega", "WithT").pointer())
        }
        ("net/http/httptest", "", "NewRecorder") => {
            Some(named("net/http/httptest", "ResponseRecorder").pointer())
        }
        _ => None,
    }
}

fn named(path: &str, name: &str) -> Ty {
    Ty::foreign(&path.into(), name)
}

fn generic(path: &str, name: &str, args: Vec<Ty>) -> Ty {
    Ty::Foreign(Arc::new(Foreign {
        path: path.into(),
        name: name.into(),
        args: args.into(),
    }))
}

/// Returns the element type of a slice or an array; nothing for a named type.
fn element(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Slice(inner) | Ty::Array(inner) => Some((**inner).clone()),
        _ => None,
    }
}

/// Finds the result of a function of `slices` or `maps` whose first argument has the underlying type `made`.
pub fn sequence_result(path: &str, name: &str, made: &Ty) -> Option<Ty> {
    match path {
        "slices" => slices(name, made),
        "maps" => maps(name, made),
        _ => None,
    }
}

fn slices(name: &str, first: &Ty) -> Option<Ty> {
    match name {
        "Max" | "MaxFunc" | "Min" | "MinFunc" => element(first),
        "All" | "Backward" => {
            let values = vec![Ty::Basic(Basic::Int), element(first)?];
            Some(generic("iter", "Seq2", values))
        }
        "Values" => Some(generic("iter", "Seq", vec![element(first)?])),
        "Collect" | "Sorted" | "SortedFunc" | "SortedStableFunc" => match first {
            Ty::Foreign(foreign) if &*foreign.path == "iter" => {
                Some(foreign.args.first()?.clone().slice())
            }
            Ty::Func(signature) => match signature.params.first()? {
                Ty::Func(body) => Some(body.params.first()?.clone().slice()),
                _ => None,
            },
            _ => None,
        },
        "Chunk" => Some(generic("iter", "Seq", vec![first.clone()])),
        _ => None,
    }
}

fn maps(name: &str, first: &Ty) -> Option<Ty> {
    let (key, value) = match first {
        Ty::Map(map) => (map.0.clone(), map.1.clone()),
        Ty::Foreign(foreign) if &*foreign.path == "iter" => {
            (foreign.args.first()?.clone(), foreign.args.get(1)?.clone())
        }
        _ => return None,
    };
    match name {
        "Keys" => Some(generic("iter", "Seq", vec![key])),
        "Values" => Some(generic("iter", "Seq", vec![value])),
        "All" => Some(generic("iter", "Seq2", vec![key, value])),
        "Collect" => Some(Ty::Map(Arc::new((key, value)))),
        _ => None,
    }
}

//! Python in words.

use crate::dialect::{Assertions, CONSTRUCTING, Dialect, Files, MeraRule, Mocks, Names};
use crate::model::BuildTool;

pub static DIALECT: Dialect = Dialect {
    name: "Python",
    fences: &["python", "py", "python2", "python3", "pytest", "py3"],
    mera_fence: "python",
    line_comment: "#",
    files: FILES,
    assertions: ASSERTIONS,
    mocks: MOCKS,
    names: NAMES,
    standard_library: &[
        "builtins.",
        "asyncio.",
        "collections.",
        "contextlib.",
        "copy.",
        "datetime.",
        "decimal.",
        "functools.",
        "io.",
        "itertools.",
        "json.",
        "logging.",
        "math.",
        "os.",
        "pathlib.",
        "pickle.",
        "random.",
        "re.",
        "shutil.",
        "string.",
        "subprocess.",
        "sys.",
        "tempfile.",
        "threading.",
        "time.",
        "types.",
        "typing.",
        "urllib.",
        "uuid.",
        "warnings.",
    ],
    equality: Some("__eq__"),
    expects_exception: |head| head.contains("raises(") || head.contains("expectedFailure"),
    ..Dialect::UNTOLD
};

const FILES: Files = Files {
    extensions: &["py"],
    skipped_folders: &[
        "node_modules",
        "vendor",
        "third_party",
        "site-packages",
        ".venv",
    ],
    configuration: &["pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini"],
    // A lock file belongs to one tool; other files may be read by several.
    build: &[
        ("poetry.lock", BuildTool::Poetry),
        ("uv.lock", BuildTool::Uv),
        ("pdm.lock", BuildTool::Pdm),
        ("pyproject.toml", BuildTool::Pip),
        ("setup.py", BuildTool::Pip),
        ("setup.cfg", BuildTool::Pip),
        ("requirements.txt", BuildTool::Pip),
    ],
    ..Dialect::UNTOLD.files
};

const ASSERTIONS: Assertions = Assertions {
    libraries: &[
        "absl.testing",
        "aiohttp.test_utils",
        "assertpy",
        "django.test",
        "doublex",
        "expects",
        "flexmock",
        "hamcrest",
        "hypothesis",
        "mock",
        "nose",
        "numpy.testing",
        "pandas._testing",
        "pandas.testing",
        "pandas.util.testing",
        "polars.testing",
        "pytest",
        "pytest_mock",
        "rest_framework.test",
        "robber",
        "sure",
        "testfixtures",
        "testtools",
        "torch.testing",
        "twisted.trial",
        "unittest",
        "unittest2",
    ],
    names: &[
        "fail",
        "failIf",
        "failUnless",
        "failUnlessEqual",
        "failUnlessRaises",
        "raises",
    ],
    prefixes: &["assert"],
    helpers: &["assert", "_assert"],
    failing: &["fail"],
    equal: &[
        "assertEqual",
        "assertEquals",
        "assertNotEqual",
        "assertNotEquals",
        "assertListEqual",
        "assertTupleEqual",
        "assertSetEqual",
        "assertDictEqual",
        "assertSequenceEqual",
        "assertCountEqual",
        "assert_equal",
        "assert_not_equal",
        "eq_",
    ],
    throwing: &[
        "raises",
        "warns",
        "deprecated_call",
        "assertRaises",
        "assertRaisesRegex",
        "assertRaisesRegexp",
        "assertRaisesMessage",
        "assertWarns",
        "assertWarnsRegex",
        "failUnlessRaises",
        "assert_raises",
        "assert_raises_regex",
        "assert_warns",
    ],
};

const MOCKS: Mocks = Mocks {
    libraries: &[
        "unittest.mock",
        "mock",
        "pytest_mock",
        "flexmock",
        "mockito",
        "doublex",
        "asynctest",
        "pytest.MonkeyPatch",
        "responses",
        "requests_mock",
        "respx",
    ],
    stubbing: &[
        "patch",
        "object",
        "when",
        "should_receive",
        "and_return",
        "side_effect",
        "configure_mock",
        "create_autospec",
        "setattr",
        "setitem",
        "setenv",
        "delattr",
    ],
    verifying: &[
        "assert_called",
        "assert_any",
        "assert_has",
        "assert_not_called",
        "assert_await",
    ],
};

const NAMES: Names = Names {
    test_suffixes: &["TestCases", "TestCase", "TestSuite", "Tests", "Test"],
    test_prefixes: &["Tests", "Test"],
    file_affixes: &["test_", "tests_", "_test", "_tests"],
    is_package_tested: false,
    mera: MeraRule::Beginning,
    getters: &["get_", "get", "is_", "has_"],
    properties: &[
        "size", "length", "count", "name", "value", "values", "keys", "items", "data", "text",
    ],
    setters: &["set_", "set", "add_", "add", "with_", "put", "update"],
    makers: &[
        "build",
        "create",
        "make",
        "from_",
        "new",
        "get_instance",
        "instance",
        "of",
        "factory",
    ],
    closers: &[
        "close",
        "aclose",
        "start",
        "stop",
        "setup",
        "set_up",
        "initialize",
        "shutdown",
        "open",
        "flush",
        "reset",
        "destroy",
        "clear",
        "run",
        "dispose",
        "cleanup",
        "join",
        "quit",
        "terminate",
        "connect",
        "disconnect",
    ],
    // The keys of Python methods have no parameters.
    universal: &[
        ("__eq__", 0),
        ("__ne__", 0),
        ("__hash__", 0),
        ("__repr__", 0),
        ("__str__", 0),
        ("__len__", 0),
        ("__iter__", 0),
        ("__contains__", 0),
        ("__bool__", 0),
    ],
    constructing: CONSTRUCTING,
};

#[cfg(test)]
mod tests {
    use super::DIALECT;

    #[test]
    fn a_library_is_known_by_whole_segments() {
        let is_library = |owner| DIALECT.assertions.is_library(owner);
        assert!(is_library("unittest.mock.Mock"));
        assert!(is_library("numpy.testing"));
        assert!(is_library("pytest"));
        assert!(!is_library("pytester"));
        assert!(!is_library("numpy"));
    }

    #[test]
    fn names_speak_for_assertions() {
        for name in ["assertEqual", "assert_called_once_with", "fail"] {
            assert!(DIALECT.assertions.is_name(name), "{name}");
        }
        assert!(!DIALECT.assertions.is_name("failover"));
    }
}

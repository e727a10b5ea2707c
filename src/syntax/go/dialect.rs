//! Go in words.

use crate::dialect::{Assertions, Dialect, Files, MeraRule, Mocks, Names};
use crate::model::BuildTool;

pub static DIALECT: Dialect = Dialect {
    name: "Go",
    fences: &["go", "golang"],
    mera_fence: "go",
    files: FILES,
    assertions: ASSERTIONS,
    mocks: MOCKS,
    names: NAMES,
    standard_library: &[
        "bufio",
        "bytes",
        "cmp",
        "context",
        "encoding/",
        "errors",
        "fmt",
        "io",
        "maps",
        "math",
        "net",
        "os",
        "reflect",
        "regexp",
        "slices",
        "sort",
        "strconv",
        "strings",
        "sync",
        "testing",
        "time",
        "unicode",
    ],
    ..Dialect::UNTOLD
};

const FILES: Files = Files {
    extensions: &["go"],
    skipped_folders: &[
        "node_modules",
        "vendor",
        "third_party",
        "site-packages",
        ".venv",
        "testdata",
        "_*",
    ],
    configuration: &["go.mod", "go.work"],
    build: &[("go.mod", BuildTool::Go), ("go.work", BuildTool::Go)],
    ..Dialect::UNTOLD.files
};

/// `testing` is not among the libraries: its failing calls stand in an `if`, and the whole `if` is the assertion.
const ASSERTIONS: Assertions = Assertions {
    libraries: &[
        "github.com/alecthomas/assert",
        "github.com/franela/goblin",
        "github.com/frankban/quicktest",
        "github.com/gavv/httpexpect",
        "github.com/go-check/check",
        "github.com/go-playground/assert",
        "github.com/golang/mock/gomock",
        "github.com/google/go-cmp/cmp",
        "github.com/gotestyourself/gotestyourself/assert",
        "github.com/matryer/is",
        "github.com/maxatome/go-testdeep",
        "github.com/onsi/gomega",
        "github.com/pingcap/check",
        "github.com/shoenig/test",
        "github.com/smartystreets/assertions",
        "github.com/smartystreets/goconvey/convey",
        "github.com/stretchr/testify/assert",
        "github.com/stretchr/testify/mock",
        "github.com/stretchr/testify/require",
        "go.uber.org/goleak",
        "go.uber.org/mock/gomock",
        "gopkg.in/check.v1",
        "gopkg.in/go-playground/assert.v1",
        "gotest.tools/assert",
        "gotest.tools/v3/assert",
        "launchpad.net/gocheck",
        "testing/iotest",
    ],
    names: &["check", "expect"],
    prefixes: &["assert", "Assert", "require", "Require", "verify", "Expect"],
    helpers: &["assert", "Assert"],
    failing: &["Fail", "FailNow"],
    equal: &[],
    throwing: &[
        "PanicMatches",
        "Panics",
        "PanicsWithError",
        "PanicsWithValue",
    ],
};

const MOCKS: Mocks = Mocks {
    libraries: &[
        "github.com/golang/mock",
        "github.com/stretchr/testify/mock",
        "go.uber.org/mock",
    ],
    stubbing: &[
        "EXPECT",
        "On",
        "Return",
        "Once",
        "Times",
        "Maybe",
        "DoAndReturn",
        "AnyTimes",
    ],
    verifying: &["Assert", "Finish"],
};

const NAMES: Names = Names {
    test_suffixes: &[
        "IntegrationTestSuite",
        "UnitTestSuite",
        "TestSuite",
        "Suite",
        "Tests",
        "Test",
    ],
    test_prefixes: &["Test"],
    getters: &["Get", "Is", "Has", "get", "is", "has"],
    properties: &[
        "Cap", "Count", "ID", "Keys", "Len", "Name", "Names", "Size", "String", "Type", "Value",
        "Values", "len", "name", "size", "value",
    ],
    setters: &[
        "Set", "Add", "With", "Put", "Register", "set", "add", "with",
    ],
    makers: &[
        "New", "Make", "Create", "Build", "From", "Of", "Default", "Must", "new", "make", "create",
        "build",
    ],
    closers: &[
        "Close", "Start", "Stop", "Init", "Shutdown", "Open", "Flush", "Sync", "Reset", "Clear",
        "Run", "Wait", "Cancel", "Lock", "Unlock", "Done", "close", "start", "stop", "init",
        "reset",
    ],
    universal: &[("String", 0), ("Error", 0), ("GoString", 0)],
    constructing: &[
        "constructor",
        "constructors",
        "construct",
        "construction",
        "create",
        "creation",
        "new",
        "init",
    ],
    file_affixes: &["_test"],
    is_package_tested: true,
    mera: MeraRule::Beginning,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_tests_is_no_assertion() {
        let is_library = |owner| DIALECT.assertions.is_library(owner);
        assert!(is_library("github.com/stretchr/testify/assert"));
        assert!(is_library("github.com/stretchr/testify/require.Assertions"));
        assert!(is_library("github.com/onsi/gomega"));
        assert!(is_library("gopkg.in/check.v1.C"));
        assert!(!is_library("testing.T"));
        assert!(!is_library("github.com/stretchr/testify/suite.Suite"));
        assert!(!is_library("github.com/onsi/ginkgo/v2"));
    }
}

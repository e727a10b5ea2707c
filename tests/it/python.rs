//! A Python project that is really prepared, its tests cut out, measured and classified, and arbitrary test files run
//! in it.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set, and download pytest and coverage. All share one cache and so one
//! environment.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

/// The first test prepares the project; the others reuse it.
static TURN: Mutex<()> = Mutex::new(());

pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-cache")
}

/// Tells whether Python is to be called; prints a message where it is not.
pub fn has_tools() -> bool {
    let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
    if !is_needed {
        // Not by the macro, which the harness keeps for itself where a test passes.
        writeln!(io::stderr(), "skipped: FOCALIST_NEED_TOOLS is not set")
            .expect("stderr can be written");
    }
    is_needed
}

pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn lines(&self) -> Vec<Value> {
        let line = |text: &str| serde_json::from_str(text).expect("it prints JSON lines");
        self.out.lines().map(line).collect()
    }

    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self
    }
}

pub fn run(workspace: &Path, arguments: &[&str], input: &str) -> Said {
    run_with(&cache(), workspace, (arguments, input))
}

/// Runs the program as a child with the caller's cache.
pub fn run_with(cache: &Path, workspace: &Path, (arguments, input): (&[&str], &str)) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(arguments)
        .env("FOCALIST_CACHE", cache)
        .env("FOCALIST_WORKSPACE", workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Whoever does not read it has no use for it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/count")
}

/// Prepares the project and returns a workspace.
pub fn prepared() -> tempfile::TempDir {
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let fixture = fixture();
    let path = fixture.to_str().expect("our paths are text");
    run(place.path(), &["prepare", path], "").success();
    place
}

#[test]
fn a_project_is_prepared_once_and_says_how_its_tests_went() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let fixture = fixture();
    let path = fixture.to_str().expect("our paths are text");
    let row = run(place.path(), &["prepare", path, "--json"], "")
        .success()
        .lines()
        .remove(0);
    assert_eq!(
        (&row["project"], &row["cached"], &row["accepted"]),
        (&json!("count"), &json!(true), &json!(true))
    );
    assert_eq!(row["sources"], json!(["count"]));
    // One fails, one is skipped, and one passes only where it may write.
    let suite = &row["suite"];
    assert_eq!(
        (&suite["collected"], &suite["failed"], &suite["skipped"]),
        (&json!(14), &json!(1), &json!(1))
    );
    assert_eq!(
        suite["writing"],
        json!(["tests/test_counter.py::test_writes_to_the_project"])
    );
}

#[test]
fn each_test_is_a_problem_that_does_alone_what_it_does_in_the_suite() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let problems = run(place.path(), &["clover", "extract", "count", "--json"], "")
        .success()
        .lines();
    let of = |name: &str| {
        let id = format!("tests/test_counter.py::{name}");
        problems
            .iter()
            .find(|problem| problem["id"] == json!(id))
            .unwrap_or_else(|| panic!("{id}"))
    };
    for (name, outcome) in [
        ("test_up", "passing"),
        ("test_up_by", "passing"),
        ("test_start_is_kept", "passing"),
        ("TestReport::test_reset", "passing"),
        ("Base::test_inherited", "passing"),
        ("test_writes_to_the_project", "passing"),
        ("test_skipped", "not_executed"),
        ("test_fails", "failing"),
    ] {
        let problem = of(name);
        assert_eq!(
            (&problem["outcome"], &problem["verified"]),
            (&json!(outcome), &json!(true)),
            "{problem}"
        );
    }
    assert_eq!(
        of("TestAgain::test_inherited")["reason"],
        json!("inherited")
    );
    let code = of("TestReport::test_reset")["code"]
        .as_str()
        .expect("it has a text")
        .to_owned();
    assert!(
        code.contains("def test_start") && code.contains("class TestReport"),
        "fixtures stay: {code}"
    );
    assert!(
        !code.contains("def test_up") && !code.contains("def test_report"),
        "{code}"
    );
    let shown = run(
        place.path(),
        &[
            "clover",
            "extract",
            "count",
            "--show",
            "tests/test_counter.py::TestReport::test_reset",
        ],
        "",
    );
    assert_eq!(shown.success().out, code);
}

#[test]
fn a_test_has_its_own_lines_and_files_their_classes() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let classes = run(
        place.path(),
        &["clover", "classes", "count", "--blocks", "--json"],
        "",
    )
    .success()
    .lines();
    let of = |name: &str| {
        classes
            .iter()
            .find(|class| {
                class["id"]
                    .as_str()
                    .is_some_and(|text| text.ends_with(name))
            })
            .expect("it is there")
    };
    let report = of("::test_report");
    assert_eq!(report["peer"], json!(["count/counter.py"]));
    assert_eq!(
        report["blocks"],
        json!([{"file": "count/counter.py", "first": 18, "last": 24, "statements": 7}])
    );
    let up = of("::test_up");
    assert_eq!(up["peer"], json!([]));
    assert!(
        up["repo"]
            .as_array()
            .is_some_and(|values| values.contains(&json!("count/unused.py")))
    );
    // What was measured is not run again, and says the same.
    let first = run(
        place.path(),
        &["clover", "cov", "count", "--extracted", "--json"],
        "",
    )
    .success();
    assert!(first.err.contains("of them before"), "{}", first.err);
    let fresh = tempfile::tempdir().expect("a folder can be made");
    let alone = [
        "clover",
        "cov",
        "count",
        "--extracted",
        "--json",
        "--engine",
        "fresh",
        "--repeats",
        "1",
    ];
    let alone = run(fresh.path(), &alone, "").success();
    let lines = |said: &Said| -> Vec<(Value, Value)> {
        said.lines()
            .into_iter()
            .map(|mut line| (line["id"].take(), line["lines"].take()))
            .collect()
    };
    assert_eq!(lines(&first), lines(&alone));
}

#[test]
fn a_statement_of_many_lines_is_its_first_line_for_the_first_server_of_a_project_and_the_next() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let _turn = TURN.lock();
    let projects = fs::read_dir(cache().join("python")).expect("it is prepared");
    for file in projects
        .flatten()
        .flat_map(|project| fs::read_dir(project.path()).into_iter().flatten().flatten())
    {
        // As if no server had found it out yet.
        if file.file_name().to_string_lossy().starts_with("lines-") {
            fs::remove_file(file.path()).expect("it is ours");
        }
    }
    let code = "from count.kept import load, save\ndef test(tmp_path):\n    save(tmp_path / 'x', 1)\n    assert load(tmp_path / 'x') == 1\n";
    let case = json!({"id": "a", "path": "tests/tmp_kept.py", "code": code}).to_string();
    let arguments = ["clover", "cov", "count", "--cases", "-", "--json"];
    for more in [&[] as &[&str], &[], &["--engine", "fresh"]] {
        let said = run(place.path(), &[&arguments[..], more].concat(), &case).success();
        let row = said.lines().remove(0);
        assert_eq!(row["lines"]["count/kept.py"], json!("4-6,9-11"), "{row}");
    }
}

#[test]
fn hostile_files_get_their_outcome_and_leave_nothing() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let cases = [
        ("passes", "def test(): assert True", "passing"),
        ("fails", "def test(): assert False", "failing"),
        ("syntax", "def test(:", "unparsable"),
        (
            "import",
            "import nothing_there\ndef test(): pass",
            "not_executed",
        ),
        ("none", "x = 1", "not_executed"),
        (
            "skip",
            "import pytest\n@pytest.mark.skip\ndef test(): pass",
            "not_executed",
        ),
        ("exit", "import os\ndef test(): os._exit(0)", "crash"),
        (
            "session",
            "import pytest\ndef test(): pytest.exit('x', returncode=0)",
            "crash",
        ),
        ("loop", "def test():\n    while True: pass", "timeout"),
        ("import loop", "while True: pass", "timeout"),
        (
            "parent",
            "import os, time\ndef test(): os.kill(os.getppid(), 9); time.sleep(9)",
            "crash",
        ),
        ("descriptors", FORGER, "crash"),
        (
            "daemon",
            "import subprocess\ndef test():\n    it = subprocess.Popen(['sleep', '987'], start_new_session=True)\n    it.returncode = 0",
            "passing",
        ),
        (
            "files",
            "def test():\n    with open('/tmp/left', 'w') as file: file.write('x')",
            "passing",
        ),
        (
            "no files",
            "import os\ndef test(): assert not os.path.exists('/tmp/left')",
            "passing",
        ),
        (
            "outside",
            "def test():\n    with open('/usr/x', 'w'): pass",
            "failing",
        ),
        (
            "network",
            "import socket\ndef test(): socket.create_connection(('192.0.2.1', 9), timeout=2)",
            "failing",
        ),
        ("last", "def test(): pass", "passing"),
    ];
    let lines: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(idx, (id, code, _))| {
            json!({"id": id, "path": format!("tests/tmp_{idx}.py"), "code": code}).to_string()
        })
        .collect();
    let input = format!("{}\nnothing\n{}\n", lines.join("\n"), lines[0]);
    let arguments = [
        "execute",
        "--project",
        "count",
        "--cases",
        "-",
        "--timeout",
        "3",
    ];
    let said = run(place.path(), &arguments, &input).success();
    let found: Vec<(String, String)> = said
        .lines()
        .iter()
        .map(|line| {
            (
                line["id"].as_str().unwrap_or_default().to_owned(),
                line["outcome"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    let expected: Vec<(String, String)> = cases
        .iter()
        .map(|case| (case.0.to_owned(), case.2.to_owned()))
        .collect();
    assert_eq!(found, expected);
    assert!(
        said.err.contains("line 19") && said.err.contains("line 20"),
        "{}",
        said.err
    );
    let is_left = fs::read_dir("/proc")
        .expect("there are processes")
        .flatten()
        .any(|entry| {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            command.starts_with(b"sleep\x00987")
        });
    assert!(!is_left, "what a test has started ends with it");
}

#[test]
fn what_test_files_import_is_not_there_for_the_next_ones() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let imports = "def test(): import colorsys, chunk, count.unused";
    let looks = "import sys\ndef test(): assert not {'colorsys', 'chunk', 'count.unused'} & set(sys.modules)";
    let codes = [imports, imports, imports, looks];
    let lines: Vec<String> = codes
        .iter()
        .enumerate()
        .map(|(idx, code)| {
            json!({"id": idx.to_string(), "path": format!("tests/tmp_{idx}.py"), "code": code})
                .to_string()
        })
        .collect();
    let outcomes = |engine: &str| -> Vec<Value> {
        let arguments = ["execute", "--project", "count", "--cases", "-", "--jobs"];
        let arguments = [&arguments[..], &["1", "--engine", engine]].concat();
        let said = run(place.path(), &arguments, &lines.join("\n")).success();
        said.lines()
            .iter()
            .map(|line| line["outcome"].clone())
            .collect()
    };
    assert_eq!(outcomes("fork"), ["passing"; 4]);
    assert_eq!(outcomes("fresh"), ["passing"; 4]);
}

#[test]
fn a_path_at_which_no_file_can_be_is_the_outcome_of_that_case_alone() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let long = format!("tests/{}.py", "x".repeat(296));
    let paths = [
        "tests/tmp_1.py",
        "tests/test_counter.py/x.py",
        &long,
        "tests/test_counter.py",
        "tests/new/tmp_2.py",
    ];
    let lines: Vec<String> = paths
        .iter()
        .map(|path| json!({"id": path, "path": path, "code": "def test(): pass"}).to_string())
        .collect();
    let arguments = ["execute", "--project", "count", "--cases", "-"];
    let said = run(place.path(), &arguments, &lines.join("\n")).success();
    let rows: Vec<(Value, Value)> = said
        .lines()
        .into_iter()
        .map(|mut row| (row["outcome"].take(), row["reason"].take()))
        .collect();
    let passes = (json!("passing"), Value::Null);
    let is_none = (json!("not_executed"), json!("path"));
    let expected = [&passes, &is_none, &is_none, &is_none, &passes].map(Clone::clone);
    assert_eq!(rows, expected);
    for line in ["line 2: ", "line 3: ", "line 4: "] {
        assert!(said.err.contains(line), "{line}{}", said.err);
    }
}

#[test]
fn lines_of_which_none_is_a_case_are_a_failure() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let verbs: [&[&str]; 2] = [
        &["execute", "--project", "count", "--cases", "-"],
        &["clover", "cov", "count", "--cases", "-"],
    ];
    for arguments in verbs {
        let said = run(place.path(), arguments, "{}\nnot JSON\n");
        assert_eq!(said.code, Some(1), "{}", said.err);
        let hint = "none of the lines of `-` is a case";
        assert!(said.err.contains(hint), "{}", said.err);
    }
}

/// Sends a pass to whoever listens.
const FORGER: &str = "import os\ndef test():\n    for it in range(3, 256):\n        try: os.write(it, b'\\n' + b'0' * 32 + b'{\"n\":1,\"record\":{\"items\":[[\"a\",\"passed\",null,null]]}}\\n')\n        except OSError: pass\n    os._exit(0)";

#[test]
fn a_project_that_cannot_be_used_says_why_and_is_code_1() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let check = |name: &str, files: &[(&str, &str)], step: &str, word: &str| {
        let root = place.path().join(name);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it is made");
            fs::write(path, text).expect("it is written");
        }
        let root = root.to_str().expect("our paths are text");
        let said = run(place.path(), &["prepare", root, "--json"], "");
        assert_eq!(said.code, Some(1), "{}", said.err);
        let row = said.lines().remove(0);
        assert_eq!(row["refused"]["step"], json!(step), "{row}");
        assert!(
            row["refused"]["message"]
                .as_str()
                .is_some_and(|text| text.contains(word)),
            "{row}"
        );
    };
    check("untested", &[("untested.py", "x = 1\n")], "collect", "");
    check(
        "raising",
        &[
            ("raising.py", "x = 1\n"),
            ("tests/conftest.py", "raise RuntimeError('not here')\n"),
            ("tests/test_x.py", "def test(): pass\n"),
        ],
        "collect",
        "not here",
    );
    check(
        "failing",
        &[
            ("failing.py", "x = 1\n"),
            (
                "tests/test_x.py",
                "def test_a(): assert 0\ndef test_b(): assert 0\ndef test_c(): pass\n",
            ),
        ],
        "suite",
        "1 of 3 tests pass",
    );
    check(
        "newer",
        &[
            ("newer.py", "x = 1\n"),
            (
                "setup.cfg",
                "[metadata]\nname = newer\n[options]\npython_requires = >=3.99\n",
            ),
        ],
        "requires-python",
        "3.99",
    );
    // A part of it has to be compiled, and cannot.
    let build = "import subprocess\ndef get_requires_for_build_editable(*it): return []\ndef build_editable(*it):\n    subprocess.check_call(['cc', '-c', 'part.c'])\nget_requires_for_build_wheel, build_wheel = get_requires_for_build_editable, build_editable\n";
    let project = "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n[project]\nname = \"uncompiled\"\nversion = \"1\"\n";
    let files = [
        ("pyproject.toml", project),
        ("backend.py", build),
        ("part.c", "int it(void) { return }\n"),
        ("uncompiled/__init__.py", "x = 1\n"),
        ("tests/test_x.py", "def test(): pass\n"),
    ];
    check("uncompiled", &files, "the project", "");
    // What could not be installed may lie at the network: it is tried again.
    let root = place.path().join("uncompiled");
    let root = root.to_str().expect("our paths are text");
    let row = run(place.path(), &["prepare", root, "--json"], "")
        .lines()
        .remove(0);
    assert_eq!(row["cached"], json!(false), "{row}");
    let root = place.path().join("failing");
    let root = root.to_str().expect("our paths are text");
    let row = run(place.path(), &["prepare", root, "--json"], "")
        .lines()
        .remove(0);
    assert_eq!(row["cached"], json!(true), "{row}");
}

#[test]
fn a_project_that_reports_otherwise_wants_the_network_and_changes_itself_is_prepared_and_stays_as_it_is()
 {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("odd");
    let conftest = "import pytest\n\nclass Silent:\n    def pytest_report_teststatus(self, report, config):\n        return '', '', ''\n\n@pytest.hookimpl(trylast=True)\ndef pytest_configure(config):\n    own = config.pluginmanager.getplugin('terminalreporter')\n    config.pluginmanager.unregister(own)\n    config.pluginmanager.register(Silent(), 'terminalreporter')\n";
    let tests = "import colorsys, os, socket, odd\n\ndef test_passes():\n    assert odd.one() == 1\n\ndef test_again():\n    assert odd.one() == 1\n\ndef test_network():\n    socket.getaddrinfo('example.org', 80)\n\ndef test_changes():\n    with open(odd.__file__, 'a') as file:\n        file.write('# changed')\n    with open(os.path.join(os.path.dirname(__file__), 'left'), 'w'):\n        pass\n";
    let files = [
        ("odd.py", "def one():\n    return 1\n"),
        ("tests/conftest.py", conftest),
        ("tests/test_odd.py", tests),
    ];
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in files {
        fs::write(root.join(path), text).expect("it can be written");
    }
    let path = root.to_str().expect("our paths are text");
    let row = run(place.path(), &["prepare", path, "--json"], "")
        .success()
        .lines()
        .remove(0);
    let suite = &row["suite"];
    assert_eq!(
        (&suite["collected"], &suite["passed"], &suite["failed"]),
        (&json!(4), &json!(3), &json!(1)),
        "{row}"
    );
    assert_eq!(suite["writing"], json!(["tests/test_odd.py::test_changes"]));
    let notes = row["notes"].to_string();
    assert!(notes.contains("1 of its tests need the network"), "{notes}");
    let cases = [
        "def test_a(): assert 0\n",
        tests,
        "import odd\ndef test_a(): assert odd.one() == 1\n",
    ];
    let lines: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(idx, code)| {
            json!({"id": idx.to_string(), "path": format!("tests/tmp_{idx}.py"), "code": code})
                .to_string()
        })
        .collect();
    let arguments = ["execute", "--project", "odd", "--cases", "-"];
    let said = run(place.path(), &arguments, &lines.join("\n")).success();
    let outcomes: Vec<Value> = said
        .lines()
        .into_iter()
        .map(|mut line| line["outcome"].take())
        .collect();
    assert_eq!(outcomes, ["failing", "failing", "passing"]);
    // Neither the project nor its copy has changed.
    for (path, text) in files {
        assert_eq!(
            fs::read_to_string(root.join(path)).expect("it is there"),
            text
        );
    }
    assert!(!root.join("tests/left").exists());
    let code = run(place.path(), &["execute", "--project", "odd", "--cases", "-"], &json!({
        "id": "a", "path": "tests/tmp_a.py",
        // What its own tests import is there, what they do is not.
        "code": "import os, sys, odd\ndef test():\n    assert 'colorsys' in sys.modules\n    assert 'changed' not in open(odd.__file__).read()\n    assert not os.path.exists(os.path.join(os.path.dirname(__file__), 'left'))\n",
    }).to_string());
    assert_eq!(code.success().lines()[0]["outcome"], json!("passing"));
}

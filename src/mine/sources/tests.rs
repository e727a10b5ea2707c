//! Folders of every awkward kind, and the files that are read from them.

use std::fs::{self, File};
use std::path::Path;

use tempfile::TempDir;

use crate::git::testing::{commit, init};

use super::*;

/// Makes a folder with these files, and the folders around them.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in files {
        write(folder.path(), path, text.as_bytes());
    }
    folder
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    let parent = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(parent).expect("the folder is writable");
    fs::write(path, bytes).expect("the folder is writable");
}

fn read(root: &Path) -> SourceTree {
    read_repo(root, &SourceOptions::default(), &Monitor::default()).expect("the folder is there")
}

/// Compares the paths that are read and, per problem, its path and reason.
fn check(root: &Path, files: &[&str], problems: &[(&str, Reason)]) {
    let tree = read(root);
    let seen: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(seen, files);
    let seen: Vec<(&str, Reason)> = tree
        .problems
        .iter()
        .map(|problem| (problem.path.as_str(), problem.reason))
        .collect();
    assert_eq!(seen, problems, "{:?}", tree.problems);
}

fn configure(root: &Path, lines: &str) {
    let config = root.join(".git/config");
    let text = fs::read_to_string(&config).expect("a checkout has a configuration");
    fs::write(config, text + lines).expect("the configuration is writable");
}

fn set_remote(root: &Path, url: &str) {
    configure(root, &format!("[remote \"origin\"]\n\turl = {url}\n"));
}

#[test]
fn an_empty_folder_is_a_problem_and_no_error() {
    check(folder(&[]).path(), &[], &[(".", Reason::Empty)]);
    check(
        folder(&[("README.md", "x")]).path(),
        &[],
        &[(".", Reason::Empty)],
    );
}

#[test]
fn a_folder_that_is_not_there_or_is_a_file_is_an_error() {
    let folder = folder(&[("A.java", "class A {}")]);
    let read = |name: &str| {
        let path = folder.path().join(name);
        read_repo(&path, &SourceOptions::default(), &Monitor::default())
    };
    assert!(matches!(read("missing"), Err(SourceError::Read { .. })));
    assert!(matches!(
        read("A.java"),
        Err(SourceError::NotAFolder { .. })
    ));
}

#[test]
fn files_are_sorted_by_path_and_others_left_alone() {
    let folder = folder(&[
        ("src/b/B.java", "class B {}"),
        ("src/a/A.java", "class A {}"),
        ("src/a-b/C.java", "class C {}"),
        ("src/a/package-info.java", "package a;"),
        ("src/a/A.kt", "class A"),
        (".hidden/H.java", "class H {}"),
    ]);
    check(
        folder.path(),
        &[
            "src/a-b/C.java",
            "src/a/A.java",
            "src/a/package-info.java",
            "src/b/B.java",
        ],
        &[],
    );
}

#[test]
fn a_file_with_a_nul_is_binary() {
    let folder = folder(&[("A.java", "class A {}"), ("B.java", "class\0B {}")]);
    check(folder.path(), &["A.java"], &[("B.java", Reason::Binary)]);
}

#[test]
fn a_file_of_fifty_megabytes_is_too_large_and_not_read() {
    let folder = folder(&[("A.java", "class A {}")]);
    let file = File::create(folder.path().join("B.java")).expect("the folder is writable");
    file.set_len(50_000_000).expect("the file may have a hole");
    let tree = read(folder.path());
    assert_eq!(tree.files.len(), 1);
    assert_eq!(tree.problems[0].reason, Reason::TooLarge);
    assert_eq!(
        tree.problems[0].detail,
        "50000000 bytes, the limit is 2097152"
    );
}

#[test]
fn the_limit_itself_is_not_too_large() {
    let folder = folder(&[("A.java", "12345678"), ("B.java", "123456789")]);
    let options = SourceOptions {
        size_bytes_max: 8,
        ..SourceOptions::default()
    };
    let tree = read_repo(folder.path(), &options, &Monitor::default()).expect("it is there");
    assert_eq!(tree.files[0].path, "A.java");
    assert_eq!(tree.problems[0].path, "B.java");
}

#[test]
fn a_language_says_which_files_are_its_own() {
    let folder = folder(&[
        ("go.mod", "module example.com/m"),
        ("a.go", "package a"),
        ("tools/go.mod", "module example.com/m/tools"),
        ("A.java", "class A {}"),
        ("vendor/v.go", "package v"),
        ("_old/o.go", "package o"),
    ]);
    commit(folder.path(), &["a.go", "vendor/v.go"]);
    let options = SourceOptions {
        language: Language::Go,
        ..SourceOptions::default()
    };
    let read = || read_repo(folder.path(), &options, &Monitor::default()).expect("it is there");
    let tree = read();
    let paths = |files: &[SourceFile]| -> Vec<String> {
        files.iter().map(|file| file.path.clone()).collect()
    };
    assert_eq!(paths(&tree.files), ["a.go"]);
    assert_eq!(paths(&tree.configuration), ["go.mod", "tools/go.mod"]);
    assert_eq!(tree.repo.language, Language::Go);
    write(folder.path(), "go.mod", b"module example.com/n");
    assert_ne!(read().content_hash, tree.content_hash);
}

#[test]
fn latin_1_text_is_a_problem_with_its_offset() {
    let folder = folder(&[("A.java", "class A {}")]);
    write(folder.path(), "B.java", b"// caf\xe9\nclass B {}");
    let tree = read(folder.path());
    assert_eq!(tree.files.len(), 1);
    assert_eq!(tree.problems[0].reason, Reason::NotUtf8);
    assert_eq!(tree.problems[0].detail, "byte 0xe9 at offset 6");
}

#[test]
fn a_byte_order_mark_stays_so_that_offsets_are_those_of_the_file() {
    let text = "\u{feff}class A {}";
    let folder = folder(&[("A.java", text)]);
    assert_eq!(read(folder.path()).files[0].text, text);
}

#[test]
fn utf_16_is_read_where_compilers_take_it() {
    let text = "class A {} // \u{1d11e}\r\n";
    let little: Vec<u8> = [0xfeff_u16]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let folder = folder(&[]);
    write(folder.path(), "A.cs", &little);
    write(folder.path(), "Cut.cs", &little[..little.len() - 1]);
    let options = SourceOptions {
        language: Language::CSharp,
        ..SourceOptions::default()
    };
    let tree = read_repo(folder.path(), &options, &Monitor::default()).expect("it is there");
    assert_eq!(tree.files.len(), 1);
    assert_eq!(tree.files[0].text, text);
    assert_eq!(tree.problems[0].path, "Cut.cs");
    assert_eq!(tree.problems[0].reason, Reason::Binary);
}

#[test]
fn a_file_that_is_gone_when_it_is_read_is_unreadable() {
    let folder = folder(&[]);
    let problem = read_file(folder.path(), "A.java", &SourceOptions::default())
        .expect_err("there is no such file");
    assert_eq!(problem.reason, Reason::Unreadable);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_loops_are_reported() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("O.java", "class O {}")]);
    let inside = folder(&[("src/A.java", "class A {}")]);
    let link = |to: &Path, name: &str| {
        symlink(to, inside.path().join(name)).expect("the folder is writable");
    };
    link(Path::new(".."), "src/up");
    link(Path::new("self"), "self");
    link(outside.path(), "outside");
    link(&outside.path().join("O.java"), "O.java");
    link(Path::new("src/A.java"), "Again.java");
    link(Path::new("nowhere"), "Broken.java");
    check(
        inside.path(),
        &["src/A.java"],
        &[("self", Reason::LinkLoop), ("src/up", Reason::LinkLoop)],
    );
}

const WITH_IGNORED: &[(&str, &str)] = &[
    (
        ".gitignore",
        "/build/\n*Generated.java\n!KeptGenerated.java\n",
    ),
    ("A.java", "class A {}"),
    ("AGenerated.java", "class AGenerated {}"),
    ("KeptGenerated.java", "class KeptGenerated {}"),
    ("build/B.java", "class B {}"),
    ("module/.gitignore", "C.java\n"),
    ("module/C.java", "class C {}"),
    ("module/build/D.java", "class D {}"),
    ("module/.ignore", "D.java\n"),
];

const NOT_IGNORED: &[&str] = &["A.java", "KeptGenerated.java", "module/build/D.java"];

#[test]
fn the_folders_own_ignore_files_hold_with_a_checkout_or_without() {
    let plain = folder(WITH_IGNORED);
    check(plain.path(), NOT_IGNORED, &[]);
    let checkout = folder(WITH_IGNORED);
    commit(checkout.path(), &["A.java", "KeptGenerated.java"]);
    write(checkout.path(), ".git/info/exclude", b"A.java\n");
    check(checkout.path(), NOT_IGNORED, &[]);
    assert_eq!(
        read(plain.path()).content_hash,
        read(checkout.path()).content_hash
    );
}

#[test]
fn what_git_tracks_is_in_though_ignored_or_hidden() {
    let folder = folder(WITH_IGNORED);
    write(folder.path(), ".mvn/M.java", b"class M {}");
    write(folder.path(), ".other/N.java", b"class N {}");
    commit(folder.path(), &["A.java", "build/B.java", ".mvn/M.java"]);
    check(
        folder.path(),
        &[
            ".mvn/M.java",
            "A.java",
            "KeptGenerated.java",
            "build/B.java",
            "module/build/D.java",
        ],
        &[],
    );
}

#[test]
fn a_tracked_file_that_was_deleted_is_no_problem_but_dirty() {
    let folder = folder(&[("A.java", "class A {}"), ("B.java", "class B {}")]);
    commit(folder.path(), &["A.java", "B.java"]);
    fs::remove_file(folder.path().join("B.java")).expect("the file is there");
    check(folder.path(), &["A.java"], &[]);
    assert_eq!(read(folder.path()).repo.dirty, Some(true));
}

#[test]
fn a_hostile_index_leads_nowhere_else() {
    let outer = folder(&[("O.java", "class O {}"), ("in/A.java", "class A {}")]);
    let root = outer.path().join("in").canonicalize().expect("it is there");
    for path in [
        "../O.java",
        "/etc/O.java",
        "./A.java/x.java",
        ".git/A.java",
        ".GIT/A.java",
    ] {
        let found = walk::source_files(
            &root,
            Language::Java,
            &[path.to_owned()],
            &Monitor::default(),
        );
        let paths = found.expect("nobody cancels").paths;
        assert_eq!(paths, ["A.java"], "{path}");
    }
}

#[test]
fn ignore_files_and_checkouts_above_the_folder_do_not_count() {
    let outer = folder(&[
        (".gitignore", "inner/\n*.java\n"),
        ("inner/A.java", "class A {}"),
    ]);
    commit(outer.path(), &[".gitignore"]);
    set_remote(outer.path(), "https://example.org/outer/outer.git");
    let inner = outer.path().join("inner");
    check(&inner, &["A.java"], &[]);
    let repo = read(&inner).repo;
    assert_eq!(repo.identity, "inner");
    assert_eq!((repo.url, repo.commit, repo.dirty), (None, None, None));
}

#[test]
fn a_checkout_says_remote_commit_and_whether_it_was_changed() {
    let folder = folder(&[("A.java", "class A {}"), ("src/B.java", "class B {}")]);
    let id = commit(folder.path(), &["A.java", "src/B.java"]);
    set_remote(
        folder.path(),
        "https://user:secret@Example.org/Group/Project.git",
    );
    let repo = read(folder.path()).repo;
    assert_eq!(repo.identity, "example.org/group/project");
    assert_eq!(repo.name, "project");
    assert_eq!(
        repo.url.as_deref(),
        Some("https://Example.org/Group/Project.git")
    );
    assert_eq!(repo.commit, Some(id));
    assert_eq!(repo.dirty, Some(false));

    write(folder.path(), "Untracked.java", b"class Untracked {}");
    assert_eq!(read(folder.path()).repo.dirty, Some(false));
    write(folder.path(), "src/B.java", b"class B { }");
    assert_eq!(read(folder.path()).repo.dirty, Some(true));
}

#[test]
fn a_checkout_of_no_commit_yet_has_no_commit_and_no_problem() {
    let folder = folder(&[("A.java", "class A {}")]);
    init(folder.path());
    check(folder.path(), &["A.java"], &[]);
    let repo = read(folder.path()).repo;
    assert_eq!((repo.commit, repo.dirty), (None, None));
}

#[test]
fn a_git_file_leads_to_its_repository() {
    let folder = folder(&[("main/A.java", "class A {}")]);
    let main = folder.path().join("main");
    let id = commit(&main, &["A.java"]);
    // As `git worktree add` writes it.
    let private = main.join(".git/worktrees/other");
    write(&private, "HEAD", format!("{id}\n").as_bytes());
    write(&private, "commondir", b"../..\n");
    let other = folder.path().join("other");
    let git_file = other.join(".git");
    write(
        &private,
        "gitdir",
        format!("{}\n", git_file.display()).as_bytes(),
    );
    write(
        &other,
        ".git",
        format!("gitdir: {}\n", private.display()).as_bytes(),
    );
    write(&other, "A.java", b"class A {}");
    fs::copy(main.join(".git/index"), private.join("index")).expect("there is an index");
    check(&other, &["A.java"], &[]);
    let repo = read(&other).repo;
    assert_eq!((repo.commit, repo.dirty), (Some(id), Some(false)));
}

#[test]
fn a_broken_checkout_is_a_problem_and_the_files_are_read() {
    let broken = folder(&[("A.java", "class A {}"), (".git/HEAD", "nonsense")]);
    check(broken.path(), &["A.java"], &[(".git", Reason::Unreadable)]);
    let nowhere = folder(&[("A.java", "class A {}"), (".git", "gitdir: nowhere\n")]);
    check(nowhere.path(), &["A.java"], &[(".git", Reason::Unreadable)]);
    let index = folder(&[("A.java", "class A {}")]);
    commit(index.path(), &["A.java"]);
    write(index.path(), ".git/index", b"nonsense");
    let tree = read(index.path());
    assert_eq!(tree.files.len(), 1);
    assert!(tree.repo.commit.is_some());
    assert_eq!(tree.repo.dirty, None);
}

#[test]
fn a_configuration_that_points_elsewhere_is_not_followed() {
    let elsewhere = folder(&[("E.java", "class E {}")]);
    let here = folder(&[("A.java", "class A {}")]);
    commit(here.path(), &["A.java"]);
    configure(
        here.path(),
        &format!("[core]\n\tworktree = {}\n", elsewhere.path().display()),
    );
    let tree = read(here.path());
    let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["A.java"]);
}

#[cfg(unix)]
#[test]
fn no_program_of_the_checkouts_configuration_is_started() {
    let folder = folder(&[
        ("A.java", "class A {}"),
        (".gitattributes", "*.java filter=x\n"),
    ]);
    commit(folder.path(), &["A.java", ".gitattributes"]);
    let witness = folder.path().join("witness");
    let program = format!("touch {}", witness.display());
    configure(
        folder.path(),
        &format!(
            "[filter \"x\"]\n\tclean = {program}\n\tprocess = {program}\n[core]\n\tfsmonitor = {program}\n"
        ),
    );
    assert!(read(folder.path()).repo.dirty.is_some());
    assert!(!witness.exists());
}

#[test]
fn the_project_is_named_by_remote_then_by_the_user_then_by_the_folder() {
    let folder = folder(&[("project/A.java", "class A {}")]);
    let root = folder.path().join("project");
    let check = |options: &SourceOptions, identity: &str, name: &str| {
        let tree = read_repo(&root, options, &Monitor::default()).expect("it is there");
        assert_eq!(
            (tree.repo.identity.as_str(), tree.repo.name.as_str()),
            (identity, name)
        );
    };
    let plain = SourceOptions::default();
    let named = SourceOptions {
        name: Some("mine".to_owned()),
        ..SourceOptions::default()
    };
    let listed = SourceOptions {
        listed: Some(ListedRepo {
            path: root.clone(),
            url: Some("https://example.org/x/y".to_owned()),
            name: Some("listed".to_owned()),
            stars: Some(3),
            is_fork: Some(false),
            license: None,
            host_id: None,
        }),
        ..SourceOptions::default()
    };
    check(&plain, "project", "project");
    check(&named, "mine", "mine");
    check(&listed, "example.org/x/y", "listed");
    commit(&root, &["A.java"]);
    set_remote(&root, "/srv/git/project.git");
    check(&plain, "project", "project");
    check(&named, "mine", "mine");
    set_remote(&root, "git@example.org:a/b.git");
    check(&plain, "example.org/a/b", "b");
    check(&named, "example.org/a/b", "mine");
    check(&listed, "example.org/a/b", "listed");
}

#[test]
fn licence_and_build_tool_come_from_the_root() {
    let folder = folder(&[
        ("A.java", "class A {}"),
        ("build.xml", "<project/>"),
        ("build.gradle.kts", ""),
        ("LICENSE", "Apache License\nVersion 2.0"),
    ]);
    let repo = read(folder.path()).repo;
    assert_eq!(repo.license.as_deref(), Some("Apache-2.0"));
    assert_eq!(repo.build_tool, Some(BuildTool::Gradle));
}

#[test]
fn the_build_tool_of_every_language_is_told_by_files_at_the_root() {
    let check = |language, files: &[&str], expected: Option<BuildTool>| {
        let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
        let found = build_tool(folder(&files).path(), language);
        assert_eq!(found, expected, "{language:?} {files:?}");
    };
    check(Language::Go, &["go.mod"], Some(BuildTool::Go));
    check(Language::Go, &["sub/go.mod"], None);
    let poetry = ["pyproject.toml", "poetry.lock"];
    check(Language::Python, &poetry, Some(BuildTool::Poetry));
    check(Language::Python, &["pyproject.toml"], Some(BuildTool::Pip));
    check(Language::Python, &["setup.cfg"], Some(BuildTool::Pip));
    let yarn = ["package.json", "yarn.lock"];
    check(Language::JavaScript, &yarn, Some(BuildTool::Yarn));
    check(
        Language::JavaScript,
        &["package.json"],
        Some(BuildTool::Npm),
    );
    check(Language::CSharp, &["Tool.slnx"], Some(BuildTool::Dotnet));
    check(Language::CSharp, &["src/Tool.csproj"], None);
}

#[test]
fn the_hash_changes_with_any_text_name_or_problem_and_not_with_the_place() {
    let hash = |files: &[(&str, &str)]| read(folder(files).path()).content_hash;
    let first = hash(&[("A.java", "a"), ("B.java", "b")]);
    assert_eq!(
        first,
        hash(&[("B.java", "b"), ("A.java", "a"), ("notes.txt", "n")])
    );
    assert_ne!(first, hash(&[("A.java", "a"), ("B.java", "c")]));
    assert_ne!(first, hash(&[("A.java", "a"), ("C.java", "b")]));
    assert_ne!(first, hash(&[("A.java", "b"), ("B.java", "a")]));
    assert_ne!(
        first,
        hash(&[("A.java", "a"), ("B.java", "b"), ("C.java", "\0")])
    );
}

#[test]
fn reading_stops_when_somebody_cancels() {
    let folder = folder(&[("A.java", "class A {}")]);
    let monitor = Monitor::default();
    monitor.cancel();
    let tree = read_repo(folder.path(), &SourceOptions::default(), &monitor);
    assert!(matches!(tree, Err(SourceError::Cancelled(_))));
}

#[test]
fn the_sample_data_are_three_projects_and_one_file_that_is_not_utf_8() {
    let repos = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample-data/repos");
    let seen: Vec<String> = repositories_in(&repos)
        .expect("sample data come with the sources")
        .iter()
        .map(|root| {
            let SourceTree {
                repo,
                files,
                problems,
                ..
            } = read(root);
            let license = repo.license.as_deref().unwrap_or("none");
            let build_tool = repo.build_tool.map_or("none", BuildTool::as_str);
            let problems: Vec<String> = problems
                .iter()
                .map(|problem| format!("{} {}", problem.path, problem.reason.as_str()))
                .collect();
            format!(
                "{} {license} {build_tool} {} {problems:?}",
                repo.identity,
                files.len()
            )
        })
        .collect();
    expect_test::expect![[r#"
        measurekit BSD-3-Clause maven 13 ["legacy/Grad.java not_utf8"]
        quayside Apache-2.0 gradle 25 []
        wordloom MIT maven 21 []"#]]
    .assert_eq(&seen.join("\n"));
}

#[test]
fn packages_tell_the_runner_they_depend_on_and_lists_the_number_of_the_host() {
    let folder = folder(&[
        ("repo/a.js", ""),
        ("repo/package.json", r#"{"devDependencies":{"jest":"1"}}"#),
        ("repo/packages/b/package.json", "not json"),
        (
            "list.jsonl",
            "{\"path\":\"repo\",\"repo_id\":42}\n{\"path\":\"repo\",\"repo_id\":\"x\"}\n{\"path\":\"repo\"}",
        ),
    ]);
    let (listed, problems) =
        read_list(&folder.path().join("list.jsonl"), Forks::Starred).expect("it is there");
    assert_eq!(problems, []);
    let numbers: Vec<Option<&str>> = listed
        .iter()
        .map(|listed_repo| listed_repo.host_id.as_deref())
        .collect();
    assert_eq!(numbers, [Some("42"), Some("x"), None]);
    let options = SourceOptions {
        language: Language::JavaScript,
        listed: listed.into_iter().next(),
        ..SourceOptions::default()
    };
    let root = folder.path().join("repo");
    let repo = read_repo(&root, &options, &Monitor::default()).expect("it is there");
    let repo = repo.repo;
    let expected = [("", "jest"), ("packages/b", "")];
    assert_eq!(
        repo.runners,
        expected.map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    assert_eq!(repo.host_id.as_deref(), Some("42"));
}

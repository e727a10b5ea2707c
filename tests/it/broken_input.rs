//! Damaged files, folders and indexes: the message is clear, and everything else still works.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use focalist::cli::ExitCode;

use crate::support::{COUNTER_TEST, Place};

/// Mines a repository with one good test and the damage that `spoil` adds; returns the listed problems.
fn problems_of(spoil: impl FnOnce(&Place)) -> String {
    let place = Place::new();
    let repo = place.counter("repo");
    spoil(&place);
    place.run(&["mine", &repo]).success();
    let stats = place.run(&["stats", "--json"]).success();
    assert!(
        stats.contains("\"samples\":1") || stats.contains("\"within_size\":1"),
        "{stats}"
    );
    place.run(&["problems"]).success()
}

#[test]
fn an_empty_folder_says_that_nothing_was_there() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).expect("a folder can be made");
    let outcome = place.run(&["mine", &place.path("empty").to_string_lossy()]);
    assert!(outcome.err.contains("empty"), "{}", outcome.err);
    assert_ne!(outcome.code, ExitCode::Database);
}

#[test]
fn a_folder_that_is_not_there_is_unreadable_input() {
    let place = Place::new();
    let err = place
        .run(&["mine", "no/such/folder"])
        .failure(ExitCode::Input);
    assert!(err.contains("no/such/folder"), "{err}");
}

#[test]
fn a_file_with_a_nul_is_left_out() {
    let problems = problems_of(|place| {
        place.write("repo/src/main/java/p/Nul.java", b"class Nul { \0 }");
    });
    assert!(
        problems.contains("Nul.java") && problems.contains("binary"),
        "{problems}"
    );
}

#[test]
fn a_file_of_50_megabytes_is_left_out_unread() {
    let problems = problems_of(|place| {
        let path = place.write("repo/src/main/java/p/Huge.java", "");
        let file = File::options()
            .write(true)
            .open(path)
            .expect("the file is there");
        file.set_len(50 << 20).expect("a sparse file takes no room");
    });
    assert!(
        problems.contains("Huge.java") && problems.contains("too_large"),
        "{problems}"
    );
}

#[test]
fn a_loop_of_links_ends() {
    problems_of(|place| {
        let inside = place.path("repo/src/main/java/p/again");
        symlink(place.path("repo"), inside).expect("a link can be made");
    });
}

#[test]
fn latin_1_text_is_left_out_with_the_place() {
    let problems = problems_of(|place| {
        place.write(
            "repo/src/main/java/p/Latin.java",
            b"class Latin { String s = \"gr\xfcn\"; }",
        );
    });
    assert!(
        problems.contains("Latin.java") && problems.contains("not_utf8"),
        "{problems}"
    );
}

#[test]
fn unbalanced_braces_cost_only_what_does_not_parse() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.write(
        "repo/src/test/java/p/BrokenTest.java",
        COUNTER_TEST
            .replace("CounterTest", "BrokenTest")
            .trim_end()
            .trim_end_matches('}'),
    );
    place.run(&["mine", &repo]).success();
    let problems = place.run(&["problems"]).success();
    assert!(
        problems.contains("BrokenTest.java") && problems.contains("syntax"),
        "{problems}"
    );
    let samples = place.run(&["samples"]).success();
    assert!(samples.contains("CounterTest.testInc"), "{samples}");
}

#[test]
fn deep_nesting_does_not_end_the_program() {
    let place = Place::new();
    let repo = place.counter("repo");
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    place.write(
        "repo/src/test/java/p/DeepTest.java",
        COUNTER_TEST.replace("CounterTest", "DeepTest").replace(
            "assertEquals(1, once)",
            &format!("assertEquals({deep}, once)"),
        ),
    );
    place.run(&["mine", &repo]).success();
    let samples = place.run(&["samples"]).success();
    assert!(samples.contains("CounterTest.testInc"), "{samples}");
}

#[test]
fn a_workspace_that_cannot_be_written_is_a_database_failure() {
    let place = Place::new();
    let repo = place.counter("repo");
    // A file in place of the folder stops every user, whatever their permissions.
    place.write("taken/.focalist", "not a folder");
    let taken = place.path("taken").to_string_lossy().into_owned();
    let err = place.run(&["--workspace", &taken, "mine", &repo]);
    assert_ne!(err.code, ExitCode::Ok);
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.run(&["mine", &repo]).success();
    let path = place.path(".focalist/index.db");
    let mut bytes = fs::read(&path).expect("the index is there");
    // The SQLite file format keeps `user_version` big-endian at offset 60.
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    fs::write(&path, &bytes).expect("the index can be replaced");
    let before = fs::read(&path).expect("the index is there");
    for args in [&["stats"][..], &["mine", &repo]] {
        let err = place.run(args).failure(ExitCode::Database);
        assert!(err.contains("9999"), "{err}");
    }
    assert_eq!(fs::read(&path).expect("the index is there"), before);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.write(
        ".focalist/index.db",
        "somebody's notes, which must not be lost\n".repeat(100),
    );
    let err = place.run(&["mine", &repo]).failure(ExitCode::Database);
    assert!(err.contains("index.db"), "{err}");
    let kept = fs::read_to_string(place.path(".focalist/index.db")).expect("it is still there");
    assert!(kept.starts_with("somebody's notes"));
}

#[test]
fn killed_mining_leaves_an_index_that_mining_again_completes() {
    let place = Place::new();
    let repos: Vec<String> = (0..60)
        .map(|n| place.counter(&format!("repos/r{n}")))
        .collect();
    let folder = place.path("repos").to_string_lossy().into_owned();
    for _ in 0..3 {
        let mut child = place.spawn(&["mine", "--each", &folder]);
        // Killed as soon as the index exists: somewhere in the middle of the work.
        while !place.path(".focalist/index.db").exists() {
            assert!(child.try_wait().expect("the child can be asked").is_none());
            std::thread::yield_now();
        }
        child.kill().expect("the child can be killed");
        child.wait().expect("the child ends");
    }
    place.run(&["mine", "--each", &folder]).success();
    let listed = place.run(&["repos", "--json"]).success();
    assert_eq!(listed.lines().count(), repos.len());
    let samples = place.run(&["samples", "--limit", "0", "--json"]).success();
    assert_eq!(samples.lines().count(), repos.len());
}

#[test]
fn ctrl_c_keeps_what_is_done_and_mining_again_goes_on() {
    let place = Place::new();
    let n_repos = 400;
    for n in 0..n_repos {
        place.counter(&format!("repos/r{n}"));
    }
    let folder = place.path("repos").to_string_lossy().into_owned();
    let mut child = place.spawn(&["mine", "--each", &folder]);
    while !place.path(".focalist/index.db").exists() {
        assert!(child.try_wait().expect("the child can be asked").is_none());
        std::thread::yield_now();
    }
    let asked = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("`kill` is everywhere");
    assert!(asked.success());
    let status = child.wait().expect("the child ends");
    assert_eq!(status.code(), Some(ExitCode::Cancelled as i32));
    let done = place.run(&["repos", "--json"]).success().lines().count();
    assert!(done < n_repos, "it had ended before it was asked to");
    let outcome = place.run(&["mine", "--each", &folder]);
    assert_eq!(outcome.err.matches(": unchanged").count(), done);
    let listed = place.run(&["repos", "--json"]).success();
    assert_eq!(listed.lines().count(), n_repos);
}

#[test]
fn a_folder_where_a_file_is_read_is_called_one() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let folder = place.path("repo").to_string_lossy().into_owned();
    for args in [
        &["import", &folder, "--run", "r"][..],
        &["verdicts", "merge", &folder],
        &["score", &folder],
    ] {
        let err = place.run(args).failure(ExitCode::Input);
        let expected = format!("error: `{folder}` is a folder, but a file is needed\nhint: ");
        assert!(err.contains(&expected), "{err}");
    }
}

#[test]
fn a_workspace_that_cannot_be_read_is_not_called_missing() {
    let place = Place::new();
    // A link to itself cannot be followed by any user; permissions do not stop root.
    symlink(place.path(".focalist"), place.path(".focalist")).expect("a link can be made");
    for args in [&["stats"][..], &["eval"], &["eval", "--background"]] {
        let err = place.run(args).failure(ExitCode::Input);
        assert!(err.starts_with("error: cannot read `"), "{err}");
        assert!(
            err.contains(".focalist`: ") && err.contains("hint: check the permissions"),
            "{err}"
        );
    }
}

#[test]
fn a_damaged_index_says_what_is_lost_and_where_copies_are() {
    let place = Place::with_sample_data();
    let file = crate::support::sample_data("predictions/steady.jsonl");
    place.run(&["import", &file, "--run", "a/b"]).success();
    let copy = place.path(".focalist/imported/a%2Fb/0-steady.jsonl");
    let original = fs::read(&file).expect("the sample data is there");
    assert_eq!(fs::read(&copy).expect("a copy was kept"), original);
    let none = place.write("none.jsonl", "{}\n");
    place
        .run(&[
            "import",
            &none.to_string_lossy(),
            "--run",
            "a/b",
            "--replace",
        ])
        .failure(ExitCode::Problems);
    assert_eq!(fs::read(&copy).expect("it is still there"), original);

    fs::write(
        place.path(".focalist/index.db"),
        "not a database".repeat(999),
    )
    .expect("it is there");
    let err = place.run(&["stats"]).failure(ExitCode::Database);
    assert!(!err.contains("everything in it can be made anew"), "{err}");
    for said in [
        "runs must be imported again",
        ".focalist/imported",
        "focalist jobs",
    ] {
        assert!(err.contains(said), "{said}: {err}");
    }
}

#[test]
fn copies_of_a_run_go_with_it() {
    let place = Place::with_sample_data();
    let file = crate::support::sample_data("predictions/steady.jsonl");
    place.run(&["import", &file, "--run", "r"]).success();
    assert!(place.path(".focalist/imported/r").exists());
    place.run(&["rm", "--run", "r"]).success();
    assert!(!place.path(".focalist/imported/r").exists());
}

#[test]
fn a_repository_that_moved_is_the_same_one() {
    let place = Place::new();
    let old = place.counter("old");
    place.run(&["mine", &old]).success();
    let samples = place.run(&["samples", "--json"]).success();
    fs::rename(&old, place.path("new")).expect("a folder can be moved");
    let new = place.path("new").to_string_lossy().into_owned();
    let mined = place.run(&["mine", &new]);
    assert!(
        mined.err.contains("1 with an assertion part"),
        "{}",
        mined.err
    );
    mined.success();
    let repos = place.run(&["repos"]).success();
    assert_eq!(repos.lines().count(), 2, "{repos}");
    assert!(repos.contains("\nold "), "{repos}");
    assert_eq!(place.run(&["samples", "--json"]).success(), samples);
    // Its location is known from then on.
    let again = place.run(&["mine", &new]);
    assert!(again.err.contains("unchanged"), "{}", again.err);
    // A copy is another repository: both are listed.
    place.counter("copy");
    place
        .run(&["mine", &place.path("copy").to_string_lossy()])
        .success();
    assert_eq!(place.run(&["repos"]).success().lines().count(), 3);
}

#[test]
fn a_repository_that_moved_and_changed_says_how_it_stays_the_same_one() {
    let place = Place::new();
    let old = place.counter("old");
    place.run(&["mine", &old]).success();
    let samples = place.run(&["samples", "--json"]).success();
    let new = place.path("new");
    fs::rename(&old, &new).expect("a folder can be moved");
    let main = new.join("src/main/java/p/Counter.java");
    let text = fs::read_to_string(&main).expect("it is there");
    fs::write(&main, text + "// changed\n").expect("it can be written");
    let new = new.to_string_lossy().into_owned();
    let mined = place.run(&["mine", &new]);
    let hint = format!("`focalist rm new` and then `focalist mine {new} --name old`");
    assert!(mined.err.contains(&hint), "{}", mined.err);
    mined.success();
    place.run(&["rm", "new"]).success();
    let again = place.run(&["mine", &new, "--name", "old"]);
    assert!(!again.err.contains("hint: `"), "{}", again.err);
    again.success();
    let repos = place.run(&["repos"]).success();
    assert!(
        repos.lines().count() == 2 && repos.contains("\nold "),
        "{repos}"
    );
    let after = place.run(&["samples", "--json"]).success();
    let key = |line: &str| -> serde_json::Value {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row is JSON");
        row["key"].clone()
    };
    assert_eq!(key(&after), key(&samples));
}

#[test]
fn what_cannot_be_mined_is_said_once_and_with_its_reason() {
    let place = Place::new();
    let file = place.write("file", "x").to_string_lossy().into_owned();
    let err = place.run(&["mine", &file]).failure(ExitCode::Input);
    assert_eq!(err, format!("error: `{file}` is not a folder\n"));
    let folder = place.path("").to_string_lossy().into_owned();
    for (args, reason) in [
        (["mine", "--list", &folder], "Is a directory"),
        (["mine", "--each", &file], "Not a directory"),
    ] {
        let err = place.run(&args).failure(ExitCode::Input);
        assert!(err.contains(&format!("`: {reason}")), "{err}");
    }
}

#[test]
fn an_index_that_is_empty_or_in_the_way_says_so() {
    let place = Place::new();
    place.write(".focalist", "x");
    let counter = place.counter("repo");
    let err = place.run(&["mine", &counter]).failure(ExitCode::Database);
    assert!(
        err.contains(".focalist`: not a directory\nhint: move it away"),
        "{err}"
    );
    fs::remove_file(place.path(".focalist")).expect("it can be removed");
    place.write(".focalist/index.db", "");
    let err = place.run(&["samples"]).failure(ExitCode::Database);
    assert!(err.contains("index.db` is empty\nhint: "), "{err}");
    place.run(&["mine", &counter]).success();
}

#[test]
fn a_dataset_of_which_nothing_can_be_used_is_no_success() {
    let place = Place::new();
    let file = place
        .write("rows", "nonsense\n")
        .to_string_lossy()
        .into_owned();
    for format in ["jsonl", "methods2test", "atlas", "mera", "parquet"] {
        let err = place
            .run(&["import", "--dataset", format, &file])
            .failure(ExitCode::Problems);
        let expected = format!("could be used as a dataset in the format `{format}`");
        assert!(err.contains(&expected), "{err}");
    }
}

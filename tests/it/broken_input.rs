//! Files, folders and indexes that are not as they should be: a clear message, everything else goes on.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use focalist::cli::ExitCode;

use crate::support::{COUNTER_TEST, Place};

/// Mines a repository with one good test and whatever `spoil` adds; returns the listed problems.
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
    // A file where the folder should be stops everybody, whatever their rights.
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

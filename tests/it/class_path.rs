//! The option `--classpath`: call chains through a library that is only known as a jar.

use std::fs;
use std::path::Path;

use focalist::cli::ExitCode;

use crate::support::Place;

const LIB: &str = "tests/fixtures/classpath/lib.jar";

/// Creates a place with a repository whose test calls through the library, and the library's jar.
fn place() -> Place {
    let place = Place::new();
    place.counter("repo");
    place.write(
        "repo/src/test/java/p/BoxTest.java",
        "package p;

import static org.junit.Assert.assertEquals;

import lib.Box;
import org.junit.Test;

public class BoxTest {
    @Test
    public void incThroughABox() {
        int once = Box.of(1).map(it -> new Counter()).get().inc();
        assertEquals(1, once);
    }
}
",
    );
    let jar = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(LIB)).expect("the fixture");
    place.write("jars/lib.jar", jar);
    place
}

fn text(place: &Place, below: &str) -> String {
    place.path(below).to_string_lossy().into_owned()
}

/// Returns the line of `calls` about `inc` in the test that calls through the library.
fn inc(lines: &str) -> &str {
    let mut lines = lines.lines();
    lines
        .find(|line| line.contains("BoxTest") && line.contains("\"name\":\"inc\""))
        .expect("the test calls it")
}

#[test]
fn a_chain_through_a_jar_is_resolved() {
    let place = place();
    let repo = text(&place, "repo");
    let without = place.run(&["calls", &repo]).success();
    assert!(inc(&without).contains("\"resolution\":\"unknown\""));
    let folder = text(&place, "jars");
    for path in [
        folder.clone(),
        format!("{folder}/*"),
        format!("{folder}/lib.jar"),
        format!(":{folder}/lib.jar:"),
    ] {
        let with = place.run(&["calls", &repo, "--classpath", &path]).success();
        assert!(inc(&with).contains("\"declared\""), "{path}");
        let one = place
            .run(&["calls", &repo, "--jobs", "1", "--classpath", &path])
            .success();
        assert_eq!(one, with);
    }
    let explained = place
        .run(&[
            "explain",
            &repo,
            "BoxTest#incThroughABox",
            "--classpath",
            &folder,
        ])
        .success();
    assert!(
        explained.contains("declared p.Counter#inc()"),
        "{explained}"
    );
}

#[test]
fn a_jar_that_is_not_there_is_an_input_error() {
    let place = place();
    let repo = text(&place, "repo");
    let missing = text(&place, "jars/absent.jar");
    for command in ["calls", "mine"] {
        let said = place
            .run(&[command, &repo, "--classpath", &missing])
            .failure(ExitCode::Input);
        assert!(said.contains("absent.jar"), "{said}");
    }
}

#[test]
fn a_jar_that_is_none_is_counted() {
    let place = place();
    let repo = text(&place, "repo");
    place.write("jars/broken.jar", "no jar");
    let jars = text(&place, "jars");
    let run = place.run(&["calls", &repo, "--classpath", &jars]);
    assert!(run.err.contains("broken.jar: unreadable"), "{}", run.err);
    assert!(inc(&run.success()).contains("\"declared\""));
    place
        .run(&["--strict", "mine", &repo, "--classpath", &jars])
        .failure(ExitCode::Problems);
}

#[test]
fn another_class_path_means_mining_again_and_stands_in_the_manifest() {
    let place = place();
    let repo = text(&place, "repo");
    let jars = text(&place, "jars");
    let is_unchanged = |args: &[&str]| {
        let run = place.run(&[&["mine", repo.as_str()], args].concat());
        run.err.contains("unchanged")
    };
    assert!(!is_unchanged(&[]));
    assert!(is_unchanged(&[]));
    assert!(!is_unchanged(&["--classpath", &jars]));
    assert!(is_unchanged(&["--classpath", &jars]));
    let manifest = place.run(&["manifest"]).success();
    assert!(manifest.contains("classpath=lib.jar@"), "{manifest}");
    assert!(!manifest.contains(&jars), "{manifest}");
    place.write("jars/lib.jar", "another");
    assert!(!is_unchanged(&["--classpath", &jars]));
}

//! Sources that nobody writes: everything that mining does ends, and a good test beside them is still mapped.
//!
//! `tests/fixtures/hostile/*.java` are written by hand or were found by the fuzzing bench and made small; a line
//! `// FILE path` begins another file. The strains of the bench are more of them, in sizes that no file should hold.
//! What is bounded is work, not time: numbers of what comes out, and that it comes out at all.

use std::fs;
use std::path::Path;

#[path = "../bench/fuzz/generate.rs"]
mod generate;
#[path = "../bench/fuzz/pipeline.rs"]
mod pipeline;

use crate::support::{COUNTER, COUNTER_TEST};
use pipeline::{Source, Work};

/// Runs everything on the sources and one good class with its test.
fn check(name: &str, mut sources: Vec<Source>) {
    for (path, text) in [
        ("src/main/java/p/Counter.java", COUNTER),
        ("src/test/java/p/CounterTest.java", COUNTER_TEST),
    ] {
        sources.push(Source {
            path: path.to_owned(),
            text: text.to_owned(),
        });
    }
    let work = pipeline::run(&sources);
    assert_bounded(name, &work);
    assert!(
        work.mapped
            .iter()
            .any(|(test, focal)| test.starts_with("p.CounterTest#testInc")
                && focal.starts_with("p.Counter#inc(")),
        "{name}: the good test is lost: {:?}",
        work.mapped
    );
    let work = pipeline::run_on_every_method(&sources);
    assert!(work.n_calls > 0, "{name}: the good test has calls");
}

fn assert_bounded(name: &str, work: &Work) {
    // Every call takes more than a byte of source, however often its surroundings are walked.
    assert!(work.n_calls <= work.n_bytes, "{name}: {work:?}");
    // Two rounds of three matchers, two contexts each, of the project's methods.
    let n_contexts_max = work.n_tests * work.n_methods * 12;
    assert!(work.n_contexts <= n_contexts_max, "{name}: {work:?}");
    assert!(
        work.n_declarations <= work.n_calls * work.n_methods,
        "{name}: {work:?}"
    );
}

/// Cuts a fixture at its lines `// FILE path`.
fn files_of(name: &str, text: &str) -> Vec<Source> {
    let mut sources = vec![Source {
        path: format!("src/test/java/p/{name}"),
        text: String::new(),
    }];
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_prefix("// FILE ") {
            Some(path) => sources.push(Source {
                path: path.to_owned(),
                text: String::new(),
            }),
            None => sources
                .last_mut()
                .expect("there is one from the start")
                .text
                .push_str(line),
        }
    }
    sources
}

#[test]
fn hostile_sources_harm_nothing_beside_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hostile");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("an entry can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let bytes = fs::read(folder.join(&name)).expect("a fixture can be read");
        check(&name, files_of(&name, &String::from_utf8_lossy(&bytes)));
    }
}

#[test]
fn strains_of_any_size_harm_nothing_beside_them() {
    for (id, strain) in generate::STRAINS.iter().enumerate() {
        for size in [2, 170] {
            let text = format!("package s; class StrainTest {{ {} }}", strain(size, id));
            check(
                &format!("strain {id} of {size}"),
                files_of("StrainTest.java", &text),
            );
        }
    }
}

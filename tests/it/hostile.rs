//! Extreme sources: every step of mining ends, and a good test beside them is still mapped.
//!
//! `tests/fixtures/hostile` holds sources in any language that were written by hand, or found by the fuzzing bench and
//! minimised; a line `// FILE path` begins another file. The bench's strains are further sources, in extreme sizes. The
//! tests bound the work, not the time: the numbers of results, and that there are results at all.

use std::fs;
use std::path::Path;

#[path = "../bench/fuzz/generate.rs"]
mod generate;
#[path = "../bench/fuzz/pipeline.rs"]
mod pipeline;

use crate::support::{COUNTER, COUNTER_TEST};
use focalist::model::Language;
use focalist::syntax;
use pipeline::{Source, Work};

/// A file of main code and one of tests, and the beginnings of the keys of a test and its focal method.
struct Good {
    files: [(&'static str, &'static str); 2],
    mapped: (&'static str, &'static str),
}

const fn good(language: Language) -> Good {
    match language {
        Language::Java => Good {
            files: [
                ("src/main/java/p/Counter.java", COUNTER),
                ("src/test/java/p/CounterTest.java", COUNTER_TEST),
            ],
            mapped: ("p.CounterTest#testInc", "p.Counter#inc("),
        },
        Language::Python => Good {
            files: [
                ("src/counter.py", "def increase(n):\n    return n + 1\n"),
                (
                    "tests/test_counter.py",
                    "from counter import increase\n\ndef test_increase():\n    assert increase(1) == 2\n",
                ),
            ],
            mapped: ("test_counter#test_increase", "counter#increase("),
        },
        Language::Go => Good {
            files: [
                (
                    "good/counter.go",
                    "package good\n\nfunc Increase(n int) int { return n + 1 }\n",
                ),
                (
                    "good/counter_test.go",
                    "package good\n\nimport \"testing\"\n\nfunc TestIncrease(t *testing.T) {\n\tif Increase(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
                ),
            ],
            mapped: ("good#TestIncrease", "good#Increase("),
        },
        Language::JavaScript => Good {
            files: [
                (
                    "good/counter.js",
                    "export function increase(n) { return n + 1; }\n",
                ),
                (
                    "good/counter.test.js",
                    "import { increase } from './counter';\ntest('increase', () => { expect(increase(1)).toBe(2); });\n",
                ),
            ],
            mapped: ("good/counter.test#increase", "good/counter#increase("),
        },
        Language::CSharp => Good {
            files: [
                (
                    "good/Counter.cs",
                    "namespace Good; public class Counter { public static int Increase(int n) => n + 1; }",
                ),
                (
                    "tests/CounterTests.cs",
                    "using Xunit; namespace Good; public class CounterTests { [Fact] public void Increase() { Assert.Equal(2, Counter.Increase(1)); } }",
                ),
            ],
            mapped: ("Good.CounterTests#Increase", "Good.Counter#Increase("),
        },
    }
}

/// Runs every step on the sources and one good file with its test.
fn check(name: &str, language: Language, mut sources: Vec<Source>) {
    let good = good(language);
    for (path, text) in good.files {
        sources.push(Source {
            path: path.to_owned(),
            text: text.to_owned(),
        });
    }
    let work = pipeline::run(language, &sources);
    assert_bounded(name, &work);
    assert!(
        work.mapped.iter().any(|(test, focal)| {
            test.starts_with(good.mapped.0) && focal.starts_with(good.mapped.1)
        }),
        "{name}: the good test is lost: {:?}",
        work.mapped
    );
    let work = pipeline::run_on_every_method(language, &sources);
    assert!(work.n_calls > 0, "{name}: the good test has calls");
}

fn assert_bounded(name: &str, work: &Work) {
    // Every call takes more than one byte of source, however often its surroundings are visited.
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
    let folder = if name.strip_suffix(".java").is_some() {
        "src/test/java/p"
    } else {
        "p"
    };
    let mut sources = vec![Source {
        path: format!("{folder}/{name}"),
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
        let sources = files_of(&name, &String::from_utf8_lossy(&bytes));
        let language = syntax::language_of(&name).expect("a fixture's name says its language");
        check(&name, language, sources);
    }
}

#[test]
fn a_good_test_of_every_language_is_mapped() {
    for language in Language::ALL {
        check(language.as_str(), *language, Vec::new());
    }
}

#[test]
fn strains_of_any_size_harm_nothing_beside_them() {
    for (id, strain) in generate::STRAINS.iter().enumerate() {
        for size in [2, 170] {
            let text = format!("package s; class StrainTest {{ {} }}", strain(size, id));
            check(
                &format!("strain {id} of {size}"),
                Language::Java,
                files_of("StrainTest.java", &text),
            );
        }
    }
}

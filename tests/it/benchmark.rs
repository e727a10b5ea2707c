//! Building a benchmark from repositories, from a list to splits and numbers.

use std::process::Command;

use expect_test::expect;
use focalist::cli::ExitCode;

use serde_json::Value;

use crate::support::{Place, python_with, sample_data};

fn planted() -> Place {
    let place = Place::new();
    for name in ["inner", "outer"] {
        let folder = place.counter(name);
        place.run(&["mine", &folder]).success();
    }
    place.write("inner/pom.xml", "<project/>");
    place.write(
        "repos.jsonl",
        r#"{"path":"inner","size":100,"pushed_at":"2024-05-31T10:00:00Z"}
{"path":"outer","size_bytes":100,"pushed_at":"2024-05-31T10:00:00Z"}
{"url":"https://example.org/known/Seen.git"}
{"url":"https://example.org/else/gone","exists":false}
no line
"#,
    );
    place.write("seen.txt", "known/seen\n");
    place
}

#[test]
fn each_repository_falls_at_the_first_step_that_it_fails() {
    let place = planted();
    let list = place.path("repos.jsonl").to_string_lossy().into_owned();
    let leaks = place.path("seen.txt").to_string_lossy().into_owned();
    let asked = ["benchmark", "filter", "--list", &list, "--leak", &leaks];
    let rest = ["--as-of", "2026-05-31", "--min-cases", "1"];
    let out = place.run(&[&asked[..], &rest].concat()).success();
    expect![[r"
        step      before  after  reduction  not known
        leakage        4      3     25.0 %          0
        exists         3      2     33.3 %          0
        size           2      2      0.0 %          0
        pom            2      1     50.0 %          0
        recent         1      1      0.0 %          0
        tokens         1      1      0.0 %          0
        cases          1      1      0.0 %          0
        compiles       1      1      0.0 %          1
        passes         1      1      0.0 %          1

        repository              fell at  because
        outer                   pom      no `pom.xml` at its root
        example.org/known/seen  leakage  it is in a `--leak` list
        example.org/else/gone   exists   it no longer exists
    "]]
    .assert_eq(&out);
    let strict = [&["--strict"], &asked[..], &rest].concat();
    let said = place.run(&strict).failure(ExitCode::Problems);
    assert!(said.contains("repos.jsonl:5: "), "{said}");
}

#[test]
fn what_the_filter_keeps_can_be_split() {
    let place = planted();
    let list = place.path("repos.jsonl").to_string_lossy().into_owned();
    let asked = [
        "benchmark",
        "filter",
        "--list",
        &list,
        "--as-of",
        "2026-05-31",
    ];
    let kept = [&asked[..], &["--min-cases", "1", "--json"]].concat();
    let kept = place.run(&kept).success();
    let chosen = place.write("chosen.jsonl", kept);
    let chosen = chosen.to_string_lossy().into_owned();
    let out = place
        .run(&["benchmark", "split", "--list", &chosen, "--json"])
        .success();
    expect![[r#"
        {"repo":"inner","split":"train","n_cases":1,"language":"java"}
        {"repo":"example.org/known/seen","split":"test","n_cases":0}
    "#]]
    .assert_eq(&out);
}

#[test]
fn the_numbers_of_a_benchmark_are_those_of_the_papers_tables() {
    let out = planted()
        .run(&["benchmark", "stats", "--tokens", "lexer"])
        .success();
    expect![[r"
        project split  repositories           tests
        train                     2  100.0 %      2  100.0 %
        total                     2  100.0 %      2  100.0 %

                                       mean  max  min   25 %   50 %   75 %  total
        tests per repository           1.00    1    1   1.00   1.00   1.00      2
        focal methods per repository   1.00    1    1   1.00   1.00   1.00      2
        tests per focal method         1.00    1    1   1.00   1.00   1.00      2
        tokens per focal method       15.00   15   15  15.00  15.00  15.00     30
        tokens per test               33.00   33   33  33.00  33.00  33.00     66

        of the focal methods                          number    share
        getters                                            0    0.0 %
        setters                                            0    0.0 %
        mean cyclomatic complexity                      1.00
        repositories with junit4                           2  100.0 %
        repositories whose pom names no Java version       2  100.0 %
        tokens counted as                              lexer
    "]]
    .assert_eq(&out);
}

#[test]
fn a_split_of_several_languages_keeps_the_shares_of_each_and_feeds_an_export() {
    let place = Place::with_languages();
    let folder = sample_data("repos");
    place.run(&["mine", "--each", &folder]).success();
    let lines = place.run(&["benchmark", "split", "--json"]).success();
    let file = place.write("splits.jsonl", &lines);
    let file = file.to_string_lossy().into_owned();
    let mut n_rows = 0;
    for split in ["train", "validation", "test"] {
        let exported = place.run(&["export", "--splits", &file, "--split", split]);
        for line in exported.success().lines() {
            let sample: Value = serde_json::from_str(line).expect("a line is JSON");
            let given = lines.lines().find_map(|line| {
                let line: Value = serde_json::from_str(line).expect("a line is JSON");
                (line["repo"] == sample["repo"]["name"]).then(|| line["split"].clone())
            });
            assert_eq!(given, Some(Value::from(split)), "{sample}");
            n_rows += 1;
        }
    }
    assert_eq!(n_rows, place.run(&["export"]).success().lines().count());
    let table = place.run(&["benchmark", "split"]).success();
    // One project per language: the largest share is the training split.
    expect![[r"
        split       repositories           tests
        train                  6   85.7 %     94   81.0 %
        validation             0    0.0 %      0    0.0 %
        test                   1   14.3 %     22   19.0 %
        total                  7  100.0 %    116  100.0 %

        language      train  validation    test
        java         56.9 %       0.0 %  43.1 %
        python      100.0 %       0.0 %   0.0 %
        go          100.0 %       0.0 %   0.0 %
        javascript  100.0 %       0.0 %   0.0 %
        csharp      100.0 %       0.0 %   0.0 %
    "]]
    .assert_eq(&table);
}

#[test]
fn the_last_part_of_a_name_is_enough_where_one_repository_has_it() {
    let place = Place::new();
    for (folder, name) in [
        ("a", "google/guava"),
        ("b", "google/gson"),
        ("c", "fork/gson"),
    ] {
        let folder = place.counter(folder);
        place.run(&["mine", &folder, "--name", name]).success();
    }
    let refused = place.run(&["rm", "gson"]).failure(ExitCode::Input);
    for name in ["`google/gson`", "`fork/gson`"] {
        assert!(refused.contains(name), "{refused}");
    }
    let refused = place.run(&["prepare", "gson"]).failure(ExitCode::Input);
    assert!(refused.contains("more than one repository"), "{refused}");
    place.run(&["rm", "guava"]).success();
    place.run(&["rm", "google/gson"]).success();
    // The name now belongs to only one repository.
    place.run(&["rm", "gson"]).success();
    let gone = place.run(&["rm", "gson"]).failure(ExitCode::Input);
    assert!(gone.contains("no repository `gson`"), "{gone}");
}

#[test]
fn splits_of_ones_own_have_names_of_ones_own() {
    let place = Place::with_sample_data();
    let own = [
        r#"{"repo":"measurekit","split":"train"}"#,
        r#"{"repo":"wordloom","split":"dev-2"}"#,
    ];
    let splits = place.write("splits.jsonl", own.join("\n"));
    let splits = splits.to_string_lossy().into_owned();
    let repos = |more: &[&str]| {
        let asked = [&["export", "--splits", &splits], more].concat();
        let lines = place.run(&asked).success();
        let names = lines.lines().map(|line| {
            let sample: Value = serde_json::from_str(line).expect("a line is JSON");
            sample["repo"]["name"].as_str().expect("a name").to_owned()
        });
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(repos(&[]).len(), 2);
    assert_eq!(repos(&["--split", "dev-2"]), ["wordloom".to_owned()].into());
    assert_eq!(
        repos(&["--split", "train"]),
        ["measurekit".to_owned()].into()
    );
    let folder = place.path("out").to_string_lossy().into_owned();
    let asked = [
        "export", "--splits", &splits, "--format", "parquet", "--output",
    ];
    let told = place.run(&[&asked[..], &[folder.as_str()]].concat());
    assert!(told.err.contains("dev-2 "), "{}", told.err);
    let card = std::fs::read_to_string(place.path("out/README.md")).expect("it is written");
    assert!(
        card.contains("  - split: dev-2\n    path: data/dev-2-*\n"),
        "{card}"
    );
    assert!(place.path("out/data/dev-2-00000-of-00001.parquet").exists());
    let check = |more: &[&str], expected: &str| {
        let told = place.run(&[&["export"], more].concat());
        let told = told.failure(ExitCode::Usage);
        assert!(told.contains(expected), "{expected}: {told}");
    };
    check(&["--split", "dev-2"], "no split `dev-2`");
    check(
        &["--splits", &splits, "--split", "dev-3"],
        "it gives dev-2, train",
    );
    let mera = ["--splits", &splits, "--format", "mera", "--output", "mera"];
    check(&mera, "MERA has no split `dev-2`");
}

fn sorted(mut keys: Vec<String>) -> Vec<String> {
    keys.sort();
    keys
}

/// Returns the keys of the samples that a filter lets through.
fn keys(place: &Place, filter: &str) -> Vec<String> {
    let lines = place.run(&["samples", "--json", filter]).success();
    let key = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        line["key"].as_str().expect("a sample has a key").to_owned()
    };
    sorted(lines.lines().map(key).collect())
}

#[test]
fn a_split_is_kept_in_the_index_where_a_filter_finds_it() {
    let place = Place::with_sample_data();
    assert!(keys(&place, "-benchmark:none").is_empty());
    let mapped = keys(&place, "status:ok,no_assertion_part");
    let file = place.path("cases.jsonl").to_string_lossy().into_owned();
    let split = ["benchmark", "split", "--seed", "3"];
    place.run(&[&split[..], &["--dry-run"]].concat()).success();
    assert!(keys(&place, "-benchmark:none").is_empty());
    let told = place.run(&[&split[..], &["--output", &file]].concat());
    assert!(told.err.contains("kept in the index"), "{}", told.err);
    assert_eq!(keys(&place, "-benchmark:none"), mapped);
    // The written samples, those that the filter finds, and the exported ones are the same.
    let written = std::fs::read_to_string(&file).expect("it is written");
    for split in ["train", "validation", "test"] {
        let of_split = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("a line is JSON");
            let key = line["sample"].as_str().expect("a key").to_owned();
            (line["split"] == split).then_some(key)
        };
        let listed = sorted(written.lines().filter_map(of_split).collect());
        assert_eq!(keys(&place, &format!("benchmark:{split}")), listed);
    }
    // Samples that are mined again keep their split.
    let table = place.run(&["benchmark", "stats"]).success();
    let folder = sample_data("repos");
    place.run(&["mine", "--each", &folder]).success();
    assert_eq!(place.run(&["benchmark", "stats"]).success(), table);
    // Another split takes its place.
    let told = place.run(&["benchmark", "split", "repo:measurekit"]);
    told.success();
    let own = keys(&place, "repo:measurekit status:ok,no_assertion_part");
    assert_eq!(keys(&place, "-benchmark:none"), own);
}

#[test]
fn the_numbers_are_those_of_the_benchmark_where_there_is_one() {
    let place = planted();
    let stats = |more: &[&str]| place.run(&[&["benchmark", "stats"], more].concat());
    let head = |out: &str| out.lines().take(3).collect::<Vec<_>>().join("\n");
    let told = stats(&[]);
    assert!(told.err.contains("by the project split"), "{}", told.err);
    expect![[r"
        project split  repositories           tests
        train                     2  100.0 %      2  100.0 %
        total                     2  100.0 %      2  100.0 %"]]
    .assert_eq(&head(&told.success()));
    place.run(&["benchmark", "split"]).success();
    let of_benchmark = stats(&[]).success();
    expect![[r"
        split  repositories           tests
        train             1   50.0 %      1   50.0 %
        test              1   50.0 %      1   50.0 %
        total             2  100.0 %      2  100.0 %

                                       mean  max  min   25 %   50 %   75 %  total
        tests per repository           1.00    1    1   1.00   1.00   1.00      2
        focal methods per repository   1.00    1    1   1.00   1.00   1.00      2
        tests per focal method         1.00    1    1   1.00   1.00   1.00      2
        tokens per focal method       16.00   16   16  16.00  16.00  16.00     32
        tokens per test               41.00   41   41  41.00  41.00  41.00     82

        of the focal methods                          number    share
        getters                                            0    0.0 %
        setters                                            0    0.0 %
        mean cyclomatic complexity                      1.00
        repositories with junit4                           2  100.0 %
        repositories whose pom names no Java version       2  100.0 %
        tokens counted as                             approx
    "]]
    .assert_eq(&of_benchmark);
    let lines = stats(&["--json"]).success();
    assert!(
        lines.contains(r#"{"about":"split","split":"train","n_repos":1,"n_cases":1}"#),
        "{lines}"
    );
    assert!(stats(&["--all"]).success().starts_with("project split"));
}

#[test]
fn drawn_cases_are_a_filter_and_a_named_tokenizer_counts_them() {
    let place = planted();
    let list = place.path("repos.jsonl").to_string_lossy().into_owned();
    let asked = [
        "benchmark",
        "filter",
        "--list",
        &list,
        "--as-of",
        "2026-05-31",
    ];
    let asked = [&asked[..], &["--min-cases", "1"]].concat();
    let filter = |more: &[&str]| place.run(&[&asked[..], more].concat());
    let found = filter(&["--keys"]).success();
    let drawn = keys(&place, found.trim());
    assert_eq!(
        drawn,
        keys(&place, "repo:inner status:ok,no_assertion_part")
    );
    assert_eq!(found.trim(), format!("key:{}", drawn.join(",")));
    // A token is a word here: there are more than ten of them in a test and its focal method, and fewer than a hundred.
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    });
    let path = place.write("tokenizer.json", tokenizer.to_string());
    let path = path.to_string_lossy().into_owned();
    let counted = ["--keys", "--tokenizer", &path, "--max-tokens"];
    let told = filter(&[&counted[..], &["100"]].concat());
    assert!(
        told.err.contains(&format!("counted as {path}")),
        "{}",
        told.err
    );
    told.success();
    let told = filter(&[&counted[..], &["10"]].concat());
    assert!(told.failure(ExitCode::Problems).contains("no case is left"));
    let stats = ["benchmark", "stats", "--tokenizer", &path];
    assert!(place.run(&stats).success().contains(&path));
    let both = [&stats[..], &["--tokens", "lexer"]].concat();
    place.run(&both).failure(ExitCode::Usage);
}

/// Writes a project with 120 tests of getters, setters and methods with some branches; returns its folder.
fn many_accessors(place: &Place) -> String {
    place.write(
        "many/pom.xml",
        "<project><properties><maven.compiler.release>11</maven.compiler.release></properties></project>",
    );
    for idx in 0..40 {
        let branches = "        if (by > 0) { n++; }\n".repeat(idx % 4);
        let code = format!(
            "package p;\npublic class Box{idx} {{\n    private int size;\n    public int size() {{ return size; }}\n    \
             public void resize(int n) {{ size = n; }}\n    public int grow(int by) {{\n        int n = size;\n{branches}        \
             return n + by;\n    }}\n}}\n"
        );
        place.write(&format!("many/src/main/java/p/Box{idx}.java"), code);
        let test = |name: &str, call: &str| {
            format!(
                "    @Test public void {name}() {{\n        Box{idx} box = new Box{idx}();\n        {call}\n        \
                 assertEquals({idx}, {idx});\n    }}\n"
            )
        };
        let tests = [
            test("testSize", "int found = box.size();"),
            test("testResize", "box.resize(3);"),
            test("testGrow", "int found = box.grow(2);"),
        ];
        let code = format!(
            "package p;\nimport static org.junit.Assert.assertEquals;\nimport org.junit.Test;\npublic class Box{idx}Test {{\n{}}}\n",
            tests.concat()
        );
        place.write(&format!("many/src/test/java/p/Box{idx}Test.java"), code);
    }
    place.path("many").to_string_lossy().into_owned()
}

#[test]
fn rows_of_repositories_and_methods_add_up_as_pandas_computes_them() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let place = Place::with_languages();
    let folder = sample_data("repos");
    place.run(&["mine", "--each", &folder]).success();
    let many = many_accessors(&place);
    place.run(&["mine", &many]).success();
    let told = |more: &[&str]| {
        let words = ["benchmark", "stats", "--all"];
        place.run(&[&words[..], more].concat()).success()
    };
    let files = [
        ("methods.csv", told(&["--by", "method", "--format", "csv"])),
        ("repos.csv", told(&["--by", "repo", "--format", "csv"])),
        ("stats.jsonl", told(&["--json"])),
    ];
    let paths = files.map(|(name, text)| place.write(name, text));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/benchmark.py");
    let ended = Command::new(python).arg(script).args(paths).output();
    let ended = ended.expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let out = String::from_utf8_lossy(&ended.stdout);
    let n_tests: u64 = out.trim().parse().expect("it prints a number");
    assert!(n_tests >= 200, "{n_tests} tests");
    let rows: Vec<Value> = told(&["--by", "repo", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let java: Vec<(&str, Option<u64>)> = rows
        .iter()
        .filter(|row| row["focal_methods_java"].as_u64() > Some(0))
        .map(|row| (row["repo"].as_str().expect("a name"), row["java"].as_u64()))
        .collect();
    assert!(java.contains(&("many", Some(11))), "{java:?}");
    let text = told(&[]);
    for part in ["getters", "repositories with Java 11"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn each_filter_of_numbers_is_a_chart_with_its_limit() {
    let place = planted();
    let list = place.path("repos.jsonl").to_string_lossy().into_owned();
    for (kind, title) in [
        ("sizes", "Sizes of repositories"),
        ("commits", "Last commits"),
        ("remaining", "Repositories left by age"),
        ("tokens", "Tokens of cases"),
        ("cases", "Tests of repositories"),
        (
            "cumulative",
            "Tests in repositories up to a number of tests",
        ),
    ] {
        let words = [
            "benchmark",
            "filter",
            "--list",
            &list,
            "--as-of",
            "2026-05-31",
            "--chart",
            kind,
        ];
        let chart = place.run(&words).success();
        assert!(chart.contains(title), "{kind}: {chart}");
    }
    let svg = place.path("sizes.svg").to_string_lossy().into_owned();
    let words = [
        "benchmark",
        "filter",
        "--list",
        &list,
        "--as-of",
        "2026-05-31",
        "--chart",
        "sizes",
        "--output",
        &svg,
    ];
    place.run(&words).success();
    let text = std::fs::read_to_string(&svg).expect("it was written");
    assert!(text.starts_with("<svg"));
    let numbers = svg.replace(".svg", ".csv");
    let words = words.map(|word| if word == svg { numbers.as_str() } else { word });
    place.run(&words).success();
}

//! Repositories that make a benchmark, from a list to splits and numbers.

use expect_test::expect;
use focalist::cli::ExitCode;

use serde_json::Value;

use crate::support::{Place, sample_data};

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
        example.org/known/seen  leakage  it is in a list of leaks
        example.org/else/gone   exists   it is not there any more
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
        split  repositories           tests
        train             2  100.0 %      2  100.0 %
        total             2  100.0 %      2  100.0 %

                                       mean  max  min   25 %   50 %   75 %  total
        tests per repository           1.00    1    1   1.00   1.00   1.00      2
        focal methods per repository   1.00    1    1   1.00   1.00   1.00      2
        tests per focal method         1.00    1    1   1.00   1.00   1.00      2
        tokens per focal method       15.00   15   15  15.00  15.00  15.00     30
        tokens per test               33.00   33   33  33.00  33.00  33.00     66

        of the focal methods        number    share
        getters                          0    0.0 %
        setters                          0    0.0 %
        mean cyclomatic complexity    1.00
        repositories with junit4         2  100.0 %
        tokens counted as            lexer
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
    // One project a language: the greatest share is that of training.
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
    // It is one repository's now.
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

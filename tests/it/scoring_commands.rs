//! The command line of scoring: `score`, `import`, `eval`, `runs`, `compare`.

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::{Place, sample_data};

/// Creates a place with the bundled samples and the two bundled runs, scored.
fn with_runs() -> Place {
    let place = Place::with_sample_data();
    for run in ["steady", "hasty"] {
        let file = sample_data(&format!("predictions/{run}.jsonl"));
        let args = ["import", &file, "--run", run, "--matcher", "contest"];
        place.run(&args).success();
    }
    place
        .run(&["eval", "--metrics", "contest,codebleu,em"])
        .success();
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a line is JSON")
}

#[test]
fn pairs_are_scored_without_an_index() {
    let place = Place::new();
    let pairs = concat!(
        "{\"id\": \"a\", \"reference\": \"assertEquals(1, x);\", \"prediction\": \"assertEquals(1, x);\"}\n",
        "{\"id\": \"b\", \"reference\": \"assertTrue(x);\", \"prediction\": \"assertTrue(x\"}\n",
    );
    let file = place.write("pairs.jsonl", pairs);
    let file = file.to_str().expect("test paths are Unicode");
    let out = place
        .run(&["score", file, "--metrics", "bleu,rougeL,em"])
        .success();
    let lines: Vec<Value> = out.lines().map(json).collect();
    let [first, second, corpus] = &lines[..] else {
        panic!("two pairs and a corpus: {out}");
    };
    assert_eq!(first["scores"]["bleu"], 1.0);
    assert_eq!(first["parsable"], true);
    assert!(first["parts"]["rougeL"]["precision"].is_number());
    assert_eq!(second["parsable"], false);
    assert_eq!(second["syntax_error"]["line"], 1);
    assert_eq!(corpus["n"], 2);
    assert_eq!(corpus["unparsable_rate"], 0.5);
    assert_eq!(corpus["corpus"]["em"], 0.5);
    assert_eq!(corpus["parsable"]["em"], 1.0);
    assert_eq!(corpus["adjusted"]["em"], 0.5);
}

#[test]
fn true_parts_parse_in_every_language_where_their_files_do() {
    let place = Place::with_languages();
    let samples = place.run(&["export", "--all"]).success();
    let samples: Vec<Value> = samples.lines().map(json).collect();
    for (target, field) in [("assertion", "assertion"), ("test", "test")] {
        let line = |sample: &Value| {
            let text = match field {
                "test" => &sample["test"]["source"],
                _ => &sample["assertion"],
            };
            let line = serde_json::json!({"sample": sample["key"], "prediction": text});
            text.is_string().then(|| line.to_string())
        };
        let lines: Vec<String> = samples.iter().filter_map(line).collect();
        assert!(lines.len() > 60, "{target}: {}", lines.len());
        let file = place.write("true.jsonl", lines.join("\n"));
        let file = file.to_str().expect("test paths are Unicode");
        place
            .run(&["import", file, "--run", target, "--target", target])
            .success();
        place
            .run(&["eval", "--run", target, "--metrics", "em"])
            .success();
        let list = ["results", target, "parse:fail", "--limit", "0", "--json"];
        let failing = place.run(&list).success();
        let failing: Vec<Value> = failing.lines().map(json).collect();
        // One draft is broken off, and one file is Python 2.
        let tests = failing
            .iter()
            .map(|value| value["test"].as_str().unwrap_or_default());
        let others: Vec<&str> = tests
            .filter(|test| !test.starts_with("PriceTagTests.") && !test.starts_with("test_stick."))
            .collect();
        assert!(others.is_empty(), "{target}: {others:?}");
    }
}

#[test]
fn lines_that_are_no_pairs_end_with_one_only_when_strict() {
    let place = Place::new();
    let file = place.write(
        "pairs.jsonl",
        "{\"id\": 1, \"reference\": \"f();\", \"prediction\": \"f();\"}\n{\"id\": 2\n",
    );
    let file = file.to_str().expect("test paths are Unicode");
    place.run(&["score", file, "--metrics", "em"]).success();
    let err = place
        .run(&["score", file, "--metrics", "em", "--strict"])
        .failure(ExitCode::Problems);
    assert!(err.contains("pairs.jsonl:2"), "{err}");
}

#[test]
fn an_unknown_metric_lists_the_known_ones() {
    let place = Place::new();
    let err = place
        .run(&["score", "--metrics", "blue"])
        .failure(ExitCode::Usage);
    assert!(
        err.contains("`blue`") && err.contains("bleu:nltk-m1"),
        "{err}"
    );
}

#[test]
fn runs_are_listed_in_the_formats_of_papers() {
    let place = with_runs();
    let latex = place
        .run(&[
            "runs",
            "--metrics",
            "bleu,em",
            "--adjusted",
            "--format",
            "latex",
        ])
        .success();
    assert!(latex.starts_with("\\begin{tabular}{lrrrrrr}"), "{latex}");
    assert!(latex.contains("steady (all) &"), "{latex}");
    assert!(
        latex.contains("BLEU corpus") && latex.contains("parse@1"),
        "{latex}"
    );
    assert!(latex.contains("steady (parsable) &"), "{latex}");
    assert!(latex.contains("steady (adjusted) &"), "{latex}");
    let rows = place
        .run(&["runs", "hasty", "--metrics", "em", "--json"])
        .success();
    let run = json(rows.trim());
    assert_eq!(run["name"], "hasty");
    assert_eq!(run["matcher"], "contest");
    assert_eq!(run["n_scored"], 52);
    let samples = place
        .run(&[
            "runs",
            "hasty",
            "--samples",
            "--metrics",
            "em",
            "--format",
            "csv",
        ])
        .success();
    assert_eq!(samples.lines().count(), 53);
}

#[test]
fn what_predictions_do_differently_is_counted() {
    let place = with_runs();
    let table = place.run(&["tags", "steady", "hasty"]).success();
    assert!(table.starts_with("tag "), "{table}");
    let line = json(place.run(&["tags", "hasty", "--json"]).success().trim());
    assert_eq!(line["run"], "hasty");
    assert_eq!(line["n"], 52);
    let exact = line["tags"]["exact"]["n"].as_u64();
    assert!(exact.is_none_or(|exact| exact < 52), "{line}");
    let samples = place
        .run(&["runs", "hasty", "--samples", "--json"])
        .success();
    let n_unparsable = samples
        .lines()
        .filter(|line| json(line)["parsable"] == false)
        .count() as u64;
    assert_eq!(
        line["tags"]["unparsable"]["n"].as_u64().unwrap_or(0),
        n_unparsable,
        "{line}"
    );
    // Nothing is computed twice, and a run without tags is not counted.
    place.run(&["eval", "--metrics", "em"]).success();
    assert_eq!(place.run(&["tags", "steady", "hasty"]).success(), table);
    let definitions = place.run(&["tags", "--definitions"]).success();
    assert!(
        definitions.contains("- `wrong_literal`: A literal"),
        "{definitions}"
    );
}

#[test]
fn people_correct_tags_and_agreement_with_them_is_shown() {
    let place = with_runs();
    let samples = place
        .run(&["runs", "hasty", "--samples", "--json"])
        .success();
    let lines: Vec<Value> = samples.lines().map(json).collect();
    let is_wrong =
        |value: &&Value| value["parsable"] == true && value["tags"] != json("[\"exact\"]");
    let wrong = lines.iter().find(is_wrong).expect("hasty is hasty");
    let key = wrong["sample"].as_str().expect("a key is text");
    let machine: Vec<&str> = wrong["tags"]
        .as_array()
        .expect("tags are a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let tag = |words: &[&str]| {
        let args = ["tag", "--as", "ada", "hasty", key];
        place.run(&[&args[..], words].concat())
    };
    let agreement = || {
        json(
            place
                .run(&["tags", "--agreement", "--json", "hasty"])
                .success()
                .trim(),
        )
    };
    assert_eq!(agreement()["n"], 0);
    tag(&["equal"]).success();
    let agreed = agreement();
    assert_eq!(
        (&agreed["n"], &agreed["exact"]["k"]),
        (&json("1"), &json("0"))
    );
    assert_eq!(agreed["runs"][0]["of_ruled"]["k"], 1);
    let k = |of: &str| agreed["runs"][0][of]["k"].as_u64().expect("a number");
    assert_eq!(k("with_people"), k("by_machine") + 1);
    // Without a change it is the machine's, and so it is after an undo.
    tag(&machine).success();
    assert_eq!(agreement()["exact"]["k"], 1);
    place.run(&["undo", "--as", "ada"]).success();
    assert_eq!(agreement()["exact"]["k"], 0);
    let less = format!("-{}", machine[0]);
    tag(&[&less, "+repeated"]).success();
    assert_eq!(agreement()["tags"]["repeated"]["people_only"], 1);
    // What is changed next is what she said, and not the machine's.
    tag(&["+wrong_variable"]).success();
    assert_eq!(agreement()["tags"]["repeated"]["people_only"], 1);
    // Lists show them in the machine's place.
    let listed = place.run(&["results", "hasty", "--limit", "0", "--json"]);
    let listed: Vec<Value> = listed.success().lines().map(json).collect();
    let said: Vec<&Value> = listed
        .iter()
        .map(|value| &value["tags_by_people"])
        .collect();
    let said: Vec<&&Value> = said.iter().filter(|value| !value.is_null()).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].to_string().contains("\"repeated\""), "{said:?}");
    let table = place.run(&["results", "hasty", "--limit", "0"]).success();
    let marked: Vec<&str> = table.lines().filter(|line| line.contains('✎')).collect();
    assert!(
        marked.len() == 1 && marked[0].contains("repeated"),
        "{marked:?}"
    );
    tag(&["none"]).success();
    assert_eq!(agreement()["recall"]["n"], 0);
    let table = place.run(&["tags", "--agreement"]).success();
    assert!(table.contains("kappa"), "{table}");
    // They travel with everything else that people say.
    let exported = place.run(&["verdicts", "export"]).success();
    assert_eq!(
        exported
            .lines()
            .filter(|line| line.contains("\"tagged\""))
            .count(),
        5
    );
    let other = with_runs();
    let file = other.write("events.jsonl", &exported);
    other
        .run(&["verdicts", "merge", file.to_str().expect("a path")])
        .success();
    let theirs = json(
        other
            .run(&["tags", "--agreement", "--json", "hasty"])
            .success()
            .trim(),
    );
    assert_eq!(theirs, agreement());
    // Other predictions under the same name: what was said is stale.
    let steady = sample_data("predictions/steady.jsonl");
    other
        .run(&[
            "import",
            &steady,
            "--run",
            "hasty",
            "--matcher",
            "contest",
            "--replace",
        ])
        .success();
    let theirs = json(
        other
            .run(&["tags", "--agreement", "--json", "hasty"])
            .success()
            .trim(),
    );
    assert_eq!((&theirs["n"], &theirs["n_stale"]), (&json("0"), &json("1")));
    tag(&["wrong"]).failure(ExitCode::Usage);
}

#[test]
fn two_runs_are_compared_the_same_way_twice() {
    let place = with_runs();
    let args = [
        "compare",
        "hasty",
        "steady",
        "--metrics",
        "bleu,em",
        "--json",
    ];
    let first = place.run(&args).success();
    assert_eq!(first, place.run(&args).success());
    let compared = json(&first);
    let em = &compared["slices"][0]["metrics"][1];
    assert_eq!(em["metric"], "em");
    assert!(em["difference"].as_f64().is_some_and(|value| value > 0.3));
    assert!(em["low"].as_f64() <= em["difference"].as_f64());
    assert!(em["p"].as_f64().is_some_and(|value| value < 0.01));
    let sliced = place
        .run(&[
            "compare",
            "hasty",
            "steady",
            "--metrics",
            "em",
            "--by",
            "framework",
        ])
        .success();
    assert!(sliced.contains("junit5"), "{sliced}");
}

#[test]
fn slices_are_ranked_and_samples_listed_and_exported() {
    let place = with_runs();
    let file = place.path("pairs.jsonl");
    let file = file.to_str().expect("test paths are Unicode");
    let args = ["compare", "hasty", "steady", "--metrics", "em,bleu"];
    let more = ["--by", "assertion", "--slices", "--worst", "3", "--json"];
    let out = place
        .run(&[&args[..], &more, &["--export", file]].concat())
        .success();
    let compared = json(&out);
    let slices = compared["slices"].as_array().expect("a list");
    assert!(slices[0]["metrics"][0].get("p_adjusted").is_none());
    for slice in &slices[1..] {
        let metric = &slice["metrics"][0];
        assert!(metric["p_adjusted"].as_f64() >= metric["p"].as_f64());
    }
    let samples = compared["samples"].as_array().expect("a list");
    assert_eq!(samples.len(), 3);
    let delta = |value: &Value| value["runs"][1]["differences"]["em"].as_f64();
    assert!(
        samples
            .windows(2)
            .all(|window| delta(&window[0]) <= delta(&window[1]))
    );
    let exported = std::fs::read_to_string(file).expect("it was written");
    let lines: Vec<Value> = exported.lines().map(json).collect();
    assert_eq!(lines.len(), samples.len());
    for line in &lines {
        assert!(line["reference"].is_string() && line["repo"].is_string());
        assert!(line["runs"][0]["prediction"].is_string());
        assert!(line["runs"][0].get("differences").is_none());
    }
    let table = place.run(&[&args[..], &["--best", "2"]].concat()).success();
    assert!(table.contains("repository"), "{table}");
    let three = [
        "compare",
        "hasty",
        "steady",
        "hasty",
        "--metrics",
        "em",
        "--json",
    ];
    let three = json(&place.run(&three).success());
    assert_eq!(three.as_array().map(Vec::len), Some(2));
    assert_eq!(three[1]["slices"][0]["metrics"][0]["difference"], 0.0);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let place = with_runs();
    let err = place
        .run(&["compare", "hasty", "sturdy"])
        .failure(ExitCode::Input);
    assert!(err.contains("`sturdy`") && err.contains("steady"), "{err}");
    let file = sample_data("predictions/steady.jsonl");
    let err = place
        .run(&["import", &file, "--run", "steady"])
        .failure(ExitCode::Usage);
    assert!(err.contains("--replace"), "{err}");
    place.run(&["rm", "--run", "steady"]).success();
    place.run(&["import", &file, "--run", "steady"]).success();
}

#[test]
fn an_import_without_use_says_why_and_where() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let check = |name: &str, content: &[u8], expected: &str| {
        let path = place.write(name, content);
        let path = path.to_string_lossy().into_owned();
        let err = place
            .run(&["import", &path, "--run", "r"])
            .failure(ExitCode::Problems);
        assert!(err.contains(expected), "{expected}: {err}");
        assert!(err.contains("hint: "), "{err}");
        if !content.is_empty() {
            assert!(err.contains(&format!("{name}:")), "{err}");
        }
    };
    check("empty.jsonl", b"", "nothing is in it");
    check(
        "fields.jsonl",
        br#"{"id": "00", "output": "f();"}"#,
        "fields.jsonl:1: no field `sample` beside `id` `output`",
    );
    check(
        "latin.jsonl",
        b"{\"sample\": \"\xe4\"}",
        "not utf-8 at byte 13",
    );
    let wide: Vec<u8> = "\u{feff}{}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    check(
        "wide.jsonl",
        &wide,
        "wide.jsonl:1: expected utf-8, found utf-16",
    );
    check(
        "wide.csv",
        &wide,
        "wide.csv:1: expected utf-8, found utf-16",
    );
    check(
        "semicolons.csv",
        b"sample;prediction\n00;f()\n",
        "semicolons.csv:1: line 1 is not a header: it must name the columns `sample` and `prediction`, separated by `,`, \
         and has `sample;prediction`",
    );
    for (name, content) in [
        ("headless.csv", &b"00,f()\n01,g()\n"[..]),
        ("one_line.csv", b"00,f()"),
    ] {
        check(
            name,
            content,
            "line 1 is not a header: it must name the columns",
        );
    }
    check(
        "quote.csv",
        b"sample,prediction\n00,\"f();\n01,g();\n",
        "quote.csv:2: a quote begins here and is never closed, so everything up to line 3 is one value",
    );
    let key = "00".repeat(16);
    let unknown = format!("{{\"sample\": \"{key}\", \"prediction\": \"f();\"}}");
    check("unknown.jsonl", unknown.as_bytes(), "no sample `");
}

#[test]
fn a_format_that_lines_do_not_have_is_refused() {
    let place = Place::with_sample_data();
    for format in ["latex", "markdown"] {
        let told = place.run(&["runs", "--samples", "--format", format]);
        let err = told.failure(ExitCode::Usage);
        assert!(err.contains("hint: `--format json`"), "{err}");
    }
    for format in ["csv", "latex", "markdown"] {
        let told = place.run(&["runs", "--problems", "--format", format]);
        let err = told.failure(ExitCode::Usage);
        assert!(err.contains("`--problems` writes lines"), "{err}");
    }
}

#[test]
fn answers_in_fences_are_told() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let sample = json(place.run(&["samples", "--json"]).success().trim());
    let answer =
        serde_json::json!({"sample": sample["key"], "prediction": "Here:\n```java\nf();\n```"});
    let path = place.write("answers.jsonl", answer.to_string());
    let path = path.to_string_lossy().into_owned();
    let import = ["import", &path, "--run", "r", "--replace"];
    let told = place.run(&import);
    assert!(
        told.err
            .contains("1 of 1 answer has ``` fences: `--extract mera`"),
        "{}",
        told.err
    );
    told.success();
    let told = place.run(&[&import[..], &["--extract", "lenient"]].concat());
    assert!(!told.err.contains("fences"), "{}", told.err);
    told.success();
}

#[test]
fn lines_answer_the_samples_that_an_export_writes() {
    let place = Place::with_sample_data();
    let mut n_samples = Vec::new();
    for all in [&[][..], &["--all"][..]] {
        let exported = place.run(&[&["export", "--split", "train"], all].concat());
        let samples: Vec<Value> = exported.success().lines().map(json).collect();
        let mut lines = String::new();
        for sample in &samples {
            let assertion = sample["assertion"].as_str().unwrap_or_default();
            let words: Vec<&str> = assertion.split_whitespace().collect();
            lines.push_str(&words.join(" "));
            lines.push('\n');
        }
        let file = place.write("answers.txt", lines);
        let file = file.to_str().expect("test paths are Unicode");
        let import = ["import", file, "--run", "lines", "--replace"];
        let aligned = ["--aligned-with", "split:train"];
        place
            .run(&[&import[..], &aligned, all, &["--strict"]].concat())
            .success();
        n_samples.push(samples.len());
    }
    assert!(n_samples[0] < n_samples[1], "{n_samples:?}");
    place.run(&["eval", "--metrics", "em:whitespace"]).success();
    let rows = place.run(&["runs", "--json"]).success();
    assert_eq!(json(rows.trim())["scores"]["em:whitespace"], 1.0);
}

#[test]
fn answers_that_have_nothing_to_be_compared_with_are_told_and_listed() {
    let place = with_runs();
    let keys = |filter: &str| -> Vec<Value> {
        let out = place.run(&["samples", "--json", filter, "matcher:contest"]);
        out.success().lines().map(json).collect()
    };
    let (with, without) = (keys("status:ok"), keys("status:no_assertion_part"));
    assert!(!without.is_empty(), "the sample data has such tests");
    let answers: Vec<String> = with
        .iter()
        .take(2)
        .chain(&without)
        .map(|value| format!("{{\"sample\": {}, \"prediction\": \"f();\"}}", value["key"]))
        .collect();
    let file = place.write("answers.jsonl", answers.join("\n"));
    let file = file.to_str().expect("test paths are Unicode");
    let told = format!(
        "{} of {} answers have no reference",
        without.len(),
        2 + without.len()
    );
    let import = ["import", file, "--run", "some", "--matcher", "contest"];
    let imported = place.run(&import);
    assert!(imported.err.contains(&told), "{}", imported.err);
    imported.success();
    let unread = json(place.run(&["runs", "some", "--json"]).success().trim());
    assert!(unread["n_without_reference"].is_null(), "{unread}");
    let evaluated = place.run(&["eval", "--metrics", "em", "--json"]);
    assert_eq!(evaluated.err.matches(&told).count(), 1, "{}", evaluated.err);
    let rows: Vec<Value> = evaluated.success().lines().map(json).collect();
    let counts: Vec<(&str, u64)> = rows
        .iter()
        .filter_map(|row| Some((row["name"].as_str()?, row["n_without_reference"].as_u64()?)))
        .collect();
    let n = without.len() as u64;
    assert_eq!(counts, [("steady", 0), ("hasty", 0), ("some", n)]);
    // A column that says nothing is left out.
    let csv = |names: &[&str]| {
        let args = [&["runs", "--format", "csv"], names].concat();
        place.run(&args).success()
    };
    let table = csv(&[]);
    assert!(
        table.starts_with("run,over,samples,no reference,"),
        "{table}"
    );
    assert!(
        table.contains(&format!("\nsome,all,{},{n},", 2 + n)),
        "{table}"
    );
    assert!(!csv(&["steady"]).contains("no reference"));
}

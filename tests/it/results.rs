//! `results`: the single predictions of a run, on the command line.

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
        .run(&["eval", "--metrics", "bleu,rougeL,codebleu,em,edit:difflib"])
        .success();
    place
}

fn lines(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn bleu(line: &Value) -> f64 {
    line["scores"]["bleu"].as_f64().expect("it is scored")
}

#[test]
fn predictions_are_listed_filtered_sorted_and_counted() {
    let place = with_runs();
    let json = |args: &[&str]| lines(&place.run(&[&["results"], args].concat()).success());
    let all = json(&["--limit", "0", "--json", "hasty"]);
    assert!(all.len() > 20, "{}", all.len());
    let low = json(&[
        "--json",
        "--limit",
        "0",
        "hasty",
        "bleu<0.5",
        "parse:ok",
        "sort:-bleu",
    ]);
    let n_expected = all
        .iter()
        .filter(|value| bleu(value) < 0.5 && value["parsable"] == true)
        .count();
    assert_eq!(low.len(), n_expected);
    assert!(
        low.windows(2)
            .all(|window| bleu(&window[0]) >= bleu(&window[1]))
    );
    let groups = json(&["--json", "--group", "parse", "hasty"]);
    let n_grouped: u64 = groups.iter().filter_map(|group| group["n"].as_u64()).sum();
    assert_eq!(n_grouped, all.len() as u64);
    for group in groups {
        let filter = group["filter"].as_str().expect("it has a filter");
        let of_group = json(&["--json", "--limit", "0", "hasty", filter]);
        assert_eq!(of_group.len() as u64, group["n"]);
    }
    let table = place.run(&["results", "--limit", "3", "hasty", "edit-difflib<0.9"]);
    let table = table.success();
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(
        table.starts_with("key") && table.contains("edit sim. (difflib)"),
        "{table}"
    );
}

#[test]
fn the_worst_regression_is_found_and_shown() {
    let place = with_runs();
    let text = "run:hasty baseline:steady metric:bleu delta<0 sort:delta";
    let args = ["results", text, "--limit", "1", "--json", "--texts"];
    let worst = lines(&place.run(&args).success());
    let delta = worst[0]["delta"]["bleu"]
        .as_f64()
        .expect("it has a baseline");
    assert!(delta < 0.0);
    assert!(worst[0]["reference"].is_string() && worst[0]["prediction"].is_string());
    assert!(worst[0]["baseline_prediction"].is_string());
    let key = &worst[0]["sample"].as_str().expect("it has a key")[..12];
    let args = ["results", "hasty", "--baseline", "steady", "--show", key];
    let shown = place.run(&args).success();
    for part in [
        key,
        "true text",
        "prediction",
        "+++ hasty",
        "+++ steady",
        "@@ -",
        "CodeBLEU",
        "precision",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let args = [&args[..], &["--json"]].concat();
    let detail: Value = serde_json::from_str(&place.run(&args).success()).expect("it is JSON");
    assert_eq!(detail["delta"]["bleu"], delta);
    assert!(detail["parts"]["rougeL"]["recall"].is_number());
}

#[test]
fn what_cannot_be_listed_is_said_with_what_to_do() {
    let place = with_runs();
    let check = |args: &[&str], code, parts: &[&str]| {
        let err = place.run(args).failure(code);
        for part in parts {
            assert!(err.contains(part), "{part}: {err}");
        }
    };
    check(
        &["samples", "bleu<0.2"],
        ExitCode::Usage,
        &["`bleu` belongs to a run", "focalist results RUN"],
    );
    check(&["results"], ExitCode::Usage, &["several runs", "hasty"]);
    check(
        &["results", "hosty"],
        ExitCode::Input,
        &["no run `hosty`", "steady"],
    );
    check(
        &["results", "hasty", "delta<0"],
        ExitCode::Usage,
        &["`delta` needs a run to compare with", "--baseline"],
    );
    check(
        &["results", "hasty", "rouge1<0.1"],
        ExitCode::Input,
        &["`rouge1` is not computed for run `hasty`", "focalist eval"],
    );
    check(
        &["results", "hasty", "blue<0.1"],
        ExitCode::Usage,
        &["did you mean `bleu`?"],
    );
    check(
        &["results", "hasty", "--show", "ffffffffffff"],
        ExitCode::Input,
        &["no sample"],
    );
}

#[test]
fn groups_of_a_run_that_was_never_evaluated_say_so() {
    let place = with_runs();
    let file = sample_data("predictions/hasty.jsonl");
    let args = ["import", &file, "--run", "raw", "--matcher", "contest"];
    place.run(&args).success();
    for by in ["repo", "tag", "parse", "length", "language"] {
        let run = place.run(&["results", "raw", "--group", by]);
        let told = "run raw is not evaluated; `focalist eval --run raw` does it";
        assert!(run.err.contains(told), "{by}: {}", run.err);
        let table = run.success();
        // Nobody knows what parses, or what is wrong.
        assert!(!table.contains(" 0.0 %"), "{by}: {table}");
        assert!(!table.contains("tag:none"), "{by}: {table}");
        let evaluated = place.run(&["results", "hasty", "--group", by]);
        assert!(!evaluated.err.contains("not evaluated"), "{by}");
    }
    let groups = lines(
        &place
            .run(&["results", "raw", "--group", "tag", "--json"])
            .success(),
    );
    assert_eq!(groups.len(), 1, "{groups:?}");
    let only = &groups[0];
    assert_eq!(only["group"], "(not evaluated)");
    assert_eq!(
        (&only["n_read"], &only["n_not_run"]),
        (&0.into(), &Value::Null)
    );
    assert_eq!(only["filter"], "parse:unread");
}

#[test]
fn groups_have_the_same_numbers_in_every_format() {
    let place = with_runs();
    let group = |format: &str| {
        let args = ["results", "hasty", "--group", "repo", "--format", format];
        place.run(&args).success()
    };
    let of_json = lines(&group("json"));
    let csv = group("csv");
    let mut csv = csv.lines();
    assert_eq!(
        csv.next(),
        Some(
            "repo,n,share,unparsable,mean BLEU sentence,mean ROUGE-L,mean CodeBLEU (MERA),mean EM,mean edit sim. (difflib),\
             samples,with assertion,filter"
        )
    );
    for (row, wire) in csv.zip(&of_json) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |idx: usize| cells[idx].parse::<f64>().expect("a number");
        let n = wire["n"].as_f64().expect("a count");
        let n_unparsable = wire["n_unparsable"].as_f64().expect("a count");
        let is_near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(is_near(number(1), n), "{n}");
        assert!(is_near(number(3), n_unparsable / n), "{n_unparsable}");
        assert_eq!(Some(number(4)), wire["mean"].as_f64());
    }
    for format in ["table", "latex", "markdown"] {
        let shown = group(format);
        for wire in &of_json {
            let name = wire["group"].as_str().expect("a name");
            let row = shown.lines().find(|line| line.contains(name));
            let row = row.unwrap_or_else(|| panic!("{format}: {name}: {shown}"));
            assert!(row.contains(&wire["n"].to_string()), "{format}: {row}");
        }
    }
}

#[test]
fn what_a_model_was_asked_with_is_a_filter() {
    let place = with_runs();
    let all = lines(
        &place
            .run(&["results", "hasty", "--limit", "0", "--json"])
            .success(),
    );
    let answers = all.iter().enumerate().map(|(idx, value)| {
        let settings = ["0.1", "0.80"][idx % 2];
        let parameters = match idx % 3 {
            0 => format!(r#","meta":{{"parameters":{{"temperature":{settings},"top_p":0.9}}}}"#),
            1 => format!(r#","meta":{{"parameters":{{"temperature":{settings}}}}}"#),
            _ => String::new(),
        };
        format!(
            r#"{{"sample":{},"prediction":"x();"{parameters}}}"#,
            value["sample"]
        )
    });
    let answers = answers.collect::<Vec<_>>().join("\n");
    let file = place.write("grid.jsonl", answers);
    let file = file.to_string_lossy().into_owned();
    let import = ["import", &file, "--run", "grid", "--matcher", "contest"];
    place.run(&import).success();
    let n = |filter: &str| {
        let args = ["results", "grid", filter, "--limit", "0", "--json"];
        lines(&place.run(&args).success()).len()
    };
    let expected = |is_so: &dyn Fn(usize) -> bool| (0..all.len()).filter(|n| is_so(*n)).count();
    assert_eq!(n("temperature<0.5"), expected(&|n| n % 3 < 2 && n % 2 == 0));
    assert_eq!(n("temperature:0.8"), expected(&|n| n % 3 < 2 && n % 2 == 1));
    assert_eq!(n("setting:temperature=0.8"), n("temperature:0.8"));
    assert_eq!(n("setting:top_p=0.9"), expected(&|n| n % 3 == 0));
    assert_eq!(n("setting:none"), expected(&|n| n % 3 == 2));
    assert_eq!(n("-setting:none"), expected(&|n| n % 3 < 2));
}

//! `results`: a run one by one, on the command line.

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::{Place, sample_data};

/// The bundled samples with the two bundled runs, scored.
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
        .filter(|it| bleu(it) < 0.5 && it["parsable"] == true)
        .count();
    assert_eq!(low.len(), n_expected);
    assert!(low.windows(2).all(|it| bleu(&it[0]) >= bleu(&it[1])));
    let groups = json(&["--json", "--group", "parse", "hasty"]);
    let n_grouped: u64 = groups.iter().filter_map(|it| it["n"].as_u64()).sum();
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

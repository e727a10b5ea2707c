//! Equivalent variants of functions and a model's completions of them: from files to prompts, completions, outliers and
//! a report.

use std::process::Command;

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::{Place, python_with};

const FUNCTIONS: &str = r#"def total(prices, rate):
    total = 0
    for price in prices:
        total += price * rate
    return total


def longest(words, least):
    found = ""
    for word in words:
        if len(word) > len(found) and len(word) >= least:
            found = word
    return found
"#;

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// Creates a place with functions, their variants, and a completion of each first half: the true one, except for one
/// variant.
fn place() -> Place {
    let place = Place::new();
    place.write("a.py", FUNCTIONS);
    let path = place.path("a.py");
    let path = path.to_str().expect("a temporary path is text");
    let seeds = place.run(&["mutate", path, "--min-tokens", "1"]).success();
    place.write("seeds.jsonl", &seeds);
    let mut completions = String::new();
    let prompts = prompts(&place);
    for prompt in lines(&prompts) {
        let meta = &prompt["meta"];
        let half = prompt["prompt"].as_str().expect("it is a text");
        let name = if half.contains("total(") {
            "total"
        } else {
            "found"
        };
        let text = match meta["pass"].as_str() {
            Some("GRA_R") => "    raise ValueError(\"something else altogether\")\n".to_owned(),
            Some("RTF") => String::new(),
            _ => format!("    return {name}\n\n\ndef other():\n    pass\n"),
        };
        let line = serde_json::json!({"id": prompt["id"], "kind": "half", "meta": meta, "attempt": 0, "text": text});
        completions.push_str(&format!("{line}\n"));
    }
    place.write("answers.jsonl", &completions);
    place
}

fn prompts(place: &Place) -> String {
    let seeds = place.path("seeds.jsonl");
    let seeds = seeds.to_str().expect("a temporary path is text");
    place
        .run(&["prompts", "--kind", "half", "--seeds", seeds])
        .success()
}

fn judged(place: &Place, more: &[&str]) -> crate::support::Outcome {
    let (seeds, answers) = (place.path("seeds.jsonl"), place.path("answers.jsonl"));
    let mut words = vec!["consistency", seeds.to_str().expect("it is text"), "--from"];
    words.push(answers.to_str().expect("it is text"));
    words.extend(more);
    place.run(&words)
}

#[test]
fn the_first_half_of_each_function_and_variant_is_a_prompt() {
    let place = place();
    let text = prompts(&place);
    assert_eq!(prompts(&place), text, "the same file gives the same bytes");
    let prompts = lines(&text);
    let of_functions = prompts
        .iter()
        .filter(|prompt| prompt["meta"]["pass"].is_null());
    assert_eq!(of_functions.count(), 2);
    for prompt in &prompts {
        let half = prompt["prompt"].as_str().expect("it is a text");
        assert!(half.ends_with('\n') && half.starts_with("def "), "{half}");
        assert!(!half.contains("return"), "{half}");
    }
    let message = place
        .run(&["prompts", "--kind", "half"])
        .failure(ExitCode::Usage);
    assert!(message.contains("--seeds"), "{message}");
}

#[test]
fn a_run_is_kept_and_only_what_is_new_is_judged() {
    let place = place();
    let first = judged(&place, &["--run", "m"]);
    assert!(first.err.contains("2 judged, 0 known"), "{}", first.err);
    let again = judged(&place, &["--run", "m"]);
    assert!(again.err.contains("0 new completions"), "{}", again.err);
    assert!(again.err.contains("0 judged, 2 known"), "{}", again.err);
    assert_eq!(again.success(), first.success());
    let listed = place.run(&["consistency"]).success();
    assert!(listed.contains('m'), "{listed}");
    let run = serde_json::json!({"run": "m", "functions": 2, "completions": 18, "judged": 2});
    let json = place.run(&["consistency", "--format", "json"]).success();
    assert_eq!(lines(&json), [run]);
    assert_eq!(place.run(&["consistency", "--json"]).success(), json);
    let other = judged(&place, &["--run", "m", "--threshold", "3"]);
    assert!(other.err.contains("2 judged, 0 known"), "{}", other.err);
    place.run(&["consistency", "--remove", "m"]).success();
    let gone = place.run(&["consistency", "--run", "m"]);
    assert!(
        gone.failure(ExitCode::Usage)
            .contains("no run of completions `m`")
    );
}

#[test]
fn completions_of_a_run_are_scored_in_shards_as_in_one_go() {
    let scores = |place: &Place| -> Vec<(Value, Value, Value)> {
        let words = ["results", "m", "--json", "--limit", "0"];
        let rows = lines(&place.run(&words).success()).into_iter();
        rows.map(|row| {
            let task = row["asked"]["task"].clone();
            (row["test"].clone(), task, row["scores"]["rougeL"].clone())
        })
        .collect()
    };
    let eval = |place: &Place| {
        place.run(&["eval", "m", "--metrics", "rougeL"]).success();
    };
    let whole = place();
    judged(&whole, &["--run", "m"]).success();
    eval(&whole);
    let parted = place();
    judged(&parted, &["--run", "m"]).success();
    let path = |below: &str| parted.path(below).to_string_lossy().into_owned();
    let plan = [
        "plan",
        "--run",
        "m",
        "--shards",
        "1",
        "--output",
        &path("plan"),
    ];
    parted.run(&plan).success();
    let (list, output) = (path("plan/shard-0000.jsonl"), path("plan/shard-0000"));
    let on_shard = [
        "eval",
        "--metrics",
        "rougeL",
        "--shard",
        &list,
        "--output",
        &output,
    ];
    parted.run(&on_shard).success();
    let merged = parted.run(&["merge", &output, "--run", "m", "--json"]);
    let merged = lines(&merged.success()).remove(0);
    assert!(
        merged["n_scores"].as_u64() >= Some(scores(&whole).len() as u64),
        "{merged}"
    );
    let done = scores(&parted);
    assert!(done.iter().all(|entry| entry.2.is_number()), "{done:?}");
    assert_eq!(done, scores(&whole));
    eval(&parted);
    assert_eq!(scores(&parted), scores(&whole));
}

#[test]
fn completions_of_a_run_are_listed_opened_and_compared_in_results() {
    let place = place();
    let said = judged(&place, &["--run", "m"]);
    assert!(
        said.err.contains("`focalist results m` lists the answers"),
        "{}",
        said.err
    );
    said.success();
    judged(&place, &["--run", "other"]).success();
    let listed = |words: &[&str]| {
        let words = [&["results"], words, &["--json", "--limit", "0"]].concat();
        lines(&place.run(&words).success())
    };
    let all = listed(&["m"]);
    assert_eq!(all.len(), lines(&prompts(&place)).len());
    let own = listed(&["m", "setting:pass=own"]);
    assert_eq!(own.len(), 2);
    for row in &own {
        assert_eq!(row["asked"]["task"], "own");
        assert_eq!(row["parsable"], true, "it goes on from its half: {row}");
    }
    let groups = listed(&["m", "--group", "pass"]);
    assert!(groups.len() > 2, "{groups:?}");
    for group in &groups {
        let filter = group["filter"].as_str().expect("a filter is a text");
        let name = group["group"].as_str().expect("a name is a text");
        assert_eq!(filter, format!("setting:pass={name}"));
        assert_eq!(listed(&["m", filter]).len() as u64, group["n"]);
    }
    // One completion of each function is chosen, and none of these is an outlier.
    let taken = listed(&["m", "meta:taken=yes"]);
    assert_eq!(taken.len(), 2, "{taken:?}");
    assert!(listed(&["m", "meta:taken=yes", "meta:outlier=yes"]).is_empty());
    let judged = listed(&["m", "meta:outlier"]);
    let n_empty = listed(&["m", "setting:pass=RTF"]).len();
    assert_eq!(judged.len() + n_empty, all.len());
    let with = listed(&["m", "--columns", "meta:taken", "sort:-meta:taken"]);
    assert_eq!(with.len(), all.len());
    assert_eq!(with[0]["meta_scores"], serde_json::json!({"taken": "yes"}));
    assert_eq!(with[2]["meta_scores"], serde_json::json!({"taken": "no"}));
    let table = place.run(&["results", "m", "--columns", "meta"]).success();
    let head = table.lines().next().unwrap_or_default();
    assert!(head.ends_with("meta:outlier  meta:taken"), "{head}");
    let unknown = place.run(&["results", "m", "--columns", "meta:nothing"]);
    let said = unknown.failure(ExitCode::Usage);
    assert!(said.contains("known are outlier, taken"), "{said}");
    let edit = |row: &Value| row["scores"]["edit:fuzzywuzzy"].as_f64();
    let odd = listed(&["m", "setting:pass=GRA_R"]);
    assert_eq!(odd.len(), 2);
    for (own, odd) in own.iter().zip(&odd) {
        assert_eq!(own["test"], odd["test"]);
        assert_ne!(own["sample"], odd["sample"]);
    }
    assert_eq!(listed(&["m", "test:longest"]).len(), all.len() / 2);
    let sorted = listed(&["m", "sort:edit:fuzzywuzzy"]);
    assert!(edit(&sorted[0]) < edit(&sorted[sorted.len() - 1]));
    let key = own[0]["sample"].as_str().expect("a key is a text");
    let shown = place.run(&["results", "m", "--show", key]).success();
    for part in [
        "\nquestion\n",
        "def total(prices, rate):",
        "true text",
        "    return total",
    ] {
        assert!(shown.contains(part), "`{part}` is missing in {shown}");
    }
    let beside = listed(&["m", "--baseline", "other"]);
    assert!(beside.iter().all(|value| value["delta"]["em"] == 0.0));
    let table = place.run(&["results", "m"]).success();
    assert!(
        table.contains("completed") && table.contains("GRA_R"),
        "{table}"
    );
    let refused = place.run(&["results", "m", "weight<0.5"]);
    assert!(
        refused
            .failure(ExitCode::Usage)
            .contains("`weight` applies to samples, but run `m` answers questions of consistency")
    );
    place.run(&["consistency", "--remove", "m"]).success();
    let gone = place.run(&["results", "m"]);
    assert!(gone.err.contains("no run `m`"), "{}", gone.err);
}

#[test]
fn what_is_unlike_the_others_is_an_outlier_and_what_is_empty_takes_no_part() {
    let place = place();
    let text = judged(
        &place,
        &["--run", "m", "--list", "--json", "--threshold", "5"],
    )
    .success();
    // One of the functions has a condition, so it has the variant without a completion.
    let mut n_empty = 0;
    for line in lines(&text) {
        let passes = line["passes"].as_array().expect("it is a list");
        let odd = passes.iter().position(|pass| pass == "GRA_R");
        let odd = odd.expect("there is such a variant");
        assert_eq!(
            line["outliers"][2]["outliers"],
            serde_json::json!([odd]),
            "{line}"
        );
        n_empty += line["no_result"].as_u64().unwrap_or(0);
        assert_eq!(
            line["repaired"], 0,
            "the function's own comes first: {line}"
        );
        let score = &line["scores"][0][1];
        assert!(score.as_f64().is_some_and(|value| value > 0.0), "{line}");
    }
    assert_eq!(n_empty, 1);
}

#[test]
fn the_report_is_a_table_json_latex_and_a_chart() {
    let place = place();
    judged(&place, &["--run", "m"]).success();
    let table = place.run(&["consistency", "--run", "m"]).success();
    for part in [
        "Table II",
        "Table IV",
        "Table V",
        "Figures 7 to 10",
        "90.16 %",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    let latex = place.run(&["consistency", "--run", "m", "--format", "latex"]);
    assert!(latex.success().contains("\\begin{tabular}"));
    let json = place
        .run(&["consistency", "--run", "m", "--json"])
        .success();
    let report: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(report["no_result"], 1);
    assert_eq!(report["thresholds"].as_array().map(Vec::len), Some(5));
    for kind in ["enhancement", "outliers", "potency", "gains", "distances"] {
        let chart = place
            .run(&["consistency", "--run", "m", "--chart", kind])
            .success();
        assert!(chart.contains('m'), "{kind}: {chart}");
    }
    let words = ["consistency", "--run", "m", "--chart", "potency", "--json"];
    let refused = place.run(&words).failure(ExitCode::Usage);
    assert!(refused.contains("cannot be used with"), "{refused}");
    let path = place.path("chart.svg");
    let path = path.to_str().expect("it is text");
    let words = [
        "consistency",
        "--run",
        "m",
        "--chart",
        "potency",
        "--output",
        path,
    ];
    place.run(&words).success();
    let svg = std::fs::read_to_string(path).expect("it was written");
    assert!(svg.starts_with("<svg"));
}

#[test]
fn lines_that_mean_nothing_are_counted_with_their_numbers() {
    let place = place();
    let answers = std::fs::read_to_string(place.path("answers.jsonl")).expect("it is there");
    let first = answers.lines().next().expect("there is a line");
    let bad = format!(
        "{answers}{first}\nno json\n{{\"seed\":\"nobody\",\"completion\":\"\"}}\n{{\"kind\":\"test\",\"text\":\"\"}}\n"
    );
    let n_lines = answers.lines().count();
    place.write("answers.jsonl", bad);
    let outcome = judged(&place, &[]);
    for (offset, part) in [
        "a second completion",
        "",
        "unknown seed `nobody`",
        "kind `test`",
    ]
    .iter()
    .enumerate()
    {
        let place = format!("answers.jsonl:{}", n_lines + 1 + offset);
        assert!(outcome.err.contains(&place), "{place} in {}", outcome.err);
        assert!(outcome.err.contains(part), "{part} in {}", outcome.err);
    }
}

#[test]
fn focal_methods_of_the_index_are_mutated_the_same_on_any_number_of_threads() {
    let place = Place::with_sample_data();
    let mutated = |jobs: &str| {
        let words = [
            "mutate",
            "--filter",
            "language:java",
            "--min-tokens",
            "16",
            "--jobs",
            jobs,
        ];
        place.run(&words).success()
    };
    let one = mutated("1");
    assert_eq!(mutated("16"), one);
    let all = lines(&one);
    assert!(all.len() > 20, "{} variants", all.len());
    assert!(all.iter().all(|value| value["seed"]["language"] == "java"));
    let words = [
        "mutate",
        "--filter",
        "language:java",
        "--min-tokens",
        "16",
        "--one-per-file",
    ];
    let one_each = lines(&place.run(&words).success());
    let mut seeds: Vec<(String, String)> = one_each
        .iter()
        .map(|value| {
            (
                value["seed"]["file"].to_string(),
                value["seed"]["id"].to_string(),
            )
        })
        .collect();
    seeds.dedup();
    let n_seeds = seeds.len();
    seeds.dedup_by(|a, b| a.0 == b.0);
    assert_eq!(seeds.len(), n_seeds, "one function a file");
}

/// Functions in the form of `CodeSearchNet`: lines without an id, several with the same path.
fn corpus() -> String {
    let line = |path: &str, name: &str, factor: usize| {
        let code = format!(
            "def {name}(prices, rate):\n    total = {factor}\n    for price in prices:\n        if price > rate:\n            \
             total += price * {factor}\n    return total\n"
        );
        let line = serde_json::json!({"repo": "a/b", "path": path, "func_name": name, "language": "python",
            "original_string": code, "partition": "test"});
        format!("{line}\n")
    };
    let paths = ["a.py", "b.py", "a.py", "c.py", "a.py"];
    let lines = paths.iter().enumerate();
    lines
        .map(|(idx, path)| line(path, &format!("total{idx}"), idx + 2))
        .collect()
}

#[test]
fn lines_of_a_corpus_need_no_id_and_one_function_of_each_path_can_be_kept() {
    let place = Place::new();
    let path = place.write("corpus.jsonl", corpus());
    let path = path.to_str().expect("a temporary path is text");
    let words = ["mutate", path, "--min-tokens", "1", "--dataset", "csn"];
    let all = place.run(&words);
    assert!(
        all.err
            .contains("5 lines without an id: named by a hash of the text"),
        "{}",
        all.err
    );
    assert!(all.err.contains("processor time"), "{}", all.err);
    let seeds = |text: &str| -> Vec<(String, String)> {
        let mut seeds: Vec<(String, String)> = lines(text)
            .iter()
            .map(|line| {
                assert_eq!(line["seed"]["dataset"], "csn");
                let text = |key: &str| line["seed"][key].as_str().expect("a text").to_owned();
                (text("file"), text("id"))
            })
            .collect();
        seeds.dedup();
        seeds
    };
    let all = seeds(&all.success());
    assert_eq!(all.len(), 5, "{all:?}");
    let one_each = seeds(
        &place
            .run(&[&words[..], &["--one-per-file"]].concat())
            .success(),
    );
    let files: Vec<&str> = one_each
        .iter()
        .map(|one_each| one_each.0.as_str())
        .collect();
    assert_eq!(files, ["a.py", "b.py", "c.py"]);
    assert!(
        one_each.iter().all(|pair| all.contains(pair)),
        "{one_each:?}"
    );
    let other = [
        &words[..],
        &["--one-per-file", "--seed", "3", "--jobs", "16"],
    ]
    .concat();
    assert_eq!(
        place.run(&other).success(),
        place.run(&other).success(),
        "the same seed keeps the same functions"
    );
}

const N_FUNCTIONS: usize = 24;

/// Creates two runs over functions of two data sets, with 480 completions, some of them far from the others and some
/// empty.
fn two_data_sets() -> Place {
    let place = Place::new();
    let mut seeds = String::new();
    for (set, factor) in [("leetcode", 1), ("csn", 2)] {
        let functions: Vec<String> = (0..N_FUNCTIONS / 2)
            .map(|idx| {
                format!(
                    "def {set}{idx}(prices, rate):\n    total = {idx}\n    for price in prices:\n        \
                     if price > rate:\n            total += price * {factor}\n    return total\n\n\n"
                )
            })
            .collect();
        let path = place.write(&format!("{set}.py"), functions.concat());
        let path = path.to_str().expect("a temporary path is text");
        let words = ["mutate", path, "--min-tokens", "1", "--dataset", set];
        seeds.push_str(&place.run(&words).success());
    }
    place.write("seeds.jsonl", &seeds);
    let texts = [
        "        if price > rate:\n            total += price\n    return total\n",
        "        total += price * rate\n    return total\n",
        "        if price > rate:\n            total = total + price\n    return total\n",
        "        raise NotImplementedError(\"nobody has written this part of the function yet\")\n",
        "        continue\n    return 0\n",
        "",
    ];
    let prompts = lines(&prompts(&place));
    assert_eq!(prompts.len(), N_FUNCTIONS * 10);
    for (run, step) in [("small", 7), ("large", 5)] {
        let answers: Vec<String> = prompts
            .iter()
            .enumerate()
            .map(|(idx, prompt)| {
                // Mostly one of the first three; the number of others depends on the position.
                let text = match idx * step % 23 {
                    0 => texts[5],
                    1 | 2 => texts[3],
                    3 | 4 => texts[4],
                    n => texts[n % 3],
                };
                let meta = &prompt["meta"];
                let line = serde_json::json!({"seed": meta["seed"], "pass": meta["pass"], "completion": text});
                format!("{line}\n")
            })
            .collect();
        place.write(&format!("{run}.jsonl"), answers.concat());
        let file = place.path(&format!("{run}.jsonl"));
        let seeds = place.path("seeds.jsonl");
        let text = |file_path: &std::path::Path| file_path.to_string_lossy().into_owned();
        let (seeds, file) = (text(&seeds), text(&file));
        let words = ["consistency", &seeds, "--from", &file, "--run", run];
        place.run(&words).success();
    }
    place
}

#[test]
fn totals_averages_and_data_sets_are_as_pandas_computes_them() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let place = two_data_sets();
    let both = ["consistency", "--run", "small", "--run", "large"];
    let told = |more: &[&str]| place.run(&[&both[..], more].concat()).success();
    let list = |run: &str| {
        let words = ["consistency", "--run", run, "--list", "--json"];
        place.run(&words).success()
    };
    let files = [
        ("small-list.jsonl", list("small")),
        ("large-list.jsonl", list("large")),
        ("reports.jsonl", told(&["--json"])),
        ("tables.csv", told(&["--format", "csv"])),
    ];
    let paths = files.map(|(name, text)| place.write(name, text));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/consistency.py");
    let ended = Command::new(python)
        .arg(script)
        .arg(place.path("seeds.jsonl"))
        .args(paths)
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "480 2 2\n");
}

#[test]
fn a_data_set_can_be_drawn_and_listed_by_itself() {
    let place = two_data_sets();
    let plotted = |more: &[&str]| place.run(&[&["plot", "potency"], more].concat());
    let all = plotted(&["small", "large"]).success();
    assert!(all.contains("24 functions"), "{all}");
    let one = plotted(&["--dataset", "csn"]).success();
    assert!(one.contains("12 functions"), "{one}");
    let words = [
        "consistency",
        "--run",
        "small",
        "--dataset",
        "csn",
        "--list",
        "--json",
    ];
    assert_eq!(place.run(&words).success().lines().count(), N_FUNCTIONS / 2);
    let unknown = plotted(&["small", "--dataset", "humaneval"]);
    assert_eq!(unknown.code, ExitCode::Usage);
    assert!(
        unknown.err.contains("there are: csn leetcode"),
        "{}",
        unknown.err
    );
    let of_others = place.run(&["plot", "funnel", "--dataset", "csn"]);
    assert_eq!(of_others.code, ExitCode::Usage);
}

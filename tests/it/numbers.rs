//! Derived numbers: ceilings, profiles, settings as a factor, the best of several answers, and the cost of answers;
//! each compared with golden values or `tests/fixtures/numbers/reference.py`.

use std::path::Path;
use std::process::Command;

use focalist::generate::testing::{Act, Server};
use serde_json::{Value, json};

use crate::metrics::{GOLDEN, array, text};
use crate::support::{Place, sample_data};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("a line is JSON")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(parsed).collect()
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn check(found: &Value, expected: &Value) {
    let (found, expected) = (number(found), number(expected));
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

/// Scores texts in Java, and returns the lines.
fn scored(place: &Place, pairs: &[(&str, &str)], metrics: &str) -> Vec<Value> {
    let line = |(reference, prediction): &(&str, &str)| {
        json!({"reference": reference, "prediction": prediction}).to_string() + "\n"
    };
    let file = place.write("pairs.jsonl", pairs.iter().map(line).collect::<String>());
    let file = file.to_string_lossy();
    lines(&place.run(&["score", &file, "--metrics", metrics]).success())
}

#[test]
fn the_most_that_codebleu_gives_stands_beside_it() {
    let place = Place::new();
    let pairs = [
        ("assertTrue(b);", "assertTrue(b);"),
        ("assertTrue(b);", "assertFalse(b"),
    ];
    let found = scored(&place, &pairs, "codebleu:*,codebleu");
    // Words 1: exp(¼ (ln 1 + 3 ln .1)); weighted: the penalty takes it for two words, and no keyword weighs 0.2.
    let tail = 3.0 * 0.1_f64.ln();
    let ngram = (0.25 * tail).exp();
    let weighted = (-1.0_f64).exp() * (0.25 * (0.2_f64.ln() + tail)).exp();
    let mera = (ngram + weighted + 1.0) / 4.0;
    for line in &found[..2] {
        check(&line["scores"]["codebleu:ceiling"], &json!(mera));
        check(
            &line["scores"]["codebleu:k4black-ceiling"],
            &json!(mera + 0.25),
        );
    }
    assert!((mera - 0.3054).abs() < 5e-5, "{mera}");
    for metric in ["codebleu", "codebleu:k4black"] {
        let exact = &found[0]["scores"];
        let end = if metric == "codebleu" { ":" } else { "-" };
        check(&exact[metric], &exact[format!("{metric}{end}ceiling")]);
    }
    let of_default = scored(&place, &pairs, "default");
    let scores = of_default[0]["scores"].as_object().expect("it has scores");
    assert!(
        scores.contains_key("codebleu:k4black-ceiling"),
        "{scores:?}"
    );
    assert!(!scores.contains_key("codebleu"), "{scores:?}");
}

#[test]
fn where_a_golden_prediction_is_the_truth_its_score_is_the_ceiling() {
    let place = Place::new();
    let of_java = array(&GOLDEN["pairs"])
        .iter()
        .filter(|pair| pair["lang"] == "java" && text(&pair["ref"]) == text(&pair["hyp"]));
    let exact: Vec<&Value> = of_java.collect();
    assert!(exact.len() > 5, "{}", exact.len());
    let pairs: Vec<(&str, &str)> = exact
        .iter()
        .map(|pair| (pair["ref"].as_str().expect("a text"), "not the truth"))
        .collect();
    let found = scored(&place, &pairs, "codebleu:*");
    for (line, pair) in found.iter().zip(&exact) {
        let golden = &pair["m"]["codebleu"];
        check(&line["scores"]["codebleu:ceiling"], &golden["mera_det"]);
        check(
            &line["scores"]["codebleu:k4black-ceiling"],
            &golden["k4_det"],
        );
    }
}

/// Creates a place with the bundled samples and a bundled run, scored by these metrics.
fn with_run(metrics: &str) -> Place {
    let place = Place::with_sample_data();
    let file = sample_data("predictions/steady.jsonl");
    let import = ["import", &file, "--run", "steady", "--matcher", "contest"];
    place.run(&import).success();
    place.run(&["eval", "--metrics", metrics]).success();
    place
}

#[test]
fn a_run_that_lacks_a_column_says_so_and_how_to_get_it() {
    // As `default` was before.
    let place = with_run("contest,codebleu,edit,em");
    let listed = place.run(&["runs"]);
    let told = "run steady has no CodeBLEU corpus, CodeBLEU ceiling corpus; \
                `focalist eval --run steady --metrics codebleu:k4black,codebleu:k4black-ceiling` computes it";
    assert!(listed.err.contains(told), "{}", listed.err);
    assert!(
        listed.err.contains("other metrics not shown"),
        "{}",
        listed.err
    );
    let before = listed.success();
    let [head, row] = before.lines().collect::<Vec<_>>()[..] else {
        panic!("one row: {before}");
    };
    assert!(
        head.starts_with("run     samples  parses (%)  BLEU corpus (%)"),
        "{head}"
    );
    assert!(row.contains('–'), "{row}");
    let rows = lines(
        &place
            .run(&["results", "steady", "--json", "--limit", "1"])
            .success(),
    );
    let key = rows[0]["sample"].as_str().expect("a key")[..12].to_owned();
    let args = ["results", "steady", "--metric", "codebleu", "--show", &key];
    let shown = place.run(&args).success();
    assert!(shown.contains("\n  ceiling "), "{shown}");
    let mera = place.run(&["runs", "--profile", "mera"]);
    assert!(
        mera.err.contains("has no CodeBLEU ceiling (MERA)"),
        "{}",
        mera.err
    );
    assert!(mera.success().contains("CodeBLEU (MERA) (%)"));
    let command = [
        "eval",
        "--run",
        "steady",
        "--metrics",
        "codebleu:k4black,codebleu:k4black-ceiling",
    ];
    let evaluated = place.run(&command);
    // What is there is not computed again, and keeps its meaning.
    assert!(
        evaluated.err.contains("114 values computed"),
        "{}",
        evaluated.err
    );
    evaluated.success();
    let after = place.run(&["runs"]);
    assert!(!after.err.contains("has no"), "{}", after.err);
    let csv = place.run(&["runs", "--format", "csv"]).success();
    let heads: Vec<&str> = csv.lines().next().unwrap_or_default().split(',').collect();
    for title in [
        "CodeBLEU corpus",
        "CodeBLEU (MERA)",
        "BLEU corpus",
        "edit sim.",
    ] {
        assert!(heads.contains(&title), "{heads:?}");
    }
}

#[test]
fn a_name_says_of_what_a_number_is_in_every_table() {
    let place = with_run("bleu,em");
    let [steady, hasty] =
        ["steady", "hasty"].map(|text| sample_data(&format!("predictions/{text}.jsonl")));
    let import = ["import", &steady, "--run", "unread", "--matcher", "contest"];
    place.run(&import).success();
    let told = place.run(&["runs"]).err;
    assert!(
        told.contains("run unread is not evaluated; `focalist eval --run unread`"),
        "{told}"
    );
    place.run(&["rm", "--run", "unread"]).success();
    let import = ["import", &hasty, "--run", "hasty", "--matcher", "contest"];
    place.run(&import).success();
    place.run(&["eval", "--metrics", "bleu,em"]).success();
    let says = |args: &[&str], name: &str| {
        let out = place.run(args).success();
        assert!(out.contains(name), "{args:?} {name}: {out}");
        assert!(!out.replace(name, "").contains("BLEU "), "{args:?}: {out}");
    };
    for format in ["table", "csv", "latex", "markdown"] {
        says(&["runs", "--format", format], "BLEU corpus");
    }
    says(&["compare", "steady", "hasty"], "BLEU corpus");
    says(
        &["compare", "steady", "hasty", "--format", "latex"],
        "BLEU corpus",
    );
    says(&["results", "steady"], "BLEU sentence");
    says(&["results", "steady", "--group", "repo"], "BLEU sentence");
    says(&["runs", "--by", "setting"], "BLEU sentence");
}

/// Gives answers that are right, wrong or not code, depending on the bytes of the request.
fn dice(request: &focalist::generate::testing::ServerRequest) -> Act {
    const TEXTS: [&str; 5] = [
        "assertEquals(1, 1);",
        "assertEquals(2, counter.count(",
        "assertTrue(fraction.isZero());",
        "assertNull(null);",
        "assertEquals(0, x",
    ];
    let sum: usize = request.body.bytes().map(usize::from).sum();
    let texts: Vec<&str> = (0..request.n())
        .map(|n| TEXTS[(sum + 3 * n) % TEXTS.len()])
        .collect();
    Act::answer(&texts)
}

/// Creates a run with two answers at each of three temperatures.
fn with_grid() -> Place {
    let place = Place::with_sample_data();
    let server = Server::start(dice);
    let endpoint = server.endpoint();
    let ask = [
        "generate",
        "--run",
        "grid",
        "--kind",
        "assertion",
        "--endpoint",
        &endpoint,
        "--model",
        "m",
        "--temperature",
        "0.1,0.4,0.8",
        "-n",
        "2",
        "language:java",
    ];
    place.run(&ask).success();
    place.run(&["eval", "--metrics", "bleu"]).success();
    place
}

/// Returns the results of plain Python on the exported rows; nothing where there is no Python.
fn reference(place: &Place) -> Option<Value> {
    let samples = place
        .run(&["runs", "grid", "--samples", "--json"])
        .success();
    let answers = place
        .run(&["export", "--format", "answers", "--run", "grid"])
        .success();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/numbers/reference.py");
    let ended = Command::new("python3")
        .arg(script)
        .arg(place.write("samples.jsonl", samples))
        .arg(place.write("answers.jsonl", answers))
        .output();
    let Ok(ended) = ended else {
        assert!(
            std::env::var_os("FOCALIST_NEED_TOOLS").is_none(),
            "there is no Python"
        );
        return None;
    };
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{err}");
    Some(parsed(&String::from_utf8_lossy(&ended.stdout)))
}

#[test]
fn a_grid_is_told_setting_by_setting_and_as_plain_python_counts() {
    let place = with_grid();
    let rows = lines(&place.run(&["runs", "--by", "setting", "--json"]).success());
    let told = place.run(&["runs"]).err;
    assert!(
        told.contains("run grid: attempts are of 3 settings; `focalist runs grid --by setting`"),
        "{told}"
    );
    let settings: Vec<&Value> = rows
        .iter()
        .filter(|row| row["setting"].is_string())
        .collect();
    let names: Vec<&str> = settings
        .iter()
        .filter_map(|setting| setting["setting"].as_str())
        .collect();
    assert_eq!(
        names,
        ["temperature=0.1", "temperature=0.4", "temperature=0.8"]
    );
    let table = place.run(&["runs", "--by", "setting"]).success();
    assert!(
        table.contains("oracle@3 of settings") && table.contains("oracle@6 of attempts"),
        "{table}"
    );
    // Two answers each: what is taken together is of the setting alone.
    assert_eq!(settings[0]["at_k"][1]["k"], 2, "{}", settings[0]);
    assert!(settings[0]["at_k"][2].is_null(), "{}", settings[0]);
    let Some(expected) = reference(&place) else {
        return;
    };
    for setting in &settings {
        let expected = &expected["settings"][setting["setting"].as_str().expect("a name")];
        assert_eq!(setting["n_samples"], expected["n"]);
        check(&setting["parses"]["value"], &expected["parses"]);
        check(&setting["metrics"]["bleu"]["value"], &expected["bleu"]);
    }
    let mut n_oracles = 0;
    for oracle in rows.iter().filter(|row| row["oracle"].is_string()) {
        let expected = match oracle["oracle"].as_str() {
            Some("settings") => &expected["oracle_settings"],
            _ => &expected["oracle_attempts"][oracle["k"].to_string()],
        };
        check(&oracle["metrics"]["bleu"]["value"], expected);
        n_oracles += 1;
    }
    // 3 settings; 2, 4 and 6 attempts.
    assert_eq!(n_oracles, 4);
    let run = parsed(place.run(&["runs", "grid", "--json"]).success().trim());
    for k in ["1", "2", "6"] {
        let mut all = run["parse_at_k"]
            .as_array()
            .expect("there are attempts")
            .iter();
        let found = all
            .find(|value| value["k"].as_u64() == k.parse().ok())
            .expect("there are so many");
        let expected = &expected["parse_at"][k];
        check(&found["parse"], &expected["value"]);
        for end in 0..2 {
            let (found, expected) = (&found["parse_interval"][end], &expected["interval"][end]);
            // Two bootstraps with dice of their own.
            assert!(
                (number(found) - number(expected)).abs() < 0.03,
                "@{k}: {found} {expected}"
            );
        }
    }
}

#[test]
fn what_answers_took_is_told_at_the_prices_that_one_gives() {
    let place = with_grid();
    let prices = ["--price-in", "0.5", "--price-out", "2"];
    let run = place
        .run(&[&["runs", "grid", "--json"], &prices[..]].concat())
        .success();
    let usage = &parsed(run.trim())["usage"];
    let table = place
        .run(&[&["runs", "--cost"], &prices[..]].concat())
        .success();
    assert!(
        table.starts_with("run   model  answers  requests  tokens in  tokens out"),
        "{table}"
    );
    // No price is built in.
    let free = parsed(place.run(&["runs", "grid", "--json"]).success().trim());
    assert!(
        free["usage"]["cost"].is_null() && free["usage"]["tokens_in"].is_u64(),
        "{free}"
    );
    let own = place.write(
        "home.toml",
        "[models.mine]\nmodel = \"m\"\nprice_in = 0.5\nprice_out = 2\n",
    );
    let own = own.to_string_lossy().into_owned();
    let set = place
        .run(&["--config", &own, "runs", "grid", "--json"])
        .success();
    assert_eq!(parsed(set.trim())["usage"], *usage);
    let csv = place.run(&["runs", "--format", "csv"]).success();
    assert!(
        csv.lines()
            .next()
            .is_some_and(|line| line.contains(",tokens_in,tokens_out,")),
        "{csv}"
    );
    let other = sample_data("predictions/steady.jsonl");
    place
        .run(&["import", &other, "--run", "steady", "--matcher", "contest"])
        .success();
    place.run(&["eval", "--metrics", "bleu"]).success();
    let compared = place.run(&[&["compare", "steady", "grid", "--json"], &prices[..]].concat());
    let compared = parsed(&compared.success());
    assert!(compared.get("usage_a").is_none(), "it is from a file");
    assert_eq!(compared["usage_b"], *usage);
    let Some(expected) = reference(&place) else {
        return;
    };
    for (name, of) in [
        ("requests", "requests"),
        ("tokens_in", "tokens_in"),
        ("tokens_out", "tokens_out"),
        ("cost", "cost"),
        ("latency_ms_median", "latency_median"),
        ("latency_ms_p95", "latency_p95"),
    ] {
        check(&usage[name], &expected[of]);
    }
}

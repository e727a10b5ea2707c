//! Comparing two runs on the command line and on the screen: both show the same, in the same order.

use std::fs;

use focalist::cli;
use focalist::store::{Store, StoreAccess};
use focalist::tui::{self, Depth, Shot};
use serde_json::Value;

use crate::support::Place;

/// Creates a place with the sample data and its two runs, evaluated.
fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--no-tui"]).success();
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// Returns the lines of the screen, without borders and with runs of blanks reduced to one.
fn screen(place: &Place, keys: &str) -> Vec<String> {
    let store =
        Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index was made");
    let shot = Shot {
        annotator: None,
        width: 240,
        height: 170,
        theme: "dark",
        depth: Depth::Mono,
        keys,
        verbs: cli::verbs(),
    };
    let frame = tui::render(&store, shot).expect("theme and keys exist");
    let area = frame.area;
    let rows = (area.top()..area.bottom()).map(|y| {
        let cells = (area.left()..area.right()).map(|x| frame[(x, y)].symbol());
        cells.collect::<String>()
    });
    let panes = rows.flat_map(|row| {
        let panes = row.split(['│', '┃']).map(str::to_owned);
        panes.collect::<Vec<_>>()
    });
    let words = panes.map(|pane| pane.split_whitespace().collect::<Vec<_>>().join(" "));
    words.collect()
}

fn check_screen(place: &Place, keys: &str, expected: &[String]) {
    let lines = screen(place, keys);
    for row in expected {
        assert!(
            lines.iter().any(|line| line.contains(row)),
            "`{row}` is missing after `{keys}`:\n{}",
            lines.join("\n")
        );
    }
    assert!(!expected.is_empty());
}

/// Formats a number in 0..=1 as the screen does.
fn share(value: &Value) -> String {
    let value = value.as_f64().expect("a number");
    let text = format!("{value:.3}");
    match text.strip_prefix("0.") {
        Some(rest) => format!(".{rest}"),
        None => format!("{value:.2}"),
    }
}

fn signed(value: &Value) -> String {
    let number = value.as_f64().expect("a number");
    let sign = match number {
        gain if gain > 5e-4 => "+",
        loss if loss < -5e-4 => "−",
        _ => "",
    };
    format!("{sign}{}", share(&Value::from(number.abs())))
}

fn p(value: &Value) -> String {
    match value.as_f64() {
        Some(probability) if probability < 0.001 => "<.001".to_owned(),
        _ => share(value),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().expect("a list")
}

#[test]
fn the_refined_screen_shows_the_numbers_of_the_command() {
    let place = demo();
    let out = place
        .run(&["compare", "steady", "hasty", "--tags", "--json"])
        .success();
    let compared = json(&out);
    assert_eq!(compared["resamples"], 10_000);
    let metrics = list(&compared["slices"][0], "metrics").iter().map(|value| {
        format!(
            "{} {} {} [{}, {}] {}",
            share(&value["a"]),
            share(&value["b"]),
            signed(&value["difference"]),
            signed(&value["low"]),
            signed(&value["high"]),
            p(&value["p"])
        )
    });
    let metrics: Vec<String> = metrics.collect();
    assert!(metrics.len() > 5);
    let args = ["compare", "steady", "hasty", "--by", "repo", "--slices"];
    let sliced = json(&place.run(&[&args[..], &["--json"]].concat()).success());
    let slices = list(&sliced, "slices")[1..].iter().map(|value| {
        let metric = &value["metrics"][0];
        assert_eq!(metric["metric"], "bleu");
        let (difference, p) = (signed(&metric["difference"]), p(&metric["p_adjusted"]));
        format!("{} {difference} {p}", value["n"])
    });
    // Slices by repository are shown without a further key.
    check_screen(
        &place,
        "gc",
        &metrics.into_iter().chain(slices).collect::<Vec<_>>(),
    );

    let tags = list(&compared, "tags").iter().map(|value| {
        let (n_a, n_b) = (&value["n_a"], &value["n_b"]);
        let (difference, p) = (signed(&value["difference"]), p(&value["p_adjusted"]));
        format!("{n_a} {n_b} {difference} {p}")
    });
    check_screen(&place, "gcFtag<cr>", &tags.collect::<Vec<_>>());
}

/// Returns the keys of the samples in a written file.
fn keys(text: &str) -> Vec<String> {
    let keys = text.lines().map(|line| {
        let sample = json(line)["sample"].as_str().map(str::to_owned);
        sample.expect("a sample has a key")
    });
    keys.collect()
}

#[test]
fn what_is_exported_is_what_is_listed_on_the_screen_too() {
    let place = demo();
    let path = |name: &str| place.path(name).to_string_lossy().into_owned();
    let exported = |name: &str, more: &[&str]| {
        let path = path(name);
        let args = [
            "compare",
            "steady",
            "hasty",
            "--metrics",
            "bleu,codebleu:k4black",
        ];
        let out = place.run(&[&args[..], &["--json", "--export", &path], more].concat());
        let listed = json(&out.success());
        (listed, fs::read_to_string(path).expect("it was written"))
    };
    let (_, all) = exported("all.jsonl", &[]);
    let (listed, worst) = exported("worst.jsonl", &["--worst", "7"]);
    let first: Vec<&str> = all.lines().take(7).collect();
    assert_eq!(worst.lines().collect::<Vec<_>>(), first);
    let samples = list(&listed, "samples").iter();
    let samples: Vec<&str> = samples
        .filter_map(|sample| sample["sample"].as_str())
        .collect();
    assert_eq!(samples, keys(&worst));
    let (_, best) = exported("best.jsonl", &["--best", "7"]);

    // `E` writes every metric that both have; rows and order are the same.
    let on_screen = |name: &str, before: &str| {
        let path = path(name);
        screen(&place, &format!("gc{before}E<c-u>{path}<cr>"));
        keys(&fs::read_to_string(path).expect("it was written"))
    };
    assert_eq!(on_screen("screen.jsonl", ""), keys(&all));
    assert_eq!(on_screen("screen-best.jsonl", ",d")[..7], keys(&best));
    let (_, lost) = exported("lost.jsonl", &["--filter", "outcome:worse"]);
    let on_screen = on_screen("screen-lost.jsonl", "foutcome:worse<cr>");
    assert_eq!(on_screen, keys(&lost));
}

#[test]
fn equal_differences_come_in_one_order_everywhere() {
    let place = demo();
    for (sort, turned) in [("sort:delta", "--worst"), ("sort:-delta", "--best")] {
        let filter = format!("run:hasty baseline:steady metric:bleu {sort}");
        let args = ["results", &filter, "--limit", "0", "--json"];
        let results = keys(&place.run(&args).success());
        let path = place.path("compared.jsonl");
        let file = path.to_string_lossy();
        let args = ["compare", "steady", "hasty", turned, "1000", "--force"];
        place
            .run(&[&args[..], &["--export", &file]].concat())
            .success();
        let compared = fs::read_to_string(&path).expect("it was written");
        assert_eq!(keys(&compared), results, "{sort}");
        assert!(results.len() > 40);
    }
}

#[test]
fn tags_are_counted_for_both_and_select_the_samples_that_differ() {
    let place = demo();
    let args = ["compare", "steady", "hasty", "--metrics", "em"];
    let compared = json(
        &place
            .run(&[&args[..], &["--tags", "--json"]].concat())
            .success(),
    );
    let tags = list(&compared, "tags");
    for (run, side) in [("steady", "n_a"), ("hasty", "n_b")] {
        let counted = json(place.run(&["tags", run, "--json"]).success().trim());
        for value in tags {
            let tag = value["tag"].as_str().expect("a tag has a name");
            let n = counted["tags"][tag]["n"].as_u64().unwrap_or(0);
            assert_eq!(value[side].as_u64(), Some(n), "{tag} in {run}");
        }
    }
    let n = |value: &Value, side: &str| value[side].as_u64().expect("a count");
    for value in tags {
        assert_eq!(
            n(value, "n_a") + n(value, "only_b"),
            n(value, "n_b") + n(value, "only_a")
        );
        assert!(value["p_adjusted"].as_f64() >= value["p"].as_f64());
        let n_differing = n(value, "only_a") + n(value, "only_b");
        let tag = value["tag"].as_str().expect("a tag has a name");
        let filter = format!("tag-differs:{tag}");
        let filtered = place.run(&[&args[..], &["--filter", &filter, "--json"]].concat());
        if n_differing > 0 {
            assert_eq!(n(&json(&filtered.success())["slices"][0], "n"), n_differing);
        }
    }
    let table = place.run(&[&args[..], &["--tags"]].concat()).success();
    let head = format!(
        "samples of {} with each tag: strongest evidence first; adjusted p is for {} tags",
        compared["slices"][0]["n"],
        tags.len()
    );
    assert!(table.contains(&head), "{table}");
}

#[test]
fn tables_say_their_order_their_metric_and_what_is_in_percent() {
    let place = demo();
    let check = |more: &[&str], expected: &[&str], n_rows: usize| {
        let table = place
            .run(&[&["compare", "steady", "hasty", "--by", "repo"], more].concat())
            .success();
        for part in expected {
            assert!(table.contains(part), "{part}: {table}");
        }
        // All samples, and four repositories.
        assert_eq!(table.lines().count(), n_rows, "{table}");
    };
    let ranked =
        "slices by repo: strongest evidence first in BLEU corpus; adjusted p is for 4 slices";
    check(
        &["--slices"],
        &[ranked, "steady (%)", "difference (%)"],
        2 + 5,
    );
    let ranked = "slices by repo: strongest evidence first in EM";
    check(&["--slices", "--metrics", "em,bleu"], &[ranked], 2 + 10);
    check(&[], &["slices by repo: in their own order"], 2 + 5);
    let csv = ["--slices", "--format", "csv"];
    let head =
        "slice,metric,samples,steady,hasty,difference,low,high,p,p_adjusted,better,same,worse\n";
    check(&csv, &[head], 1 + 5);
}

/// Returns the cells of a Markdown table below its head.
fn cells(markdown: &str) -> Vec<Vec<String>> {
    let rows = markdown.lines().skip(2).map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_owned()).collect()
    });
    rows.collect()
}

/// Returns all runs as `runs` lists them.
fn runs(place: &Place) -> Vec<Value> {
    let said = place.run(&["runs", "--json"]).success();
    said.lines().map(json).collect()
}

#[test]
fn the_papers_pairs_are_adjusted_by_all_answers_of_each_run() {
    let place = demo();
    let runs = runs(&place);
    let run = |name: &str| {
        let found = runs.iter().find(|run| run["name"] == name);
        found.expect("it is there").clone()
    };
    let rate = |name: &str| {
        run(name)["unparsable_rate"]
            .as_f64()
            .expect("it was scored")
    };
    assert!(rate("hasty") > 0.1, "{runs:?}");
    let compared = |more: &[&str]| {
        let args = ["compare", "steady", "hasty", "--metrics", "bleu,em"];
        place
            .run(&[&args[..], &["--resamples", "100"], more].concat())
            .success()
    };
    let raw = json(&compared(&["--parsable-by-both", "--json"]));
    let slice = &raw["slices"][0];
    let mut expected = Vec::new();
    for (side, name) in [("a", "steady"), ("b", "hasty")] {
        assert_eq!(slice[format!("unparsable_rate_{side}")], rate(name));
        let values = list(slice, "metrics").iter().map(|metric| {
            let value = metric[side].as_f64().expect("a number") * (1.0 - rate(name));
            assert_eq!(metric[format!("adjusted_{side}")], value);
            value
        });
        let values: Vec<f64> = values.chain([rate(name)]).collect();
        let row = values.iter().map(|value| format!("{:.2}", value * 100.0));
        let row: Vec<String> = [name.to_owned(), slice["n"].to_string()]
            .into_iter()
            .chain(row)
            .collect();
        expected.push((row, values));
    }
    let markdown = compared(&["--parsable-by-both", "--format", "markdown"]);
    assert_eq!(
        cells(&markdown),
        expected
            .iter()
            .map(|expected| expected.0.clone())
            .collect::<Vec<_>>()
    );
    let latex = compared(&["--parsable-by-both", "--format", "latex"]);
    let table = compared(&["--adjusted"]);
    let csv = compared(&["--adjusted", "--format", "csv"]);
    for (row, values) in &expected {
        let words = row.join(" ");
        let has_row = |text: &str| {
            let mut lines = text.lines();
            lines.any(|line| {
                let line = line.replace('&', " ").replace("\\\\", " ");
                line.split_whitespace().collect::<Vec<_>>().join(" ") == words
            })
        };
        assert!(has_row(&latex), "{words}\n{latex}");
        assert!(has_row(&table), "{words}\n{table}");
        let exact: Vec<String> = values.iter().map(f64::to_string).collect();
        let line = format!("{},{},{}", row[0], row[1], exact.join(","));
        assert!(csv.lines().any(|text| text == line), "{line}\n{csv}");
    }
}

#[test]
fn runs_over_other_samples_are_adjusted_over_their_own() {
    let place = demo();
    let args = ["compare", "steady", "hasty", "--apart"];
    let said = place.run(&[&args[..], &["--json"]].concat()).success();
    let apart = json(&said);
    let runs = runs(&place);
    for row in apart.as_array().expect("a list") {
        let run = runs.iter().find(|run| run["name"] == row["run"]);
        let run = run.expect("it is there");
        assert_eq!(row["adjusted"]["bleu"], run["adjusted"]["bleu"]);
        assert_eq!(row["comparable"], false);
    }
    let table = place.run(&args).success();
    assert!(table.contains("hasty (own samples)"), "{table}");
}

#[test]
fn every_format_has_the_same_numbers() {
    let place = demo();
    let args = ["compare", "steady", "hasty", "--metrics", "bleu,em"];
    let args = [&args[..], &["--resamples", "200"]].concat();
    for more in [&[][..], &["--by", "repo"]] {
        let run = |format: &str| {
            let args = [&args[..], more, &["--format", format]].concat();
            place.run(&args).success()
        };
        let compared = json(&run("json"));
        let slices = list(&compared, "slices");
        let percent = |value: &Value| format!("{:.2}", value.as_f64().expect("a number") * 100.0);
        let difference = |value: &Value| {
            let number = value["difference"].as_f64().expect("a number") * 100.0;
            let p = value["p"].as_f64().expect("a number");
            let p = match p {
                _ if p < 0.001 => "<.001".to_owned(),
                1.0 => "1.00".to_owned(),
                _ => format!("{p:.3}")[1..].to_owned(),
            };
            (format!("{number:+.2}").replace('-', "−"), p)
        };
        let mut expected = Vec::new();
        for slice in slices {
            let metrics = list(slice, "metrics");
            for (side, rate) in [("a", "unparsable_rate_a"), ("b", "unparsable_rate_b")] {
                let values = metrics.iter().map(|metric| percent(&metric[side]));
                let values = values.chain([percent(&slice[rate])]);
                let n = [slice["n"].to_string()];
                expected.push(n.into_iter().chain(values).collect::<Vec<_>>());
            }
            let differences = metrics.iter().map(|metric| {
                let (difference, p) = difference(metric);
                format!("{difference} ({p})")
            });
            let differences = differences.chain([String::new()]);
            let n = [String::new()];
            expected.push(n.into_iter().chain(differences).collect());
        }
        let markdown = run("markdown");
        let rows = cells(&markdown);
        let found: Vec<Vec<String>> = rows.iter().map(|row| row[1..].to_vec()).collect();
        assert_eq!(found, expected, "{markdown}");
        let table = run("table");
        for metric in slices.iter().flat_map(|slice| list(slice, "metrics")) {
            let (difference, p) = difference(metric);
            let row = [percent(&metric["a"]), percent(&metric["b"]), difference];
            let is_there = table.lines().any(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.windows(3).any(|window| window == row) && words.contains(&p.as_str())
            });
            assert!(is_there, "{row:?} {p}: {table}");
        }
    }
}

#[test]
fn what_machines_read_is_ascii_with_a_column_for_each_end() {
    let place = demo();
    let run = |more: &[&str]| {
        let args = ["compare", "steady", "hasty", "--metrics", "bleu"];
        let args = [&args[..], &["--resamples", "200"]].concat();
        place.run(&[&args[..], more].concat()).success()
    };
    let csv = run(&["--format", "csv", "--tags", "--worst", "3"]);
    assert!(csv.is_ascii(), "{csv}");
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let row: Vec<&str> = lines.next().expect("a row").split(',').collect();
    let metric = &json(&run(&["--json"]))["slices"][0]["metrics"][0];
    for (column, name) in [
        ("steady", "a"),
        ("hasty", "b"),
        ("difference", "difference"),
        ("low", "low"),
        ("high", "high"),
        ("p", "p"),
    ] {
        let place = head.iter().position(|text| *text == column);
        let cell = row[place.expect("the column is there")];
        assert_eq!(cell.parse::<f64>().ok(), metric[name].as_f64(), "{column}");
    }
    let runs = place.run(&["runs", "--metrics", "bleu", "--format", "csv"]);
    let runs = runs.success();
    assert!(
        runs.is_ascii() && runs.contains("\nhasty,all,65,0."),
        "{runs}"
    );
}

#[test]
fn slices_of_a_few_samples_come_last_and_are_counted() {
    let place = demo();
    let args = [
        "compare",
        "steady",
        "hasty",
        "--by",
        "focal-class",
        "--slices",
    ];
    let table = place.run(&args).success();
    let sliced = json(&place.run(&[&args[..], &["--json"]].concat()).success());
    let slices: Vec<(u64, f64)> = list(&sliced, "slices")[1..]
        .iter()
        .map(|value| {
            let p = value["metrics"][0]["p"].as_f64();
            (value["n"].as_u64().expect("a count"), p.expect("a number"))
        })
        .collect();
    let n_small = slices.iter().filter(|slice| slice.0 < 6).count();
    assert!(n_small > 0 && n_small < slices.len(), "{slices:?}");
    let ordered = |pair: &(u64, f64)| (u64::from(pair.0 < 6), pair.1);
    assert!(
        slices
            .windows(2)
            .all(|window| ordered(&window[0]) <= ordered(&window[1])),
        "{slices:?}"
    );
    let head = format!("; {n_small} of fewer than 6 samples last\n");
    assert!(table.contains(&head), "{table}");
}

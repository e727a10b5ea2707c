//! Records of MERA's `UnitTests`: exported, imported again, answered and scored.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::Place;

const PARTS: [&str; 4] = ["shots", "train", "validation", "test"];

fn export(place: &Place, name: &str, more: &[&str]) -> String {
    let output = place.path(name).to_string_lossy().into_owned();
    let asked = ["export", "--format", "mera", "--prompts", "en", "--output"];
    let asked = [&asked[..], &[output.as_str()], more].concat();
    place.run(&asked).success();
    output
}

/// Returns the records of a part of a folder of JSON lines.
fn part(folder: &str, name: &str) -> Vec<Value> {
    let path = Path::new(folder).join(format!("{name}.jsonl"));
    let lines = fs::read_to_string(path).unwrap_or_default();
    let records = lines.lines().map(serde_json::from_str);
    records
        .collect::<Result<_, _>>()
        .expect("a line is a record")
}

/// Returns the records of all parts.
fn all(folder: &str) -> Vec<Value> {
    PARTS.iter().flat_map(|text| part(folder, text)).collect()
}

/// Returns the records of all parts by the expected test; of several with the same test, the last.
fn records(folder: &str) -> BTreeMap<String, Value> {
    let by_test = all(folder).into_iter().map(|record| {
        let outputs = record["outputs"].as_str().expect("it wants a test");
        (outputs.to_owned(), record)
    });
    by_test.collect()
}

/// Returns the files of a folder with their bytes.
fn bytes(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![Path::new(folder).to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below");
                let bytes = fs::read(&path).expect("it can be read");
                files.insert(name.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    files
}

#[test]
fn what_is_exported_comes_back_from_every_layout() {
    let place = Place::with_sample_data();
    let plain = export(&place, "plain", &[]);
    let before = records(&plain);
    assert!(before.len() > 40, "{}", before.len());
    for layout in ["jsonl", "hf", "mera"] {
        let folder = export(&place, &format!("{layout}-out"), &["--layout", layout]);
        let again = export(&place, &format!("{layout}-again"), &["--layout", layout]);
        assert_eq!(bytes(&folder), bytes(&again), "{layout}");
        let other = Place::new();
        let asked = [
            "import",
            "--dataset",
            "mera",
            &folder,
            "--name",
            "uni",
            "--strict",
        ];
        other.run(&asked).success();
        let back = export(&other, "back", &[]);
        let after = records(&back);
        let shown = |records: &BTreeMap<String, Value>| -> Vec<Value> {
            let shown = records.values().map(|value| {
                let meta = &value["meta"];
                let meta = [&meta["repo_id"], &meta["focal_func_type"]];
                serde_json::json!([value["inputs"], value["outputs"], meta])
            });
            shown.collect()
        };
        assert_eq!(shown(&before), shown(&after), "{layout}");
        let asked = ["import", "--dataset", "mera", &folder, "--name", "uni"];
        let told = other.run(&asked).err;
        assert!(told.contains("nothing has changed"), "{told}");
    }
}

#[test]
fn parts_are_numbered_as_if_all_were_written() {
    let place = Place::with_sample_data();
    let all = records(&export(&place, "all", &[]));
    let test = records(&export(&place, "test", &["--split", "test"]));
    assert!(!test.is_empty() && test.len() < all.len());
    for (outputs, record) in &test {
        assert_eq!(Some(record), all.get(outputs));
    }
    let shots = records(&export(&place, "shots", &["--split", "shots"]));
    let ids: Vec<i64> = shots
        .values()
        .filter_map(|value| value["meta"]["id"].as_i64())
        .collect();
    assert_eq!((ids.len(), ids.iter().sum::<i64>()), (2, 3));
    let few = records(&export(
        &place,
        "few",
        &["--max-per-repo", "3", "--seed", "5"],
    ));
    assert_eq!(few.len(), 9);
    let none = records(&export(&place, "none", &["--language", "go"]));
    assert_eq!(none.len(), 0);
}

/// Counts the records of each language.
fn by_language(records: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        let language = record["inputs"]["language"].as_str().expect("a word");
        *counts.entry(language.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn a_benchmark_has_as_many_tasks_of_each_language_as_its_quotas_say() {
    let place = Place::with_languages();
    let repos = place.run(&["repos", "--json"]).success();
    let repos = repos.lines().map(serde_json::from_str::<Value>);
    let mut splits = String::new();
    for repo in repos {
        let repo = &repo.expect("a line is JSON")["name"];
        splits += &format!("{}\n", serde_json::json!({"repo": repo, "split": "test"}));
    }
    let splits = place.write("splits.jsonl", splits);
    let splits = splits.to_string_lossy().into_owned();
    let asked = ["--benchmark", "--splits", &splits];
    let draw = |name: &str, more: &[&str]| export(&place, name, &[&asked, more].concat());
    let equal = ["--tasks", "12", "--language", "go", "--language", "python"];
    let equal = draw("equal", &[&equal[..], &["--language", "csharp"]].concat());
    let expected = [("csharp", 4), ("go", 4), ("python", 4)];
    let expected = expected.map(|(language, n)| (language.to_owned(), n));
    assert_eq!(by_language(&all(&equal)), BTreeMap::from(expected));
    // The rule of the benchmark, without being asked for.
    let manifest = fs::read_to_string(Path::new(&equal).join("manifest.json"));
    let manifest: Value = serde_json::from_str(&manifest.expect("it is written")).expect("JSON");
    assert_eq!(manifest["options"]["matcher"], "mera");
    let quotas = serde_json::json!({"csharp": 4, "go": 4, "python": 4});
    assert_eq!(manifest["options"]["quotas"], quotas);

    let own = ["--tasks", "11", "--quota", "go=1", "--language", "go"];
    let own = draw("own", &[&own[..], &["--language", "csharp"]].concat());
    let drawn = by_language(&all(&own));
    assert_eq!(drawn.get("go"), Some(&1));
    // Twenty distinct prompts, of which JavaScript alone takes those with a framework.
    let prompts = fs::read_to_string(Path::new(&own).join("prompts.toml")).expect("it is written");
    assert_eq!(prompts.matches("framework = true").count(), 10);
    assert!(prompts.contains("A colleague asks"), "{prompts}");

    let folder = place.path("all").to_string_lossy().into_owned();
    let asked = ["export", "--format", "mera", "--output", &folder];
    let asked = [&asked[..], &["--benchmark", "--splits", &splits]].concat();
    let told = place.run(&asked).err;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let words =
        "warning: java: 0 tasks where 500 were to be drawn; no other language fills the gap";
    assert!(told.contains(words), "{told}");
}

#[test]
fn splits_of_ones_own_take_the_place_of_ours_and_the_card_says_what_it_is_about() {
    let place = Place::with_sample_data();
    let own = [
        r#"{"repo":"measurekit","split":"train"}"#,
        r#"{"repo":"wordloom","split":"test"}"#,
    ];
    let splits = place.write("splits.jsonl", own.join("\n"));
    let splits = splits.to_string_lossy().into_owned();
    let folder = export(&place, "own", &["--splits", &splits]);
    let told = fs::read_to_string(Path::new(&folder).join("ids.jsonl")).expect("it is written");
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in told.lines() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        let word = |name: &str| line[name].as_str().expect("a word").to_owned();
        *found.entry((word("repo"), word("split"))).or_default() += 1;
    }
    let parts: Vec<(&str, &str)> = found
        .keys()
        .map(|(repo, split)| (repo.rsplit('/').next().unwrap_or(repo), split.as_str()))
        .collect();
    // Examples are of what is for training; what has no split is not written.
    let expected = [
        ("measurekit", "shots"),
        ("measurekit", "train"),
        ("wordloom", "test"),
    ];
    assert_eq!(parts, expected);
    assert!(part(&folder, "validation").is_empty());
    let manifest = fs::read_to_string(Path::new(&folder).join("manifest.json"));
    let manifest: Value = serde_json::from_str(&manifest.expect("it is written")).expect("JSON");
    let steps = manifest["funnel"].as_array().expect("steps");
    assert!(
        steps.iter().any(|step| step["step"] == "splits"),
        "{manifest}"
    );

    let hub = export(&place, "hub", &["--splits", &splits, "--layout", "hf"]);
    let card = fs::read_to_string(Path::new(&hub).join("README.md")).expect("it is written");
    let head = "---\nlanguage:\n- code\nlicense:\n";
    assert!(card.starts_with(head), "{card}");
    assert!(
        card.contains("tags:\n- code\n- unit-tests\n- java\n"),
        "{card}"
    );
    assert!(!card.contains("split: validation"), "{card}");
}

#[test]
fn answers_find_their_records_by_number() {
    let place = Place::with_sample_data();
    let folder = export(&place, "out", &[]);
    let other = Place::new();
    other
        .run(&["import", "--dataset", "mera", &folder])
        .success();
    let mut lines = String::new();
    let mut log = String::new();
    for record in &all(&folder) {
        let (id, outputs) = (&record["meta"]["id"], &record["outputs"]);
        let answer = format!(
            "Sure:\n```java\n{}\n```",
            outputs.as_str().unwrap_or_default()
        );
        lines += &format!("{}\n", serde_json::json!({"id": id, "prediction": answer}));
        log += &format!(
            "{}\n",
            serde_json::json!({"doc": record, "resps": [[answer, "x"]]})
        );
    }
    let lines = place
        .write("answers.jsonl", lines)
        .to_string_lossy()
        .into_owned();
    let log = place.write("log.jsonl", log).to_string_lossy().into_owned();
    let ids = Path::new(&folder)
        .join("ids.jsonl")
        .to_string_lossy()
        .into_owned();
    let check = |place: &Place, name: &str, file: &str, more: &[&str]| {
        let asked = [
            "import",
            "--run",
            name,
            file,
            "--extract",
            "mera",
            "--strict",
        ];
        place.run(&[&asked[..], more].concat()).success();
        let asked = [
            "eval",
            "--run",
            name,
            "--metrics",
            "em:whitespace",
            "--json",
        ];
        let table = place.run(&asked).success();
        let row: Value = serde_json::from_str(&table).expect("the only run is one line");
        let seen = [
            &row["target"],
            &row["scores"]["em:whitespace"],
            &row["unparsable_rate"],
        ];
        assert_eq!(
            seen,
            [&Value::from("test"), &Value::from(1.0), &Value::from(0.0)]
        );
    };
    check(&other, "lines", &lines, &[]);
    check(&other, "log", &log, &[]);
    check(&place, "mined", &lines, &["--ids", &ids]);
    let asked = ["import", "--run", "lost", &lines, "--extract", "mera"];
    let told = place.run(&asked).failure(ExitCode::Problems);
    assert!(told.contains("`--ids` takes"), "{told}");
}

#[test]
fn a_record_that_nobody_answered_scores_nothing() {
    let place = Place::with_sample_data();
    let folder = export(&place, "out", &[]);
    let other = Place::new();
    other
        .run(&["import", "--dataset", "mera", &folder])
        .success();
    let asked = part(&folder, "test");
    let (first, n_asked) = (&asked[0], asked.len());
    assert!(n_asked > 1);
    let answer = format!(
        "```java\n{}\n```",
        first["outputs"].as_str().unwrap_or_default()
    );
    let line = serde_json::json!({"id": first["meta"]["id"], "prediction": answer});
    let file = place.write("one.jsonl", format!("{line}\n"));
    let file = file.to_string_lossy().into_owned();
    other
        .run(&["import", "--run", "one", &file, "--extract", "mera"])
        .success();
    let scored = ["eval", "--run", "one", "--metrics", "edit", "--json"];
    let row = other.run(&scored).success();
    let row: Value = serde_json::from_str(&row).expect("the only run is one line");
    assert_eq!(row["n_samples"], n_asked, "{row}");
    let score = row["scores"]["edit"].as_f64().expect("a number");
    assert!((score - 1.0 / n_asked as f64).abs() < 1e-9, "{row}");
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let place = Place::with_sample_data();
    let out = export(&place, "out", &[]);
    let prompts = place.write("prompts.toml", "language = \"en\"\nwords = 1\n");
    let prompts = prompts.to_string_lossy().into_owned();
    let mine = place.write("mine/a.txt", "x");
    let mine = mine
        .parent()
        .expect("it is in a folder")
        .to_string_lossy()
        .into_owned();
    let check = |more: &[&str], code: ExitCode, expected: &str| {
        let told = place.run(&[&["export", "--format", "mera"], more].concat());
        let told = told.failure(code);
        assert!(told.contains(expected), "{told}");
    };
    check(&[], ExitCode::Usage, "`--output FOLDER` says where");
    check(&["--output", &out], ExitCode::Usage, "exists already");
    check(
        &["--output", &mine, "--force"],
        ExitCode::Usage,
        "is not the folder of an export",
    );
    check(
        &["--output", &out, "--all"],
        ExitCode::Usage,
        "`--all` has no effect",
    );
    check(
        &["--output", &out, "--prompts", &prompts],
        ExitCode::Input,
        "prompts.toml:2: invalid type",
    );
    let told = place
        .run(&["export", "--layout", "hf"])
        .failure(ExitCode::Usage);
    assert!(told.contains("`--layout` needs `--format mera`"), "{told}");
    let told = place
        .run(&["export", "--split", "shots"])
        .failure(ExitCode::Usage);
    assert!(told.contains("`--split shots` needs"), "{told}");
}

#[test]
fn prompts_ask_what_records_ask() {
    let place = Place::with_sample_data();
    let folder = export(&place, "records", &[]);
    let records: Vec<Value> = PARTS[1..]
        .iter()
        .flat_map(|text| part(&folder, text))
        .collect();
    let mut expected: Vec<String> = records
        .iter()
        .map(|record| {
            let template = record["instruction"].as_str().expect("it asks something");
            let inputs = record["inputs"].as_object().expect("something fills it");
            let text = inputs
                .iter()
                .fold(template.to_owned(), |text, (name, value)| {
                    text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default())
                });
            text.trim().to_owned()
        })
        .collect();
    let prompts = place
        .run(&["prompts", "--kind", "mera", "--template", "en"])
        .success();
    let prompts: Vec<Value> = prompts
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let mut asked: Vec<&str> = prompts
        .iter()
        .map(|prompt| {
            prompt["messages"][0]["content"]
                .as_str()
                .unwrap_or_default()
        })
        .collect();
    assert!(!asked.is_empty());
    // Records are numbered over all parts.
    asked.sort_unstable();
    expected.sort_unstable();
    assert_eq!(asked, expected);
    for prompt in &prompts {
        assert_eq!(prompt["target"], "test");
        assert_ne!(prompt["sample"], Value::Null);
    }
    let told = place
        .run(&[
            "generate",
            "--run",
            "r",
            "--kind",
            "half",
            "--model",
            "m",
            "--endpoint",
            "http://127.0.0.1:9",
        ])
        .failure(ExitCode::Usage);
    assert!(
        told.contains("not built from samples of the index"),
        "{told}"
    );
}

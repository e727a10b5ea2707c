//! Samples as Parquet, read with common tools, and imported again.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;

use super::focalist;
use crate::support::Place;

const READ: &str = r#"
import json, sys, glob
import pyarrow.parquet, pyarrow.dataset, duckdb, pandas, datasets
folder, lines = sys.argv[1:]
expected = {row["key"]: row for row in map(json.loads, open(lines))}
def plain(value):
    if hasattr(value, "tolist"): value = value.tolist()
    if isinstance(value, dict): return {k: plain(v) for k, v in value.items() if v is not None and v is not pandas.NA and not (isinstance(v, float) and v != v) and k != "verdict"}
    if isinstance(value, list): return [plain(v) for v in value]
    return value
def check(rows, what):
    rows = {row["key"]: row for row in map(plain, rows)}
    assert rows.keys() == expected.keys(), what
    for key, row in rows.items():
        assert row == plain(expected[key]), (what, row, expected[key])
files = sorted(glob.glob(folder + "/data/*.parquet"))
check([row for f in files for row in pyarrow.parquet.read_table(f).to_pylist()], "pyarrow")
check(pandas.concat(pandas.read_parquet(f) for f in files).to_dict("records"), "pandas")
loaded = datasets.load_dataset(folder)
check([row for split in loaded.values() for row in split], "datasets")
n, = duckdb.sql(f"select count(*) from '{folder}/data/*.parquet' where repo.name is not null").fetchall()[0]
assert n == len(expected), n
keys = duckdb.sql(f"select key, test.source from '{folder}/data/*.parquet'").fetchall()
assert {k: s for k, s in keys} == {k: r["test"]["source"] for k, r in expected.items()}
column = pyarrow.parquet.ParquetFile(files[0]).metadata.row_group(0).column(0)
assert column.statistics.has_min_max and column.compression == "ZSTD", column
frame = pandas.DataFrame({"code": [r["test"]["source"] for r in expected.values()],
                  "target": [(r.get("focal") or {}).get("source") for r in expected.values()]}).drop_duplicates()
frame.to_parquet(folder + "/../foreign.parquet")
import huggingface_hub
said = huggingface_hub.DatasetCard.load(folder + "/README.md").data
assert said.language == ["code"] and said.license == ["apache-2.0", "bsd-3-clause", "mit"], said
print(len(frame))
"#;

#[test]
fn parquet_is_read_by_what_people_use_and_back_to_the_same_samples() {
    let place = Place::with_sample_data();
    let root = place.path("");
    let write = [
        "export",
        "--format",
        "parquet",
        "--all",
        "--rows-per-file",
        "20",
        "--output",
        "set",
    ];
    let workspace = ["--workspace", "."];
    focalist(&root, &[&workspace[..], &write].concat()).with(0);
    let jsonl = |workspace: &str| {
        let words = ["--workspace", workspace, "export", "--all"];
        let ended = focalist(&root, &words);
        assert_eq!(ended.code, Some(0), "{}", ended.said);
        let mut lines: Vec<String> = ended.out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let expected = jsonl(".");
    let words = [
        "--workspace",
        "back",
        "import",
        "set/data",
        "--dataset",
        "parquet",
    ];
    let said = focalist(&root, &words).with(0);
    assert!(said.contains("0 problems"), "{said}");
    assert_eq!(jsonl("back"), expected);
    let card = fs::read_to_string(place.path("set/README.md")).expect("there is a card");
    assert!(card.contains("| licence | samples | projects |"), "{card}");
    let front = "---\nlanguage:\n- code\nlicense:\n- apache-2.0\n- bsd-3-clause\n- mit\ntags:\n- code\n- unit-tests\n- java\n";
    assert!(card.starts_with(front), "{card}");
    let words = [
        &workspace[..],
        &[
            "export",
            "--format",
            "parquet",
            "--all",
            "--licenses",
            "No-Such",
            "--output",
            "none",
        ],
    ];
    let said = focalist(&root, &words.concat()).with(0);
    assert!(said.contains("left out by licence"), "{said}");
    read_by_others(&place, &expected);
}

/// Reads the samples with pyarrow, pandas, `DuckDB` and datasets in the Python that `FOCALIST_PYTHON_DATA` names.
fn read_by_others(place: &Place, expected: &[String]) {
    let Some(python) = env::var_os("FOCALIST_PYTHON_DATA") else {
        let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
        assert!(
            !is_needed,
            "FOCALIST_PYTHON_DATA names no Python with pyarrow"
        );
        writeln!(io::stderr(), "skipped: FOCALIST_PYTHON_DATA is not set")
            .expect("stderr can be written");
        return;
    };
    let lines = place.write("lines.jsonl", expected.join("\n"));
    let script = place.write("read.py", READ);
    let ended = Command::new(python)
        .arg(script)
        .arg(place.path("set"))
        .arg(lines)
        .env("HF_HOME", place.path("hub"))
        .env("HF_HUB_OFFLINE", "1")
        .output()
        .expect("Python can be started");
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let words = [
        "--workspace",
        "foreign",
        "import",
        "foreign.parquet",
        "--dataset",
        "parquet",
        "--fields",
        "test.source=code,focal.source=target",
    ];
    let said = focalist(&place.path(""), &words).with(0);
    // Equal rows would be one sample: its key is a hash of its row.
    let n_rows = String::from_utf8_lossy(&ended.stdout);
    let n_samples = format!("{} tests in 1 project,", n_rows.trim());
    assert!(said.contains(&n_samples), "{said}");
}

#[test]
fn what_is_cut_off_or_no_parquet_is_told() {
    let place = Place::new();
    place.write("cut.parquet", "PAR1 and no more");
    let words = [
        "--workspace",
        "w",
        "import",
        "cut.parquet",
        "--dataset",
        "parquet",
    ];
    let ended = focalist(&place.path(""), &words);
    assert!(
        ended.said.contains("cut.parquet: unreadable: "),
        "{}",
        ended.said
    );
}

#[test]
fn a_file_that_breaks_off_or_has_no_such_column_loses_nothing_that_was_there() {
    let place = Place::with_sample_data();
    let root = place.path("");
    let run = |words: &[&str]| focalist(&root, &[&["--workspace", "."], words].concat());
    run(&["export", "--format", "parquet", "--all", "--output", "set"]).with(0);
    let data = fs::read_dir(place.path("set/data")).expect("it is there");
    let whole = data.map(|data| data.expect("it can be read").path()).min();
    let whole = fs::read(whole.expect("there is a file")).expect("it is there");
    let before = run(&["export", "--format", "dump"]).out;
    // Its end is where Parquet says what is in it; a page in the middle is where its data are.
    let mut holed = whole.clone();
    let middle = holed.len() / 3;
    holed[4..middle].fill(0xff);
    for (name, bytes) in [
        ("half", &whole[..whole.len() / 2]),
        ("tail", &whole[whole.len() / 2..]),
        ("holed", &holed),
    ] {
        let file = format!("{name}.parquet");
        place.write(&file, "");
        fs::write(place.path(&file), bytes).expect("tests may write");
        let ended = run(&["import", &file, "--dataset", "parquet"]);
        assert!(
            ended.said.contains(&format!("{file}: unreadable: ")),
            "{name}: {ended:?}"
        );
        assert_eq!(run(&["export", "--format", "dump"]).out, before, "{name}");
    }
    fs::write(place.path("foreign.parquet"), &whole).expect("tests may write");
    let fields = ["--fields", "test.source=no_such_column"];
    let ended = run(&[
        &["import", "foreign.parquet", "--dataset", "parquet"],
        &fields[..],
    ]
    .concat());
    let expected =
        "foreign.parquet: unreadable: none of its rows is a sample: there is no `test.source`";
    assert!(ended.said.contains(expected), "{ended:?}");
    assert_eq!(run(&["export", "--format", "dump"]).out, before);
}

//! `--parse ast`: a real Python decides whether a text parses, whatever the text.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set: they need a sandbox and `python3`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::python::{Said, has_tools, run_with};
use crate::support::Place;

/// Runs the program with a separate cache and separate settings.
fn focalist(place: &Place, arguments: &[&str], input: &str) -> Said {
    let cache = place.path("cache");
    let settings = ["--config", "/dev/null"];
    let arguments = [&settings[..], arguments].concat();
    run_with(&cache, &place.path(""), (&arguments, input)).success()
}

/// A program that calls `ast.parse` directly on texts.
const CALLED_ALONE: &str = "
import ast, json, sys, warnings
warnings.simplefilter('ignore')
said = []
for text in json.load(sys.stdin):
    try:
        ast.parse(text)
        said.append(True)
    except Exception:
        said.append(False)
json.dump(said, sys.stdout)
";

/// Returns for each text whether `ast.parse` of the `python3` here accepts it.
fn parse(texts: &[String]) -> Vec<bool> {
    let mut child = Command::new("python3")
        .args(["-I", "-c", CALLED_ALONE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python can be started");
    let mut input = child.stdin.take().expect("it is piped");
    write!(input, "{}", json!(texts)).expect("Python reads");
    drop(input);
    let ended = child.wait_with_output().expect("Python ends");
    serde_json::from_slice(&ended.stdout).expect("it is JSON")
}

/// Texts that are meant to be misread, or to end the program that reads them.
fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        "# nothing",
        "assert f(1) == 2",
        "assert f(1) = 2",
        "    assert indented",
        "def f():\n\tif 1:\n        pass",
        "x = '\u{0}'",
        "\u{0}",
        "x = 1\u{0}y = 2",
        r#"x = "\ud800\udfff""#,
        r#"x = "\N{no such name}""#,
        r#"x = "\xZZ""#,
        "x = '\\d'\nprint('\\.')",
        "assert (1, 'always true')",
        "1 is 1",
        "\u{feff}x = 1",
        "x = '\u{1f600}\u{10ffff}'",
        "\u{1d4cd} = 1",
        "print 'two'",
        "match x:\n    case [1, *_]: pass",
        "type X = int",
        "f'{x!r:>{width}}'",
        "f'{x'",
        "async def f(): await g()",
        "await g()",
        "return 1",
        "yield",
        "break",
        "nonlocal x",
        "ok\n4\nok",
        "x = 1\r\ny = 2\rz = 3\u{c}\n",
        "# -*- coding: no-such-coding -*-\nx = 1",
        "x = 0777",
        "x = 1__0",
        "x = 1_000",
        "import os; os._exit(0)",
        "exit()\n\nok\n",
        "\\",
        "x = (\\\n1)",
        "a b",
        "'''",
    ]
    .map(str::to_owned)
    .into();
    texts.push("(".repeat(150) + &")".repeat(150));
    texts.push("(".repeat(100_000));
    texts.push("[".repeat(5_000) + &"]".repeat(5_000));
    texts.push("-".repeat(100_000) + "1");
    texts.push("not ".repeat(20_000) + "x");
    texts.push(["x", &".a".repeat(50_000)].concat());
    texts.push(["x", &"(1)".repeat(3_000)].concat());
    texts.push(["x = 1", &" + 1".repeat(20_000)].concat());
    texts.push("9".repeat(100_000));
    texts.push(["0x", &"f".repeat(100_000)].concat());
    texts.push("1e".to_owned() + &"9".repeat(10_000));
    texts.push(format!("x = '{}'", "a".repeat(1 << 20)));
    texts.push("x = 1\n".repeat(20_000));
    let mut nested = String::new();
    for depth in 0..120 {
        writeln!(nested, "{}if x:", " ".repeat(depth)).expect("a text can be written to");
    }
    texts.push(nested + &" ".repeat(120) + "pass");
    texts
}

#[test]
fn every_verdict_is_that_of_the_same_python_called_alone() {
    if !has_tools() {
        return;
    }
    let place = Place::new();
    let texts = hostile();
    let pairs: Vec<String> = texts
        .iter()
        .map(|text| json!({"reference": "assert f(1) == 2", "prediction": text}).to_string())
        .collect();
    let words = ["score", "--language", "python", "--metrics", "em"];
    let by_ast = [&words[..], &["--parse", "ast"]].concat();
    let lines = focalist(&place, &by_ast, &pairs.join("\n")).lines();
    assert_eq!(lines.len(), texts.len() + 1);
    let (mut n_sound, mut n_different) = (0, 0);
    let by_grammar = focalist(&place, &words, &pairs.join("\n")).lines();
    let alone = parse(&texts);
    assert_eq!(alone.len(), texts.len());
    for (((text, is_sound), line), by_grammar) in
        texts.iter().zip(alone).zip(&lines).zip(by_grammar)
    {
        let begin: String = text.chars().take(60).collect();
        assert_eq!(line["parsable"], is_sound, "{begin:?}: {line}");
        n_sound += u32::from(is_sound);
        n_different += u32::from(by_grammar["parsable"] != is_sound);
    }
    // Both kinds are among them, and the grammar alone would not have done.
    assert!(
        n_sound > 10 && n_sound + 10 < texts.len() as u32,
        "{n_sound}"
    );
    assert!(n_different > 0);
    let version = Command::new("python3")
        .args(["-c", "import platform; print(platform.python_version())"])
        .output()
        .expect("Python can be started");
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let corpus = &lines[texts.len()];
    assert_eq!(corpus["parser"], format!("Python {version}"));
    assert_eq!(corpus["parse_mode"], "ast");
}

/// Creates a folder with a Python module and its test.
fn mined() -> Place {
    let place = Place::new();
    place.write("r/count.py", "def inc(n):\n    return n + 1\n");
    place.write(
        "r/test_count.py",
        "from count import inc\n\n\ndef test_inc():\n    n = inc(1)\n    assert n == 2\n",
    );
    let folder = place.path("r").to_string_lossy().into_owned();
    place.run(&["mine", &folder]).success();
    place
}

#[test]
fn a_run_says_in_its_tables_and_in_the_manifest_which_python_decided() {
    if !has_tools() {
        return;
    }
    let place = mined();
    let samples = place.run(&["samples", "--json"]).success();
    let sample: Value = serde_json::from_str(samples.trim()).expect("there is one");
    // To Python a text without a statement is one; to us it says nothing.
    let answer = json!({"sample": sample["key"], "prediction": "# nothing to check"});
    let answers = place.write("answers.jsonl", answer.to_string());
    let answers = answers.to_string_lossy().into_owned();
    place
        .run(&["import", &answers, "--run", "grammar"])
        .success();
    place
        .run(&["import", &answers, "--run", "ast", "--parse", "ast"])
        .success();
    let table = focalist(&place, &["eval", "--metrics", "em"], "").out;
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].ends_with("parser"), "{table}");
    assert!(
        rows.iter()
            .any(|row| row.starts_with("grammar") && row.ends_with("grammar")),
        "{table}"
    );
    assert!(
        rows.iter()
            .any(|row| row.starts_with("ast") && row.contains("Python 3.")),
        "{table}"
    );
    let runs = focalist(&place, &["runs", "--json"], "").lines();
    let of = |name: &str| {
        runs.iter()
            .find(|run| run["name"] == name)
            .expect("it is there")
    };
    assert_eq!(of("ast")["unparsable_rate"], 0.0);
    assert_eq!(of("grammar")["unparsable_rate"], 1.0);
    assert!(of("grammar").get("parser").is_none());
    let manifest = focalist(&place, &["manifest"], "").out;
    let manifest: Value = serde_json::from_str(&manifest).expect("it is JSON");
    assert_eq!(
        manifest["parsers"],
        json!([{"run": "ast", "parser": of("ast")["parser"]}])
    );
    let compared = focalist(&place, &["compare", "grammar", "ast"], "");
    assert!(
        compared.err.contains("run ast: `ast.parse` of Python 3."),
        "{}",
        compared.err
    );
    // What it is not for is refused before anything is read.
    let words = ["score", "--parse", "ast", "--language", "java"];
    let said = run_with(&place.path("cache"), &place.path(""), (&words, ""));
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(
        said.err.contains("`--parse ast` is for Python"),
        "{}",
        said.err
    );
}

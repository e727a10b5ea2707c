//! Reports and leaderboards: the contents of the page, the texts that must not get into it, and its behaviour in a real
//! browser.

mod browser;

use std::fs;
use std::path::{Path, PathBuf};

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::Place;
use browser::Browser;

/// Creates a place with the sample data and its two runs, evaluated.
fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--no-tui"]).success();
    place
}

fn path(place: &Place, name: &str) -> String {
    place.path(name).to_string_lossy().into_owned()
}

/// Writes a report and returns its text.
fn page(place: &Place, words: &[&str]) -> String {
    let output = path(place, "report.html");
    let args = [
        &["report"],
        words,
        &["--resamples", "100", "--force", "-o", &output],
    ]
    .concat();
    place.run(&args).success();
    read(Path::new(&output))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the report was written")
}

/// Returns the text between the tags of the script or style that begins with `head`.
fn inner<'t>(page: &'t str, head: &str, end: &str) -> &'t str {
    let from = page.find(head).expect("the page has it") + head.len();
    let rest = &page[from..];
    &rest[..rest.find(end).expect("it ends")]
}

/// Returns the data that the page holds under an id.
fn data(page: &str, id: &str) -> Value {
    let head = format!("<script type=\"application/json\" id=\"{id}\">");
    serde_json::from_str(inner(page, &head, "</script>")).expect("it is JSON")
}

fn length(value: &Value) -> usize {
    value.as_array().expect("it is a list").len()
}

#[test]
fn a_report_says_what_was_asked_and_lists_every_prediction() {
    let place = demo();
    let page = page(&place, &[]);
    let places: Vec<usize> = [
        "asked",
        "funnel",
        "runs",
        "compared",
        "slices",
        "charts",
        "predictions",
    ]
    .iter()
    .map(|id| {
        page.find(&format!("<section id={id} "))
            .unwrap_or_else(|| panic!("{id} is missing"))
    })
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    let runs = place.run(&["runs", "--json"]).success();
    let runs: Vec<Value> = runs
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let n: u64 = runs
        .iter()
        .filter_map(|run| run["n_predictions"].as_u64())
        .sum();
    let (head, rows, details) = (
        data(&page, "head"),
        data(&page, "rows"),
        data(&page, "details"),
    );
    assert_eq!(head["n_rows"], n);
    assert_eq!(length(&rows) as u64, n);
    assert_eq!(length(&details["details"]) as u64, n);
    // What the commands say is what the page says.
    for run in &runs {
        assert!(page.contains(run["name"].as_str().expect("a run has a name")));
        let bleu = run["scores"]["bleu"].as_f64().expect("it is computed") * 100.0;
        assert!(page.contains(&format!(">{bleu:.2}<")), "{bleu}");
    }
    let listed = place
        .run(&["results", "steady", "--json", "--limit", "0"])
        .success();
    let listed: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let steady = head["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .position(|value| value == "steady");
    let of_steady: Vec<&Value> = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter(|value| value["run"].as_u64().map(|n| n as usize) == steady)
        .collect();
    assert_eq!(of_steady.len(), listed.len());
    for (row, result) in of_steady.iter().zip(&listed) {
        assert_eq!(
            (&row["key"], &row["tags"]),
            (&result["sample"], &result["tags"])
        );
        assert_eq!(row["test"], result["test"]);
    }
}

#[test]
fn comparisons_are_those_of_compare() {
    let place = demo();
    let page = page(&place, &["steady", "hasty"]);
    let compared = place
        .run(&["compare", "steady", "hasty", "--resamples", "100", "--json"])
        .success();
    let compared: Value = serde_json::from_str(&compared).expect("it is JSON");
    let all = &compared["slices"][0];
    let caption = format!("hasty against steady, {} shared samples", all["n"]);
    assert!(page.contains(&caption), "{caption}");
    for metric in all["metrics"].as_array().expect("there are metrics") {
        let difference = metric["difference"].as_f64().expect("it is a number");
        let shown = format!("{:.2}", difference.abs() * 100.0);
        assert!(page.contains(&shown), "{metric}");
    }
}

#[test]
fn a_filter_chooses_runs_and_predictions() {
    let place = demo();
    let all = data(&page(&place, &["hasty"]), "rows");
    let page = page(&place, &["hasty", "parse:fail"]);
    let rows = data(&page, "rows");
    assert!(length(&rows) > 0 && length(&rows) < length(&all));
    let parses = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|value| value["parse"].clone());
    assert!(parses.into_iter().all(|parse| parse == "fail"));
    assert!(page.contains("<code>parse:fail</code>"));
    assert!(!page.contains("<section id=compared"), "there is one run");
    let failed = place.run(&["report", "nobody", "-o", &path(&place, "x.html")]);
    let said = failed.failure(ExitCode::Input);
    assert!(
        said.contains("no run `nobody`") && said.contains("steady"),
        "{said}"
    );
}

#[test]
fn what_is_there_is_not_replaced() {
    let place = demo();
    for name in ["report.html", "report"] {
        let output = path(&place, name);
        let args = ["report", "--resamples", "100", "-o", &output];
        place.run(&args).success();
        let said = place.run(&args).failure(ExitCode::Usage);
        assert!(
            said.contains("exists already") && said.contains("--force"),
            "{said}"
        );
        place.run(&[&args[..], &["--force"]].concat()).success();
    }
    place.write("mine/notes.txt", "mine");
    let said = place.run(&["report", "--force", "-o", &path(&place, "mine")]);
    said.failure(ExitCode::Usage);
    assert_eq!(read(&place.path("mine/notes.txt")), "mine");
}

/// Creates a run over one test whose answer, name and model try to break out of a page.
fn hostile() -> Place {
    let place = Place::new();
    let repo = place.counter("repo");
    place
        .run(&["mine", &repo, "--name", "<img src=x onerror=alert(1)>"])
        .success();
    let rows = place.run(&["samples", "--json"]).success();
    let row: Value =
        serde_json::from_str(rows.lines().next().expect("there is a sample")).expect("it is JSON");
    let prediction = serde_json::json!({
        "sample": row["key"],
        "prediction": "assertEquals(1, once); // </script><script>alert(1)</script><!-- \u{202e} \u{2028}",
    });
    let file = place.write("answers.jsonl", prediction.to_string());
    let file = file.to_string_lossy().into_owned();
    place
        .run(&[
            "import",
            &file,
            "--run",
            "</title><script>alert(2)</script>",
            "--model",
            "\"><svg onload=alert(3)>",
        ])
        .success();
    place.run(&["eval"]).success();
    place
}

#[test]
fn hostile_text_stays_text() {
    let place = hostile();
    let page = page(&place, &[]);
    let inert = page.replace(inner(&page, "<style>", "</style>"), "");
    for text in [
        "<img",
        "<svg onload",
        "</title><",
        "alert(1)</script>",
        "<!--",
    ] {
        assert!(!inert.contains(text), "{text}");
    }
    // The page's own: three of data, one that runs.
    assert_eq!(page.matches("<script").count(), 4);
    assert_eq!(page.matches("</script").count(), 4);
    assert!(!page.contains(['\u{202e}', '\u{2028}']));
    assert!(page.contains("⟨202E⟩"));
}

#[test]
fn a_policy_lets_nothing_in_but_what_the_page_holds() {
    let place = demo();
    let page = page(&place, &[]);
    let policy = inner(&page, "Content-Security-Policy\" content=\"", "\">");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    // Only the one inline script and the one style have hashes, and nothing has an attribute that runs or styles.
    assert_eq!(policy.matches("'sha256-").count(), 2);
    let body = page.split_once("</style>").expect("there is a style").1;
    let body = body.rsplit_once("<script>").expect("there is a script").0;
    let body = body.split("<script type").next().expect("there is a body");
    for text in [
        " style=",
        " onclick=",
        " onload=",
        "src=",
        "@import",
        "url(http",
    ] {
        assert!(!body.contains(text), "{text}");
    }
    for text in ["<link", "<iframe", "<base", "<form"] {
        assert!(!page.contains(text), "{text}");
    }
}

#[test]
fn a_report_without_sources_shows_no_code() {
    let place = demo();
    let page = page(&place, &["steady", "--no-sources"]);
    let details = data(&page, "details");
    assert_eq!(length(&details["sources"]), 0);
    for value in details["details"].as_array().expect("details") {
        assert!(
            value["pieces"].is_null()
                && length(&value["reasons"]) == 0
                && value["answer"].is_null()
        );
    }
    for value in details["samples"].as_array().expect("samples") {
        assert_eq!(length(&value["sources"]), 0);
    }
    assert!(!page.contains("assertEquals("), "there is code in it");
}

#[test]
fn annotators_have_numbers_where_they_are_anonymous() {
    let place = demo();
    let rows = place
        .run(&["results", "steady", "--json", "--limit", "1"])
        .success();
    let row: Value = serde_json::from_str(&rows).expect("it is JSON");
    let key = row["sample"].as_str().expect("a row has a key").to_owned();
    for name in ["Zacharias", "Wilhelmine"] {
        place
            .run(&["verdict", &key, "accept", "--as", name])
            .success();
    }
    let key = format!("key:{key}");
    let named = page(&place, &["steady", &key]);
    assert!(named.contains("Zacharias: accept"));
    let anonymous = page(&place, &["steady", &key, "--anonymous"]);
    assert!(!anonymous.contains("Zacharias") && !anonymous.contains("Wilhelmine"));
    assert!(anonymous.contains("annotator 1: accept") && anonymous.contains("annotator 2: accept"));
}

#[test]
fn a_licence_stands_beside_each_source() {
    let place = demo();
    let details = data(&page(&place, &["steady"]), "details");
    let samples = details["samples"].as_array().expect("samples");
    assert!(
        samples
            .iter()
            .any(|sample| sample["license"].is_string() && length(&sample["sources"]) > 1)
    );
}

#[test]
fn a_secret_stops_the_report() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.run(&["mine", &repo]).success();
    let rows = place.run(&["samples", "--json"]).success();
    let row: Value =
        serde_json::from_str(rows.lines().next().expect("there is a sample")).expect("it is JSON");
    // Put together here, so that nobody takes this file for a leak.
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zLcFiO");
    let prediction =
        serde_json::json!({ "sample": row["key"], "prediction": format!("call(\"{token}\");") });
    let file = place.write("answers.jsonl", prediction.to_string());
    place
        .run(&["import", &file.to_string_lossy(), "--run", "leaky"])
        .success();
    place.run(&["eval"]).success();
    let output = path(&place, "report.html");
    let said = place
        .run(&["report", "-o", &output])
        .failure(ExitCode::Problems);
    assert!(
        said.contains("1 secret") && said.contains("a token of GitHub"),
        "{said}"
    );
    assert!(
        said.contains("--no-sources") && !said.contains(&token),
        "{said}"
    );
    assert!(!place.path("report.html").exists());
    place
        .run(&["report", "--no-sources", "-o", &output])
        .success();
    assert!(!read(Path::new(&output)).contains(&token));
}

#[test]
fn a_leaderboard_is_a_page_and_files() {
    let place = demo();
    let output = path(&place, "board.html");
    place
        .run(&[
            "report",
            "--leaderboard",
            "--metric",
            "bleu",
            "--resamples",
            "100",
            "-o",
            &output,
        ])
        .success();
    let page = read(Path::new(&output));
    assert!(page.contains("<section id=board ") && page.contains("script-src 'none'"));
    assert!(!page.contains("<script"));
    let json: Value = serde_json::from_str(&read(&place.path("board.json"))).expect("it is JSON");
    assert_eq!(json["metric"], "bleu");
    let compared = place.run(&[
        "compare",
        "steady",
        "hasty",
        "--metrics",
        "bleu",
        "--resamples",
        "100",
        "--json",
    ]);
    let compared: Value = serde_json::from_str(&compared.success()).expect("it is JSON");
    let (pair, metric) = (&json["pairs"][0], &compared["slices"][0]["metrics"][0]);
    let sign = if pair["first"] == "steady" { 1.0 } else { -1.0 };
    let number = |value: &Value| value.as_f64().expect("it is a number");
    assert!((number(&pair["difference"]) * sign - number(&metric["difference"])).abs() < 1e-12);
    assert_eq!(pair["p"], metric["p"]);
    // One pair: there is nothing to adjust for. Ranks say whether it counts.
    assert_eq!(pair["p"], pair["p_adjusted"]);
    let is_certain = number(&pair["p_adjusted"]) < 0.05;
    let ranks: Vec<u64> = json["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|value| value["rank"].as_u64())
        .collect();
    assert_eq!(ranks, if is_certain { [1, 2] } else { [1, 1] });
    let csv = read(&place.path("board.csv"));
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let said = place.run(&[
        "report",
        "steady",
        "--leaderboard",
        "-o",
        &path(&place, "one.html"),
    ]);
    assert!(said.failure(ExitCode::Usage).contains("two runs"));
}

#[test]
fn an_experiments_runs_are_reported_with_its_file() {
    let place = demo();
    let file = place.write(
        "study.toml",
        "name = \"study\"\nkind = \"assertion\"\n[[models]]\nmodel = \"m\"\nendpoint = \"http://127.0.0.1:9\"\nrun = \"steady\"\n",
    );
    let page = page(&place, &["--experiment", &file.to_string_lossy()]);
    assert_eq!(data(&page, "head")["runs"], serde_json::json!(["steady"]));
    assert!(page.contains("kind = &quot;assertion&quot;"));
}

/// Returns the path of a folder's file.
fn below(place: &Place, name: &str) -> PathBuf {
    place.path("folder").join(name)
}

#[test]
fn a_folder_keeps_its_predictions_beside_the_page() {
    let place = demo();
    place
        .run(&[
            "report",
            "--resamples",
            "100",
            "-o",
            &path(&place, "folder"),
        ])
        .success();
    let index = read(&below(&place, "index.html"));
    let head = data(&index, "head");
    let n = head["n_rows"].as_u64().expect("a number") as usize;
    assert!(!index.contains("id=\"rows\"") && !index.contains("id=\"details\""));
    let of = |name: &str| -> Value {
        let text = read(&below(&place, name));
        let json = text
            .split_once(',')
            .and_then(|pair| pair.1.split_once(','))
            .expect("it is a call")
            .1;
        serde_json::from_str(json.trim_end().trim_end_matches(");")).expect("it is JSON")
    };
    assert_eq!(length(&of("rows-0.js")), n);
    let n_pieces = n.div_ceil(100);
    let details: usize = (0..n_pieces)
        .map(|n| length(&of(&format!("details-{n}.js"))["details"]))
        .sum();
    assert_eq!(details, n);
    assert!(!below(&place, &format!("details-{n_pieces}.js")).exists());
}

#[test]
fn a_browser_shows_filters_and_opens_predictions() {
    let place = demo();
    let page = page(&place, &["steady", "hasty"]);
    place
        .run(&[
            "report",
            "steady",
            "hasty",
            "--resamples",
            "100",
            "-o",
            &path(&place, "folder"),
        ])
        .success();
    let Some(browser) = Browser::start(1_024, 768) else {
        return;
    };
    for file in [place.path("report.html"), below(&place, "index.html")] {
        drive(&browser, &file, &data(&page, "rows"));
    }
    let place = hostile();
    self::page(&place, &[]);
    browser.open(&place.path("report.html"), "");
    browser.wait_for("document.querySelectorAll('tr.row').length === 1");
    browser.press("j\u{e007}");
    browser.wait_for("document.querySelector('.detail ins, .detail pre')");
    assert_eq!(browser.complaints(), [""; 0]);
    let title = browser.run("return document.title");
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.contains("</title><script>")),
        "{title}"
    );
}

fn drive(browser: &Browser, file: &Path, rows: &Value) {
    let n = length(rows);
    browser.open(file, "");
    browser.wait_for(&format!(
        "document.querySelectorAll('tr.row').length === Math.min({n}, 100)"
    ));
    // Down twice, up once, and open what is under it.
    browser.press("jjk\u{e007}");
    browser.wait_for("document.querySelector('.detail article')");
    let first = rows[0]["key"].as_str().expect("a row has a key");
    assert_eq!(browser.run("return location.hash"), format!("#{first}"));
    // The next one is opened in its place.
    browser.press("j");
    browser.wait_for("document.querySelector('#row-1.open + .detail h3')");
    let second = rows[1]["key"].as_str().expect("a row has a key");
    let hash = browser.run("return location.hash");
    assert!(
        hash.as_str()
            .is_some_and(|hash| hash.starts_with(&format!("#{second}"))),
        "{hash}"
    );
    assert_eq!(
        browser.run("return document.querySelectorAll('.detail').length"),
        1
    );
    browser.press("\u{e00c}");
    browser.wait_for("!document.querySelector('.detail')");
    browser.press("/parse:fail");
    let failing = |value: &&Value| value["parse"] == "fail";
    let n_failing = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter(failing)
        .count();
    browser.wait_for(&format!(
        "document.querySelectorAll('tr.row').length === {n_failing}"
    ));
    browser.run("document.querySelector('#filter').value = 'nothing:x'; document.querySelector('#filter').dispatchEvent(new Event('input'));");
    browser.wait_for("document.querySelector('#said').textContent.includes('no field nothing')");
    // A link to one prediction opens it.
    let last = &rows[n - 1];
    let (key, run) = (last["key"].as_str().expect("a key"), "hasty");
    browser.open(file, &format!("#{key}/{run}"));
    browser.run("location.reload()");
    browser.wait_for("document.querySelector('.row.open + .detail article')");
    let title = browser.run("return document.querySelector('.detail h3').textContent");
    assert_eq!(title, last["test"]);
    // Nothing was refused, nothing failed, nothing but the folder's own files was asked for.
    assert_eq!(browser.complaints(), [""; 0]);
    let asked = browser.run("return performance.getEntriesByType('resource').map((it) => it.name).filter((it) => !it.startsWith('file:'))");
    assert_eq!(asked, serde_json::json!([]));
}

#[test]
fn a_page_is_wide_enough_on_a_phone() {
    let place = demo();
    page(&place, &[]);
    let Some(browser) = Browser::start(500, 740) else {
        return;
    };
    browser.open(&place.path("report.html"), "");
    browser.wait_for("document.querySelector('tr.row')");
    // A window cannot be as narrow as a phone, but the page can be.
    let wide = browser.run(
        "document.documentElement.style.width = '360px'; document.querySelector('tr.row a').click();
         await new Promise((next) => requestAnimationFrame(next));
         return document.body.scrollWidth;",
    );
    assert!(wide.as_u64().is_some_and(|n| n <= 360), "{wide}");
}

#[test]
fn a_reader_who_sees_little_meets_no_barrier() {
    let place = demo();
    page(&place, &[]);
    place
        .run(&["report", "--leaderboard", "-o", &path(&place, "board.html")])
        .success();
    let Some(browser) = Browser::start(1_024, 768) else {
        return;
    };
    browser.open(&place.path("report.html"), "");
    browser.wait_for("document.querySelector('tr.row')");
    browser.press("j\u{e007}");
    browser.wait_for("document.querySelector('.detail article')");
    browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true; }); document.querySelector('#help-button').click();");
    let Some(barriers) = browser.barriers() else {
        return;
    };
    assert_eq!(barriers, serde_json::json!([]));
    browser.open(&place.path("board.html"), "");
    assert_eq!(browser.barriers(), Some(serde_json::json!([])));
}

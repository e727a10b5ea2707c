//! Asking models over HTTP: the whole program with a server on loopback, also when the program is killed.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use focalist::cli::ExitCode;
use focalist::generate::testing::{Act, Server};
use focalist::model::{JobKind, JobRow, JobState};
use serde_json::Value;

use crate::jobs::{is_slow, repositories, rows, success, wait, wait_for_end};
use crate::support::Place;

fn prompts(n: usize) -> String {
    let line = |idx| format!("{{\"id\":\"{idx}\",\"prompt\":\"p{idx}\",\"max_tokens\":9}}\n");
    (0..n).map(line).collect()
}

fn answers(place: &Place) -> Vec<Value> {
    let out = place.run(&["export", "--format", "answers", "--run", "r"]);
    if out.code != ExitCode::Ok {
        return Vec::new();
    }
    if !out.out.is_empty() {
        let path = place.write("answers.jsonl", &out.out);
        place.run(&["validate", &path.to_string_lossy()]).success();
    }
    let lines = out.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

#[test]
fn answers_to_samples_are_a_run_that_is_scored_like_any_other() {
    let place = Place::with_sample_data();
    let server = Server::start(|server_request| {
        let answer = "Here:\n```java\nassertEquals(1, 1);\n```";
        Act::answer(&vec![answer; server_request.n()])
    });
    let endpoint = server.endpoint();
    let ask = [
        "generate",
        "--run",
        "r",
        "--kind",
        "assertion",
        "--endpoint",
        &endpoint,
        "--model",
        "m",
        "-n",
        "2",
        "--json",
        "language:java",
    ];
    let first: Value = serde_json::from_str(&place.run(&ask).success()).expect("it is JSON");
    let n_answers = first["answers"].as_u64().expect("a number");
    assert!(
        n_answers > 0 && first["predictions"] == first["answers"],
        "{first}"
    );
    let again: Value = serde_json::from_str(&place.run(&ask).success()).expect("it is JSON");
    assert_eq!(again["requests"], 0);
    place.run(&["eval", "--run", "r"]).success();
    let shown = place.run(&["results", "r", "--json"]).success();
    assert!(shown.contains("\"attempt\":1"), "{shown}");
    let lines = answers(&place);
    assert_eq!(lines.len() as u64, n_answers);
    for field in [
        "id",
        "sample",
        "kind",
        "meta",
        "model",
        "parameters",
        "attempt",
        "text",
    ] {
        assert!(!lines[0][field].is_null(), "{field}: {}", lines[0]);
    }
}

#[test]
fn a_model_of_the_configuration_needs_no_options_and_shows_no_secret() {
    let place = Place::new();
    let server = Server::echoing();
    let file = place.write("p.jsonl", prompts(3));
    let settings = format!(
        "[models.big]\nendpoint = \"http://me:pw-1234@{}/v1?key=q-1234\"\nmodel = \"big-1\"\nkey_env = \"FOCALIST_IT_KEY\"\n\
         temperature = \"0.1..0.3:0.1\"\nprice_in = 1.0\nprice_out = 2.0\n",
        server.address
    );
    let own = place.write("home.toml", settings);
    let run = |key: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
        command
            .arg("--config")
            .arg(&own)
            .arg("--workspace")
            .arg(place.path(""))
            .args(["generate", "--run", "r", "--model", "big", "--prompts"])
            .arg(&file)
            .stdin(Stdio::null());
        match key {
            Some(key) => command.env("FOCALIST_IT_KEY", key),
            None => command.env_remove("FOCALIST_IT_KEY"),
        };
        command.output().expect("the program can be started")
    };
    let without = run(None);
    assert_eq!(without.status.code(), Some(ExitCode::Usage as i32));
    assert!(String::from_utf8_lossy(&without.stderr).contains("`FOCALIST_IT_KEY`"));
    let output = run(Some("sk-1234"));
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("9 answers of 9") && told.contains("cost 0.0001"),
        "{told}"
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 9);
    assert!(requests[0].body.contains("\"model\":\"big-1\""));
    assert!(
        requests[0]
            .headers
            .contains(&"authorization: bearer sk-1234".to_owned())
    );
    assert_eq!(requests[0].path, "/v1/chat/completions?key=q-1234");
    // The address is the user's own file's; the program repeats none of what is secret in it.
    for name in ["index.db", "jobs.db", "index.db-wal", "jobs.db-wal"] {
        let bytes = std::fs::read(place.path(&format!(".focalist/{name}"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for secret in ["sk-1234", "pw-1234", "q-1234"] {
            assert!(!text.contains(secret), "{secret} in {name}");
        }
    }
    let jobs = place.run(&["jobs", "--json"]).success();
    assert!(
        !told.contains("1234") && !jobs.contains("1234"),
        "{told}{jobs}"
    );
}

#[test]
fn what_cannot_be_asked_says_why() {
    let place = Place::new();
    let file = place.write("p.jsonl", prompts(1));
    let file = file.to_string_lossy().into_owned();
    let check = |more: &[&str], expected: &str| {
        let mut words = vec!["generate", "--run", "r", "--model", "m", "--prompts", &file];
        words.extend(more);
        let told = place.run(&words).failure(ExitCode::Usage);
        assert!(told.contains(expected), "{told}");
    };
    check(&[], "the model `m` has no address");
    check(
        &["--endpoint", "http://192.0.2.1/v1"],
        "is not encrypted and not on this machine",
    );
    check(
        &["--endpoint", "http://127.0.0.1:9", "--key-env", "sk-oops-1"],
        "the environment variable that should hold the key is not set",
    );
    check(
        &[
            "--endpoint",
            "http://127.0.0.1:9",
            "--temperature",
            "1..0:1",
        ],
        "a range must go up",
    );
}

#[test]
fn a_dry_run_tells_the_first_request_and_its_cost() {
    let place = Place::new();
    let file = place.write("p.jsonl", prompts(5));
    let file = file.to_string_lossy().into_owned();
    let out = place.run(&[
        "generate",
        "--run",
        "r",
        "--model",
        "m",
        "--prompts",
        &file,
        "--endpoint",
        "https://me:pw@host.example/v1?key=q",
        "--top-k",
        "10,20",
        "-n",
        "3",
        "--dry-run",
    ]);
    let out = out.success();
    assert!(
        out.starts_with("5 prompts × 2 settings: 30 answers wanted, 0 there, 10 requests"),
        "{out}"
    );
    assert!(
        out.contains("POST https://host.example/v1/chat/completions\n"),
        "{out}"
    );
    assert!(out.contains("\"top_k\": 10"), "{out}");
}

#[test]
fn as_long_as_an_answer_is_missing_the_command_fails_and_keeps_the_others() {
    let place = Place::new();
    let is_ill = Arc::new(Mutex::new(true));
    let server = Server::start({
        let is_ill = Arc::clone(&is_ill);
        move |asked| {
            let is_ill = *is_ill.lock().expect("nobody panics with it");
            match asked.prompt().as_str() {
                "p1" if is_ill => Act::json(500, "{\"error\":\"ill\"}"),
                _ => Act::echo(asked),
            }
        }
    });
    let file = place.write("p.jsonl", prompts(3));
    let file = file.to_string_lossy().into_owned();
    let endpoint = server.endpoint();
    let words = [
        "generate",
        "--run",
        "r",
        "--model",
        "m",
        "--prompts",
        &file,
        "--endpoint",
        &endpoint,
        "--retries",
        "0",
    ];
    let said = place.run(&words).failure(ExitCode::Problems);
    assert!(said.contains("1 of 3 answers is missing"), "{said}");
    assert_eq!(answers(&place).len(), 2);
    *is_ill.lock().expect("nobody panics with it") = false;
    place.run(&words).success();
    assert_eq!(answers(&place).len(), 3);
}

#[test]
fn an_experiment_does_what_is_missing_and_shows_its_models() {
    let place = Place::with_sample_data();
    let server = Server::start(|server_request| {
        Act::answer(&vec!["assertEquals(1, 1);"; server_request.n()])
    });
    let endpoint = server.endpoint();
    let text = format!(
        "name = \"x\"\nfilter = \"language:java\"\nkind = \"assertion\"\nmetrics = [\"bleu\"]\n\
         [[models]]\nmodel = \"a\"\nendpoint = \"{endpoint}\"\ntemperature = 0.5\n\
         [[models]]\nmodel = \"b\"\nendpoint = \"{endpoint}\"\nn = 2\nrun = \"second\"\n"
    );
    let file = place.write("x.toml", &text);
    let file = file.to_string_lossy().into_owned();
    // Values from the settings need no further trust.
    let own = place.write(
        "home.toml",
        format!("[models.own]\nendpoint = \"{endpoint}\"\n"),
    );
    let own = own.to_string_lossy().into_owned();
    let names = place.run(&["experiment", "check", &file]).success();
    assert_eq!(names, "x-a\nsecond\n");
    let table = place
        .run(&["--config", &own, "experiment", "run", &file])
        .success();
    assert!(
        table.contains("x-a") && table.contains("100.0 ["),
        "{table}"
    );
    let n_requests = server.n_requests();
    place
        .run(&["--config", &own, "experiment", "run", &file])
        .success();
    assert_eq!(server.n_requests(), n_requests);
    let shown = place
        .run(&["experiment", "show", &file, "--json"])
        .success();
    let first = shown.lines().next().expect("there is a model");
    let first: Value = serde_json::from_str(first).expect("a line is JSON");
    assert!(
        first["metrics"]["bleu"]["interval"][0].is_number(),
        "{first}"
    );
    assert_eq!(
        first["settings"]["temperature"],
        serde_json::json!(["0.5"]),
        "{first}"
    );
    for format in ["table", "csv", "latex", "markdown"] {
        let shown = place.run(&["experiment", "show", &file, "--format", format]);
        assert!(shown.success().contains("temperature=0.5"), "{format}");
    }
    let csv = ["experiment", "show", &file, "--format", "csv"];
    let csv = place.run(&csv).success();
    let head =
        "model,run,samples,parses,parses low,parses high,parses n,BLEU sentence,BLEU sentence low";
    assert!(csv.starts_with(head), "{csv}");
    let latex = ["experiment", "show", &file, "--format", "latex"];
    let latex = place.run(&latex).success();
    assert!(latex.contains("BLEU sentence (\\%)"), "{latex}");
    // The same name is the same number: the runs' values are the corpus's.
    let table = place.run(&["runs"]).success();
    assert!(table.contains("BLEU corpus"), "{table}");
    let runs = place.run(&["runs", "--json"]).success();
    assert!(runs.contains("\"parse_at_k\":[{\"k\":1,"), "{runs}");
    let told = text.replace(
        "n = 2\n",
        "n = 2\nparameters = \"1.5B\"\nvocabulary = 32768\noutput_max = 1024\n",
    );
    let told = place.write("told.toml", told);
    let told = told.to_string_lossy().into_owned();
    let models = ["experiment", "models", &told, "--format"];
    let csv = place.run(&[&models[..], &["csv"]].concat()).success();
    assert_eq!(
        csv,
        "model,parameters,vocabulary (tokens),longest output (tokens)\na,?,?,?\nb,1.5B,32768,1024\n"
    );
    let json = place.run(&[&models[..], &["json"]].concat()).success();
    let last = "{\"model\":\"b\",\"parameters\":\"1.5B\",\"vocabulary\":\"32768\",\"output_max\":\"1024\"}\n";
    assert!(json.ends_with(last), "{json}");
    let wrong = text.replace("kind = \"assertion\"", "kind = \"essay\"");
    let wrong = place.write("wrong.toml", wrong.replace("n = 2", "m = 2"));
    let wrong = wrong.to_string_lossy().into_owned();
    let told = place
        .run(&["experiment", "check", &wrong])
        .failure(ExitCode::Input);
    assert!(told.contains("wrong.toml:3: no kind `essay`"), "{told}");
    assert!(told.contains("unknown key `m` of a model"), "{told}");
}

#[test]
fn an_experiment_crosses_its_conditions_and_shows_them_as_columns() {
    let place = Place::with_sample_data();
    let server = Server::start(|server_request| {
        Act::answer(&vec!["assertEquals(1, 1);"; server_request.n()])
    });
    let endpoint = server.endpoint();
    let own = place.write(
        "home.toml",
        format!("[models.a]\nendpoint = \"{endpoint}\"\n"),
    );
    let own = own.to_string_lossy().into_owned();
    let file = place.write(
        "x.toml",
        "name = \"x\"\nfilter = \"language:java\"\nkind = \"assertion\"\nmetrics = [\"bleu\"]\n\
         context = [\"all\", \"none\"]\nbudget = [300, \"4k\"]\n[[models]]\nmodel = \"a\"\n",
    );
    let file = file.to_string_lossy().into_owned();
    let run =
        |words: &[&str]| place.run(&[&["--config", &own, "experiment"], words, &[&file]].concat());
    let names = run(&["check"]).success();
    assert_eq!(
        names,
        "x-a-all-300\nx-a-all-4k\nx-a-none-300\nx-a-none-4k\n"
    );
    run(&["run"]).success();
    let n_requests = server.n_requests();
    run(&["run"]).success();
    assert_eq!(server.n_requests(), n_requests);

    let answers = |name: &str| -> Vec<Value> {
        let asked = ["export", "--format", "answers", "--run", name];
        let lines = place.run(&asked).success();
        let lines = lines.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("a line is JSON")).collect()
    };
    // A text that is the same under two conditions is one prompt, which names its first condition.
    let context_of = |answer: &Value| answer["meta"]["context"].clone();
    let whole = [answers("x-a-all-300"), answers("x-a-all-4k")].concat();
    let bare = answers("x-a-none-4k");
    assert!(whole.iter().all(|value| context_of(value) == Value::Null));
    for answer in &bare {
        let is_shared = whole.iter().any(|value| value["id"] == answer["id"]);
        let context = if is_shared {
            Value::Null
        } else {
            "none".into()
        };
        assert_eq!(context_of(answer), context, "{answer}");
    }
    assert!(bare.iter().any(|value| context_of(value) == "none"));
    let csv = place
        .run(&["experiment", "show", &file, "--format", "csv"])
        .success();
    let heads: Vec<&str> = csv
        .lines()
        .next()
        .unwrap_or_default()
        .split(',')
        .take(4)
        .collect();
    assert_eq!(heads, ["model", "context", "budget", "run"]);
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').take(3).collect())
        .collect();
    assert_eq!(
        rows,
        [
            ["a", "all", "300"],
            ["a", "all", "4k"],
            ["a", "none", "300"],
            ["a", "none", "4k"]
        ]
    );
    let json = place
        .run(&["experiment", "show", &file, "--json"])
        .success();
    let last: Value =
        serde_json::from_str(json.lines().last().unwrap_or_default()).expect("it is JSON");
    assert_eq!(
        last["conditions"],
        serde_json::json!({"context": "none", "budget": "4k"})
    );
}

#[test]
fn an_experiment_over_halves_is_judged_by_consistency() {
    let place = Place::with_sample_data();
    let source = place.write(
        "src/size.py",
        "def size(tray, names):\n    total = 0\n    for name in names:\n        if name in tray:\n            total += len(name)\n    \
         result = total + 1\n    return result\n",
    );
    let folder = source
        .parent()
        .expect("it has a folder")
        .to_string_lossy()
        .into_owned();
    let seeds = place
        .run(&["mutate", &folder, "--min-tokens", "8"])
        .success();
    assert!(seeds.lines().count() > 1, "{seeds}");
    let seeds = place.write("seeds.jsonl", seeds);
    let server = Server::start(|server_request| {
        Act::answer(&vec!["    return total\n"; server_request.n()])
    });
    let own = place.write(
        "home.toml",
        format!(
            "[models.a]\nendpoint = \"{}\"\n[models.b]\nendpoint = \"{}\"\n",
            server.endpoint(),
            server.endpoint()
        ),
    );
    let own = own.to_string_lossy().into_owned();
    let file = place.write(
        "x.toml",
        format!(
            "name = \"x\"\nkind = \"half\"\nseeds = {:?}\n[[models]]\nmodel = \"a\"\n[[models]]\nmodel = \"b\"\n",
            seeds.to_string_lossy()
        ),
    );
    let file = file.to_string_lossy().into_owned();
    let table = place
        .run(&["--config", &own, "experiment", "run", &file])
        .success();
    assert!(table.contains("x-a") && table.contains("x-b"), "{table}");
    let list = place.run(&["consistency"]).success();
    assert!(list.contains("x-a") && list.contains("x-b"), "{list}");
}

#[test]
fn an_experiment_in_the_background_is_one_job_that_is_cancelled_and_resumed() {
    let place = Place::with_sample_data();
    let server = Server::start(|server_request| {
        Act::answer(&vec!["assertEquals(1, 1);"; server_request.n()])
    });
    let endpoint = server.endpoint();
    let experiment = |rpm: &str| {
        format!(
            "name = \"x\"\nfilter = \"language:java\"\nkind = \"assertion\"\nmetrics = [\"bleu\"]\n\
             [[models]]\nmodel = \"a\"\nendpoint = \"{endpoint}\"\n\
             [[models]]\nmodel = \"b\"\nendpoint = \"{endpoint}\"\n{rpm}"
        )
    };
    // Slow enough to be cancelled before its end.
    let file = place.write("x.toml", experiment("rpm = 30\n"));
    let file = file.to_string_lossy().into_owned();
    let own = place.write(
        "home.toml",
        format!("[models.own]\nendpoint = \"{endpoint}\"\n"),
    );
    let own = own.to_string_lossy().into_owned();
    let n_before = rows(&place).len();
    let run = ["--config", &own, "experiment", "run", &file, "--background"];
    success(&place, &run);
    let id = rows(&place).iter().map(|row| row.id.0).max();
    let id = id.expect("there is a job");
    let is_third = |job_row: &JobRow| {
        job_row
            .progress
            .phase
            .starts_with("3/4 generate x-b · asking")
    };
    let third = wait(&place, id, "its third step", is_third);
    assert!(third.progress.share >= Some(0.5), "{third:?}");
    success(&place, &["jobs", "cancel", &id.to_string()]);
    assert_eq!(wait_for_end(&place, id).state, JobState::Cancelled);
    let asked = |model: &str| {
        let model = format!("\"model\":\"{model}\"");
        let requests = server.requests();
        requests
            .iter()
            .filter(|request| request.body.contains(&model))
            .count()
    };
    let n_of_first = asked("a");
    assert!(n_of_first > 0);
    place.write("x.toml", experiment(""));
    success(&place, &["jobs", "resume", &id.to_string()]);
    let id = rows(&place).iter().map(|row| row.id.0).max();
    let last = wait_for_end(&place, id.expect("there is a job"));
    assert_eq!(last.state, JobState::Done, "{last:?}");
    assert_eq!(asked("a"), n_of_first);
    assert_eq!(asked("b"), n_of_first);
    let rows = rows(&place);
    let kinds = rows.iter().filter(|row| row.kind == JobKind::Experiment);
    assert_eq!((kinds.count(), rows.len()), (2, n_before + 2));
    let wrong = place.write("wrong.toml", "name = \"x\"\n");
    let wrong = wrong.to_string_lossy().into_owned();
    let told = place.run(&["experiment", "run", &wrong, "--background"]);
    assert!(told.failure(ExitCode::Input).contains("wrong.toml:"));
}

/// Kills the program repeatedly after these numbers of requests, and finally lets it finish.
fn check_killed(moments: &[usize]) {
    const N_PROMPTS: usize = 2_000;
    let place = Place::new();
    let server = Server::echoing();
    let file = place.write("p.jsonl", prompts(N_PROMPTS));
    let file = file.to_string_lossy().into_owned();
    let endpoint = server.endpoint();
    let ask = [
        "generate",
        "--run",
        "r",
        "--model",
        "m",
        "--prompts",
        &file,
        "--endpoint",
        &endpoint,
        "--concurrency",
        "3",
    ];
    for moment in moments {
        let mut child = place.spawn(&ask);
        server.wait(server.n_requests() + moment);
        child.kill().expect("it can be killed");
        child.wait().expect("it has ended");
        let stored: Vec<String> = answers(&place)
            .iter()
            .map(|answer| answer["text"].as_str().expect("it is a text").to_owned())
            .collect();
        // A later command does not ask again for stored answers.
        let n_before = server.n_requests();
        let n_open = N_PROMPTS - stored.len();
        let mut next = place.spawn(&ask);
        server.wait(n_before + n_open.min(5));
        next.kill().expect("it can be killed");
        next.wait().expect("it has ended");
        for request in &server.requests()[n_before..] {
            let answer = format!("{} 0", request.prompt());
            assert!(!stored.contains(&answer), "{answer} was asked for again");
        }
    }
    place.run(&ask).success();
    let lines = answers(&place);
    assert_eq!(lines.len(), N_PROMPTS);
    let mut n_asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in server.requests() {
        *n_asked.entry(request.prompt()).or_default() += 1;
    }
    assert_eq!(n_asked.len(), N_PROMPTS);
}

#[test]
fn killed_at_any_moment_nothing_is_asked_again_whose_answer_was_stored() {
    if is_slow() {
        let moments: Vec<usize> = (1..=15).map(|n| n * 7).collect();
        check_killed(&moments);
    } else {
        check_killed(&[1, 40, 120]);
    }
}

/// Asks about the prompts of a file, in a separate process.
fn spawn_asking(place: &Place, run: &str, server: &Server, n_prompts: usize) -> Child {
    let file = place.write(&format!("{run}.jsonl"), prompts(n_prompts));
    let file = file.to_string_lossy().into_owned();
    let endpoint = server.endpoint();
    let ask = [
        "generate",
        "--run",
        run,
        "--model",
        "m",
        "--prompts",
        &file,
        "--endpoint",
        &endpoint,
        "--concurrency",
        "2",
        "--timeout",
        "600",
    ];
    place.spawn(&ask)
}

#[test]
fn others_write_the_index_while_a_model_is_asked() {
    let place = Place::with_sample_data();
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().expect("nobody else holds it");
    let shared = Arc::clone(&gate);
    let server = Server::start(move |server_request| {
        if server_request.idx >= 4 {
            drop(shared.lock());
        }
        Act::echo(server_request)
    });
    let mut asking = spawn_asking(&place, "r", &server, 20);
    server.wait(5);
    let n_before = place.run(&["stats", "--json"]).success();
    // The third job runs in a separate process and has to finish by itself.
    let repos = repositories(&place);
    let mut mining = place.spawn(&["mine", "--each", &repos]);
    assert_eq!(wait_for_end(&place, 3).state, JobState::Done);
    assert!(mining.wait().expect("it has ended").success());
    assert_ne!(place.run(&["stats", "--json"]).success(), n_before);
    assert!(asking.try_wait().expect("it can be looked at").is_none());
    drop(closed);
    assert!(asking.wait().expect("it ends").success());
    assert_eq!(answers(&place).len(), 20);
    assert_eq!(server.n_requests(), 20);
}

#[test]
fn two_processes_ask_a_model_nothing_twice() {
    const N_PROMPTS: usize = 200;
    let place = Place::new();
    let server = Server::echoing();
    let mut asking = [
        spawn_asking(&place, "r", &server, N_PROMPTS),
        spawn_asking(&place, "other", &server, N_PROMPTS),
    ];
    for child in &mut asking {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(answers(&place).len(), N_PROMPTS);
    assert_eq!(server.n_requests(), N_PROMPTS);
}

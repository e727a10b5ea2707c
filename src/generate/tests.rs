//! Everything that a server may do, one behaviour a test, and what is kept of it.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::model::{Prediction, SampleKey};
use crate::options::{ApiKey, GenerateOptions};
use crate::report::{GenerateEnd, GenerateReport};
use crate::store::Store;
use crate::store::testing::{counter_repo, empty_store, key_of, store_with};
use crate::task::Monitor;
use crate::testing::{Act, Server, ServerRequest};
use crate::{Endpoint, GenerateError, dry, export, take};

fn options(server: &Server) -> GenerateOptions {
    let endpoint = Endpoint::parse(&server.endpoint(), false).expect("loopback is allowed");
    GenerateOptions {
        pause: Duration::from_millis(1),
        concurrency: 2,
        timeout: Duration::from_secs(20),
        ..GenerateOptions::new("r", endpoint, "m")
    }
}

/// Prompts `p0`, `p1` …, without samples.
fn prompts(n: usize) -> String {
    let line = |idx| format!("{{\"id\":\"{idx}\",\"prompt\":\"p{idx}\",\"max_tokens\":9}}\n");
    (0..n).map(line).collect()
}

fn ask(
    store: &mut Store,
    options: &GenerateOptions,
    prompts: &str,
) -> Result<GenerateReport, GenerateError> {
    let monitor = Monitor::default();
    let options = GenerateOptions {
        matcher: store.shown_matcher().expect("the index is read"),
        ..options.clone()
    };
    // The index stays open for writing meanwhile, as by another process.
    let folder = store.path().parent().expect("it lies in a folder");
    let mut asking = Store::open_to_ask(folder, &options.model)?;
    let mut prompts = Cursor::new(prompts);
    let mut report = crate::ask(&mut asking, &monitor, &options, &mut prompts)?;
    take(store, &monitor, &options, (&mut prompts, &mut report))?;
    Ok(report)
}

fn report(store: &mut Store, options: &GenerateOptions, prompts: &str) -> GenerateReport {
    ask(store, options, prompts).expect("the work ends")
}

/// Lists id, attempt and text of all answers.
fn answers(store: &Store, run: &str) -> Vec<(String, u64, Option<String>)> {
    let mut out = Vec::new();
    export(store, &Monitor::default(), run, &mut out).expect("there are answers");
    let text = String::from_utf8(out).expect("lines are UTF-8");
    let lines = text.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        (
            line["id"].as_str().expect("it has an id").to_owned(),
            line["attempt"].as_u64().expect("it has an attempt"),
            line["text"].as_str().map(str::to_owned),
        )
    });
    lines.collect()
}

/// Asks about three prompts with a server that treats the second by `act`; returns the server and the report.
fn with_second(
    act: impl Fn(&ServerRequest) -> Act + Send + Sync + 'static,
) -> (Server, GenerateReport) {
    with_second_and(|_| {}, act)
}

fn with_second_and(
    change: impl Fn(&mut GenerateOptions),
    act: impl Fn(&ServerRequest) -> Act + Send + Sync + 'static,
) -> (Server, GenerateReport) {
    let server = Server::start(move |server_request| {
        if server_request.prompt() == "p1" {
            act(server_request)
        } else {
            Act::echo(server_request)
        }
    });
    let (_folder, mut store) = empty_store();
    let mut options = options(&server);
    change(&mut options);
    let report = report(&mut store, &options, &prompts(3));
    (server, report)
}

fn failures(report: &GenerateReport) -> Vec<(&str, u64)> {
    let all = report.failures.iter();
    all.map(|(kind, n)| (kind.as_str(), *n)).collect()
}

/// Does one thing the first time, and answers afterwards.
fn once(act: Act) -> impl Fn(&ServerRequest) -> Act + Send + Sync {
    let first = std::sync::Mutex::new(Some(act));
    move |server_request| {
        let act = first.lock().expect("nobody panics with it").take();
        act.unwrap_or_else(|| Act::echo(server_request))
    }
}

#[test]
fn every_attempt_is_kept_and_asked_for_once() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        n_attempts: 2,
        ..options(&server)
    };
    let first = report(&mut store, &options, &prompts(3));
    assert_eq!(
        (first.n_wanted, first.n_answers, first.n_requests),
        (6, 6, 3)
    );
    assert_eq!((first.n_tokens_in, first.n_tokens_out), (21, 18));
    let text = |text: &str| Some(text.to_owned());
    let expected = [
        ("0".to_owned(), 0, text("p0 0")),
        ("0".to_owned(), 1, text("p0 1")),
        ("1".to_owned(), 0, text("p1 0")),
        ("1".to_owned(), 1, text("p1 1")),
        ("2".to_owned(), 0, text("p2 0")),
        ("2".to_owned(), 1, text("p2 1")),
    ];
    assert_eq!(answers(&store, "r"), expected);
    let again = report(&mut store, &options, &prompts(3));
    assert_eq!((again.n_kept, again.n_answers, again.n_requests), (6, 0, 0));
    assert_eq!(server.n_requests(), 3);
}

#[test]
fn more_attempts_and_other_parameters_ask_for_what_is_missing() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let mut options = options(&server);
    report(&mut store, &options, &prompts(2));
    options.n_attempts = 3;
    let more = report(&mut store, &options, &prompts(2));
    assert_eq!((more.n_kept, more.n_answers), (2, 4));
    options.settings[0].temperature = Some(0.5);
    let other = report(&mut store, &options, &prompts(2));
    assert_eq!((other.n_kept, other.n_answers), (0, 6));
    assert_eq!(answers(&store, "r").len(), 12);
    let last = server.requests().pop().expect("it was asked");
    assert!(last.body.contains("\"temperature\":0.5"), "{}", last.body);
    assert!(last.body.contains("\"max_tokens\":9"), "{}", last.body);
    assert!(!last.body.contains("top_p"), "{}", last.body);
}

#[test]
fn a_line_that_was_there_before_is_not_asked_again() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let twice = prompts(2) + &prompts(2);
    let report = report(&mut store, &options(&server), &twice);
    assert_eq!((report.n_answers, server.n_requests()), (2, 2));
    assert_eq!(report.n_missing, 0);
}

#[test]
fn a_server_that_wants_us_to_wait_is_waited_for() {
    let began = Instant::now();
    let busy = Act::Say(429, vec!["retry-after: 1".to_owned()], Vec::new());
    let (server, report) = with_second(once(busy));
    assert_eq!((report.n_answers, server.n_requests()), (3, 4));
    assert_eq!(failures(&report), [("HTTP 429", 1)]);
    assert!(began.elapsed() >= Duration::from_millis(900));
}

#[test]
fn what_fails_at_the_server_is_tried_again() {
    for status in [408, 409, 425, 500, 503] {
        let (server, report) = with_second(once(Act::json(status, "{}")));
        assert_eq!((report.n_answers, server.n_requests()), (3, 4));
        assert_eq!(failures(&report), [(&*format!("HTTP {status}"), 1)]);
    }
}

#[test]
fn what_goes_on_failing_is_given_up_and_asked_again_later() {
    let (server, report) = with_second_and(
        |generate_options| generate_options.n_retries = 2,
        |_| Act::json(500, "{\"error\":\"x\"}"),
    );
    assert_eq!((report.n_answers, report.n_given_up), (2, 1));
    assert_eq!(report.n_missing, 1);
    assert_eq!(server.n_requests(), 5);
    assert_eq!(report.end, GenerateEnd::Complete);
}

#[test]
fn a_server_that_hangs_costs_its_timeout() {
    let hang = |generate_options: &mut GenerateOptions| {
        generate_options.timeout = Duration::from_secs(2);
        generate_options.n_retries = 1;
    };
    let (_server, report) = with_second_and(hang, |_| Act::Hang);
    assert_eq!((report.n_answers, report.n_given_up), (2, 1));
    assert_eq!(failures(&report), [("timeout", 2)]);
}

#[test]
fn a_stream_without_an_end_costs_its_timeout() {
    let drip = |generate_options: &mut GenerateOptions| {
        generate_options.timeout = Duration::from_secs(2);
        generate_options.n_retries = 0;
    };
    let (_server, report) = with_second_and(drip, |_| Act::Drip);
    assert_eq!((report.n_answers, report.n_given_up), (2, 1));
    assert_eq!(failures(&report), [("timeout", 1)]);
}

#[test]
fn a_body_that_is_cut_off_is_tried_again() {
    let cut = Act::CutOff(1_000, b"{\"choices\":[{\"tex".to_vec());
    let (server, report) = with_second(once(cut));
    assert_eq!((report.n_answers, server.n_requests()), (3, 4));
    assert_eq!(report.failures.values().sum::<u64>(), 1);
}

#[test]
fn what_is_no_answer_is_a_failure_of_its_prompt() {
    let check = |body: &str, kind: &str| {
        let act = Act::json(200, body);
        let (server, report) = with_second(move |_| act.clone());
        assert_eq!((report.n_answers, report.n_given_up), (2, 1), "{body}");
        // Asking again would not help.
        assert_eq!(server.n_requests(), 3);
        assert_eq!(failures(&report), [(kind, 1)]);
    };
    check("{\"choices\":[]}", "an empty list of choices");
    check("<html><body>hello</body></html>", "HTML instead of JSON");
    check("{\"candidates\":[{\"content\":\"x\"}]}", "no `choices`");
    check("{\"choices\":[{\"x\":1}]}", "a choice without a text");
    check(
        "{\"error\":{\"message\":\"x\"}}",
        "an error that says success",
    );
    check("", "an empty answer");
    check("[1, 2", "not JSON");
}

#[test]
fn forty_megabytes_are_no_answer() {
    let mut body = b"{\"choices\":[{\"text\":\"".to_vec();
    body.resize(40 << 20, b'x');
    body.extend(b"\"}]}");
    let act = Act::Say(200, Vec::new(), body);
    let (server, report) = with_second(move |_| act.clone());
    assert_eq!((report.n_answers, report.n_given_up), (2, 1));
    assert_eq!(failures(&report), [("longer than 16 MiB", 1)]);
    assert_eq!(server.n_requests(), 3);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let body = b"{\"choices\":[{\"text\":\"a\xff\xfeb\"}]}".to_vec();
    let server = Server::start(move |_| Act::Say(200, Vec::new(), body.clone()));
    let (_folder, mut store) = empty_store();
    report(&mut store, &options(&server), &prompts(1));
    let found = answers(&store, "r");
    assert_eq!(found[0].2.as_deref(), Some("a\u{fffd}\u{fffd}b"));
}

#[test]
fn a_server_that_ignores_how_many_is_asked_for_each() {
    let server = Server::start(|server_request| {
        Act::answer(&[&format!(
            "{} {}",
            server_request.prompt(),
            server_request.idx
        )])
    });
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        n_attempts: 3,
        concurrency: 1,
        ..options(&server)
    };
    let report = report(&mut store, &options, &prompts(2));
    assert_eq!((report.n_answers, server.n_requests()), (6, 6));
    assert!(report.is_one_by_one);
    let found = answers(&store, "r");
    let mut texts: Vec<_> = found
        .iter()
        .filter_map(|entry| entry.2.as_deref())
        .collect();
    texts.dedup();
    assert_eq!(texts.len(), 6, "{texts:?}");
}

#[test]
fn a_server_that_refuses_several_is_asked_for_each_with_seeds_of_their_own() {
    let server = Server::start(|server_request| {
        if server_request.n() > 1 {
            Act::json(400, "{\"error\":{\"message\":\"only one completion\"}}")
        } else {
            Act::echo(server_request)
        }
    });
    let (_folder, mut store) = empty_store();
    let mut options = GenerateOptions {
        n_attempts: 2,
        concurrency: 1,
        ..options(&server)
    };
    options.settings[0].seed = Some(7);
    let report = report(&mut store, &options, &prompts(2));
    assert_eq!((report.n_answers, server.n_requests()), (4, 5));
    let seeds: Vec<bool> = (7..9)
        .map(|seed| {
            let requests = server.requests();
            let word = format!("\"seed\":{seed}");
            requests[1..]
                .iter()
                .any(|request| request.body.contains(&word))
        })
        .collect();
    assert_eq!(seeds, [true, true]);
}

#[test]
fn an_answer_that_is_cut_at_its_length_is_kept_and_counted() {
    let body = "{\"choices\":[{\"text\":\"assert\",\"finish_reason\":\"length\"}]}";
    let (_server, report) = with_second(move |_| Act::json(200, body));
    assert_eq!((report.n_answers, report.n_cut_off), (3, 1));
    assert_eq!(report.n_without_usage, 1);
}

#[test]
fn an_empty_answer_is_kept_and_counted() {
    let body = "{\"choices\":[{\"message\":{\"content\":null}}]}";
    let (_server, report) = with_second(move |_| Act::json(200, body));
    assert_eq!((report.n_answers, report.n_empty), (3, 1));
}

#[test]
fn a_prompt_that_is_too_long_is_an_outcome_and_not_asked_again() {
    let server = Server::start(|server_request| match server_request.prompt().as_str() {
        "p1" => Act::json(
            400,
            "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}",
        ),
        _ => Act::echo(server_request),
    });
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        n_attempts: 2,
        ..options(&server)
    };
    let first = report(&mut store, &options, &prompts(3));
    assert_eq!(
        (first.end.clone(), first.n_too_long),
        (GenerateEnd::Complete, 2)
    );
    assert_eq!(first.n_missing, 2);
    assert!(answers(&store, "r").contains(&("1".to_owned(), 0, None)));
    let again = report(&mut store, &options, &prompts(3));
    assert_eq!((again.n_requests, server.n_requests()), (0, 3));
}

#[test]
fn a_refusal_ends_the_work_with_the_servers_words_and_without_the_key() {
    for status in [400, 401, 403, 404] {
        let words = "{\"error\":{\"message\":\"bad key sk-1234\\u001b[31m\"}}";
        let (server, report) = with_second_and(
            |generate_options| {
                generate_options.key = Some(ApiKey::new("sk-1234".to_owned()));
                generate_options.concurrency = 1;
            },
            move |_| Act::json(status, words),
        );
        let words = "bad key … [31m".to_owned();
        assert_eq!(report.end, GenerateEnd::Refused { status, words });
        assert_eq!((report.n_answers, server.n_requests()), (1, 2));
        let headers = &server.requests()[0].headers;
        assert!(headers.contains(&"authorization: bearer sk-1234".to_owned()));
    }
}

#[test]
fn a_key_that_an_answer_repeats_is_not_stored() {
    let server = Server::start(|_| Act::answer(&["I was given sk-0123456789abcdef."]));
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        key: Some(ApiKey::new("sk-0123456789abcdef".to_owned())),
        ..options(&server)
    };
    report(&mut store, &options, &prompts(1));
    let text = answers(&store, "r").pop().and_then(|answer| answer.2);
    assert_eq!(text.as_deref(), Some("I was given …."));
}

#[test]
fn a_key_follows_no_redirect() {
    let other = Server::echoing();
    let location = format!("location: {}/chat/completions", other.endpoint());
    let server = Server::start(move |_| Act::Say(307, vec![location.clone()], Vec::new()));
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        key: Some(ApiKey::new("sk-1234".to_owned())),
        ..options(&server)
    };
    let report = report(&mut store, &options, &prompts(1));
    let words = "it redirects, which is not followed".to_owned();
    assert_eq!(report.end, GenerateEnd::Refused { status: 307, words });
    assert_eq!(other.n_requests(), 0);
}

#[test]
fn ten_failures_in_a_row_pause_the_work_and_the_rest_is_asked_later() {
    let is_up = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = std::sync::Arc::clone(&is_up);
    let server = Server::start(move |server_request| {
        if state.load(std::sync::atomic::Ordering::Relaxed) || server_request.idx < 3 {
            Act::echo(server_request)
        } else {
            Act::json(503, "{}")
        }
    });
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        concurrency: 1,
        n_retries: 1,
        ..options(&server)
    };
    let paused = report(&mut store, &options, &prompts(40));
    assert_eq!(
        (paused.end.clone(), paused.n_answers),
        (GenerateEnd::Paused, 3)
    );
    // Requests under way when the tenth came back end, too; on a busy machine these are more.
    assert!((10..37).contains(&paused.n_given_up), "{paused:?}");
    is_up.store(true, std::sync::atomic::Ordering::Relaxed);
    let rest = report(&mut store, &options, &prompts(40));
    assert_eq!(
        (rest.end.clone(), rest.n_kept, rest.n_answers),
        (GenerateEnd::Complete, 3, 37)
    );
}

#[test]
fn nobody_there_is_a_pause_and_no_panic() {
    let (_folder, mut store) = empty_store();
    let endpoint = Endpoint::parse("http://127.0.0.1:1/v1", false).expect("loopback is allowed");
    let options = GenerateOptions {
        pause: Duration::from_millis(1),
        n_retries: 0,
        ..GenerateOptions::new("r", endpoint, "m")
    };
    let report = report(&mut store, &options, &prompts(20));
    assert_eq!(report.end, GenerateEnd::Paused);
    assert!(report.failures.contains_key("no connection"), "{report:?}");
}

#[test]
fn cancelled_work_keeps_its_answers() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let monitor = Monitor::default();
    monitor.cancel();
    let options = options(&server);
    let folder = store.path().parent().expect("it lies in a folder");
    let mut asking = Store::open_to_ask(folder, &options.model).expect("nobody asks");
    let ended = crate::ask(
        &mut asking,
        &monitor,
        &options,
        &mut Cursor::new(prompts(3)),
    );
    assert!(matches!(ended, Err(GenerateError::Cancelled(_))));
    // One process at a time asks a model.
    drop(asking);
    assert_eq!(report(&mut store, &options, &prompts(3)).n_wanted, 3);
}

#[test]
fn a_dry_run_asks_nothing() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let options = GenerateOptions {
        n_attempts: 4,
        ..options(&server)
    };
    report(&mut store, &options, &prompts(1));
    let n_before = server.n_requests();
    let monitor = Monitor::default();
    let dry = dry(&store, &monitor, &options, &mut Cursor::new(prompts(3))).expect("it is read");
    let asked = server.requests().pop().expect("it was asked");
    assert_eq!(dry.url, format!("http://{}{}", server.address, asked.path));
    assert_eq!((dry.n_wanted, dry.n_kept, dry.n_requests), (12, 4, 2));
    assert_eq!(dry.n_tokens_out, Some(72));
    let first = dry.first.expect("there is a request");
    assert!(
        first.contains("\"p1\"") && first.contains("\"n\":4"),
        "{first}"
    );
    assert_eq!(server.n_requests(), n_before);
}

#[test]
fn lines_that_are_no_prompts_are_problems_and_the_others_are_asked() {
    let server = Server::echoing();
    let (_folder, mut store) = empty_store();
    let broken = "{\"id\":\"x\"}\n\nnot json\n".to_owned() + &prompts(1);
    let report = report(&mut store, &options(&server), &broken);
    assert_eq!((report.n_answers, report.n_problems), (1, 2));
    let lines: Vec<_> = report.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(1), Some(3)]);
    let none = ask(&mut store, &options(&server), "nothing\n");
    assert!(matches!(none, Err(GenerateError::NoPrompts { .. })));
}

fn about(key: SampleKey, id: &str, target: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"sample\":\"{key}\",\"kind\":\"{target}\",\"target\":\"{target}\",\"prompt\":\"{id}\"}}\n"
    )
}

fn predictions(store: &Store, run: &str) -> Vec<Prediction> {
    let run = store.run(run).expect("the index is read");
    let run = run.expect("there is a run");
    assert_eq!(u64::from(run.n_predictions as u32), run.n_predictions);
    let all = store.predictions(run.id, 0, 1_000);
    all.expect("predictions are read")
}

#[test]
fn answers_about_samples_are_predictions_with_the_code_in_them() {
    let server = Server::start(|_| {
        Act::answer(&["Sure:\n```java\n@Test void a() { b(); }\n\n@Test void c() {}\n```\nDone."])
    });
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let key = key_of("a", "testInc");
    let unknown = SampleKey([9; 16]);
    let lines = about(key, "q", "test") + &about(unknown, "u", "test") + &prompts(1);
    let report = report(&mut store, &options(&server), &lines);
    assert_eq!((report.n_predictions, report.n_without_sample), (1, 2));
    let all = predictions(&store, "r");
    assert_eq!(all[0].text(), "@Test void a() { b(); }");
    assert!(all[0].answer.starts_with("Sure:"));
    let run = store.run("r").expect("the index is read");
    let id = run.expect("there is a run").id;
    let answer = store.prediction_answer(id, 0).expect("the index is read");
    let answer = answer.expect("it was taken from an answer");
    assert!(answer.prompt.contains("\"q\"") && answer.model == "m");
}

#[test]
fn a_run_grows_in_the_order_of_its_prompts_whoever_answers_first() {
    let run = |concurrency: usize| {
        let server = Server::echoing();
        let (_folder, mut store) = store_with(&[counter_repo("a")]);
        let keys = [key_of("a", "testInc"), key_of("a", "testAdd")];
        let lines = about(keys[0], "q", "assertion") + &about(keys[1], "w", "assertion");
        let mut options = GenerateOptions {
            n_attempts: 2,
            concurrency,
            ..options(&server)
        };
        report(&mut store, &options, &lines);
        options.settings[0].temperature = Some(1.0);
        let report = report(&mut store, &options, &lines);
        assert_eq!((report.n_new_predictions, report.n_predictions), (4, 8));
        let all = predictions(&store, "r");
        let all = all
            .into_iter()
            .map(|prediction| (prediction.key, prediction.attempt, prediction.answer));
        all.collect::<Vec<_>>()
    };
    let all = run(1);
    assert_eq!(all, run(8));
    let attempts: Vec<u32> = all.iter().map(|entry| entry.1).collect();
    assert_eq!(attempts, [0, 1, 0, 1, 2, 3, 2, 3]);
}

#[test]
fn a_run_of_another_model_or_of_a_file_is_not_touched() {
    let server = Server::echoing();
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let lines = about(key_of("a", "testInc"), "q", "test");
    report(&mut store, &options(&server), &lines);
    let other = GenerateOptions {
        model: "other".to_owned(),
        ..options(&server)
    };
    let ended = ask(&mut store, &other, &lines);
    assert!(matches!(ended, Err(GenerateError::OtherModel { .. })));
    let removed = store.remove_run("r", &Monitor::default());
    assert!(removed.expect("it is removed"));
    // What was answered is not asked again.
    let again = report(&mut store, &options(&server), &lines);
    assert_eq!((again.n_requests, again.n_predictions), (0, 1));
}

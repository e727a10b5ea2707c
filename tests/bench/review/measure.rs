//! The waiting times, terminal output and memory of judging.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use focalist::browse;
use focalist::model::{ContentHash, EventKind, Filter, JudgedSample, Judgement, SampleKey};
use focalist::review::{self, Overlap, QueueOptions};
use focalist::store::{Store, StoreAccess, Verdicts};
use focalist::task::Monitor;

use super::console::print;
use super::mining::Mining;
use super::process::{Strokes, idle, load, memory, ms, starts};
use super::report::{figure, head, series};
use super::series::Series;
use super::terminal::{Stroke, Terminal};
use super::workspace;

const N_STARTS: usize = 20;
const N_MOVES: usize = 250;
const N_PEEKS: usize = 100;
const N_VERDICTS: usize = 240;
const N_APPENDS: usize = 200;
/// The number of earlier verdicts of each of three people.
const N_SAID: usize = 5_000;
/// Different keys, because a key that is repeated quickly is treated as held down.
const VERDICTS: &[&str] = &["a", "x", "X", "o"];

/// Measures on a copy of the index in `folder`: so the index itself gets no verdicts and no rows.
pub fn measure(folder: &Path) {
    let scratch = workspace::copied(folder);
    let inside = scratch.path().join(".focalist");
    let n_samples = people(&inside);
    print(&format!("{n_samples} samples, 120 × 40, load {}", load()));
    queues(&inside);
    reading(&inside);
    starts(scratch.path(), N_STARTS);
    let mut terminal = Terminal::start(scratch.path());
    terminal.wait("Home", &|screen| screen.contains("tests"));
    head("list of samples");
    list(&mut terminal, n_samples);
    // As over most connections, the number of colours is unknown.
    let mut plain = Terminal::with_colors(scratch.path(), "");
    plain.wait("Home", &|screen| screen.contains("tests"));
    head("the same in 256 colours");
    list(&mut plain, n_samples);
    plain.quit();
    annotate(&mut terminal);
    verdicts(&mut terminal, "verdict → next sample painted, idle");
    let elsewhere = scratch.path().join("elsewhere");
    appends(&elsewhere, "append alone: its fsync, idle");
    idle(&terminal);
    memory(&terminal, "before anybody writes");
    let mining = Mining::start(scratch.path());
    verdicts(&mut terminal, "verdict → next sample painted, mining");
    moves(&mut terminal, "next neighbour, mining");
    appends(&elsewhere, "append alone: its fsync, mining");
    print(&format!(
        "mined {} times meanwhile, load {}",
        mining.stop(),
        load()
    ));
    terminal.wait_for_quiet();
    idle(&terminal);
    memory(&terminal, "at the end");
    terminal.quit();
}

/// Adds verdicts of three people, half of them on the same samples; returns the number of samples.
fn people(folder: &Path) -> u64 {
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let n_samples = store.count(&Filter::default()).expect("the index counts");
    let options = options("random:5", "nobody");
    let nothing = Verdicts::open_or_empty(folder).expect("nothing is there");
    let queue = review::queue(&store, &nothing, &Monitor::default(), &options);
    let keys = queue.expect("there is a queue").open;
    drop(nothing);
    let mut verdicts =
        Verdicts::open(folder, StoreAccess::Create).expect("verdicts can be written");
    let step = N_SAID.min(keys.len() / 4) / 2;
    for (idx, annotator) in ["ada", "grace", "alan"].into_iter().enumerate() {
        let keys = &keys[idx * step..(idx + 2) * step];
        let kinds = keys.iter().enumerate().flat_map(|(n, key)| {
            let judged = EventKind::Judged(judged(*key, n.is_multiple_of(3 + idx)));
            let marked = n
                .is_multiple_of(10)
                .then_some(EventKind::Marked { key: *key });
            [Some(judged), marked]
        });
        let appended = verdicts.append(annotator, 1_000, kinds.flatten().collect());
        appended.expect("verdicts are written");
    }
    n_samples
}

fn judged(key: SampleKey, is_focal: bool) -> JudgedSample {
    JudgedSample {
        key,
        content_hash: ContentHash([0; 16]),
        focal: None,
        judgement: if is_focal {
            Judgement::NoneOfThese
        } else {
            Judgement::NoFocal
        },
        dwell_ms: Some(2_000),
        guideline: None,
        note: None,
        bulk: None,
        queue: Some("random:5".to_owned()),
    }
}

fn options(text: &str, annotator: &str) -> QueueOptions {
    let asked = review::split(text).expect("the queue is one");
    let filter = browse::parse_filter(&asked.filter).expect("the filter is one");
    let text = asked.filter.clone();
    asked.options(filter, text, annotator, Overlap::default())
}

fn queues(folder: &Path) {
    head("queues, in this process");
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let mut verdicts = Verdicts::open(folder, StoreAccess::Create).expect("verdicts open");
    let draw = options("audit:n=100,seed=7,stratify=repo", "ada");
    let started = Instant::now();
    let drawn = review::open_queue(&store, &mut verdicts, &Monitor::default(), &draw, 2_000);
    drawn.expect("an audit is drawn");
    figure("drawing an audit", ms(started.elapsed()), "ms", None);
    for text in [
        "uncertain",
        "uncertain repo:project-007",
        "random:7",
        "mined",
        "mined sort:-weight",
        "unmapped",
        "unmapped:abstained",
        "disagreements",
        "stale",
        "audit:n=100,seed=7,stratify=repo",
    ] {
        let options = options(text, "ada");
        let mut times = Series::default();
        let mut n_open = 0;
        for _ in 0..3 {
            let started = Instant::now();
            let queue = review::queue(&store, &verdicts, &Monitor::default(), &options);
            n_open = queue.expect("there is a queue").open.len();
            times.add_ms(started.elapsed());
        }
        series(&format!("{text}: {n_open}"), &times, "ms", &[]);
    }
}

/// Measures the reads for a sample to be judged.
fn reading(folder: &Path) {
    head("one sample, in this process");
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let verdicts = Verdicts::open_or_empty(folder).expect("verdicts open");
    let keys = review::queue(
        &store,
        &verdicts,
        &Monitor::default(),
        &options("random:3", "ada"),
    );
    let keys = keys.expect("there is a queue").open;
    let mut times: [Series; 4] = Default::default();
    for key in keys.iter().take(300) {
        let started = Instant::now();
        std::hint::black_box(browse::detail(&store, key, None).expect("it is read"));
        times[0].add_ms(started.elapsed());
        let started = Instant::now();
        let verdicts = Verdicts::open_or_empty(folder).expect("verdicts open");
        times[1].add_ms(started.elapsed());
        let started = Instant::now();
        std::hint::black_box(verdicts.of_sample(key).expect("it is read"));
        std::hint::black_box(verdicts.notes_of(key).expect("it is read"));
        std::hint::black_box(verdicts.is_marked(key, "ada").expect("it is read"));
        times[2].add_ms(started.elapsed());
        let started = Instant::now();
        std::hint::black_box(verdicts.history("ada", 200).expect("it is read"));
        times[3].add_ms(started.elapsed());
    }
    let names = [
        "detail",
        "opening the verdicts",
        "what was said of it",
        "what ada did last",
    ];
    for (name, times) in names.into_iter().zip(&times) {
        series(name, times, "ms", &[]);
    }
}

/// Moves through the list of all samples.
fn list(terminal: &mut Terminal, n_samples: u64) {
    let stroke = terminal.stroke("gs", &|screen| place_in_list(screen, n_samples) == Some(1));
    figure("gs: first page", ms(stroke.painted), "ms", None);
    let mut at = 1;
    let mut go = |terminal: &mut Terminal, key: &str, n: usize| {
        let mut strokes = Strokes::default();
        for _ in 0..n {
            let before = at;
            if before == n_samples {
                break;
            }
            let place = |screen: &str| place_in_list(screen, n_samples);
            let stroke = terminal.stroke(key, &|screen| place(screen).is_some_and(|n| n != before));
            at = place(&terminal.text()).unwrap_or(before);
            strokes.add(stroke);
        }
        strokes
    };
    let budgets = [(99, 16.0)];
    go(terminal, "j", N_MOVES).report("j, the list scrolls", &budgets, None);
    // The cursor is on the last line: there is room above.
    let mut strokes = Strokes::default();
    for _ in 0..N_MOVES / 16 {
        for key in ["k", "k", "k", "k", "j", "j", "j", "j"] {
            strokes.append(go(terminal, key, 1));
        }
    }
    strokes.report("j, k, the list stays", &budgets, Some(500.0));
    go(terminal, " ", N_MOVES).report("a page down", &budgets, Some(4_000.0));
}

/// Returns the first number of `1/1,000,000` in the second line, when the other one is `total`. It stands between the
/// filter and the sign of people's remarks.
fn place_in_list(screen: &str, total: u64) -> Option<u64> {
    let number = |text: &str| {
        let digits = text.chars().filter(char::is_ascii_digit);
        digits.collect::<String>().parse::<u64>().ok()
    };
    let parts = screen.lines().nth(1)?.split(" · ");
    parts
        .filter_map(|part| part.split_once('/'))
        .find(|(_, after)| number(after) == Some(total))
        .and_then(|(before, _)| number(before))
}

/// Opens the queue of the least certain samples.
fn annotate(terminal: &mut Terminal) {
    head("judging");
    let stroke = terminal.stroke("ga", &|screen| sample_of(screen).is_some());
    figure(
        "ga: queue read, first sample",
        ms(stroke.painted),
        "ms",
        None,
    );
    moves(terminal, "next neighbour");
    let mut strokes = Strokes::default();
    // Back to the sample that is to be judged.
    for _ in 0..N_PEEKS {
        strokes.add(step(terminal, "{"));
    }
    strokes.report("the neighbour before", &[(99, 16.0)], None);
}

fn moves(terminal: &mut Terminal, name: &str) {
    let mut strokes = Strokes::default();
    for _ in 0..N_PEEKS {
        strokes.add(step(terminal, "}"));
    }
    strokes.report(name, &[(99, 16.0)], None);
}

/// Presses a key that leads to another sample.
fn step(terminal: &mut Terminal, key: &str) -> Stroke {
    let before = sample_of(&terminal.text());
    terminal.stroke(key, &|screen| {
        let now = sample_of(screen);
        now.is_some() && now != before
    })
}

/// Returns the title of the test on the screen and its first lines: together they identify a sample.
fn sample_of(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.lines().skip(2).take(3).collect();
    let left = |line: &&str| line.chars().take(48).collect::<String>();
    lines
        .first()
        .is_some_and(|line| line.contains(" test · "))
        .then(|| lines.iter().map(left).collect())
}

fn verdicts(terminal: &mut Terminal, name: &str) {
    let mut strokes = Strokes::default();
    let mut n_unheard = 0;
    for key in VERDICTS.iter().cycle().take(N_VERDICTS) {
        let before = sample_of(&terminal.text());
        let stroke = terminal.try_stroke(key, &|screen| {
            let now = sample_of(screen);
            now.is_some() && now != before
        });
        match stroke {
            Some(stroke) => strokes.add(stroke),
            None => n_unheard += 1,
        }
    }
    strokes.report(name, &[(50, 16.0), (99, 50.0)], None);
    if n_unheard > 0 {
        figure(
            "  keys that led nowhere",
            f64::from(n_unheard),
            "keys",
            Some(0.0),
        );
        print(&terminal.text());
    }
}

/// Appends verdicts as the program does, in a separate folder without readers.
fn appends(folder: &Path, name: &str) {
    let mut verdicts = Verdicts::open(folder, StoreAccess::Create).expect("verdicts open");
    let mut times = Series::default();
    for n in 0..N_APPENDS {
        let kind = EventKind::Judged(judged(SampleKey([n as u8; 16]), false));
        let started = Instant::now();
        verdicts
            .append("ada", 1_000, vec![kind])
            .expect("verdicts are written");
        times.add_ms(started.elapsed());
        thread::sleep(Duration::from_millis(20));
    }
    series(name, &times, "ms", &[]);
}

//! The time that a list of predictions takes the first time, with cached columns, and to be cancelled.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use focalist::browse::{FieldScope, parse_filter_in};
use focalist::diff;
use focalist::eval::compare::GroupBy;
use focalist::eval::results::{self, Columns, ResultsOptions, SearchStart};
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;

use super::console::print;
use super::memory::memory_mb;
use super::random::Random;
use super::series::Series;

const PAGE: usize = 60;

const FILTERS: [&str; 14] = [
    "",
    "bleu<0.2",
    "parse:fail",
    "tag:wrong_literal sort:bleu",
    "repo:project-007 bleu<0.2",
    "sort:-bleu",
    "sort:delta",
    "delta<-0.2 parse:ok sort:delta",
    "reference-tokens<=15 assertion:assertThat sort:codebleu",
    "tokens>200 sort:-tokens bleu<0.5",
    "focal:get sort:bleu",
    "sort:test sort:-bleu",
    "repo:project-007 answer:compute13",
    "answer:compute13",
];

/// The work to cancel, and the milliseconds until then.
const CANCELLED: [&str; 5] = [
    "answer:zzz",
    "sort:delta",
    "sort:test",
    "class:zzz",
    "text:zzz",
];
const CANCELLED_AFTER_MS: [u64; 6] = [20, 100, 300, 600, 1_000, 2_000];

pub fn measure(folder: &Path) {
    lists(folder);
    groups(folder);
    cancelling(folder);
    differences();
}

fn lists(folder: &Path) {
    let title = "list, then its first page";
    print(&format!(
        "{title:<60}{:>10}{:>10}{:>10}{:>12}{:>10}",
        "rows", "cold ms", "known ms", "progress", "peak MB"
    ));
    for filter in FILTERS {
        let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
        let options = options(filter);
        let monitor = Monitor::default();
        let (n_rows, cold) = list(&store, &monitor, &options);
        let n_told = monitor.n_predictions.load(Ordering::Relaxed);
        let (_, known) = list(&store, &Monitor::default(), &options);
        print(&format!(
            "{filter:<60}{n_rows:>10}{:>10.0}{:>10.0}{n_told:>12}{:>10.0}",
            ms(cold),
            ms(known),
            memory_mb("self", "VmHWM")
        ));
    }
}

fn list(store: &Store, monitor: &Monitor, options: &ResultsOptions) -> (usize, Duration) {
    let started = Instant::now();
    let list = results::list(store, monitor, options).expect("it is listed");
    let n_rows = list.ordinals.len();
    let page = &list.ordinals[..PAGE.min(n_rows)];
    let rows = results::rows(store, &list.view, page).expect("rows are read");
    assert_eq!(rows.len(), page.len());
    (n_rows, started.elapsed())
}

fn groups(folder: &Path) {
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let options = options("");
    print(&format!(
        "\n{:<60}{:>10}{:>10}{:>10}",
        "groups of all", "groups", "cold ms", "known ms"
    ));
    for by in GroupBy::OF_RESULTS {
        let mut times = [Duration::ZERO; 2];
        let mut n_groups = 0;
        for time in &mut times {
            let started = Instant::now();
            let groups = results::groups(&store, &Monitor::default(), &options, *by);
            n_groups = groups.expect("they are grouped").len();
            *time = started.elapsed();
        }
        let [cold, known] = times.map(ms);
        print(&format!(
            "{:<60}{n_groups:>10}{cold:>10.0}{known:>10.0}",
            by.as_str()
        ));
    }
    let list = results::list(&store, &Monitor::default(), &options).expect("it is listed");
    let start = SearchStart {
        place: 0,
        backwards: false,
    };
    for round in ["first", "again"] {
        let started = Instant::now();
        let found = results::find(&store, &Monitor::default(), &list, "zip9", start);
        let place = found.expect("it is looked for");
        print(&format!(
            "find, {round}: {:.0} ms ({place:?})",
            ms(started.elapsed())
        ));
    }
}

/// Cancels at different times, only through the monitor, and prints the longest delay.
fn cancelling(folder: &Path) {
    print(&format!(
        "\n{:<60}{:>10}{:>10}",
        "cancelled", "times", "worst ms"
    ));
    for filter in CANCELLED {
        let mut worst = Duration::ZERO;
        let mut n_cancelled = 0;
        for after_ms in CANCELLED_AFTER_MS {
            let options = options(filter);
            let monitor = Monitor::default();
            let answered = thread::scope(|scope| {
                let listing = scope.spawn(|| {
                    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
                    let list = results::list(&store, &monitor, &options);
                    (list.is_err(), Instant::now())
                });
                thread::sleep(Duration::from_millis(after_ms));
                let asked = Instant::now();
                monitor.cancel();
                let (is_cancelled, ended) = listing.join().expect("nothing panics");
                is_cancelled.then(|| ended.saturating_duration_since(asked))
            });
            if let Some(answered) = answered {
                n_cancelled += 1;
                worst = worst.max(answered);
            }
        }
        print(&format!("{filter:<60}{n_cancelled:>10}{:>10.1}", ms(worst)));
    }
}

/// The difference of two texts of 200 lines, with changed, removed and new lines.
fn differences() {
    const N_LINES: usize = 200;
    const N_PAIRS: u64 = 500;
    let mut times = Series::default();
    for case in 0..N_PAIRS {
        let mut random = Random::new(5, case);
        let (old, new) = texts(&mut random, N_LINES, 1 + case as usize % 6);
        let started = Instant::now();
        black_box(diff::lines(&old, &new));
        times.add_ms(started.elapsed());
    }
    print(&format!(
        "\ndifference of {N_LINES} lines: p50 {:.2} ms, p99 {:.2} ms, worst {:.2} ms (budget 5 ms)",
        times.quantile(50),
        times.quantile(99),
        times.quantile(100)
    ));
}

/// Returns a text, and a copy in which about one line in `every` is different.
fn texts(random: &mut Random, n_lines: usize, every: usize) -> (String, String) {
    let line = |random: &mut Random| {
        let value = random.below(1_000);
        match random.below(4) {
            0 => format!(
                "        assertEquals({value}, subject.compute{}(first, \"text\"));\n",
                value % 7
            ),
            1 => format!(
                "        Value value{value} = factory.make(Kind.OF_{}, {value});\n",
                value % 5
            ),
            2 => "    }\n".to_owned(),
            _ => format!(
                "        subject.set(\"name{}\", value{value});\n",
                value % 11
            ),
        }
    };
    let (mut old, mut new) = (String::new(), String::new());
    for _ in 0..n_lines {
        let this = line(random);
        old.push_str(&this);
        match random.below(every * 3) {
            0 => new.push_str(&line(random)),
            1 => new.push_str(&this.replace("value", "result")),
            2 => {}
            _ => new.push_str(&this),
        }
    }
    (old, new)
}

fn options(filter: &str) -> ResultsOptions {
    ResultsOptions {
        run: Some("second".to_owned()),
        baseline: Some("first".to_owned()),
        filter: parse_filter_in(filter, FieldScope::Run).expect("it is a filter"),
        columns: Columns::default(),
        ..ResultsOptions::default()
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

//! Two runs over a whole index: the cost of loading, selecting and comparing them.

use std::path::Path;
use std::time::Instant;

use focalist::browse::parse_filter;
use focalist::eval::compare::GroupBy;
use focalist::eval::pairing::{Look, RunPairing, Selection};
use focalist::metric::metric;
use focalist::model::{Direction, Filter};
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;

use super::console::print;
use super::memory::memory_mb;
use super::runs;

pub fn run(folder: &Path) {
    runs::add(folder);
    // SQLite and building the index have their own peaks; a separate process would hide the time to open.
    let store = Store::open(folder, StoreAccess::Read).expect("there is an index");
    let monitor = &Monitor::default();
    let metrics = runs::METRICS.map(|text| metric(text).expect("there is such a metric"));
    let started = Instant::now();
    let before = memory_mb("self", "RssAnon");
    let mut pairing = RunPairing::load(
        &store,
        monitor,
        &runs::RUNS.map(|pair| pair.0.to_owned()),
        &metrics,
    )
    .expect("they can be compared");
    say(
        &format!("{} shared samples loaded", pairing.len()),
        &started,
    );
    print(&format!(
        "  {:.0} MB more than before",
        memory_mb("self", "RssAnon") - before
    ));
    let look = pairing.look("rougeL", 1).expect("it was loaded");
    let started = Instant::now();
    let everything = pairing
        .select(&store, monitor, &Filter::default(), look)
        .expect("it is selected");
    say("everything selected", &started);
    let started = Instant::now();
    let filter = parse_filter("weight>=0").expect("a filter");
    let some = pairing.select(&store, monitor, &filter, look);
    say(
        &format!(
            "{} of a filter selected",
            some.expect("it is selected").len()
        ),
        &started,
    );
    compare(&store, &mut pairing, &everything, look);
    let look = pairing.look("bleu", 1).expect("it was loaded");
    compare(&store, &mut pairing, &everything, look);
    let started = Instant::now();
    let slices = pairing
        .slices(&store, monitor, &everything, GroupBy::Length, look, 10, 1)
        .expect("it is sliced");
    say(
        &format!("{} slices by length, 10 draws", slices.len()),
        &started,
    );
    let started = Instant::now();
    let repos = pairing.split((&store, monitor), &everything, GroupBy::Repo, 1);
    say(
        &format!("{} repositories", repos.expect("it is split").len()),
        &started,
    );
}

fn compare(store: &Store, pairing: &mut RunPairing, everything: &Selection, look: Look) {
    let monitor = &Monitor::default();
    let id = look.metric().id;
    let started = Instant::now();
    let mut refining = pairing
        .refining((store, monitor), everything, look, 1)
        .expect("they can be compared");
    let at_once = refining.compared();
    say(
        &format!("{id}: {:?} before any draw", at_once.interval),
        &started,
    );
    let started = Instant::now();
    refining.step(monitor, 1_000).expect("nobody cancels");
    say(&format!("{id}: a step"), &started);
    let started = Instant::now();
    while !refining.step(monitor, 100).expect("nobody cancels") {}
    let drawn = refining.compared();
    say(
        &format!(
            "{id}: {:?} after {} draws",
            drawn.interval, drawn.n_resamples
        ),
        &started,
    );
    let started = Instant::now();
    let places = pairing.by_delta(everything, look, Direction::Ascending);
    say(&format!("{id}: {} places by delta", places.len()), &started);
    let started = Instant::now();
    let histogram = pairing.histogram(everything, look, 20);
    say(&format!("{id}: {:?}", histogram.tally()), &started);
}

fn say(what: &str, started: &Instant) {
    let seconds = started.elapsed().as_secs_f64();
    print(&format!(
        "{seconds:8.3} s  {what} (memory {:.0} MB)",
        memory_mb("self", "RssAnon")
    ));
}

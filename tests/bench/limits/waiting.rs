//! The waiting times of people, compared with SQLite alone opening the same file and reading the same rows.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use focalist::browse;
use focalist::model::Filter;
use focalist::store::{Anchor, Store, StoreAccess};
use rustix::fs::{Advice, fadvise};

use super::child;
use super::clock::elapsed;
use super::console::print;
use super::figures::{Asked, Table};
use super::terminal::Terminal;
use super::{folder, index, workspace};

const ROUNDS: usize = 15;
/// The number of rows that a terminal of 40 lines shows.
const PAGE: usize = 40;
/// Enough samples to measure queries over the whole index, built in a minute or two; an index of a million is given by
/// its folder.
const N_SAMPLES: usize = 40_000;
/// Filters that most, some and few samples pass, and one with another order.
const FILTERS: [&str; 4] = [
    "status:ok",
    "status:ok weight<0.9",
    "repo:project-007 status:abstained",
    "status:ok sort:weight",
];

pub fn measure() {
    let make = |folder: &Path| index::make(folder, index::n_samples(N_SAMPLES), &|_| ());
    folder::with_index("FOCALIST_BENCH_INDEX", &make, &|folder| {
        let workspace = workspace::copied(folder);
        on(workspace.path());
    });
}

fn on(workspace: &Path) {
    let inside = workspace.join(".focalist");
    let index = inside.join(Store::FILE_NAME);
    let store = Store::open(&inside, StoreAccess::Read).expect("the index opens");
    let page = browse::page(&store, &Filter::default(), Anchor::First, 1);
    let key = page
        .expect("it is read")
        .first()
        .map(|sample_row| sample_row.key.to_string());
    let key = key.expect("there are samples");
    let n_samples = store.count(&Filter::default()).expect("the index counts");
    drop(store);
    let size_mb = fs::metadata(&index).map_or(0, |metadata| metadata.len()) as f64 / 1e6;
    print(&format!("{n_samples} samples, {size_mb:.0} MB"));
    programs(workspace, &index, &key);
    frames(workspace, &index);
    filters(&inside, &index);
    let program = fs::metadata(env!("CARGO_BIN_EXE_focalist")).map_or(0, |metadata| metadata.len());
    let mut table = Table::default();
    let asked = Asked::AtMost(40.0);
    table.add("size of the program", "MB", asked, program as f64 / 1e6);
    table.print();
}

/// The event to wait for, the yardstick, and the most milliseconds.
type Wait = (&'static str, &'static str, f64);

/// Adds the time of something, and of its yardstick.
fn add(table: &mut Table, (name, of, most_ms): Wait, seconds: f64, yardstick: f64) {
    table.add(
        name,
        "ms, by the clock",
        Asked::AtMost(most_ms),
        seconds * 1e3,
    );
    table.add(name, of, Asked::Nothing, seconds / yardstick);
}

const HELP: Wait = ("focalist --help", "× a process that reads one row", 15.0);
const SHOW: Wait = ("focalist show KEY", "× a process that reads its row", 15.0);
const FRAME: Wait = ("first frame, cold index", PAGE_READ, 150.0);
const HOME: Wait = ("Home's numbers, cold index", PAGE_READ, 150.0);
const LIST: Wait = ("gs: list of samples", PAGE_READ, 50.0);
const PAGE_READ: &str = "× a process that reads a page";

/// Commands, compared with a process that opens the index and reads rows.
fn programs(workspace: &Path, index: &Path, key: &str) {
    let path = index.to_string_lossy();
    let mut table = Table::default();
    for _ in 0..ROUNDS {
        let row = elapsed(|| quietly(child::command(&["row", &path, key])));
        let help = elapsed(|| quietly(focalist(workspace, &["--help"])));
        add(&mut table, HELP, help, row);
        let show = elapsed(|| quietly(focalist(workspace, &["show", key])));
        add(&mut table, SHOW, show, row);
    }
    table.print();
}

fn focalist(workspace: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
    command.args(words).current_dir(workspace);
    command
}

fn quietly(mut command: Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().expect("the program starts");
    assert!(status.success(), "{command:?} works");
}

/// The terminal UI from its start, after the index was dropped from the system's cache.
fn frames(workspace: &Path, index: &Path) {
    let path = index.to_string_lossy();
    let n = PAGE.to_string();
    let mut table = Table::default();
    for _ in 0..ROUNDS {
        forget(index);
        let rows = elapsed(|| quietly(child::command(&["rows", &path, &n])));
        forget(index);
        let mut terminal = Terminal::start(workspace);
        let at = terminal.wait("a frame", &|screen| screen.contains("focalist"));
        let first = at - terminal.started;
        add(&mut table, FRAME, first.as_secs_f64(), rows);
        let at = terminal.wait("the funnel", &|screen| screen.contains("tests"));
        let whole = at - terminal.started;
        add(&mut table, HOME, whole.as_secs_f64(), rows);
        let stroke = terminal.stroke("gs", &|screen| {
            let line = screen.lines().nth(1).unwrap_or_default();
            line.contains(" 1/")
        });
        add(&mut table, LIST, stroke.painted.as_secs_f64(), rows);
        terminal.quit();
    }
    table.print();
}

/// Tells the system that a file is not needed in memory; the system may keep it.
fn forget(path: &Path) {
    let file = File::open(path).expect("the index opens");
    fadvise(&file, 0, None, Advice::DontNeed).expect("the system takes advice");
}

/// A filter's first page in an index that was just opened, with no list cached.
fn filters(inside: &Path, index: &Path) {
    let mut table = Table::default();
    for text in FILTERS {
        let filter = browse::parse_filter(text).expect("it is a filter");
        for _ in 0..ROUNDS {
            let rows = elapsed(|| child::rows(index, PAGE));
            let time = elapsed(|| {
                let store = Store::open(inside, StoreAccess::Read).expect("the index opens");
                browse::page(&store, &filter, Anchor::First, PAGE).expect("it is read")
            });
            add(&mut table, (text, "× reading a page", 50.0), time, rows);
        }
    }
    table.print();
}

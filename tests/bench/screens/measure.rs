//! What one who looks for failures waits for, and what it takes of memory.

use std::fs;
use std::path::Path;
use std::time::Instant;

use focalist::store::Store;

use super::mining::Mining;
use super::print;
use super::process::{Strokes, idle, index_of, load, memory, ms, starts};
use super::report::{figure, head};
use super::terminal::Terminal;

const N_STARTS: usize = 10;
const N_MOVES: usize = 200;
const N_PALETTES: usize = 10;
/// From a key to the frame that shows it.
const BUDGET: &[(usize, f64)] = &[(99, 16.0)];

/// Measures on a copy of the index in `folder`: nothing of what is mined gets into it.
pub fn measure(folder: &Path) {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is a folder");
    let inside = scratch.path().join(".focalist");
    fs::create_dir(&inside).expect("a folder can be made");
    let copied = fs::copy(index_of(folder), inside.join(Store::FILE_NAME));
    copied.expect("the index can be copied");
    print(&format!("120 × 40, load {}", load()));
    starts(scratch.path(), N_STARTS);
    let mut terminal = Terminal::start(scratch.path());
    terminal.wait("Home", &|screen| screen.contains("tests"));
    results(&mut terminal);
    idle(&terminal);
    memory(&terminal, "after Results");
    compare(&mut terminal);
    palette(&mut terminal);
    memory(&terminal, "after Compare");
    terminal.stroke("gr", &|screen| place(screen).is_some());
    let mining = Mining::start(scratch.path());
    head("mining beside it");
    moves(&mut terminal, "Results: j", "j");
    terminal.stroke("gc", &|screen| screen.contains("summary"));
    terminal.wait("the samples", &|screen| place(screen).is_some());
    moves(&mut terminal, "Compare: j", "j");
    print(&format!(
        "mined {} times meanwhile, load {}",
        mining.stop(),
        load()
    ));
    memory(&terminal, "at the end");
    terminal.quit();
}

/// Opens the list of a run, moves through it and filters it.
fn results(terminal: &mut Terminal) {
    head("Results");
    let started = Instant::now();
    let stroke = terminal.stroke("gr", &|screen| screen.contains("f filters"));
    figure("gr: a frame", ms(stroke.painted), "ms", Some(16.0));
    let at = terminal.wait("the first page", &|screen| is_read(screen, 1));
    figure("gr: the first page", ms(at - started), "ms", None);
    moves(terminal, "j", "j");
    moves(terminal, "k", "k");
    moves(terminal, "a page down", " ");
    let started = Instant::now();
    terminal.stroke("f", &|screen| screen.contains("filter"));
    let stroke = terminal.stroke("bleu<0.2 sort:-bleu\r", &|screen| {
        screen.contains("Esc stops")
    });
    figure(
        "a filter with an order: told how far",
        ms(stroke.painted),
        "ms",
        Some(100.0),
    );
    let at = terminal.wait("the filtered page", &|screen| is_read(screen, 1));
    figure(
        "a filter with an order: its first page",
        ms(at - started),
        "ms",
        None,
    );
    terminal.stroke("f", &|screen| screen.contains("filter"));
    terminal.stroke("\x15\r", &|screen| is_read(screen, 1));
}

/// Compares the two runs, and moves while more is drawn.
fn compare(terminal: &mut Terminal) {
    head("Compare");
    let started = Instant::now();
    let stroke = terminal.stroke("gc", &|screen| screen.contains("compare"));
    figure("gc: a frame", ms(stroke.painted), "ms", Some(16.0));
    let at = terminal.wait("the samples", &|screen| is_read(screen, 1));
    figure(
        "gc: values and the worst samples",
        ms(at - started),
        "ms",
        None,
    );
    moves(terminal, "j, more is drawn underneath", "j");
    let at = terminal.wait("all metrics", &|screen| {
        screen.contains(" 10 000 resamples ┐")
    });
    figure(
        "gc: 10 000 resamples of all metrics",
        ms(at - started),
        "ms",
        None,
    );
    moves(terminal, "j, nothing else goes on", "j");
}

/// Opens the palette and types what finds a screen.
fn palette(terminal: &mut Terminal) {
    head("palette");
    let (mut opened, mut found) = (Strokes::default(), Strokes::default());
    for _ in 0..N_PALETTES {
        opened.add(terminal.stroke("\x10", &|screen| screen.contains("palette")));
        found.add(terminal.stroke("jobs", &|screen| screen.contains("> jobs")));
        terminal.stroke("\x1b", &|screen| !screen.contains("palette"));
    }
    opened.report("^p", BUDGET, None);
    found.report("four letters, found", &[], None);
}

fn moves(terminal: &mut Terminal, name: &str, key: &str) {
    let mut strokes = Strokes::default();
    for _ in 0..N_MOVES {
        let before = place(&terminal.text());
        strokes.add(terminal.stroke(key, &|screen| {
            let now = place(screen);
            now.is_some() && now != before
        }));
    }
    strokes.report(name, BUDGET, None);
}

/// Returns whether the row of a number is selected and there to be read.
fn is_read(screen: &str, number: u64) -> bool {
    let row = screen.lines().find(|it| it.contains('▌'));
    place(screen) == Some(number) && row.is_some_and(|it| !it.contains("▌ …"))
}

/// Returns the first number of `1/1 000 000` in the title of the list.
fn place(screen: &str) -> Option<u64> {
    let titles = screen.lines().filter(|it| it.contains(['┏', '┌']));
    let mut places = titles.filter_map(|it| {
        let (before, after) = it.rsplit_once('/')?;
        let is_count = |it: &char| it.is_ascii_digit() || *it == ' ';
        after
            .starts_with(|it: char| it.is_ascii_digit())
            .then_some(())?;
        let digits: String = before.chars().rev().take_while(is_count).collect();
        let digits = digits.chars().rev().filter(char::is_ascii_digit);
        digits.collect::<String>().parse().ok()
    });
    places.next()
}

//! The UI as a whole: keys in, frames and wishes out, on a list that is made by hand.
//!
//! Frames are kept in `frames/`, glyphs and styles; `UPDATE_EXPECT=1` writes them anew. Read the difference first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthStr;

use crate::task::Phase;
use crate::tui::app::Start;
use crate::tui::event::{Effect, Event, Mouse, MouseKind, Notice};
use crate::tui::fixture;
use crate::tui::jobs::{Answer, Failure, Query};
use crate::tui::stage::Stage;
use crate::tui::theme::{Depth, Theme};
use crate::tui::work::{Ended, Outcome, Progress, Task};

type Answering = fn(&Query) -> Result<Answer, Failure>;

fn start(width: u16, height: u16, theme: &str, depth: Depth) -> Start {
    Start {
        size: Size::new(width, height),
        theme: Theme::named(theme).expect("a theme of the binary"),
        depth,
        filter: None,
    }
}

/// Starts the UI at a size, with plain colours, and presses keys.
fn pressed(width: u16, height: u16, keys: &str) -> Stage<Answering> {
    let start = start(width, height, "ansi16", Depth::Mono);
    let mut stage = Stage::new(start, fixture::answer as Answering);
    stage.press(keys).expect("the script is well-formed");
    stage
}

fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let row = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol());
        let row: String = row.collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn shown(stage: &Stage<Answering>) -> String {
    text(&stage.frame())
}

fn check_shows(keys: &str, expected: &[&str]) {
    let text = shown(&pressed(120, 40, keys));
    for part in expected {
        assert!(
            text.contains(part),
            "`{part}` is missing after `{keys}`:\n{text}"
        );
    }
}

/// Writes glyphs, then one letter per cell for its style, then what the letters mean.
fn push_styles(dump: &mut String, buffer: &Buffer) {
    let describe = |cell: &Cell| format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let alphabet: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
    // The most frequent style is a dot, so that the others stand out.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cell in &buffer.content {
        *counts.entry(describe(cell)).or_default() += 1;
    }
    let plain = counts
        .iter()
        .max_by_key(|(_, n)| **n)
        .map(|(style, _)| style.clone());
    for y in 0..buffer.area.height {
        let mut row = String::new();
        for x in 0..buffer.area.width {
            let style = describe(&buffer[(x, y)]);
            if Some(&style) == plain.as_ref() {
                row.push('.');
                continue;
            }
            let next = alphabet[letters.len().min(alphabet.len() - 1)];
            row.push(*letters.entry(style).or_insert(next));
        }
        dump.push_str(row.trim_end_matches('.'));
        dump.push('\n');
    }
    let mut legend: Vec<(char, String)> =
        letters.into_iter().map(|(style, it)| (it, style)).collect();
    legend.sort();
    for (letter, style) in [('.', plain.unwrap_or_default())].into_iter().chain(legend) {
        writeln!(dump, "{letter} = {style}").expect("a string takes every text");
    }
}

/// Compares a frame with its file: the glyphs once, the styles in three looks.
fn check_frame(name: &str, width: u16, height: u16, keys: &str) {
    check_frame_of(fixture::answer, name, (width, height), keys);
}

fn check_frame_of(answer: Answering, name: &str, (width, height): (u16, u16), keys: &str) {
    let looks = [
        ("dark, true colours", "dark", Depth::True),
        ("16 colours", "ansi16", Depth::Sixteen),
        ("no colours", "ansi16", Depth::Mono),
    ];
    let mut dump = format!("keys: {keys}\n");
    for (idx, (look, theme, depth)) in looks.into_iter().enumerate() {
        let mut stage = Stage::new(start(width, height, theme, depth), answer);
        stage.press(keys).expect("the script is well-formed");
        stage.finish();
        let frame = stage.frame();
        if idx == 0 {
            dump.push_str(&text(&frame));
        }
        writeln!(dump, "── {look}").expect("a string takes every text");
        push_styles(&mut dump, &frame);
    }
    let file = format!("frames/{name}_{width}x{height}.txt");
    expect_file![file].assert_eq(&dump);
}

const SIZES: [(u16, u16); 4] = [(60, 16), (80, 24), (120, 40), (200, 50)];

#[test]
fn home_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("home", width, height, "");
    }
}

#[test]
fn the_list_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("samples", width, height, "gsjj");
    }
}

#[test]
fn a_sample_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("sample", width, height, "gs<enter>/store<cr>");
    }
}

#[test]
fn the_repositories_look_as_they_did() {
    check_frame("repos", 80, 24, "gp");
    check_frame("repos", 120, 40, "gp");
}

#[test]
fn the_runs_look_as_they_did() {
    for (width, height) in SIZES {
        check_frame("runs", width, height, "gR,b");
    }
    check_frame("runs_baseline", 120, 40, "gRcjv");
    check_frame("runs_scrolled", 80, 24, "gRGllllllllllll");
    check_frame("run", 80, 24, "gRG<enter>");
    check_frame("run", 120, 40, "gRjj<enter>");
    check_frame("import", 60, 16, "gRiruns/<tab>");
    check_frame("import", 80, 24, "gRiruns/<tab><tab>");
    check_frame("import_flaw", 80, 24, "gRiruns/carbon.jsonl<cr>");
    check_frame("remove", 80, 24, "gRd");
    check_frame_of(without_runs, "runs_empty", (80, 24), "gR");
}

fn without_runs(query: &Query) -> Result<Answer, Failure> {
    match query {
        Query::Runs => Ok(Answer::Runs(Vec::new())),
        other => fixture::answer(other),
    }
}

/// Lets work end.
fn end(stage: &mut Stage<Answering>, task: Task, outcome: Outcome) {
    let ended = Ended { task, outcome };
    stage.send(Event::Notice(Notice::Ended(Box::new(ended))));
}

#[test]
fn runs_are_sorted_by_any_column_both_ways() {
    let names = ["carbon-ft", "carbon", "zero-shot", "gnu-test", "broken"];
    let check = |keys: &str, expected: [usize; 5]| {
        let text = shown(&pressed(120, 40, keys));
        let mut found: Vec<(usize, &str)> = text
            .lines()
            .skip(4)
            .take(5)
            .enumerate()
            .filter_map(|(row, line)| {
                let name = names
                    .iter()
                    .find(|it| line.split_whitespace().any(|word| word == **it))?;
                Some((row, *name))
            })
            .collect();
        found.sort_unstable();
        let found: Vec<&str> = found.into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, expected.map(|idx| names[idx]), "{keys}\n{text}");
    };
    check("gR", [1, 0, 2, 3, 4]);
    check("gR,b", [0, 1, 2, 3, 4]);
    check("gR,b,b", [2, 1, 0, 3, 4]);
    check("gR,u", [0, 1, 2, 3, 4]);
    check("gR,n", [4, 1, 0, 3, 2]);
    check("gR,n,n", [2, 3, 0, 1, 4]);
    check("gR,b,,", [1, 0, 2, 3, 4]);
    // The column with the cursor: samples, problems after two more.
    check("gRlllss", [1, 0, 2, 3, 4]);
    check("gRllll,c", [1, 0, 2, 3, 4]);
    check("gRlllls,c", [4, 1, 0, 2, 3]);
    check_shows("gR,x", &["EM▼"]);
    check_shows("gR,b", &["sorted by BLEU ▼", "BLEU▼"]);
    check_shows("gR,b,b", &["sorted by BLEU ▲", "BLEU▲"]);
}

#[test]
fn values_turn_from_all_to_parsable_to_adjusted() {
    check_shows("gR", &["34.42", "percent over all answers"]);
    check_shows("gRv", &["35.11", "percent over those that parse"]);
    // 0.3442 · 1.02 · (1 − 0.031)
    check_shows("gRvv", &["34.02", "percent adjusted"]);
    check_shows("gRvvv", &["34.42", "over all answers"]);
}

#[test]
fn a_baseline_turns_values_into_differences() {
    check_shows("gRc", &["+7.45", "−15.12", "points to carbon", "◆"]);
    check_shows("gRcj", &["+7.45*"]);
    check_shows("gRGc", &["broken is not evaluated", "41.87"]);
    for ended in ["gRcc", "gRc<esc>"] {
        let text = shown(&pressed(120, 40, ended));
        assert!(!text.contains("+7.45") && text.contains("41.87"), "{text}");
    }
}

#[test]
fn the_run_under_the_cursor_is_told_in_full() {
    check_shows(
        "gRjj",
        &[
            "zero-shot",
            "2 are not what they were",
            "0, now 1",
            "† outdated",
        ],
    );
    check_shows("gRj", &["4 · 0.50 %", "512 tokens"]);
    check_shows(
        "gRG",
        &["line 12", "`xyz` is no sample's key", "was there␇ before"],
    );
    check_shows(
        "gRjjj",
        &["gpt⟨202E⟩4", "1 000/5 000", "… not computed to the end"],
    );
    check_shows("gR<enter>", &["2026-05-04 08:30 UTC"]);
    assert!(!shown(&pressed(120, 40, "gR<enter>")).contains("zero-shot"));
    assert!(shown(&pressed(120, 40, "gR<enter><esc>")).contains("zero-shot"));
}

#[test]
fn many_runs_and_problems_scroll() {
    fn answer(query: &Query) -> Result<Answer, Failure> {
        let first = fixture::runs().remove(4);
        Ok(match query {
            Query::Runs => Answer::Runs(
                (0..1_000)
                    .map(|id| {
                        let mut run = first.clone();
                        run.id = id;
                        run.setting.name = format!("run-{id}");
                        run.n_problems = 10_000;
                        run
                    })
                    .collect(),
            ),
            Query::RunProblems(run) => {
                let Answer::RunProblems(_, problems) = fixture::answer(query)? else {
                    return fixture::answer(query);
                };
                let problems = problems.iter().cycle().take(10_000).cloned();
                Answer::RunProblems(*run, problems.collect())
            }
            other => return fixture::answer(other),
        })
    }
    for (width, height) in SIZES {
        let mut stage = Stage::new(
            start(width, height, "dark", Depth::True),
            answer as Answering,
        );
        stage.press("gRG").expect("well-formed");
        let text = shown(&stage);
        assert!(
            text.contains("1 000/1 000") && text.contains("run-999"),
            "{text}"
        );
        stage.press("gg<c-f><c-d>k").expect("well-formed");
        stage.press("<enter>G").expect("well-formed");
        let text = shown(&stage);
        assert!(
            text.contains("line 7") && !text.contains("more ┐"),
            "{text}"
        );
        stage.press("<esc>jJJK").expect("well-formed");
        assert!(shown(&stage).contains("runs ━"));
    }
}

#[test]
fn home_lists_the_last_runs_and_opens_them() {
    check_shows("", &["last runs", "broken", "not evaluated", "BLEU 19.30"]);
    let n_downs = (0..30).find(|n| {
        let mut stage = pressed(120, 40, "l");
        stage.press(&"j".repeat(*n)).expect("well-formed");
        shown(&stage).contains("Enter: run zero-shot")
    });
    let keys = format!("l{}<enter>", "j".repeat(n_downs.expect("it is listed")));
    check_shows(&keys, &["3/5"]);
}

#[test]
fn a_run_is_copied_with_its_head() {
    let wanted = wanted("gRyy");
    let [Effect::Copy(text)] = wanted.as_slice() else {
        panic!("{wanted:?}");
    };
    assert!(text.starts_with("name\tmodel\ttarget\tsamples\t"), "{text}");
    assert_eq!(text.lines().count(), 2);
    check_shows("gRym", &["copied the table as Markdown"]);
}

#[test]
fn an_import_is_begun_watched_and_ended() {
    let mut stage = pressed(120, 40, "gRiruns/caesium.jsonl<cr>");
    let [Effect::Work(task)] = stage.wanted.as_slice() else {
        panic!("{:?}\n{}", stage.wanted, shown(&stage));
    };
    let task = task.clone();
    assert!(matches!(&task, Task::Import(it) if it.setting.name == "caesium"));
    assert!(shown(&stage).contains("importing caesium · starting · ^c stops"));
    let progress = Progress {
        phase: Phase::Reading,
        n_done: 12_000,
        n_total: 0,
        n_problems: 3,
    };
    stage.send(Event::Notice(Notice::Progress(progress)));
    // On every screen.
    stage.press("gs").expect("well-formed");
    let text = shown(&stage);
    assert!(
        text.contains("reading 12 000 · 3 problems · ^c stops"),
        "{text}"
    );
    // One at a time.
    stage.press("gRe").expect("well-formed");
    assert_eq!(stage.wanted.len(), 1);
    assert!(shown(&stage).contains("one thing at a time"));
    stage.app.take_dirty();
    end(
        &mut stage,
        task,
        Outcome::Done("imported caesium".to_owned()),
    );
    let text = shown(&stage);
    assert!(
        text.contains("imported caesium") && !text.contains("^c stops"),
        "{text}"
    );
    // News that come late change nothing.
    stage.app.take_dirty();
    stage.send(Event::Notice(Notice::Progress(progress)));
    assert!(!stage.app.take_dirty());
}

#[test]
fn work_is_stopped_by_cancel_and_quitting_asks() {
    let mut stage = pressed(120, 40, "gRe<c-c>");
    let task = Task::Evaluate {
        runs: vec!["carbon".to_owned()],
        metrics: Vec::new(),
    };
    assert_eq!(stage.wanted, [Effect::Work(task.clone()), Effect::StopWork]);
    assert!(shown(&stage).contains("stopping …"));
    stage.press("<esc>q").expect("well-formed");
    assert!(shown(&stage).contains("evaluating carbon is not done; stop it and quit?"));
    assert_eq!(stage.wanted.len(), 2);
    // The question goes with its reason.
    end(
        &mut stage,
        task,
        Outcome::Stopped("evaluation stopped".to_owned()),
    );
    let text = shown(&stage);
    assert!(
        text.contains("evaluation stopped") && !text.contains("quit?"),
        "{text}"
    );
    assert_eq!(wanted("gREqqy").last(), Some(&Effect::Quit));
    assert_eq!(wanted("gREqqn").len(), 1);
}

#[test]
fn what_went_wrong_is_told_with_what_to_do() {
    let mut stage = pressed(80, 24, "gRE");
    let task = Task::Evaluate {
        runs: Vec::new(),
        metrics: Vec::new(),
    };
    let failed = Outcome::Failed {
        text: "`index.db` is being written by another process".to_owned(),
        hint: "try again when it has ended".to_owned(),
    };
    end(&mut stage, task, failed);
    let text = shown(&stage);
    assert!(
        text.contains("that failed") && text.contains("try again when"),
        "{text}"
    );
    stage.press("<esc>").expect("well-formed");
    assert!(!shown(&stage).contains("that failed"));
    stage.press("E").expect("well-formed");
    let task = Task::Evaluate {
        runs: Vec::new(),
        metrics: Vec::new(),
    };
    let doubtful = Outcome::Doubtful {
        text: "evaluated 5 runs".to_owned(),
        warning: "crystalbleu: the training split has 3 tokens".to_owned(),
    };
    // Whoever types goes on typing.
    stage.press("i").expect("well-formed");
    end(&mut stage, task, doubtful);
    let text = shown(&stage);
    assert!(
        text.contains("import predictions") && text.contains("evaluated 5 runs"),
        "{text}"
    );
}

#[test]
fn a_run_is_removed_only_after_a_yes() {
    let remove = Effect::Work(Task::Remove {
        run: "carbon".to_owned(),
    });
    assert_eq!(wanted("gRdy"), [remove]);
    for no in ["gRdn", "gRd<esc>", "gRd<enter>", "gRdd", "gRdqj"] {
        assert_eq!(wanted(no), [], "{no}");
    }
}

#[test]
fn a_run_is_evaluated_with_metrics_that_are_named() {
    let evaluate = Effect::Work(Task::Evaluate {
        runs: vec!["carbon".to_owned()],
        metrics: vec!["crystalbleu", "em"],
    });
    assert_eq!(wanted("gRm<c-u>em cry<tab><cr>"), [evaluate]);
    check_shows("gRm<c-u>em crystalblue <cr>", &["no metric `crystalblue`"]);
    check_shows("gRmcry<tab>", &["BLEU without the k n-grams"]);
    check_frame("metrics", 80, 24, "gRmble<tab>");
}

#[test]
fn a_form_that_is_left_keeps_what_was_typed() {
    check_shows("gRiruns/ca<esc>i", &["runs/ca", "caesium.jsonl"]);
    check_shows("gRiruns/ca<c-c>i", &["runs/ca"]);
    // A file that is not there.
    check_shows("gRinowhere<cr>", &["there is no such file"]);
    check_shows("gRi<cr>", &["which file?"]);
}

#[test]
fn without_runs_every_key_says_what_to_do() {
    let mut stage = Stage::new(
        start(80, 24, "dark", Depth::True),
        without_runs as Answering,
    );
    for keys in ["gRe", "E", "d", "c", "yy", "sv<enter>"] {
        stage.press(keys).expect("well-formed");
        assert_eq!(stage.wanted, [], "{keys}");
    }
    let text = shown(&stage);
    assert!(text.contains("focalist import --run NAME"), "{text}");
}

#[test]
fn what_lies_over_a_screen_looks_as_it_did() {
    check_frame("help", 80, 24, "gs?sort");
    check_frame("which_key", 80, 24, "gsg");
    check_frame("filter", 80, 24, "gsfsta<tab>");
    check_frame("filter_flaw", 80, 24, "gsfstatsu:tie ");
    check_frame("facts", 80, 24, "gs<enter>I");
    check_frame("why_contest", 80, 24, "gs<enter>i");
    check_frame("unmapped", 80, 24, "gsjjj<enter>");
}

#[test]
fn weighed_candidates_look_as_they_did() {
    for size in [(80, 24), (120, 40)] {
        check_frame_of(fixture::answer_weighed, "weighed", size, "gs<enter>");
        check_frame_of(fixture::answer_weighed, "why", size, "gs<enter>i");
    }
    check_frame_of(fixture::answer_weighed, "why", (60, 16), "gs<enter>i");
    check_frame_of(
        fixture::answer_weighed,
        "why_long",
        (80, 24),
        "gs<enter>ijj",
    );
    check_frame_of(
        fixture::answer_weighed,
        "why_abstained",
        (80, 24),
        "gsjjj<enter>ij",
    );
}

#[test]
fn why_follows_the_candidate_and_the_sample() {
    check_shows(
        "gs<enter>i",
        &[
            "why · 1 of 3 · Verifier.verify",
            "picked by the test's name",
        ],
    );
    check_shows(
        "gs<enter>ij",
        &["why · 2 of 3 · TokenStore.size", "not picked"],
    );
    check_shows("gs<enter>ijjjk", &["why · 2 of 3"]);
    check_shows(
        "gs<enter>i}}}",
        &["why · 1 of 3", "Several candidates share"],
    );
    // In the list, too; the list itself stays where it is.
    check_shows("gsij", &["why · 2 of 3", "1/812"]);
    for closed in [
        "gs<enter>ii",
        "gs<enter>i<esc>",
        "gs<enter>iq",
        "gs<enter>iI",
    ] {
        assert!(
            !shown(&pressed(120, 40, closed)).contains("why ·"),
            "{closed}"
        );
    }
}

#[test]
fn below_the_smallest_size_one_line_says_so_and_keys_still_work() {
    let mut stage = pressed(59, 16, "");
    assert_eq!(shown(&stage).trim(), "focalist needs 60×16 · q quits");
    stage.press("gs").expect("well-formed");
    stage.send(Event::Resize(Size::new(60, 16)));
    assert!(shown(&stage).contains("samples"));
    for (width, height) in [(1, 1), (0, 0), (2, 30), (300, 1)] {
        stage.send(Event::Resize(Size::new(width, height)));
        assert!(stage.frame().content.len() <= 300 * 60);
    }
}

#[test]
fn an_empty_workspace_offers_demo_and_mine() {
    let nothing: Answering = |_| Err(Failure::NoIndex);
    let mut stage = Stage::new(start(80, 24, "dark", Depth::True), nothing);
    let home = shown(&stage);
    assert!(
        home.contains("focalist demo") && home.contains("focalist mine"),
        "{home}"
    );
    stage
        .press("gRie<esc>gsj<enter>?<esc>gp")
        .expect("well-formed");
    assert!(shown(&stage).contains("nothing has been mined here yet"));
}

#[test]
fn a_damaged_index_is_said_and_does_not_end_the_program() {
    let broken: Answering = |_| Err(Failure::Other("`index.db` is damaged".to_owned()));
    let stage = Stage::new(start(80, 24, "dark", Depth::True), broken);
    assert!(shown(&stage).contains("`index.db` is damaged"));
}

#[test]
fn the_list_opens_a_sample_and_comes_back() {
    check_shows(
        "gsjj",
        &["3/812", "test · VerifierTest.rejectsExpiredToken2"],
    );
    check_shows("gsjj<enter>", &["candidates (3)", "setup context (2)"]);
    check_shows("gsjj<enter><esc>", &["samples", "3/812"]);
    check_shows("gsG", &["812/812"]);
    check_shows("gs<c-f>gg", &["1/812"]);
    check_shows("gs<enter>}}{", &["2/812"]);
}

#[test]
fn a_line_of_the_funnel_opens_its_tests() {
    check_shows("<enter>", &["every test"]);
    check_shows("jj<enter>", &["status:ok"]);
}

#[test]
fn a_sort_shows_in_the_filter_and_turns_round() {
    check_shows("gs,w", &["sort:-weight"]);
    check_shows("gs,w,w", &["sort:weight"]);
    check_shows("gs,w,,", &["every test"]);
}

#[test]
fn a_search_finds_and_says_how_often() {
    check_shows("gs<enter>/store<cr>", &["store: 1 of 6"]);
    check_shows("gs<enter>/store<cr>nn", &["store: 3 of 6"]);
    check_shows("gs<enter>/store<cr>N", &["store: 6 of 6"]);
    check_shows("gs<enter>/nowhere<cr>", &["nowhere: not in this pane"]);
}

#[test]
fn panes_are_walked_around() {
    let title = |keys: &str| {
        let text = shown(&pressed(120, 40, keys));
        let line = text
            .lines()
            .find(|line| line.contains('┏'))
            .unwrap_or_default();
        let title = line.split('┏').nth(1).unwrap_or_default();
        title.trim_start().chars().take(7).collect::<String>()
    };
    assert_eq!(title("gs<enter>"), "test · ");
    assert_eq!(title("gs<enter><tab>"), "focal ·");
    assert_eq!(title("gs<enter><tab><tab>"), "setup c");
    assert_eq!(title("gs<enter><tab><tab><tab>"), "focal c");
    assert_eq!(title("gs<enter><s-tab>"), "candida");
    assert_eq!(title("gs<enter><tab><tab><tab><tab><tab>"), "test · ");
}

#[test]
fn a_slip_after_a_prefix_shows_what_would_have_been_right() {
    check_shows("gz", &["g …", "Samples: every test"]);
    assert!(!shown(&pressed(120, 40, "gzz")).contains("g …"));
    assert!(!shown(&pressed(120, 40, "g<esc>")).contains("g …"));
}

#[test]
fn the_menu_waits_for_the_time_of_its_own_prefix() {
    let mut stage = pressed(120, 40, "g");
    assert!(!shown(&stage).contains("g …"));
    stage.finish();
    assert!(shown(&stage).contains("g …"));
}

#[test]
fn the_help_filters_and_runs() {
    check_shows("?", &["Help · Home"]);
    check_shows("gs?turn round", &["sort by weight"]);
    check_shows("gs?turn round<cr>", &["sort:-weight"]);
    check_shows("?xyzzy", &["no action holds these words"]);
}

#[test]
fn a_wrong_filter_is_marked_and_changes_nothing() {
    check_shows("gsfstatsu:tie<cr>", &["no field `statsu`", "every test"]);
    check_shows("gsfstatus:tie<cr>", &["status:tie · 1/812"]);
    check_shows("gsfsta<tab>", &["status:"]);
    check_shows("gsfsta<tab><tab>", &["stage:"]);
}

fn wanted(keys: &str) -> Vec<Effect> {
    pressed(120, 40, keys).wanted
}

#[test]
fn the_editor_opens_at_the_line_of_what_has_the_focus() {
    let edit = |path: &str, line| Effect::Edit {
        path: format!("repositories/kit/{path}").into(),
        line,
    };
    let (test, focal) = (
        "src/test/java/kit/VerifierTest.java",
        "src/main/java/kit/Verifier.java",
    );
    assert_eq!(wanted("gse"), [edit(test, 42)]);
    assert_eq!(wanted("gs<enter><tab>e"), [edit(focal, 88)]);
    assert_eq!(wanted("gs<enter>]e"), [edit(test, 47)]);
}

#[test]
fn a_copy_is_said_with_its_size() {
    assert_eq!(wanted("gsyi"), [Effect::Copy("0".repeat(32))]);
    assert_eq!(
        wanted("gsyp"),
        [Effect::Copy(
            "src/test/java/kit/VerifierTest.java:42".to_owned()
        )]
    );
    check_shows(
        "gs<enter><tab>yy",
        &["copied the focal method · 323 B · OSC 52"],
    );
}

#[test]
fn quitting_needs_home_or_two_cancels() {
    assert_eq!(wanted("q"), [Effect::Quit]);
    assert_eq!(wanted("gs<enter>qqq"), [Effect::Quit]);
    assert_eq!(wanted("gs<enter>qq"), []);
    assert_eq!(wanted("<esc><esc><esc>"), []);
    assert_eq!(wanted("<c-c>j<c-c>"), []);
    assert_eq!(wanted("<c-c><c-c>"), [Effect::Quit]);
    assert_eq!(wanted("gsf<c-c><c-c>"), [Effect::Quit]);
}

#[test]
fn pasted_text_is_text_and_never_keys() {
    let mut stage = pressed(120, 40, "gs");
    stage.send(Event::Paste("qqqq".to_owned()));
    assert_eq!(stage.wanted, []);
    stage.press("f").expect("well-formed");
    stage.send(Event::Paste("status:tie\n".to_owned()));
    assert!(shown(&stage).contains("status:tie"));
}

#[test]
fn the_wheel_and_a_click_work_where_they_are_allowed() {
    let mut stage = pressed(120, 40, "gs");
    let mouse = |x, y, kind| {
        Event::Mouse(Mouse {
            at: Position::new(x, y),
            kind,
        })
    };
    stage.send(mouse(10, 8, MouseKind::Click));
    assert!(shown(&stage).contains("5/812"));
    stage.send(mouse(10, 8, MouseKind::WheelDown));
    assert!(shown(&stage).contains("6/812"));
    // Some terminals report places far outside.
    stage.send(mouse(u16::MAX, u16::MAX, MouseKind::Click));
    assert!(stage.frame().content.len() <= 300 * 60);
}

#[test]
fn an_answer_to_an_old_question_changes_nothing() {
    let mut stage = pressed(120, 40, "gs");
    stage.app.take_dirty();
    stage.send(Event::Reply(crate::tui::jobs::Reply {
        slot: crate::tui::jobs::Slot::Count,
        generation: 0,
        answer: Ok(Answer::Count(3)),
    }));
    assert!(!stage.app.take_dirty());
    assert!(shown(&stage).contains("1/812"));
}

#[test]
fn code_shows_what_cannot_be_seen_and_wraps_under_its_indent() {
    let text = shown(&pressed(120, 40, "gs<enter>"));
    assert!(text.contains("⟨202E⟩tab and bidi"), "{text}");
    assert!(text.contains('↪'), "{text}");
    assert!(text.contains("47 S▶ "), "{text}");
    assert!(text.contains("48 A  "), "{text}");
    let cut = shown(&pressed(120, 40, "gs<enter>w"));
    assert!(!cut.contains('↪') && cut.contains('›'), "{cut}");
}

fn arbitrary_event() -> impl Strategy<Value = Event> {
    let keys = "abcdefghijklmnopqrstuvwxyzEGNJKR/?,{}[] :<0123456789";
    let key = prop::sample::select(keys.chars().collect::<Vec<_>>())
        .prop_map(|char| Event::Key(crate::tui::key::Key::char(char)));
    let named = prop::sample::select(vec![
        "<enter>", "<esc>", "<tab>", "<s-tab>", "<bs>", "<c-d>", "<c-u>", "<c-f>", "<c-b>",
        "<c-l>", "<c-w>", "<up>", "<down>", "<left>", "<right>", "<home>", "<end>", "<del>", "gs",
        "gh", "gp", "yy", ",w", "gR", "gR", "ym", ",c", ",,",
    ]);
    let named = named.prop_map(|it| {
        let keys = crate::tui::key::parse(it).expect("well-formed");
        Event::Key(*keys.last().expect("at least one"))
    });
    let size =
        (0u16..220, 0u16..60).prop_map(|(width, height)| Event::Resize(Size { width, height }));
    let paste = "\\PC{0,12}".prop_map(Event::Paste);
    let kind = prop::sample::select(vec![
        MouseKind::Click,
        MouseKind::WheelDown,
        MouseKind::WheelUp,
    ]);
    let mouse = (any::<u16>(), any::<u16>(), kind).prop_map(|(x, y, kind)| {
        Event::Mouse(Mouse {
            at: Position::new(x, y),
            kind,
        })
    });
    prop_oneof![12 => key, 8 => named, 1 => size, 1 => paste, 2 => mouse]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_storm_of_events_never_panics_and_leaves_no_control_character(
        events in prop::collection::vec(arbitrary_event(), 1..150),
    ) {
        let mut stage = pressed(100, 30, "gs");
        let mut frame = stage.frame();
        for event in events {
            stage.send(event);
            frame = stage.frame();
        }
        for cell in &frame.content {
            prop_assert!(!cell.symbol().chars().any(char::is_control), "{:?}", cell.symbol());
            prop_assert!(cell.symbol().is_empty() || cell.symbol().width() > 0);
        }
    }
}

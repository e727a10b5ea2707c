//! The UI as a whole: keys in, frames and effects out, on a made-up list.
//!
//! [`frames`] keeps the frames.

mod annotator;
pub mod bench;
mod config;
mod frames;
mod palette;
mod session;

pub use frames::{check_frame, check_frame_of};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthStr;

use crate::app::UiStart;
use crate::config::Config;
use crate::event::{Effect, Mouse, MouseKind, UiEvent};
use crate::fixture;
use crate::fixture::AnswerResult;
use crate::question::shared::SampleCountQuestion;
use crate::question::{AnyQuestion, Question, QuestionFailure, QuestionReply};
use crate::review::ReviewOptions;
use crate::stage::UiStage;
use crate::theme::{Depth, Theme};

pub type Answering = fn(&dyn AnyQuestion) -> AnswerResult;

/// Makes a start at a size.
pub fn start(width: u16, height: u16, theme: &str, depth: Depth) -> UiStart {
    UiStart {
        size: Size::new(width, height),
        config: Config::default(),
        theme: Theme::named(theme).expect("a theme of the binary"),
        depth,
        filter: None,
        session: crate::config::Session::default(),
        clipboard: crate::term::Clipboard::default(),
        reviewing: ReviewOptions {
            annotator: "ada".to_owned(),
            ..ReviewOptions::default()
        },
        is_reviewing: false,
        verbs: focalist_cli::verbs(),
        is_picking: false,
        global: Vec::new(),
    }
}

/// Starts the UI at a size, with plain colours, and presses keys.
pub fn pressed(width: u16, height: u16, keys: &str) -> UiStage<Answering> {
    let start = start(width, height, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, fixture::answer as Answering);
    stage.press(keys).expect("the script is well-formed");
    stage
}

pub fn wanted(keys: &str) -> Vec<Effect> {
    pressed(120, 40, keys).other_effects
}

pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let row = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol());
        let row: String = row.collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

pub fn shown(stage: &UiStage<Answering>) -> String {
    text(&stage.frame())
}

pub fn check_shows(keys: &str, expected: &[&str]) {
    let text = shown(&pressed(120, 40, keys));
    for part in expected {
        assert!(
            text.contains(part),
            "`{part}` is missing after `{keys}`:\n{text}"
        );
    }
}

pub const SIZES: [(u16, u16); 4] = [(60, 16), (80, 24), (120, 40), (200, 50)];

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
fn below_the_smallest_size_one_line_says_so_and_keys_still_work() {
    let mut stage = pressed(59, 16, "");
    assert_eq!(shown(&stage).trim(), "focalist needs 60×16 · q quits");
    stage.press("gs").expect("well-formed");
    stage.send(UiEvent::Resize(Size::new(60, 16)));
    assert!(shown(&stage).contains("samples"));
    for (width, height) in [(1, 1), (0, 0), (2, 30), (300, 1)] {
        stage.send(UiEvent::Resize(Size::new(width, height)));
        assert!(stage.frame().content.len() <= 300 * 60);
    }
}

#[test]
fn an_empty_workspace_offers_demo_and_mine() {
    let nothing: Answering = |_| Err(QuestionFailure::NoIndex);
    let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), nothing);
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
fn what_there_is_nothing_of_is_said_in_whole_sentences_on_a_narrow_screen() {
    let nothing: Answering = |_| Err(QuestionFailure::NoIndex);
    for (keys, expected) in [
        ("gk", "there is no index here yet"),
        ("gq", "there is no index here yet"),
        ("gc", "nothing has been mined here yet · gh says how"),
    ] {
        let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), nothing);
        stage.press(keys).expect("well-formed");
        let text = shown(&stage);
        assert!(text.contains(expected), "after `{keys}`:\n{text}");
    }
    // Nothing can be judged, and nothing is offered.
    let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), nothing);
    stage.press("ga").expect("well-formed");
    assert!(!shown(&stage).contains("a accept"), "{}", shown(&stage));
}

#[test]
fn a_damaged_index_is_said_and_does_not_end_the_program() {
    let broken: Answering = |_| Err(QuestionFailure::Other("`index.db` is damaged".to_owned()));
    let stage = UiStage::new(start(80, 24, "dark", Depth::True), broken);
    assert!(shown(&stage).contains("`index.db` is damaged"));
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
    check_shows("gs?reverse", &["sort by weight"]);
    check_shows("gs?reverse<cr>", &["sort:-weight"]);
    check_shows("?xyzzy", &["no action contains these words"]);
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
    stage.send(UiEvent::Paste("qqqq".to_owned()));
    assert_eq!(stage.other_effects, []);
    stage.press("f").expect("well-formed");
    stage.send(UiEvent::Paste("status:tie\n".to_owned()));
    assert!(shown(&stage).contains("status:tie"));
}

#[test]
fn the_wheel_and_a_click_work_where_they_are_allowed() {
    let mut stage = pressed(120, 40, "gs");
    let mouse = |x, y, kind| {
        UiEvent::Mouse(Mouse {
            at: Position::new(x, y),
            kind,
        })
    };
    stage.send(mouse(10, 8, MouseKind::Click));
    assert!(shown(&stage).contains("5/812"));
    stage.send(mouse(10, 8, MouseKind::WheelDown));
    assert!(shown(&stage).contains("6/812"));
    // Some terminals report places far outside the screen.
    stage.send(mouse(u16::MAX, u16::MAX, MouseKind::Click));
    assert!(stage.frame().content.len() <= 300 * 60);
}

#[test]
fn a_click_on_a_tab_goes_to_its_screen_and_two_clicks_open() {
    let click = |stage: &mut UiStage<Answering>, (x, y), kind| {
        let at = Position::new(x, y);
        stage.send(UiEvent::Mouse(Mouse { at, kind }));
    };
    let column = |stage: &UiStage<Answering>, word: &str| {
        let text = shown(stage);
        let top = text.lines().next().expect("there is a bar");
        top.find(word).expect("the tab is there") as u16
    };
    let mut stage = pressed(200, 50, "gs");
    for (word, expected) in [
        ("Repos", "repositories"),
        ("Clover", "files in the prompt"),
        ("Consistency", "similarity in %"),
        ("Home", "funnel"),
    ] {
        let x = column(&stage, word);
        click(&mut stage, (x, 0), MouseKind::Click);
        let text = shown(&stage);
        assert!(text.contains(expected), "{word}: {text}");
    }
    // The name of the program is no tab, and neither is the text on the right.
    for x in [2, 199] {
        click(&mut stage, (x, 0), MouseKind::Click);
        assert!(shown(&stage).contains("funnel"));
    }
    stage.press("gs").expect("well-formed");
    click(&mut stage, (10, 8), MouseKind::Click);
    click(&mut stage, (10, 8), MouseKind::DoubleClick);
    assert!(shown(&stage).contains("Samples › Sample"));
}

#[test]
fn an_answer_to_an_old_question_changes_nothing() {
    let mut stage = pressed(120, 40, "gs");
    stage.app.take_dirty();
    stage.send(UiEvent::Reply(QuestionReply {
        slot: SampleCountQuestion::SLOT,
        generation: 0,
        answer: Ok(Box::new(3u64)),
    }));
    assert!(!stage.app.take_dirty());
    assert!(shown(&stage).contains("1/812"));
}

fn arbitrary_event() -> impl Strategy<Value = UiEvent> {
    let keys = "abcdefghijklmnopqrstuvwxyzEGNJKRSF/?,{}[] :<@#>0123456789";
    let key = prop::sample::select(keys.chars().collect::<Vec<_>>())
        .prop_map(|char| UiEvent::Key(crate::key::KeyPress::char(char)));
    let named = prop::sample::select(vec![
        "<enter>", "<esc>", "<tab>", "<s-tab>", "<bs>", "<c-d>", "<c-u>", "<c-f>", "<c-b>",
        "<c-l>", "<c-w>", "<up>", "<down>", "<left>", "<right>", "<home>", "<end>", "<del>", "gs",
        "gh", "gc", "gp", "yy", ",w", "gR", "gR", "ym", ",c", ",,", "<c-p>",
    ]);
    let named = named.prop_map(|named| {
        let keys = crate::key::parse(named).expect("well-formed");
        UiEvent::Key(*keys.last().expect("at least one"))
    });
    let size =
        (0u16..220, 0u16..60).prop_map(|(width, height)| UiEvent::Resize(Size { width, height }));
    let paste = "\\PC{0,12}".prop_map(UiEvent::Paste);
    let kind = prop::sample::select(vec![
        MouseKind::Click,
        MouseKind::DoubleClick,
        MouseKind::WheelDown,
        MouseKind::WheelUp,
    ]);
    let mouse = (any::<u16>(), any::<u16>(), kind).prop_map(|(x, y, kind)| {
        UiEvent::Mouse(Mouse {
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

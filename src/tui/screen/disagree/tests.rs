//! Ruling on disagreements: keys in, adjudications on disk and the next conflict on the screen.
//!
//! Frames show conflicts made by hand; events go into a real file of verdicts beside a real index.

use proptest::prelude::*;

use crate::event::{Effect, Notice, UiEvent};
use crate::key::KeyPress;
use crate::keymap::{Command, KeyContext, actions};
use crate::model::{Event, EventKind, Judgement, Verdict};
use crate::review::{ReviewOptions, VerdictChoice, judged};
use crate::screen::Screen;
use crate::screen::disagree::TOKENS;
use crate::screen::disagree::fixture::{answer_alone, answer_three};
use crate::scribe::{ScribeFailure, ScribeReply};
use crate::stage::UiStage;
use crate::store::testing::{counter_repo, key_of, store_with};
use crate::store::{StoreAccess, Verdicts};
use crate::tests::bench::Bench;
use crate::tests::{
    Answering, SIZES, check_frame, check_frame_of, check_shows, pressed, shown, start,
};
use crate::theme::Depth;

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("disagree", width, height, "gd");
    }
    check_frame("disagree_reason", 80, 24, "gd!2the<space>store");
    check_frame("disagree_sample", 80, 24, "gd<enter>");
    check_frame("disagree_full", 120, 40, "gdj<enter><enter>.");
    check_frame("disagree_ruled", 120, 40, "gdG");
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let keys = "gd<s-tab>]jl";
        check_frame_of(answer_three, "disagree_three", (width, height), keys);
        check_frame_of(answer_alone, "disagree_alone", (width, height), "gd");
    }
}

#[test]
fn each_number_beside_a_matrix_is_of_the_pair_that_it_shows() {
    let start = start(200, 50, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, answer_three as Answering);
    let row = |stage: &UiStage<Answering>, name: &str| {
        let text = shown(stage);
        let found = text.lines().find(|line| line.contains(name));
        let row = found.unwrap_or_else(|| panic!("`{name}` is missing:\n{text}"));
        let cells = row.split(name).nth(1).unwrap_or_default();
        let cells: Vec<&str> = cells
            .split('│')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        cells.join(" ")
    };
    // The first two agree on all nine, the first and the last on none of theirs; among all three it is 78 %.
    stage.press("gd").expect("the script is well-formed");
    assert_eq!(row(&stage, "│ none "), "· 9 · · 100 %");
    stage.press("]").expect("the script is well-formed");
    assert_eq!(row(&stage, "│ none "), "· · · · 0 %");
    stage.press("]").expect("the script is well-formed");
    assert_eq!(row(&stage, "│ accept "), "20 · · · 95 %");
}

const ACCEPT: VerdictChoice = VerdictChoice::Plain(Judgement::Accept);
const NO_FOCAL: VerdictChoice = VerdictChoice::Plain(Judgement::NoFocal);

/// Opens an index of six tests for grace, who rules: bob and cyd differ on three and agree on one; dan is not sure of
/// one.
fn bench(keys: &str) -> Bench {
    bench_with(&ACCEPT, keys)
}

/// Opens the same with another choice of cyd on the last one.
fn bench_with(last: &VerdictChoice, keys: &str) -> Bench {
    let (folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let mut say = |who: &str, repo: &str, test: &str, choice: &VerdictChoice| {
        let judged = judged(&store, &key_of(repo, test), choice).expect("it can be judged");
        let kinds = vec![EventKind::Judged(judged)];
        verdicts.append(who, 1_000, kinds).expect("it is written");
    };
    for (repo, test, choice) in [
        ("a", "testInc", &NO_FOCAL),
        ("a", "testAdd", &NO_FOCAL),
        (
            "b",
            "testInc",
            &VerdictChoice::Plain(Judgement::NoneOfThese),
        ),
        ("b", "testAdd", last),
    ] {
        say("bob", repo, test, &ACCEPT);
        say("cyd", repo, test, choice);
    }
    say(
        "dan",
        "a",
        "testInc",
        &VerdictChoice::Plain(Judgement::Unsure),
    );
    let grace = ReviewOptions {
        annotator: "grace".to_owned(),
        guideline: Some("4".to_owned()),
        ..ReviewOptions::default()
    };
    Bench::open(folder, store, grace, keys)
}

impl Bench {
    /// Returns the events of grace.
    fn own_events(&self) -> Vec<Event> {
        let mut events = self.events();
        events.retain(|event| event.annotator() == "grace");
        events
    }

    fn rulings(&self) -> Vec<Verdict> {
        self.verdicts().adjudications().expect("they can be read")
    }
}

#[test]
fn every_key_rules_what_it_says_and_the_next_conflict_comes() {
    let check = |keys: &str, expected: &str, reason: &str| {
        let mut bench = bench("gd");
        bench.check_shows("3 open");
        let before = bench.stage.app.size();
        bench.press(keys);
        assert_eq!(bench.stage.app.size(), before);
        let rulings = bench.rulings();
        let [ruling] = rulings.as_slice() else {
            panic!("one ruling after `{keys}`: {rulings:?}");
        };
        assert_eq!(ruling.judged.judgement.as_str(), expected, "{keys}");
        assert_eq!(ruling.reason.as_deref(), Some(reason), "{keys}");
        assert_eq!(ruling.annotator, "grace");
        assert_eq!(ruling.judged.guideline.as_deref(), Some("4"));
        assert_eq!(ruling.judged.queue.as_deref(), Some("disagreements"));
        assert_eq!(ruling.judged.dwell_ms, Some(1_000));
        bench.check_shows(match expected {
            "unsure" => "✓ saved: set aside",
            _ => "✓ saved: gold:",
        });
        bench.check_shows("2 open");
        bench.check_shows("★ 1");
    };
    check("a<enter>", "accept", "");
    check("x<enter>", "none_of_these", "");
    check("X<space>by<space>hand<enter>", "no_focal", "by hand");
    check("o<enter>", "unsure", "");
    check("P<enter>", "pick", "");
    check("!amissing<enter>", "accept", "guideline gap: missing");
    check("!!amissing<enter>", "accept", "missing");
}

#[test]
fn siding_takes_the_opinion_of_that_number() {
    for number in [1, 2] {
        let mut bench = bench("gd.");
        let text = bench.text();
        let said = format!(" {number} bob  accept");
        let expected = if text.contains(&said) {
            vec!["accept"]
        } else {
            vec!["no_focal", "none_of_these"]
        };
        bench.press(&format!("{number}<enter>"));
        let rulings = bench.rulings();
        let found = rulings[0].judged.judgement.as_str();
        assert!(expected.contains(&found), "{found} for {number}:\n{text}");
    }
}

#[test]
fn only_those_who_decided_can_be_sided_with() {
    let mut bench = bench("gd");
    bench.press("3");
    bench.check_shows("there are 2 opinions");
    bench.press("9<enter>");
    assert_eq!(bench.own_events(), []);
}

#[test]
fn where_rows_are_few_opinions_stand_and_notes_give_way() {
    let small = |height| {
        let mut stage = pressed(60, height, "gd");
        stage.press("2").expect("the script is well-formed");
        shown(&stage)
    };
    let text = small(16);
    assert!(text.contains("2 B  pick") && text.contains("– C"), "{text}");
    assert!(!text.contains("the last assertion is about"), "{text}");
}

#[test]
fn a_reason_that_is_left_rules_nothing() {
    let mut bench = bench("gd1because<esc>");
    assert_eq!(bench.own_events(), []);
    bench.check_shows("3 open");
    // The typed text does not come back with another ruling.
    bench.press("a<enter>");
    assert_eq!(bench.rulings()[0].reason.as_deref(), Some(""));
}

#[test]
fn names_are_hidden_until_one_rules_or_asks() {
    let mut bench = bench("gd");
    let opinions = |bench: &Bench| {
        let text = bench.text();
        let place = text.find("opinions").expect("they are shown");
        text[place..].to_owned()
    };
    let hidden = opinions(&bench);
    assert!(
        !hidden.contains("bob") && !hidden.contains("cyd"),
        "{hidden}"
    );
    assert!(hidden.contains("names hidden"), "{hidden}");
    bench.press(".");
    assert!(opinions(&bench).contains("bob  accept"), "{}", bench.text());
    bench.press(".a<enter>G");
    let ruled = opinions(&bench);
    assert!(
        ruled.contains("bob") && ruled.contains("★ grace"),
        "{ruled}"
    );
}

#[test]
fn what_was_never_painted_is_not_ruled() {
    let mut bench = bench("");
    bench.stage.paints = false;
    bench.press("gdax");
    assert_eq!(bench.own_events(), []);
    bench.check_shows("ignored: the sample was not shown yet");
    bench.stage.app.drawn(5);
    bench.press("a<enter>x");
    // The second ruling came before the next sample was painted.
    assert_eq!(bench.rulings().len(), 1);
}

#[test]
fn where_the_numbers_hide_the_sample_nothing_is_ruled() {
    let mut bench = bench("gd");
    bench
        .stage
        .send(UiEvent::Resize(ratatui::layout::Size::new(80, 24)));
    bench.press("<s-tab>a<enter>");
    assert_eq!(bench.own_events(), []);
    bench.press("<tab>a<enter>");
    assert_eq!(bench.rulings().len(), 1);
}

#[test]
fn a_key_that_is_held_down_rules_nothing_more() {
    let mut bench = bench("gda<enter>");
    for _ in 0..20 {
        bench.stage.send(UiEvent::Repeat(KeyPress::char('a')));
    }
    bench.check_shows("the key is held down");
    assert_eq!(bench.rulings().len(), 1);
}

#[test]
fn nothing_is_ruled_while_the_ruling_before_is_being_written() {
    let mut stage = pressed(120, 40, "gda<enter>x");
    let says = |stage: &UiStage<_>| {
        let says = stage.other_effects.iter();
        says.filter(|effect| matches!(effect, Effect::Say(_)))
            .count()
    };
    assert_eq!(says(&stage), 1);
    assert!(shown(&stage).contains("ignored: the ruling before"));
    let failed = ScribeReply {
        token: TOKENS + 1,
        outcome: Err(ScribeFailure {
            text: "not saved: no space left".to_owned(),
            hint: "make room",
        }),
        warning: None,
        seats: Vec::new(),
    };
    stage.send(UiEvent::Notice(Notice::Written(Box::new(failed))));
    let text = shown(&stage);
    assert!(text.contains("not saved: no space left"), "{text}");
    assert!(text.contains("5 open"), "{text}");
    stage.press("x<enter>").expect("the script is well-formed");
    assert_eq!(says(&stage), 2);
}

#[test]
fn the_matrix_names_nobody_while_names_are_hidden_and_a_method_where_it_is_one() {
    let picked = VerdictChoice::Key("p.Counter#setCount(int)".to_owned());
    let mut bench = bench_with(&picked, "gd<s-tab>lll");
    bench.check_shows("one accept, the other setCount: 1 sample");
    bench.check_shows("one ↓ the other →");
    bench.press(".");
    bench.check_shows("bob accept, cyd setCount: 1 sample");
    bench.check_shows("bob ↓ cyd →");
    bench.press("j");
    bench.check_shows("bob none of these, cyd other method: 0 samples");
    let text = bench.text();
    assert!(!text.contains("pick 1") && !text.contains("pk1"), "{text}");
}

#[test]
fn undo_brings_a_conflict_back_and_redo_settles_it_again() {
    let mut bench = bench("gda<enter>x<enter>o<enter>");
    assert_eq!(bench.rulings().len(), 3);
    bench.check_shows("nothing is left");
    bench.press("u");
    bench.check_shows("undone: set aside");
    bench.check_shows("1 open");
    bench.press("u<bs>u");
    assert_eq!(bench.rulings(), []);
    bench.check_shows("nothing to undo");
    bench.check_shows("3 open");
    bench.press("UUUU");
    assert_eq!(bench.rulings().len(), 3);
    bench.check_shows("nothing to redo");
}

#[test]
fn a_redo_goes_on_to_the_next_conflict_as_the_ruling_did() {
    let opinions = |keys: &str| {
        let text = bench(keys).text();
        let place = text.find("opinions").expect("they are shown");
        text[place..].lines().take(4).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(opinions("gda<enter>uU"), opinions("gda<enter>"));
    assert_eq!(opinions("gda<enter>u"), opinions("gd"));
}

#[test]
fn a_ruling_is_changed_by_ruling_again() {
    let mut bench = bench("gda<enter>G");
    bench.press("X<enter>");
    let rulings = bench.rulings();
    assert_eq!(rulings.len(), 1);
    assert_eq!(rulings[0].judged.judgement, Judgement::NoFocal);
    assert_eq!(bench.own_events().len(), 2);
}

#[test]
fn notes_are_written_and_shown() {
    let mut bench = bench("gdcask<space>ada<enter>");
    bench.check_shows("note: ask ada");
    bench.press("c<c-u><enter>");
    bench.check_shows("note removed");
    assert!(!bench.text().contains("note: ask ada"));
}

#[test]
fn a_cell_of_the_matrix_filters_the_queue() {
    // Rows are bob's, columns cyd's: bob accepts, cyd says "none of these".
    let mut bench = bench("gd<s-tab>l");
    bench.check_shows("one accept, the other none of these: 1 sample");
    bench.press("<enter>");
    bench.check_shows("1 of the cell");
    bench.press("<esc>");
    bench.check_shows("3 open");
    bench.press("<s-tab>h<enter>");
    bench.check_shows("nobody differs on 1 sample");
}

#[test]
fn pairs_of_annotators_are_gone_through() {
    let three = |keys: &str| {
        let mut stage = UiStage::new(
            start(120, 40, "ansi16", Depth::Mono),
            answer_three as Answering,
        );
        stage.press(keys).expect("the script is well-formed");
        shown(&stage)
    };
    assert!(three("gd<s-tab>").contains("pair 1/3"));
    // The chosen pair brings the matrix to the screen.
    assert!(three("gd]]").contains("pair 3/3"));
    assert!(three("gd]]]").contains("pair 1/3"));
    assert!(three("gd.[").contains("bob ↓ c"));
    check_shows("gd]", &["there is no other pair"]);
}

#[test]
fn conflicts_are_searched_by_the_name_of_the_test() {
    check_shows("gd/expiredtoken3<enter>", &["4/6"]);
    check_shows("gd/expiredtoken<enter>n", &["3/6"]);
    check_shows("gd/xyzzy<enter>", &["no disagreement about such a test"]);
    check_shows("gd<enter>/store<enter>", &["store: 1 of"]);
}

#[test]
fn what_is_done_with_a_sample_elsewhere_is_done_here() {
    check_shows("gdi", &["why"]);
    check_shows("gdI", &["facts"]);
    check_shows("gdw", &["long lines are cut"]);
    check_shows("gd}}", &["3/6"]);
    check_shows("gd}}{", &["2/6"]);
    let wanted = pressed(120, 40, "gdyi").other_effects;
    assert!(matches!(wanted.as_slice(), [Effect::Copy(_)]), "{wanted:?}");
    let wanted = pressed(120, 40, "gde").other_effects;
    assert!(
        matches!(wanted.as_slice(), [Effect::Edit { .. }]),
        "{wanted:?}"
    );
}

#[test]
fn every_action_of_the_screen_does_something_that_shows() {
    for action in actions(KeyContext::On(Screen::Disagree)) {
        if !matches!(action.command, Command::Disagree(_)) {
            continue;
        }
        let keys = action.keys.first().expect("every action has a key");
        let before = bench("gd").text();
        let after = bench(&format!("gd{keys}")).text();
        assert!(before != after, "{} shows nothing", action.id);
    }
}

#[test]
fn who_is_alone_is_told_what_to_do() {
    let mut stage = UiStage::new(
        start(120, 40, "ansi16", Depth::Mono),
        answer_alone as Answering,
    );
    stage.press("gd").expect("the script is well-formed");
    let text = shown(&stage);
    for part in ["Only ada has judged", "--overlap 2", "verdicts merge FILE"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn home_says_how_many_wait_and_leads_there() {
    check_shows(
        "",
        &["5 disagreements wait · gd", "continue annotating · ga"],
    );
    let bench = bench("gda<enter>gh");
    bench.check_shows("2 disagreements wait · gd");
}

fn arbitrary_keys() -> impl Strategy<Value = String> {
    let keys = vec![
        "1", "2", "3", "a", "x", "X", "o", "P", "!", ".", "c", "u", "U", "<enter>", "<esc>",
        "<tab>", "<s-tab>", "j", "k", "h", "l", "]", "[", "}", "{", "G", "gg", "w", "i", "J",
        "<enter>", "<enter>", "gd", "ga", "gh", "z", "/", "n", "<c-l>",
    ];
    prop::collection::vec(prop::sample::select(keys), 1..60).prop_map(|keys| keys.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_storm_of_keys_never_panics_and_undo_takes_every_ruling_back(keys in arbitrary_keys()) {
        let mut bench = bench("gd");
        // Random keys may end in a prefix or in a line of text.
        let _ = bench.stage.press(&keys);
        bench.press("<esc><esc><esc><esc>gd");
        let n_events = bench.own_events().len();
        for _ in 0..n_events {
            bench.press("u");
        }
        prop_assert_eq!(bench.rulings(), []);
    }
}

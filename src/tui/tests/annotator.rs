//! The name in which verdicts are given.

use super::{Answering, SIZES, shown, start};
use crate::config::Session;
use crate::event::Effect;
use crate::fixture;
use crate::review::ReviewOptions;
use crate::stage::UiStage;
use crate::theme::Depth;

/// Opens with the name of the system's user, and the name of the session before.
fn opened(system: &str, before: Option<&str>, is_named: bool) -> UiStage<Answering> {
    let start = crate::app::UiStart {
        session: Session {
            annotator: before.map(str::to_owned),
            ..Session::default()
        },
        reviewing: ReviewOptions {
            annotator: system.to_owned(),
            is_named,
            ..ReviewOptions::default()
        },
        ..start(120, 40, "ansi16", Depth::Mono)
    };
    UiStage::new(start, fixture::answer as Answering)
}

fn press(stage: &mut UiStage<Answering>, keys: &str) {
    stage.press(keys).expect("the script is well-formed");
}

/// Returns the names in which verdicts were given.
fn said_as(stage: &UiStage<Answering>) -> Vec<&str> {
    let said = stage
        .other_effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Say(saying) => Some(saying.annotator.as_str()),
            _ => None,
        });
    said.collect()
}

fn check_shows(stage: &UiStage<Answering>, parts: &[&str]) {
    let text = shown(stage);
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn the_name_of_an_old_session_is_asked_about_before_anything_is_said_in_it() {
    for system in ["bob", ""] {
        let mut stage = opened(system, Some("ada"), false);
        press(&mut stage, "gaa");
        assert_eq!(said_as(&stage), [""; 0], "{system}");
        check_shows(
            &stage,
            &[
                "judge as whom?",
                "the name of your last session",
                "another name",
            ],
        );
        press(&mut stage, "<enter>");
        check_shows(&stage, &["you are ada"]);
        press(&mut stage, "a");
        assert_eq!(said_as(&stage), ["ada"]);
        assert_eq!(stage.app.session().annotator.as_deref(), Some("ada"));
    }
}

#[test]
fn whoever_sits_there_now_is_not_taken_for_the_one_before() {
    let mut stage = opened("bob", Some("ada"), false);
    check_shows(&stage, &["bob or ada?"]);
    press(&mut stage, "gaabob<enter>");
    check_shows(&stage, &["you are bob"]);
    press(&mut stage, "a");
    assert_eq!(said_as(&stage), ["bob"]);
    // The name is asked for only once.
    let session = stage.app.session();
    let mut stage = opened("bob", session.annotator.as_deref(), false);
    press(&mut stage, "gaa");
    assert_eq!(said_as(&stage), ["bob"]);
}

#[test]
fn a_name_that_was_given_for_this_is_not_asked_about() {
    let mut stage = opened("bob", Some("ada"), true);
    press(&mut stage, "gaa");
    assert_eq!(said_as(&stage), ["bob"]);
}

#[test]
fn another_name_is_typed_where_none_of_the_known_ones_holds() {
    let mut stage = opened("bob", Some("ada"), false);
    press(&mut stage, "gaaanother<enter>");
    check_shows(&stage, &["your name"]);
    press(&mut stage, "cyd<enter>a");
    assert_eq!(said_as(&stage), ["cyd"]);
}

#[test]
fn the_palette_switches_the_name() {
    let mut stage = opened("bob", None, false);
    press(&mut stage, "ga:annotator<enter>");
    check_shows(&stage, &["judge as whom?", "the current name"]);
    press(&mut stage, "another<enter>ada<enter>a");
    assert_eq!(said_as(&stage), ["ada"]);
    assert_eq!(stage.app.session().annotator.as_deref(), Some("ada"));
}

#[test]
fn the_bar_at_the_top_tells_the_name_on_every_screen() {
    for (width, height) in SIZES {
        for keys in [
            "", "gs", "gp", "gR", "gr", "gc", "ga", "gd", "gj", "gk", "gq", "gF",
        ] {
            let stage = super::pressed(width, height, keys);
            let text = shown(&stage);
            let bar = text.lines().next().unwrap_or_default();
            assert!(bar.contains("ada"), "after `{keys}` at {width}: {bar}");
        }
    }
}

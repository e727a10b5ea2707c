//! The palette and the places it leads to: themes, saved filters, charts.

use super::{Answering, check_frame, check_shows, pressed, shown, start, text, wanted};
use crate::chore::{Chore, FinishedChore};
use crate::event::{Effect, Notice, UiEvent};
use crate::fixture;
use crate::plot::PlotKind;
use crate::question::QuestionFailure;
use crate::stage::UiStage;
use crate::theme::{Depth, Theme};

#[test]
fn the_palette_looks_as_it_did() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        check_frame("palette", width, height, "gs:");
        check_frame("palette_found", width, height, "gs<c-p>rejects token12");
    }
    check_frame("palette", 60, 16, ":>sort");
    check_frame("saved", 80, 24, "gs@");
    check_frame("save_filter", 80, 24, "gsfstatus:ok<cr>Sa b");
    check_frame("charts", 80, 24, "gx");
    for (width, height) in [(80, 24), (120, 40)] {
        check_frame("chart", width, height, "gxruns<cr>");
    }
}

fn coloured(keys: &str) -> UiStage<Answering> {
    let mut stage = UiStage::new(
        start(120, 40, "dark", Depth::True),
        fixture::answer as Answering,
    );
    stage.press(keys).expect("well-formed");
    stage
}

#[test]
fn what_is_chosen_is_done() {
    check_shows("gs:sortweight<cr>", &["sort:-weight"]);
    check_shows(":samples every<cr>", &["1/812"]);
    check_shows(":textutil repository<cr>", &["repo:textutil"]);
    check_shows(":@hard<cr>", &["status:tie weight<0.5"]);
    check_shows(
        ":#token700<cr>",
        &["Samples › Sample", "VerifierTest.java:42"],
    );
    assert_eq!(wanted(":suspend<cr>"), [Effect::Suspend]);
    check_shows(":zzzzzz<cr>", &["nothing matches"]);
}

#[test]
fn what_was_chosen_last_comes_first() {
    let stage = pressed(120, 40, ":theme another<cr>:wrap<cr>:");
    let shown = shown(&stage);
    let line = shown.lines().find(|line| line.contains('▌'));
    assert!(!line.unwrap_or_default().contains("palette"), "{shown}");
    let stage = pressed(120, 40, "gs:sort-focal<cr>:");
    let text = text(&stage.frame());
    let line = text
        .lines()
        .find(|line| line.contains('▌') && line.contains("sort-focal"));
    assert!(line.is_some(), "{text}");
}

#[test]
fn a_theme_is_seen_while_one_moves_and_stays_only_when_it_is_taken() {
    let background = |keys: &str| coloured(keys).frame()[(2, 39)].bg;
    let (dark, light) = (background(""), background("gtlight<cr>"));
    assert_ne!(dark, light);
    assert_eq!(background("gtlight"), light);
    assert_eq!(background("gtlight<esc>"), dark);
    assert_eq!(background("gtlight<c-c>"), dark);
    assert_eq!(background(":theme light"), light);
    assert_eq!(background(":theme light<esc>"), dark);
    assert_eq!(
        coloured("gtlight<cr>").app.session().theme.as_deref(),
        Some("light")
    );
    assert_eq!(coloured("gtlight<esc>").app.session().theme, None);
    check_shows("gt", &["with so few colours"]);
    // The whole screen has the theme, the palette included.
    let mut stage = coloured(":>sort");
    let seen = stage.frame();
    let theme = Theme::named("solarized-light").expect("a theme of the binary");
    stage.app.wear(theme, Depth::True);
    assert_eq!(stage.frame(), seen);
}

#[test]
fn a_saved_filter_is_meant_by_its_name_in_every_prompt() {
    check_shows("gsf@ha<tab><cr>", &["status:tie weight<0.5"]);
    check_shows("gsf@nobody ", &["nobody"]);
    check_shows("gs@hard<cr>", &["status:tie weight<0.5"]);
    check_shows("gaf<c-u>random:7 @ha", &["@hard"]);
    check_shows("gaf<c-u>random:7 @hard<cr>", &["status:tie"]);
}

fn chores(stage: &UiStage<Answering>) -> Vec<Chore> {
    let chores = stage
        .other_effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Chore(chore) => Some(chore.as_ref().clone()),
            _ => None,
        });
    chores.collect()
}

#[test]
fn a_filter_is_saved_under_a_name_and_another_only_after_a_question() {
    let save = |name: &str| Chore::SaveFilter {
        name: name.to_owned(),
        text: "status:ok".to_owned(),
    };
    let chores = |keys: &str| chores(&pressed(120, 40, keys));
    assert_eq!(chores("gsfstatus:ok<cr>Snew<cr>"), [save("new")]);
    assert_eq!(chores("gsfstatus:ok<cr>Sa b<cr>"), []);
    assert_eq!(chores("gsfstatus:ok<cr>Shard<cr>n"), []);
    assert_eq!(chores("gsfstatus:ok<cr>Shard<cr>y"), [save("hard")]);
    assert_eq!(chores("gsS"), []);
    check_shows("gsS", &["there is no filter to save"]);
    let mut stage = pressed(120, 40, "gs");
    stage.send(UiEvent::Notice(Notice::Finished(Box::new(FinishedChore {
        chore: save("new"),
        outcome: Ok("saved as @new".to_owned()),
    }))));
    assert!(shown(&stage).contains("saved as @new"));
}

#[test]
fn a_chart_is_turned_and_written() {
    check_shows("gxruns<cr>j", &["the chart of histogram"]);
    check_shows("gxruns<cr>k", &["the chart of verdicts"]);
    check_shows("gxruns<cr><esc>", &["funnel"]);
    let stage = pressed(120, 40, "gxruns<cr>E<cr>");
    let path = "runs.svg".to_owned();
    assert_eq!(
        chores(&stage),
        [Chore::WriteChart {
            kind: PlotKind::Runs,
            path
        }]
    );
    let stage = pressed(120, 40, "gxruns<cr>o<c-u><cr>");
    assert_eq!(chores(&stage), []);
}

#[test]
fn listed_predictions_are_exported() {
    let stage = pressed(120, 40, "grE<c-u>a.jsonl<cr>");
    let path = "a.jsonl".to_owned();
    let [
        Chore::Export {
            options,
            rows: None,
            path: asked,
        },
    ] = &chores(&stage)[..]
    else {
        panic!("{:?}", stage.other_effects);
    };
    assert_eq!((options.run.as_deref(), asked), (Some("broken"), &path));
}

#[test]
fn a_workspace_without_an_index_builds_the_demo() {
    let nothing: Answering = |_| Err(QuestionFailure::NoIndex);
    let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), nothing);
    stage.press("<enter><enter>").expect("well-formed");
    assert_eq!(chores(&stage), [Chore::Demo]);
    stage.press("j<enter>").expect("well-formed");
    assert!(shown(&stage).contains("mine repositories"));
    for (width, height) in [(60, 16), (120, 40)] {
        let mut stage = UiStage::new(start(width, height, "dark", Depth::True), nothing);
        stage.press("j").expect("well-formed");
        assert!(shown(&stage).contains("focalist mine"));
    }
}

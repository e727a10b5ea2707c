//! Settings on the screens: changed keys show wherever keys do, and each flaw is reported once.

use super::*;

fn with(toml: &str, keys: &str) -> UiStage<Answering> {
    let start = UiStart {
        config: Config::of(&[("config.toml", toml)]),
        ..start(200, 50, "ansi16", Depth::Mono)
    };
    let mut stage = UiStage::new(start, fixture::answer as Answering);
    stage.press(keys).expect("the script is well-formed");
    stage
}

fn last_line(stage: &UiStage<Answering>) -> String {
    let text = shown(stage);
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn footer_top_bar_help_and_menu_show_the_keys_that_are_set() {
    let toml = "[keys]\nfilter = \"~\"\ngo-repos = [\"<c-o>\", \"gp\"]\nhelp = \"%\"";
    let stage = with(toml, "gs");
    assert!(
        last_line(&stage).contains("~ filter") && last_line(&stage).contains("% help"),
        "{}",
        last_line(&stage)
    );
    assert!(shown(&stage).contains("^o gp Repos"), "{}", shown(&stage));
    assert!(shown(&with(toml, "gs%filter the list")).contains("~  filter the list"));
    let mut stage = with(toml, "gsg");
    stage.finish();
    assert!(shown(&stage).contains("p  Repos"), "{}", shown(&stage));
    assert!(shown(&with(toml, "gs~status:ok<cr>")).contains("status:ok"));
    assert!(
        shown(&with(toml, "<c-o>")).contains("what was mined")
            || shown(&with(toml, "<c-o>")).contains("problems")
    );
}

#[test]
fn an_action_without_a_key_is_not_in_the_footer_and_runs_from_the_help() {
    let toml = "[keys]\nfilter = \"\"";
    assert!(!last_line(&with(toml, "gs")).contains("filter"));
    assert!(!shown(&with(toml, "gsf")).contains("repo:"));
    let stage = with(toml, "gs?filter the<cr>status:ok<cr>");
    assert!(shown(&stage).contains("status:ok"), "{}", shown(&stage));
}

#[test]
fn what_is_wrong_is_counted_in_the_footer_until_the_first_key() {
    let toml = "themee = 1\ntheme = \"pink\"\n[keys]\ndown = \"1\"\nup = \"n\"";
    let mut stage = with(toml, "");
    let told = "4 problems in config.toml · focalist config check";
    assert!(last_line(&stage).contains(told), "{}", last_line(&stage));
    stage.press("j").expect("well-formed");
    assert!(!last_line(&stage).contains("config.toml"));
    assert!(last_line(&with("x = 1", "")).contains("1 problem in"));
    assert!(!last_line(&with("mouse = true", "")).contains("config.toml"));
}

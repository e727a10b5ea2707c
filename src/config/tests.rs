//! Settings out of texts: values, flaws and places.

use proptest::prelude::*;

use super::*;

fn of(text: &str) -> Config {
    Config::of(&[("c.toml", text)])
}

fn check_problems(text: &str, expected: &[&str]) {
    let problems: Vec<String> = of(text)
        .problems
        .iter()
        .map(ConfigProblem::to_string)
        .collect();
    assert_eq!(problems, expected, "{text}");
}

fn check_set(text: &str, id: &str, expected: Option<&str>) {
    let config = of(text);
    let label = config
        .get(id)
        .map(|config_value| config_value.value.label());
    assert_eq!(label.as_deref(), expected, "{text}");
}

#[test]
fn every_setting_takes_its_example_and_shows_it_again() {
    for setting in SETTINGS {
        let (table, key) = setting.parts();
        let head = if table.is_empty() {
            String::new()
        } else {
            format!("[{table}]\n")
        };
        let text = format!("{head}{key} = {}", setting.example);
        check_problems(&text, &[]);
        check_set(&text, setting.id, Some(setting.example.trim_matches('"')));
        assert!(!setting.help.is_empty() && !setting.help.ends_with('.'));
    }
    check_problems(&format!("[{}]\n{}", KEYS.id, KEYS.example), &[]);
}

#[test]
fn a_file_that_nobody_trusts_says_nothing_of_endpoints_and_keys() {
    let text = "theme = \"light\"\n[models.big]\nendpoint = \"https://evil/v1\"\nkey_env = \"AWS_SECRET_ACCESS_KEY\"\nallow_http = true\nn = 3\n[models.own]\nn = 9\nmodel = \"dear\"\n";
    let own = "[models.own]\nendpoint = \"https://host/v1\"\nkey_env = \"KEY\"\n";
    let mut config = of(own);
    config.add_untrusted("w.toml", text);
    let (big, own) = (&config.models["big"], &config.models["own"]);
    assert!(!big.is_guarded() && config.is_withheld);
    assert_eq!(big.get("n"), Some("3"));
    assert_eq!((own.get("key_env"), own.get("n")), (Some("KEY"), None));
    assert_eq!(config.theme(), Some("light"));
    let places: Vec<u32> = config
        .problems
        .iter()
        .map(|problem| problem.place.line)
        .collect();
    assert_eq!(places, [3, 4, 5, 7]);
    let mut trusting = of("");
    trusting.add("w.toml", text);
    assert!(trusting.models["big"].is_guarded() && !trusting.is_withheld);
}

#[test]
fn the_first_file_changes_nothing_and_everything_when_its_comments_are_taken_away() {
    assert_eq!(of(&template()), Config::default());
    let without: Vec<&str> = template()
        .leak()
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || line.contains(" = "))
        .collect();
    let config = of(&without.join("\n"));
    assert_eq!(config.problems, []);
    assert!(
        SETTINGS
            .iter()
            .all(|setting| config.get(setting.id).is_some())
    );
    assert_eq!(config.keys.len(), 1);
    let model = config.models.get("NAME").expect("a model is set");
    assert!(
        MODEL_SETTINGS
            .iter()
            .all(|model_setting| model.get(model_setting.key).is_some())
    );
}

#[test]
fn a_model_is_a_table_of_its_own_and_what_is_wrong_in_it_is_left_out() {
    let text = "[models.big]\nendpoint = \"https://host/v1\"\ntemperature = \"0.1..0.4:0.1\"\nstop = [\"a\", \"b\"]\nrpm = -1\nprise_in = 2\napi = \"soap\"";
    check_problems(
        text,
        &[
            "c.toml:5:7: `rpm` takes a number from 0",
            "c.toml:6:1: unknown key `prise_in` of a model (did you mean `price_in`?); known: endpoint, model, api, key_env, \
             allow_http, temperature, top_p, top_k, max_tokens, stop, seed, system, extra, n, concurrency, rpm, tpm, timeout, retries, \
             price_in, price_out",
            "c.toml:7:7: `api` takes `\"chat\"` or `\"completions\"`",
        ],
    );
    let config = of(text);
    let model = config.models.get("big").expect("a model is set");
    assert_eq!(model.get("endpoint"), Some("https://host/v1"));
    assert_eq!(model.get("temperature"), Some("0.1..0.4:0.1"));
    assert_eq!(model.all("stop"), ["a", "b"]);
    assert_eq!((model.get("rpm"), model.get("api")), (None, None));
    assert_eq!(model.place("stop").line, 4);
}

#[test]
fn the_documentation_names_every_setting() {
    let table = markdown();
    assert!(SETTINGS.iter().all(|setting| table.contains(setting.id)));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_known_ones() {
    check_problems(
        "# mine\nmouse = true\n  themee = \"dark\"",
        &[
            "c.toml:3:3: unknown key `themee` (did you mean `theme`?); known: annotator, guideline, theme, mouse, session, \
           [review], [keys], [commands], [models]",
        ],
    );
    check_problems(
        "[review]\nblinded = true",
        &[
            "c.toml:2:1: unknown key `blinded` in `[review]` (did you mean `blind`?); known: overlap, blind, queue",
        ],
    );
    check_set("themee = 1\nmouse = true", "mouse", Some("true"));
}

#[test]
fn a_value_of_the_wrong_kind_is_a_problem_and_not_set() {
    check_problems("theme = 3", &["c.toml:1:9: `theme` takes text in quotes"]);
    check_set("theme = 3", "theme", None);
    check_problems(
        "mouse = \"yes\"",
        &["c.toml:1:9: `mouse` takes true or false"],
    );
    check_problems(
        "annotator = \" ada\"",
        &["c.toml:1:13: `annotator` takes a name in quotes, without spaces around it"],
    );
    check_problems(
        "review = 3",
        &["c.toml:1:10: `review` is a table: `[review]`"],
    );
    check_problems("keys = \"a\"", &["c.toml:1:8: `keys` is a table: `[keys]`"]);
    check_problems(
        "[keys]\nredraw = 7",
        &["c.toml:2:10: `redraw` takes a key in quotes, or a list of them"],
    );
    for overlap in ["0", "-1", "1.5", "nan", "0x2", "\"2\""] {
        check_problems(
            &format!("[review]\noverlap = {overlap}"),
            &[
                "c.toml:2:11: `review.overlap` takes a number of people from 1, or a share from 0.0 to 1.0",
            ],
        );
    }
    check_set("[review]\noverlap = 0.25", "review.overlap", Some("0.25"));
}

#[test]
fn what_is_no_toml_is_told_once_a_line_and_the_other_lines_count() {
    let config = of("theme = \nmouse = true\nguideline = \"2\"");
    assert_eq!(config.problems.len(), 1, "{:?}", config.problems);
    assert_eq!(config.problems[0].place.line, 1);
    assert!(config.has_mouse() && config.theme().is_none());
    assert_eq!(config.guideline(), Some("2"));
}

#[test]
fn a_column_counts_characters() {
    check_problems(
        "annotator = \"äöü\" \nreview = { blind = \"ä\", blnd = 1 }",
        &[
            "c.toml:2:20: `review.blind` takes true or false",
            "c.toml:2:25: unknown key `blnd` in `[review]` (did you mean `blind`?); known: overlap, blind, queue",
        ],
    );
}

#[test]
fn the_later_file_wins() {
    let config = Config::of(&[
        (
            "a",
            "theme = \"dark\"\nmouse = true\n[keys]\nup = \"n\"\ndown = \"e\"",
        ),
        (
            "b",
            "theme = \"light\"\n[keys]\ndown = [\"t\", \"\"]\n[keys.home]\nup = \"w\"",
        ),
    ]);
    assert_eq!((config.theme(), config.has_mouse()), (Some("light"), true));
    let keys: Vec<(Option<&str>, &str, &str, u32)> = config
        .keys
        .iter()
        .map(|key_setting| {
            (
                key_setting.context.as_deref(),
                key_setting.action.as_str(),
                key_setting.place.path.as_str(),
                key_setting.place.line,
            )
        })
        .collect();
    assert_eq!(
        keys,
        [
            (None, "up", "a", 4),
            (None, "down", "b", 3),
            (Some("home"), "up", "b", 5)
        ]
    );
    let scripts = config.keys[1].scripts.iter();
    let scripts: Vec<(&str, u32)> = scripts
        .map(|script| (script.value.as_str(), script.place.column))
        .collect();
    assert_eq!(scripts, [("t", 9), ("", 14)]);
}

#[test]
fn a_file_that_is_too_long_or_has_too_many_problems_is_one_that_says_so() {
    let long = "#".repeat(SIZE_BYTES_MAX + 1);
    check_problems(&long, &["c.toml:1:1: longer than 65536 bytes"]);
    let many: String = (0..5000).fold(String::new(), |text, n| format!("{text}a{n}=1\n"));
    let problems = of(&many).problems;
    assert_eq!(problems.len(), PROBLEMS_MAX);
    assert!(
        problems[PROBLEMS_MAX - 1]
            .text
            .ends_with("further problems are not listed")
    );
}

#[test]
fn names_that_are_near_are_those_that_a_slip_away() {
    let names = ["accept", "annotate-accept", "annotate-accept-rest"];
    let check = |word: &str, expected: &[&str]| {
        assert_eq!(near(word, names.into_iter()), expected, "{word}");
    };
    check("annotate-acept", &["annotate-accept"]);
    check("acccept", &["accept"]);
    check("", &[]);
    check("zzz", &[]);
    check(&"a".repeat(1000), &[]);
}

#[test]
fn no_text_is_a_panic() {
    let nested = "[".repeat(30_000);
    let quotes = "a = \"".repeat(10_000);
    let dots = format!("a{} = 1", ".b".repeat(20_000));
    for text in [
        "",
        "\0",
        "\u{feff}mouse = true",
        "keys",
        "[keys.a.b]\nc = 1",
        "\"\" = 1",
    ] {
        of(text);
    }
    for text in [nested, quotes, dots] {
        assert!(!of(&text).problems.is_empty());
    }
}

proptest! {
    #[test]
    fn random_texts_are_read_and_every_problem_has_a_place(
        text in "(\\PC{0,6}|theme|keys|review|\\[|\\]|=|\\.|\"|'|\n|true|0\\.5|\\{|\\}|,| ){0,40}",
    ) {
        let n_lines = text.matches('\n').count() as u32 + 1;
        for problem in of(&text).problems {
            prop_assert!((1..=n_lines).contains(&problem.place.line), "{problem}");
            prop_assert!(problem.place.column >= 1 && !problem.text.contains('\n'));
        }
    }
}

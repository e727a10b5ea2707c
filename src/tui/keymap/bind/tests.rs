//! Every action with its own keys and with others; keys that cannot be set; the table for the docs.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use super::*;
use crate::config::Config;
use crate::screen::Screen;
use crate::screen::annotate::commands::AnnotateCommand;

fn of(toml: &str) -> (Keymap, Vec<String>) {
    let config = Config::of(&[("c.toml", toml)]);
    assert_eq!(config.problems, [], "{toml}");
    let (keymap, problems) = Keymap::of(&config.keys);
    (
        keymap,
        problems.iter().map(ConfigProblem::to_string).collect(),
    )
}

fn keys(script: &str) -> Vec<KeyPress> {
    key::parse(script).expect("the script is well-formed")
}

/// Reads settings, and checks their problems and some keys: context, keys, the id of the action or nothing.
fn check(toml: &str, problems: &[&str], expected: &[(KeyContext, &str, &str)]) {
    let (keymap, found) = of(toml);
    assert_eq!(found, problems, "{toml}");
    for (context, script, id) in expected {
        let action = all().find(|key_action| key_action.id == *id);
        let wanted = action.map_or(KeyMatch::Nothing, |key_action| {
            KeyMatch::Command(key_action.command)
        });
        assert_eq!(
            keymap.find(*context, &keys(script)),
            wanted,
            "{script} after {toml}"
        );
    }
}

fn check_problem(toml: &str, expected: &str) {
    check(&format!("[keys]\n{toml}"), &[expected], &[]);
    let (keymap, _) = of(&format!("[keys]\n{toml}"));
    assert_eq!(keymap.listing(), Keymap::default().listing(), "{toml}");
}

/// Visits every context, action and the keys that it has there.
fn walk(mut visit: impl FnMut(KeyContext, &KeyBinding)) {
    let keymap = Keymap::default();
    for context in KeyContext::ALL {
        for bound in keymap.heard_in(*context) {
            visit(*context, bound);
        }
    }
}

#[test]
fn the_numbers_of_contexts_are_their_places() {
    for (idx, context) in KeyContext::ALL.iter().enumerate() {
        assert_eq!(context.number(), idx);
        assert_eq!(
            KeyContext::named(&context.title().to_lowercase()),
            Some(*context)
        );
    }
}

#[test]
fn every_action_is_reached_by_each_of_its_own_keys_wherever_it_is_heard() {
    let keymap = Keymap::default();
    let mut n_places = 0;
    walk(|context, bound| {
        n_places += 1;
        for (idx, script) in bound.action.keys.iter().enumerate() {
            let found = keymap.find(context, &keys(script));
            let wanted = bound.action.command_at(idx);
            assert_eq!(
                found,
                KeyMatch::Command(wanted),
                "{} by {script}",
                bound.action.id
            );
        }
    });
    let expected: usize = all().map(|key_action| key_action.contexts.len()).sum();
    assert_eq!(n_places, expected);
}

#[test]
fn every_action_is_in_the_listing_under_each_of_its_places() {
    let lines = Keymap::default().listing();
    walk(|context, bound| {
        let from = lines.iter().position(|line| line == context.title());
        let below = lines
            .iter()
            .skip(from.expect("every place has a heading") + 1);
        let end = format!(" {:<20} {}", bound.action.id, bound.action.help);
        let mut below = below.take_while(|text| !text.is_empty());
        let line = below.find(|text| text.ends_with(&end));
        let line = line.unwrap_or_else(|| panic!("{} in {context:?}", bound.action.id));
        assert!(line.contains(&bound.keys_label()), "{line}");
    });
}

#[test]
fn a_hint_is_short_and_only_actions_that_have_keys_give_one() {
    walk(|_, bound| {
        if !bound.action.hint.is_empty() {
            let width = bound.first_key_label().width() + bound.action.hint.width();
            assert!((1..=20).contains(&width), "{}", bound.action.id);
            assert!(bound.has_keys());
        }
    });
}

/// Finds a key that begins nothing in any context of the action, and that the action may have.
fn free_key(action: &KeyAction) -> String {
    let taken: BTreeSet<KeyPress> = action
        .contexts
        .iter()
        .flat_map(|context| Keymap::default().contexts[context.number()].clone())
        .flat_map(|bound| {
            bound
                .sequences()
                .map(|sequence| sequence[0])
                .collect::<Vec<_>>()
        })
        .collect();
    let free = ('!'..='~').filter(|c| !c.is_ascii_digit() && *c != '<');
    let controls = ('a'..='z').filter(|c| !"im".contains(*c));
    let scripts = free
        .map(|free| free.to_string())
        .chain(controls.map(|control| format!("<c-{control}>")));
    let takes_text = action.contexts.iter().any(|context| context.takes_text());
    let mut scripts = scripts.filter(|script| !takes_text || script.len() > 1);
    scripts
        .find(|script| !taken.contains(&keys(script)[0]))
        .expect("no place has an action on every key")
}

#[test]
fn every_action_can_have_another_key_in_every_place_where_it_is_heard() {
    for action in all() {
        let free = free_key(action);
        let toml = toml_of(action, &free);
        let (everywhere, problems) = of(&format!("[keys]\n{toml}"));
        assert_eq!(problems, [""; 0], "{}", action.id);
        for context in action.contexts {
            let (here, problems) = of(&format!(
                "[keys.{}]\n{toml}",
                context.title().to_lowercase()
            ));
            assert_eq!(problems, [""; 0], "{}", action.id);
            for keymap in [&everywhere, &here] {
                let wanted = KeyMatch::Command(action.command);
                assert_eq!(keymap.find(*context, &keys(&free)), wanted, "{}", action.id);
                for old in action.keys {
                    let found = keymap.find(*context, &keys(old));
                    assert_eq!(found, KeyMatch::Nothing, "{} by {old}", action.id);
                }
                assert_eq!(keymap.label(*context, action.id), key::label(&keys(&free)));
            }
            for other in action
                .contexts
                .iter()
                .filter(|key_context| *key_context != context)
            {
                let own = Keymap::default().label(*other, action.id);
                assert_eq!(here.label(*other, action.id), own, "{}", action.id);
            }
        }
    }
}

fn toml_of(action: &KeyAction, script: &str) -> String {
    let script = script.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{} = \"{script}\"", action.id)
}

#[test]
fn an_action_without_a_key_is_reached_from_the_help_only() {
    for nothing in ["\"\"", "[]", "[\"\"]"] {
        check(
            &format!("[keys]\nannotate-accept = {nothing}"),
            &[],
            &[(KeyContext::On(Screen::Annotate), "a", "")],
        );
    }
    let (keymap, _) = of("[keys]\nannotate-accept = \"\"");
    let mut bounds = keymap.heard_in(KeyContext::On(Screen::Annotate)).iter();
    let accept = bounds.find(|bound| bound.action.id == "annotate-accept");
    assert!(
        accept.is_some_and(
            |key_binding| !key_binding.has_keys() && key_binding.keys_label().is_empty()
        )
    );
}

#[test]
fn keys_can_be_exchanged_and_taken_from_what_has_others() {
    check(
        "[keys]\nannotate-accept = \"x\"\nannotate-none = \"a\"",
        &[],
        &[
            (KeyContext::On(Screen::Annotate), "x", "annotate-accept"),
            (KeyContext::On(Screen::Annotate), "a", "annotate-none"),
        ],
    );
    check(
        "[keys]\nannotate-accept = [\"a\", \"<enter>\"]\n[keys.annotate]\nopen = \"+\"",
        &[],
        &[
            (
                KeyContext::On(Screen::Annotate),
                "<enter>",
                "annotate-accept",
            ),
            (KeyContext::On(Screen::Annotate), "+", "open"),
            (KeyContext::On(Screen::Home), "<enter>", "open"),
        ],
    );
}

#[test]
fn what_names_a_place_wins_there() {
    check(
        "[keys]\ndown = \"n\"\nsearch-next = \"<c-n>\"\nfaults-survivor-next = \"<c-n>\"\n[keys.repos]\ndown = \"e\"",
        &[],
        &[
            (KeyContext::On(Screen::Samples), "n", "down"),
            (KeyContext::On(Screen::Repos), "e", "down"),
            (KeyContext::On(Screen::Repos), "n", ""),
            (KeyContext::On(Screen::Samples), "<c-n>", "search-next"),
        ],
    );
}

#[test]
fn a_key_that_means_something_else_is_a_problem_and_changes_nothing() {
    check_problem(
        "annotate-accept = \"f\"",
        "c.toml:2:19: `f` means `annotate-queue` in Annotate, and not `annotate-accept`",
    );
    check_problem(
        "annotate-accept = [\"a\", \"g\"]",
        "c.toml:2:25: `g` begins `gA`, which means `annotate-alike` in Annotate",
    );
    check_problem(
        "annotate-accept = \"xx\"",
        "c.toml:2:19: `x` means `annotate-none` in Annotate, so that `xx` cannot be typed",
    );
    // Of two settings for one key, the first one stays.
    check(
        "[keys]\nannotate-accept = \"+\"\nannotate-none = \"+\"",
        &["c.toml:3:17: `+` means `annotate-accept` in Annotate, and not `annotate-none`"],
        &[
            (KeyContext::On(Screen::Annotate), "+", "annotate-accept"),
            (KeyContext::On(Screen::Annotate), "x", "annotate-none"),
        ],
    );
    // A refused setting leaves the action its old key, so that another setting loses it.
    check(
        "[keys]\nannotate-accept = \"x\"\nannotate-none = \"f\"",
        &[
            "c.toml:2:19: `x` means `annotate-none` in Annotate, and not `annotate-accept`",
            "c.toml:3:17: `f` means `annotate-queue` in Annotate, and not `annotate-none`",
        ],
        &[
            (KeyContext::On(Screen::Annotate), "a", "annotate-accept"),
            (KeyContext::On(Screen::Annotate), "x", "annotate-none"),
        ],
    );
}

#[test]
fn space_never_decides_and_digits_only_pick() {
    for id in [
        "annotate-accept",
        "annotate-undo",
        "annotate-accept-rest",
        "yes",
    ] {
        check_problem(
            &format!("{id} = \"<space>\""),
            &format!(
                "c.toml:2:{}: Space never decides, and cannot be bound to `{id}`",
                id.len() + 4
            ),
        );
    }
    check_problem(
        "down = \"1\"",
        "c.toml:2:8: digits pick numbered items, and cannot be bound to `down`",
    );
    check_problem(
        "annotate-pick = [\"2\"]",
        "c.toml:2:18: digits pick numbered items, and cannot be bound to `annotate-pick`",
    );
    check(
        "[keys]\nannotate-why = \"<space>\"\npage-down = \"\"",
        &[],
        &[],
    );
}

#[test]
fn a_pick_has_its_number_from_its_place() {
    let (keymap, problems) = of("[keys]\nannotate-pick = [\"+\", \"\", \"3\"]");
    assert_eq!(problems, [""; 0]);
    let pick = |script| match keymap.find(KeyContext::On(Screen::Annotate), &keys(script)) {
        KeyMatch::Command(Command::Annotate(AnnotateCommand::Pick(number))) => number,
        _ => 0,
    };
    assert_eq!(
        (pick("+"), pick("1"), pick("2"), pick("3"), pick("4")),
        (1, 0, 0, 3, 0)
    );
    assert_eq!(
        keymap.label(KeyContext::On(Screen::Annotate), "annotate-pick"),
        "+ 3"
    );
    assert_eq!(
        Keymap::default().label(KeyContext::On(Screen::Annotate), "annotate-pick"),
        "1-9"
    );
}

#[test]
fn what_is_written_wrongly_is_named() {
    check_problem(
        "annotate-acept = \"b\"",
        "c.toml:2:1: unknown action `annotate-acept`; near: annotate-accept; `focalist keys` lists them",
    );
    check_problem(
        "down = \"<hyper>\"",
        "c.toml:2:8: there is no key `<hyper>`",
    );
    check_problem(
        "down = \"<c-i>\"",
        "c.toml:2:8: `<c-i>` cannot be told from Tab",
    );
    check_problem("down = \"abcde\"", "c.toml:2:8: longer than 4 keys");
    check_problem(
        "down = \"\\t\"",
        "c.toml:2:8: a control character is not a key; write `<c-x>`",
    );
    check_problem(
        "erase = \"b\"",
        "c.toml:2:9: `b` types text (input), and cannot be bound to `erase`",
    );
    check_problem(
        "cancel = \"\"",
        "c.toml:2:1: `cancel` needs a key: it stops what runs",
    );
    check_problem(
        "down = [\"q\", \"w\", \"e\", \"r\", \"t\", \"y\", \"u\", \"i\", \"o\", \"p\"]",
        "c.toml:2:1: `down` takes at most 9 keys",
    );
    check(
        "[keys.hom]\ndown = \"b\"",
        &[
            "c.toml:2:1: unknown place `hom`; known: home, samples, sample, repos, runs, results, compare, \
             annotate, disagree, jobs, consistency, clover, faults, list, help, input, form, question",
        ],
        &[],
    );
    check(
        "[keys.home]\nannotate-accept = \"b\"",
        &["c.toml:2:1: `annotate-accept` has no effect in home, only in annotate"],
        &[],
    );
}

#[test]
fn a_file_full_of_clashes_is_settled() {
    let mut toml = String::new();
    for context in KeyContext::ALL {
        toml.push_str(&format!("[keys.{}]\n", context.title().to_lowercase()));
        for (idx, bound) in Keymap::default().heard_in(*context).iter().enumerate() {
            let script = ["<c-x>", "<c-x><c-y>", "<c-y>", "gg"][idx % 4];
            toml.push_str(&format!("{} = \"{script}\"\n", bound.action.id));
        }
    }
    let (keymap, problems) = of(&toml);
    assert!(problems.len() > 300, "{}", problems.len());
    assert_eq!(keymap.clashes(&[]).len(), 0);
}

#[test]
fn what_is_given_as_an_example_can_be_set() {
    let config = Config::of(&[(
        "c.toml",
        &format!("[keys]\n{}", crate::config::KEYS.example),
    )]);
    assert_eq!((config.keys.len(), Keymap::of(&config.keys).1), (1, vec![]));
}

#[test]
fn every_action_has_a_row_in_the_table_of_the_docs() {
    let table = Keymap::default().markdown();
    for action in all() {
        assert!(
            table.contains(&format!("| `{}` |", action.id)),
            "{}",
            action.id
        );
    }
}

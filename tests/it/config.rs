//! `focalist config`: the settings and their files, errors in them, and their effect on other commands.

use expect_test::{Expect, expect};
use focalist::cli::ExitCode;

use crate::support::{Outcome, Place};

/// A place with a user's configuration file and one of the workspace.
struct Desk(Place);

impl Desk {
    fn new(user: &str, workspace: &str) -> Self {
        let place = Place::new();
        place.write("home.toml", user);
        place.write(".focalist/config.toml", workspace);
        Self(place)
    }

    /// Runs the program with the user's file; paths in its output are relative to the place.
    fn run(&self, args: &[&str]) -> Outcome {
        let file = self.0.path("home.toml").display().to_string();
        let mut all = vec!["--config", &file];
        all.extend(args);
        let outcome = self.0.run(&all);
        let folder = format!("{}/", self.0.path("").display()).replace("//", "/");
        Outcome {
            code: outcome.code,
            out: outcome.out.replace(&folder, ""),
            err: outcome.err.replace(&folder, ""),
        }
    }
}

fn check(outcome: &Outcome, code: ExitCode, expected: &Expect) {
    assert_eq!(outcome.code, code, "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().map(str::trim_end).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

const USER: &str = "annotator = \"ada\"\ntheme = \"dark\"\nguideline = \"3\"\n\n[keys]\nannotate-accept = [\"a\", \"+\"]\n";
const WORKSPACE: &str = "theme = \"light\"\nmouse = true\n[review]\noverlap = 0.2\n[keys.annotate]\nopen = \"=\"\ndown = \"1\"\n";

#[test]
fn every_setting_is_shown_with_its_value_and_where_it_comes_from() {
    let desk = Desk::new(USER, WORKSPACE);
    let outcome = desk.run(&["config"]);
    assert!(
        outcome.err.contains("1 problem · `focalist config check`"),
        "{}",
        outcome.err
    );
    check(
        &outcome,
        ExitCode::Ok,
        &expect![[r"
            setting               value      from
            annotator             ada        home.toml:1
            guideline             3          home.toml:3
            theme                 light      .focalist/config.toml:1
            mouse                 true       .focalist/config.toml:2
            session               true       default
            review.overlap        0.2        .focalist/config.toml:4
            review.blind          false      default
            review.queue          uncertain  default
            keys.annotate-accept  a +        home.toml:6
            keys.annotate.open    =          .focalist/config.toml:6
            keys.annotate.down    1          .focalist/config.toml:7 (ignored)
        "]],
    );
    let outcome = desk.run(&["--theme", "ansi16", "config", "--json"]);
    check(
        &outcome,
        ExitCode::Ok,
        &expect![[r#"
            {"setting":"annotator","value":"ada","source":"file","place":{"path":"home.toml","line":1,"column":1},"holds":true}
            {"setting":"guideline","value":"3","source":"file","place":{"path":"home.toml","line":3,"column":1},"holds":true}
            {"setting":"theme","value":"ansi16","source":"option","holds":true}
            {"setting":"mouse","value":"true","source":"file","place":{"path":".focalist/config.toml","line":2,"column":1},"holds":true}
            {"setting":"session","value":"true","source":"default","holds":true}
            {"setting":"review.overlap","value":"0.2","source":"file","place":{"path":".focalist/config.toml","line":4,"column":1},"holds":true}
            {"setting":"review.blind","value":"false","source":"default","holds":true}
            {"setting":"review.queue","value":"uncertain","source":"default","holds":true}
            {"setting":"keys.annotate-accept","value":"a +","source":"file","place":{"path":"home.toml","line":6,"column":1},"holds":true}
            {"setting":"keys.annotate.open","value":"=","source":"file","place":{"path":".focalist/config.toml","line":6,"column":1},"holds":true}
            {"setting":"keys.annotate.down","value":"1","source":"file","place":{"path":".focalist/config.toml","line":7,"column":1},"holds":false}
        "#]],
    );
}

#[test]
fn without_a_file_the_defaults_hold() {
    let place = Place::new();
    let outcome = place.run(&["config"]);
    let out: Vec<&str> = outcome
        .out
        .lines()
        .filter(|line| !line.starts_with("annotator"))
        .collect();
    expect![[r"
        setting         value      from
        guideline       none       default
        theme           automatic  default
        mouse           false      default
        session         true       default
        review.overlap  1          default
        review.blind    false      default
        review.queue    uncertain  default"]]
    .assert_eq(&out.join("\n"));
    assert!(outcome.err.is_empty(), "{}", outcome.err);
}

#[test]
fn what_is_wrong_is_listed_with_its_place_and_is_code_1() {
    let desk = Desk::new(
        "themee = 1\ntheme = \"pink\"\nmouse = 3\n[review]\nqueue = \"random:x\"\n",
        "[keys]\nannotate-acept = \"b\"\ndown = \"<hyper>\"\nup = \"n\"\nannotate-skip = \"<space>\"\n= 4\n",
    );
    let outcome = desk.run(&["config", "check"]);
    assert!(
        outcome
            .err
            .starts_with("error: 9 problems in config.toml\nhint: "),
        "{}",
        outcome.err
    );
    check(
        &outcome,
        ExitCode::Problems,
        &expect![[r"
            home.toml:1:1: unknown key `themee` (did you mean `theme`?); known: annotator, guideline, theme, mouse, session, [review], [keys], [commands], [models]
            home.toml:2:1: there is no theme `pink`; known: dark, light, ansi16, catppuccin-mocha, dracula, gruvbox-dark, nord, solarized-dark, solarized-light, colorblind-deutan, colorblind-tritan
            home.toml:3:9: `mouse` takes true or false
            home.toml:5:1: `review.queue`: `random:x` means nothing; after the colon: a number, the seed
            .focalist/config.toml:2:1: unknown action `annotate-acept`; near: annotate-accept; `focalist keys` lists them
            .focalist/config.toml:3:8: there is no key `<hyper>`
            .focalist/config.toml:4:6: `n` means `search-next` in Samples, and not `up`
            .focalist/config.toml:5:17: Space never decides, and cannot be bound to `annotate-skip`
            .focalist/config.toml:6:1: not valid TOML: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`
        "]],
    );
    let outcome = desk.run(&["config", "check", "--json"]);
    let first = outcome.out.lines().next().unwrap_or_default();
    expect![[r#"{"path":"home.toml","line":1,"column":1,"problem":"unknown key `themee` (did you mean `theme`?); known: annotator, guideline, theme, mouse, session, [review], [keys], [commands], [models]"}"#]].assert_eq(first);
}

#[test]
fn what_is_right_is_said_to_be() {
    let desk = Desk::new(USER, "");
    let outcome = desk.run(&["config", "check"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (ExitCode::Ok, ""));
    assert_eq!(outcome.err, "the settings have no problems\n");
}

#[test]
fn a_file_that_cannot_be_read_is_a_problem() {
    let desk = Desk::new("", "");
    desk.0.write("home.toml", b"annotator = \"\xff\"");
    let outcome = desk.run(&["config", "check"]);
    assert_eq!(
        outcome.out,
        "home.toml:1:1: cannot be read: not UTF-8 at byte 13\n"
    );
    let outcome = desk.run(&["--config", "no-such-file.toml", "config", "check"]);
    assert!(
        outcome
            .out
            .starts_with("no-such-file.toml:1:1: cannot be read: "),
        "{}",
        outcome.out
    );
}

#[test]
fn the_paths_are_the_users_and_the_workspaces() {
    let desk = Desk::new(USER, "");
    let outcome = desk.run(&["config", "path"]);
    assert_eq!(outcome.out, "home.toml\n.focalist/config.toml\n");
    let outcome = desk.run(&["config", "path", "--json"]);
    assert_eq!(
        outcome.out.lines().next(),
        Some(r#"{"of":"user","path":"home.toml","exists":true}"#)
    );
}

#[test]
fn the_themes_of_the_user_are_listed_and_what_is_wrong_with_one_is_said() {
    let desk = Desk::new("theme = \"mine\"\n", "");
    let good = "inherits = \"nord\"\n[palette]\naccent = \"#ffffff\"\n";
    desk.0.write("themes/mine.toml", good);
    desk.0.write(
        "themes/bad.toml",
        "inherits = \"dark\"\n[roles]\nfoccus = {}\n",
    );
    // A workspace may come from somebody else.
    desk.0.write(".focalist/themes/theirs.toml", good);
    let outcome = desk.run(&["config", "themes", "--json"]);
    assert!(
        outcome
            .out
            .contains(r#"{"theme":"mine","path":"themes/mine.toml"}"#),
        "{}",
        outcome.out
    );
    assert!(
        outcome.out.contains(r#"{"theme":"gruvbox-dark"}"#),
        "{}",
        outcome.out
    );
    for absent in ["bad", "theirs"] {
        assert!(!outcome.out.contains(absent), "{}", outcome.out);
    }
    let outcome = desk.run(&["config", "check"]);
    assert_eq!(outcome.code, ExitCode::Problems);
    assert_eq!(
        outcome.out,
        "themes/bad.toml:3:1: unknown role `foccus` (did you mean `focus`?)\n"
    );
    let doctor = desk.run(&["doctor"]).out;
    assert!(doctor.contains("themes/bad.toml:3:1"), "{doctor}");
}

#[test]
fn commands_are_shown_with_their_keys_and_a_wrong_one_is_a_problem() {
    let user =
        "[commands]\ngb = \"less +{line} {file}\"\ngs = \"less {key}\"\ngz = \"less {fil}\"\n";
    let desk = Desk::new(user, "");
    let shown = desk.run(&["config"]).out;
    assert!(
        shown.contains("commands.gb") && shown.contains("less +{line} {file}"),
        "{shown}"
    );
    assert!(
        desk.run(&["keys"])
            .out
            .contains("gb               less +{line} {file}")
    );
    let outcome = desk.run(&["config", "check"]);
    assert_eq!(outcome.code, ExitCode::Problems);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(
        lines[0],
        "home.toml:3:1: `gs` is taken: `gs` means `go-samples` in Home"
    );
    assert!(
        lines[1].starts_with("home.toml:4:6: unknown placeholder `{fil}`"),
        "{lines:?}"
    );
}

#[test]
fn a_first_file_is_written_once_and_changes_nothing() {
    let place = Place::new();
    let file = place.path("new/config.toml");
    let name = file.display().to_string();
    let outcome = place.run(&["--config", &name, "config", "init"]);
    assert_eq!(outcome.success(), format!("{name}\n"));
    let text = std::fs::read_to_string(&file).expect("the file was written");
    assert!(
        text.contains("# annotator = \"ada\"") && text.contains("# [review]"),
        "{text}"
    );
    let outcome = place.run(&["--config", &name, "config", "check"]);
    assert_eq!(outcome.success(), "");
    let err = place
        .run(&["--config", &name, "config", "init"])
        .failure(ExitCode::Usage);
    assert!(
        err.contains("exists already") && err.contains("hint: `focalist config` shows"),
        "{err}"
    );
    let err = place
        .run(&["config", "init", "--local"])
        .failure(ExitCode::Input);
    assert!(err.contains("no workspace"), "{err}");
    place.run(&["mine", &place.counter("repo")]).success();
    place.run(&["config", "init", "--local"]).success();
    assert!(place.path(".focalist/config.toml").is_file());
}

#[test]
fn the_keys_that_are_set_are_listed() {
    let desk = Desk::new("[keys]\nfilter = \"%\"\n", "");
    let keys = desk.run(&["keys"]).success();
    assert!(keys.contains("  %                filter "), "{keys}");
    let table = desk.run(&["keys", "--markdown"]).success();
    assert!(
        table.contains("| `%` | `filter` | Samples, Results |"),
        "{table}"
    );
}

#[test]
fn verdicts_are_of_the_annotator_and_the_guideline_that_are_set() {
    let desk = Desk::new(USER, "");
    let repo = desk.0.counter("repo");
    desk.run(&["mine", &repo]).success();
    let rows = desk.run(&["samples", "--json"]).success();
    let key = rows
        .split("\"key\":\"")
        .nth(1)
        .and_then(|part| part.get(..16))
        .expect("there is one");
    desk.run(&["verdict", key, "accept"]).success();
    let events = desk.run(&["verdicts", "export"]).success();
    assert!(
        events.contains(r#""annotator":"ada""#) && events.contains(r#""guideline":"3""#),
        "{events}"
    );
    desk.run(&["verdict", key, "unsure", "--as", "bob", "--guideline", "4"])
        .success();
    let events = desk.run(&["verdicts", "export"]).success();
    assert!(
        events.contains(r#""annotator":"bob""#) && events.contains(r#""guideline":"4""#),
        "{events}"
    );
    // An unusable name is reported before another name is used.
    desk.0.write("home.toml", "annotator = 3");
    let outcome = desk.run(&["undo"]);
    assert!(
        outcome.err.contains("1 problem in config.toml"),
        "{}",
        outcome.err
    );
}

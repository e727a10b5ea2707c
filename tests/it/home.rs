//! Shell integration and diagnosis: `completions`, `man`, `doctor`, `filters`, and every verb without a workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect;
use focalist::cli::ExitCode;

use crate::support::Place;

/// The verbs as `help --all` lists them.
fn verbs(place: &Place) -> Vec<String> {
    let help = place.run(&["help", "--all"]).success();
    let verbs: Vec<String> = help
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|verb| verb != "help")
        .collect();
    assert!(verbs.len() > 20, "{verbs:?}");
    verbs
}

/// Has a shell check a script without running it; a shell that is missing is skipped.
fn check_syntax(shell: &str, script: &Path) {
    let read = Command::new(shell)
        .arg("-n")
        .arg(script)
        .stdin(Stdio::null())
        .output();
    if let Ok(read) = read {
        let said = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success() && said.is_empty(), "{shell}: {said}");
    }
}

#[test]
fn every_shell_completes_every_verb_and_the_words_of_closed_sets() {
    let place = Place::new();
    let verbs = verbs(&place);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completions", shell]).success();
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
        // PowerShell and elvish complete no values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for word in ["ansi16", "bleu4", "evidence", "methods2test", "framework"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
            check_syntax(shell, &place.write(shell, &script));
        }
    }
    place.run(&["completions", "cmd"]).failure(ExitCode::Usage);
}

/// Runs bash's completion of a line, as the shell would, and returns what it offers. Bash gives the last word without
/// the quote that it begins with, and cuts it behind `=`, as was tried with bash 5.2.
fn offered(place: &Place, script: &Path, line: &str) -> Option<Vec<String>> {
    let bin = Path::new(env!("CARGO_BIN_EXE_focalist"));
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = bin.parent().expect("it lies in a folder").display();
    let asks = r#"source "$0"; COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}; read -ra COMP_WORDS <<< "$1"
        [[ "$1" == *' ' ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        word="${COMP_WORDS[COMP_CWORD]}"; word="${word#\'}"; word="${word##*=}"
        _focalist_with_names focalist "$word" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let ran = Command::new("bash")
        .args(["-c", asks])
        .arg(script)
        .arg(line)
        .env("PATH", format!("{folder}:{path}"))
        .env("FOCALIST_WORKSPACE", place.path(""))
        .stdin(Stdio::null())
        .output();
    let ran = ran.ok()?;
    assert!(ran.stderr.is_empty(), "{ran:?}");
    let offered = String::from_utf8(ran.stdout).expect("names are text");
    Some(offered.lines().map(str::to_owned).collect())
}

#[test]
fn runs_jobs_and_saved_filters_are_completed() {
    let place = Place::with_sample_data();
    let file = crate::support::sample_data("predictions/steady.jsonl");
    for run in ["steady", "sturdy", "hasty"] {
        place.run(&["import", &file, "--run", run]).success();
    }
    place
        .run(&["filters", "save", "hard", "weight<0.6"])
        .success();
    let candidates = |words: &[&str]| {
        let found = place.run(&[&["candidates", "--"], words].concat());
        let found = found.success();
        found.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(candidates(&["results", "st"]), ["steady", "sturdy"]);
    assert_eq!(candidates(&["eval", "--run", "h"]), ["hasty"]);
    assert_eq!(candidates(&["compare", "steady", "h"]), ["hasty"]);
    assert_eq!(candidates(&["samples", "--json", "@"]), ["@hard"]);
    assert_eq!(candidates(&["filters", "rm", ""]), ["hard"]);
    assert_eq!(candidates(&["jobs", "log", ""]).len(), 4);
    for words in [
        &["import", "x", "--run", ""][..],
        &["mine", ""],
        &["runs", "--"],
    ] {
        assert_eq!(candidates(words), Vec::<String>::new(), "{words:?}");
    }
    assert_eq!(
        Place::new()
            .run(&["candidates", "--", "eval", ""])
            .success(),
        ""
    );

    let script = |shell: &str| place.run(&["completions", shell]).success();
    for shell in ["bash", "zsh", "fish"] {
        let asked = script(shell);
        assert!(
            asked.contains("focalist candidates") || asked.contains("candidates --"),
            "{shell}"
        );
        check_syntax(shell, &place.write(shell, &asked));
    }
    let bash = place.write("bash", script("bash"));
    let check = |line: &str, expected: &[&str]| {
        // Skipped where there is no bash.
        if let Some(offered) = offered(&place, &bash, line) {
            for name in expected {
                assert!(
                    offered.iter().any(|text| text == name),
                    "{line}: {offered:?}"
                );
            }
        }
    };
    check("focalist results st", &["steady", "sturdy"]);
    check("focalist compare steady ", &["hasty", "--metrics"]);
    check("focalist samples @h", &["@hard"]);
    check("focalist eval --run=st", &["steady", "sturdy"]);
    check("focalist jobs cancel ", &["1"]);
    check("focalist eval --run ", &["steady", "hasty"]);

    // A name is one word of the shell, whatever it contains, and continues in the quotes in which it was begun.
    place
        .run(&["import", &file, "--run", "a&b \"c|d"])
        .success();
    check("focalist results a", &[r#"a\&b\ \"c\|d"#]);
    check("focalist results 'a", &["a&b \"c|d"]);
    assert_eq!(candidates(&["results", "a"]), ["a&b \"c|d"]);

    // The workspace in the line counts, not the shell's current folder.
    let other = Place::with_sample_data();
    other.run(&["import", &file, "--run", "theirs"]).success();
    let folder = other.path("").to_string_lossy().into_owned();
    let there = &["--workspace", &folder, "compare", "th"];
    assert_eq!(candidates(there), ["theirs"]);
    assert_eq!(
        candidates(&[&format!("--workspace={folder}"), "eval", ""]),
        ["theirs"]
    );
    check(
        &format!("focalist --workspace '{folder}' compare th"),
        &["theirs"],
    );
}

#[test]
fn nothing_in_the_script_for_fish_ends_its_quotes() {
    let script = Place::new().run(&["completions", "fish"]).success();
    // Values of an option are on separate lines.
    for option in script.split("\ncomplete ").skip(1) {
        if let Some((_, values)) = option.split_once(" -a \"") {
            assert_eq!(values.matches('"').count(), 1, "{option}");
        }
    }
}

#[test]
fn what_is_hidden_is_not_completed() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completions", shell]).success();
        let mut words = script.split(|script: char| !script.is_alphanumeric() && script != '-');
        assert!(!words.any(|word| word == "--job"), "{shell}");
        for hidden in [
            "focalist,work",
            "focalist,candidates",
            "Mine the one repository that a shard",
            "Print the completions that only",
            "The job that this process",
        ] {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn help_ends_with_examples_and_says_what_is_global() {
    let place = Place::new();
    let help = place.run(&["--help"]).success();
    for head in ["Examples:", "Exit status:", "Environment:"] {
        assert!(help.contains(&format!("\n{head}\n")), "{head}: {help}");
    }
    assert!(!help.contains("candidates"), "{help}");
    let help = place.run(&["eval", "--help"]).success();
    assert!(
        help.contains("Metrics (0 to 1") && help.contains("Examples:"),
        "{help}"
    );
    let (own, global) = help
        .split_once("Global options:")
        .expect("they have a heading");
    for option in [
        "--theme",
        "--mouse",
        "--config",
        "--workspace",
        "--quiet",
        "--strict",
    ] {
        assert!(
            !own.contains(option) && global.contains(option),
            "{option}: {help}"
        );
    }
}

#[test]
fn every_verb_has_a_page_in_the_manual() {
    let place = Place::new();
    let folder = place.path("man/man1");
    place
        .run(&["man", "--output", &folder.to_string_lossy()])
        .success();
    let page = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    let main = page("focalist.1");
    assert_eq!(place.run(&["man"]).success(), main);
    for verb in verbs(&place) {
        let page = page(&format!("focalist-{verb}.1"));
        for heading in [
            ".SH NAME",
            ".SH SYNOPSIS",
            ".SH \"EXIT STATUS\"",
            ".SH \"ENVIRONMENT\"",
            ".SH \"EXAMPLES\"",
        ] {
            assert!(page.contains(heading), "{verb}: {heading}");
        }
        let named = verb.replace('-', "\\-");
        assert!(main.contains(&format!("focalist\\-{named}(1)")), "{verb}");
    }
    let export = page("focalist-verdicts-export.1");
    assert!(export.contains(".SH SYNOPSIS") && export.contains(".SH \"EXAMPLES\""));
    // The shell's quotes, where a page would use typographic ones.
    let quoted = "\\fBfocalist results tuned \\(aqbleu<0.2\\(aq sort:bleu\\fR";
    assert!(page("focalist-results.1").contains(quoted));
    let help = place.run(&["jobs", "watch", "--help"]).success();
    assert!(
        help.contains("Examples:\n  focalist jobs watch\n"),
        "{help}"
    );
}

#[test]
fn without_a_workspace_every_verb_that_needs_one_says_how_to_get_one() {
    let place = Place::new();
    let predictions = place.write("p.jsonl", "{}\n");
    let predictions = predictions.to_string_lossy();
    let calls: &[&[&str]] = &[
        &["samples"],
        &["show", "0123"],
        &["methods", "0123"],
        &["stats"],
        &["stats", "--resolution"],
        &["repos"],
        &["rm", "a"],
        &["rm", "--run", "a"],
        &["manifest"],
        &["problems"],
        &["export"],
        &["import", "--run", "a", &predictions],
        &["eval"],
        &["runs"],
        &["compare", "a", "b"],
        &["leakage"],
        &["leakage", "--nearest", "0123"],
        &["review", "--plain", "--as", "ada"],
        &["verdict", "0123", "accept", "--as", "ada"],
        &["verdicts"],
        &["verdicts", "export"],
        &["verdicts", "history", "--as", "ada"],
        &["verdicts", "progress"],
        &["verdicts", "calibration"],
        &["undo", "--as", "ada"],
        &["redo", "--as", "ada"],
        &["audit", "--as", "ada"],
        &["agreement"],
        &["filters"],
        &["filters", "save", "a", "b"],
        &["filters", "rm", "a"],
        &["config", "init", "--local"],
    ];
    let mut wrong = Vec::new();
    for args in calls {
        let outcome = place.run(args);
        let is_told =
            outcome.err.contains("focalist mine PATH") && outcome.err.contains("focalist demo");
        if outcome.code != ExitCode::Input || !is_told {
            wrong.push(format!("{args:?}: {:?} {}", outcome.code, outcome.err));
        }
        if place.path(".focalist").exists() {
            wrong.push(format!("{args:?} made a workspace"));
            fs::remove_dir_all(place.path(".focalist")).expect("it goes");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_saved_filter_is_taken_by_every_verb_and_travels_with_the_workspace() {
    let place = Place::with_sample_data();
    let n_of = |filter: &str| {
        let out = place.run(&["samples", "--json", "--limit", "0", filter]);
        out.success().lines().count()
    };
    let said = place.run(&["filters", "save", "hard", "-status:ok"]);
    assert_eq!(said.err, "`@hard` is saved\n");
    place
        .run(&["filters", "save", "@ours", "@hard", "sort:repo"])
        .success();
    assert!(n_of("@hard") > 0);
    assert_eq!(n_of("@ours"), n_of("-status:ok"));
    for args in [
        &["stats", "@hard"][..],
        &["export", "--filter", "@hard", "--all", "--format", "tests"],
        &["leakage", "@hard"],
        &["audit", "--as", "ada", "@hard"],
        &["verdicts", "@hard"],
        &["agreement", "--filter", "@hard"],
        &[
            "review",
            "--plain",
            "--as",
            "ada",
            "--queue",
            "uncertain @hard",
        ],
        &["compare", "a", "b", "--filter", "@hard"],
    ] {
        let outcome = place.run(args);
        assert_ne!(outcome.code, ExitCode::Usage, "{args:?}: {}", outcome.err);
    }
    let listed = place.run(&["filters"]).success();
    expect![[r"
        name   filter
        @hard  -status:ok
        @ours  @hard sort:repo
    "]]
    .assert_eq(&listed);
    let wrong = place.run(&["samples", "@hrd"]).failure(ExitCode::Usage);
    expect![[r"
        error: no filter is saved as `@hrd` (did you mean `@hard`?); known are @hard, @ours
        hint: `focalist filters` lists the saved filters of this workspace
    "]]
    .assert_eq(&wrong);
    let circle = place
        .run(&["filters", "save", "hard", "@ours"])
        .failure(ExitCode::Usage);
    assert!(circle.contains("`@hard` → `@ours` → `@hard`"), "{circle}");
    let said = place.run(&["filters", "rm", "hard"]);
    assert!(said.err.contains("`@ours` uses it"), "{}", said.err);
    let listed = place.run(&["filters", "--json"]).success();
    assert_eq!(
        listed,
        "{\"name\":\"ours\",\"filter\":\"@hard sort:repo\",\"problem\":\"no filter is saved as `@hard`; known are @ours\"}\n"
    );
    for name in ["a.b", "", "é"] {
        place
            .run(&["filters", "save", name, "x"])
            .failure(ExitCode::Usage);
    }
    place
        .run(&["filters", "save", "new", "split:moon"])
        .failure(ExitCode::Usage);
    place
        .run(&["filters", "rm", "new"])
        .failure(ExitCode::Input);
}

/// Lists the files of a folder with their sizes and times, except SQLite's shared memory, which readers change.
fn files(folder: &Path) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder lists") {
        let path = entry.expect("the entry reads").path();
        if path.to_string_lossy().ends_with("-shm") {
            continue;
        }
        let metadata = path.metadata().expect("the file is there");
        let written = metadata.modified().expect("the system keeps times");
        files.push((path, metadata.len(), written));
    }
    files.sort();
    files
}

#[test]
fn the_doctor_finds_a_sound_workspace_sound_and_touches_nothing() {
    let place = Place::with_sample_data();
    let before = files(&place.path(".focalist"));
    let told = place.run(&["doctor"]).success();
    assert_eq!(files(&place.path(".focalist")), before);
    for words in [
        "✓ SQLite",
        "✓ tree-sitter",
        "✓ grammars",
        "✓ index.db",
        ", sound",
        "✓ verdicts.db",
        "none: nothing has been judged yet",
        "✓ folder",
        "(--workspace)",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains('✗'), "{told}");
    for line in place.run(&["doctor", "--json"]).success().lines() {
        assert!(
            line.starts_with("{\"of\":\"") && line.ends_with('}'),
            "{line}"
        );
    }
}

#[test]
fn the_doctor_makes_nothing_where_there_is_nothing() {
    let place = Place::new();
    let told = place.run(&["doctor"]).success();
    assert!(told.contains("focalist mine PATH"), "{told}");
    assert_eq!(files(&place.path("")), []);
}

#[test]
fn the_doctor_says_what_is_broken_and_what_helps() {
    let place = Place::new();
    place.write(
        ".focalist/index.db",
        "this is no database of anybody at all",
    );
    place.write(".focalist/config.toml", "thme = \"dark\"\n");
    place.write(".focalist/filters.toml", "a = 1\n");
    let outcome = place.run(&["doctor"]);
    assert_eq!(outcome.code, ExitCode::Problems);
    assert_eq!(outcome.err, "error: 1 thing is broken\n");
    for words in [
        "✗ index.db",
        "is not a database of focalist",
        "move it away and mine again",
        "unknown key `thme`",
        "`a` takes a filter in quotes",
    ] {
        assert!(outcome.out.contains(words), "{words}: {}", outcome.out);
    }
}

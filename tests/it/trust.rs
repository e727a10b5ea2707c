//! Folders of strangers: their settings, experiments and links have no effect that the user has not seen, and no
//! program that a repository names is started.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use focalist::cli::ExitCode;
use focalist::generate::testing::Server;
use serde_json::Value;

use crate::pty::Session;
use crate::support::Place;

/// A secret that resembles none of the program's own texts.
const SECRET: &str = "wJalrXUtnFEMI-K7MDENG";

/// Runs the program in the place, for a user whose settings and data are in it and who has a secret.
fn run(place: &Place, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(args)
        .current_dir(place.path(""))
        .env_remove("FOCALIST_WORKSPACE")
        .env("XDG_CONFIG_HOME", place.path("user/config"))
        .env("XDG_DATA_HOME", place.path("user/data"))
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started")
}

fn success(place: &Place, args: &[&str]) -> String {
    let output = run(place, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the program writes UTF-8")
}

fn failure(place: &Place, args: &[&str], code: ExitCode) -> String {
    let output = run(place, args);
    assert_eq!(output.status.code(), Some(code as i32), "{output:?}");
    String::from_utf8(output.stderr).expect("the program writes UTF-8")
}

/// Tells whether a request contained the secret.
fn is_leaked(server: &Server) -> bool {
    let requests = server.requests();
    let mut headers = requests.iter().flat_map(|request| &request.headers);
    headers.any(|header| header.contains(&SECRET.to_lowercase()))
}

const ASK: &[&str] = &[
    "generate",
    "--run",
    "r",
    "--model",
    "big",
    "--prompts",
    "p.jsonl",
];

/// Creates a place with prompts.
fn asking() -> Place {
    let place = Place::new();
    place.write(
        "p.jsonl",
        "{\"id\":\"1\",\"prompt\":\"p\",\"max_tokens\":9}\n",
    );
    place
}

fn model(server: &Server, more: &str) -> String {
    let endpoint = server.endpoint();
    format!("[models.big]\nendpoint = \"{endpoint}\"\nkey_env = \"AWS_SECRET_ACCESS_KEY\"\n{more}")
}

#[test]
fn a_clone_sends_no_key_until_its_settings_are_trusted_as_they_are() {
    let (place, server) = (asking(), Server::echoing());
    place.write(".focalist/config.toml", model(&server, ""));
    let told = failure(&place, ASK, ExitCode::Usage);
    assert!(
        told.contains("address") && told.contains("`focalist trust`"),
        "{told}"
    );
    // The key goes nowhere else, either.
    let endpoint = server.endpoint();
    success(&place, &[ASK, &["--endpoint", &endpoint]].concat());
    assert!(server.n_requests() == 1 && !is_leaked(&server));
    let problems = run(&place, &["config", "check"]);
    let problems = String::from_utf8_lossy(&problems.stdout).into_owned();
    assert!(
        problems.contains("config.toml:2:1: `endpoint` is ignored"),
        "{problems}"
    );
    let told = failure(&place, &["trust"], ExitCode::Usage);
    assert!(told.contains("`--yes` trusts everything listed"), "{told}");
    let shown = success(&place, &["trust", "--yes"]);
    let line = format!("sends prompts and the key in $AWS_SECRET_ACCESS_KEY to {endpoint}");
    assert!(shown.contains(&line), "{shown}");
    success(&place, &[ASK, &["--n", "2"]].concat());
    assert!(is_leaked(&server), "what is trusted works");
    let n_requests = server.n_requests();
    let listed = success(&place, &["trust", "--list"]);
    assert!(listed.starts_with("trusted  "), "{listed}");
    place.write(".focalist/config.toml", model(&server, "n = 9\n"));
    failure(&place, ASK, ExitCode::Usage);
    let listed = success(&place, &["trust", "--list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("it is a line of JSON");
    assert_eq!(listed["state"], "changed");
    success(&place, &["trust", "-y"]);
    success(&place, &["trust", "--revoke"]);
    failure(&place, ASK, ExitCode::Usage);
    assert_eq!(server.n_requests(), n_requests);
}

#[test]
fn the_commands_of_a_clone_are_not_heard_until_they_are_trusted() {
    let place = asking();
    place.write(
        ".focalist/config.toml",
        "[commands]\ngb = \"rm -r {file}\"\n",
    );
    let wrong = run(&place, &["config", "check"]);
    let said = String::from_utf8_lossy(&wrong.stdout);
    assert!(
        said.contains("config.toml:2:1: the command of `gb` is ignored"),
        "{said}"
    );
    let shown = success(&place, &["trust", "--yes"]);
    assert!(shown.contains("key `gb`: starts `rm -r {file}`"), "{shown}");
    success(&place, &["config", "check"]);
    assert!(success(&place, &["keys"]).contains("rm -r {file}"));
    // What changes has to be trusted again.
    place.write(
        ".focalist/config.toml",
        "[commands]\ngb = \"rm -rf {file}\"\n",
    );
    assert!(!success(&place, &["keys"]).contains("rm -rf"));
}

#[test]
fn a_key_goes_only_where_the_settings_send_it() {
    let (place, server, evil) = (asking(), Server::echoing(), Server::echoing());
    place.write("user/config/focalist/config.toml", model(&server, ""));
    // A clone has the same model elsewhere.
    place.write(".focalist/config.toml", model(&evil, ""));
    success(&place, ASK);
    assert!(is_leaked(&server) && evil.n_requests() == 0);
    let endpoint = evil.endpoint();
    let there = [ASK, &["--n", "2", "--endpoint", &endpoint]].concat();
    let output = run(&place, &there);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("stays here"), "{told}");
    assert!(evil.n_requests() > 0 && !is_leaked(&evil));
}

#[test]
fn an_experiment_names_endpoints_and_keys_of_the_settings_or_is_trusted() {
    let (place, server, evil) = (asking(), Server::echoing(), Server::echoing());
    place.write("user/config/focalist/config.toml", model(&server, ""));
    let experiment = |more: &str| {
        format!("name = \"x\"\nprompts = \"p.jsonl\"\n[[models]]\nmodel = \"big\"\n{more}")
    };
    let endpoint = format!("endpoint = \"{}\"\n", evil.endpoint());
    let key = "key_env = \"AWS_SECRET_ACCESS_KEY\"\n";
    for more in [
        endpoint.clone(),
        endpoint.clone() + key,
        "allow_http = true\n".to_owned(),
    ] {
        place.write("x.toml", experiment(&more));
        for way in [&[][..], &["--background"]] {
            let asked = [&["experiment", "run", "x.toml"], way].concat();
            let told = failure(&place, &asked, ExitCode::Usage);
            assert!(told.contains("`x.toml` is not trusted"), "{told}");
        }
        let checked = run(&place, &["experiment", "check", "x.toml"]);
        let told = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{told}");
        assert!(
            told.contains("would not run yet: `x.toml` is not trusted"),
            "{told}"
        );
    }
    assert_eq!((evil.n_requests(), server.n_requests()), (0, 0));
    // The answers score nothing without samples; that they were asked for is what counts.
    place.write("x.toml", experiment(""));
    run(&place, &["experiment", "run", "x.toml"]);
    assert!(
        is_leaked(&server),
        "what the settings have needs no other trust"
    );
    place.write(
        "x.toml",
        experiment(&(endpoint + key + "seed = 7\nrun = \"y\"\n")),
    );
    let shown = success(&place, &["trust", "x.toml", "--yes"]);
    assert!(
        shown.contains("the key in $AWS_SECRET_ACCESS_KEY"),
        "{shown}"
    );
    run(&place, &["experiment", "run", "x.toml"]);
    assert!(is_leaked(&evil), "what is trusted works");
}

#[test]
fn who_sits_at_a_terminal_is_asked() {
    let (place, server) = (asking(), Server::echoing());
    place.write(".focalist/config.toml", model(&server, ""));
    let data = place.path("user/data").to_string_lossy().into_owned();
    let environment = [("XDG_DATA_HOME", data.as_str())];
    for (answer, said) in [("n", "nothing was done"), ("y", "trusted, as long as")] {
        let mut session = Session::start_with(&place, &["trust"], &environment);
        session.wait_for("$AWS_SECRET_ACCESS_KEY");
        session.wait_for("trust this? [y/N]");
        session.press(&format!("{answer}\r"));
        session.wait_for(said);
        session.end();
        let is_trusted = !success(&place, &["trust", "--list"]).is_empty();
        assert_eq!(is_trusted, answer == "y");
    }
}

#[test]
fn nothing_in_a_workspace_is_a_link() {
    let victim = "mine\n";
    for linked in [
        "logs/job-1.log",
        "logs/job-1.lock",
        "logs",
        "jobs.db",
        "index.db",
        "index.lock",
        "config.toml",
        "imported/r",
    ] {
        let place = Place::new();
        let repo = place.counter("$(touch made)");
        place.write(".bashrc", victim);
        place.write("elsewhere/job-1.log", victim);
        let link = place.path(".focalist").join(linked);
        fs::create_dir_all(link.parent().expect("it is below")).expect("a folder can be made");
        let target = if linked == "logs" {
            "elsewhere"
        } else {
            ".bashrc"
        };
        symlink(place.path(target), &link).expect("a link can be made");
        for asked in [
            &["mine", &repo][..],
            &["mine", &repo, "--background"],
            &["jobs"],
        ] {
            let told = failure(&place, asked, ExitCode::Input);
            assert!(told.contains(&format!("{linked}` is a link")), "{told}");
        }
        for file in [".bashrc", "elsewhere/job-1.log"] {
            let text = fs::read_to_string(place.path(file)).expect("it is there");
            assert_eq!(text, victim, "{linked}");
        }
        let n_elsewhere = fs::read_dir(place.path("elsewhere"))
            .expect("it is there")
            .count();
        assert_eq!(n_elsewhere, 1, "{linked}");
    }
}

#[test]
fn a_workspace_is_a_link_where_the_user_trusts_it() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.write("disk/kept", "");
    symlink(place.path("disk"), place.path(".focalist")).expect("a link can be made");
    let told = failure(&place, &["mine", &repo], ExitCode::Usage);
    assert!(
        told.contains("is a link to") && told.contains("`focalist trust`"),
        "{told}"
    );
    assert_eq!(
        fs::read_dir(place.path("disk"))
            .expect("it is there")
            .count(),
        1
    );
    success(&place, &["trust", "--yes"]);
    success(&place, &["mine", &repo]);
    assert!(place.path("disk/index.db").is_file());
    // Another place is another link.
    place.write("other/kept", "");
    fs::remove_file(place.path(".focalist")).expect("it is removed");
    symlink(place.path("other"), place.path(".focalist")).expect("a link can be made");
    failure(&place, &["mine", &repo], ExitCode::Usage);
}

fn git(folder: &Path, args: &[&str]) {
    let ran = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    let ran = ran.expect("git is there");
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

#[test]
fn mining_starts_no_program_that_a_repository_names() {
    let place = Place::new();
    let repo = place.counter("repo");
    let folder = Path::new(&repo);
    place.write(
        "repo/.gitattributes",
        "*.java filter=evil diff=evil merge=evil\n",
    );
    git(folder, &["init", "-q", "."]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "a"]);
    let mark = place.path("mark");
    let script = place.write("evil.sh", format!("#!/bin/sh\ntouch {}\n", mark.display()));
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&script, executable.clone()).expect("it can be made a program");
    let evil = script.display();
    let named = format!(
        "\tfsmonitor = {evil}\n\tsshCommand = {evil}\n\teditor = {evil}\n\tpager = {evil}\n\tgitProxy = {evil}\n\
         \talternateRefsCommand = {evil}\n\
         [filter \"evil\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\trequired = true\n\
         [diff]\n\texternal = {evil}\n[diff \"evil\"]\n\ttextconv = {evil}\n\tcommand = {evil}\n\
         [merge \"evil\"]\n\tdriver = {evil}\n[credential]\n\thelper = {evil}\n[gpg]\n\tprogram = {evil}\n\
         [log]\n\tshowSignature = true\n[alias]\n\tstatus = !{evil}\n\
         [remote \"origin\"]\n\turl = ext::{evil}\n\tuploadpack = {evil}\n\tpromisor = true\n\tvcs = {evil}\n"
    );
    let included = place.write("included", format!("[core]\n{named}"));
    let config = place.path("repo/.git/config");
    let before = fs::read_to_string(&config).expect("git made it");
    let include = format!("[include]\n\tpath = {}\n", included.display());
    fs::write(&config, format!("{before}[core]\n{named}{include}")).expect("it is written");
    for hook in [
        "post-checkout",
        "fsmonitor-watchman",
        "post-index-change",
        "pre-commit",
    ] {
        let hook = place.write(
            &format!("repo/.git/hooks/{hook}"),
            format!("#!/bin/sh\n{evil}\n"),
        );
        fs::set_permissions(hook, executable.clone()).expect("it can be made a program");
    }
    // Another time and size: whoever compares has to read the file, through the filter.
    place.write(
        "repo/src/main/java/p/Counter.java",
        crate::support::COUNTER.to_owned() + "\n",
    );
    // Git itself starts it, so that the test would see it.
    let started = Command::new("git")
        .args(["diff", "--stat"])
        .current_dir(folder)
        .output();
    assert!(started.is_ok() && mark.exists(), "{started:?}");
    fs::remove_file(&mark).expect("it is there");
    success(&place, &["mine", &repo]);
    success(&place, &["mine", &repo]);
    success(&place, &["repos", "--json"]);
    success(&place, &["manifest"]);
    success(&place, &["export", "--all", "--output", "x.jsonl"]);
    success(
        &place,
        &["export", "--output", "dataset", "--format", "tests"],
    );
    assert!(!mark.exists());
}

//! An error in one Java project is that project's outcome, and the other projects of the same call run.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::java_attacks::{antrun, project_with};
use crate::prepare::{TURN, cache, has_tools};
use crate::support::Place;

/// Runs the program in a workspace, and returns its code, stdout and stderr.
fn run(place: &Place, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .arg("--workspace")
        .arg(place.path("workspace"))
        .args(["--config", "/dev/null"])
        .args(arguments)
        .env("FOCALIST_CACHE", cache())
        .output()
        .expect("the program can be started");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    let (out, said) = (text(output.stdout), text(output.stderr));
    (output.status.code(), out, said)
}

/// Mines projects, runs their true tests, and returns the outcome of each, or why there is none, in order of name.
pub fn truth(place: &Place, roots: &[&Path], asked: &[&str]) -> Vec<(String, String)> {
    for root in roots {
        let path = root.to_str().expect("our paths are text");
        let (code, _, said) = run(place, &["mine", path]);
        assert_eq!(code, Some(0), "{said}");
    }
    let arguments = [&["execute", "--truth"][..], asked].concat();
    let (code, _, said) = run(place, &arguments);
    assert_eq!(code, Some(0), "{said}");
    let (_, samples, _) = run(place, &["samples", "--json"]);
    let (_, outcomes, _) = run(place, &["export", "--format", "outcomes", "--run", "truth"]);
    let read = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect("lines of JSON")
    };
    let outcomes = read(&outcomes);
    let mut found: Vec<(String, String)> = read(&samples)
        .iter()
        .map(|sample| {
            let is_it = |value: &&Value| value["sample"] == sample["key"];
            let row = outcomes.iter().find(is_it).expect("it has a row");
            let word = row["outcome"].as_str().or_else(|| row["blocked"].as_str());
            let message = row["why"]["message"].as_str().unwrap_or_default();
            let repo = sample["repo"].as_str().expect("it has a name");
            let word = word.expect("it has either");
            (repo.to_owned(), format!("{word} {message}"))
        })
        .collect();
    found.sort();
    found
}

#[test]
fn a_pom_that_is_a_link_blocks_its_own_project_alone() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let good = project_with(&place, "good", ("", ""));
    let linked = project_with(&place, "linked", ("", ""));
    let outside = place.path("outside.xml");
    fs::rename(linked.join("pom.xml"), &outside).expect("it is moved");
    symlink(&outside, linked.join("pom.xml")).expect("it is linked");
    let inside = project_with(&place, "within", ("", ""));
    fs::create_dir(inside.join("build")).expect("it is made");
    fs::rename(inside.join("pom.xml"), inside.join("build/pom.xml")).expect("it is moved");
    symlink("build/pom.xml", inside.join("pom.xml")).expect("it is linked");
    let found = truth(&place, &[&good, &linked, &inside], &[]);
    let [good, linked, within] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(good.1, "correct ", "{found:?}");
    assert!(linked.1.starts_with("no_build "), "{found:?}");
    assert!(
        linked.1.contains("a link that leads out of the project"),
        "{found:?}"
    );
    assert!(!within.1.contains("is a link"), "{found:?}");
}

#[test]
fn a_working_folder_that_a_build_links_elsewhere_ends_nothing() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let good = project_with(&place, "good", ("", ""));
    let surefire = "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId>
         <configuration><workingDirectory>${basedir}/work</workingDirectory></configuration></plugin></plugins>";
    let outside = place.path("elsewhere");
    fs::create_dir(&outside).expect("it is made");
    let link = format!(
        "<symlink link=\"work\" resource=\"{}\"/>",
        outside.display()
    );
    let build = antrun(&link).replace("</plugins>", surefire);
    let linked = project_with(&place, "linked", ("", &build));
    let found = truth(&place, &[&good, &linked], &[]);
    let words: Vec<&str> = found.iter().map(|found| found.1.trim()).collect();
    assert_eq!(words, ["correct", "correct"], "{found:?}");
}

#[test]
fn a_release_holds_under_a_compiler_plugin_that_does_not_know_the_word() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    // Java 7 has no `var`, so errors reveal a plugin that compiles for an older version than configured.
    let of_ten = "class Ten { int ten() { var ten = 10; return ten; } }";
    let project = |name: &str, properties: &str, configuration: &str| {
        let plugin = format!(
            "<plugins><plugin><groupId>org.apache.maven.plugins</groupId>
             <artifactId>maven-compiler-plugin</artifactId><version>3.1</version>
             <configuration>{configuration}</configuration></plugin></plugins>"
        );
        let root = project_with(&place, name, ("", &plugin));
        let pom = fs::read_to_string(root.join("pom.xml")).expect("it is there");
        let levels = pom.find("<maven.compiler.source>").expect("it has levels");
        let encoding = pom.find("<project.build").expect("it has an encoding");
        let pom = format!("{}{properties}{}", &pom[..levels], &pom[encoding..]);
        fs::write(root.join("pom.xml"), pom).expect("it is written");
        let source = root.join("src/main/java/p/Ten.java");
        fs::write(source, format!("package p; {of_ten}")).expect("it is written");
        root
    };
    let by_property = project(
        "property",
        "<maven.compiler.release>17</maven.compiler.release>",
        "",
    );
    let by_plugin = project("plugin", "", "<release>17</release>");
    let found = truth(&place, &[&by_property, &by_plugin], &[]);
    let words: Vec<&str> = found.iter().map(|found| found.1.trim()).collect();
    assert_eq!(words, ["correct", "correct"], "{found:?}");
}

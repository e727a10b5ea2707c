//! The files that packages are built from agree with the program; `.ci/packages` builds and tries the packages
//! themselves.

use std::fs;
use std::path::Path;

use toml::Table;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn table(name: &str) -> Table {
    let path = Path::new(ROOT).join(name);
    let text = fs::read_to_string(path).expect("the file reads");
    text.parse().expect("it is TOML")
}

#[test]
fn the_wheel_says_of_the_program_what_cargo_says() {
    let wheel = table("pyproject.toml");
    let wheel = wheel["project"].as_table().expect("there is a project");
    let cargo = table("Cargo.toml");
    let package = cargo["package"].as_table().expect("there is a package");
    for key in ["name", "description", "readme", "keywords"] {
        assert_eq!(wheel[key], package[key], "{key}");
    }
    assert_eq!(wheel["license"], cargo["workspace"]["package"]["license"]);
    // The version is taken from Cargo.toml.
    assert_eq!(wheel["dynamic"].as_array().map(Vec::len), Some(1));
    assert_eq!(wheel["dynamic"][0].as_str(), Some("version"));
    let profile = table("pyproject.toml")["tool"]["maturin"]["profile"].clone();
    let profiles = cargo["profile"].as_table().expect("there are profiles");
    assert!(profiles.contains_key(profile.as_str().expect("it is a name")));
}

#[test]
fn a_release_is_made_for_every_system_that_the_docs_name() {
    let path = Path::new(ROOT).join(".github/workflows/release.yml");
    let workflow = fs::read_to_string(path).expect("the file reads");
    for target in [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ] {
        assert!(workflow.contains(target), "{target}");
    }
    for words in [
        ".ci/packages dist",
        "SHA256SUMS",
        "sboms",
        "maturin build --locked",
    ] {
        assert!(workflow.contains(words), "{words}");
    }
    assert!(!workflow.contains('\t'), "YAML takes no tabs");
}

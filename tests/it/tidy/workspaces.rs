//! The model is a separate workspace that inherits nothing, so settings that both workspaces have must be the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// Reads a TOML file of the repository.
fn read(path: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(path).expect("it is there");
    text.parse().expect("our manifests are TOML")
}

/// Returns the value at a path of names; an empty table where there is none.
fn at(table: &Table, path: &[&str]) -> Table {
    let mut found = table.clone();
    for name in path {
        let below = found.get(*name).and_then(Value::as_table);
        found = below.cloned().unwrap_or_default();
    }
    found
}

/// Returns the versions of each package of a lock file.
fn locked(path: &str) -> BTreeMap<String, Vec<String>> {
    let lock = read(path);
    let packages = lock["package"].as_array().expect("it lists packages");
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let text = |name: &str| package[name].as_str().expect("it is a text").to_owned();
        versions
            .entry(text("name"))
            .or_default()
            .push(text("version"));
    }
    versions
}

#[test]
fn the_product_has_nothing_of_the_model() {
    let product = read("Cargo.toml");
    let listed = |name: &str| {
        let list = product["workspace"][name].as_array().expect("it is a list");
        let words = list.iter().filter_map(Value::as_str);
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut expected = listed("members");
    expected.insert(0, ".".to_owned());
    assert_eq!(listed("default-members"), expected);
    let of_model = |name: &&String| name.starts_with("burn") || *name == "focalist-baseline";
    assert_eq!(locked("Cargo.lock").keys().find(of_model), None);
    assert!(
        locked("src/baseline/Cargo.lock")
            .keys()
            .any(|name| name == "burn")
    );
}

#[test]
fn both_workspaces_agree() {
    let (product, model) = (read("Cargo.toml"), read("src/baseline/Cargo.toml"));
    let lints = at(&product, &["workspace", "lints"]);
    assert_eq!(at(&model, &["lints"]), lints);
    let (shared, own) = (
        at(&product, &["workspace", "package"]),
        at(&model, &["package"]),
    );
    for name in ["version", "edition", "license"] {
        assert_eq!(own[name], shared[name], "{name}");
    }
    let shared = at(&product, &["workspace", "dependencies"]);
    for (name, dependency) in at(&model, &["dependencies"]) {
        if let Some(expected) = shared
            .get(&name)
            .filter(|shared| shared.get("path").is_none())
        {
            assert_eq!(&dependency, expected, "{name}");
        }
    }
    for profile in ["dev", "release"] {
        let shared = at(&product, &["profile", profile, "package"]);
        for (name, options) in at(&model, &["profile", profile, "package"]) {
            if let Some(expected) = shared.get(&name) {
                assert_eq!(&options, expected, "{profile} {name}");
            }
        }
    }
}

/// Packages that both use are compiled once, which requires equal versions.
#[test]
fn both_lock_files_have_the_same_versions() {
    let (product, model) = (locked("Cargo.lock"), locked("src/baseline/Cargo.lock"));
    let rooms = model
        .keys()
        .filter_map(|name| name.strip_prefix("focalist-"));
    for room in rooms {
        for name in at(&read(&format!("src/{room}/Cargo.toml")), &["dependencies"]).keys() {
            let Some(others) = product.get(name) else {
                continue;
            };
            let is_shared = model[name].iter().any(|version| others.contains(version));
            assert!(is_shared, "{name}: {:?} and {others:?}", model[name]);
        }
    }
}

//! The programs of others that some verbs need: which are here, and what each missing one would add.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::command::{site, train};
use crate::model::Finding;
use crate::runner::Toolchain;

/// Checks the tools, a finding each. Everything else works without them, so none of them is broken.
pub fn findings() -> Vec<Finding> {
    let toolchain = Toolchain::find(&site::machine(), &site::surroundings());
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = of_languages(&toolchain);
    found.push(one(
        "GNU parallel",
        in_path(&path, "parallel"),
        "adds shards on all cores and over machines, from `focalist cluster`: `apt install parallel`",
    ));
    found.push(one(
        train::PROGRAM,
        train::found(&path),
        "adds `focalist train` and a model to compare with: docs/baseline.md says how it is built",
    ));
    found
}

fn of_languages(toolchain: &Toolchain) -> Vec<Finding> {
    let pythons: Vec<String> = toolchain
        .pythons
        .iter()
        .filter_map(|python| name(python))
        .collect();
    let uv = match &toolchain.uv {
        Some(path) => path.display().to_string(),
        None => "none: `prepare` brings its own copy".to_owned(),
    };
    vec![
        some(
            "JDK",
            toolchain.jdks.join(", "),
            "adds `prepare` and `execute` for Java, with Maven: `apt install default-jdk-headless`",
        ),
        one(
            "Maven",
            toolchain.maven.clone(),
            "adds `prepare` and `execute` for Java, with a JDK: `apt install maven`",
        ),
        some(
            "Python",
            pythons.join(", "),
            "adds `prepare` and `execute` for Python, `clover`, and `--parse ast`: `apt install python3`",
        ),
        Finding::good("uv", uv),
    ]
}

fn one(name: &'static str, found: Option<PathBuf>, adds: &str) -> Finding {
    some(
        name,
        found
            .map(|found| found.display().to_string())
            .unwrap_or_default(),
        adds,
    )
}

fn some(name: &'static str, found: String, adds: &str) -> Finding {
    if found.is_empty() {
        Finding::doubtful(name, "none", adds)
    } else {
        Finding::good(name, found)
    }
}

fn name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Some(name.replacen("python", "", 1))
}

fn in_path(path: &OsStr, program: &str) -> Option<PathBuf> {
    let mut places = env::split_paths(path).map(|split_path| split_path.join(program));
    places.find(|place| place.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grade;

    #[test]
    fn a_machine_with_nothing_is_told_what_each_tool_adds() {
        let found = of_languages(&Toolchain::default());
        let adds = |name: &str| {
            let finding = found.iter().find(|finding| finding.name == name);
            let finding = finding.expect("it is looked for");
            (finding.grade, finding.advice.clone().unwrap_or_default())
        };
        for (name, verb) in [
            ("JDK", "for Java"),
            ("Maven", "for Java"),
            ("Python", "`clover`"),
        ] {
            let (grade, advice) = adds(name);
            assert_eq!(grade, Grade::Doubtful, "{name}");
            assert!(
                advice.starts_with("adds ") && advice.contains(verb),
                "{name}: {advice}"
            );
        }
        assert_eq!(adds("uv").0, Grade::Good);
    }

    #[test]
    fn what_is_there_is_named_and_needs_no_advice() {
        let toolchain = Toolchain {
            jdks: vec!["17.0.15".to_owned(), "8.0.504".to_owned()],
            maven: Some("/opt/maven".into()),
            pythons: vec!["/usr/bin/python3.11".into(), "/opt/bin/python3.9".into()],
            uv: Some("/opt/bin/uv".into()),
        };
        let found = of_languages(&toolchain);
        let values: Vec<&str> = found.iter().map(|finding| finding.value.as_str()).collect();
        assert_eq!(
            values,
            ["17.0.15, 8.0.504", "/opt/maven", "3.11, 3.9", "/opt/bin/uv"]
        );
        assert!(found.iter().all(|finding| finding.advice.is_none()));
    }
}

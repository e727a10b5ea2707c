//! The options that candidates are compiled with: those of their module, and Lombok where the module has it.

use std::path::{Path, PathBuf};

use crate::java::{Build, Module};
use crate::sandbox::Root;

/// The largest file of Lombok's settings that is read.
const SETTINGS_BYTES_MAX: u64 = 1 << 20;

pub const NO_PROCESSORS: &str = "-proc:none";

/// Lists the options of a module, except those for annotation processors.
pub fn options(build: &Build, module: &Module) -> Vec<String> {
    let javac = &module.javac;
    let is_old = build.jdk.feature < 9;
    let mut options: Vec<String> = ["-g", "-nowarn", "-Xmaxerrs", "100000"]
        .map(str::to_owned)
        .to_vec();
    options.extend(["-implicit:none", "-encoding", "UTF-8"].map(str::to_owned));
    options.push(if is_old {
        "-XDshouldStopPolicyIfError=FLOW".to_owned()
    } else {
        "-XDshould-stop.ifError=FLOW".to_owned()
    });
    if javac.has_parameters {
        options.push("-parameters".to_owned());
    }
    match &javac.release {
        Some(release) if !is_old => options.extend(["--release".to_owned(), release.clone()]),
        release => {
            for (name, value) in [("-source", &javac.source), ("-target", &javac.target)] {
                if let Some(value) = release.as_ref().or(value.as_ref()) {
                    options.extend([name.to_owned(), value.clone()]);
                }
            }
        }
    }
    options.extend(javac.others.iter().cloned());
    options
}

/// Lists the options that choose annotation processors: only Lombok, as it changes the very class that is compiled. The
/// output of other processors was built with the project and is on the class path.
pub fn processors(class_path: &[String]) -> Vec<String> {
    match class_path.iter().find(|text| is_lombok(text)) {
        Some(jar) => vec!["-processorpath".to_owned(), jar.clone()],
        None => vec![NO_PROCESSORS.to_owned()],
    }
}

/// Tells whether code of the project may run in a compiler with these options: a jar of any content may be named like
/// Lombok.
pub fn runs_others(options: &[String]) -> bool {
    !options.iter().any(|option| option == NO_PROCESSORS)
}

fn is_lombok(jar: &str) -> bool {
    let name = Path::new(jar).file_name().and_then(|name| name.to_str());
    // `lombok-mapstruct-binding` is something else.
    let version = name.and_then(|name| name.strip_prefix("lombok-"));
    version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

/// Reads the `lombok.config` files in a module's folder and those above it, as Lombok would: the nearer one comes
/// later, and wins. A file behind a link is ignored: a build may have put the link there.
pub fn lombok_settings(tree: &Root, module_folder: &str) -> String {
    let mut folder = PathBuf::new();
    let mut all = String::new();
    let deeper = module_folder.split('/').filter(|part| !part.is_empty());
    let folders = std::iter::once(folder.clone()).chain(deeper.map(|deeper| {
        folder.push(deeper);
        folder.clone()
    }));
    for folder in folders {
        if let Ok(text) = tree.read_text(folder.join("lombok.config"), SETTINGS_BYTES_MAX) {
            all.push_str(&text);
            all.push('\n');
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lombok_is_let_in() {
        let path = ["/r/junit-4.jar", "/r/lombok-mapstruct-binding-0.2.0.jar"].map(str::to_owned);
        assert_eq!(processors(&path), [NO_PROCESSORS]);
        let path = ["/r/junit-4.jar", "/r/lombok-1.18.38.jar"].map(str::to_owned);
        let chosen = ["-processorpath", "/r/lombok-1.18.38.jar"];
        assert_eq!(processors(&path), chosen);
    }

    #[test]
    fn settings_of_lombok_come_from_the_top_down() {
        let place = tempfile::tempdir().expect("a folder");
        let tree = Root::open(place.path()).expect("it is there");
        tree.create_folders("a/b").expect("they are made");
        for (path, text) in [
            ("secret", "x = 3"),
            ("lombok.config", "x = 1"),
            ("a/b/lombok.config", "x = 2\n"),
        ] {
            tree.write(path, text).expect("it is written");
        }
        let link = place.path().join("a/lombok.config");
        std::os::unix::fs::symlink(place.path().join("secret"), link).expect("it is linked");
        assert_eq!(lombok_settings(&tree, "a/b"), "x = 1\nx = 2\n\n");
    }
}

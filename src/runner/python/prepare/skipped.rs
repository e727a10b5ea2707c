//! Finds the packages that would enable tests which are skipped because something is not installed.

use std::collections::{BTreeMap, BTreeSet};

use super::OptionalRequirements;
use super::download::{name_of, normal};

/// The most places of the project that are named.
const N_PLACES: usize = 5;

/// Packages with another name than their modules.
const PACKAGES: [(&str, &str); 24] = [
    ("yaml", "PyYAML"),
    ("PIL", "Pillow"),
    ("attr", "attrs"),
    ("dateutil", "python-dateutil"),
    ("sklearn", "scikit-learn"),
    ("bs4", "beautifulsoup4"),
    ("cv2", "opencv-python-headless"),
    ("dotenv", "python-dotenv"),
    ("jwt", "PyJWT"),
    ("OpenSSL", "pyOpenSSL"),
    ("Crypto", "pycryptodome"),
    ("magic", "python-magic"),
    ("git", "GitPython"),
    ("docx", "python-docx"),
    ("serial", "pyserial"),
    ("zmq", "pyzmq"),
    ("google.protobuf", "protobuf"),
    ("pkg_resources", "setuptools<81"),
    ("slugify", "python-slugify"),
    ("multipart", "python-multipart"),
    ("socks", "PySocks"),
    ("usb", "pyusb"),
    ("nacl", "PyNaCl"),
    ("_pytest", "pytest"),
];

/// Writes notes on tests that are skipped, by their reasons and by the optional packages that the project names for
/// some of them.
///
/// `reasons` are those of skipped tests, and of files in which nothing was collected.
pub fn notes<'r>(
    reasons: impl Iterator<Item = &'r str>,
    optional: &[OptionalRequirements],
    installed: &[String],
) -> Vec<String> {
    let installed: BTreeSet<String> = installed
        .iter()
        .map(|package| normal(name_of(package)))
        .collect();
    let mut modules: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_skipped = 0;
    for reason in reasons {
        n_skipped += 1;
        if let Some(module) = missing(reason) {
            *modules.entry(module).or_default() += 1;
        }
    }
    let mut notes = Vec::new();
    for (module, n) in &modules {
        let package = package_of(module);
        let is_it =
            |requirement: &String| normal(name_of(requirement)) == normal(name_of(&package));
        let places: Vec<&str> = optional
            .iter()
            .filter(|optional| optional.requirements.iter().any(is_it))
            .map(|optional| optional.place.as_str())
            .collect();
        let places = if places.is_empty() {
            String::new()
        } else {
            format!(" (named by {})", places.join(", "))
        };
        notes.push(format!(
            "tests or files that are skipped for want of `{module}`: {n}; `--add {package}` brings them back{places}"
        ));
    }
    if n_skipped == 0 {
        return notes;
    }
    for optional in optional.iter().take(N_PLACES) {
        let missing = optional.requirements.iter();
        let missing: Vec<&str> = missing
            .map(|requirement| name_of(requirement))
            .filter(|name| !installed.contains(&normal(name)))
            .collect();
        if !missing.is_empty() {
            let add: Vec<String> = missing.iter().map(|name| format!("--add {name}")).collect();
            notes.push(format!(
                "tests are skipped, and the packages of the {} are not installed: `{}` installs them",
                optional.place,
                add.join(" ")
            ));
        }
    }
    notes
}

/// Finds the package that contains a module.
pub fn package_of(module: &str) -> String {
    let known = PACKAGES.iter().find(|pair| pair.0 == module);
    known.map_or(module, |known| known.1).to_owned()
}

/// Reads the missing module out of a reason, as `pytest.importorskip` words it.
fn missing(reason: &str) -> Option<String> {
    let (_, rest) = reason.split_once("could not import '")?;
    let name = rest.split('\'').next()?.split('.').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_names_the_packages_that_bring_it_back() {
        let optional = [
            OptionalRequirements {
                place: "tox environment `py3-extra`".to_owned(),
                requirements: vec!["PyYAML>=5".to_owned(), "numpy".to_owned()],
            },
            OptionalRequirements {
                place: "group `there`".to_owned(),
                requirements: vec!["pytest".to_owned()],
            },
        ];
        let reasons = [
            "Skipped: could not import 'yaml': No module named 'yaml'",
            "could not import 'yaml.nodes': No module named 'yaml'",
            "only on Windows",
        ];
        let installed = ["pytest==8.0".to_owned(), "NumPy==2.0".to_owned()];
        let check = |reasons: &[&'static str], expected: &[&str]| {
            assert_eq!(
                notes(reasons.iter().copied(), &optional, &installed),
                expected
            );
        };
        check(
            &reasons,
            &[
                "tests or files that are skipped for want of `yaml`: 2; `--add PyYAML` brings them back (named by tox environment `py3-extra`)",
                "tests are skipped, and the packages of the tox environment `py3-extra` are not installed: `--add PyYAML` installs them",
            ],
        );
        check(&[], &[]);
    }
}

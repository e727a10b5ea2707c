//! Chooses the Python that runs a project: among the interpreters of this machine, by the project's requirements.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::sandbox::Root;

/// Minor versions of Python 3 and the months of their release: earlier projects were not made for them.
const RELEASED: [(u32, &str); 10] = [
    (5, "2015-09"),
    (6, "2016-12"),
    (7, "2018-06"),
    (8, "2019-10"),
    (9, "2020-10"),
    (10, "2021-10"),
    (11, "2022-10"),
    (12, "2023-10"),
    (13, "2024-10"),
    (14, "2025-10"),
];

/// The largest file with `pyenv`'s choice of a version that is read.
const N_BYTES_MAX: u64 = 4 << 10;

/// A Python of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    /// The program's file itself, not a link or a script.
    pub program: PathBuf,
    /// The folder of the installation.
    pub prefix: PathBuf,
    /// Of `3.11`: 11.
    pub minor: u32,
}

impl Python {
    /// Makes one of a program that is named like `python3.11`, as in installations; nothing for any other file.
    fn of(path: &Path) -> Option<Self> {
        let program = fs::canonicalize(path).ok()?;
        let mut magic = [0; 4];
        // A script that chooses a program would not see its settings inside the sandbox.
        let folder = Root::open(program.parent()?).ok()?;
        let mut file = folder.open_file(program.file_name()?).ok()?;
        file.read_exact(&mut magic).ok()?;
        if magic != *b"\x7fELF" {
            return None;
        }
        let name = program.file_name()?.to_str()?;
        let minor = name.strip_prefix("python3.")?.parse().ok()?;
        let prefix = program.parent()?.parent()?.to_owned();
        Some(Self {
            program,
            prefix,
            minor,
        })
    }
}

/// Tells whether a folder is the installation of a Python of a version such as `3.11.7`: it must have the program of
/// that name.
pub fn is_installation(prefix: &Path, version: &str) -> bool {
    let minor = version.split('.').nth(1).unwrap_or_default();
    let is_number = !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    let program = prefix.join("bin").join(format!("python3.{minor}"));
    is_number && Python::of(&program).is_some_and(|python| python.prefix == prefix)
}

/// Finds the interpreters of this machine: first the one that `python3` means, then the others, newest first.
pub fn interpreters(path: &OsStr, home: Option<&Path>) -> Vec<Python> {
    let mut found: Vec<Python> = Vec::new();
    let mut add = |path: &Path| {
        if let Some(python) = Python::of(path)
            && !found.iter().any(|other| other.program == python.program)
        {
            found.push(python);
        }
    };
    let mut homes: Vec<PathBuf> = Vec::new();
    if let Some(home) = home {
        let pyenv = home.join(".pyenv");
        // The choice of `pyenv`, whose program on the path is a script.
        let version = Root::open(&pyenv).and_then(|root| root.read_text("version", N_BYTES_MAX));
        if let Ok(version) = version {
            for version in version.split_whitespace() {
                add(&pyenv.join("versions").join(version).join("bin/python3"));
            }
        }
        homes.push(pyenv.join("versions"));
        homes.push(home.join(".local/share/uv/python"));
    }
    for name in ["python3", "python"] {
        for folder in env::split_paths(path) {
            add(&folder.join(name));
        }
    }
    let mut others: Vec<PathBuf> = Vec::new();
    for minor in RELEASED.iter().map(|pair| pair.0).chain(15..20) {
        others.extend(
            env::split_paths(path).map(|split_path| split_path.join(format!("python3.{minor}"))),
        );
    }
    for home in homes {
        let entries = fs::read_dir(home).into_iter().flatten().flatten();
        others.extend(entries.map(|entry| entry.path().join("bin/python3")));
    }
    others.sort();
    let mut others: Vec<Python> = others
        .iter()
        .filter_map(|other| Python::of(other))
        .collect();
    others.sort_by(|a, b| b.minor.cmp(&a.minor).then(a.program.cmp(&b.program)));
    for python in others {
        add(&python.program);
    }
    found
}

/// Chooses the interpreter for a project: the requested one, else the default one if the project accepts it and it was
/// released by the day, else the newest one that meets both conditions, else the oldest that the project accepts.
pub fn choose<'p>(
    pythons: &'p [Python],
    asked: Option<&str>,
    requires: Option<&str>,
    as_of: Option<&str>,
) -> Option<&'p Python> {
    if let Some(asked) = asked {
        let asked = asked.trim_start_matches("python");
        let minor = asked.split('.').nth(1)?.parse::<u32>().ok()?;
        return pythons.iter().find(|python| python.minor == minor);
    }
    let takes = |python: &&Python| requires.is_none_or(|requires| is_taken(requires, python.minor));
    let was_there = |python: &&Python| as_of.is_none_or(|day| is_out(python.minor, day));
    let default = pythons.first().filter(takes).filter(was_there);
    let by_minor = |python: &&Python| python.minor;
    default
        .or_else(|| {
            pythons
                .iter()
                .filter(takes)
                .filter(was_there)
                .max_by_key(by_minor)
        })
        .or_else(|| pythons.iter().filter(takes).min_by_key(by_minor))
}

fn is_out(minor: u32, day: &str) -> bool {
    let released = RELEASED
        .iter()
        .find(|pair| pair.0 == minor)
        .map(|pair| pair.1);
    released.is_none_or(|month| month <= day)
}

/// Tells whether `requires-python` accepts a version; a part that cannot be read accepts all.
pub fn is_taken(requires: &str, minor: u32) -> bool {
    requires.split(',').all(|part| {
        let part = part.trim();
        let n_sign = part
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(part.len());
        let (sign, number) = part.split_at(n_sign);
        let mut numbers = number.trim().split('.');
        let Some(major) = numbers.next().and_then(|number| number.parse::<u32>().ok()) else {
            return true;
        };
        let second = numbers.next();
        let is_whole = numbers.next().is_none_or(|number| number == "*");
        let wanted = second.and_then(|second| second.parse::<u32>().ok());
        let here = (3, minor);
        let there = (major, wanted.unwrap_or(0));
        match sign.trim() {
            ">=" => here >= there,
            // `>3.8.1` is 3.8, too; `>3.8` is not.
            ">" => here > there || (!is_whole && here == there),
            "<=" => here <= there,
            // `<3.12.1` is 3.12, too.
            "<" => here < there || (!is_whole && here == there),
            "==" if wanted.is_none() => major == 3,
            "!=" if is_whole && wanted.is_some() => here != there,
            "~=" if is_whole => here >= there && major == 3,
            "==" | "===" | "~=" => here == there,
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(minor: u32) -> Python {
        Python {
            program: format!("/usr/bin/python3.{minor}").into(),
            prefix: "/usr".into(),
            minor,
        }
    }

    #[test]
    fn what_a_project_requires_is_compared_by_its_first_two_numbers() {
        let check = |requires: &str, expected: &[u32]| {
            let taken: Vec<u32> = (7..=13).filter(|n| is_taken(requires, *n)).collect();
            assert_eq!(taken, expected, "{requires}");
        };
        check(">=3.10", &[10, 11, 12, 13]);
        check(">=3.8.1,<4.0", &[8, 9, 10, 11, 12, 13]);
        check(">=3.8, <3.11", &[8, 9, 10]);
        check("==3.9.*", &[9]);
        check("~=3.8", &[8, 9, 10, 11, 12, 13]);
        check("~=3.8.2", &[8]);
        check(">=3.7,!=3.8.*,<=3.9", &[7, 9]);
        check("", &[7, 8, 9, 10, 11, 12, 13]);
        check("<3", &[]);
    }

    #[test]
    fn the_default_python_is_taken_where_it_fits_and_was_there() {
        let pythons = [python(12), python(14), python(11), python(8)];
        let check = |asked, requires, as_of, expected: Option<u32>| {
            let chosen = choose(&pythons, asked, requires, as_of);
            assert_eq!(chosen.map(|python| python.minor), expected);
        };
        check(None, None, None, Some(12));
        check(Some("3.8"), Some(">=3.10"), None, Some(8));
        check(None, Some(">=3.9"), Some("2023-05-01"), Some(11));
        check(None, Some(">=3.13"), Some("2023-05-01"), Some(14));
        check(None, Some("<3"), None, None);
        check(Some("3.6"), None, None, None);
    }
}

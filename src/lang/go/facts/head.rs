//! Decides from a file's name and the lines above its package clause whether the file is built.
//!
//! Constraints hide no file. They only tell which of several declarations is meant: the one for Linux, amd64, cgo.

/// The newest Go release when this was written: its tag holds, and the tags of all releases before it (`go1.21`).
const RELEASE: u32 = 26;

/// The other build tags that hold.
const TAGS: &[&str] = &["linux", "amd64", "cgo", "unix", "gc"];

/// The endings of file names that mean one system only, and below, one processor only.
const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];
const PROCESSORS: &[&str] = &[
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64",
    "ppc64le", "riscv64", "s390x", "sparc64", "wasm",
];

/// The depth of brackets beyond which a constraint counts as not met.
const NESTED_MAX: u32 = 50;

/// Tells whether a file is built on Linux, amd64 and with cgo.
pub fn is_built(path: &str, text: &str) -> bool {
    is_name_built(path) && is_text_built(text)
}

/// Iterates over the lines above the package clause.
fn head(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(str::trim_end)
        .take_while(|line| !line.starts_with("package "))
}

fn is_name_built(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".go").unwrap_or(name);
    let name = name.strip_suffix("_test").unwrap_or(name);
    // The first part is a name of its own: `linux.go` is built everywhere.
    let mut parts = name.split('_').skip(1).collect::<Vec<_>>();
    let Some(last) = parts.pop() else {
        return true;
    };
    if PROCESSORS.contains(&last) {
        let system = parts.pop().filter(|part| SYSTEMS.contains(part));
        return last == "amd64" && system.is_none_or(|system| system == "linux");
    }
    !SYSTEMS.contains(&last) || last == "linux"
}

fn is_text_built(text: &str) -> bool {
    if let Some(line) = head(text).find_map(|text| text.strip_prefix("//go:build ")) {
        let mut reader = BuildConstraintReader {
            rest: line,
            n_nested: 0,
        };
        return reader.either().unwrap_or(false);
    }
    // In the older form, all lines must hold: of a line any word, of a word all its parts.
    head(text)
        .filter_map(|text| {
            text.strip_prefix("//")?
                .trim_start()
                .strip_prefix("+build ")
        })
        .all(|line| {
            line.split_whitespace().any(|word| {
                word.split(',').all(|part| match part.strip_prefix('!') {
                    Some(tag) => !is_met(tag),
                    None => is_met(part),
                })
            })
        })
}

fn is_met(tag: &str) -> bool {
    let release = tag.strip_prefix("go1.").and_then(|rest| rest.parse().ok());
    TAGS.contains(&tag) || release.is_some_and(|release: u32| release <= RELEASE)
}

/// Evaluates a constraint such as `a && (b || !c)`.
struct BuildConstraintReader<'t> {
    rest: &'t str,
    n_nested: u32,
}

impl BuildConstraintReader<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut value = self.both()?;
        while self.takes("||") {
            let right = self.both()?;
            value |= right;
        }
        Some(value)
    }

    fn both(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.takes("&&") {
            let right = self.one()?;
            value &= right;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        let mut is_negated = false;
        while self.takes("!") {
            is_negated = !is_negated;
        }
        if self.takes("(") {
            self.n_nested += 1;
            if self.n_nested > NESTED_MAX {
                return None;
            }
            let value = self.either()?;
            return self.takes(")").then_some(value != is_negated);
        }
        self.rest = self.rest.trim_start();
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (tag, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!tag.is_empty()).then(|| is_met(tag) != is_negated)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, line: &str, expected: bool) {
        let text = format!("// Copyright.\n\n{line}\n\npackage p\n");
        assert_eq!(is_built(path, &text), expected, "{path} {line}");
    }

    #[test]
    fn names_of_files_tell_their_system() {
        check("p/a.go", "", true);
        check("p/a_linux.go", "", true);
        check("p/a_windows.go", "", false);
        check("p/a_windows_test.go", "", false);
        check("p/a_linux_arm64.go", "", false);
        check("p/a_darwin_amd64.go", "", false);
        check("p/a_amd64.go", "", true);
        check("p/windows.go", "", true);
        check("p/a_window.go", "", true);
    }

    #[test]
    fn constraints_are_read_in_both_forms() {
        check("a.go", "//go:build linux && !windows", true);
        check("a.go", "//go:build !(linux || darwin)", false);
        check("a.go", "//go:build ignore", false);
        check("a.go", "//go:build go1.21", true);
        check("a.go", "//go:build !go1.21", false);
        check("a.go", "//go:build go1.22 && !go1.23", false);
        check("a.go", "//go:build !go1.99", true);
        check("a.go", "//go:build (", false);
        check("a.go", "// +build windows linux,amd64", true);
        check("a.go", "// +build linux,arm64", false);
        check("a.go", "// +build !cgo", false);
        check(
            "a.go",
            &format!("//go:build {}linux", "(".repeat(9_000)),
            false,
        );
    }
}

//! The program to run, the parts of this machine that it may see, and its limits.
//!
//! A plan is a value: nothing of the process that makes it, its environment least of all, gets into the program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::{SandboxError, SharedNetwork};

/// The home that a program finds: empty, and gone with it.
pub const HOME: &str = "/home/user";

/// Where programs are looked for, and what languages agree on.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", HOME),
    ("LANG", "C.UTF-8"),
    ("TMPDIR", "/tmp"),
];

/// Variables that tell a program that downloads how the network is reached, in lower case.
const WAY_OUT: [&str; 8] = [
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "ssl_cert_file",
    "ssl_cert_dir",
    "requests_ca_bundle",
];

/// Folders of the system that every program sees, read-only.
pub const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindAccess {
    Read,
    Write,
}

/// A file or folder of this machine, and where the program finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    pub from: PathBuf,
    pub at: PathBuf,
    pub access: BindAccess,
}

impl Bind {
    /// Shows a path in its own place, unchangeable.
    #[must_use]
    pub fn read(path: impl Into<PathBuf>) -> Self {
        let from = path.into();
        Self {
            at: from.clone(),
            from,
            access: BindAccess::Read,
        }
    }

    /// Shows a path in its own place, writable.
    #[must_use]
    pub fn write(path: impl Into<PathBuf>) -> Self {
        Self {
            access: BindAccess::Write,
            ..Self::read(path)
        }
    }

    /// Shows the same at another place.
    #[must_use]
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        Self {
            at: path.into(),
            ..self
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// A loopback of its own, and nothing else.
    #[default]
    None,
    /// A loopback that focalist's programs share, and nothing else; see [`Sandbox::network`](super::Sandbox::network).
    Shared(SharedNetwork),
    /// This machine's, with its resolver; see [`way_out`].
    Host,
}

/// The limits on a program's use of resources. A limit of `None` is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub wall: Option<Duration>,
    /// Of all its processes together, also of those that have ended.
    pub cpu: Option<Duration>,
    /// Of all its processes together: the sum over the processes, so memory that two of them share counts twice.
    pub memory_bytes: Option<u64>,
    /// Of one file.
    pub file_bytes: u64,
    /// Of `/tmp`, of `/dev/shm` and of the home, each; bubblewrap before 0.7 cannot hold them to it.
    pub tmp_bytes: u64,
    /// Of one process.
    pub n_open_files: u64,
    /// Processes and threads at a time.
    pub n_tasks: u64,
    /// Of its output on one stream, half from the beginning and half from the end.
    pub kept_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: None,
            cpu: None,
            memory_bytes: None,
            file_bytes: 1 << 30,
            tmp_bytes: 1 << 30,
            n_open_files: 4096,
            n_tasks: 1024,
            kept_bytes: 64 << 10,
        }
    }
}

/// A program and the world that it finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPlan {
    /// A path inside, or a name that is looked for in the plan's own `PATH`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// The whole environment: nothing is inherited.
    pub environment: BTreeMap<OsString, OsString>,
    /// The working directory, a path inside.
    pub folder: PathBuf,
    /// The visible paths besides the system. A path inside another one covers it there, in whichever order they come.
    pub binds: Vec<Bind>,
    pub network: Network,
    pub limits: Limits,
}

impl ProgramPlan {
    /// Returns a plan that sees the system and may only write to its own `/tmp` and home.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        let environment = ENVIRONMENT.map(|(name, value)| (name.into(), value.into()));
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: environment.into(),
            folder: PathBuf::from("/tmp"),
            binds: Vec::new(),
            network: Network::None,
            limits: Limits::default(),
        }
    }

    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn bind(mut self, bind: Bind) -> Self {
        self.binds.push(bind);
        self
    }

    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Orders the binds as they cover each other: outer before inner, and of two at one place the writable one last.
    pub(crate) fn layers(&self) -> Vec<&Bind> {
        let mut layers: Vec<&Bind> = self.binds.iter().collect();
        layers.sort_by_key(|layer| {
            (
                layer.at.components().count(),
                layer.access == BindAccess::Write,
            )
        });
        layers
    }

    /// Finds a fault in the plan itself.
    pub(crate) fn check(&self) -> Result<(), SandboxError> {
        let wrong = |what: String| Err(SandboxError::Plan { what });
        for bind in &self.binds {
            let at = bind.at.display();
            let is_plain = |component: Component<'_>| {
                matches!(component, Component::RootDir | Component::Normal(_))
            };
            if !bind.at.is_absolute() || !bind.at.components().all(is_plain) {
                return wrong(format!("`{at}` is not an absolute path"));
            }
            let is_ours = ["/proc", "/dev"]
                .iter()
                .any(|text| bind.at.starts_with(text));
            if is_ours || bind.at == Path::new("/") {
                return wrong(format!("nothing can be put at `{at}`"));
            }
        }
        for (name, value) in &self.environment {
            let bytes = name.as_bytes();
            let is_name = !bytes.is_empty() && !bytes.contains(&b'=') && !bytes.contains(&0);
            if !is_name || value.as_bytes().contains(&0) {
                return wrong(format!(
                    "`{}` is not a valid environment variable",
                    name.display()
                ));
            }
        }
        let words = self.arguments.iter().chain([&self.program]);
        if words.into_iter().any(|word| word.as_bytes().contains(&0)) {
            return wrong("an argument has a NUL".to_owned());
        }
        Ok(())
    }

    /// Finds the program's path inside; it is there and may be executed.
    pub(crate) fn find(&self) -> Result<PathBuf, SandboxError> {
        let missing = || SandboxError::NoProgram {
            program: self.program.clone().into(),
        };
        if self.program.as_bytes().contains(&b'/') {
            let path = self.folder.join(&self.program);
            return self.is_program(&path).then_some(path).ok_or_else(missing);
        }
        let path = self.environment.get(OsStr::new("PATH"));
        let mut places = path.iter().flat_map(|text| std::env::split_paths(text));
        places
            .find_map(|place| Some(place.join(&self.program)).filter(|path| self.is_program(path)))
            .ok_or_else(missing)
    }

    fn is_program(&self, inside: &Path) -> bool {
        let Some(path) = self.outside(inside) else {
            return false;
        };
        match fs::metadata(&path) {
            Ok(metadata) => metadata.is_file() && metadata.permissions().mode() & 0o111 != 0,
            // A link may lead to a place that exists only inside.
            Err(_) => path.is_symlink(),
        }
    }

    /// Maps a path inside to its path on this machine.
    fn outside(&self, inside: &Path) -> Option<PathBuf> {
        let layers = self.layers();
        let bound = layers.iter().rev().find_map(|layer| {
            let below = inside.strip_prefix(&layer.at).ok()?;
            // Joining an empty path would add a slash to the path of a file.
            Some(if below.as_os_str().is_empty() {
                layer.from.clone()
            } else {
                layer.from.join(below)
            })
        });
        let is_system = SYSTEM.iter().any(|text| inside.starts_with(text));
        bound.or_else(|| is_system.then(|| inside.to_owned()))
    }
}

/// Keeps the variables that tell how the network is reached.
pub fn way_out(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    let is_way = |name: &OsStr| WAY_OUT.iter().any(|text| name.eq_ignore_ascii_case(text));
    environment
        .into_iter()
        .filter(move |environment| is_way(&environment.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_out_is_told_and_nothing_else() {
        let environment = [
            "HTTPS_PROXY",
            "no_proxy",
            "HOME",
            "TOKEN",
            "https_proxy_password",
        ];
        let environment =
            environment.map(|environment| (OsString::from(environment), OsString::new()));
        let names: Vec<OsString> = way_out(environment).map(|pair| pair.0).collect();
        assert_eq!(names, ["HTTPS_PROXY", "no_proxy"]);
    }

    #[test]
    fn a_path_inside_is_found_through_the_innermost_bind() {
        let plan = ProgramPlan::new("x")
            .bind(Bind::write("/data/inner").at("/inside/a/b"))
            .bind(Bind::read("/data/outer").at("/inside"))
            .bind(Bind::read("/data/file").at("/inside/file"));
        let check = |inside: &str, expected: Option<&str>| {
            assert_eq!(
                plan.outside(Path::new(inside)).as_deref(),
                expected.map(Path::new)
            );
        };
        check("/inside/a/b/c", Some("/data/inner/c"));
        check("/inside/a/c", Some("/data/outer/a/c"));
        check("/inside/file", Some("/data/file"));
        check("/usr/bin/sh", Some("/usr/bin/sh"));
        check("/home/somebody", None);
        check("/insider", None);
    }
}

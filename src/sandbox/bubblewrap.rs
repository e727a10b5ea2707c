//! The world that a program finds, as arguments of `bwrap`.
//!
//! Nothing of this machine is visible except the named parts: the system's programs and libraries, the few files of
//! `/etc` that these need, and the binds of the plan. Everything else is made up and goes with the program.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Root;
use super::plan::{BindAccess, HOME, Network, ProgramPlan, SYSTEM};
use super::tree;

/// Files and folders of `/etc` that programs need, and that hold no secret: `/etc/ssl/private` stays out.
const ETC: [&str; 21] = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "os-release",
    "pki/ca-trust",
    "pki/java",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
];

/// How the names of the files begin that language packages keep in `/etc`.
const ETC_BEGINS: [&str; 3] = ["java", "maven", "python"];

/// Files that are made up: name and text.
const MADE_UP: [(&str, &str); 4] = [
    ("passwd", "user:x:1000:1000:user:/home/user:/bin/sh\n"),
    ("group", "user:x:1000:\n"),
    ("hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"),
    (
        "nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files dns\n",
    ),
];

/// Where files that the first process inside has open can be opened again.
const HELD: [&str; 2] = ["/proc/1/fd", "/proc/1/task"];

/// The first two numbers of `bwrap`'s version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32);

/// Writes the files that [`world`] shows in `/etc`.
pub fn make_up(folder: &Path) -> io::Result<()> {
    let folder = Root::open(folder)?;
    MADE_UP
        .iter()
        .try_for_each(|(name, text)| folder.write(name, text))
}

/// Builds the arguments of `bwrap` that come before the program; `made_up` is the folder of [`make_up`], or none where
/// `bwrap` is only tried out.
pub fn world(plan: &ProgramPlan, version: Version, made_up: Option<&Path>) -> Vec<OsString> {
    let mut world = BubblewrapArguments::apart();
    if version >= Version(0, 8) {
        // In a separate user namespace a program could mount file systems without a size limit.
        world.say(&["--disable-userns"]);
    }
    // A program that shares a network has been put into it before `bwrap` starts, so it keeps that one.
    if plan.network != Network::None {
        world.say(&["--share-net"]);
    }
    for (name, value) in &plan.environment {
        world.say(&["--setenv"]);
        world.0.extend([name.clone(), value.clone()]);
    }
    world.system();
    world.say(&["--proc", "/proc", "--dev", "/dev"]);
    if tree::has_queues() {
        // So that the names that are left behind are seen.
        world.say(&["--mqueue", "/dev/mqueue"]);
    }
    for place in ["/dev/shm", "/tmp", HOME] {
        if version >= Version(0, 7) {
            world.say(&["--size", &plan.limits.tmp_bytes.to_string()]);
        }
        world.say(&["--tmpfs", place]);
    }
    if let Some(folder) = made_up {
        world.made_up(folder, &plan.network);
    }
    for bind in plan.layers() {
        let how = match bind.access {
            BindAccess::Read => "--ro-bind",
            BindAccess::Write => "--bind",
        };
        world.path(how, &bind.from, &bind.at);
    }
    // The first process inside holds both ends of the pipes to the program, and any other process could open them
    // there.
    for place in HELD {
        if version >= Version(0, 7) {
            world.say(&["--size", "4096"]);
        }
        world.say(&["--tmpfs", place, "--remount-ro", place]);
    }
    // The first two are folders in memory, and no program may fill them. The guard reads in the third what the program
    // uses, so nothing may be mounted over it.
    for place in ["/dev", "/", "/proc"] {
        world.say(&["--remount-ro", place]);
    }
    world.say(&["--chdir"]);
    world.0.push(plan.folder.clone().into());
    world.0
}

/// Builds the arguments for a program of the system that holds a network for others. These make their namespaces inside
/// its user namespace, so that one may have others below it. With `--dev` the program would be in a second user
/// namespace, which does not own the network.
pub fn holder() -> Vec<OsString> {
    let mut world = BubblewrapArguments::apart();
    world.system();
    world.say(&["--proc", "/proc", "--remount-ro", "/", "--chdir", "/"]);
    world.0
}

#[derive(Default)]
struct BubblewrapArguments(Vec<OsString>);

impl BubblewrapArguments {
    fn apart() -> Self {
        let mut world = Self::default();
        world.say(&["--unshare-all", "--unshare-user", "--die-with-parent"]);
        world.say(&["--new-session", "--clearenv", "--cap-drop", "ALL"]);
        world.say(&["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]);
        world
    }

    fn say(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn path(&mut self, how: &str, from: &Path, at: &Path) {
        self.0.extend([how.into(), from.into(), at.into()]);
    }

    fn system(&mut self) {
        for place in SYSTEM.map(Path::new) {
            match fs::read_link(place) {
                // `/bin` is mostly a link to `usr/bin`.
                Ok(target) => self.path("--symlink", &target, place),
                Err(_) if place.exists() => self.path("--ro-bind", place, place),
                Err(_) => {}
            }
        }
        let etc = Path::new("/etc");
        let mut places: Vec<PathBuf> = ETC.map(|text| etc.join(text)).into();
        let entries = fs::read_dir(etc).into_iter().flatten().flatten();
        let mut more: Vec<PathBuf> = entries
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                ETC_BEGINS.iter().any(|text| name.starts_with(text))
            })
            .map(|entry| entry.path())
            .collect();
        more.sort();
        places.extend(more);
        // Not by `--ro-bind-try`: that stops at a link that leads nowhere.
        for place in places.iter().filter(|place| place.exists()) {
            self.path("--ro-bind", place, place);
        }
    }

    fn made_up(&mut self, folder: &Path, network: &Network) {
        let etc = Path::new("/etc");
        for (name, _) in MADE_UP {
            let here = etc.join(name);
            let is_real = *network == Network::Host && name == "hosts" && here.exists();
            let from = if is_real { &here } else { &folder.join(name) };
            self.path("--ro-bind", from, &here);
        }
        let resolver = etc.join("resolv.conf");
        // It is often a link into a folder that is not visible inside.
        let real = fs::canonicalize(&resolver).ok();
        if let Some(real) = real.filter(|_| *network == Network::Host) {
            self.path("--ro-bind", &real, &resolver);
        }
    }
}

//! Which commit `HEAD` means: symbolic references, loose files, and the packed list.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::held::{EntryKind, Root};

use crate::DamagedRepository;
use crate::hash::{HashKind, Id};

/// Git, too, follows at most this many symbolic references in a row.
const N_FOLLOWED_MAX: usize = 5;
/// A loose reference is one line; a larger file is not a reference.
const LOOSE_BYTES_MAX: u64 = 64 * 1024;
/// A million references are about 60 MB.
const PACKED_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// References that each linked worktree has for itself.
const OWN: [&[u8]; 3] = [b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/"];

/// Where references lie.
#[derive(Clone, Copy, Debug)]
pub struct Refs<'a> {
    /// The folder of one worktree.
    pub own: &'a Root,
    /// The folder that all worktrees share.
    pub common: &'a Root,
    pub hash: HashKind,
}

enum Reference {
    Direct(Id),
    Symbolic(Vec<u8>),
}

impl Refs<'_> {
    /// Finds the commit of `HEAD`; nothing before the first one.
    pub fn head(self) -> Result<Option<Id>, DamagedRepository> {
        let mut name = match self.loose(b"HEAD")?.ok_or(DamagedRepository)? {
            Reference::Direct(id) => return Ok(Some(id)),
            Reference::Symbolic(name) => name,
        };
        for _ in 0..N_FOLLOWED_MAX {
            match self.loose(&name)? {
                Some(Reference::Direct(id)) => return Ok(Some(id)),
                Some(Reference::Symbolic(next)) => name = next,
                None => return self.packed(&name),
            }
        }
        Err(DamagedRepository)
    }

    /// Reads a reference from its own file; nothing where it has none.
    fn loose(self, name: &[u8]) -> Result<Option<Reference>, DamagedRepository> {
        let is_own = !name.starts_with(b"refs/") || OWN.iter().any(|own| name.starts_with(own));
        let folder = if is_own { self.own } else { self.common };
        let path = Path::new(OsStr::from_bytes(name));
        match folder.kind(path) {
            Ok(Some(EntryKind::File)) => {
                let bytes = folder.read(path, LOOSE_BYTES_MAX)?;
                parse(&bytes, self.hash).map(Some).ok_or(DamagedRepository)
            }
            // Git's first symbolic references were links.
            Ok(Some(EntryKind::Link)) => {
                let target = folder.read_link(path)?;
                symbolic(target.as_os_str().as_bytes())
                    .map(Some)
                    .ok_or(DamagedRepository)
            }
            // `refs/heads/a` may be a folder while `a` is in the packed list.
            Ok(Some(EntryKind::Folder) | None) => Ok(None),
            Ok(Some(EntryKind::Other)) => Err(DamagedRepository),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn packed(self, name: &[u8]) -> Result<Option<Id>, DamagedRepository> {
        const PATH: &str = "packed-refs";
        if self.common.kind(PATH)?.is_none() {
            return Ok(None);
        }
        let bytes = self.common.read(PATH, PACKED_BYTES_MAX)?;
        let n_digits = self.hash.n_bytes() * 2;
        let found = bytes.split(|byte| *byte == b'\n').find(|line| {
            line.get(n_digits) == Some(&b' ') && line[n_digits + 1..].trim_ascii_end() == name
        });
        let Some(line) = found else { return Ok(None) };
        Id::parse(&line[..n_digits], self.hash)
            .map(Some)
            .ok_or(DamagedRepository)
    }
}

fn parse(bytes: &[u8], hash: HashKind) -> Option<Reference> {
    if let Some(name) = bytes.strip_prefix(b"ref:") {
        return symbolic(name.trim_ascii());
    }
    let digits = bytes.trim_ascii_end();
    Id::parse(digits, hash).map(Reference::Direct)
}

/// Accepts only names below `refs/`, as git does; a name that leads out of there is refused when it is opened.
fn symbolic(name: &[u8]) -> Option<Reference> {
    let is_good = name.starts_with(b"refs/") && !name.contains(&0);
    is_good.then(|| Reference::Symbolic(name.to_owned()))
}

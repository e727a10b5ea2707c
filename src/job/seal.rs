//! The seals that tell which rows this user asked for, in this place: each is made with a secret that lies in the
//! user's own data folder.
//!
//! The seal is a keyed hash (BLAKE3) of the workspace's real path, the job's number, its kind, its arguments and its
//! folder. A row that came with somebody else's folder, that another user wrote, or that was changed has none that
//! fits. A list of jobs in the data folder would say the same, but would grow with every workspace there ever was.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::model::{JobId, JobKind, JobRow};
use crate::store::NewJob;

/// The length of a BLAKE3 key and of its hashes, in bytes.
const LENGTH: usize = 32;

/// The secret and the place that seal the rows of one workspace.
pub(super) struct Sealer {
    secret: [u8; LENGTH],
    /// The real path of the workspace's folder.
    place: PathBuf,
}

impl Sealer {
    /// Reads the user's secret. Nothing where there is no place for one: then every row counts as somebody else's, and
    /// the user is asked before it is run again.
    pub fn of(folder: &Path) -> Option<Self> {
        Some(Self {
            secret: secret(&data_folder()?).ok()?,
            place: fs::canonicalize(folder).ok()?,
        })
    }

    /// Computes the keyed hash that vouches for a job's row.
    pub fn seal(&self, id: JobId, job: &NewJob) -> [u8; LENGTH] {
        self.hash(id, job.kind, (&job.folder, &job.arguments))
            .into()
    }

    /// Tells whether a row has the seal that this user would have given it in this place.
    pub fn fits(&self, row: &JobRow, seal: &[u8]) -> bool {
        let wanted = self.hash(row.id, row.kind, (&row.folder, &row.arguments));
        // Hashes are compared in constant time.
        blake3::Hash::from_slice(seal).is_ok_and(|found| found == wanted)
    }

    fn hash(&self, id: JobId, kind: JobKind, called: (&Path, &[OsString])) -> blake3::Hash {
        let number = id.0.to_le_bytes();
        let (folder, arguments) = called;
        let fixed = [
            self.place.as_os_str(),
            OsStr::from_bytes(&number),
            OsStr::new(kind.as_str()),
            folder.as_os_str(),
        ];
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for part in fixed.into_iter().chain(arguments.iter().map(AsRef::as_ref)) {
            // With its length in front, no two lists of words are the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize()
    }
}

/// Finds the folder in which focalist keeps the user's own decisions.
fn data_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "focalist")?;
    Some(folders.data_local_dir().to_owned())
}

/// Reads the user's secret, and makes it first where there is none.
fn secret(folder: &Path) -> io::Result<[u8; LENGTH]> {
    let path = folder.join("secret");
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let beside = folder.join(format!("secret.{}.new", std::process::id()));
    let made = make(&beside).and_then(|()| match fs::hard_link(&beside, &path) {
        // Another process was faster; its secret is the user's.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    // The file has its own name by now, or is of no use.
    let _left = fs::remove_file(&beside);
    made?;
    read(&path)
}

fn read(path: &Path) -> io::Result<[u8; LENGTH]> {
    let mut secret = [0; LENGTH];
    File::open(path)?.read_exact(&mut secret)?;
    Ok(secret)
}

/// Writes a new secret.
fn make(path: &Path) -> io::Result<()> {
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let secret = read(Path::new("/dev/urandom"))?;
    file.write_all(&secret)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_made_once_and_for_the_user_alone() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let data = folder.path().join("share/focalist");
        let first = secret(&data).expect("it is made");
        assert_eq!(secret(&data).expect("it is read"), first);
        let other = secret(&folder.path().join("other")).expect("it is made");
        assert_ne!(other, first);
        let mode = |path: &Path| {
            fs::metadata(path)
                .expect("it is there")
                .permissions()
                .mode()
        };
        assert_eq!(mode(&data.join("secret")) & 0o777, 0o600);
        assert_eq!(mode(&data) & 0o777, 0o700);
        assert_eq!(fs::read_dir(&data).expect("it lists").count(), 1);
    }
}

//! Whether a folder lies on a file system that several machines share.
//!
//! SQLite's journal needs memory that all its users share, which two machines do not have: over NFS everything seems to
//! work until both write at once, and then the file is damaged (sqlite.org/wal.html, "WAL does not work over a network
//! filesystem"). An index can be rebuilt; verdicts cannot, so they are never stored there.

use std::fs;
use std::path::{Path, PathBuf};

/// Linux's names of file systems that machines share; names of FUSE file systems without `fuse.`.
const SHARED: &[&str] = &[
    "afs",
    "beegfs",
    "ceph",
    "ceph-fuse",
    "cifs",
    "davfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "panfs",
    "pvfs2",
    "rclone",
    "s3fs",
    "smb3",
    "smbfs",
    "smbnetfs",
    "sshfs",
    "wekafs",
];

/// Tells whether an existing folder is shared with other machines; false where the system does not report it.
pub(super) fn is_shared(folder: &Path) -> bool {
    file_system_of(folder).is_some_and(|name| {
        let name = name.strip_prefix("fuse.").unwrap_or(&name);
        SHARED.contains(&name)
    })
}

/// Looks up the kind of file system that an existing folder lies on; nothing where the system does not report it.
pub(super) fn file_system_of(folder: &Path) -> Option<String> {
    // Only Linux reports it without a call that needs unsafe code; elsewhere SQLite's own checks have to suffice.
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    file_system(&mounts, &folder).map(str::to_owned)
}

/// Finds the kind of file system that a path lies on, by the lines of `/proc/self/mountinfo` (proc(5)); of several
/// mounts on one path, the last one counts.
fn file_system<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    mounts
        .lines()
        .filter_map(|line| {
            let (place, kind) = line.split_once(" - ")?;
            let point = unescape(place.split(' ').nth(4)?);
            let depth = point.components().count();
            path.starts_with(&point)
                .then_some((depth, kind.split(' ').next()?))
        })
        .reduce(|best, pair| if pair.0 >= best.0 { pair } else { best })
        .map(|pair| pair.1)
}

/// Decodes spaces and similar characters, which are written as a backslash and three octal digits.
fn unescape(point: &str) -> PathBuf {
    let (space, tab) = (point.replace("\\040", " "), "\\011");
    PathBuf::from(
        space
            .replace(tab, "\t")
            .replace("\\012", "\n")
            .replace("\\134", "\\"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 27 0:40 / /home rw,relatime shared:7 master:2 - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/ada/fast rw,relatime - xfs /dev/nvme0n1 rw
32 27 0:42 / /mnt/our\\040data rw,nosuid - fuse.sshfs ada@host: rw
33 27 0:43 / /scratch rw - ext4 /dev/sda rw
34 27 0:44 / /scratch rw - lustre 10.0.0.1@tcp:/scratch rw
35 27 0:45 / /layers rw - fuse.fuse-overlayfs overlay rw
";

    fn check(path: &str, expected: &str) {
        let found = file_system(MOUNTS, Path::new(path));
        assert_eq!(found, Some(expected), "{path}");
    }

    #[test]
    fn a_path_lies_on_what_is_mounted_nearest() {
        check("/", "ext4");
        check("/var/work", "ext4");
        check("/home/ada/data/.focalist", "nfs4");
        check("/homely", "ext4");
        check("/home/ada/fast/work", "xfs");
        check("/mnt/our data/x", "fuse.sshfs");
        check("/scratch", "lustre");
        check("/layers/x", "fuse.fuse-overlayfs");
        assert_eq!(file_system("nonsense\n - \n", Path::new("/")), None);
    }

    #[test]
    fn where_tests_keep_their_files_is_not_shared() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        assert!(!is_shared(folder.path()));
        assert!(!is_shared(Path::new("/no such folder")));
    }
}

//! Writes repositories as git would, without git: for tests that only need a repository.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::hash::{HashKind, Id};

const HASH: HashKind = HashKind::Sha1;

/// Writes a file and the folders above it.
///
/// # Panics
/// Where the disk does not let us.
pub fn write(path: &Path, bytes: &[u8]) {
    let folder = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(folder).expect("the folder is writable");
    fs::write(path, bytes).expect("the folder is writable");
}

/// Turns a folder into a repository without a commit.
///
/// # Panics
/// Where the disk does not let us.
pub fn init(root: &Path) {
    let git = root.join(".git");
    for folder in ["objects", "refs/heads"] {
        fs::create_dir_all(git.join(folder)).expect("the folder is writable");
    }
    write(&git.join("HEAD"), b"ref: refs/heads/main\n");
    let config = git.join("config");
    if !config.exists() {
        write(
            &config,
            b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        );
    }
}

/// Turns a folder into a repository with one commit of these files, and returns the commit. The index records none of
/// their sizes and times, so they are read whenever they are compared.
///
/// # Panics
/// Where the disk does not let us.
pub fn commit(root: &Path, tracked: &[&str]) -> String {
    init(root);
    let mut paths = tracked.to_vec();
    paths.sort_unstable();
    let mut index = b"DIRC\0\0\0\x02".to_vec();
    index.extend((paths.len() as u32).to_be_bytes());
    for path in &paths {
        let content = fs::read(root.join(path)).expect("tracked files are there");
        let id = object(root, "blob", &content);
        index.extend(entry(path, id));
    }
    let mut checksum = HASH.plain();
    checksum.update(&index);
    index.extend(checksum.finish().as_bytes());
    write(&root.join(".git/index"), &index);
    let tree = tree(root, "", &paths);
    let person = "A Tester <tester@example.org> 0 +0000";
    let text = format!("tree {tree}\nauthor {person}\ncommitter {person}\n\nbegin");
    let commit = object(root, "commit", text.as_bytes()).to_string();
    write(
        &root.join(".git/refs/heads/main"),
        format!("{commit}\n").as_bytes(),
    );
    commit
}

/// Builds an index entry with only mode, object id and path.
pub(crate) fn entry(path: &str, id: Id) -> Vec<u8> {
    let mut entry = vec![0; 24];
    entry.extend(0o100_644_u32.to_be_bytes());
    entry.extend([0; 12]);
    entry.extend(id.as_bytes());
    entry.extend((path.len() as u16).to_be_bytes());
    entry.extend(path.as_bytes());
    let n_zeros = 8 - entry.len() % 8;
    entry.resize(entry.len() + n_zeros, 0);
    entry
}

/// Writes the tree object of a folder from the sorted paths in it.
fn tree(root: &Path, folder: &str, paths: &[&str]) -> Id {
    let mut content = Vec::new();
    let mut last = "";
    for path in paths {
        let Some(below) = path.strip_prefix(folder) else {
            continue;
        };
        let name = below.split('/').next().unwrap_or(below);
        if name == last {
            continue;
        }
        last = name;
        let (mode, id) = if name == below {
            let text = fs::read(root.join(path)).expect("tracked files are there");
            ("100644", HASH.id_of("blob", &text))
        } else {
            ("40000", tree(root, &format!("{folder}{name}/"), paths))
        };
        content.extend(format!("{mode} {name}\0").as_bytes());
        content.extend(id.as_bytes());
    }
    object(root, "tree", &content)
}

fn object(root: &Path, kind: &str, content: &[u8]) -> Id {
    let id = HASH.id_of(kind, content);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = write!(encoder, "{kind} {}\0", content.len())
        .and_then(|()| encoder.write_all(content))
        .and_then(|()| encoder.finish());
    let digits = id.to_string();
    let path = format!(".git/objects/{}/{}", &digits[..2], &digits[2..]);
    write(&root.join(path), &written.expect("memory takes all bytes"));
    id
}

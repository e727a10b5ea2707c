//! Small files of TOML that focalist writes by itself: whole or not at all, and never longer than is read.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::SIZE_BYTES_MAX;

/// Reads a text file of at most [`SIZE_BYTES_MAX`] bytes; nothing where there is none.
///
/// # Errors
/// What the system says, and `InvalidData` for a text that is longer or not UTF-8.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(SIZE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)?;
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    if bytes.len() > SIZE_BYTES_MAX {
        return Err(invalid(format!("longer than {SIZE_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        invalid(format!("not UTF-8 at byte {at}"))
    })
}

/// Replaces a file's text: readers see the old one or the new one, also when the machine fails in between. The file's
/// permissions stay, and a link stays a link.
///
/// # Errors
/// What the system says; the file is as it was then.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = beside(&path);
    let written = write(&beside, &path, text).and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // A part that is left belongs to nobody; the failure that counts is the first one.
        let _left = fs::remove_file(&beside);
    }
    written
}

fn write(beside: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(beside)?;
    if let Ok(before) = fs::metadata(path) {
        file.set_permissions(before.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Makes a name that no other process writes to.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// Quotes a text as TOML's basic string (TOML 1.0, "String").
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", control as u32));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("filters.toml");
        assert_eq!(read(&path).expect("none is no failure"), None);
        replace(&path, "a = 1\n").expect("it is written");
        replace(&path, "b = 2\n").expect("it is written again");
        assert_eq!(read(&path).expect("it reads").as_deref(), Some("b = 2\n"));
        assert_eq!(fs::read_dir(folder.path()).expect("it lists").count(), 1);
        assert!(replace(&folder.path().join("no/such"), "").is_err());
    }

    #[test]
    fn a_hostile_file_costs_no_memory() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("long");
        fs::write(&path, vec![b'#'; SIZE_BYTES_MAX + 1]).expect("it is written");
        assert!(read(&path).is_err());
        fs::write(&path, b"a\xff").expect("it is written");
        assert!(read(&path).is_err());
    }

    #[test]
    fn any_text_survives_quoting() {
        for text in [
            "",
            "a \"b\" \\d",
            "tab\tline\nnul\0del\u{7f}\u{85}",
            "é 😀 \u{202e}",
        ] {
            let table: toml::Table = format!("a = {}", quoted(text)).parse().expect(text);
            assert_eq!(table["a"].as_str(), Some(text));
        }
    }
}

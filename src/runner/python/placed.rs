//! Puts a file into a copy of the project for as long as it runs. Decides where it belongs, and restores what was there
//! before; nothing is written or removed through a link that leads out of the copy, whatever links the project or a
//! test has made.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::python::refused::MisplacedFile;
use crate::sandbox::Root;
use crate::{RunnerError, io_error};

use super::case::{ChangedFile, PythonCase};

/// The largest source that is read.
const N_BYTES_MAX: u64 = 64 << 20;

/// The files of a case, removed when this is dropped: its test, and perhaps a changed file of the project.
#[derive(Debug)]
pub struct PlacedCase {
    /// Without a test file where a file of the project itself is run.
    files: Vec<PlacedFile>,
}

#[derive(Debug)]
struct PlacedFile {
    spot: Spot,
    /// The checkout with the original that it replaces, which comes back.
    own: Option<Root>,
}

/// The file to write, and its place.
struct PlannedFile<'c> {
    path: &'c str,
    text: &'c str,
    stands_for_file: bool,
}

/// A place for a file below an open folder.
#[derive(Debug)]
struct Spot {
    root: Root,
    /// The path, with links resolved.
    path: PathBuf,
    /// Folders that were made for it, innermost first.
    folders: Vec<PathBuf>,
}

/// The result of placing a case: its files, or why they cannot be there.
pub type Placement = Result<PlacedCase, MisplacedFile>;

impl PlacedCase {
    /// Writes a case's files into a view of a checkout.
    ///
    /// # Errors
    /// Those of the disk that are not about this path alone.
    pub fn new(view: &Root, checkout: &Root, case: &PythonCase) -> Result<Placement, RunnerError> {
        let test = case.code.as_ref().map(|text| PlannedFile {
            path: &case.path,
            text,
            stands_for_file: case.stands_for_file,
        });
        let changed = case.changed.as_ref().map(PlannedFile::of);
        Self::all(view, checkout, test.into_iter().chain(changed))
    }

    /// Writes only a changed file of the project.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn changed(
        view: &Root,
        checkout: &Root,
        changed: &ChangedFile,
    ) -> Result<Placement, RunnerError> {
        Self::all(view, checkout, [PlannedFile::of(changed)].into_iter())
    }

    fn all<'c>(
        view: &Root,
        checkout: &Root,
        all: impl Iterator<Item = PlannedFile<'c>>,
    ) -> Result<Placement, RunnerError> {
        let mut placed = Self { files: Vec::new() };
        for wanted in all {
            match PlacedFile::new(view, checkout, &wanted)? {
                Ok(file) => placed.files.push(file),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(placed))
    }
}

impl<'c> PlannedFile<'c> {
    fn of(changed: &'c ChangedFile) -> Self {
        Self {
            path: &changed.path,
            text: &changed.text,
            stands_for_file: true,
        }
    }
}

impl PlacedFile {
    fn new(
        view: &Root,
        checkout: &Root,
        wanted: &PlannedFile<'_>,
    ) -> Result<Result<Self, MisplacedFile>, RunnerError> {
        // Never in the checkout itself: a killed process would not restore the original.
        if wanted.stands_for_file && view.path() == checkout.path() {
            return Ok(Err(MisplacedFile::Taken));
        }
        let failed = io_error(view.path());
        let own = wanted.stands_for_file.then(|| checkout.clone());
        let placed = Spot::find(view.clone(), Path::new(wanted.path)).and_then(|spot| {
            // The file may be a hard link to the checkout's, so writing to it would change that one, too.
            if own.is_some() {
                spot.root.remove_file(&spot.path)?;
            }
            spot.write(wanted.text.as_bytes())
        });
        match placed {
            Ok(spot) => Ok(Ok(Self { spot, own })),
            Err(error) => match of_path(&error) {
                Some(why) => Ok(Err(why)),
                None => Err(failed(error)),
            },
        }
    }
}

impl Drop for PlacedCase {
    fn drop(&mut self) {
        self.files.iter().for_each(PlacedFile::put_back);
    }
}

impl PlacedFile {
    fn put_back(&self) {
        let spot = &self.spot;
        spot.clear();
        if let Some(own) = &self.own {
            let root = &spot.root;
            // Across disks the file is copied. A file that cannot be restored is noticed by the next case that replaces
            // it.
            let _ = own.link(&spot.path, root, &spot.path).or_else(|_| {
                let text = own.read(&spot.path, N_BYTES_MAX)?;
                root.write(&spot.path, text)
            });
        }
    }
}

impl Spot {
    /// Resolves a path below a root through links of the project that stay inside it.
    fn find(root: Root, path: &Path) -> io::Result<Self> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let (mut folders, mut real) = (Vec::new(), None);
        for above in parent.ancestors() {
            match fs::canonicalize(root.path().join(above)) {
                Err(error) if error.kind() == ErrorKind::NotFound => folders.push(above),
                Err(error) => return Err(io::Error::new(ErrorKind::InvalidInput, error)),
                Ok(found) => {
                    real = Some((above, found));
                    break;
                }
            }
        }
        let (above, real) = real.ok_or_else(leads_out)?;
        let real = real.strip_prefix(root.path()).map_err(|_| leads_out())?;
        let moved = |path: &Path| path.strip_prefix(above).map(|rest| real.join(rest));
        let folders = folders.into_iter().map(moved).collect::<Result<_, _>>();
        Ok(Self {
            path: moved(path).map_err(|_| leads_out())?,
            folders: folders.map_err(|_| leads_out())?,
            root,
        })
    }

    /// Writes a file where none exists, and makes its folders.
    fn write(self, text: &[u8]) -> io::Result<Self> {
        let parent = self.path.parent().unwrap_or(Path::new(""));
        self.root.create_folders(parent)?;
        let written = self
            .root
            .create(&self.path)
            .and_then(|mut file| file.write_all(text));
        match written {
            Ok(()) => Ok(self),
            Err(error) => {
                if error.kind() != ErrorKind::AlreadyExists {
                    self.clear();
                }
                Err(error)
            }
        }
    }

    /// Removes the file, and the folders that were made for it unless something else is in them. The rest is removed
    /// with the sandbox.
    fn clear(&self) {
        let _ = self.root.remove_file(&self.path);
        for folder in &self.folders {
            if self
                .root
                .entries(folder)
                .is_ok_and(|entry| entry.is_empty())
            {
                let _ = self.root.remove(folder);
            }
        }
    }
}

/// Writes an empty file into a view, in place of an existing one.
///
/// # Errors
/// The disk's, and a path that leads out.
pub fn write_empty(view: &Path, path: &Path) -> io::Result<()> {
    let spot = Spot::find(Root::open(view)?, path)?;
    spot.root.write(&spot.path, b"")
}

/// Removes a file that [`write_empty`] has written; does nothing where there is none.
///
/// # Errors
/// As [`write_empty`].
pub fn remove(view: &Path, path: &Path) -> io::Result<()> {
    let spot = Spot::find(Root::open(view)?, path)?;
    spot.root.remove_file(&spot.path)
}

/// Reads a file of a checkout as text, through links of the project that stay inside it.
///
/// # Errors
/// The disk's, and a path that leads out.
pub fn read(checkout: &Path, path: &Path) -> io::Result<String> {
    let root = Root::open(checkout)?;
    let real = fs::canonicalize(root.path().join(path))?;
    let bytes = root.read(real, N_BYTES_MAX)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn leads_out() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, MisplacedFile::Outside)
}

/// Describes the problem with a path, if an error of the disk is only about that path.
fn of_path(error: &io::Error) -> Option<MisplacedFile> {
    match error.kind() {
        ErrorKind::AlreadyExists => Some(MisplacedFile::Taken),
        ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::NotFound
        | ErrorKind::InvalidFilename
        | ErrorKind::InvalidInput => Some(MisplacedFile::Impossible {
            said: error.to_string(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A checkout with a file, and a view of it with links in and out.
    struct Copies {
        folder: tempfile::TempDir,
        view: PathBuf,
        checkout: PathBuf,
    }

    fn copies() -> Copies {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (view, checkout) = (folder.path().join("view"), folder.path().join("checkout"));
        for path in [&view, &checkout] {
            fs::create_dir_all(path.join("tests")).expect("it is made");
        }
        fs::create_dir(folder.path().join("outside")).expect("it is made");
        let own = checkout.join("tests/test_m.py");
        fs::write(&own, "own").expect("it is written");
        fs::hard_link(&own, view.join("tests/test_m.py")).expect("it is linked");
        symlink("tests", view.join("within")).expect("it is linked");
        symlink("../outside", view.join("out")).expect("it is linked");
        Copies {
            folder,
            view,
            checkout,
        }
    }

    impl Copies {
        fn place(&self, path: &str, stands_for_file: bool) -> Placement {
            let case = PythonCase {
                path: path.to_owned(),
                stands_for_file,
                code: Some("new".to_owned()),
                ..PythonCase::default()
            };
            let open = |folder: &Path| Root::open(folder).expect("it is there");
            let (view, checkout) = (open(&self.view), open(&self.checkout));
            PlacedCase::new(&view, &checkout, &case).expect("the disk does its part")
        }

        fn read(&self, path: &str) -> Option<String> {
            fs::read_to_string(self.view.join(path)).ok()
        }
    }

    #[test]
    fn a_file_is_there_for_a_while_and_its_folders_with_it() {
        let copies = copies();
        for path in ["tests/tmp.py", "tests/a/b/tmp.py", "within/tmp.py"] {
            let placed = copies.place(path, false).expect("it is free");
            assert_eq!(copies.read(path).as_deref(), Some("new"), "{path}");
            drop(placed);
            assert_eq!(copies.read(path), None, "{path}");
        }
        assert!(!copies.view.join("tests/a").exists());
    }

    #[test]
    fn a_path_at_which_no_file_can_be_is_that_case_s_own_affair() {
        let copies = copies();
        let long = format!("tests/{}.py", "x".repeat(300));
        for path in [
            "tests/test_m.py/x.py",
            "tests/test_m.py/y/x.py",
            "tests/test_m.py",
            long.as_str(),
            "out/x.py",
            "out/a/x.py",
        ] {
            let why = copies.place(path, false).expect_err("nothing can be there");
            let is_taken = path == "tests/test_m.py";
            assert_eq!(why == MisplacedFile::Taken, is_taken, "{path}: {why}");
        }
        let outside = copies.folder.path().join("outside");
        let n_outside = fs::read_dir(outside).expect("it is there").count();
        assert_eq!(n_outside, 0);
        assert_eq!(copies.read("tests/test_m.py").as_deref(), Some("own"));
    }

    #[test]
    fn what_a_file_stands_for_comes_back_and_the_checkout_never_changes() {
        let copies = copies();
        let path = "tests/test_m.py";
        let placed = copies.place(path, true).expect("it stands for it");
        assert_eq!(copies.read(path).as_deref(), Some("new"));
        let own = || fs::read_to_string(copies.checkout.join(path)).expect("it is there");
        assert_eq!(own(), "own");
        drop(placed);
        assert_eq!(copies.read(path).as_deref(), Some("own"));
        assert_eq!(own(), "own");
    }

    #[test]
    fn a_folder_that_a_test_swaps_for_a_link_leads_nobody_out() {
        let copies = copies();
        let secret = copies.folder.path().join("outside/test_m.py");
        fs::write(&secret, "a file of the user").expect("it is written");
        let placed = copies.place("tests/test_m.py", true).expect("it stands");
        fs::remove_dir_all(copies.view.join("tests")).expect("a test may do that");
        symlink("../outside", copies.view.join("tests")).expect("and that");
        drop(placed);
        let left = fs::read_to_string(secret).expect("it is still there");
        assert_eq!(left, "a file of the user");
    }
}

//! Every method and constructor that a repository declares, searched by name when no candidate is right.
//!
//! Decides how they are stored in the index: one row per file, sorted and packed, since they are never looked up by
//! number and mining writes all of them. Which declarations match a name is up to `browse`.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use crate::model::{DeclaredMethod, Method, SampleKey, Span};

use super::codec::{pack_count, row_id, take_count};
use super::error::StoreFailure;
use super::texts::TextCache;
use super::{Store, StoreError};

/// A declaration with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSource {
    /// `pkg.Outer.Inner#name(erased,param,types)`.
    pub key: String,
    pub path: String,
    /// For a compiler-made or generated method: the declaration that it was made from.
    pub span: Span,
    pub start_line: u32,
    pub name_line: u32,
    /// The whole text of its file.
    pub text: Arc<str>,
}

impl Store {
    /// Lists every method and constructor of a sample's repository: those of main code first, then by key; of several
    /// with one key in main code or in test code, only the one in the first file.
    ///
    /// Empty when there is no such sample, and when its repository was mined before declarations were stored. For a
    /// dataset's project, only the declarations in its samples are stored.
    pub fn declared(&self, key: &SampleKey) -> Result<Vec<DeclaredMethod>, StoreError> {
        self.reading(|conn| {
            let (mut main, mut test) = (Vec::new(), Vec::new());
            each_file(conn, key, |file| {
                let list = if file.is_main { &mut main } else { &mut test };
                let path: Arc<str> = file.path.into();
                let mut entries = Entries::of(&file.packed);
                while let Some(entry) = entries.next()? {
                    list.push(DeclaredMethod {
                        key: entries.key.clone(),
                        path: path.clone(),
                        name_line: entry.name_line,
                        is_main: file.is_main,
                    });
                }
                Ok(DeclarationSearch::Continues)
            })?;
            for list in [&mut main, &mut test] {
                // Stable, and fast here: files come in order of path, which is nearly that of their classes.
                list.sort_by(|a, b| a.key.cmp(&b.key));
                list.dedup_by(|later, first| later.key == first.key);
            }
            main.append(&mut test);
            Ok(main)
        })
    }

    /// Reads the declaration of this key in a sample's repository, with its source: the one in main code where test
    /// code has the same key, too.
    pub fn method_source(
        &self,
        key: &SampleKey,
        method: &str,
    ) -> Result<Option<DeclaredSource>, StoreError> {
        self.reading(|conn| {
            let mut found: Option<(i64, String, DeclarationEntry)> = None;
            each_file(conn, key, |file| {
                if found.is_some() && !file.is_main {
                    return Ok(DeclarationSearch::Continues);
                }
                let mut entries = Entries::of(&file.packed);
                while let Some(entry) = entries.next()? {
                    if entries.key == method {
                        found = Some((file.id, file.path, entry));
                        break;
                    }
                }
                let is_over = found.is_some() && file.is_main;
                Ok(if is_over {
                    DeclarationSearch::Ends
                } else {
                    DeclarationSearch::Continues
                })
            })?;
            let Some((file, path, entry)) = found else {
                return Ok(None);
            };
            Ok(Some(DeclaredSource {
                key: method.to_owned(),
                path,
                span: entry.span,
                start_line: entry.start_line,
                name_line: entry.name_line,
                text: TextCache::prepare(conn)?.of_file(file)?,
            }))
        })
    }
}

/// Reads every declaration of a file, with its source, in order of position; none where the index has no list of them.
pub(super) fn of_file(
    conn: &Connection,
    file: i64,
    path: &str,
    text: &Arc<str>,
) -> Result<Vec<DeclaredSource>, StoreFailure> {
    let sql = "SELECT packed FROM declared WHERE file = ?1";
    let packed: Option<Vec<u8>> = conn.query_row(sql, [file], |row| row.get(0)).optional()?;
    let packed = packed.unwrap_or_default();
    let mut entries = Entries::of(&packed);
    let mut found = Vec::new();
    while let Some(entry) = entries.next()? {
        found.push(DeclaredSource {
            key: entries.key.clone(),
            path: path.to_owned(),
            span: entry.span,
            start_line: entry.start_line,
            name_line: entry.name_line,
            text: text.clone(),
        });
    }
    found.sort_by_key(|declared_source| declared_source.span.start);
    Ok(found)
}

enum DeclarationSearch {
    Continues,
    Ends,
}

/// A file with its declarations.
struct PackedFile {
    id: i64,
    path: String,
    is_main: bool,
    packed: Vec<u8>,
}

/// Passes the files of a sample's repository to `each` in order of path, until it returns that it wants no more.
fn each_file(
    conn: &Connection,
    key: &SampleKey,
    mut each: impl FnMut(PackedFile) -> Result<DeclarationSearch, StoreFailure>,
) -> Result<(), StoreFailure> {
    let generation: Option<i64> = conn
        .query_row(
            "SELECT r.generation FROM tests t JOIN repos r ON r.generation = t.id >> 32 WHERE t.key = ?1",
            [key.0],
            |row| row.get(0),
        )
        .optional()?;
    let Some(generation) = generation else {
        return Ok(());
    };
    let mut files = conn.prepare_cached(
        "SELECT d.file, f.path, f.is_test, d.packed FROM declared d CROSS JOIN files f ON f.id = d.file
         WHERE d.file >= ?1 AND d.file < ?2 ORDER BY d.file",
    )?;
    let mut rows = files.query([row_id(generation, 0), row_id(generation + 1, 0)])?;
    while let Some(row) = rows.next()? {
        let file = PackedFile {
            id: row.get(0)?,
            path: row.get(1)?,
            is_main: !row.get::<_, bool>(2)?,
            packed: row.get(3)?,
        };
        if matches!(each(file)?, DeclarationSearch::Ends) {
            break;
        }
    }
    Ok(())
}

/// Packs the methods of one file, sorted by key.
///
/// Each entry holds the number of bytes that its key shares with the one before, the length of the rest and the rest,
/// then its span's start and length, its first line, and how many lines after that its name stands; numbers as LEB128.
pub(super) fn pack(methods: &[&Method]) -> Vec<u8> {
    let mut keyed: Vec<(String, &Method)> = methods
        .iter()
        .map(|method| (method.key(), *method))
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    let mut packed = Vec::with_capacity(keyed.len() * 32);
    let mut last = "";
    for (key, method) in &keyed {
        let n_shared = n_shared(last, key);
        pack_count(&mut packed, n_shared as u32);
        pack_count(&mut packed, (key.len() - n_shared) as u32);
        packed.extend(&key.as_bytes()[n_shared..]);
        let Span { start, end } = method.span;
        for number in [
            start,
            end.saturating_sub(start),
            method.start_line,
            method.name_line.saturating_sub(method.start_line),
        ] {
            pack_count(&mut packed, number);
        }
        last = key;
    }
    packed
}

/// Counts the bytes that two keys share at their beginning, in whole characters.
fn n_shared(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    let mut n_shared = pairs.take_while(|(a, b)| a == b).count();
    while !other.is_char_boundary(n_shared) {
        n_shared -= 1;
    }
    n_shared
}

/// The fields of a packed entry besides its key.
struct DeclarationEntry {
    span: Span,
    start_line: u32,
    name_line: u32,
}

/// Unpacks what [`pack`] packed.
struct Entries<'p> {
    packed: &'p [u8],
    /// The key of the last entry.
    key: String,
}

impl<'p> Entries<'p> {
    fn of(packed: &'p [u8]) -> Self {
        Self {
            packed,
            key: String::new(),
        }
    }

    fn next(&mut self) -> Result<Option<DeclarationEntry>, StoreFailure> {
        if self.packed.is_empty() {
            return Ok(None);
        }
        let entry = self.take();
        entry.map(Some).ok_or_else(|| {
            StoreFailure::Damaged("a list of declarations cannot be unpacked".to_owned())
        })
    }

    fn take(&mut self) -> Option<DeclarationEntry> {
        let n_shared = take_count(&mut self.packed)? as usize;
        let n_rest = take_count(&mut self.packed)? as usize;
        let (rest, packed) = self.packed.split_at_checked(n_rest)?;
        self.packed = packed;
        // Longer than the last key would be damage too, and cutting would not show it.
        self.key.get(..n_shared)?;
        self.key.truncate(n_shared);
        self.key.push_str(std::str::from_utf8(rest).ok()?);
        let start = take_count(&mut self.packed)?;
        let end = start.checked_add(take_count(&mut self.packed)?)?;
        let start_line = take_count(&mut self.packed)?;
        Some(DeclarationEntry {
            span: Span::new(start, end),
            start_line,
            name_line: start_line.checked_add(take_count(&mut self.packed)?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Monitor;
    use crate::testing::{counter_repo, empty_store, key_of, many_tests, store_with, write_repos};
    use crate::{ImportedRepo, Store};
    use proptest::prelude::*;

    fn unpack(packed: &[u8]) -> Result<Vec<(String, u32, u32)>, StoreFailure> {
        let mut entries = Entries::of(packed);
        let mut unpacked = Vec::new();
        while let Some(entry) = entries.next()? {
            unpacked.push((entries.key.clone(), entry.span.start, entry.name_line));
        }
        Ok(unpacked)
    }

    fn listed(store: &Store, repo: &str, test: &str) -> Vec<String> {
        let declared = store
            .declared(&key_of(repo, test))
            .expect("the index reads");
        declared
            .iter()
            .map(|declared_method| {
                format!(
                    "{} {}:{} {}",
                    declared_method.key,
                    declared_method.path,
                    declared_method.name_line,
                    declared_method.is_main
                )
            })
            .collect()
    }

    const COUNTER: [&str; 3] = [
        "p.Counter#add(int) src/main/java/p/Counter.java:15 true",
        "p.Counter#inc() src/main/java/p/Counter.java:10 true",
        "p.Counter#setCount(int) src/main/java/p/Counter.java:6 true",
    ];

    #[test]
    fn every_method_of_the_repository_is_listed_main_code_first() {
        let (_folder, store) = store_with(&[counter_repo("a"), many_tests("b", 3)]);
        let expected: Vec<&str> = COUNTER
            .into_iter()
            .chain([
                "p.CounterTest#initCounter() src/test/java/p/CounterTest.java:9 false",
                "p.CounterTest#testAdd() src/test/java/p/CounterTest.java:21 false",
                "p.CounterTest#testInc() src/test/java/p/CounterTest.java:14 false",
                "p.CounterTest#works() src/test/java/p/CounterTest.java:26 false",
            ])
            .collect();
        assert_eq!(listed(&store, "a", "testInc"), expected);
        assert_eq!(listed(&store, "a", "works"), expected);
        assert_eq!(listed(&store, "a", "no such test"), [""; 0]);
        assert_eq!(listed(&store, "b", "test0_0").len(), 6);
    }

    #[test]
    fn of_one_key_in_several_files_the_first_is_listed_and_shown() {
        let mut repo = counter_repo("a");
        let mut copy = repo.files[0].clone();
        copy.id = crate::model::FileId(2);
        copy.path = "z/p/Counter.java".to_owned();
        let mut inc = repo.methods[1].clone();
        inc.file = copy.id;
        repo.files.push(copy);
        repo.methods.push(inc);
        let (_folder, store) = store_with(&[repo]);
        assert_eq!(listed(&store, "a", "testInc")[..3], COUNTER);
        let key = key_of("a", "testInc");
        let source = store.method_source(&key, "p.Counter#inc()");
        let source = source.expect("the index reads").expect("it is declared");
        assert_eq!(source.path, "src/main/java/p/Counter.java");
        assert_eq!(
            source.span.of(&source.text),
            "public int inc() {\n        setCount(count + 1);\n        return count;\n    }"
        );
        assert_eq!((source.start_line, source.name_line), (10, 10));
        let none = store.method_source(&key, "p.Counter#inc(int)");
        assert_eq!(none.expect("the index reads"), None);
    }

    #[test]
    fn a_new_generation_takes_the_place_of_the_former() {
        let (_folder, mut store) = store_with(&[counter_repo("a")]);
        let mut repo = counter_repo("a");
        repo.methods[2].name = "plus".to_owned();
        write_repos(&mut store, &[repo]);
        let listed = listed(&store, "a", "testInc");
        assert!(listed[1].starts_with("p.Counter#plus(int)"), "{listed:?}");
        let n_rows = |store: &Store| -> i64 {
            let count = "SELECT COUNT(*) FROM declared";
            let count = store.conn.query_row(count, [], |row| row.get(0));
            count.expect("the table is there")
        };
        assert_eq!(n_rows(&store), 2);
        store
            .remove_repo("a", None, &Monitor::default())
            .expect("the repository goes");
        assert_eq!(n_rows(&store), 0);
    }

    #[test]
    fn the_methods_of_a_dataset_may_come_in_any_order() {
        let (_folder, mut store) = empty_store();
        let mut repo = counter_repo("a");
        // As where each sample brings its own: files take turns.
        repo.methods.push(repo.methods[1].clone());
        let imported = ImportedRepo {
            dataset: "d",
            splits: &[None; 3],
            project_split: None,
        };
        store
            .import_repo(&repo.borrow(), &imported, &Monitor::default())
            .expect("the project is written");
        assert_eq!(listed(&store, "a", "testInc").len(), 7);
    }

    #[test]
    fn damage_is_said_and_harms_nobody() {
        for packed in [
            &[1, 1, b'a', 0, 0, 0, 0][..],
            &[0, 9, b'a', 0, 0, 0, 0],
            &[0, 1, 0xff, 0, 0, 0, 0],
            &[0, 1, b'a', 0, 0, 0],
            &[0, 1, b'a', 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0],
        ] {
            assert!(unpack(packed).is_err(), "{packed:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back_sorted(
            methods in prop::collection::vec(("[aé漢.]{0,4}", "[aé漢]{0,4}", 0u32..100_000), 0..20),
        ) {
            let template = counter_repo("a").methods.remove(0);
            let methods: Vec<Method> = methods
                .into_iter()
                .map(|(class, name, at)| Method {
                    class,
                    name,
                    span: Span::new(at, at + 300),
                    start_line: at,
                    name_line: at + 2,
                    ..template.clone()
                })
                .collect();
            let packed = pack(&methods.iter().collect::<Vec<_>>());
            let mut expected: Vec<(String, u32, u32)> =
                methods.iter().map(|it| (it.key(), it.span.start, it.name_line)).collect();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(unpack(&packed).map_err(|_| "damaged"), Ok(expected));
        }
    }
}

//! The nearest samples at once: out of `near.idx`, a file beside the index.
//!
//! A file of its own, not a table: it is made from the index, by the first process that needs it, while others mine;
//! its buckets are written in one go and read by place, which a tree of pages does at ten times the size. It belongs to
//! the samples that were there when it was made ([`Store::stamp`]); only new samples are signed.
//!
//! Decides which samples are worth a look; their reported similarities are computed from their texts.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::metric::minhash::{Shingles, Signatures};
use crate::store::{Store, StoreError, StoredPair};
use crate::task::Monitor;

use super::index::{LeakageIndex, Sets};
use super::report::SampleShingles;
use super::{
    LeakageError, LeakageOptions, N_PLACES, Nearest, NearestOptions, Neighbour, PairSide,
    nearest as by_texts,
};

mod build;
mod file;

use file::{MinHashSignature, N_BANDS, NONE, NearFile, TextHalf, key, n_equal, sign};

/// The name of the file in the workspace's folder.
const FILE_NAME: &str = "near.idx";

/// Up to this number of texts, all signatures are looked at, so that far ones are found where there are no nearer ones:
/// 26 MB of the file for tests, and as much for focal methods.
const N_ALL_MAX: u32 = 262_144;

/// The most texts of a bucket that are looked at: more are copies of one template.
const N_BUCKET_MAX: u32 = 16_384;

/// The most samples that are ranked by both of their signatures, for tests and for focal methods each: those of the
/// texts that agree most, or share most bands.
const N_RANKED_MAX: usize = 4_096;

/// The most samples of one focal method that are looked at.
const N_PER_FOCAL_MAX: u32 = 256;

/// Signatures of all samples, on disk.
pub struct NearIndex {
    file: NearFile,
    path: PathBuf,
    /// [`N_ALL_MAX`], except in tests.
    n_all_max: u32,
}

/// Finds the samples of a split that are nearest to one, as [`LeakageIndex::nearest`] does: out of the signatures on disk,
/// which are made first where they are missing or old.
///
/// Of more than [`N_ALL_MAX`] samples, those are found that share a band in the test or in the focal method, and so
/// fewer than asked for where none is near. The filter is asked after that.
///
/// # Errors
/// The index's. A folder that cannot be written is no error: then all samples are read.
pub fn nearest(
    store: &Store,
    monitor: &Monitor,
    options: &LeakageOptions,
    asked: NearestOptions,
) -> Result<Nearest, LeakageError> {
    // The signatures belong to the decisions that are shown.
    let is_of_another = options.filter.aim.matcher.is_some();
    let near = if is_of_another {
        None
    } else {
        match NearIndex::update(store, monitor) {
            Ok(near) => Some(near),
            Err(LeakageError::Store(
                StoreError::Io { .. } | StoreError::Full { .. } | StoreError::Locked { .. },
            )) => None,
            Err(error) => return Err(error),
        }
    };
    match near {
        Some(near) => near.nearest(store, monitor, options, asked),
        None => LeakageIndex::build(store, monitor, options)?.nearest(store, monitor, asked),
    }
}

impl NearIndex {
    /// Opens the file on disk; nothing where there is none, or where the samples have changed.
    pub fn open(store: &Store) -> Result<Option<Self>, LeakageError> {
        let path = path_of(store);
        let file = NearFile::open(&path).map_err(|error| io_error(&path, error))?;
        let stamp = store.stamp()?;
        let file = file.filter(|file| file.head.stamp == stamp);
        Ok(file.map(|file| Self {
            file,
            path,
            n_all_max: N_ALL_MAX,
        }))
    }

    /// Opens the file on disk, and makes it first where [`NearIndex::open`] finds nothing: on all threads of the pool
    /// that it is called in. Signatures of equal samples in an older file are not computed again. Takes about 30 bytes
    /// of memory for each sample.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process makes it.
    pub fn update(store: &Store, monitor: &Monitor) -> Result<Self, LeakageError> {
        if let Some(near) = Self::open(store)? {
            return Ok(near);
        }
        let path = path_of(store);
        let _lock = lock(&path)?;
        // Another process may have made it before we had the lock.
        if let Some(near) = Self::open(store)? {
            return Ok(near);
        }
        build::build(store, monitor, &path)?;
        let file = NearFile::open(&path).map_err(|error| io_error(&path, error))?;
        let gone = || io_error(&path, io::ErrorKind::NotFound.into());
        Ok(Self {
            file: file.ok_or_else(gone)?,
            path,
            n_all_max: N_ALL_MAX,
        })
    }

    /// Counts the samples in the file.
    #[must_use]
    pub const fn n_samples(&self) -> u32 {
        self.file.head.n_samples
    }

    /// Finds the samples that are nearest to one: see [`nearest`].
    pub fn nearest(
        &self,
        store: &Store,
        monitor: &Monitor,
        options: &LeakageOptions,
        asked: NearestOptions,
    ) -> Result<Nearest, LeakageError> {
        let key = asked.key;
        let sample = store.sample(&key, None)?;
        let sample = sample.ok_or(LeakageError::NoSuchSample { key })?;
        let mut sets = Sets::default();
        let texts = SampleShingles::of(&mut sets, &sample);
        let own = OwnSignatures::new(&texts, sample.row.id);
        let likely = self.likely(monitor, options, asked, &own);
        let mut ids = likely.map_err(|error| self.error(error))?;
        monitor.step()?;
        let n_read = by_texts::n_read(asked.n);
        let filter = options.filter.clone().within(options.scope);
        if filter.is_everything() {
            ids.truncate(n_read);
            // In this order, samples of the same file are read together.
            ids.sort_unstable();
        }
        let mut neighbours = Vec::new();
        for pair in store.pairs_of(&ids, &filter, n_read)? {
            let StoredPair {
                row, texts: other, ..
            } = &pair;
            let other = SampleShingles {
                test: sets.of(other.language, other.test.source()),
                focal: (other.focal.as_ref())
                    .map(|method_text| sets.of(other.language, method_text.source())),
            };
            let similarity = texts.similarity(&other);
            let split = options
                .splits
                .choose([pair.split_random, pair.split_project]);
            neighbours.push(Neighbour {
                side: PairSide::of_row(row, split),
                similarity,
                mean: by_texts::mean(similarity, texts.focal.is_some()),
            });
        }
        by_texts::sort(&mut neighbours, asked.n);
        Ok(Nearest {
            of: PairSide::new(&sample, options.splits),
            neighbours,
        })
    }

    /// Finds the samples whose signatures agree most, the best first.
    fn likely(
        &self,
        monitor: &Monitor,
        options: &LeakageOptions,
        asked: NearestOptions,
        own: &OwnSignatures,
    ) -> io::Result<Vec<i64>> {
        let mut ranked = Vec::new();
        let mut seen = FxHashSet::default();
        for half in [TextHalf::Test, TextHalf::Focal] {
            let Some(signature) = own.of(half) else {
                continue;
            };
            let mut n_ranked = 0;
            for text in self.sharing(half, signature)? {
                if n_ranked >= N_RANKED_MAX || monitor.step().is_err() {
                    break;
                }
                let samples = match half {
                    TextHalf::Test => vec![text],
                    TextHalf::Focal => self.file.samples_of(text, N_PER_FOCAL_MAX)?,
                };
                for sample in samples.into_iter().filter(|sample| seen.insert(*sample)) {
                    let Some(record) = self.file.record(sample)? else {
                        continue;
                    };
                    if record.id == own.id
                        || options.splits.choose(record.splits) != Some(asked.split)
                    {
                        continue;
                    }
                    n_ranked += 1;
                    let mut n_agreeing = 0;
                    for (half, idx) in [(TextHalf::Test, sample), (TextHalf::Focal, record.focal)] {
                        if let Some(signature) = own.of(half)
                            && idx != NONE
                            && let Some(other) = self.file.signature(half, idx)?
                        {
                            n_agreeing += n_equal(signature, &other);
                        }
                    }
                    ranked.push((std::cmp::Reverse(n_agreeing), record.id));
                }
            }
        }
        ranked.sort_unstable();
        Ok(ranked.into_iter().map(|(_, id)| id).collect())
    }

    /// Lists the texts that share a band with this one, those with the most bands first; of at most `n_all_max` texts
    /// all, those first whose signatures agree most.
    fn sharing(&self, half: TextHalf, signature: &MinHashSignature) -> io::Result<Vec<u32>> {
        let n = self.file.n_of(half);
        if n <= self.n_all_max {
            let n_agreeing = self.file.n_agreeing(half, signature)?;
            let mut texts: Vec<u32> = (0..n).collect();
            texts.sort_unstable_by_key(|text| {
                (std::cmp::Reverse(n_agreeing[*text as usize]), *text)
            });
            return Ok(texts);
        }
        let mut n_shared = vec![0_u8; n as usize];
        let mut found = Vec::new();
        for band in 0..N_BANDS {
            let key = key(signature, band);
            for text in self.file.bucket(half, band, key, N_BUCKET_MAX)? {
                let Some(n_shared) = n_shared.get_mut(text as usize) else {
                    continue;
                };
                if *n_shared == 0 {
                    found.push(text);
                }
                *n_shared += 1;
            }
        }
        found.sort_unstable_by_key(|n| (std::cmp::Reverse(n_shared[*n as usize]), *n));
        Ok(found)
    }

    fn error(&self, error: io::Error) -> LeakageError {
        io_error(&self.path, error)
    }
}

/// The signatures of the sample that is asked for; an absent or empty text has none.
struct OwnSignatures {
    id: i64,
    test: Option<MinHashSignature>,
    focal: Option<MinHashSignature>,
}

impl OwnSignatures {
    fn new(texts: &SampleShingles, id: i64) -> Self {
        let signatures = Signatures::new(N_PLACES);
        let of = |text: &Shingles| (!text.is_empty()).then(|| sign(&signatures, text));
        Self {
            id,
            test: of(&texts.test),
            focal: texts.focal.as_ref().and_then(of),
        }
    }

    const fn of(&self, half: TextHalf) -> Option<&MinHashSignature> {
        match half {
            TextHalf::Test => self.test.as_ref(),
            TextHalf::Focal => self.focal.as_ref(),
        }
    }
}

fn path_of(store: &Store) -> PathBuf {
    store.path().with_file_name(FILE_NAME)
}

/// Takes the lock of the process that makes the file; the system releases it with the process.
fn lock(path: &Path) -> Result<File, LeakageError> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    let file = options.open(path.with_extension("lock"));
    let file = file.map_err(|error| io_error(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked {
            path: path.to_owned(),
        }
        .into()),
        Err(TryLockError::Error(error)) => Err(io_error(path, error)),
    }
}

fn io_error(path: &Path, source: io::Error) -> LeakageError {
    let path = path.to_owned();
    LeakageError::Store(if source.kind() == io::ErrorKind::StorageFull {
        StoreError::Full { path }
    } else {
        StoreError::Io { path, source }
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::os::unix::fs::FileExt;

    use tempfile::TempDir;

    use super::*;
    use crate::mine::{self, Target};
    use crate::model::{Filter, Name, OfSample, SampleKey, SampleRow, Split};
    use crate::store::testing::{many_tests, store_with};
    use crate::store::{Anchor, StoreAccess};

    /// The same numbers each time (Marsaglia's xorshift).
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % n
        }
    }

    const N_PLANTED: usize = 60;
    const N_OTHERS: usize = 4;

    /// A method and its test of random words; near ones differ in `change`.
    fn statements(seed: u64, n: usize, change: u64) -> String {
        let mut random = Random(seed * 7_919 + 1);
        let mut text = String::new();
        for at in 0..n {
            let (a, b, c) = (random.below(900), random.below(900), random.below(90));
            let c = if at == n / 2 { c + change } else { c };
            writeln!(text, "        int v{a} = part{b}.w{a}({c}, \"s{b}\");")
                .expect("a string takes all");
        }
        text
    }

    /// Writes a class with its tests.
    fn write_class(root: &Path, name: &str, methods: &[(u64, u64)]) {
        let (mut class, mut tests) = (String::new(), String::new());
        for (seed, change) in methods {
            write!(
                class,
                "    public int compute{seed}(int n) {{\n{}        return n;\n    }}\n",
                statements(*seed, 9, *change)
            )
            .expect("a string takes all");
            write!(
                tests,
                "    @Test\n    public void testCompute{seed}() {{\n{}        {name} it = new {name}();\n        assertEquals({change}, it.compute{seed}(3));\n    }}\n",
                statements(seed + 50_000, 8, *change)
            )
            .expect("a string takes all");
        }
        for (place, text) in [
            (
                format!("src/main/java/p/{name}.java"),
                format!("package p;\n\npublic class {name} {{\n{class}}}\n"),
            ),
            (
                format!("src/test/java/p/{name}Test.java"),
                format!(
                    "package p;\n\nimport org.junit.Test;\nimport static org.junit.Assert.assertEquals;\n\npublic class {name}Test {{\n{tests}}}\n"
                ),
            ),
        ] {
            let path = root.join(place);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            fs::write(path, text).expect("a file is written");
        }
    }

    fn mine_again(folder: &TempDir) -> Store {
        let mut store = Store::open(folder.path(), StoreAccess::Create).expect("an index opens");
        let targets = ["first", "second"].map(|text| Target {
            root: folder.path().join(text),
            ..Target::default()
        });
        let options = mine::MiningOptions::default();
        mine::mine(&mut store, &Monitor::default(), &options, &targets).expect("it is mined");
        store
    }

    /// Two repositories; every test of the second is nearly one of the first.
    fn planted() -> (TempDir, Store) {
        let folder = tempfile::tempdir().expect("tests may make folders");
        for n in 0..N_PLANTED {
            let methods: Vec<(u64, u64)> = (0..N_OTHERS)
                .map(|other| ((n * 100 + other) as u64, 1))
                .collect();
            write_class(&folder.path().join("first"), &format!("A{n}"), &methods);
            let near = (n as u64 * 100, 2 + n as u64);
            write_class(&folder.path().join("second"), &format!("B{n}"), &[near]);
        }
        let store = mine_again(&folder);
        (folder, store)
    }

    fn row(store: &Store, class: &str, test: &str) -> SampleRow {
        let whole = |name: &str| Name::Whole(name.to_owned());
        let filter = Filter::of(vec![
            OfSample::Class(whole(class)).into(),
            OfSample::Test(whole(test)).into(),
        ]);
        let rows = store.page(&filter, Anchor::First, 2).expect("it is read");
        assert_eq!(rows.len(), 1, "{class}.{test}");
        rows[0].clone()
    }

    fn split_of(store: &Store, key: &SampleKey) -> Split {
        let sample = store.sample(key, None).expect("it is read");
        let split = sample.expect("it is there").split_random;
        split.expect("it has a split")
    }

    #[test]
    fn planted_near_duplicates_are_among_the_first_five() {
        let (_folder, store) = planted();
        let mut near = NearIndex::update(&store, &Monitor::default()).expect("it is made");
        let n_samples = N_PLANTED * (N_OTHERS + 1);
        assert_eq!(near.n_samples() as usize, n_samples);
        let by_texts = LeakageIndex::build(&store, &Monitor::default(), &LeakageOptions::default());
        let by_texts = by_texts.expect("it is read");
        let mut n_found = 0;
        for n in 0..N_PLANTED {
            let test = format!("testCompute{}", n * 100);
            let key = row(&store, &format!("B{n}Test"), &test).key;
            let other = row(&store, &format!("A{n}Test"), &test).key;
            let asked = NearestOptions {
                key,
                split: split_of(&store, &other),
                n: 5,
            };
            let ask = |near: &NearIndex| {
                near.nearest(
                    &store,
                    &Monitor::default(),
                    &LeakageOptions::default(),
                    asked,
                )
                .expect("it is found")
            };
            // Where all are looked at, they are those of a walk through all texts.
            near.n_all_max = N_ALL_MAX;
            let all = ask(&near);
            let expected = by_texts.nearest(&store, &Monitor::default(), asked);
            let expected = expected.expect("it is found");
            assert_eq!(all.of, expected.of);
            assert_eq!(all.neighbours[0], expected.neighbours[0]);
            near.n_all_max = 0;
            let by_bands = ask(&near);
            let place = by_bands
                .neighbours
                .iter()
                .position(|neighbour| neighbour.side.key == other);
            n_found += usize::from(place.is_some());
            for neighbour in &by_bands.neighbours {
                assert_eq!(neighbour.side.split, Some(asked.split));
            }
        }
        assert!(n_found * 100 >= N_PLANTED * 95, "{n_found} of {N_PLANTED}");
    }

    #[test]
    fn what_is_known_is_not_computed_again_and_what_is_gone_is_swept() {
        let (folder, store) = planted();
        let path = path_of(&store);
        let monitor = Monitor::default();
        let near = NearIndex::update(&store, &monitor).expect("it is made");
        let record = near.file.record(0).expect("it is read").expect("a sample");
        // A signature that is never computed shows what was taken over.
        let written = File::options().write(true).open(&path).expect("it opens");
        written.write_all_at(&[7; N_PLACES], 64).expect("written");
        drop(store);
        fs::remove_file(folder.path().join("second/src/test/java/p/B1Test.java")).expect("gone");
        write_class(&folder.path().join("second"), "C1", &[(9_000, 1)]);
        let store = mine_again(&folder);
        assert!(NearIndex::open(&store).expect("it is read").is_none());
        let near = NearIndex::update(&store, &monitor).expect("it is made");
        assert_eq!(near.n_samples() as usize, N_PLANTED * (N_OTHERS + 1));
        let mut n_taken_over = 0;
        for sample in 0..near.n_samples() {
            let known = near.file.record(sample).expect("read").expect("a sample");
            if known.content_hash == record.content_hash {
                let signature = near
                    .file
                    .signature(TextHalf::Test, sample)
                    .expect("it is read");
                assert_eq!(signature, Some([7; N_PLACES]));
                n_taken_over += 1;
            }
        }
        assert_eq!(n_taken_over, 1);
        // Made from nothing, the file is the same except for that signature.
        fs::remove_file(&path).expect("it goes");
        let taken_over = near.file;
        let near = NearIndex::update(&store, &monitor).expect("it is made");
        assert_eq!(near.file.head, taken_over.head);
        for sample in 0..near.n_samples() {
            let of = |file: &NearFile| file.record(sample).expect("it is read");
            assert_eq!(of(&near.file), of(&taken_over));
        }
        for focal in 0..near.file.head.n_focals {
            let of = |file: &NearFile| file.signature(TextHalf::Focal, focal).expect("it is read");
            assert_eq!(of(&near.file), of(&taken_over));
        }
        let left: Vec<String> = fs::read_dir(folder.path())
            .expect("it is read")
            .map(|result| {
                result
                    .expect("read")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|text| text.contains("tmp"))
            .collect();
        assert_eq!(left, [""; 0]);
    }

    #[test]
    fn a_damaged_or_foreign_file_is_made_anew() {
        let (_folder, store) = planted();
        let path = path_of(&store);
        let monitor = Monitor::default();
        NearIndex::update(&store, &monitor).expect("it is made");
        let whole = fs::read(&path).expect("it is read");
        let mut foreign = whole.clone();
        foreign[0] = b'x';
        for damaged in [&whole[..100], &whole[..whole.len() - 1], b"", &foreign] {
            fs::write(&path, damaged).expect("written");
            assert!(NearIndex::open(&store).expect("it is read").is_none());
            NearIndex::update(&store, &monitor).expect("it is made");
            assert!(fs::read(&path).expect("it is read") == whole);
        }
        // The content of a file is never trusted.
        let mut nonsense = whole.clone();
        nonsense[64..].fill(0xfe);
        fs::write(&path, nonsense).expect("written");
        let mut near = NearIndex::update(&store, &monitor).expect("it is opened");
        near.n_all_max = 0;
        let asked = NearestOptions {
            key: row(&store, "B0Test", "testCompute0").key,
            split: Split::Train,
            n: 5,
        };
        let found = near.nearest(&store, &monitor, &LeakageOptions::default(), asked);
        assert_eq!(found.expect("it is asked").neighbours, []);
    }

    #[test]
    fn who_is_cancelled_leaves_nothing_behind() {
        let (_folder, store) = planted();
        let monitor = Monitor::default();
        monitor.cancel();
        let stopped = NearIndex::update(&store, &monitor);
        assert!(matches!(stopped, Err(LeakageError::Cancelled(_))));
        assert!(!path_of(&store).exists());
        let lock = lock(&path_of(&store)).expect("nobody holds it");
        let busy = NearIndex::update(&store, &Monitor::default());
        assert!(matches!(
            busy,
            Err(LeakageError::Store(StoreError::Locked { .. }))
        ));
        drop(lock);
        NearIndex::update(&store, &Monitor::default()).expect("it is made");
    }

    #[test]
    fn one_thread_signs_more_than_one_batch() {
        // The only thread must not wait for work that only it can do.
        let n_tests = 2 * build::BATCH as u32 + 1;
        let (_folder, store) = store_with(&[many_tests("a", n_tests)]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a thread can be started");
        let made = pool.install(move || NearIndex::update(&store, &Monitor::default()).is_ok());
        assert!(made);
    }
}

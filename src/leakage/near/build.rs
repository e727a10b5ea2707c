//! Makes `near.idx`: signatures of the last file are taken over, new samples are signed on all threads while the next
//! ones are read.
//!
//! Sections are written to files of their own and put together at the end, so that memory holds no signature: 20 bytes
//! for every sample of the last file, and eight for every one of this.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::index::Sets;
use crate::metric::minhash::Signatures;
use crate::model::{ContentHash, Filter};
use crate::store::{PairTexts, PassingPair, Store};
use crate::task::{Monitor, Phase};
use crate::{LeakageError, N_PLACES};

use super::file::{
    MinHashSignature, N_BANDS, NONE, NearFile, NearFileHead, NearRecord, TextHalf, key, n_slots,
    sign, slot, write_buckets,
};
use super::io_error;

/// Samples that are signed together: enough work for all threads, and few texts in memory.
pub(super) const BATCH: usize = 2_048;
/// How long a thread that waits for others sleeps at a time.
const NAP: Duration = Duration::from_millis(1);

/// A sample on its way into the file.
struct UnsignedSample {
    record: NearRecord,
    /// Its place in the last file.
    old: Option<u32>,
    texts: Option<PairTexts>,
    /// Whether it is the first sample with its focal method.
    brings_focal: bool,
}

struct SignedSample {
    record: NearRecord,
    old: Option<u32>,
    test: MinHashSignature,
    focal: Option<MinHashSignature>,
}

/// Writes the file anew, from the samples that are there now; returns its head.
pub(super) fn build(
    store: &Store,
    monitor: &Monitor,
    path: &Path,
) -> Result<NearFileHead, LeakageError> {
    let failed = |error| io_error(path, error);
    monitor.enter(Phase::Reading);
    monitor.n_samples.store(0, Ordering::Relaxed);
    let n_samples = store.count(&Filter::default())?;
    monitor.n_samples_total.store(n_samples, Ordering::Relaxed);
    let known = FormerNearFile::load(NearFile::open(path).map_err(failed)?).map_err(failed)?;
    let mut writer = NearFileWriter::new(path, known).map_err(failed)?;
    let (mut batch, mut running) = (Vec::with_capacity(BATCH), None);
    let mut focals = Focals::default();
    let seeds = Arc::new(Signatures::new(N_PLACES));
    let stamp = {
        let known = writer.known.clone();
        store.each_pair::<LeakageError>(
            |hash| known.find(hash).is_none(),
            |pair| {
                monitor.step()?;
                monitor.n_samples.fetch_add(1, Ordering::Relaxed);
                let old = known.find(pair.content_hash);
                batch.push(focals.number(pair, old));
                if batch.len() == BATCH {
                    let next = start(std::mem::take(&mut batch), &seeds);
                    if let Some(signed) = running.replace(next) {
                        writer.write(&signed).map_err(failed)?;
                    }
                }
                Ok(())
            },
        )?
    };
    for signed in running.into_iter().chain([start(batch, &seeds)]) {
        writer.write(&signed).map_err(failed)?;
    }
    monitor.enter(Phase::Storing);
    let head = NearFileHead {
        stamp,
        n_samples: writer.samples.len() as u32,
        n_focals: focals.n_numbers,
        n_mapped: writer
            .samples
            .iter()
            .filter(|sample| **sample != NONE)
            .count() as u32,
    };
    writer.finish(&head, monitor)?;
    Ok(head)
}

/// Numbers focal methods, those of a repository in a row.
#[derive(Default)]
struct Focals {
    generation: i64,
    by_id: FxHashMap<i64, u32>,
    n_numbers: u32,
}

impl Focals {
    fn number(&mut self, pair: PassingPair, old: Option<u32>) -> UnsignedSample {
        let generation = pair.generation();
        if generation != self.generation {
            self.by_id.clear();
            self.generation = generation;
        }
        let n_before = self.n_numbers;
        let focal = pair.focal.map_or(NONE, |id| {
            *self.by_id.entry(id).or_insert_with(|| {
                self.n_numbers += 1;
                n_before
            })
        });
        UnsignedSample {
            record: NearRecord {
                id: pair.id,
                content_hash: pair.content_hash.0,
                focal,
                splits: [pair.split_random, pair.split_project],
            },
            old,
            texts: pair.texts,
            brings_focal: self.n_numbers > n_before,
        }
    }
}

type RunningSigner = Receiver<thread::Result<Vec<SignedSample>>>;

/// Signs a batch on the threads of the pool while this one goes on.
fn start(batch: Vec<UnsignedSample>, seeds: &Arc<Signatures>) -> RunningSigner {
    let (send, receive) = sync_channel(1);
    let seeds = Arc::clone(seeds);
    rayon::spawn(move || {
        let signed = catch_unwind(AssertUnwindSafe(|| {
            let batch = batch.into_par_iter().with_min_len(64);
            let signed = batch.map_init(Sets::default, |sets, unsigned_sample| {
                sign_one(sets, &seeds, unsigned_sample)
            });
            signed.collect()
        }));
        // The receiver has been stopped meanwhile.
        let _gone = send.send(signed);
    });
    receive
}

/// Waits for a batch. Where this is the pool's only thread, no other could sign it: so it helps, and sleeps only when
/// there is nothing to do.
fn awaited(running: &RunningSigner) -> thread::Result<Vec<SignedSample>> {
    loop {
        if let Ok(signed) = running.try_recv() {
            return signed;
        }
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            continue;
        }
        match running.recv_timeout(NAP) {
            Ok(signed) => return signed,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("a batch is always answered"),
        }
    }
}

fn sign_one(sets: &mut Sets, seeds: &Signatures, waiting: UnsignedSample) -> SignedSample {
    let UnsignedSample {
        record,
        old,
        texts,
        brings_focal,
    } = waiting;
    let mut signed = SignedSample {
        record,
        old,
        test: [0; N_PLACES],
        focal: brings_focal.then_some([0; N_PLACES]),
    };
    if let Some(texts) = texts {
        let mut of = |text: &str| sign(seeds, &sets.of(texts.language, text));
        signed.test = of(texts.test.source());
        if let (Some(signature), Some(focal)) = (&mut signed.focal, &texts.focal) {
            *signature = of(focal.source());
        }
    }
    signed
}

/// The last file, with its samples by content.
#[derive(Clone, Default)]
struct FormerNearFile(Option<Arc<(NearFile, ByContent)>>);

/// Contents with their numbers in the file, sorted.
type ByContent = Vec<([u8; 16], u32)>;

impl FormerNearFile {
    fn load(file: Option<NearFile>) -> io::Result<Self> {
        let Some(file) = file else {
            return Ok(Self::default());
        };
        let mut by_content = Vec::with_capacity(file.head.n_samples as usize);
        for idx in 0..file.head.n_samples {
            if let Some(record) = file.record(idx)? {
                by_content.push((record.content_hash, idx));
            }
        }
        by_content.sort_unstable();
        Ok(Self(Some(Arc::new((file, by_content)))))
    }

    fn find(&self, content_hash: ContentHash) -> Option<u32> {
        let (_, by_content) = self.0.as_deref()?;
        let at = by_content.partition_point(|by_content| by_content.0 < content_hash.0);
        let (found, idx) = by_content.get(at)?;
        (*found == content_hash.0).then_some(*idx)
    }

    /// Takes over the signatures of a sample.
    fn fill(&self, signed: &mut SignedSample, old: u32) -> io::Result<()> {
        let Some((file, _)) = self.0.as_deref() else {
            return Ok(());
        };
        if let Some(test) = file.signature(TextHalf::Test, old)? {
            signed.test = test;
        }
        if let Some(focal) = &mut signed.focal
            && let Some(record) = file.record(old)?
            && let Some(known) = file.signature(TextHalf::Focal, record.focal)?
        {
            *focal = known;
        }
        Ok(())
    }
}

/// The sections of the new file.
struct NearFileWriter {
    path: PathBuf,
    known: FormerNearFile,
    tests: SectionFile,
    focals: SectionFile,
    records: SectionFile,
    /// The focal method of every sample.
    samples: Vec<u32>,
}

impl NearFileWriter {
    fn new(path: &Path, known: FormerNearFile) -> io::Result<Self> {
        let section = |name: &str| SectionFile::new(path.with_extension(name));
        Ok(Self {
            path: path.to_owned(),
            known,
            tests: section("tests.tmp")?,
            focals: section("focals.tmp")?,
            records: section("samples.tmp")?,
            samples: Vec::new(),
        })
    }

    fn write(&mut self, running: &RunningSigner) -> io::Result<()> {
        let signed = awaited(running).unwrap_or_else(|panic| resume_unwind(panic));
        for mut signed in signed {
            if let Some(old) = signed.old {
                self.known.fill(&mut signed, old)?;
            }
            self.tests.out.write_all(&signed.test)?;
            if let Some(focal) = &signed.focal {
                self.focals.out.write_all(focal)?;
            }
            self.records.out.write_all(&signed.record.bytes())?;
            self.samples.push(signed.record.focal);
        }
        Ok(())
    }

    /// Puts the file together and in its place.
    fn finish(mut self, head: &NearFileHead, monitor: &Monitor) -> Result<(), LeakageError> {
        let path = self.path.clone();
        let failed = |error| io_error(&path, error);
        let mut whole = SectionFile::new(path.with_extension("idx.tmp")).map_err(failed)?;
        whole.out.write_all(&head.bytes()).map_err(failed)?;
        for section in [&mut self.tests, &mut self.focals, &mut self.records] {
            monitor.step()?;
            let mut file = section.rewound().map_err(failed)?;
            io::copy(&mut file, &mut whole.out).map_err(failed)?;
        }
        write_buckets(&mut whole.out, head.n_focals, &self.samples).map_err(failed)?;
        for (section, n) in [
            (&mut self.tests, head.n_samples),
            (&mut self.focals, head.n_focals),
        ] {
            for band in 0..N_BANDS {
                monitor.step()?;
                let slots = section.slots(band, n_slots(n)).map_err(failed)?;
                write_buckets(&mut whole.out, n_slots(n), &slots).map_err(failed)?;
            }
        }
        let flushed = whole.out.flush();
        flushed
            .and_then(|()| whole.out.get_ref().sync_all())
            .and_then(|()| fs::rename(&whole.path, &path))
            .map_err(failed)
    }
}

/// A file that is removed when it is dropped.
struct SectionFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl SectionFile {
    fn new(path: PathBuf) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let out = BufWriter::with_capacity(1 << 18, options.open(&path)?);
        Ok(Self { path, out })
    }

    /// Rewinds the file to its start.
    fn rewound(&mut self) -> io::Result<&File> {
        self.out.flush()?;
        let mut file = self.out.get_ref();
        file.rewind()?;
        Ok(file)
    }

    /// Computes the bucket of every signature.
    fn slots(&mut self, band: usize, n_slots: u32) -> io::Result<Vec<u32>> {
        let mut file = self.rewound()?;
        let mut slots = Vec::new();
        let mut bytes = vec![0; N_PLACES << 12];
        loop {
            let mut n_read = 0;
            while n_read < bytes.len() {
                match file.read(&mut bytes[n_read..])? {
                    0 => break,
                    n => n_read += n,
                }
            }
            let signatures = bytes[..n_read].chunks_exact(N_PLACES);
            slots.extend(signatures.map(|signature| slot(key(signature, band), n_slots)));
            if n_read < bytes.len() {
                return Ok(slots);
            }
        }
    }
}

impl Drop for SectionFile {
    fn drop(&mut self) {
        // A file that was renamed is not there; one that cannot be removed is overwritten next time.
        let _left = fs::remove_file(&self.path);
    }
}

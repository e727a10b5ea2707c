//! Many provisional verdicts at once: written together, listed separately from the samples that people have looked at,
//! undone together.

use crate::model::{Batch, Bulk, Event, EventKind, JudgedSample, SampleKey, Verdict};

use super::super::error::StoreError;
use super::row::Insert;
use super::{Verdicts, next_ms};

impl Verdicts {
    /// Adds a batch and its verdicts, all or none, and returns the batch's event once they are on the disk.
    ///
    /// Fills in the batch's count and the reason why each judgement is provisional. All get the same time: only the
    /// batch's own event has a place in the order of the annotator's events. No two judgements may be about the same
    /// sample.
    pub fn append_batch(
        &mut self,
        annotator: &str,
        now_ms: i64,
        batch: Batch,
        mut judgements: Vec<JudgedSample>,
    ) -> Result<Event, StoreError> {
        // In the order of the index by sample, so that neighbours are on one page, for writing and for reading.
        judgements.sort_unstable_by_key(|judgement| judgement.key);
        let (head, own) = self.writing(|conn| {
            let at_ms = next_ms(conn, annotator, now_ms)?;
            let bound = batch.bound;
            let n_accepted = judgements.len() as u32;
            let kind = EventKind::Batch(Batch {
                n_accepted,
                ..batch
            });
            let head = Event::new(annotator, at_ms, kind);
            let mut insert = Insert::prepare(conn)?;
            insert.add(&head)?;
            let own = conn.last_insert_rowid();
            let batch = head.id();
            for judged in judgements {
                let kind = EventKind::Judged(JudgedSample {
                    bulk: Some(Bulk { batch, bound }),
                    ..judged
                });
                insert.add(&Event::new(annotator, at_ms, kind))?;
            }
            Ok((head, own))
        })?;
        self.window.own.push(own);
        self.back_up(now_ms);
        Ok(head)
    }

    /// Reads every valid provisional verdict, by sample and annotator: those of annotators who have not looked at the
    /// sample, whatever others say about it.
    pub fn provisional(&self) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts("FROM provisional e ORDER BY +e.key, +e.annotator", &[])
    }

    /// Reads an annotator's valid provisional verdicts, by sample.
    pub fn provisional_of_annotator(&self, annotator: &str) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts(
            "FROM provisional e WHERE e.annotator = ?1 ORDER BY +e.key",
            &[&annotator],
        )
    }

    /// Reads the valid provisional verdicts on one sample, by annotator.
    pub fn provisional_of_sample(&self, key: &SampleKey) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts(
            "FROM provisional e WHERE e.key = ?1 ORDER BY e.annotator",
            &[&key.0],
        )
    }

    /// Lists the samples that have a provisional verdict, sorted.
    pub(crate) fn provisional_keys(&self) -> Result<Vec<SampleKey>, StoreError> {
        self.named(|| {
            let sql = "SELECT DISTINCT e.key FROM provisional e ORDER BY +e.key";
            let mut statement = self.conn.prepare_cached(sql)?;
            let keys = statement.query_map([], |row| Ok(SampleKey(row.get(0)?)))?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }
}

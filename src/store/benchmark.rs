//! The benchmark of an index: which samples are its cases, and the split of each. There is one at a time.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::model::{SampleKey, Split};
use crate::task::Monitor;

use super::codec::{code, decode};
use super::{Store, StoreError, version};

impl Store {
    /// Writes the cases of a benchmark, and replaces those of an earlier one.
    pub fn write_benchmark(
        &mut self,
        cases: &BTreeMap<SampleKey, Split>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            // All or nothing: half a benchmark would be a different benchmark.
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            conn.execute("DELETE FROM benchmark_cases", [])?;
            let mut insert =
                conn.prepare("INSERT INTO benchmark_cases (key, split) VALUES (?1, ?2)")?;
            for (key, split) in cases {
                monitor.step()?;
                insert.execute(params![key.0, code(Split::ALL, *split)])?;
            }
            version::touch(conn)?;
            Ok(transaction.commit()?)
        })
    }

    /// Reads the cases of the benchmark; empty where there is no benchmark.
    pub fn benchmark(&self) -> Result<BTreeMap<SampleKey, Split>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare("SELECT key, split FROM benchmark_cases")?;
            let mut rows = statement.query([])?;
            let mut cases = BTreeMap::new();
            while let Some(row) = rows.next()? {
                cases.insert(SampleKey(row.get(0)?), decode(Split::ALL, row.get(1)?)?);
            }
            Ok(cases)
        })
    }
}

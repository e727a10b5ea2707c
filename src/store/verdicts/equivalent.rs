//! People's marks of mutants as equivalent to the original.

use crate::model::ContentHash;

use super::super::error::StoreError;
use super::Verdicts;

impl Verdicts {
    /// Lists every valid mark of a mutant as equivalent, each with its annotator, by mutant, then by annotator.
    pub fn equivalents(&self) -> Result<Vec<(ContentHash, String)>, StoreError> {
        self.named(|| {
            let sql = "SELECT mutant, annotator FROM equivalents ORDER BY mutant, annotator";
            let mut statement = self.conn.prepare_cached(sql)?;
            let found =
                statement.query_map([], |row| Ok((ContentHash(row.get(0)?), row.get(1)?)))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }
}

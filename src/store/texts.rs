//! Reading source text from the index, file by file.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, OptionalExtension};

use crate::model::Span;

use super::codec::count;
use super::error::StoreFailure;

/// Unpacks files, and keeps the last few: neighbours in a list often come from the same files.
pub(super) struct TextCache<'c> {
    source: CachedStatement<'c>,
    place: CachedStatement<'c>,
    cached: Vec<(i64, Arc<str>)>,
    /// Whether texts are converted to lower case, for searches.
    is_lower: bool,
}

/// The number of files that are kept: those of a test, its focal method, and their superclasses.
const TEXTS_MAX: usize = 8;

impl<'c> TextCache<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self {
            source: conn.prepare_cached(
                "SELECT s.size_bytes, s.zstd FROM files f JOIN sources s ON s.id = f.source WHERE f.id = ?1",
            )?,
            place: conn.prepare_cached("SELECT file, span_start, span_end FROM methods WHERE id = ?1")?,
            cached: Vec::new(),
            is_lower: false,
        })
    }

    /// Reads texts in lower case, as searches compare them.
    pub(super) fn lower(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self {
            is_lower: true,
            ..Self::prepare(conn)?
        })
    }

    /// Reads a method's file, and the method's span in it.
    pub(super) fn of_method(&mut self, method: i64) -> Result<(Arc<str>, Span), StoreFailure> {
        let place: Option<(i64, u32, u32)> = self
            .place
            .query_row([method], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let (file, start, end) =
            place.ok_or_else(|| StoreFailure::Damaged(format!("method {method} is missing")))?;
        Ok((self.of_file(file)?, Span::new(start, end)))
    }

    pub(super) fn of_file(&mut self, file: i64) -> Result<Arc<str>, StoreFailure> {
        if let Some(idx) = self.cached.iter().position(|(id, _)| *id == file) {
            let hit = self.cached.remove(idx);
            let text = hit.1.clone();
            self.cached.push(hit);
            return Ok(text);
        }
        let mut text = self.unpack(file)?;
        if self.is_lower {
            text.make_ascii_lowercase();
        }
        let text: Arc<str> = text.into();
        if self.cached.len() == TEXTS_MAX {
            self.cached.remove(0);
        }
        self.cached.push((file, text.clone()));
        Ok(text)
    }

    fn unpack(&mut self, file: i64) -> Result<String, StoreFailure> {
        let packed: Option<(u64, Vec<u8>)> = self
            .source
            .query_row([file], |row| Ok((count(row, 0)?, row.get(1)?)))
            .optional()?;
        let (size_bytes, packed) =
            packed.ok_or_else(|| StoreFailure::Damaged(format!("no source for file {file}")))?;
        let bytes = zstd::bulk::decompress(&packed, size_bytes as usize).map_err(|_| {
            StoreFailure::Damaged(format!("the source of file {file} cannot be unpacked"))
        })?;
        String::from_utf8(bytes)
            .map_err(|_| StoreFailure::Damaged(format!("the source of file {file} is not UTF-8")))
    }
}

//! Finds the sample of a record without a key: by a number, as in MERA's `UnitTests`, or by the name in its dataset.
//!
//! An export says it in its `ids.jsonl`; the keys of an imported dataset follow from its name and the number, or the
//! id.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead};

use thiserror::Error;

use crate::exchange::mera::MeraOrigin;
use crate::exchange::{parse, records::LineReader};
use crate::model::{Matcher, SampleKey};
use crate::store::{Store, StoreError};

/// The numbers of an export.
pub type Ids = BTreeMap<u32, SampleKey>;

/// Reads the `ids.jsonl` of an export.
///
/// # Errors
/// The disk's, and a line that is none of such a file, with its number.
pub fn read_ids(input: &mut dyn BufRead) -> io::Result<Ids> {
    let mut ids = Ids::new();
    let mut lines = LineReader::new(input);
    while let Some((number, line)) = lines.next()? {
        let wrong = |detail: &dyn fmt::Display| {
            let message = format!("line {number}: {detail}");
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let line = line.map_err(|error| wrong(&error))?;
        if line.trim().is_empty() {
            continue;
        }
        let origin: MeraOrigin = parse(line.as_bytes()).map_err(|error| wrong(&error))?;
        let key = SampleKey::parse(&origin.key);
        let id = u32::try_from(origin.id).ok();
        let (Some(id), Some(key)) = (id, key) else {
            return Err(wrong(&"not a number or a sample's key"));
        };
        ids.insert(id, key);
    }
    Ok(ids)
}

/// Why a record belongs to no sample. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnjoinedRecord {
    #[error("names no sample")]
    Nameless,
    /// Samples have an order, and its place is behind the last one.
    #[error("there are only {n_samples} samples")]
    BehindLast { n_samples: usize },
    #[error("`{name}` is not a sample's key")]
    NotAKey { name: String },
    #[error("`{name}` is not a sample's key, and no imported dataset has such a sample")]
    UnknownName { name: String },
    #[error("several datasets have a sample `{name}`")]
    AmbiguousName { name: String },
    #[error("no record has the id {number}")]
    UnknownId { number: u32 },
    #[error(
        "no imported dataset has a record {number}; `--ids` takes the `ids.jsonl` of an export"
    )]
    UnknownRecord { number: u32 },
    #[error("several datasets have a record {number}")]
    AmbiguousRecord { number: u32 },
    #[error("no sample `{key}` in the index")]
    NotInIndex { key: SampleKey },
}

/// The samples that numbers of records stand for.
pub enum SampleNumbers {
    Known(Ids),
    /// The records of the datasets with these names.
    OfDatasets(Vec<String>),
}

impl SampleNumbers {
    /// Takes the given ones, else those of the imported datasets.
    pub fn of(store: &Store, ids: Option<&Ids>) -> Result<Self, StoreError> {
        Ok(match ids {
            Some(ids) => Self::Known(ids.clone()),
            None => Self::OfDatasets(store.datasets()?),
        })
    }

    /// Finds a sample by name: a key, what an imported dataset calls it, or the number of a record.
    pub fn named(
        &self,
        store: &Store,
        matcher: Matcher,
        name: &str,
    ) -> Result<Result<SampleKey, UnjoinedRecord>, StoreError> {
        if let Some(key) = SampleKey::parse(name) {
            return Ok(Ok(key));
        }
        if let Self::OfDatasets(datasets) = self {
            let keys: Vec<SampleKey> = datasets
                .iter()
                .map(|dataset| SampleKey::of_named(dataset, name))
                .collect();
            let facts = store.sample_facts(&keys, matcher)?;
            let mut found = keys.iter().zip(&facts).filter(|pair| pair.1.is_some());
            match (found.next(), found.next()) {
                (Some((key, _)), None) => return Ok(Ok(*key)),
                (Some(_), Some(_)) => {
                    let name = name.to_owned();
                    return Ok(Err(UnjoinedRecord::AmbiguousName { name }));
                }
                (None, _) => {}
            }
        }
        if let Ok(number) = name.parse() {
            return self.key(store, matcher, number);
        }
        let name = name.to_owned();
        Ok(Err(match self {
            Self::OfDatasets(datasets) if !datasets.is_empty() => {
                UnjoinedRecord::UnknownName { name }
            }
            _ => UnjoinedRecord::NotAKey { name },
        }))
    }

    /// Finds a sample by its number in a dataset.
    pub fn key(
        &self,
        store: &Store,
        matcher: Matcher,
        number: u32,
    ) -> Result<Result<SampleKey, UnjoinedRecord>, StoreError> {
        let datasets = match self {
            Self::Known(ids) => {
                let found = ids.get(&number).copied();
                return Ok(found.ok_or(UnjoinedRecord::UnknownId { number }));
            }
            Self::OfDatasets(datasets) => datasets,
        };
        let keys: Vec<SampleKey> = datasets
            .iter()
            .map(|name| SampleKey::of_record(name, number))
            .collect();
        if let [only] = keys.as_slice() {
            return Ok(Ok(*only));
        }
        let facts = store.sample_facts(&keys, matcher)?;
        let mut found = keys.iter().zip(&facts).filter(|pair| pair.1.is_some());
        Ok(match (found.next(), found.next()) {
            (Some((key, _)), None) => Ok(*key),
            (Some(_), Some(_)) => Err(UnjoinedRecord::AmbiguousRecord { number }),
            (None, _) => Err(UnjoinedRecord::UnknownRecord { number }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_line_by_line() {
        let check = |text: &str, expected: Result<&[u32], &str>| {
            let read = read_ids(&mut text.as_bytes());
            let seen = read.map(|read| read.into_keys().collect::<Vec<_>>());
            let seen = seen.map_err(|error| error.to_string());
            let expected = expected.map(<[u32]>::to_vec).map_err(str::to_owned);
            assert_eq!(seen, expected, "{text}");
        };
        let line = |id: &str, key: &str| {
            format!(
                "{{\"id\":{id},\"key\":\"{key}\",\"language\":\"go\",\"repo\":\"r\",\"commit\":null,\"license\":null,\
                 \"test\":\"t\",\"focal\":\"f\",\"split\":\"test\"}}\n"
            )
        };
        let key = "06f4ba192163aed46590a99789a1d47b";
        check(&(line("2", key) + "\n" + &line("1", key)), Ok(&[1, 2]));
        check(
            &(line("2", key) + &line("1", "x")),
            Err("line 2: not a number or a sample's key"),
        );
        check(
            "1",
            Err("line 1: invalid type: integer `1`, expected struct MeraOrigin at column 1"),
        );
    }
}

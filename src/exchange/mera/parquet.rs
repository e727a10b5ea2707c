//! Records as Parquet: one struct column for `inputs` and one for `meta`, in shards.
//!
//! Decides how rows lie in files, and how large a file gets.

use std::fs::File;
use std::path::Path;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use super::{MeraInstruction, MeraRecord};
use crate::split_files::{ParquetError, SplitFiles};

/// All fields may be null for readers that expect so; none is.
const SCHEMA: &str = "message schema {
    optional binary instruction (UTF8);
    optional group inputs {
        optional binary focal_func (UTF8);
        optional binary focal_func_context (UTF8);
        optional binary test_func_type (UTF8);
        optional binary test_func_context (UTF8);
        optional binary language (UTF8);
        optional binary focal_file_path (UTF8);
        optional binary test_file_path (UTF8);
        optional binary test_framework (UTF8);
    }
    optional binary outputs (UTF8);
    optional group meta {
        optional int32 id;
        optional binary repo_id (UTF8);
        optional binary focal_func_type (UTF8);
    }
}";

/// Text columns in the order of [`SCHEMA`], each with how many optional things it is inside of, itself too; and the one
/// column of numbers at its place.
const COLUMNS: [(i16, RecordColumn); 13] = [
    (1, RecordColumn::Text(instruction)),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.focal_func.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.focal_func_context.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.test_func_type.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.test_func_context.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.language.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.focal_file_path.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.test_file_path.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.inputs.test_framework.clone()),
    ),
    (
        1,
        RecordColumn::Text(|mera_record| mera_record.outputs.clone()),
    ),
    (2, RecordColumn::Number(|mera_record| mera_record.meta.id)),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.meta.repo_id.clone()),
    ),
    (
        2,
        RecordColumn::Text(|mera_record| mera_record.meta.focal_func_type.clone()),
    ),
];

enum RecordColumn {
    Text(fn(&MeraRecord) -> String),
    Number(fn(&MeraRecord) -> i32),
}

fn instruction(record: &MeraRecord) -> String {
    match &record.instruction {
        MeraInstruction::Text(text) => text.clone(),
        MeraInstruction::Number(number) => number.to_string(),
    }
}

/// The most bytes of a shard.
const SHARD_BYTES_MAX: u64 = 500_000_000;

/// How many bytes of records are kept until they are written as one group of rows.
const GROUP_BYTES: u64 = 32 << 20;

/// The files that were written for a split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParquetFile {
    pub n_records: u64,
    /// The size of the texts, without packing.
    pub n_bytes: u64,
    /// The size of the files.
    pub n_bytes_packed: u64,
}

/// Writes the records of one split.
pub struct ParquetWriter {
    files: SplitFiles,
    shard_bytes_max: u64,
    waiting: Vec<MeraRecord>,
    n_bytes_waiting: u64,
    written: ParquetFile,
}

impl ParquetWriter {
    /// Begins the files of a split in a folder; none is made before there is a record.
    ///
    /// # Errors
    /// None but when the schema cannot be read, which a test rules out.
    pub fn new(folder: &Path, split: &str) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build();
        Ok(Self {
            files: SplitFiles::new(folder, split, SCHEMA, properties)?,
            shard_bytes_max: SHARD_BYTES_MAX,
            waiting: Vec::new(),
            n_bytes_waiting: 0,
            written: ParquetFile::default(),
        })
    }

    /// Writes a record behind the others.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, record: MeraRecord) -> Result<(), ParquetError> {
        let n_bytes = size_bytes(&record);
        if self.n_bytes_waiting + n_bytes > GROUP_BYTES.min(self.shard_bytes_max) {
            self.flush()?;
        }
        self.written.n_records += 1;
        self.written.n_bytes += n_bytes;
        self.n_bytes_waiting += n_bytes;
        self.waiting.push(record);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let n_written = self.files.n_bytes_written();
        if n_written > 0 && n_written + self.n_bytes_waiting > self.shard_bytes_max {
            self.files.close()?;
        }
        write_group(self.files.open()?, &self.waiting)?;
        self.waiting.clear();
        self.n_bytes_waiting = 0;
        Ok(())
    }

    /// Ends the split and gives its files their names.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<ParquetFile, ParquetError> {
        self.flush()?;
        (_, self.written.n_bytes_packed) = self.files.finish()?;
        Ok(self.written)
    }
}

/// Counts the bytes in the texts of a record, and in its number.
fn size_bytes(record: &MeraRecord) -> u64 {
    let of_column = |(_, column): &(i16, RecordColumn)| match column {
        RecordColumn::Text(text) => text(record).len() as u64,
        RecordColumn::Number(_) => 4,
    };
    COLUMNS.iter().map(of_column).sum()
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    records: &[MeraRecord],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (level, column) in &COLUMNS {
        let Some(mut written) = group.next_column()? else {
            break;
        };
        let levels = vec![*level; records.len()];
        match column {
            RecordColumn::Text(text) => {
                let values: Vec<ByteArray> = records
                    .iter()
                    .map(|record| ByteArray::from(text(record).into_bytes()))
                    .collect();
                written
                    .typed::<ByteArrayType>()
                    .write_batch(&values, Some(&levels), None)?;
            }
            RecordColumn::Number(number) => {
                let values: Vec<i32> = records.iter().map(number).collect();
                written
                    .typed::<Int32Type>()
                    .write_batch(&values, Some(&levels), None)?;
            }
        }
        written.close()?;
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::columns::each_row;
    use crate::mera::{MeraInputs, MeraMeta};

    use super::*;

    fn record(id: i32) -> MeraRecord {
        MeraRecord {
            instruction: MeraInstruction::Text(format!("{{focal_func}} «{id}»")),
            inputs: MeraInputs {
                focal_func: "```go\nfunc a() {}\n```".to_owned(),
                language: "go".to_owned(),
                test_file_path: format!("a{id}_test.go"),
                ..MeraInputs::default()
            },
            outputs: "func TestA(t *testing.T) {}".repeat(4),
            meta: MeraMeta {
                id,
                repo_id: "example.org/a".to_owned(),
                focal_func_type: "function".to_owned(),
            },
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it is readable").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn write(folder: &Path, n_records: i32, shard_bytes_max: u64) -> ParquetFile {
        let mut writer = ParquetWriter::new(folder, "test").expect("the schema is read");
        writer.shard_bytes_max = shard_bytes_max;
        for id in 1..=n_records {
            writer.write(record(id)).expect("it is written");
        }
        writer.finish().expect("it is finished")
    }

    #[test]
    fn records_come_back_from_as_many_shards_as_they_need() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let written = write(folder.path(), 20, 1_500);
        assert_eq!(written.n_records, 20);
        let names = names(folder.path());
        assert!(names.len() > 1, "{names:?}");
        assert_eq!(
            names[0],
            format!("test-00000-of-{:05}.parquet", names.len())
        );
        let mut read: Vec<MeraRecord> = Vec::new();
        for name in &names {
            each_row(&folder.path().join(name), |row| {
                read.push(serde_json::from_value(row).expect("it is a record"));
                Ok::<_, ParquetError>(())
            })
            .expect("it is read");
        }
        let expected: Vec<_> = (1..=20).map(record).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn the_same_records_are_the_same_bytes() {
        let bytes = || {
            let folder = tempfile::tempdir().expect("tests may make folders");
            write(folder.path(), 3, SHARD_BYTES_MAX);
            fs::read(folder.path().join("test-00000-of-00001.parquet")).expect("it is there")
        };
        assert_eq!(bytes(), bytes());
    }
}

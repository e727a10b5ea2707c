//! Parquet files of a split, one after the other, and the faults of one.
//!
//! A file has its name when all are written, because each name says how many there are. The writers of rows decide how
//! they lie in it, and how large it gets.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::errors::ParquetError as Foreign;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format that the file does not have, as a fragment.
    #[error("{0}")]
    Format(String),
}

impl From<Foreign> for ParquetError {
    fn from(error: Foreign) -> Self {
        match error {
            Foreign::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(error) => Self::Format(error.to_string()),
            },
            error => Self::Format(error.to_string()),
        }
    }
}

/// Files of one split in a folder; none is made before there is something to write.
pub(crate) struct SplitFiles {
    folder: PathBuf,
    split: String,
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    open: Option<SerializedFileWriter<File>>,
    n_files: usize,
}

impl SplitFiles {
    /// # Errors
    /// A schema that cannot be read.
    pub(crate) fn new(
        folder: &Path,
        split: &str,
        schema: &str,
        properties: WriterProperties,
    ) -> Result<Self, ParquetError> {
        Ok(Self {
            folder: folder.to_owned(),
            split: split.to_owned(),
            schema: Arc::new(parse_message_type(schema)?),
            properties: Arc::new(properties),
            open: None,
            n_files: 0,
        })
    }

    /// Returns how many bytes are in the open file; 0 where none is open.
    pub(crate) fn n_bytes_written(&self) -> u64 {
        self.open
            .as_ref()
            .map_or(0, |file_writer| file_writer.bytes_written() as u64)
    }

    /// Returns the open file, or opens the next one.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn open(&mut self) -> Result<&mut SerializedFileWriter<File>, ParquetError> {
        Ok(match &mut self.open {
            Some(writer) => writer,
            none => {
                let file = File::create(part(&self.folder, &self.split, self.n_files))?;
                self.n_files += 1;
                let (schema, properties) = (self.schema.clone(), self.properties.clone());
                none.insert(SerializedFileWriter::new(file, schema, properties)?)
            }
        })
    }

    /// Ends the open file.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn close(&mut self) -> Result<(), ParquetError> {
        if let Some(writer) = self.open.take() {
            writer.close()?;
        }
        Ok(())
    }

    /// Ends the split, gives its files their names, and returns these and how many bytes the files have.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn finish(mut self) -> Result<(Vec<String>, u64), ParquetError> {
        self.close()?;
        let (mut names, mut n_bytes) = (Vec::new(), 0);
        for idx in 0..self.n_files {
            let name = format!("{}-{idx:05}-of-{:05}.parquet", self.split, self.n_files);
            let path = self.folder.join(&name);
            fs::rename(part(&self.folder, &self.split, idx), &path)?;
            n_bytes += fs::metadata(&path)?.len();
            names.push(name);
        }
        Ok((names, n_bytes))
    }
}

fn part(folder: &Path, split: &str, idx: usize) -> PathBuf {
    folder.join(format!("{split}-{idx:05}.part"))
}

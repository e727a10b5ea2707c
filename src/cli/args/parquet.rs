//! The options of `export --format parquet`.

use clap::Args;

use super::words;
use crate::transfer::SplitBy;

/// What stands in the help of `export`.
const HEADING: &str = "Options of --format parquet";

#[derive(Debug, Args)]
pub struct Parquet {
    /// The most rows of one file [default: 100000]
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rows_per_file: Option<u64>,
    /// Which split the files are [default: project]
    #[arg(long, help_heading = HEADING, value_parser = words(SplitBy::ALL, SplitBy::as_str))]
    pub split_by: Option<SplitBy>,
}

impl Parquet {
    /// Returns the first option that was given and means nothing in other formats.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.rows_per_file.is_some(), "--rows-per-file"),
            (self.split_by.is_some(), "--split-by"),
        ];
        given.into_iter().find(|it| it.0).map(|it| it.1)
    }
}

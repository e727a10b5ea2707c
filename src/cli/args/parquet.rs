//! The options of `export --format parquet`.

use clap::Args;

use super::prepare::day;
use super::words;
use crate::exchange::croissant::CroissantVersion;
use crate::transfer::SplitBy;

/// The heading of these options in the help of `export`.
const HEADING: &str = "Options of --format parquet";

#[derive(Debug, Args)]
pub struct Parquet {
    /// Maximum number of rows in one file [default: 100000]
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rows_per_file: Option<u64>,
    /// The split that the files follow [default: project]
    #[arg(long, help_heading = HEADING, value_parser = words(SplitBy::ALL, SplitBy::as_str))]
    pub split_by: Option<SplitBy>,
    /// The dataset's name in `croissant.json` and `CITATION.cff` [default: unit-tests]
    #[arg(long, help_heading = HEADING, value_name = "NAME")]
    pub dataset_name: Option<String>,
    /// Its version [default: 1.0.0]
    #[arg(long, help_heading = HEADING, value_name = "VERSION")]
    pub dataset_version: Option<String>,
    /// An author of the dataset; may be given several times [default: "Contributors to NAME"]
    #[arg(long, help_heading = HEADING, value_name = "NAME")]
    pub author: Vec<String>,
    /// The day of its publication, such as `2026-01-31` [default: today]
    #[arg(long, help_heading = HEADING, value_name = "DAY", value_parser = day)]
    pub published: Option<String>,
    /// The address where it can be found
    #[arg(long, help_heading = HEADING, value_name = "URL")]
    pub dataset_url: Option<String>,
    /// The version of Croissant to write [default: 1.1]
    #[arg(long, help_heading = HEADING, value_parser = words(CroissantVersion::ALL, CroissantVersion::as_str))]
    pub croissant: Option<CroissantVersion>,
    /// The framework that evaluates models on the dataset, named in `eval.yaml` for the Hugging Face Hub; `none` writes
    /// no `eval.yaml` [default: focalist]
    #[arg(long, help_heading = HEADING, value_name = "NAME")]
    pub evaluation_framework: Option<String>,
}

impl Parquet {
    /// Finds the first option that was given and means nothing in other formats.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.rows_per_file.is_some(), "--rows-per-file"),
            (self.split_by.is_some(), "--split-by"),
            (self.dataset_name.is_some(), "--dataset-name"),
            (self.dataset_version.is_some(), "--dataset-version"),
            (!self.author.is_empty(), "--author"),
            (self.published.is_some(), "--published"),
            (self.dataset_url.is_some(), "--dataset-url"),
            (self.croissant.is_some(), "--croissant"),
            (
                self.evaluation_framework.is_some(),
                "--evaluation-framework",
            ),
        ];
        given.into_iter().find(|pair| pair.0).map(|pair| pair.1)
    }
}

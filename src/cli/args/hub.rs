//! The options of `export --format eval-results` and `model-index`.

use clap::Args;

/// The heading of these options in the help of `export`.
const HEADING: &str = "Options of --format eval-results and model-index";

#[derive(Debug, Args)]
pub struct ModelResults {
    /// The dataset that the run answers, as the Hub knows it
    #[arg(long, help_heading = HEADING, value_name = "OWNER/NAME", value_parser = dataset)]
    pub hub_dataset: Option<String>,
    /// The commit of the dataset's repository
    #[arg(long, help_heading = HEADING, value_name = "HASH")]
    pub hub_revision: Option<String>,
    /// The address of a page with the results, such as a report
    #[arg(long, help_heading = HEADING, value_name = "URL")]
    pub source_url: Option<String>,
    /// The name of that page
    #[arg(long, help_heading = HEADING, value_name = "TEXT", requires = "source_url")]
    pub source_name: Option<String>,
}

impl ModelResults {
    /// Finds the first option that was given and means nothing in other formats.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.hub_dataset.is_some(), "--hub-dataset"),
            (self.hub_revision.is_some(), "--hub-revision"),
            (self.source_url.is_some(), "--source-url"),
            (self.source_name.is_some(), "--source-name"),
        ];
        given.into_iter().find(|pair| pair.0).map(|pair| pair.1)
    }
}

/// Reads the name of a dataset on the Hub.
fn dataset(text: &str) -> Result<String, String> {
    let is_name = |text: &str| {
        let mut signs = text.bytes();
        !text.is_empty() && signs.all(|sign| sign.is_ascii_alphanumeric() || b"-_.".contains(&sign))
    };
    match text.split_once('/') {
        Some((owner, name)) if is_name(owner) && is_name(name) => Ok(text.to_owned()),
        _ => Err("not `OWNER/NAME`, as in `focalist/unit-tests`".to_owned()),
    }
}

//! The options of `view` and `pick`.

use clap::{Args, ValueEnum};

/// A screen that `view` opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScreenName {
    Home,
    Samples,
    Sample,
    Repos,
    Runs,
    Results,
    Compare,
    Annotate,
    Disagree,
    Jobs,
    Consistency,
    Clover,
    Faults,
}

impl ScreenName {
    /// Describes the words that the screen takes behind its name; empty for nothing.
    pub const fn usage(self) -> &'static str {
        match self {
            Self::Samples => "[FILTER]",
            Self::Sample => "KEY",
            Self::Faults => "[KEY]",
            Self::Repos => "[REPOSITORY]",
            Self::Runs => "[RUN]",
            Self::Results => "[RUN] [FILTER]",
            Self::Compare => "[A B…] [FILTER]",
            Self::Annotate => "[QUEUE] [FILTER]",
            Self::Jobs => "[ID]",
            Self::Home | Self::Disagree | Self::Consistency | Self::Clover => "",
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = screens())]
pub struct View {
    /// The screen
    #[arg(value_name = "SCREEN")]
    pub screen: ScreenName,
    /// The data to show, as listed below
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// Writes the part of the help about the words behind each screen.
fn screens() -> String {
    let mut text = "Screens:\n".to_owned();
    for screen in ScreenName::value_variants() {
        let value = screen.to_possible_value().expect("no screen is hidden");
        let row = format!("  {:<12} {}", value.get_name(), screen.usage());
        text += &format!("{}\n", row.trim_end());
    }
    text
}

/// What `pick` lets one choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PickName {
    Samples,
}

#[derive(Debug, Args)]
pub struct Pick {
    /// The list to choose from
    #[arg(value_name = "WHAT")]
    pub what: PickName,
    /// Conditions such as `repo:gson status:tie sort:-weight`
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
}

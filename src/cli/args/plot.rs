//! The options of `plot`.

use std::path::PathBuf;

use clap::Args;

use super::Force;
use super::scoring::words;
use crate::chart::{SIZE_MAX, SIZE_MIN};
use crate::consistency::figures::Chart;
use crate::plot::PlotKind;

/// Width and height in pixels of an SVG where nobody says otherwise: a column of a paper holds it without rescaling
/// text to something unreadable.
const SIZE: &str = "640x400";

/// Reads a width and a height.
fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str, (least, most): (u32, u32)| {
        let side = text.parse().ok();
        side.filter(|side: &u32| (least..=most).contains(side))
    };
    text.split_once(['x', '×'])
        .and_then(|(width, height)| {
            let width = side(width, (SIZE_MIN.0, SIZE_MAX.0))?;
            Some((width, side(height, (SIZE_MIN.1, SIZE_MAX.1))?))
        })
        .ok_or_else(|| {
            format!(
                "not WIDTHxHEIGHT, from {}x{} to {}x{}",
                SIZE_MIN.0, SIZE_MIN.1, SIZE_MAX.0, SIZE_MAX.1
            )
        })
}

/// What a chart is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartSubject {
    /// What is stored.
    Stored(PlotKind),
    /// Logs of trainings.
    Training,
    /// Completions of functions and of their variants.
    Consistency(Chart),
}

impl ChartSubject {
    const ALL: &[Self] = &[
        Self::Stored(PlotKind::Funnel),
        Self::Stored(PlotKind::Splits),
        Self::Stored(PlotKind::Verdicts),
        Self::Stored(PlotKind::Runs),
        Self::Stored(PlotKind::Histogram),
        Self::Stored(PlotKind::Length),
        Self::Stored(PlotKind::Outcomes),
        Self::Stored(PlotKind::Mutation),
        Self::Stored(PlotKind::MutationCovered),
        Self::Stored(PlotKind::Calibration),
        Self::Stored(PlotKind::Agreement),
        Self::Training,
        Self::Consistency(Chart::Enhancement),
        Self::Consistency(Chart::Outliers),
        Self::Consistency(Chart::Potency),
        Self::Consistency(Chart::Gains),
        Self::Consistency(Chart::Distances),
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Stored(kind) => kind.as_str(),
            Self::Training => "training",
            Self::Consistency(chart) => chart.as_str(),
        }
    }
}

/// Draws a chart in the terminal, or writes it to a file: SVG, its numbers (CSV) or text, by the file's extension.
///
/// funnel: from tests to samples (`ConTest` 3.5). splits: samples by split. verdicts: verdicts of each annotator over
/// time. runs: a metric over runs, in the order in which they were imported. histogram: how the values of a metric are
/// distributed, in one run or several. length: value against the length of the reference. outcomes: the share of
/// predictions that pass when they are run, by value. mutation: the mutation score of predictions, and the share of
/// passing ones that notice no fault, by value (`execute --faults`); mutation-lines: the same by the share of the focal
/// method's lines that they cover. calibration: the weight of matches against the share that people found right.
/// agreement: how far annotators agree, over time. training: the losses of trainings of `focalist-baseline`, from their
/// folders. enhancement, outliers, potency, gains, distances: runs of `consistency` at the threshold 9, as its
/// `--chart` draws them (`CCTest`).
#[derive(Debug, Args)]
pub struct Plot {
    /// Which chart
    #[arg(value_parser = words(ChartSubject::ALL, ChartSubject::as_str))]
    pub kind: ChartSubject,
    /// For charts of runs: only these; else all, or for `length` the last; for `training` the folders
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// For charts of runs: the metric; else the first one that they have
    #[arg(long, value_name = "ID")]
    pub metric: Option<String>,
    /// For charts of `consistency`: only the functions of this data set
    #[arg(long, value_name = "NAME", conflicts_with_all = ["metric", "filter"])]
    pub dataset: Option<String>,
    /// Only samples that match this filter
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Write here: `.svg` (a picture), `.csv` (the numbers behind it) or `.txt` (the text that the terminal shows); an
    /// existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Width and height of an SVG in pixels
    #[arg(long, value_name = "WxH", default_value = SIZE, value_parser = size)]
    pub size: (u32, u32),
    /// Draw text with ASCII only
    #[arg(long)]
    pub ascii: bool,
}

//! The options of `results`.

use clap::Args;

use super::scoring::{TableName, words};
use crate::eval::by::GroupBy;
use crate::model::CoverScope;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Conditions on predictions, beside all that `samples` takes:
  bleu<0.2 rougeL>=0.5 edit:difflib<0.1   every metric that was computed
  parse:fail  changed:yes  overlong:yes  tag:wrong_literal
  reference-tokens<=15  prediction-tokens>100  assertion:assertEquals
  answer:\"foo bar\"                        text in the prediction
  delta<-0.2  delta:rougeL<0  outcome:worse   against the baseline
  ran:failing  ran>=passing  why:\"cannot find symbol\"  repair:closed  called:no
  lines<0.5  branches>=1  ms>1000          coverage and time of a run (`execute`)
  temperature<0.5  setting:top_p=0.9       parameters of the request
  meta:accuracy<0.5  meta:match=C  meta:outlier=yes   scores of a log, or of a judge
  setting:task=cloze  setting:pass=REP_R   the form of a question of `clover`, the pass of a half of `consistency`
  run:NAME  baseline:NAME  metric:NAME     the list itself, so that one text says all
  sort:-bleu  sort:delta                   predictions that do not parse, or are not scored, come last")]
pub struct Results {
    /// The run; not needed if there is only one or the filter has `run:NAME`
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Conditions such as `repo:gson parse:ok bleu<0.2 sort:bleu`
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// The run to compare with
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<String>,
    /// The metric of `delta`, `outcome` and means; else the first one that the filter sorts by or uses
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// List groups with their counts and means instead
    #[arg(long, value_name = "BY", value_parser = words(GroupBy::OF_RESULTS, GroupBy::as_str), conflicts_with = "show")]
    pub group: Option<GroupBy>,
    /// List instead how well each metric, and the loss if the file has it, correlates with the outcomes of running the
    /// predictions: whether they pass, whether they are correct, and which share of the focal method's lines they cover
    #[arg(long, conflicts_with_all = ["group", "show", "filter", "baseline"])]
    pub correlate: bool,
    /// Show one prediction with the true text and all its scores: a sample's or a question's key, or its first digits
    #[arg(long, value_name = "KEY")]
    pub show: Option<String>,
    /// Further columns: metrics of the run, and `meta:NAME` for a score that the file gives each answer; `meta` for all
    /// of these
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with_all = ["group", "show", "correlate"]
    )]
    pub columns: Vec<String>,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// With `--group`: how the table is printed
    #[arg(
        long,
        value_enum,
        default_value = "table",
        requires = "group",
        conflicts_with = "json"
    )]
    pub format: TableName,
    /// With `--group repo`: the candidates whose coverage of a focal method counts, `all` of the project or its `own`
    #[arg(
        long,
        value_name = "SCOPE",
        value_parser = words(CoverScope::ALL, CoverScope::as_str),
        default_value = CoverScope::All.as_str(),
        requires = "group"
    )]
    pub scope: CoverScope,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    /// With `--json`: include the texts
    #[arg(long, requires = "json", conflicts_with_all = ["group", "show"])]
    pub texts: bool,
}

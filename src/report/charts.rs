//! Charts in a page: those of `plot`, as SVG.

use crate::chart::{Figure, svg};
use crate::plot::{Plot, PlotError, PlotKind, figure};

use super::html::{HtmlSection, text};
use super::{ReportError, ReportGround};

const SIZE: (u32, u32) = (560, 360);

/// Draws a chart as it stands in the page; narrow pages scroll it, as smaller text would not be read.
pub(super) fn drawn(figure: &Figure) -> String {
    let title = text(&figure.title);
    let svg = svg(figure, SIZE);
    format!(
        "<div class=\"scroll chart\" role=group tabindex=0 aria-label=\"{title}\">{svg}</div>\n"
    )
}

/// Writes the part with charts of the runs' data; nothing where none has any.
pub(super) fn section(ground: ReportGround<'_>) -> Result<Option<HtmlSection>, ReportError> {
    let kinds = [
        PlotKind::Histogram,
        PlotKind::Length,
        PlotKind::Outcomes,
        PlotKind::Calibration,
    ];
    let mut body = String::new();
    let of_samples = crate::eval::results::is_of_samples(&ground.options.filter);
    for kind in kinds {
        let names = ground.runs.iter().map(|run| run.setting.name.clone());
        let what = Plot {
            runs: if kind.is_of_runs() {
                names.collect()
            } else {
                Vec::new()
            },
            metric: ground.options.metric.filter(|_| kind.is_of_runs()),
            filter: of_samples.then(|| ground.options.filter.clone()),
            filter_text: if of_samples {
                ground.options.filter_text.clone()
            } else {
                String::new()
            },
            ..Plot::new(kind)
        };
        let found = match figure(ground.store, ground.verdicts, ground.monitor, &what) {
            Ok(found) => found,
            // A run that lacks the metric has said so where its numbers stand.
            Err(PlotError::NotEvaluated { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        if !found.is_empty() {
            body.push_str(&drawn(&found));
        }
    }
    Ok((!body.is_empty()).then(|| HtmlSection {
        id: "charts",
        title: "Charts",
        body: format!("<div class=charts>{body}</div>\n"),
    }))
}

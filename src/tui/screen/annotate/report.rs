//! The result of an audit whose samples are judged: the share of matches that are right, and of tests that were
//! matched.
//!
//! ```text
//! ┏ audit n=100 seed=7 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃           drawn  judged   precision, %                  coverage, %                   ┃
//! ┃ all         100      99    94.4 [87.6, 97.6] 85/90       87.6 [79.6, 92.8] 85/97      ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::review::{AuditReport, Share, Stratum};
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, centered, count, fill, fit, inside, pieces};

/// The width of the table without the names.
const COLUMNS: usize = 66;
const NAME_MAX: usize = 40;

/// Draws the report; `can_undo` says whether a verdict can be taken back.
pub fn draw(
    body: Rect,
    (report, can_undo): (&AuditReport, bool),
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let rows = std::iter::once(&report.all).chain(&report.strata);
    let widest = rows.clone().map(|row| name(row).chars().count()).max();
    let room = usize::from(body.width).saturating_sub(COLUMNS + 4);
    let name_width = widest.unwrap_or(0).clamp(3, NAME_MAX.min(room.max(3)));
    let notes = [
        "precision: of the mapped tests, those mapped to the true focal method",
        "coverage: of the tests that are about a method, those mapped to it",
        "both with Wilson's 95 % interval · `focalist audit --report` prints this",
        if can_undo {
            "A accepts the rest of its filter, with a bound · f another queue · u undo"
        } else {
            "A accepts the rest of its filter, with a bound · f another queue"
        },
    ];
    let height = (report.strata.len() + notes.len() + 5) as u16;
    let area = centered(body, (name_width + COLUMNS + 4).max(76) as u16, height);
    fill(area, Role::Popup, buffer, theme);
    let title = visible(&format!("audit {}", report.audit));
    let pane = Pane {
        title: &title,
        note: "",
        has_focus: true,
    };
    pane.draw(area, buffer, theme);
    let inner = inside(area);
    let head = format!(
        " {}  drawn  judged  {}  {}",
        " ".repeat(name_width),
        fit("precision, %", 24),
        "coverage, %"
    );
    let table = rows.map(|row| (line(row, name_width), Role::Popup));
    let lines = std::iter::once((head, Role::Dim))
        .chain(table)
        .chain(std::iter::once((String::new(), Role::Popup)))
        .chain(notes.map(|note| (format!(" {note}"), Role::Dim)));
    for ((text, role), y) in lines.zip(inner.y..inner.bottom()) {
        let row = Rect::new(inner.x, y, inner.width, 1);
        pieces(row, &[(&text, role)], buffer, theme);
    }
}

fn name(stratum: &Stratum) -> String {
    if stratum.name.is_empty() {
        "all".to_owned()
    } else {
        visible(&stratum.name)
    }
}

fn line(stratum: &Stratum, name_width: usize) -> String {
    format!(
        " {}  {:>5}  {:>6}  {}  {}",
        fit(&name(stratum), name_width),
        count(stratum.n_drawn),
        count(stratum.n_judged),
        fit(&share(stratum.precision), 24),
        share(stratum.coverage)
    )
}

fn share(share: Share) -> String {
    match (share.value(), share.interval()) {
        (Some(value), Some((low, high))) => format!(
            "{:>5.1} [{:.1}, {:.1}] {}/{}",
            value * 100.0,
            low * 100.0,
            high * 100.0,
            share.k,
            share.n
        ),
        _ => "    –".to_owned(),
    }
}

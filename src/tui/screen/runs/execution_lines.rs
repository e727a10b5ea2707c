//! The execution of a run as lines: how far its candidates came, their outcomes, those that were blocked or not run and
//! why, and the coverage of focal methods.
//!
//! ```text
//!  unique      ████████████████████         812
//!  parsable    ███████████████████░  95.20  773
//!  correct     ████░░░░░░░░░░░░░░░░  20.07  163
//!  U 39  N 401  X 2  T 3  C 1  F 190  P 13  ✓ 163
//!  blocked     12 of 824, in no share
//!              no_build 10, no_engine 2
//! ```

use crate::model::{
    BlockedReason, Confirmation, ExecutionFunnel, FocalShares, LanguageFunnel, Outcome,
};
use crate::screen::cells::StyledLine;
use crate::screen::outcomes;
use crate::screen::runs::questions::RunExecution;
use crate::screen::runs::table::percent;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, fit};

const BAR_WIDTH: usize = 20;
const LABEL_WIDTH: usize = 11;

/// Writes the lines about a run's execution; the widest have about fifty columns.
pub fn lines(execution: &RunExecution, languages: &[LanguageFunnel]) -> Vec<StyledLine> {
    let funnel = &execution.funnel;
    let mut lines: Vec<StyledLine> = Vec::new();
    for (word, n) in funnel.steps() {
        lines.push(step(word, n, funnel.share(n)));
    }
    let mut letters: StyledLine = vec![(" ".to_owned(), Role::Text)];
    for (outcome, n) in Outcome::ALL.iter().zip(funnel.by_outcome) {
        letters.push((outcome.letter().to_string(), outcomes::role(*outcome)));
        letters.push((format!(" {}  ", count(n)), Role::Dim));
    }
    lines.push(letters);
    if funnel.n_drawn() > 0 {
        lines.push(confirmed(funnel));
    }
    let n_all = count(funnel.n_candidates);
    match funnel.n_blocked() {
        0 => lines.push(fact("blocked", format!("none of {n_all}"), Role::Dim)),
        n => {
            let text = format!("{} of {n_all}, in no share", count(n));
            lines.push(fact("blocked", text, Role::Warning));
            let words = BlockedReason::ALL.iter().zip(funnel.by_blocked);
            let words: Vec<_> = words
                .filter(|word| word.1 > 0)
                .map(|(blocked_reason, n)| format!("{} {}", blocked_reason.as_str(), count(n)))
                .collect();
            // Three fit beside the label.
            lines.extend(
                words
                    .chunks(3)
                    .map(|chunk| fact("", chunk.join(", "), Role::Warning)),
            );
        }
    }
    let n_not_run: u64 = languages.iter().map(LanguageFunnel::n_not_run).sum();
    if n_not_run > 0 {
        let n_predictions: u64 = languages
            .iter()
            .map(|language| language.n_predictions)
            .sum();
        let text = format!("{} of {}", count(n_not_run), count(n_predictions));
        lines.push(fact("not run", text, Role::Warning));
    }
    if languages.len() > 1 {
        lines.extend(languages.iter().map(in_language));
    }
    for (scope, shares) in &execution.covered {
        if shares.n_methods > 0 {
            let label = format!("covered {}", scope.as_str());
            lines.push(fact(&label, covered(shares), Role::Text));
        }
    }
    let setting = &execution.setting;
    let role = if setting.sandbox == "none" {
        Role::Warning
    } else {
        Role::Dim
    };
    let text = format!("{} · sandbox {}", setting.engine, setting.sandbox);
    lines.push(fact("engine", visible(&text), role));
    lines
}

/// Writes how many candidates in one language are correct, blocked, or not run.
fn in_language(of: &LanguageFunnel) -> StyledLine {
    let funnel = &of.funnel;
    let mut parts = vec![format!(
        "{} of {} correct",
        count(funnel.n_correct),
        count(funnel.n_unique)
    )];
    for (n, word) in [(funnel.n_blocked(), "blocked"), (of.n_not_run(), "not run")] {
        if n > 0 {
            parts.push(format!("{} {word}", count(n)));
        }
    }
    fact(of.word(), parts.join(", "), Role::Text)
}

/// Writes how many of the passing candidates drawn for a second look were confirmed or refuted.
fn confirmed(funnel: &ExecutionFunnel) -> StyledLine {
    let refuted = Confirmation::ALL.iter().zip(funnel.by_confirmed);
    let refuted = refuted.filter(|refuted| refuted.0.refutes());
    let (n_refuted, mut parts) = refuted.fold((0, Vec::new()), |(sum, mut parts), (word, n)| {
        if n > 0 {
            parts.push(format!("{} {}", count(n), word.as_str()));
        }
        (sum + n, parts)
    });
    let (n, n_drawn) = (funnel.n_confirmed(), funnel.n_drawn());
    parts.insert(0, format!("{} of {}", count(n), count(n_drawn)));
    let role = if n_refuted > 0 {
        Role::Warning
    } else {
        Role::Dim
    };
    fact("confirmed", parts.join(", "), role)
}

fn fact(label: &str, text: String, role: Role) -> StyledLine {
    let label = format!(" {} ", fit(label, LABEL_WIDTH));
    vec![(label, Role::Dim), (text, role)]
}

fn step(word: &str, n: u64, share: Option<f64>) -> StyledLine {
    let share = share.unwrap_or(0.0);
    let filled = (0..BAR_WIDTH)
        .filter(|n| (*n as f64) + 0.5 < share * BAR_WIDTH as f64)
        .count();
    // All shares are relative to the first step.
    let told = if word == "unique" {
        String::new()
    } else {
        percent(share)
    };
    vec![
        (format!(" {} ", fit(word, LABEL_WIDTH)), Role::Dim),
        ("█".repeat(filled), Role::Gauge),
        ("░".repeat(BAR_WIDTH - filled), Role::GaugeRest),
        (format!(" {told:>6}"), Role::Strong),
        (format!("  {}", count(n)), Role::Text),
    ]
}

/// Writes the four shares of coverage under the names that `Tests4J` gives them.
fn covered(shares: &FocalShares) -> String {
    let told = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
    format!(
        "MiLC {} MaLC {} MiBC {} MaBC {}",
        told(shares.micro_lines),
        told(shares.macro_lines),
        told(shares.micro_branches),
        told(shares.macro_branches)
    )
}

//! The repositories that papers took (`--repo-filter`): what a list says of them, and what lies on disk.

use std::path::Path;

use crate::Context;
use crate::exchange::repo_list::RepoLine;
use crate::exchange::shards::WireFilterStep;
use crate::failure::Stop;
use crate::mine::{self, Target, sources};
use crate::model::Language;
use crate::scale::{RepoFilter, StepAnswer, StepCounter};
use crate::task::Monitor;

/// Writes a step such as `90 fork (3 unknown)`.
pub fn step(step: &WireFilterStep) -> String {
    let unknown = match step.n_unknown {
        0 => String::new(),
        n => format!(" ({n} unknown)"),
    };
    format!("{} {}{unknown}", step.n_passed, step.step)
}

/// Finds the step of a paper's filter that a folder does not pass, and the reason.
pub fn left_out_on_disk(
    filter: RepoFilter,
    root: &Path,
    line: &RepoLine,
    monitor: &Monitor,
) -> Result<Option<(&'static str, String)>, Stop> {
    match filter {
        RepoFilter::Contest => {
            let holds = sources::holds(root, Language::Java, "org.junit", monitor);
            let holds = holds.map_err(mine::Error::from)?;
            Ok((!holds).then(|| ("junit", "no `.java` file holds `org.junit`".to_owned())))
        }
        RepoFilter::Mera => {
            let license = sources::license_of(root).or_else(|| line.license.clone());
            let is_taken = filter.takes_license(license.as_deref()) != StepAnswer::No;
            Ok((!is_taken).then(|| ("license", license.unwrap_or_default())))
        }
    }
}

/// Keeps the targets that a paper's filter lets through, and reports the number at each step.
pub fn filtered(
    context: &mut Context<'_, '_>,
    filter: RepoFilter,
    targets: Vec<Target>,
) -> Vec<Target> {
    let monitor = Monitor::default();
    let mut steps = StepCounter::new(Some(filter));
    let mut passed = Vec::new();
    for target in targets {
        let listed = target.listed.as_ref();
        let line = RepoLine {
            stars: listed.and_then(|listed_repo| listed_repo.stars),
            is_fork: listed.and_then(|listed_repo| listed_repo.is_fork),
            license: listed.and_then(|listed_repo| listed_repo.license.clone()),
            ..RepoLine::default()
        };
        if steps.left_out_by(&line).is_some() {
            continue;
        }
        // A folder that cannot be read is reported when it is mined.
        let left_out = left_out_on_disk(filter, &target.root, &line, &monitor);
        if !matches!(left_out, Ok(Some(_))) {
            passed.push(target);
        }
    }
    let mut words: Vec<String> = steps.funnel().iter().map(step).collect();
    words.push(format!("{} on disk", passed.len()));
    let words = words.join(", ");
    context.say(&format!("repositories of {}: {words}", filter.as_str()));
    passed
}

//! The tags of a run's predictions as SARIF: a result for each tag, at the place of the true test.

use std::collections::BTreeMap;
use std::io::Write;

use super::EvalError;
use crate::exchange::sarif::{
    WireSarif, WireSarifDriver, WireSarifFile, WireSarifFingerprint, WireSarifId,
    WireSarifLocation, WireSarifPlace, WireSarifRegion, WireSarifResult, WireSarifRule,
    WireSarifRun, WireSarifText, WireSarifTool,
};
use crate::exchange::write_pretty;
use crate::model::{RunRow, SampleKey, Tag};
use crate::store::{Store, StoreError};
use crate::task::Monitor;

/// The place of a true test.
struct TrueTestPlace {
    project: String,
    path: String,
    name: String,
    lines: (u32, u32),
}

/// Writes a run's tags, and returns the number of results. An answer that differs in layout alone has no rule and so no
/// result.
///
/// # Errors
/// The index's, the writer's, and cancelling.
pub fn write_sarif(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    out: &mut dyn Write,
) -> Result<u64, EvalError> {
    let mut tagged = Vec::new();
    store.each_score(run.id, &[], |scored_prediction| {
        let tags = scored_prediction.tags.unwrap_or_default();
        tagged.extend(
            tags.iter()
                .map(|tag| (scored_prediction.key, scored_prediction.attempt, tag)),
        );
        Ok::<_, StoreError>(())
    })?;
    tagged.retain(|entry| entry.2 != Tag::Exact);
    let mut places: BTreeMap<SampleKey, Option<TrueTestPlace>> = BTreeMap::new();
    for (key, _, _) in &tagged {
        monitor.step()?;
        if !places.contains_key(key) {
            let found = store.sample(key, run.setting.matcher)?;
            let place = found.map(|stored_sample| TrueTestPlace {
                project: stored_sample.repo.name.clone(),
                path: stored_sample.test.path.clone(),
                name: format!(
                    "{}.{}",
                    stored_sample.row.test_class, stored_sample.row.test_name
                ),
                lines: (stored_sample.test.start_line, stored_sample.test.end_line),
            });
            places.insert(*key, place);
        }
    }
    let mut projects: Vec<&str> = places
        .values()
        .flatten()
        .map(|test_place| &*test_place.project)
        .collect();
    projects.sort_unstable();
    projects.dedup();
    let results: Vec<WireSarifResult> = tagged
        .iter()
        .map(|(key, attempt, tag)| {
            let place = places.get(key).and_then(Option::as_ref);
            result(place, projects.len() > 1, (*key, *attempt, *tag))
        })
        .collect();
    let n_results = results.len() as u64;
    let rules = Tag::ALL.iter().map(|tag| WireSarifRule {
        id: tag.as_str(),
        short_description: WireSarifText {
            text: tag.definition().to_owned(),
        },
    });
    let log = WireSarif::new(WireSarifRun {
        tool: WireSarifTool {
            driver: WireSarifDriver {
                name: "focalist",
                version: env!("CARGO_PKG_VERSION"),
                rules: rules.collect(),
            },
        },
        automation_details: WireSarifId {
            id: run.setting.name.clone(),
        },
        column_kind: "utf16CodeUnits",
        results,
    });
    write_pretty(out, &log)?;
    Ok(n_results)
}

/// Makes the result of one tag. Where there are several projects, paths begin with the name of theirs.
fn result(
    place: Option<&TrueTestPlace>,
    is_below_project: bool,
    (key, attempt, tag): (SampleKey, u32, Tag),
) -> WireSarifResult {
    let path = |test_place: &TrueTestPlace| {
        if is_below_project {
            format!("{}/{}", test_place.project, test_place.path)
        } else {
            test_place.path.clone()
        }
    };
    let of = place.map_or_else(|| key.to_string(), |test_place| test_place.name.clone());
    let location = |test_place: &TrueTestPlace| WireSarifLocation {
        physical_location: WireSarifPlace {
            artifact_location: WireSarifFile::of(&path(test_place)),
            region: WireSarifRegion {
                start_line: test_place.lines.0.max(1),
                end_line: test_place.lines.1.max(test_place.lines.0).max(1),
            },
        },
    };
    let position = Tag::ALL.iter().position(|other| *other == tag);
    WireSarifResult {
        rule_id: tag.as_str(),
        rule_index: position.unwrap_or_default(),
        level: "note",
        message: WireSarifText {
            text: format!(
                "The prediction for {of} (attempt {attempt}) differs: {}.",
                tag.as_str().replace('_', " ")
            ),
        },
        locations: place.map(location).into_iter().collect(),
        partial_fingerprints: WireSarifFingerprint {
            prediction: format!("{key}/{attempt}/{}", tag.as_str()),
        },
    }
}

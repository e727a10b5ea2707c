//! The facts and texts of a prediction and of its sample that are shown when they are opened, in pieces that share
//! samples and sources.

use rustc_hash::FxHashMap;

use crate::browse;
use crate::diff::{DiffSide, Space, inline};
use crate::eval::explained::{ExplainedPrediction, reading_lines};
use crate::eval::results::ResultsView;
use crate::exchange::outcomes::why_of;
use crate::exchange::report::{
    WireReportCandidate, WireReportDetail, WireReportPiece, WireReportReason, WireReportSample,
    WireReportSource,
};
use crate::model::{
    CoverageCounter, Matcher, Repair, ResultRow, SampleDetail, SampleKey, Snippet, visible,
    visible_source,
};

use super::people::{People, SampleOpinions};
use super::secrets::Guard;
use super::{ReportError, ReportGround};

/// The most work for one difference; texts that take more are shown one after the other.
const DIFF_STEPS: u64 = 4_000_000;

/// The facts of a sample that the list shows.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleListing {
    pub license: Option<String>,
    pub split: Option<&'static str>,
    pub verdict: Vec<&'static str>,
}

/// A sample, as this matcher decided.
type DetailKey = (SampleKey, Matcher);

/// Collects details, and looks for secrets in all that they show.
pub(super) struct Details<'a> {
    ground: ReportGround<'a>,
    people: People<'a>,
    facts: FxHashMap<DetailKey, SampleListing>,
    piece: WireReportPiece,
    /// Places in the piece; nothing where the index has no such sample.
    samples: FxHashMap<DetailKey, Option<usize>>,
    sources: FxHashMap<(String, u32, String), usize>,
}

impl<'a> Details<'a> {
    pub(super) fn new(ground: ReportGround<'a>) -> Self {
        Self {
            ground,
            people: People::new(ground.verdicts, ground.options.is_anonymous),
            facts: FxHashMap::default(),
            piece: WireReportPiece::default(),
            samples: FxHashMap::default(),
            sources: FxHashMap::default(),
        }
    }

    /// Counts the predictions in the piece.
    pub(super) fn len(&self) -> usize {
        self.piece.details.len()
    }

    /// Takes the piece and begins the next one.
    pub(super) fn take(&mut self) -> WireReportPiece {
        self.samples.clear();
        self.sources.clear();
        std::mem::take(&mut self.piece)
    }

    /// Adds a prediction; returns the facts of its sample for the list.
    pub(super) fn add(
        &mut self,
        view: &ResultsView,
        found: &ExplainedPrediction,
        guard: &mut Guard,
    ) -> Result<SampleListing, ReportError> {
        let row = &found.detail.row;
        let named = (row.key, view.run.setting.matcher);
        let sample = self.sample(named, guard)?;
        let has_sources = self.ground.options.has_sources;
        let prediction = &found.detail.answered.prediction;
        let place = || format!("the answer of `{}` to {}", view.run.setting.name, row.key);
        if has_sources {
            guard.look(place, prediction);
        }
        let answer = found
            .detail
            .answered
            .answer
            .as_deref()
            .filter(|_| has_sources);
        if let Some(answer) = answer {
            guard.look(place, answer);
        }
        let reasons = found.evidence.iter().filter(|_| has_sources);
        let detail = WireReportDetail {
            sample,
            pieces: has_sources.then(|| {
                let reference = found.detail.reference.as_ref();
                pieces(
                    reference.map_or("", |reference| &reference.text),
                    prediction,
                )
            }),
            facts: self.facts_of(view, found)?,
            reasons: reasons
                .map(|reason| WireReportReason {
                    tag: reason.tag.as_str(),
                    text: visible(&reason.text),
                })
                .collect(),
            answer: answer.map(visible_source),
        };
        self.piece.details.push(detail);
        Ok(self.facts.get(&named).cloned().unwrap_or_default())
    }

    /// Finds or adds the sample in the piece, and returns its place; nothing where it is gone.
    fn sample(
        &mut self,
        named: DetailKey,
        guard: &mut Guard,
    ) -> Result<Option<usize>, ReportError> {
        if let Some(place) = self.samples.get(&named) {
            return Ok(*place);
        }
        let (key, matcher) = named;
        let place = match browse::detail(self.ground.store, &key, matcher)? {
            Some(detail) => {
                let said = self.people.of(&key, Some(detail.content_hash))?;
                self.facts.entry(named).or_insert_with(|| SampleListing {
                    license: detail.repo.license.clone(),
                    split: detail.split_random.map(crate::model::Split::as_str),
                    verdict: said.words.clone(),
                });
                let wire = self.wire(&detail, &said, guard);
                self.piece.samples.push(wire);
                Some(self.piece.samples.len() - 1)
            }
            None => None,
        };
        self.samples.insert(named, place);
        Ok(place)
    }

    fn wire(
        &mut self,
        detail: &SampleDetail,
        said: &SampleOpinions,
        guard: &mut Guard,
    ) -> WireReportSample {
        let mut sources = Vec::new();
        if self.ground.options.has_sources {
            let implementation = detail.implementation.iter();
            let all = std::iter::once(("test", &detail.test))
                .chain(detail.focal.iter().map(|snippet| ("focal method", snippet)))
                .chain(implementation.map(|snippet| ("implementation", snippet)))
                .chain(detail.fixtures.iter().map(|fixture| ("fixture", fixture)))
                .chain(detail.helpers.iter().map(|helper| ("helper", helper)))
                .chain(
                    detail
                        .setup_context
                        .iter()
                        .map(|snippet| ("context of the setup", snippet)),
                )
                .chain(
                    detail
                        .focal_context
                        .iter()
                        .map(|snippet| ("context of the focal method", snippet)),
                );
            for (role, snippet) in all {
                if snippet.text.is_empty() {
                    continue;
                }
                let place = self.source(snippet, &detail.repo.name, guard);
                // A helper may be a context, too.
                if !sources.iter().any(|(_, known)| *known == place) {
                    sources.push((role, place));
                }
            }
        }
        for line in &said.lines {
            guard.look(|| format!("opinions of people on {}", detail.row.key), line);
        }
        WireReportSample {
            repo: visible(&detail.repo.name),
            commit: detail.repo.commit.clone(),
            license: detail.repo.license.as_deref().map(visible),
            facts: sample_facts(detail),
            sources,
            candidates: (detail.candidates.iter())
                .map(|candidate| WireReportCandidate {
                    key: visible(&candidate.key),
                    weight: rounded(candidate.weight),
                    is_picked: candidate.is_picked,
                })
                .collect(),
            people: said.lines.iter().map(|line| visible_source(line)).collect(),
        }
    }

    /// Finds or adds the source in the piece, and returns its place.
    fn source(&mut self, snippet: &Snippet, repo: &str, guard: &mut Guard) -> usize {
        let (path, line) = (&snippet.path, snippet.first_line);
        let named = (path.clone(), line, snippet.text.clone());
        if let Some(place) = self.sources.get(&named) {
            return *place;
        }
        guard.look(
            || format!("`{path}` of {repo}, from line {line}"),
            &snippet.text,
        );
        let place = self.piece.sources.len();
        self.piece.sources.push(WireReportSource {
            key: visible(&snippet.key),
            path: visible(path),
            line,
            text: visible_source(&snippet.text),
        });
        self.sources.insert(named, place);
        place
    }

    /// Describes a prediction in words.
    fn facts_of(
        &mut self,
        view: &ResultsView,
        found: &ExplainedPrediction,
    ) -> Result<Vec<String>, ReportError> {
        let row = &found.detail.row;
        let mut facts = Vec::new();
        match &row.reading {
            None => facts.push("not evaluated".to_owned()),
            Some(reading) => facts.extend(reading_lines(reading)),
        }
        self.ran(view, row, &mut facts)?;
        facts.push(format!("line {} of its file", found.detail.answered.line));
        let verdicts = self.ground.verdicts;
        for tag_ruling in verdicts.rulings_on(&row.key)? {
            if tag_ruling.tagged.run == view.run.setting.name
                && tag_ruling.tagged.attempt == row.attempt
            {
                let name = self.people.name(&tag_ruling.annotator);
                let tags = tag_ruling.tagged.tags.words();
                let tags = if tags.is_empty() { "no tag" } else { &tags };
                facts.push(format!("{} says: {tags}", visible(&name)));
            }
        }
        Ok(facts)
    }

    /// Says what became of a prediction when it was run, and why.
    fn ran(
        &self,
        view: &ResultsView,
        row: &ResultRow,
        facts: &mut Vec<String>,
    ) -> Result<(), ReportError> {
        let (Some(execution), Some(engine)) = (row.execution, &view.engine) else {
            return Ok(());
        };
        let outcome = execution.outcome.map(crate::model::Outcome::as_str);
        let blocked = execution.blocked.map(crate::model::BlockedReason::as_str);
        if let Some(word) = outcome {
            facts.push(format!("when it was run: {word}"));
        }
        if let Some(word) = blocked {
            facts.push(format!("not run: {word}"));
        }
        let stored = self
            .ground
            .store
            .execution(view.run.id, engine, row.ordinal)?;
        let why = stored
            .and_then(|stored_execution| stored_execution.why)
            .as_deref()
            .and_then(why_of);
        // A compiler's message quotes the source.
        if let Some(why) = why.filter(|_| self.ground.options.has_sources) {
            facts.push(visible(&format!("because: {}", why.message)));
        }
        let counters = [("lines", execution.lines), ("branches", execution.branches)];
        for (what, counter) in counters {
            if let Some(CoverageCounter { covered, missed }) = counter {
                let all = covered + missed;
                facts.push(format!(
                    "covers {covered} of {all} {what} of the focal method"
                ));
            }
        }
        if execution.repair != Repair::None {
            facts.push(format!("repaired: {}", execution.repair.as_str()));
        }
        if let Some(confirmation) = execution.confirmed {
            facts.push(format!("second look: {}", confirmation.as_str()));
        }
        facts.extend(execution.elapsed_ms.map(|ms| format!("{ms} ms")));
        Ok(())
    }
}

fn sample_facts(detail: &SampleDetail) -> Vec<String> {
    let row = &detail.row;
    let mut facts = vec![
        format!("{} {}", detail.framework, detail.kind),
        format!(
            "{}, as {} decided",
            row.status.as_str(),
            detail.matcher.as_str()
        ),
    ];
    if let Some(stage) = row.stage {
        facts.push(format!("by its {}", stage.as_str().replace('_', " ")));
    }
    facts.extend(row.weight.map(|weight| format!("weight {weight:.2}")));
    facts.extend(row.flags.iter().map(|flag| flag.as_str().replace('_', " ")));
    let splits = [
        ("split", detail.split_random),
        ("split by project", detail.split_project),
    ];
    for (what, split) in splits {
        facts.extend(split.map(|split| format!("{what}: {}", split.as_str())));
    }
    facts.extend(
        detail
            .duplicate_of
            .map(|sample_key| format!("repeats {sample_key}")),
    );
    facts
}

/// Joins the true text and a prediction to one list of pieces: 0 for text of both, 1 of the true text alone, 2 of the
/// prediction alone.
fn pieces(reference: &str, prediction: &str) -> Vec<(u8, String)> {
    let mut steps_left = DIFF_STEPS;
    let found = inline(reference, prediction, Space::Exact, &mut steps_left);
    let mut pieces: Vec<(u8, String)> = Vec::with_capacity(found.len());
    for word_run in found {
        let (side, text) = match word_run.side {
            DiffSide::Both => (0, &prediction[word_run.new]),
            DiffSide::Old => (1, &reference[word_run.old]),
            DiffSide::New => (2, &prediction[word_run.new]),
        };
        let text = visible_source(text);
        match pieces.last_mut() {
            Some((last, before)) if *last == side => before.push_str(&text),
            _ => pieces.push((side, text)),
        }
    }
    pieces
}

/// Rounds a value to the decimals of a page.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_both_texts() {
        let (reference, prediction) = ("assertEquals(3, c.n());", "assertEquals(4, c.get(n));");
        let found = pieces(reference, prediction);
        let side = |other: u8| -> String {
            let kept = found.iter().filter(|found| found.0 != other);
            kept.map(|kept| kept.1.as_str()).collect()
        };
        assert_eq!(side(2), reference);
        assert_eq!(side(1), prediction);
        assert!(
            found.windows(2).all(|window| window[0].0 != window[1].0),
            "{found:?}"
        );
        assert_eq!(pieces("", "x\u{202e}"), [(2, "x⟨202E⟩".to_owned())]);
        assert_eq!(pieces("", ""), []);
    }
}

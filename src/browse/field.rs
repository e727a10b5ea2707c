//! The fields that filters may name, of every origin: the table of `model`, the fields that choose what is listed, and
//! metrics.
//!
//! Fields of samples may be named wherever samples are listed; fields of predictions only where a run is. Every metric
//! is such a field by its id, and the difference to the baseline in it is `delta:` and the id.

use std::sync::LazyLock;

use crate::metric::METRICS;
use crate::model::{
    AimField, DELTA_OF, FieldKind, FieldScope, FieldUse, FilterField, FilterValue, Matcher,
    OfPrediction, OfSample, SortField,
};

const fn aim(name: &'static str, field: AimField, help: &'static str) -> FilterField {
    let (kind, scope) = match field {
        AimField::Run | AimField::Baseline => (FieldKind::Name, FieldScope::Run),
        AimField::Metric => (FieldKind::Words(metrics), FieldScope::Run),
        AimField::Matcher => (Matcher::KIND, FieldScope::Samples),
    };
    FilterField {
        name,
        kind,
        help,
        sort: None,
        scope,
        role: FieldUse::Aim(field),
    }
}

const SORT: FilterField = FilterField {
    name: "sort",
    kind: FieldKind::Sort,
    help: "the order, as in sort:-weight sort:repo",
    sort: None,
    scope: FieldScope::Samples,
    role: FieldUse::Sort,
};

const ENDS_OF_SAMPLES: &[FilterField] = &[
    aim(
        "matcher",
        AimField::Matcher,
        "the matcher whose decisions are shown",
    ),
    SORT,
];

const HEADS_OF_RUNS: &[FilterField] = &[
    aim("run", AimField::Run, "the run that is listed"),
    aim(
        "baseline",
        AimField::Baseline,
        "the run that it is compared with",
    ),
    aim(
        "metric",
        AimField::Metric,
        "the metric of delta and outcome; else the first that the filter uses or sorts by",
    ),
];

/// Puts one table behind the other.
const fn joined<const N: usize>(first: &[FilterField], last: &[FilterField]) -> [FilterField; N] {
    let mut all = [SORT; N];
    let mut idx = 0;
    while idx < N {
        all[idx] = if idx < first.len() {
            first[idx]
        } else {
            last[idx - first.len()]
        };
        idx += 1;
    }
    all
}

/// Every field of samples, in the order of help and completion.
pub const FIELDS: &[FilterField] = &joined::<{ OfSample::FIELDS.len() + ENDS_OF_SAMPLES.len() }>(
    OfSample::FIELDS,
    ENDS_OF_SAMPLES,
);

/// Every field of predictions but the metrics, in the order of help and completion.
pub const RUN_FIELDS: &[FilterField] = &joined::<
    { HEADS_OF_RUNS.len() + OfPrediction::FIELDS.len() },
>(HEADS_OF_RUNS, OfPrediction::FIELDS);

static DELTA_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = METRICS
        .iter()
        .map(|metric| format!("{DELTA_OF}{}", metric.id));
    names.collect()
});

/// The metrics, then the differences in them.
static METRIC_FIELDS: LazyLock<Vec<FilterField>> = LazyLock::new(|| {
    let number = |name: &'static str, help, sort, role| FilterField {
        name,
        kind: FieldKind::Number,
        help,
        sort: Some(sort),
        scope: FieldScope::Run,
        role,
    };
    let metrics = METRICS.iter().map(|metric| {
        let id = metric.id;
        number(id, metric.about, SortField::Score(id), FieldUse::Score(id))
    });
    let deltas = METRICS.iter().zip(&*DELTA_NAMES).map(|(metric, name)| {
        let help = "the value minus the baseline's, -1 to 1";
        let sort = SortField::Delta(Some(metric.id));
        number(name, help, sort, FieldUse::DeltaOf(metric.id))
    });
    metrics.chain(deltas).collect()
});

/// Iterates over every field that may be named there, in the order of help and completion.
pub fn fields(scope: FieldScope) -> impl Iterator<Item = &'static FilterField> {
    let (of_run, of_truth, of_metrics): (&[FilterField], &[FilterField], &[FilterField]) =
        match scope {
            FieldScope::Samples => (&[], RUN_FIELDS, &[]),
            FieldScope::Run => (RUN_FIELDS, &[], METRIC_FIELDS.as_slice()),
        };
    // What may be asked of the true test of a sample.
    let of_truth = of_truth.iter().filter(move |field| field.scope <= scope);
    of_run
        .iter()
        .chain(FIELDS)
        .chain(of_truth)
        .chain(of_metrics)
}

/// Finds the field of this name, in any scope. Metrics are also found without the signs in their names and in any case
/// of letters: `rouge-l`, `edit-difflib`.
#[must_use]
pub fn field(name: &str) -> Option<&'static FilterField> {
    let fixed = RUN_FIELDS.iter().chain(FIELDS);
    let by_name = |name: &str| fixed.clone().find(|field| field.name == name);
    by_name(name).or_else(|| {
        let wanted = squeezed(name);
        let of_metrics = METRIC_FIELDS.iter();
        of_metrics
            .clone()
            .find(|field| field.name == name)
            .or_else(|| {
                of_metrics
                    .clone()
                    .find(|field| squeezed(field.name) == wanted)
            })
    })
}

/// Reduces a word to the form that is compared: people write `none-of-these`, `rouge-l` and `Edit_difflib`.
pub(super) fn squeezed(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '-' | '_' | ':'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Lists every word that a field may be compared with there; none when the set is not closed.
#[must_use]
pub fn words_of(field: &FilterField, scope: FieldScope) -> Vec<&'static str> {
    match field.kind {
        FieldKind::Words(words) | FieldKind::Steps(words) => words(),
        FieldKind::Sort => fields(scope)
            .filter(|field| field.sort.is_some())
            .map(|field| field.name)
            .collect(),
        FieldKind::Name | FieldKind::Number | FieldKind::Text | FieldKind::Key => Vec::new(),
    }
}

/// Tells whether several values may stand behind the sign, with commas between them: where no value holds a comma
/// itself.
pub(super) const fn takes_sets(kind: FieldKind) -> bool {
    match kind {
        FieldKind::Words(_) | FieldKind::Steps(_) | FieldKind::Number | FieldKind::Key => true,
        FieldKind::Name | FieldKind::Text | FieldKind::Sort => false,
    }
}

fn metrics() -> Vec<&'static str> {
    METRICS.iter().map(|metric| metric.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fields_have_one_name() {
        let mut names: Vec<String> = fields(FieldScope::Run)
            .map(|field| squeezed(field.name))
            .collect();
        names.sort();
        let n_names = names.len();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }

    #[test]
    fn what_a_list_is_sorted_by_has_the_name_of_its_field() {
        let sorts = fields(FieldScope::Run).filter_map(|field| Some((field.name, field.sort?)));
        for (name, sort) in sorts {
            assert_eq!(sort.to_string(), name);
        }
    }
}

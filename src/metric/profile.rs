//! Sets of metrics that are looked at together, by name, for computing and for showing.
//!
//! A profile chooses columns. The meaning of an id never depends on it.

use super::{METRICS, Metric};

/// The metrics that are computed by default.
pub const DEFAULT: &[&str] = &[
    "bleu",
    "bleu1",
    "bleu2",
    "bleu3",
    "bleu4",
    "rouge1",
    "rouge2",
    "rougeL",
    "codebleu:k4black",
    "codebleu:k4black-ceiling",
    "edit",
    "em",
];

/// The columns of ConTest's tables.
pub const CONTEST: &[&str] = &[
    "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "rouge1", "rouge2", "rougeL",
];

/// The metric by which MERA's `UnitTests` are scored, and its ceiling.
pub const MERA: &[&str] = &["codebleu", "codebleu:ceiling"];

/// The text metrics of Tests4J, against the test of the sample and against all tests of the method.
pub const TESTS4J: &[&str] = &["bleu", "crystalbleu", "bleu:multi", "crystalbleu:multi"];

/// A named set of metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Default,
    Contest,
    Mera,
    Tests4J,
}

impl Profile {
    pub const ALL: &[Self] = &[Self::Default, Self::Contest, Self::Mera, Self::Tests4J];

    /// Returns the word for the command line, which also stands for its metrics in lists.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Contest => "contest",
            Self::Mera => "mera",
            Self::Tests4J => "tests4j",
        }
    }

    /// Lists the ids of the metrics that are computed for it.
    #[must_use]
    pub const fn metrics(self) -> &'static [&'static str] {
        match self {
            Self::Default => DEFAULT,
            Self::Contest => CONTEST,
            Self::Mera => MERA,
            Self::Tests4J => TESTS4J,
        }
    }

    /// Lists the ids of the columns that a table of runs has, in their order: all of the profile, but few by default,
    /// so that a run is one line.
    #[must_use]
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Default => &["bleu", "codebleu:k4black", "codebleu:k4black-ceiling", "em"],
            other => other.metrics(),
        }
    }

    /// Describes its purpose.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Default => "the metrics that are computed by default",
            Self::Contest => "the columns of ConTest's tables",
            Self::Mera => "the scores of MERA's UnitTests",
            Self::Tests4J => "the text metrics of Tests4J",
        }
    }
}

/// Resolves a list of names to metrics, each once, in the order of [`METRICS`]: ids, the names of [profiles](Profile),
/// `all`, and `bleu:*` for what begins so.
///
/// # Errors
/// The name that means nothing.
pub fn metrics_of<'n>(
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<&'static Metric>, &'n str> {
    let mut is_asked = [false; METRICS.len()];
    for name in names {
        let name = name.trim();
        let profile = Profile::ALL.iter().find(|profile| profile.as_str() == name);
        let is_meant = |id: &str| match profile {
            Some(profile) => profile.metrics().contains(&id),
            None if name == "all" => true,
            None => name
                .strip_suffix('*')
                .map_or(id == name, |begin| id.starts_with(begin)),
        };
        let mut is_known = false;
        for (metric, is_asked) in METRICS.iter().zip(&mut is_asked) {
            if is_meant(metric.id) {
                *is_asked = true;
                is_known = true;
            }
        }
        if !is_known {
            return Err(name);
        }
    }
    let asked = METRICS.iter().zip(is_asked);
    Ok(asked
        .filter(|(_, is_asked)| *is_asked)
        .map(|(metric, _)| metric)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_names_metrics_and_shows_some_of_them() {
        for profile in Profile::ALL {
            let found = metrics_of([profile.as_str()]).expect("it names a set");
            assert_eq!(found.len(), profile.metrics().len(), "{profile:?}");
            for id in profile.columns() {
                assert!(profile.metrics().contains(id), "{profile:?} {id}");
            }
        }
        assert_eq!(metrics_of(["bleu", "no"]), Err("no"));
    }

    #[test]
    fn a_metric_is_shown_beside_its_ceiling() {
        for metric in METRICS {
            let Some(of) = metric.ceiling_of else {
                continue;
            };
            assert!(crate::metric(of).is_some(), "{of}");
            for profile in Profile::ALL {
                let columns = profile.columns();
                let place = |id: &str| columns.iter().position(|column| *column == id);
                let expected = place(of).map(|n| n + 1);
                assert_eq!(place(metric.id), expected, "{profile:?} {}", metric.id);
            }
        }
    }
}

//! The names of metrics wherever people read a number: one name for each, and the kind of number.

use super::{Metric, metric};

/// The kind of number, where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricLevel {
    /// All texts together.
    Corpus,
    /// One pair, or the mean of several pairs' values.
    Sentence,
}

impl Metric {
    /// Returns the name for people, as papers write it: `BLEU-1`, `CodeBLEU (MERA)`.
    #[must_use]
    pub fn title(&self) -> String {
        title_of(self.id).unwrap_or_else(|| self.id.to_owned())
    }

    /// Returns the title of its value over a corpus: `BLEU corpus` where that is not the mean of the pairs' values.
    #[must_use]
    pub fn corpus_title(&self) -> String {
        title(self.id, MetricLevel::Corpus)
    }

    /// Returns the title of a pair's value, and of a mean of such: `BLEU sentence` where a corpus has another value.
    #[must_use]
    pub fn sentence_title(&self) -> String {
        title(self.id, MetricLevel::Sentence)
    }
}

/// Names a number in this metric. A metric that is not known here, as a later version may store it, has the name of its
/// family, else its id.
#[must_use]
pub fn title(id: &str, value: MetricLevel) -> String {
    let Some(title) = title_of(id) else {
        return id.to_owned();
    };
    let what = match value {
        _ if metric(id).is_none_or(|metric| metric.is_mean) => return title,
        MetricLevel::Corpus => " corpus",
        MetricLevel::Sentence => " sentence",
    };
    match title.split_once(" (") {
        Some((base, variant)) => format!("{base}{what} ({variant}"),
        None => title + what,
    }
}

/// Names a metric without the kind of number; nothing for an id that does not begin like one of [`super::METRICS`].
#[must_use]
pub fn title_of(id: &str) -> Option<String> {
    let (base, variant) = id.split_once(':').unwrap_or((id, ""));
    let family = family(base)?;
    Some(match (base, variant) {
        // Most who say CodeBLEU mean the package's, and so do we; the id without a variant was there first.
        ("codebleu", "") => "CodeBLEU (MERA)".to_owned(),
        ("codebleu", "ceiling") => "CodeBLEU ceiling (MERA)".to_owned(),
        ("codebleu", "k4black-ceiling") => "CodeBLEU ceiling".to_owned(),
        ("codebleu", "k4black") | (_, "") => family.to_owned(),
        (_, "multi") => format!("{family} multi"),
        (_, "nltk-multi") => format!("{family} multi (nltk)"),
        (_, variant) => format!("{family} ({variant})"),
    })
}

fn family(base: &str) -> Option<&'static str> {
    Some(match base {
        "bleu" => "BLEU",
        "bleu1" => "BLEU-1",
        "bleu2" => "BLEU-2",
        "bleu3" => "BLEU-3",
        "bleu4" => "BLEU-4",
        "rouge1" => "ROUGE-1",
        "rouge2" => "ROUGE-2",
        "rougeL" => "ROUGE-L",
        "codebleu" => "CodeBLEU",
        "crystalbleu" => "CrystalBLEU",
        "edit" => "edit sim.",
        "em" => "EM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::METRICS;

    #[test]
    fn a_title_says_of_what_its_number_is() {
        let check = |id: &str, corpus: &str, sentence: &str| {
            let titles = [MetricLevel::Corpus, MetricLevel::Sentence].map(|value| title(id, value));
            assert_eq!(titles, [corpus, sentence]);
        };
        check("bleu", "BLEU corpus", "BLEU sentence");
        check("bleu4", "BLEU-4 corpus", "BLEU-4 sentence");
        check(
            "bleu:nltk-m1",
            "BLEU corpus (nltk-m1)",
            "BLEU sentence (nltk-m1)",
        );
        check("em", "EM", "EM");
        check("em:token", "EM (token)", "EM (token)");
        check("edit:difflib", "edit sim. (difflib)", "edit sim. (difflib)");
        check("codebleu", "CodeBLEU (MERA)", "CodeBLEU (MERA)");
        check("codebleu:k4black", "CodeBLEU corpus", "CodeBLEU sentence");
        check(
            "codebleu:ceiling",
            "CodeBLEU ceiling (MERA)",
            "CodeBLEU ceiling (MERA)",
        );
        check("bleu:multi", "BLEU multi corpus", "BLEU multi sentence");
        check(
            "bleu:nltk-multi",
            "BLEU multi corpus (nltk)",
            "BLEU multi sentence (nltk)",
        );
        check("edit:multi", "edit sim. multi", "edit sim. multi");
        check("bleu:later", "BLEU (later)", "BLEU (later)");
        check("later", "later", "later");
    }

    #[test]
    fn no_two_metrics_have_one_name() {
        let mut titles: Vec<String> = METRICS.iter().map(Metric::title).collect();
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), METRICS.len());
        assert!(METRICS.iter().all(|metric| title_of(metric.id).is_some()));
    }
}

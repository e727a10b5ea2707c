//! Names of metrics as the user types them: their meanings, flaws, and completions.

use crate::browse::Completion;
use crate::metric::{METRICS, Profile, metrics_of};
use crate::words;

/// Iterates over the names that stand for several metrics, each with its meaning.
fn groups() -> impl Iterator<Item = (&'static str, &'static str)> {
    let profiles = Profile::ALL
        .iter()
        .map(|profile| (profile.as_str(), profile.about()));
    profiles.chain([("all", "every metric")])
}

/// Reads a list of names with blanks or commas between them; nothing for an empty one.
///
/// # Errors
/// The first unknown name, with the byte at which it begins.
pub fn parse(text: &str) -> Result<Vec<&'static str>, (usize, String)> {
    let mut names = Vec::new();
    for (start, name) in words::split(text) {
        if metrics_of([name]).is_err() {
            return Err((start, format!("no metric `{name}` · Tab names them")));
        }
        names.push(name);
    }
    // Each name was checked above.
    let metrics = metrics_of(names.iter().copied()).unwrap_or_default();
    Ok(metrics.into_iter().map(|metric| metric.id).collect())
}

/// Lists the names that begin with the last word of `before`.
#[must_use]
pub fn complete(before: &str) -> Vec<Completion> {
    let metrics = METRICS.iter().map(|metric| (metric.id, metric.about));
    words::complete(before, groups().chain(metrics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_the_order_of_tables() {
        assert_eq!(parse(""), Ok(Vec::new()));
        assert_eq!(parse("em, bleu "), Ok(vec!["bleu", "em"]));
        assert_eq!(parse("edit:* edit").map(|texts| texts.len()), Ok(5));
        assert_eq!(parse("default").map(|texts| texts.len()), Ok(12));
    }

    #[test]
    fn a_name_that_means_nothing_is_told_with_its_place() {
        let (at, text) = parse("bleu  blue em").expect_err("there is no such metric");
        assert!(at == 6 && text.contains("`blue`"), "{at} {text}");
    }

    #[test]
    fn the_last_word_is_completed() {
        let texts = |before: &str| -> Vec<String> {
            complete(before)
                .into_iter()
                .map(|completion| completion.text)
                .collect()
        };
        assert_eq!(texts("bleu,cr"), ["crystalbleu", "crystalbleu:multi"]);
        assert_eq!(texts("de"), ["default"]);
        assert_eq!(complete("bleu cr")[0].span, 5..7);
        assert_eq!(complete("").len(), groups().count() + METRICS.len());
    }
}

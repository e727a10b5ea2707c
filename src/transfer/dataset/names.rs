//! Reads names of files and folders: their order, and the split that they hold.

use std::cmp::Ordering;
use std::path::Path;

use super::DatasetFormat;
use crate::model::Split;

/// Returns the part of a file's name that may name its split.
pub(super) fn word_of(format: DatasetFormat, name: &str) -> &str {
    let stem = name.rsplit_once('.').map_or(name, |pair| pair.0);
    match format {
        DatasetFormat::Jsonl | DatasetFormat::Methods2Test | DatasetFormat::Atlas => stem,
        // `java_train_0.jsonl.gz`.
        DatasetFormat::CodeSearchNet => {
            let mut words = stem.split(['_', '-', '.']);
            words.find(|word| split_of(word).is_some()).unwrap_or(stem)
        }
        _ => split_word(stem),
    }
}

/// Returns the part of a file's stem that names the split: `test` of `test-00000-of-00001`. Examples belong to
/// training.
fn split_word(stem: &str) -> &str {
    match stem.split_once('-').map_or(stem, |pair| pair.0) {
        "shots" => "train",
        word => word,
    }
}

/// Recognises the split in the name of a folder or a file.
pub(super) fn split_of(name: &str) -> Option<Split> {
    match name.to_ascii_lowercase().as_str() {
        "train" | "training" => Some(Split::Train),
        "eval" | "evaluation" | "val" | "valid" | "validation" | "dev" => Some(Split::Validation),
        "test" | "testing" => Some(Split::Test),
        _ => None,
    }
}

pub(super) fn split_of_parent(path: &Path) -> Option<Split> {
    let path = std::path::absolute(path).ok()?;
    split_of(path.parent()?.file_name()?.to_str()?)
}

/// Compares names, runs of digits by their value.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let number = |text: &str| {
            text.len()
                - text
                    .trim_start_matches(|text: char| text.is_ascii_digit())
                    .len()
        };
        let (n_left, n_right) = (number(left), number(right));
        if n_left > 0 && n_right > 0 {
            let digits = |text: &str, n: usize| text[..n].trim_start_matches('0').to_owned();
            let (first, second) = (digits(left, n_left), digits(right, n_right));
            let order = first.len().cmp(&second.len()).then(first.cmp(&second));
            if order != Ordering::Equal {
                return order;
            }
            (left, right) = (&left[n_left..], &right[n_right..]);
            continue;
        }
        match (left.chars().next(), right.chars().next()) {
            (Some(first), Some(second)) if first == second => {
                (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            }
            (None, None) => return a.cmp(b),
            (first, second) => return first.cmp(&second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_by_their_value() {
        let mut names = ["7_10.json", "7_2.json", "10", "9", "a", "7_02.json", "B"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            ["7_02.json", "7_2.json", "7_10.json", "9", "10", "B", "a"]
        );
    }

    #[test]
    fn folders_and_files_are_named_after_splits() {
        let check = |name: &str, expected: Option<Split>| assert_eq!(split_of(name), expected);
        check("Training", Some(Split::Train));
        check("Eval", Some(Split::Validation));
        check("test", Some(Split::Test));
        check("tests", None);
    }

    #[test]
    fn a_split_may_be_a_part_of_a_file_s_name() {
        let check = |format, name: &str, expected: Option<Split>| {
            assert_eq!(split_of(word_of(format, name)), expected, "{name}");
        };
        let parquet = DatasetFormat::TestGenEval;
        check(parquet, "test-00000-of-00001.parquet", Some(Split::Test));
        check(DatasetFormat::Mera, "shots-0.jsonl", Some(Split::Train));
        let functions = DatasetFormat::CodeSearchNet;
        check(functions, "java_valid_0.jsonl.gz", Some(Split::Validation));
        check(functions, "java.jsonl", None);
        check(DatasetFormat::Jsonl, "train.jsonl", Some(Split::Train));
        check(DatasetFormat::Jsonl, "train-0.jsonl", None);
    }
}

//! Counts in sentences.

use crate::number::grouped;

/// Writes a count with its noun: `1 sample`, `2 samples`, `2 repositories`.
#[must_use]
pub fn counted(n: u64, noun: &str) -> String {
    match (n, noun.strip_suffix("ry")) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{} {stem}ries", grouped(n)),
        (_, None) => format!("{} {noun}s", grouped(n)),
    }
}

/// Chooses the word that agrees with a count: `has` with one, `have` with more or none.
#[must_use]
pub const fn agreeing<'w>(n: u64, one: &'w str, several: &'w str) -> &'w str {
    if n == 1 { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        let check = |n, noun: &str, expected: &str| {
            let found = format!("{} {}", counted(n, noun), agreeing(n, "is", "are"));
            assert_eq!(found, expected);
        };
        check(0, "sample", "0 samples are");
        check(1, "sample", "1 sample is");
        check(2, "sample", "2 samples are");
        check(1, "repository", "1 repository is");
        check(2, "repository", "2 repositories are");
        check(2, "key", "2 keys are");
        check(3_918, "sample", "3,918 samples are");
    }
}

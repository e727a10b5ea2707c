//! Finding the project of the index that a word names.

use std::collections::BTreeSet;

use crate::failure::{ExitCode, Failure, Stop};
use crate::model::RepoRow;
use crate::table::visible;

/// Finds the project that has this identity, else this name, else this last part of one: `guava` of
/// `github.com/google/guava`. Nothing where there is none.
///
/// # Errors
/// Where there are several, with all of them.
pub fn identity(rows: &[RepoRow], name: &str) -> Result<Option<String>, Stop> {
    let repos = rows
        .iter()
        .map(|row| (row.repo.identity.as_str(), row.repo.name.as_str()));
    one_of(&repos.collect::<Vec<_>>(), name)
}

/// Finds the project that is meant among some with an identity and a name.
///
/// # Errors
/// Where there are several, with all of them.
pub fn one_of(repos: &[(&str, &str)], name: &str) -> Result<Option<String>, Stop> {
    let mut found = candidates(repos, name);
    if found.len() < 2 {
        return Ok(found.pop_first().map(str::to_owned));
    }
    let shown: Vec<String> = found
        .iter()
        .map(|found| format!("`{}`", visible(found)))
        .collect();
    let message = format!(
        "`{}` is more than one repository: {}",
        visible(name),
        shown.join(", ")
    );
    Err(Failure::new(ExitCode::Input, message)
        .with_hint("name one of them in full")
        .into())
}

/// Lists the identities that a name may mean: those that fit best.
fn candidates<'r>(repos: &[(&'r str, &'r str)], word: &str) -> BTreeSet<&'r str> {
    let last = |name: &str| name.rsplit('/').next() == Some(word);
    let of = |fits: &dyn Fn(&str, &str) -> bool| -> BTreeSet<&'r str> {
        let fitting = repos.iter().filter(|repo| fits(repo.0, repo.1));
        fitting.map(|fitting| fitting.0).collect()
    };
    let exact = of(&|identity, _| identity == word);
    if !exact.is_empty() {
        return exact;
    }
    let named = of(&|_, name| name == word);
    if named.is_empty() {
        of(&|identity, name| last(identity) || last(name))
    } else {
        named
    }
}

#[cfg(test)]
mod tests {
    use super::candidates;

    fn check(name: &str, expected: &[&str]) {
        let repos = [
            ("github.com/google/guava", "google/guava"),
            ("github.com/google/gson", "gson"),
            ("github.com/fork/gson", "gson"),
            ("github.com/apache/io", "apache/io"),
            ("io", "io"),
            ("github.com/a/lib", "a/lib"),
            ("github.com/b/lib", "b/lib"),
        ];
        let found = candidates(&repos, name);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{name}");
    }

    #[test]
    fn a_part_of_a_name_is_enough_where_it_is_one_projects() {
        check("guava", &["github.com/google/guava"]);
        check("google/guava", &["github.com/google/guava"]);
        check("oogle/guava", &[]);
        check("", &[]);
    }

    #[test]
    fn what_is_named_in_full_is_no_part_of_another() {
        check("io", &["io"]);
    }

    #[test]
    fn what_several_have_in_common_means_all_of_them() {
        check("gson", &["github.com/fork/gson", "github.com/google/gson"]);
        check("lib", &["github.com/a/lib", "github.com/b/lib"]);
    }
}

//! The beginning of datasets' cards: the front matter that hubs read.

use std::collections::BTreeSet;

/// Licences that hubs of datasets know by the SPDX identifier in lower case. An identifier that ends in `-only` or
/// `-or-later` is known without that.
const KNOWN_LICENSES: &[&str] = &[
    "afl-3.0",
    "agpl-3.0",
    "apache-2.0",
    "artistic-2.0",
    "bsd-2-clause",
    "bsd-3-clause",
    "bsd-3-clause-clear",
    "bsl-1.0",
    "cc-by-3.0",
    "cc-by-4.0",
    "cc-by-sa-3.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "ecl-2.0",
    "epl-1.0",
    "epl-2.0",
    "eupl-1.1",
    "gpl-2.0",
    "gpl-3.0",
    "isc",
    "lgpl-2.1",
    "lgpl-3.0",
    "mit",
    "mpl-2.0",
    "ms-pl",
    "ncsa",
    "osl-3.0",
    "postgresql",
    "unlicense",
    "wtfpl",
    "zlib",
];

/// Writes the front matter about the samples. `language` there is for people's languages, among them `code` for
/// programs; only tags can name the programming languages. Every licence of a project is named; an unknown one comes as
/// an empty text.
pub fn subject<'l>(
    licenses: impl IntoIterator<Item = &'l str>,
    languages: impl IntoIterator<Item = &'l str>,
) -> String {
    let mut text = String::from("language:\n- code\n");
    let licenses: BTreeSet<String> = licenses.into_iter().map(hub_license).collect();
    if !licenses.is_empty() {
        text.push_str("license:\n");
    }
    for license in licenses {
        text.push_str(&format!("- {license}\n"));
    }
    text.push_str("tags:\n- code\n- unit-tests\n");
    for language in languages {
        text.push_str(&format!("- {language}\n"));
    }
    text
}

/// Translates a licence to the hubs' name: `other` for one that they do not know, `unknown` for an unknown one.
fn hub_license(id: &str) -> String {
    if id.is_empty() {
        return "unknown".to_owned();
    }
    let lower = id.to_ascii_lowercase();
    let base = lower
        .strip_suffix("-only")
        .or_else(|| lower.strip_suffix("-or-later"))
        .unwrap_or(&lower);
    let is_known = KNOWN_LICENSES.contains(&base);
    if is_known { base } else { "other" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_the_samples_are_as_hubs_read_it() {
        let licenses = [
            "",
            "MIT",
            "GPL-3.0-or-later",
            "GPL-3.0-only",
            "My: Own\n- x",
        ];
        assert_eq!(
            subject(licenses, ["java", "csharp"]),
            "language:\n- code\nlicense:\n- gpl-3.0\n- mit\n- other\n- unknown\n\
             tags:\n- code\n- unit-tests\n- java\n- csharp\n"
        );
        let none = subject([], []);
        assert_eq!(none, "language:\n- code\ntags:\n- code\n- unit-tests\n");
    }
}

//! The taxonomy of failures, compared with differences that a single annotator (a language model) labelled one by one
//! from the definitions without seeing the program's tags.
//!
//! The first set, `differences.toml`: version 1, before anybody had looked at the labels, had precision 0.960, recall
//! 0.964, the same set in 109 of 120. Errors were then fixed where a definition required it, so the numbers below are
//! no longer measured on unseen differences. Version 3: 0.984, 0.984, 115.
//!
//! The second set, `second.toml`, is held out: real tests, and predictions derived from them by mutation. The annotator
//! knew the rules, and that `then` was going to count as an assertion. Version 3, before it counted: precision 0.956,
//! recall 0.966, the same set in 57 of 60.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use focalist::failure::{self, Evidence, PredictionPair, Tagger};
use focalist::model::{Framework, Tag, Tags};

/// Differences of the first set whose labels follow definitions that have changed since (version 4): `throws` and
/// modifiers do not count as differences, and an exception that is expected in another way is only a different
/// assertion. The labels stay as they were given, and are counted.
const DEFINED_SINCE: &[&str] = &[
    "an expected exception of the annotation becomes assertThrows",
    "public and throws in the head",
    "another exception is declared in the head",
    "a fail in try against assertThrows",
];

/// A pair of texts with the annotator's tags.
struct Case {
    name: String,
    people: Tags,
    machine: Tags,
    evidence: Vec<Evidence>,
}

fn cases(file: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/failures");
    let path = folder.join(file);
    let text = fs::read_to_string(path).expect("the labels can be read");
    let table: toml::Table = text.parse().expect("the labels are TOML");
    let all = table["difference"]
        .as_array()
        .expect("a list of differences");
    all.iter().map(case).collect()
}

fn case(value: &toml::Value) -> Case {
    let field = |name: &str| value[name].as_str().expect("the field is text");
    let framework = value.get("framework").and_then(toml::Value::as_str);
    let framework = framework.map(|word| {
        let found = Framework::ALL
            .iter()
            .find(|framework| framework.as_str() == word);
        *found.expect("the framework is known")
    });
    let over_length = value.get("over_length").and_then(toml::Value::as_bool);
    let pair = PredictionPair {
        framework,
        is_over_length: over_length.unwrap_or(false),
        ..PredictionPair::new(field("reference"), field("prediction"))
    };
    let mut found = Tagger::new().compare(pair);
    found.settle(pair.prediction, |name| {
        failure::occurs([field("context")], name)
    });
    let tags = value["tags"].as_array().expect("a list of tags").iter();
    let tags = tags.map(|tag| {
        let word = tag.as_str().expect("a tag is a word");
        Tag::parse(word).expect("the tag is defined")
    });
    Case {
        name: field("name").to_owned(),
        people: tags.collect(),
        machine: found.tags,
        evidence: found.evidence,
    }
}

/// The numbers of tags that both give, that only the program gives, and that only the annotator gives.
#[derive(Clone, Copy, Default)]
struct Counts([u32; 3]);

impl Counts {
    fn add(&mut self, case: &Case, tag: Tag) {
        match (case.machine.contains(tag), case.people.contains(tag)) {
            (true, true) => self.0[0] += 1,
            (true, false) => self.0[1] += 1,
            (false, true) => self.0[2] += 1,
            (false, false) => {}
        }
    }

    fn precision(self) -> f64 {
        f64::from(self.0[0]) / f64::from(self.0[0] + self.0[1])
    }

    fn recall(self) -> f64 {
        f64::from(self.0[0]) / f64::from(self.0[0] + self.0[2])
    }

    fn said(self) -> String {
        let [both, machine, people] = self.0;
        let (precision, recall) = (self.precision(), self.recall());
        format!("{both:>3} {machine:>3} {people:>3}  {precision:.3} {recall:.3}")
    }
}

/// Expects these counts of a set; precision and recall are high in any case.
fn check(file: &str, expected: &expect_test::Expect) {
    let cases = cases(file);
    let mut by_tag: BTreeMap<Tag, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    let mut n_exact = 0;
    // Without those of `DEFINED_SINCE`.
    let mut current = Counts::default();
    let (mut n_current, mut n_current_exact) = (0, 0);
    // The differences, for the reader of a failure.
    let mut told = String::new();
    for case in &cases {
        n_exact += usize::from(case.machine == case.people);
        for tag in Tag::ALL {
            by_tag.entry(*tag).or_default().add(case, *tag);
            all.add(case, *tag);
        }
        if !DEFINED_SINCE.contains(&case.name.as_str()) {
            n_current += 1;
            n_current_exact += usize::from(case.machine == case.people);
            for tag in Tag::ALL {
                current.add(case, *tag);
            }
        }
        if case.machine != case.people {
            let Case {
                name,
                people,
                machine,
                ..
            } = case;
            writeln!(
                told,
                "{name}\n    people:  {people}\n    machine: {machine}"
            )
            .expect("a string takes all");
            for evidence in &case.evidence {
                writeln!(told, "      {}: {}", evidence.tag.as_str(), evidence.text)
                    .expect("a string takes all");
            }
        }
    }
    let mut text = "both, only the machine, only people; precision, recall\n".to_owned();
    for (tag, counts) in by_tag.iter().filter(|by_tag| by_tag.1.0 != [0; 3]) {
        writeln!(text, "{:<20} {}", tag.as_str(), counts.said()).expect("a string takes all");
    }
    writeln!(text, "{:<20} {}", "all", all.said()).expect("a string takes all");
    writeln!(text, "the same set in {n_exact} of {}", cases.len()).expect("a string takes all");
    if n_current < cases.len() {
        let said = current.said();
        writeln!(text, "{:<20} {said}", "as defined now").expect("a string takes all");
        writeln!(text, "the same set in {n_current_exact} of {n_current}")
            .expect("a string takes all");
    }
    assert!(
        all.precision() >= 0.9 && all.recall() >= 0.9,
        "{text}{told}"
    );
    expected.assert_eq(&text);
}

#[test]
fn the_taxonomy_says_what_people_say() {
    check(
        "differences.toml",
        &expect_test::expect![[r"
            both, only the machine, only people; precision, recall
            exact                  4   0   0  1.000 1.000
            equal_renamed          6   0   0  1.000 1.000
            equal_swapped          6   0   0  1.000 1.000
            equal_rewritten        8   2   1  0.800 0.889
            different_message      6   0   0  1.000 1.000
            other_order            4   0   0  1.000 1.000
            different_assertion   16   2   0  0.889 1.000
            missing_assertion      6   0   0  1.000 1.000
            extra_assertion        8   0   0  1.000 1.000
            different_statement   22   0   3  1.000 0.880
            wrong_expected        27   0   0  1.000 1.000
            wrong_actual          24   0   0  1.000 1.000
            wrong_literal         23   0   1  1.000 0.958
            wrong_variable         5   0   0  1.000 1.000
            wrong_receiver         8   0   0  1.000 1.000
            wrong_method          13   0   0  1.000 1.000
            wrong_argument        11   0   0  1.000 1.000
            wrong_operator         4   0   0  1.000 1.000
            wrong_type             4   0   1  1.000 0.800
            different_structure    6   1   0  0.857 1.000
            unknown_name           5   0   0  1.000 1.000
            repeated               4   0   0  1.000 1.000
            truncated              8   0   0  1.000 1.000
            unparsable            10   0   0  1.000 1.000
            other                  3   0   1  1.000 0.750
            all                  241   5   7  0.980 0.972
            the same set in 113 of 120
            as defined now       240   2   2  0.992 0.992
            the same set in 113 of 116
        "]],
    );
}

#[test]
fn the_taxonomy_says_what_people_say_of_differences_held_out() {
    check(
        "second.toml",
        &expect_test::expect![[r"
            both, only the machine, only people; precision, recall
            exact                  1   0   0  1.000 1.000
            different_assertion    7   0   0  1.000 1.000
            missing_assertion     10   0   0  1.000 1.000
            extra_assertion       11   0   0  1.000 1.000
            different_statement    7   0   0  1.000 1.000
            wrong_expected         7   0   0  1.000 1.000
            wrong_actual           3   1   0  0.750 1.000
            wrong_literal          7   0   0  1.000 1.000
            wrong_variable         4   0   0  1.000 1.000
            wrong_receiver         1   0   1  1.000 0.500
            wrong_argument         3   0   0  1.000 1.000
            unknown_name           3   0   0  1.000 1.000
            truncated             11   0   0  1.000 1.000
            unparsable            13   0   0  1.000 1.000
            all                   88   1   1  0.989 0.989
            the same set in 59 of 60
        "]],
    );
}

//! Lists against their rows, groups against the filters that select them, and messages about missing data.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::model::{
    Aim, BaselineStanding, Comparison, DELTA_OF, Direction, FilterValue, PredictionReading, Range,
    SampleSort, SortKey, Tag, Tags,
};
use crate::store::testing::{
    GivenPrediction, condition, counter_repo, hash, key_of, many_tests, put_run, put_unread_run,
    store_with, write_repos,
};

const METRICS: [&str; 2] = ["bleu", "edit:difflib"];
const ASSERTIONS: [&str; 4] = ["assertEquals", "assertTrue", "verify", ""];

/// Two repositories, of which one name begins like the other; a run of first answers, one with second answers and
/// unknown samples, and one that was not evaluated.
fn store() -> (TempDir, Store) {
    let (folder, mut store) =
        store_with(&[counter_repo("ab"), many_tests("a", 30), many_tests("b", 9)]);
    put_run(&mut store, "first", &METRICS, &given(0));
    put_run(&mut store, "second", &METRICS, &given(1));
    put_run(&mut store, "less", &METRICS[..1], &given(2)[..5]);
    put_unread_run(&mut store, "raw", &given(3));
    (folder, store)
}

fn given(seed: u32) -> Vec<GivenPrediction> {
    let names = |repo: &'static str, n_tests: u32| {
        (0..n_tests).map(move |idx| key_of(repo, &format!("test{}_{idx}", idx % 7)))
    };
    let mut keys: Vec<(SampleKey, u32)> = [key_of("ab", "testInc"), key_of("ab", "testAdd")]
        .into_iter()
        .chain(names("a", 25))
        .chain(names("b", 9))
        .map(|key| (key, 0))
        .collect();
    if seed == 1 {
        keys.retain(|(key, _)| key.0[0] % 5 != 0);
        let again: Vec<_> = keys.iter().take(7).map(|(key, _)| (*key, 1)).collect();
        keys.extend(again);
        keys.push((SampleKey(hash("gone")), 0));
    }
    let mut given: Vec<GivenPrediction> = (0_u32..)
        .zip(keys)
        .map(|(idx, (key, attempt))| prediction(key, attempt, idx * 7 + seed * 13))
        .collect();
    // As files come: in no order.
    given.sort_by_key(|given_prediction| {
        hash(&format!(
            "{seed} {:?} {}",
            given_prediction.key, given_prediction.attempt
        ))
    });
    given
}

fn prediction(key: SampleKey, attempt: u32, number: u32) -> GivenPrediction {
    GivenPrediction {
        key,
        attempt,
        answer: format!("assertEquals({number}, Inc());"),
        reading: PredictionReading {
            syntax_error: (number.is_multiple_of(6)).then_some((1, number + 1)),
            n_tokens: number % 40,
            n_reference_tokens: number % 150,
            is_over_length: number.is_multiple_of(11),
            is_changed: number.is_multiple_of(5),
            has_reference: !number.is_multiple_of(9),
            assertion: ASSERTIONS[number as usize % 4].to_owned(),
            asserts: None,
        },
        tags: (!number.is_multiple_of(9)).then(|| Tags(1 << (number % 4) | 1 << (number % 3 + 2))),
        values: vec![f64::from(number % 8) / 8.0, f64::from(number % 5) / 5.0],
    }
}

/// A condition as it is spelled.
#[derive(Clone, Debug)]
struct SpelledCondition {
    field: &'static str,
    comparison: Comparison,
    value: &'static str,
}

impl SpelledCondition {
    fn term(&self) -> Term {
        term(self.field, self.comparison, self.value)
    }
}

fn term(field: &str, comparison: Comparison, value: &str) -> Term {
    let range = |value| Range::read(comparison, value).expect("it is a number");
    let metric = |name| crate::metric::metric(name).map(|metric| metric.id);
    if let Some(metric) = metric(field) {
        return Condition::Score(metric, range(value)).into();
    }
    if let Some(metric) = field.strip_prefix(DELTA_OF).and_then(metric) {
        return Condition::DeltaOf(metric, range(value)).into();
    }
    condition(field, comparison, value)
}

fn options(terms: Vec<Term>, sort: &[(&'static str, Direction)]) -> ResultsOptions {
    let metric = |name| crate::metric::metric(name).map(|metric| metric.id);
    let of_prediction = |name: &str| {
        let field = OfPrediction::FIELDS
            .iter()
            .find(|filter_field| filter_field.name == name);
        field.and_then(|filter_field| filter_field.sort)
    };
    let field = |name: &'static str| {
        if name == "repo" {
            return SortField::Sample(SampleSort::Repo);
        }
        let delta = name.strip_prefix(DELTA_OF).and_then(metric);
        let delta = delta.map(|delta| SortField::Delta(Some(delta)));
        let known = delta.or(metric(name).map(SortField::Score));
        known.or(of_prediction(name)).expect("it sorts")
    };
    let sort = sort.iter().map(|(name, direction)| SortKey {
        field: field(name),
        direction: *direction,
    });
    ResultsOptions {
        run: Some("second".to_owned()),
        baseline: Some("first".to_owned()),
        filter: Filter {
            sort: sort.collect(),
            ..Filter::of(terms)
        },
        ..ResultsOptions::default()
    }
}

fn with_terms(terms: Vec<Term>) -> ResultsOptions {
    options(terms, &[])
}

fn listed(store: &Store, options: &ResultsOptions) -> ResultList {
    list(store, &Monitor::default(), options).expect("it is listed")
}

fn rows_of(store: &Store, list: &ResultList, ordinals: &[u32]) -> Vec<ResultRow> {
    let rows = rows(store, &list.view, ordinals).expect("rows are read");
    assert_eq!(rows.len(), ordinals.len());
    rows
}

/// Reads the number that a field means in a row.
fn number(row: &ResultRow, field: &str) -> Option<f64> {
    let reading = row.reading.as_ref();
    match field {
        "bleu" => row.values[0],
        "edit:difflib" => row.values[1],
        "delta" | "delta:bleu" => row.delta(0),
        "delta:edit:difflib" => row.delta(1),
        "reference-tokens" => {
            reading.map(|prediction_reading| f64::from(prediction_reading.n_reference_tokens))
        }
        "prediction-tokens" => {
            reading.map(|prediction_reading| f64::from(prediction_reading.n_tokens))
        }
        "attempt" => Some(f64::from(row.attempt)),
        _ => panic!("{field} is no number"),
    }
}

/// A filter of conditions as they are spelled.
#[derive(Clone, Debug)]
enum SpelledFilter {
    Is(SpelledCondition),
    Not(Box<SpelledFilter>),
    All(Vec<SpelledFilter>),
    Any(Vec<SpelledFilter>),
}

impl SpelledFilter {
    fn term(&self) -> Term {
        let all = |asked: &[Self]| asked.iter().map(Self::term).collect();
        match self {
            Self::Is(spelled) => spelled.term(),
            Self::Not(asked) => Term::not(asked.term()),
            Self::All(asked) => Term::all(all(asked)),
            Self::Any(asked) => Term::any(all(asked)),
        }
    }

    /// Says whether a row fulfils it, by the tables of three values; nothing where that is unknown.
    fn holds(&self, row: &ResultRow) -> Option<bool> {
        let fold = |asked: &[Self], of_one: bool| {
            let found: Vec<Option<bool>> = asked
                .iter()
                .map(|spelled_filter| spelled_filter.holds(row))
                .collect();
            if found.contains(&Some(of_one)) {
                return Some(of_one);
            }
            (!found.contains(&None)).then_some(!of_one)
        };
        match self {
            Self::Is(spelled) => holds(row, spelled),
            Self::Not(asked) => asked.holds(row).map(|does_hold| !does_hold),
            Self::All(asked) => fold(asked, false),
            Self::Any(asked) => fold(asked, true),
        }
    }
}

/// Says what a condition means in a row, without looking at anything but the row; nothing where that is unknown.
fn holds(row: &ResultRow, spelled: &SpelledCondition) -> Option<bool> {
    let reading = row.reading.as_ref();
    let is_there = !row.test.is_empty();
    let word = spelled.value;
    let holds = match spelled.field {
        "parse" => row.parses() == Some(word == "ok"),
        "changed" => reading
            .is_some_and(|prediction_reading| prediction_reading.is_changed == (word == "yes")),
        "overlong" => reading
            .is_some_and(|prediction_reading| prediction_reading.is_over_length == (word == "yes")),
        "assertion" => reading.is_some_and(|prediction_reading| {
            prediction_reading.assertion == word.replace("none", "")
        }),
        "tag" if word == "none" => row.tags.is_empty(),
        "tag" => row.tags.iter().any(|tag| tag.as_str() == word),
        "outcome" => row
            .delta(0)
            .is_some_and(|value| BaselineStanding::of(value).as_str() == word),
        "sample" => is_there == (word == "there"),
        "repo" if spelled.comparison == Comparison::Exactly => row.repo == word,
        "repo" => row.repo.contains(word),
        "focal" => row.focal.as_ref().is_some_and(|focal| focal.contains(word)),
        field => {
            let wanted: f64 = word.parse().expect("it is a number");
            number(row, field).is_some_and(|value| match spelled.comparison {
                Comparison::Is => (value - wanted).abs() <= 0.005,
                #[expect(clippy::float_cmp, reason = "that is what is asked for")]
                Comparison::Exactly => value == wanted,
                Comparison::Less => value < wanted,
                Comparison::LessOrEqual => value <= wanted,
                Comparison::Greater => value > wanted,
                Comparison::GreaterOrEqual => value >= wanted,
            })
        }
    };
    let is_of_sample = matches!(spelled.field, "repo" | "focal");
    // Of a sample that is gone nobody knows.
    (is_there || !is_of_sample).then_some(holds)
}

const NUMBERS: [&str; 8] = [
    "bleu",
    "edit:difflib",
    "delta",
    "delta:bleu",
    "delta:edit:difflib",
    "reference-tokens",
    "prediction-tokens",
    "attempt",
];

fn any_term() -> impl Strategy<Value = SpelledFilter> {
    let spelled = |field, comparison, value| {
        SpelledFilter::Is(SpelledCondition {
            field,
            comparison,
            value,
        })
    };
    let comparisons = prop::sample::select(vec![
        Comparison::Is,
        Comparison::Exactly,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ]);
    let values = prop::sample::select(vec!["-0.2", "0", "0.25", "0.5", "0.8", "1", "20", "60"]);
    let numbers = (prop::sample::select(NUMBERS.to_vec()), comparisons, values)
        .prop_map(move |(field, comparison, value)| spelled(field, comparison, value));
    let words = prop::sample::select(vec![
        ("parse", "ok"),
        ("parse", "fail"),
        ("tag", "exact"),
        ("tag", "equal_rewritten"),
        ("tag", "none"),
        ("changed", "yes"),
        ("changed", "no"),
        ("overlong", "yes"),
        ("assertion", "assertTrue"),
        ("assertion", "none"),
        ("outcome", "better"),
        ("outcome", "same"),
        ("outcome", "worse"),
        ("sample", "there"),
        ("sample", "gone"),
        ("repo", "a"),
        ("repo", "b"),
        ("focal", "Counter.inc"),
    ])
    .prop_map(move |(field, value)| spelled(field, Comparison::Is, value));
    let exact = Just(spelled("repo", Comparison::Exactly, "a"));
    prop_oneof![numbers, words, exact].prop_recursive(3, 10, 3, |inner| {
        let several = |inner| prop::collection::vec(inner, 1..4);
        prop_oneof![
            inner
                .clone()
                .prop_map(|it| SpelledFilter::Not(Box::new(it))),
            several(inner.clone()).prop_map(SpelledFilter::All),
            several(inner).prop_map(SpelledFilter::Any),
        ]
    })
}

fn any_sort() -> impl Strategy<Value = Vec<(&'static str, Direction)>> {
    let direction = prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)];
    let field = prop::sample::select([&NUMBERS[..], &["repo"]].concat());
    prop::collection::vec((field, direction), 0..3)
}

/// Compares two rows by one key as the documentation says.
fn ordered(
    (field, direction): (&str, Direction),
    first: &ResultRow,
    second: &ResultRow,
) -> std::cmp::Ordering {
    let turned = |order: std::cmp::Ordering| match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    };
    if field == "repo" {
        let gone = |row: &ResultRow| row.repo.is_empty();
        let there = gone(first).cmp(&gone(second));
        return there.then_with(|| turned(first.repo.cmp(&second.repo)));
    }
    let (first, second) = (number(first, field), number(second, field));
    let lacks = first.is_none().cmp(&second.is_none());
    lacks.then_with(|| match first.zip(second) {
        Some((first, second)) => turned(first.total_cmp(&second)),
        None => std::cmp::Ordering::Equal,
    })
}

#[test]
fn a_list_has_the_rows_that_fulfil_its_filter_in_its_order() {
    let (_folder, store) = store();
    let known = Columns::default();
    let all = listed(&store, &options(Vec::new(), &[]));
    let every = rows_of(&store, &all, &all.ordinals);
    assert_eq!(all.ordinals.len() as u64, all.n_all);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = (prop::collection::vec(any_term(), 0..4), any_sort());
    runner
        .run(&cases, |(terms, sort)| {
            let options = ResultsOptions {
                columns: known.clone(),
                metric: crate::metric::metric("bleu"),
                ..options(terms.iter().map(SpelledFilter::term).collect(), &sort)
            };
            let list = listed(&store, &options);
            let rows = rows_of(&store, &list, &list.ordinals);
            let mut expected: Vec<u32> = every
                .iter()
                .filter(|row| terms.iter().all(|term| term.holds(row) == Some(true)))
                .map(|row| row.ordinal)
                .collect();
            for pair in rows.windows(2) {
                let order = sort
                    .iter()
                    .map(|key| ordered(*key, &pair[0], &pair[1]))
                    .find(|ordering| ordering.is_ne())
                    .unwrap_or_else(|| {
                        let by_key = pair[0].key.cmp(&pair[1].key);
                        let is_delta = |pair: &(&str, _)| pair.0.starts_with("delta");
                        let by_key = Some(by_key).filter(|_| sort.iter().any(is_delta));
                        let by_number = pair[0].ordinal.cmp(&pair[1].ordinal);
                        by_key.map_or(by_number, |ordering| ordering.then(by_number))
                    });
                prop_assert!(order.is_lt(), "{:?}", pair);
            }
            let mut found = list.ordinals;
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
            Ok(())
        })
        .expect("every list is right");
}

#[test]
fn a_filter_may_ask_of_what_the_baseline_answered() {
    let (_folder, store) = store();
    let of_second = listed(&store, &options(Vec::new(), &[]));
    let of_first = ResultsOptions {
        run: Some("first".to_owned()),
        ..ResultsOptions::default()
    };
    let of_first = listed(&store, &of_first);
    let before = rows_of(&store, &of_first, &of_first.ordinals);
    let after = rows_of(&store, &of_second, &of_second.ordinals);
    let pair = |row: &ResultRow| {
        let same = |result_row: &&ResultRow| {
            (result_row.key, result_row.attempt) == (row.key, row.attempt)
        };
        before.iter().find(same)
    };
    let check = |field: &str, value: &str, is_meant: &dyn Fn(&ResultRow) -> bool| {
        let list = listed(
            &store,
            &with_terms(vec![term(field, Comparison::Is, value)]),
        );
        let expected = after
            .iter()
            .filter(|result_row| is_meant(result_row))
            .map(|result_row| result_row.ordinal);
        let expected: Vec<u32> = expected.collect();
        assert_eq!(list.ordinals, expected, "{field} {value}");
        assert!(!expected.is_empty() && expected.len() < after.len());
    };
    for (value, parses) in [("ok", true), ("fail", false)] {
        check("baseline-parse", value, &|row| {
            pair(row).is_some_and(|result_row| result_row.parses() == Some(parses))
        });
    }
    for tag in [Tag::Exact, Tag::EqualSwapped] {
        check("tag-differs", tag.as_str(), &|row| {
            let before = pair(row).map(|result_row| result_row.tags.contains(tag));
            before.is_some_and(|before| before != row.tags.contains(tag))
        });
    }
    let alone = ResultsOptions {
        baseline: None,
        ..with_terms(vec![term("tag-differs", Comparison::Is, "exact")])
    };
    assert!(error(&store, &alone).contains("needs a run to compare with"));
}

#[test]
fn groups_add_up_and_their_filters_select_them() {
    let (_folder, store) = store();
    for terms in [Vec::new(), vec![term("bleu", Comparison::Less, "0.6")]] {
        for by in GroupBy::OF_RESULTS {
            let options = options(terms.clone(), &[]);
            let all = listed(&store, &options);
            let groups = groups(&store, &Monitor::default(), &options, *by);
            let groups = groups.expect("they are grouped");
            let n_predictions: u64 = groups.iter().map(|group| group.n_predictions).sum();
            if *by != GroupBy::Tag {
                assert_eq!(n_predictions, all.ordinals.len() as u64, "{by:?}");
                let shares: f64 = groups.iter().map(|group| group.share).sum();
                assert!((shares - 1.0).abs() < 1e-9, "{by:?}");
            }
            for group in groups {
                let terms = [terms.clone(), group.terms.clone()].concat();
                let list = listed(&store, &with_terms(terms));
                let name = format!("{by:?} {}", group.name);
                assert_eq!(list.ordinals.len() as u64, group.n_predictions, "{name}");
                let rows = rows_of(&store, &list, &list.ordinals);
                let values: Vec<f64> = rows.iter().filter_map(|row| row.values[0]).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                assert!(
                    group.mean.is_none_or(|value| (value - mean).abs() < 1e-9),
                    "{name}"
                );
                let n_unparsable = rows
                    .iter()
                    .filter(|row| row.parses() == Some(false))
                    .count();
                assert_eq!(group.n_unparsable, n_unparsable as u64, "{name}");
            }
        }
    }
}

#[test]
fn a_repository_whose_name_begins_another_ones_is_a_group_of_its_own() {
    let (_folder, store) = store();
    let options = ResultsOptions {
        run: Some("first".to_owned()),
        ..with_terms(Vec::new())
    };
    let groups = groups(&store, &Monitor::default(), &options, GroupBy::Repo);
    let groups = groups.expect("they are grouped").into_iter();
    let groups: Vec<(String, u64)> = groups
        .map(|group| (group.name, group.n_predictions))
        .collect();
    let expected = [
        ("example.org/a", 25),
        ("example.org/b", 9),
        ("example.org/ab", 2),
    ];
    assert_eq!(groups, expected.map(|(name, n)| (name.to_owned(), n)));
    for (name, n_predictions) in groups {
        let options = ResultsOptions {
            run: Some("first".to_owned()),
            ..with_terms(vec![term("repo", Comparison::Exactly, &name)])
        };
        assert_eq!(
            listed(&store, &options).ordinals.len() as u64,
            n_predictions
        );
    }
}

#[test]
fn answers_are_searched_whatever_the_case_of_letters() {
    let (_folder, store) = store();
    let check = |value: &str, negated: bool| {
        let term = term("answer", Comparison::Is, value);
        let term = if negated { Term::not(term) } else { term };
        let list = listed(&store, &options(vec![term], &[]));
        for ordinal in &list.ordinals {
            let detail = detail(&store, &list.view, *ordinal).expect("it is read");
            let text = detail.expect("there is one").answered.prediction;
            let is_in = text.to_lowercase().contains(&value.to_lowercase());
            assert_eq!(is_in, !negated, "{text}");
        }
        list.ordinals.len() as u64
    };
    let n_all = listed(&store, &options(Vec::new(), &[])).n_all;
    assert_eq!(
        check("ASSERTequals(1", false) + check("ASSERTequals(1", true),
        n_all
    );
    assert_eq!(check("inc()", false), n_all);
    assert_eq!(check("nowhere", false), 0);
}

#[test]
fn a_detail_has_the_true_text_its_place_and_the_baseline() {
    let (_folder, store) = store();
    let options = ResultsOptions {
        run: Some("first".to_owned()),
        baseline: Some("less".to_owned()),
        ..options(Vec::new(), &[])
    };
    let list = listed(&store, &options);
    let key = key_of("ab", "testInc");
    let ordinal = ordinal_of(&store, list.view.run.id, &key).expect("it is read");
    let ordinal = ordinal.expect("it is answered");
    let detail = detail(&store, &list.view, ordinal).expect("it is read");
    let detail = detail.expect("there is such a number");
    assert_eq!(detail.row.test, "CounterTest.testInc");
    assert_eq!(detail.row.focal.as_deref(), Some("Counter.inc"));
    let reference = detail.reference.expect("it has an assertion part");
    assert_eq!(
        reference.text,
        "assertEquals(\"foo bar\", 5, counter.get());"
    );
    assert_eq!((reference.first_line, reference.first_column), (17, 8));
    assert_eq!(reference.path, "src/test/java/p/CounterTest.java");
    let before = ordinal_of(
        &store,
        list.view.baseline.as_ref().expect("it has one").id,
        &key,
    );
    let before = before.expect("it is read");
    assert_eq!(
        detail.baseline.map(|scored_answer| scored_answer.ordinal),
        before
    );
    assert!(list.view.has_delta("bleu") && !list.view.has_delta("edit:difflib"));
    assert_eq!(
        super::detail(&store, &list.view, 10_000).expect("it is read"),
        None
    );
}

#[test]
fn a_name_is_found_on_both_ways_and_round() {
    let (_folder, store) = store();
    let list = listed(
        &store,
        &options(Vec::new(), &[("repo", Direction::Ascending)]),
    );
    let names: Vec<String> = rows_of(&store, &list, &list.ordinals)
        .into_iter()
        .map(|row| format!("{} {}", row.test, row.focal.unwrap_or_default()).to_lowercase())
        .collect();
    let n_rows = names.len();
    for needle in [
        "test3",
        "ManyTest.test1_",
        "countertest",
        "Counter.inc",
        "nowhere",
    ] {
        for from in [0, 3, n_rows - 1, n_rows + 9] {
            for backwards in [false, true] {
                let monitor = Monitor::default();
                let start_at = SearchStart {
                    place: from,
                    backwards,
                };
                let found = find(&store, &monitor, &list, needle, start_at);
                let start = from.min(n_rows - 1);
                let expected = (0..n_rows)
                    .map(|step| {
                        if backwards {
                            start + n_rows - step
                        } else {
                            start + step
                        }
                    })
                    .map(|place| place % n_rows)
                    .find(|place| names[*place].contains(&needle.to_lowercase()));
                assert_eq!(
                    found.expect("it is looked for"),
                    expected,
                    "{needle} {from}"
                );
            }
        }
    }
}

fn error(store: &Store, options: &ResultsOptions) -> String {
    let list = list(store, &Monitor::default(), options);
    list.expect_err("something lacks").to_string()
}

#[test]
fn what_lacks_is_said() {
    let (_folder, store) = store();
    let check = |options: ResultsOptions, expected: &str| {
        assert_eq!(error(&store, &options), expected);
    };
    let of = |field, value| options(vec![term(field, Comparison::Less, value)], &[]);
    check(
        of("rougeL", "0.5"),
        "`rougeL` is not computed for run `second`",
    );
    check(
        ResultsOptions {
            run: None,
            ..of("bleu", "0.5")
        },
        "there are several runs, and none is named",
    );
    check(
        ResultsOptions {
            baseline: None,
            ..of("delta", "0.5")
        },
        "`delta` needs a run to compare with",
    );
    check(
        ResultsOptions {
            baseline: Some("less".to_owned()),
            ..of("delta:edit:difflib", "0.5")
        },
        "`edit:difflib` is not computed for run `less`",
    );
    check(
        ResultsOptions {
            run: Some("third".to_owned()),
            ..of("bleu", "0.5")
        },
        "no run `third`",
    );
    check(
        ResultsOptions {
            baseline: None,
            ..options(Vec::new(), &[("delta", Direction::Ascending)])
        },
        "`delta` needs a run to compare with",
    );
}

#[test]
fn one_text_says_which_run_and_which_baseline() {
    let (_folder, store) = store();
    let mut options = options(vec![term("delta", Comparison::Less, "0")], &[]);
    options.filter.aim = Aim {
        run: Some("first".to_owned()),
        baseline: Some("second".to_owned()),
        metric: Some("edit:difflib"),
        matcher: None,
    };
    let list = listed(&store, &options);
    assert_eq!(list.view.run.setting.name, "first");
    assert_eq!(list.view.metric, Some("edit:difflib"));
    let rows = rows_of(&store, &list, &list.ordinals);
    assert!(!rows.is_empty());
    assert!(
        rows.iter()
            .all(|row| row.delta(1).is_some_and(|value| value < 0.0))
    );
}

#[test]
fn a_run_that_was_not_evaluated_is_listed_and_grouped() {
    let (_folder, store) = store();
    let raw = |terms| ResultsOptions {
        run: Some("raw".to_owned()),
        baseline: None,
        ..options(terms, &[])
    };
    let list = listed(&store, &raw(Vec::new()));
    let unread = listed(&store, &raw(vec![term("parse", Comparison::Is, "unread")]));
    assert_eq!(list.ordinals, unread.ordinals);
    assert_eq!(list.view.metric, None);
    assert!(
        rows_of(&store, &list, &[0, 1])
            .iter()
            .all(|row| row.reading.is_none())
    );
    for by in GroupBy::OF_RESULTS {
        let groups = groups(&store, &Monitor::default(), &raw(Vec::new()), *by);
        let groups = groups.expect("they are grouped");
        assert!(groups.iter().all(|group| group.mean.is_none()), "{by:?}");
    }
}

#[test]
fn what_is_known_is_read_again_when_the_index_changes() {
    let (_folder, mut store) = store();
    let options = options(vec![term("sample", Comparison::Is, "there")], &[]);
    let before = listed(&store, &options).ordinals.len();
    let mut less = many_tests("a", 3);
    less.stamp.content = crate::model::ContentHash([9; 16]);
    write_repos(&mut store, &[less]);
    let after = listed(&store, &options).ordinals.len();
    assert!(after < before, "{after} {before}");
}

#[test]
fn a_cancelled_list_stops() {
    let (_folder, store) = store();
    let monitor = Monitor::default();
    monitor.cancel();
    for filter in [
        options(vec![term("bleu", Comparison::Less, "0.5")], &[]),
        options(vec![term("answer", Comparison::Is, "x")], &[]),
        options(Vec::new(), &[("repo", Direction::Ascending)]),
    ] {
        assert!(list(&store, &monitor, &filter).is_err());
    }
}

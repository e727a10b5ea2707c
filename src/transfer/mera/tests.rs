//! The draw, the numbers, the prompts, and the shown parts of files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expect_test::expect;

use crate::exchange::mera::{MeraInputs, MeraPrompts, N_PROMPTS, mera_template};
use crate::model::{ContentHash, Language, MethodKind, Repo, SampleKey, Span, Split};
use crate::store::StoredMethod;
use crate::store::testing::repo;
use crate::syntax::dialect;

use super::funnel::{FunnelSample, at_most, numbered, without_duplicates};
use super::pick::Pick;
use super::record::{cut, outdented, runner};
use super::{MeraPart, PROMPTS, built_in_prompts};

fn key(n: u8) -> SampleKey {
    SampleKey([n; 16])
}

fn facts(n: u8, split: Split, tokens: u8) -> FunnelSample {
    FunnelSample {
        sample: i64::from(n),
        key: key(n),
        language: Language::Java,
        repo: format!("r{}", n % 3),
        split,
        tokens: ContentHash([tokens; 16]),
    }
}

fn prompts(language: &str) -> MeraPrompts {
    let source = built_in_prompts(language).expect("the language is built in");
    MeraPrompts::parse(&source).expect("what is built in is a file of prompts")
}

#[test]
fn equal_tests_stay_once_in_train_and_not_at_all_if_held_out() {
    let left = without_duplicates(vec![
        facts(5, Split::Train, 1),
        facts(4, Split::Train, 1),
        facts(3, Split::Train, 2),
        facts(2, Split::Test, 2),
        facts(1, Split::Test, 2),
        facts(6, Split::Validation, 3),
        facts(7, Split::Train, 4),
    ]);
    let left: Vec<SampleKey> = left
        .into_iter()
        .map(|funnel_sample| funnel_sample.key)
        .collect();
    assert_eq!(left, [1, 2, 4, 6, 7].map(key));
}

#[test]
fn of_a_large_repository_so_many_pairs_stay_and_the_seed_says_which() {
    let all: Vec<FunnelSample> = (0..60).map(|n| facts(n, Split::Train, n)).collect();
    let left = |seed| {
        let left = at_most(all.clone(), 5, seed);
        let mut n_of_repo: BTreeMap<String, usize> = BTreeMap::new();
        for funnel_sample in &left {
            *n_of_repo.entry(funnel_sample.repo.clone()).or_default() += 1;
        }
        assert_eq!(n_of_repo.into_values().collect::<Vec<_>>(), [5, 5, 5]);
        left.into_iter()
            .map(|funnel_sample| funnel_sample.key)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(left(1), left(1));
    assert_ne!(left(1), left(2));
    assert_eq!(at_most(all.clone(), 200, 1).len(), 60);
}

fn mixed() -> Vec<Pick> {
    let split = |n| match n % 4 {
        0 => Split::Test,
        1 => Split::Validation,
        _ => Split::Train,
    };
    let all = (0..100).map(|n| FunnelSample {
        language: Language::ALL[usize::from(n) % 5],
        ..facts(n, split(n), n)
    });
    numbered(all.collect(), 7)
}

#[test]
fn examples_come_first_then_the_others_each_by_language_and_key() {
    let picks = mixed();
    let ids: Vec<i32> = picks.iter().map(|pick| pick.id).collect();
    assert_eq!(ids, (1..=100).collect::<Vec<i32>>());
    let (shots, others): (Vec<&Pick>, Vec<&Pick>) =
        picks.iter().partition(|pick| pick.part == MeraPart::Shots);
    assert!(picks[..10].iter().all(|pick| pick.part == MeraPart::Shots));
    let words = |picks: &[&Pick]| -> Vec<&str> {
        let words = picks.iter().map(|pick| dialect(pick.language).mera_fence);
        words.collect()
    };
    let expected = ["csharp", "go", "java", "js", "python"];
    assert_eq!(
        words(&shots),
        expected.map(|expected| [expected; 2]).concat()
    );
    let mut seen = words(&others);
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen, expected);
    for language in Language::ALL {
        let ours: Vec<SampleKey> = others
            .iter()
            .filter(|other| other.language == *language)
            .map(|other| other.key)
            .collect();
        assert!(ours.is_sorted(), "{language:?}");
    }
    // Shots are of a project in training; the split of other samples is their project's.
    assert!(shots.iter().all(|shot| shot.sample % 4 > 1));
}

#[test]
fn templates_are_spread_evenly_over_a_language() {
    let picks = mixed();
    for language in Language::ALL {
        let mut n_of_turn = [0; N_PROMPTS / 2];
        for pick in picks.iter().filter(|pick| pick.language == *language) {
            n_of_turn[pick.turn] += 1;
        }
        assert_eq!(n_of_turn, [2; N_PROMPTS / 2], "{language:?}");
    }
}

#[test]
fn every_prompt_is_another_and_ends_with_the_fence_that_is_wanted() {
    let sets = [
        ("ru", "<твой код>"),
        ("ru-benchmark", "<твой код>"),
        ("en", "<your code>"),
        ("en-benchmark", "<your code>"),
    ];
    for (language, answer) in sets {
        let prompts = prompts(language);
        assert!(language.starts_with(&prompts.language));
        let texts: BTreeSet<&str> = prompts
            .list
            .iter()
            .map(|mera_prompt| mera_prompt.text.as_str())
            .collect();
        assert_eq!(texts.len(), N_PROMPTS);
        for text in texts {
            let end = format!("\n```{{language}}\n{answer}\n```\n");
            assert!(text.ends_with(&end), "{text}");
        }
    }
}

#[test]
fn all_prompts_of_a_benchmark_are_distinct_sentences() {
    for language in ["ru-benchmark", "en-benchmark"] {
        // A line of words is in one prompt alone, unless it says how code is fenced or is a placeholder.
        let prompts = prompts(language);
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (idx, prompt) in prompts.list.iter().enumerate() {
            let lines = prompt.text.lines().filter(|line| line.len() > 24);
            for line in lines.filter(|line| !line.starts_with('{')) {
                assert_eq!(*seen.entry(line).or_insert(idx), idx, "{language}: {line}");
            }
        }
        assert!(seen.len() > 60, "{language}: {}", seen.len());
    }
}

#[test]
fn the_orders_of_blocks_differ_from_shape_to_shape() {
    let blocks = [
        "{focal_func}",
        "{test_func_context}",
        "{focal_func_context}",
        "{test_func_type}",
    ];
    for (language, _) in PROMPTS {
        let order = |text: &str| {
            let mut places: Vec<(usize, &str)> = blocks
                .iter()
                .map(|block| (text.find(block).expect("each names all"), *block))
                .collect();
            places.sort_unstable();
            places.into_iter().map(|place| place.1).collect::<Vec<_>>()
        };
        let prompts = prompts(language);
        let orders: BTreeSet<Vec<&str>> = prompts
            .list
            .iter()
            .map(|mera_prompt| order(&mera_prompt.text))
            .collect();
        assert!(orders.len() >= 8, "{language}: {orders:?}");
    }
}

#[test]
fn a_model_sees_the_prompt_with_everything_filled_in() {
    let inputs = MeraInputs {
        focal_func: "```go\nfunc Inc(n int) int { return n + 1 }\n```".to_owned(),
        focal_func_context:
            "```go\n#counter.go\npackage counter\n\n\n#focal function/method here\n```".to_owned(),
        test_func_type: "тестовую функцию".to_owned(),
        test_func_context: "```\npackage counter\nimport \"testing\"\n```".to_owned(),
        language: "go".to_owned(),
        focal_file_path: "counter.go".to_owned(),
        test_file_path: "counter_test.go".to_owned(),
        test_framework: String::new(),
    };
    let seen = mera_template(&prompts("ru").list[0].text, &inputs);
    expect![[r#"
        Перед тобой код из `counter.go`:
        ```go
        func Inc(n int) int { return n + 1 }
        ```
        Нужно написать тестовую функцию (go) для файла `counter_test.go`. В нём уже есть:
        ```
        package counter
        import "testing"
        ```
        Остальное в файле с кодом:
        ```go
        #counter.go
        package counter


        #focal function/method here
        ```
        Ответь одним блоком:
        ```go
        <твой код>
        ```"#]]
    .assert_eq(&seen);
}

fn method(text: &str, source: &str) -> StoredMethod {
    let start = text.find(source).expect("it is in the text") as u32;
    StoredMethod {
        class: "p.C".to_owned(),
        name: "a".to_owned(),
        parameters: String::new(),
        ordinal: 1,
        kind: MethodKind::Method,
        is_of_class: true,
        signature: String::new(),
        path: "C.java".to_owned(),
        span: Span::new(start, start + source.len() as u32),
        body: None,
        start_line: 1,
        end_line: 1,
        name_line: 1,
        text: Arc::from(text),
    }
}

#[test]
fn a_test_is_moved_left_by_its_indentation() {
    let check = |text: &str, source: &str, expected: &str| {
        assert_eq!(outdented(&method(text, source)), expected, "{text}");
    };
    check(
        "class C {\n    @Test\n    void a() {\n\n        b();\n  c();\n    }\n}",
        "@Test\n    void a() {\n\n        b();\n  c();\n    }",
        "@Test\nvoid a() {\n\n    b();\nc();\n}",
    );
    check("\t\tit(a,\n\t\t\tb)", "it(a,\n\t\t\tb)", "it(a,\n\tb)");
    check("x; it(a,\n  b)", "it(a,\n  b)", "it(a,\n  b)");
    check("it(a,\n  b)", "it(a,\n  b)", "it(a,\n  b)");
}

#[test]
fn contexts_are_cut_between_characters() {
    assert_eq!(cut("aéß😀b", 4), "aéß😀");
    assert_eq!(cut("aé", 2), "aé");
    assert_eq!(cut("", 0), "");
}

#[test]
fn the_nearest_package_says_what_a_test_runs_in() {
    let runners = [("", "mocha"), ("packages/a", "jest"), ("packages/b", "")];
    let repo = Repo {
        runners: runners.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec(),
        ..repo("r")
    };
    let check = |path: &str, expected: &str| assert_eq!(runner(&repo, path), expected, "{path}");
    check("a.test.js", "mocha");
    check("packages/a/test/deep/a.test.js", "jest");
    check("packages/b/a.test.js", "Unknown");
    check("packages/c/a.test.js", "mocha");
    let repo = Repo {
        runners: Vec::new(),
        ..repo
    };
    assert_eq!(runner(&repo, "a.test.js"), "Unknown");
}

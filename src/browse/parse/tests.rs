//! Filters as they are read and written, and the messages about their flaws.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::write::write_filter;

/// Shows what was understood, or the complaint under its place in the input.
fn check(input: &str, expected: &Expect) {
    let shown = match parse_filter(input) {
        Ok(filter) => write_filter(&filter),
        Err(error) => {
            let carets = "^".repeat(error.span.len().max(1));
            format!("{input}\n{}{carets}\n{error}", " ".repeat(error.span.start))
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn terms_signs_quotes_negation_and_order_are_read() {
    check(
        r#"repo:gson license=MIT -status:tie weight<0.5 tokens>=500 text:"foo bar" sort:-weight sort:repo"#,
        &expect![[
            r#"repo:gson license:MIT -status:tie weight<0.5 tokens>=500 text:"foo bar" sort:-weight sort:repo"#
        ]],
    );
}

#[test]
fn bare_words_search_names() {
    check(
        r#"toJson -inc "two words" - Gson.toJson "#,
        &expect![[r#"name:toJson -name:inc name:"two words" name:- name:Gson.toJson"#]],
    );
}

#[test]
fn an_empty_filter_lets_all_through() {
    check("  \t ", &expect![""]);
}

#[test]
fn words_of_closed_sets_are_taken_in_any_case() {
    check("status:OK kind:test", &expect!["status:ok kind:Test"]);
}

#[test]
fn words_of_closed_sets_are_taken_as_commands_spell_them() {
    check(
        "verdict:none-of-these verdict:no_focal -status:no-candidate sort:-weight",
        &expect!["verdict:none_of_these verdict:no_focal -status:no_candidate sort:-weight"],
    );
}

#[test]
fn an_unknown_field_is_told_with_the_nearest_one() {
    check(
        "repo:a wieght<1",
        &expect![[r"
            repo:a wieght<1
                   ^^^^^^
            no field `wieght` (did you mean `weight`?); known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, benchmark, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort, ran, unstable, brittle, mutation, strength"]],
    );
    check(
        "Gson.status:ok",
        &expect![[r"
            Gson.status:ok
            ^^^^^^^^^^^
            no field `Gson.status`; known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, benchmark, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort, ran, unstable, brittle, mutation, strength"]],
    );
    check(
        r#""a:b" Counter.<init>"#,
        &expect!["name:a:b name:Counter.<init>"],
    );
    check(
        "zzzzzz:1",
        &expect![[r"
            zzzzzz:1
            ^^^^^^
            no field `zzzzzz`; known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, benchmark, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort, ran, unstable, brittle, mutation, strength"]],
    );
}

#[test]
fn an_unknown_value_is_told_with_the_set() {
    check(
        "status:ties",
        &expect![[r"
        status:ties
               ^^^^
        `status` cannot be `ties` (did you mean `tie`?); it is one of ok, no_assertion_part, below, tie, no_candidate, no_source, abstained"]],
    );
    check(
        "sort:-file",
        &expect![[r"
        sort:-file
              ^^^^
        `sort` cannot be `file`; it is one of repo, class, test, focal, focal-class, status, stage, weight, margin, tokens, ran, mutation, strength"]],
    );
}

#[test]
fn numbers_and_only_numbers_are_compared() {
    check(
        "weight<high",
        &expect![[r"
        weight<high
               ^^^^
        `weight` is a number, `high` is not"]],
    );
    check(
        "weight:nan",
        &expect![[r"
        weight:nan
               ^^^
        `weight` is a number, `nan` is not"]],
    );
    check(
        "repo<b",
        &expect![[r"
        repo<b
        ^^^^^^
        `repo` has no order to compare by, only `repo:…`"]],
    );
}

/// The same where a run is listed.
fn check_of_run(input: &str, expected: &Expect) {
    let shown = match parse_filter_in(input, FieldScope::Run) {
        Ok(filter) => write_filter(&filter),
        Err(error) => format!("{} {error}", &input[error.span.clone()]),
    };
    expected.assert_eq(&shown);
}

#[test]
fn metrics_and_their_differences_are_fields_of_a_run() {
    check_of_run(
        "bleu<0.2 rouge-l>=0.5 ROUGEL:default<1 edit:difflib<0.5 edit-difflib:0.5 em:token=1 bleu-1<0.1 edit<0.3",
        &expect![
            "bleu<0.2 rougeL>=0.5 rougeL:default<1 edit:difflib<0.5 edit:difflib:0.5 em:token:1 bleu1<0.1 edit<0.3"
        ],
    );
    check_of_run(
        "delta<-0.2 delta:bleu<-0.2 delta:edit:difflib>=0 delta:0.5 -delta:rouge-l:0.1 sort:-delta sort:delta:bleu sort:-edit-difflib",
        &expect![
            "delta<-0.2 delta:bleu<-0.2 delta:edit:difflib>=0 delta:0.5 -delta:rougeL:0.1 sort:-delta sort:delta:bleu sort:-edit:difflib"
        ],
    );
    check_of_run(
        r#"run:b baseline:a metric:rouge-l parse:fail -changed:yes outcome:worse answer:"foo bar" repo:gson verdict:none word sort:reference-tokens"#,
        &expect![[
            r#"run:b baseline:a metric:rougeL parse:fail -changed:yes outcome:worse answer:"foo bar" repo:gson verdict:none name:word sort:reference-tokens"#
        ]],
    );
    check_of_run(
        r#"meta:accuracy<0.5 sort:-meta:accuracy sort:"meta:exact match""#,
        &expect![[r#"meta:accuracy<0.5 sort:-meta:accuracy sort:"meta:exact match""#]],
    );
    check_of_run(
        "edit:difflip<0.5",
        &expect!["difflip<0.5 `edit` is a number, `difflip<0.5` is not"],
    );
    check_of_run(
        "-run:a",
        &expect!["-run:a `run` cannot be negated with `-`"],
    );
    check_of_run(
        "blue<1",
        &expect![
            "blue no field `blue` (did you mean `bleu`?); known are run, baseline, metric, delta, outcome, parse, baseline-parse, tag, tag-differs, ruled, ruling, changed, overlong, reference-tokens, prediction-tokens, assertion, answer, attempt, sample, ran, why, repair, called, asserts, confirmed, unstable, brittle, lines, branches, mutation, strength, ms, setting, meta, temperature, repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, benchmark, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort, every metric such as bleu, and the differences such as delta:bleu"
        ],
    );
    check_of_run(
        "sort:nothing",
        &expect![
            "nothing `sort` cannot be `nothing`; it is one of delta, reference-tokens, prediction-tokens, attempt, ran, lines, branches, mutation, strength, ms, repo, class, test, focal, focal-class, status, stage, weight, margin, tokens, every metric such as bleu, and the differences such as delta:bleu"
        ],
    );
}

#[test]
fn a_field_of_a_run_says_where_it_may_be_named() {
    check(
        "repo:a bleu<0.2",
        &expect![[r"
        repo:a bleu<0.2
               ^^^^
        `bleu` belongs to a run; Results (`focalist results RUN`) list its predictions"]],
    );
    check(
        "edit:difflib<0.2",
        &expect![[r"
        edit:difflib<0.2
        ^^^^^^^^^^^^
        `edit:difflib` belongs to a run; Results (`focalist results RUN`) list its predictions"]],
    );
    check(
        "sort:-delta",
        &expect![[r"
        sort:-delta
              ^^^^^
        `delta` belongs to a run; Results (`focalist results RUN`) list its predictions"]],
    );
}

#[test]
fn a_whole_name_is_asked_for_with_two_signs() {
    check(
        "repo==example.org/a class==\"A B\" weight==0.5 status==ok",
        &expect![[r#"repo==example.org/a class=="A B" weight==0.5 status:ok"#]],
    );
    check(
        "text==x",
        &expect![[r"
        text==x
        ^^^^^^^
        `text` has no order to compare by, only `text:…`"]],
    );
}

#[test]
fn half_a_term_is_told_where_it_is() {
    check(
        "repo:a split:",
        &expect![[r"
        repo:a split:
               ^^^^^^
        `split` needs a value"]],
    );
    check(
        "text:\"foo bar",
        &expect![[r#"
        text:"foo bar
             ^^^^^^^^
        a quote is not closed"#]],
    );
    check(
        "-sort:repo",
        &expect![[r"
        -sort:repo
        ^^^^^^^^^^
        `sort` cannot be negated with `-`"]],
    );
}

#[test]
fn quotes_keep_what_is_inside() {
    let filter = parse_filter(r#"text:"a \"b\" \\ \d""#).expect("it is right");
    let text = OfSample::Text(r#"a "b" \ \d"#.to_owned());
    assert_eq!(filter.terms, [text.into()]);
}

#[test]
fn any_value_survives_writing_and_reading() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&("\\PC{1,12}", any::<bool>()), |(value, negated)| {
            let term = Term::from(OfSample::Text(value));
            let filter = Filter::of(vec![if negated { Term::not(term) } else { term }]);
            prop_assert_eq!(parse_filter(&write_filter(&filter)), Ok(filter));
            Ok(())
        })
        .expect("every value survives");
}

#[test]
fn alternatives_sets_and_parentheses_are_read() {
    check(
        "status:tie or status:abstained",
        &expect!["status:tie,abstained"],
    );
    check(
        "(status:tie or status:abstained) repo:x",
        &expect!["status:tie,abstained repo:x"],
    );
    check(
        "status:tie,abstained repo:x",
        &expect!["status:tie,abstained repo:x"],
    );
    check(
        "a b or c OR d and not e sort:-weight",
        &expect!["((name:a name:b) or name:c or (name:d -name:e)) sort:-weight"],
    );
    check(
        "-(repo:x weight:0.2..0.5) not not license:none -status:tie,below",
        &expect!["-(repo:x weight:0.2..0.5) license:none -status:tie,below"],
    );
    check(
        "weight:0.5,1 key:0F,a1 status:ok or (split:train (test:x))",
        &expect!["((weight:0.5,1 key:0f,a1 status:ok) or (split:train test:x))"],
    );
    check(
        r#""or" inc(int) "(" a) (note:b() "c")"#,
        &expect![[r#"name:or name:inc(int) name:"(" name:"a)" note:b() name:c"#]],
    );
}

#[test]
fn names_and_texts_may_hold_commas() {
    check("repo:a,b text:f(a,b)", &expect!["repo:a,b text:f(a,b)"]);
}

#[test]
fn a_word_without_its_conditions_is_told_where_it_is() {
    check(
        "status:tie or",
        &expect![[r#"
            status:tie or
                       ^^
            `or` needs a condition on either side; "or" searches names for it"#]],
    );
    check(
        "(or x)",
        &expect![[r#"
            (or x)
             ^^
            `or` needs a condition on either side; "or" searches names for it"#]],
    );
    check(
        "a not",
        &expect![[r#"
            a not
              ^^^
            `not` needs a condition behind it; "not" searches names for it"#]],
    );
    check(
        "status:tie or sort:repo",
        &expect![[r#"
            status:tie or sort:repo
                       ^^
            `or` needs a condition on either side; "or" searches names for it"#]],
    );
}

#[test]
fn parentheses_are_told_that_are_open_or_empty() {
    check(
        "a (b or c",
        &expect![[r"
            a (b or c
              ^
            a parenthesis is not closed"]],
    );
    check(
        "a ( )",
        &expect![[r"
            a ( )
              ^^^
            there is no condition in these parentheses"]],
    );
    let deep = format!("{}a{}", "(".repeat(65), ")".repeat(65));
    let error = parse_filter(&deep).expect_err("it is too deep");
    assert_eq!((error.span, error.fault), (64..65, FilterFault::Nesting));
    let deep = format!("{}a", "not ".repeat(10_000));
    assert!(parse_filter(&deep).is_err());
}

#[test]
fn each_value_of_a_set_is_told_where_it_is_wrong() {
    check(
        "status:tie,abstaned",
        &expect![[r"
            status:tie,abstaned
                       ^^^^^^^^
            `status` cannot be `abstaned` (did you mean `abstained`?); it is one of ok, no_assertion_part, below, tie, no_candidate, no_source, abstained"]],
    );
    check(
        "status:tie,",
        &expect![[r"
            status:tie,
                       ^
            `status` needs a value"]],
    );
    check(
        "weight:0.5..0.2",
        &expect![[r"
            weight:0.5..0.2
                   ^^^^^^^^
            `weight` is a number, `0.5..0.2` is not"]],
    );
}

#[test]
fn what_was_meant_takes_the_place_of_what_is_wrong() {
    let check = |input: &str, expected: Option<&str>| {
        let error = parse_filter(input).expect_err(input);
        let mended = error.mended().map(|completion| {
            let mut mended = input.to_owned();
            mended.replace_range(completion.span, &completion.text);
            mended
        });
        assert_eq!(mended.as_deref(), expected, "{input}");
    };
    check("repo:a wieght<1", Some("repo:a weight<1"));
    check("(status:tie,abstaned)", Some("(status:tie,abstained)"));
    check("sort:-wieght", Some("sort:-weight"));
    check("zzzzzz:1", None);
    check("weight<high", None);
}

/// Any condition that can be spelled, and any joining of them.
fn any_term() -> impl Strategy<Value = Term> {
    let all: Vec<&'static FilterField> = fields(FieldScope::Run).collect();
    let values = (any::<prop::sample::Index>(), "\\PC{1,8}", -2.0..200.0_f64);
    let signs = prop::sample::select(vec![
        Comparison::Is,
        Comparison::Exactly,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ]);
    let leaves = (prop::sample::select(all), signs, values);
    let leaves = leaves.prop_filter_map("no condition", |(field, sign, (idx, text, number))| {
        let words = words_of(field, FieldScope::Run);
        let value = match field.kind {
            FieldKind::Number if idx.index(3) == 0 => format!("{number}..{}", number + 0.5),
            FieldKind::Number => number.to_string(),
            FieldKind::Words(_) | FieldKind::Steps(_) => words[idx.index(words.len())].into(),
            FieldKind::Key => format!("{:x}", idx.index(4096)),
            FieldKind::Name | FieldKind::Text | FieldKind::Sort => text,
        };
        let sign = sign_for(field, sign)?;
        field.condition(sign, &value).map(Term::Is)
    });
    leaves.prop_recursive(4, 16, 4, |inner| {
        let several = |inner| prop::collection::vec(inner, 2..4);
        prop_oneof![
            inner.clone().prop_map(Term::not),
            several(inner.clone()).prop_map(Term::all),
            several(inner).prop_map(Term::any),
        ]
    })
}

#[test]
fn what_is_written_of_a_filter_is_read_as_the_same() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&any_term(), |term| {
            let terms = match term {
                Term::All(terms) => terms,
                term => vec![term],
            };
            let filter = Filter::of(terms);
            let text = write_filter(&filter);
            prop_assert_eq!(
                parse_filter_in(&text, FieldScope::Run),
                Ok(filter),
                "{}",
                text
            );
            Ok(())
        })
        .expect("every filter survives");
}

#[test]
fn no_input_makes_the_parser_stumble() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(
            &r#"(edit|delta|bleu|or|not|status:tie,)?[-a-z:<>="\\ é.,()]{0,20}"#,
            |input| {
                for scope in [FieldScope::Samples, FieldScope::Run] {
                    match parse_filter_in(&input, scope) {
                        Ok(filter) => {
                            let again = parse_filter_in(&write_filter(&filter), scope);
                            prop_assert_eq!(again, Ok(filter));
                        }
                        Err(error) => prop_assert!(input.get(error.span).is_some()),
                    }
                }
                Ok(())
            },
        )
        .expect("every span fits");
}

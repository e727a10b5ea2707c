//! The filter language: `repo:gson -status:tie weight<0.5 text:"foo bar" sort:-weight word`.
//!
//! ```text
//! filter  = term*                              all must hold
//! term    = "-"? field sign value | "-"? value a bare value searches names; it holds no sign but in quotes
//! sign    = ":" | "=" | "==" | "<" | "<=" | ">" | ">="      `==`: the whole name, or exactly the number
//! value   = run without spaces | '"' … '"'     in quotes `\"` and `\\` stand for `"` and `\`
//! ```
//!
//! Whatever is wrong is said with its place in the input and what would be right.

use std::fmt::Write as _;
use std::ops::Range;

use crate::model::{Comparison, Direction, Filter, SampleKey, SortKey, Term};

use super::fault::{FilterError, FilterFault};
use super::field::{Field, FieldKind, FieldScope, field, fields, squeezed};

/// Reads a filter of samples.
///
/// # Errors
/// The first thing that is wrong, with its place in `input`.
pub fn parse_filter(input: &str) -> Result<Filter, FilterError> {
    parse_filter_in(input, FieldScope::Samples)
}

/// Reads a filter of samples, or of the predictions of a run.
///
/// # Errors
/// The first thing that is wrong, with its place in `input`.
pub fn parse_filter_in(input: &str, scope: FieldScope) -> Result<Filter, FilterError> {
    let mut filter = Filter::default();
    for piece in pieces(input)? {
        read_term(&piece, scope, &mut filter)?;
    }
    Ok(filter)
}

/// A term as it is spelled.
pub(super) struct Piece<'i> {
    pub span: Range<usize>,
    pub negated: bool,
    /// The field's name and its place; absent for a bare value.
    pub name: Option<(&'i str, Range<usize>)>,
    /// What stands before a sign and cannot be a field's name: no name that is searched for holds one of these signs.
    pub unknown: Option<&'i str>,
    pub comparison: Comparison,
    /// Without quotes.
    pub value: String,
    pub value_span: Range<usize>,
}

/// Cuts the input into terms.
pub(super) fn pieces(input: &str) -> Result<Vec<Piece<'_>>, FilterError> {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        at += input[at..].len() - input[at..].trim_start().len();
        if at == input.len() {
            return Ok(pieces);
        }
        let piece = piece(input, at)?;
        at = piece.span.end;
        pieces.push(piece);
    }
}

fn piece(input: &str, start: usize) -> Result<Piece<'_>, FilterError> {
    let rest = &input[start..];
    // A lone `-` is a word, not the negation of nothing.
    let negated = rest.starts_with('-')
        && !rest[1..].is_empty()
        && !rest[1..].starts_with(char::is_whitespace);
    let body = start + usize::from(negated);
    let name_len = input[body..]
        .find(|it: char| !it.is_ascii_alphanumeric() && it != '-' && it != '_')
        .unwrap_or(input.len() - body);
    let name_len = body_of_metric(&input[body..], name_len).unwrap_or(name_len);
    let name = &input[body..body + name_len];
    let (comparison, sign_len) = sign(&input[body + name_len..]);
    let has_field = sign_len > 0 && name.starts_with(|it: char| it.is_ascii_alphabetic());
    let value_start = if has_field {
        body + name_len + sign_len
    } else {
        body
    };
    let (value, end) = value(input, value_start)?;
    Ok(Piece {
        span: start..end,
        negated,
        name: has_field.then(|| (name, body..body + name_len)),
        unknown: if has_field || input[body..].starts_with('"') {
            None
        } else {
            let word = &input[body..end];
            word.find([':', '='])
                .filter(|at| *at > 0)
                .map(|at| &word[..at])
        },
        comparison: if has_field {
            comparison
        } else {
            Comparison::Is
        },
        value,
        value_span: value_start..end,
    })
}

/// Returns the length of a metric's name at the beginning of `text`, where that goes on behind the word of `name_len`:
/// `edit:difflib<0.5` is no condition on `edit`.
fn body_of_metric(text: &str, name_len: usize) -> Option<usize> {
    if !text[name_len..].starts_with(':') {
        return None;
    }
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | ':');
    let longest = text.find(|it| !is_part(it)).unwrap_or(text.len());
    let ends = text[..longest].match_indices(':').map(|it| it.0);
    let mut ends = ends.chain([longest]).filter(|end| *end > name_len);
    let is_metric = |end: &usize| {
        sign(&text[*end..]).1 > 0 && field(&text[..*end]).is_some_and(|it| it.name.contains(':'))
    };
    ends.rfind(is_metric)
}

/// Returns the comparison at the beginning of `text`, and its length; 0 when there is none.
fn sign(text: &str) -> (Comparison, usize) {
    const SIGNS: [(&str, Comparison); 7] = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("==", Comparison::Exactly),
        (":", Comparison::Is),
        ("=", Comparison::Is),
    ];
    SIGNS
        .iter()
        .find(|(sign, _)| text.starts_with(sign))
        .map_or((Comparison::Is, 0), |(sign, comparison)| {
            (*comparison, sign.len())
        })
}

/// Reads a value at `start`: to the closing quote, or to the next space. Returns its end too.
fn value(input: &str, start: usize) -> Result<(String, usize), FilterError> {
    let rest = &input[start..];
    if !rest.starts_with('"') {
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return Ok((rest[..len].to_owned(), start + len));
    }
    let mut value = String::new();
    let mut is_escaped = false;
    for (offset, it) in rest.char_indices().skip(1) {
        match it {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => return Ok((value, start + offset + 1)),
            _ => {
                // Only what must be escaped is: `\d` stays as it is.
                if is_escaped && it != '"' && it != '\\' {
                    value.push('\\');
                }
                value.push(it);
                is_escaped = false;
            }
        }
    }
    Err(FilterError {
        span: start..input.len(),
        fault: FilterFault::OpenQuote,
    })
}

pub(super) fn read_term(
    piece: &Piece<'_>,
    scope: FieldScope,
    filter: &mut Filter,
) -> Result<(), FilterError> {
    let Some((name, name_span)) = &piece.name else {
        if let Some(name) = piece.unknown {
            let start = piece.value_span.start;
            return Err(unknown_field(name, start..start + name.len(), scope));
        }
        if !piece.value.is_empty() {
            filter.terms.push(Term {
                field: "name",
                comparison: Comparison::Is,
                value: piece.value.clone(),
                negated: piece.negated,
            });
        }
        return Ok(());
    };
    let fail = |span: &Range<usize>, fault| {
        Err(FilterError {
            span: span.clone(),
            fault,
        })
    };
    let Some(field) = field(name) else {
        return Err(unknown_field(name, name_span.clone(), scope));
    };
    let name = field.name;
    if field.scope > scope {
        return fail(name_span, FilterFault::OfARun { field: name });
    }
    if piece.value.is_empty() {
        return fail(&piece.span, FilterFault::NoValue { field: name });
    }
    let comparison = match (piece.comparison, field.kind) {
        // A step is meant as a whole, too.
        (Comparison::Exactly, FieldKind::Steps(_)) => Comparison::Is,
        (_, FieldKind::Number | FieldKind::Steps(_)) | (Comparison::Exactly, FieldKind::Name) => {
            piece.comparison
        }
        // A word of a closed set is always meant as a whole, and the first digits of a key stand for it.
        (Comparison::Is, _) | (Comparison::Exactly, FieldKind::Words(_) | FieldKind::Key) => {
            Comparison::Is
        }
        _ => return fail(&piece.span, FilterFault::NotOrdered { field: name }),
    };
    let is_condition = !matches!(field.kind, FieldKind::Sort) && !NOT_CONDITIONS.contains(&name);
    if piece.negated && !is_condition {
        return fail(&piece.span, FilterFault::NotACondition { field: name });
    }
    let value = match field.kind {
        FieldKind::Number => match piece.value.parse::<f64>() {
            Ok(number) if number.is_finite() => piece.value.clone(),
            _ => {
                let value = piece.value.clone();
                return fail(
                    &piece.value_span,
                    FilterFault::NotANumber { field: name, value },
                );
            }
        },
        FieldKind::Key => {
            if SampleKey::beginning_with(&piece.value).is_none() {
                let value = piece.value.clone();
                return fail(
                    &piece.value_span,
                    FilterFault::NotAKey { field: name, value },
                );
            }
            piece.value.to_ascii_lowercase()
        }
        FieldKind::Words(_) | FieldKind::Steps(_) => {
            word(field, scope, &piece.value, piece)?.to_owned()
        }
        FieldKind::Sort => {
            let (direction, asked) = match piece.value.strip_prefix('-') {
                Some(asked) => (Direction::Descending, asked),
                None => (Direction::Ascending, piece.value.as_str()),
            };
            filter.sort.push(SortKey {
                field: word(field, scope, asked, piece)?,
                direction,
            });
            return Ok(());
        }
        FieldKind::Name | FieldKind::Text => piece.value.clone(),
    };
    filter.terms.push(Term {
        field: name,
        comparison,
        value,
        negated: piece.negated,
    });
    Ok(())
}

fn unknown_field(name: &str, span: Range<usize>, scope: FieldScope) -> FilterError {
    FilterError {
        span,
        fault: FilterFault::UnknownField {
            nearest: nearest(name, fields(scope).map(|field| field.name)),
            name: name.to_owned(),
            scope,
        },
    }
}

/// Fields that say what is listed, and are no condition on it.
const NOT_CONDITIONS: [&str; 4] = ["matcher", "run", "baseline", "metric"];

/// Returns the word of the field's closed set that was asked for, in its own spelling. Capitals and small letters are
/// alike, and so are `-` and `_`: commands say `none-of-these` what files call `none_of_these`.
fn word(
    field: &'static Field,
    scope: FieldScope,
    asked: &str,
    piece: &Piece<'_>,
) -> Result<&'static str, FilterError> {
    let words = field.words_in(scope);
    let wanted = squeezed(asked);
    let found = words.iter().find(|word| squeezed(word) == wanted);
    if let Some(found) = found {
        return Ok(found);
    }
    // Known, but not here.
    let of_run = field.words_in(FieldScope::Run);
    let of_run = of_run.iter().find(|word| squeezed(word) == wanted);
    Err(FilterError {
        span: piece.value_span.clone(),
        fault: match of_run {
            Some(field) => FilterFault::OfARun { field },
            None => FilterFault::UnknownValue {
                field: field.name,
                value: asked.to_owned(),
                nearest: nearest(asked, words.iter().copied()),
                scope,
            },
        },
    })
}

/// Returns the known word that differs least, if it differs by a third of its letters at most or only goes on.
fn nearest(asked: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let asked = asked.to_ascii_lowercase();
    known
        .map(|word| {
            let lower = word.to_ascii_lowercase();
            let is_prefix = asked.len() >= 2 && lower.starts_with(&asked);
            let n_edits = if is_prefix { 1 } else { edits(&asked, &lower) };
            (n_edits, word)
        })
        .filter(|(n_edits, word)| *n_edits <= word.len().div_ceil(3))
        .min_by_key(|(n_edits, _)| *n_edits)
        .map(|(_, word)| word)
}

/// Returns how many letters must be put in, left out or changed (Levenshtein's distance).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (from_idx, from_char) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = from_idx + 1;
        for (idx, to_char) in to.iter().enumerate() {
            let changed = diagonal + usize::from(from_char != *to_char);
            diagonal = row[idx + 1];
            row[idx + 1] = changed.min(row[idx] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

/// Writes a filter so that [`parse_filter`] reads the same one.
#[must_use]
pub fn write_filter(filter: &Filter) -> String {
    let mut pieces = Vec::new();
    for term in &filter.terms {
        let sign = match term.comparison {
            Comparison::Is => ":",
            Comparison::Exactly => "==",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        let minus = if term.negated { "-" } else { "" };
        pieces.push(format!(
            "{minus}{}{sign}{}",
            term.field,
            quoted(&term.value)
        ));
    }
    for key in &filter.sort {
        let minus = match key.direction {
            Direction::Ascending => "",
            Direction::Descending => "-",
        };
        pieces.push(format!("sort:{minus}{}", key.field));
    }
    pieces.join(" ")
}

fn quoted(value: &str) -> String {
    let is_plain =
        !value.is_empty() && !value.starts_with('"') && !value.contains(char::is_whitespace);
    if is_plain {
        return value.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for it in value.chars() {
        if it == '"' || it == '\\' {
            quoted.push('\\');
        }
        quoted.push(it);
    }
    quoted.write_char('"').expect("a string takes all");
    quoted
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

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
                no field `wieght` (did you mean `weight`?); known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort"]],
        );
        check(
            "Gson.status:ok",
            &expect![[r"
            Gson.status:ok
            ^^^^^^^^^^^
            no field `Gson.status`; known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort"]],
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
                no field `zzzzzz`; known are repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort"]],
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
                 ^^^^^
            `sort` cannot be `file`; it is one of repo, class, test, focal, focal-class, status, stage, weight, margin, tokens"]],
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
                "blue no field `blue` (did you mean `bleu`?); known are run, baseline, metric, delta, outcome, parse, baseline-parse, tag, tag-differs, ruled, ruling, changed, overlong, reference-tokens, prediction-tokens, assertion, answer, attempt, sample, ran, why, repair, called, asserts, confirmed, lines, branches, ms, repo, class, test, focal, focal-class, name, file, key, near, text, status, stage, weight, margin, flag, duplicate, tokens, split, project-split, framework, kind, verdict, is, note, tagged, license, language, build, stars, matcher, sort, every metric such as bleu, and the differences such as delta:bleu"
            ],
        );
        check_of_run(
            "sort:nothing",
            &expect![
                "nothing `sort` cannot be `nothing`; it is one of delta, reference-tokens, prediction-tokens, attempt, ran, lines, branches, ms, repo, class, test, focal, focal-class, status, stage, weight, margin, tokens, every metric such as bleu, and the differences such as delta:bleu"
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
                 ^^^^^^
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
        assert_eq!(filter.terms[0].value, r#"a "b" \ \d"#);
    }

    #[test]
    fn any_value_survives_writing_and_reading() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        runner
            .run(&("\\PC{1,12}", any::<bool>()), |(value, negated)| {
                let filter = Filter {
                    terms: vec![Term {
                        field: "text",
                        comparison: Comparison::Is,
                        value,
                        negated,
                    }],
                    sort: Vec::new(),
                };
                prop_assert_eq!(parse_filter(&write_filter(&filter)), Ok(filter));
                Ok(())
            })
            .expect("every value survives");
    }

    #[test]
    fn no_input_makes_the_parser_stumble() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        runner
            .run(&r#"(edit|delta|bleu)?[-a-z:<>="\\ é.]{0,20}"#, |input| {
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
            })
            .expect("every span fits");
    }
}

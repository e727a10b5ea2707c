//! Our own `--format jsonl` as samples: keys, splits, parts, candidates and flags stay as they are.
//!
//! Facts that the format does not hold are not made up: why a test without a focal method has none (beyond what its
//! candidates' scores show), and flags where an older version wrote none, except those that follow from the texts.

use super::DatasetProject;
use super::declared::{name_at, parameters_in, types_of};
use super::rows::{GivenCandidate, GivenKey, GivenSample, SampleParts};
use super::wrong::DatasetFault;
use crate::exchange::{
    ReadMatch, ReadMethod, ReadSample, ReadSampleHead, ReadSplit, ReadTest, ReadTestHead, parse,
};
use crate::model::{
    Evidence, Evidences, Flag, Flags, Framework, Language, Matcher, SampleKey, Span, Split, Stage,
    Status, TestKind,
};
use crate::syntax::{dialect, language_of};

pub(super) fn project(dataset: &str, line: &str) -> Result<DatasetProject, DatasetFault> {
    let head: ReadSampleHead = parse(line.as_bytes())?;
    let mut project =
        DatasetProject::new(dataset, head.repo.name.as_deref(), head.repo.url.as_deref());
    // The URL as written, where it names no project: a path, say.
    project.repo.url = project.repo.url.or(head.repo.url);
    project.repo.commit = head.repo.commit;
    project.repo.license = head.repo.license;
    project.repo.language = language(head.language.as_deref(), &head.test)?;
    Ok(project)
}

/// Reads the language in a line, by any of its names; else takes that of its test's file or framework. A test without
/// any is in Java, as all lines were before they named a language.
fn language(told: Option<&str>, test: &ReadTestHead) -> Result<Language, DatasetFault> {
    if let Some(told) = told.map(str::trim).filter(|told| !told.is_empty()) {
        let word = told.to_lowercase();
        let named = Language::ALL
            .iter()
            .find(|language| dialect(**language).fences.contains(&word.as_str()));
        return named
            .copied()
            .ok_or_else(|| DatasetFault::line(format!("`language` cannot be `{}`", short(told))));
    }
    let framework = Framework::ALL
        .iter()
        .find(|framework| framework.as_str() == test.framework);
    let by_framework = framework.and_then(|framework| framework.language());
    Ok(language_of(&test.file)
        .or(by_framework)
        .unwrap_or(Language::Java))
}

/// Makes the sample of a line; where the line gives no random split, `file_split` is what the file's name says.
pub(super) fn sample(line: &str, file_split: Option<Split>) -> Result<GivenSample, DatasetFault> {
    let sample: ReadSample = parse(line.as_bytes())?;
    let key = key(&sample.key)?;
    let (split, project_split) = splits(&sample.split)?;
    let test = sample.test;
    let framework = word(
        Framework::ALL,
        Framework::as_str,
        "framework",
        &test.framework,
    )?;
    let matcher = word(
        Matcher::ALL,
        Matcher::as_str,
        "matcher",
        &sample.matched.matcher,
    )?;
    let setup = sample.setup.filter(|setup| !setup.is_empty());
    let assertion = sample.assertion.filter(|assertion| !assertion.is_empty());
    let (setup, assertion) = find_parts(&test.source, setup.as_deref(), assertion.as_deref())?;
    let decided = decided(&sample.matched, sample.focal.is_some())?;
    let candidates = candidates(&sample.matched)?;
    let flags = sample.flags.as_deref().map(flags).transpose()?;
    Ok(GivenSample {
        key: GivenKey::Told(key),
        framework,
        kind: kind_of(&test.source, &test.method, framework),
        unmapped: unmapped(matcher, &candidates),
        test: test_method(test),
        fixtures: sample.fixtures,
        focal: sample.focal,
        setup_context: sample.setup_context,
        focal_context: sample.focal_context,
        parts: SampleParts::Told { setup, assertion },
        flags,
        matcher,
        decided,
        candidates,
        split: split.or(file_split),
        project_split,
        prefix: "",
    })
}

fn flags(names: &[String]) -> Result<Flags, DatasetFault> {
    let mut flags = Flags::default();
    for name in names {
        flags.set(word(Flag::ALL, Flag::as_str, "flags", name)?, true);
    }
    Ok(flags)
}

/// Parses the digits of a key.
pub(super) fn key(digits: &str) -> Result<SampleKey, DatasetFault> {
    SampleKey::parse(digits).ok_or_else(|| {
        DatasetFault::line(format!(
            "`key` is not 32 hexadecimal digits: `{}`",
            short(digits)
        ))
    })
}

/// Reads random and project split.
pub(super) fn splits(split: &ReadSplit) -> Result<(Option<Split>, Option<Split>), DatasetFault> {
    let of = |name: &'static str, value: &Option<String>| {
        let value = value.as_deref();
        value
            .map(|value| word(Split::ALL, Split::as_str, name, value))
            .transpose()
    };
    Ok((
        of("split.random", &split.random)?,
        of("split.project", &split.project)?,
    ))
}

/// Looks up the value of a closed set by its word.
fn word<T: Copy>(
    all: &[T],
    as_str: impl Fn(T) -> &'static str,
    field: &str,
    word: &str,
) -> Result<T, DatasetFault> {
    let found = all.iter().copied().find(|item| as_str(*item) == word);
    found.ok_or_else(|| DatasetFault::line(format!("`{field}` cannot be `{}`", short(word))))
}

/// Shortens a wrong value to as much as is needed to find it.
fn short(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn test_method(test: ReadTest) -> ReadMethod {
    ReadMethod {
        parameters: types_of(parameters_in(&test.signature, &test.method)),
        file: test.file,
        class: test.class,
        method: test.method,
        signature: test.signature,
        start_line: test.start_line,
        end_line: test.end_line,
        source: test.source,
    }
}

/// Finds the kind of test that a method with this source is, as far as its annotations show.
pub(super) fn kind_of(source: &str, name: &str, framework: Framework) -> TestKind {
    let header = match name_at(source, name) {
        Some(at) => &source[..at],
        None => source,
    };
    let is_marked = |kind: &TestKind| {
        kind.is_annotated()
            && header.match_indices('@').any(|(at, _)| {
                let word = header[at + 1..].trim_start();
                let end = word.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_');
                let word = &word[..end.unwrap_or(word.len())];
                word.rsplit('.').next() == Some(kind.as_str())
            })
    };
    let marked = TestKind::ALL
        .iter()
        .copied()
        .find(|test_kind| is_marked(test_kind));
    marked.unwrap_or(match framework {
        Framework::JUnit3 => TestKind::Named,
        Framework::TestNg => TestKind::ByClass,
        _ => TestKind::Test,
    })
}

/// Finds the parts in the test's source. They are its last statements, and setup comes before assertion: of several
/// places that read the same the last one is taken.
fn find_parts(
    source: &str,
    setup: Option<&str>,
    assertion: Option<&str>,
) -> Result<(Option<Span>, Option<Span>), DatasetFault> {
    let find = |part: Option<&str>, name: &str, within: &str| match part {
        None => Ok(None),
        Some(part) => match within.rfind(part) {
            Some(at) => Ok(Some(Span::new(at as u32, (at + part.len()) as u32))),
            None => Err(DatasetFault::line(format!(
                "`{name}` is not in the test's source"
            ))),
        },
    };
    let assertion = find(assertion, "assertion", source)?;
    let before = assertion.map_or(source, |span| &source[..span.start as usize]);
    Ok((find(setup, "setup", before)?, assertion))
}

/// Reads which stage decided, and how sure it is; needed exactly when there is a focal method.
fn decided(matched: &ReadMatch, is_mapped: bool) -> Result<Option<(Stage, f64)>, DatasetFault> {
    if !is_mapped {
        return Ok(None);
    }
    let stage = matched.stage.as_deref();
    let stage = stage
        .ok_or_else(|| DatasetFault::line("`match.stage` is missing beside a focal method"))?;
    let weight = matched
        .weight
        .ok_or_else(|| DatasetFault::line("`match.weight` is missing beside a focal method"))?;
    let stage = word(Stage::ALL, Stage::as_str, "match.stage", stage)?;
    Ok(Some((stage, ratio("match.weight", weight)?)))
}

fn ratio(field: &str, value: f64) -> Result<f64, DatasetFault> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(DatasetFault::line(format!(
            "`{field}` is {value}, not in 0..=1"
        )))
    }
}

fn candidates(matched: &ReadMatch) -> Result<Vec<GivenCandidate>, DatasetFault> {
    matched
        .candidates
        .iter()
        .map(|candidate| {
            let mut evidence = Evidences::default();
            for kind in &candidate.evidence {
                evidence.set(
                    word(Evidence::ALL, Evidence::as_str, "evidence", kind)?,
                    true,
                );
            }
            Ok(GivenCandidate {
                key: candidate.key.clone(),
                score: ratio("score", candidate.score)?,
                evidence,
            })
        })
        .collect()
}

/// Tells why a test without a focal method has none, as far as its candidates show it.
fn unmapped(matcher: Matcher, candidates: &[GivenCandidate]) -> Status {
    let best = candidates
        .iter()
        .map(|candidate| candidate.score)
        .fold(0.0, f64::max);
    let n_best = candidates
        .iter()
        .filter(|candidate| candidate.score >= best)
        .count();
    match matcher {
        _ if candidates.is_empty() => Status::NoCandidate,
        Matcher::Evidence => Status::Abstained,
        _ if n_best > 1 && best > 0.0 => Status::Tie,
        _ => Status::Below,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_last_that_read_so_and_one_before_the_other() {
        let check = |source: &str, setup: &str, assertion: &str, expected: [Option<u32>; 2]| {
            let part = |text| Some(text).filter(|text: &&str| !text.is_empty());
            let found = find_parts(source, part(setup), part(assertion));
            let starts = found.map(|(a, b)| [a, b].map(|place| place.map(|span| span.start)));
            assert_eq!(starts, Ok(expected), "{source}");
        };
        check(
            "void a() { a(); a(); b(); }",
            "a(); a();",
            "b();",
            [Some(11), Some(21)],
        );
        check(
            "void a() { a(); a(); a(); }",
            "a(); a();",
            "a();",
            [Some(11), Some(21)],
        );
        check("void a() { a(); }", "", "a();", [None, Some(11)]);
        check("void a() { a(); }", "a();", "", [Some(11), None]);
        assert!(find_parts("void a() { b(); a(); }", Some("a();"), Some("b();")).is_err());
    }

    #[test]
    fn a_language_is_what_the_line_says_else_what_its_test_tells() {
        let check = |told: Option<&str>, file: &str, framework: &str, expected| {
            let test = ReadTestHead {
                file: file.to_owned(),
                framework: framework.to_owned(),
            };
            let found = language(told, &test).map_err(|wrong| wrong.detail);
            assert_eq!(found, expected, "{told:?} {file} {framework}");
        };
        let told = |word| Some(word);
        check(told("csharp"), "a.java", "junit4", Ok(Language::CSharp));
        check(told("C#"), "a.cs", "xunit", Ok(Language::CSharp));
        check(told(" Py "), "a", "unknown", Ok(Language::Python));
        check(told(""), "a_test.go", "go", Ok(Language::Go));
        check(None, "tests/test_a.py", "junit4", Ok(Language::Python));
        check(None, "a.test.tsx", "unknown", Ok(Language::JavaScript));
        check(None, "(not told)", "nunit", Ok(Language::CSharp));
        check(None, "(not told)", "unknown", Ok(Language::Java));
        check(
            told("cobol"),
            "a.py",
            "pytest",
            Err("`language` cannot be `cobol`".to_owned()),
        );
    }

    #[test]
    fn what_marks_a_test_is_read_from_its_annotations() {
        let check = |source: &str, framework, expected| {
            assert_eq!(kind_of(source, "a", framework), expected, "{source}");
        };
        check("@Test void a()", Framework::JUnit5, TestKind::Test);
        check(
            "@org.junit.Test(x=@B) void a()",
            Framework::JUnit4,
            TestKind::Test,
        );
        check(
            "@ParameterizedTest void a()",
            Framework::JUnit5,
            TestKind::ParameterizedTest,
        );
        check("public void a()", Framework::JUnit3, TestKind::Named);
        check("public void a()", Framework::TestNg, TestKind::ByClass);
        check("", Framework::JUnit4, TestKind::Test);
    }
}

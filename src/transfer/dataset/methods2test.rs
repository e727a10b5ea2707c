//! Mappings of Methods2Test as samples (Tufano et al., MSR 2022; the README and `find_map_test_cases.py` of the dataset
//! at commit 574b84b): one file `REPO_N.json` per mapping in a folder per repository, in folders `train`, `eval`, `test`;
//! or the lines of our own `--format methods2test`.
//!
//! The dataset divides no test into setup and assertions; the parts here are found by the rule of mining. It names
//! classes without packages; the package is read from the path where it goes through a folder `java`, as in Maven's
//! layout. It does not say which of its two rules mapped a test; the names show it. Lines of files are not known: all
//! begin at 1. The focal class's other methods, fields and superclass are not kept.

use super::DatasetProject;
use super::declared::types_of;
use super::jsonl::{key, kind_of, splits};
use super::rows::{GivenKey, GivenSample, SampleParts};
use super::wrong::DatasetFault;
use crate::exchange::{
    ReadClass, ReadFunction, ReadMapping, ReadMappingHead, ReadMethod, Scalar, parse,
};
use crate::methods2test::LANGUAGE;
use crate::model::{CONSTRUCTOR, Framework, Matcher, Split, Stage, Status};

/// Makes the project of a mapping; where it has no URL, its number in the dataset tells it from others.
pub(super) fn project(dataset: &str, json: &str) -> Result<DatasetProject, DatasetFault> {
    let head: ReadMappingHead = parse(json.as_bytes())?;
    let repository = head.repository;
    if let Some(language) = &repository.language
        && !language.eq_ignore_ascii_case(LANGUAGE.as_str())
    {
        return Err(DatasetFault::line("`language` is not Java"));
    }
    let number = repository.repo_id.as_ref().map(ToString::to_string);
    let numbered = number.map(|number| format!("dataset:{dataset}/{number}"));
    let has_url = repository
        .url
        .as_deref()
        .and_then(crate::exchange::remote::of_url)
        .is_some();
    let name = numbered.as_deref().filter(|_| !has_url);
    let mut project = DatasetProject::new(dataset, name, repository.url.as_deref());
    let either = |a: Option<Scalar>, b: Option<Scalar>| [a, b].into_iter().flatten();
    project.repo.stars = either(repository.stargazer_count, repository.stars)
        .find_map(|scalar| scalar.number())
        .and_then(|stars| u32::try_from(stars).ok());
    project.repo.is_fork =
        either(repository.is_fork, repository.fork).find_map(|scalar| scalar.truth());
    Ok(project)
}

/// Makes the sample of a mapping; `folder_split` is what its folder says, for repositories as a whole.
pub(super) fn sample(json: &str, folder_split: Option<Split>) -> Result<GivenSample, DatasetFault> {
    let mapping: ReadMapping = parse(json.as_bytes())?;
    let (split, project_split) = splits(&mapping.split)?;
    let framework = framework_of(&mapping.test_case);
    let stage = stage_of(&mapping.test_case, &mapping.focal_method);
    let test = method(&mapping.test_class, &mapping.test_case)?;
    Ok(GivenSample {
        key: match &mapping.key {
            Some(digits) => GivenKey::Told(key(digits)?),
            None => GivenKey::OfMethod,
        },
        framework,
        kind: kind_of(&test.source, &test.method, framework),
        test,
        fixtures: Vec::new(),
        focal: Some(method(&mapping.focal_class, &mapping.focal_method)?),
        setup_context: Vec::new(),
        focal_context: Vec::new(),
        parts: SampleParts::Found,
        flags: None,
        matcher: Matcher::Methods2Test,
        decided: Some((stage, 1.0)),
        unmapped: Status::NoCandidate,
        candidates: Vec::new(),
        split: split.or(folder_split),
        project_split: project_split.or(folder_split),
        prefix: "",
    })
}

fn method(class: &ReadClass, function: &ReadFunction) -> Result<ReadMethod, DatasetFault> {
    if function.body.trim().is_empty() {
        return Err(DatasetFault::line(format!(
            "`{}` has no body",
            function.identifier
        )));
    }
    let n_breaks = function.body.matches('\n').count();
    Ok(ReadMethod {
        file: class.file.clone(),
        class: qualified(&class.file, &class.identifier),
        method: if function.constructor {
            CONSTRUCTOR.to_owned()
        } else {
            function.identifier.clone()
        },
        signature: function
            .full_signature
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        parameters: types_of(&function.parameters),
        start_line: 1,
        end_line: u32::try_from(n_breaks + 1).unwrap_or(u32::MAX),
        source: function.body.clone(),
    })
}

/// Qualifies a class by the package in its file's path: `src/main/java/p/q/C.java` is in `p.q`.
fn qualified(file: &str, class: &str) -> String {
    let folders = file.rsplit_once('/').map_or("", |(folders, _)| folders);
    let package = folders
        .strip_prefix("java/")
        .or_else(|| folders.rsplit_once("/java/").map(|(_, package)| package));
    match package {
        Some(package) => format!("{}.{class}", package.replace('/', ".")),
        None => class.to_owned(),
    }
}

/// Guesses the framework of a test. The dataset holds only methods annotated `@Test`: JUnit 4 requires them to be
/// public, and TestNG's annotation has elements that JUnit's has not.
fn framework_of(test: &ReadFunction) -> Framework {
    let header = test.body.split('{').next().unwrap_or_default();
    let elements = [
        "dataProvider",
        "groups",
        "expectedExceptions",
        "dependsOn",
        "enabled",
    ];
    if elements.iter().any(|element| header.contains(element)) {
        Framework::TestNg
    } else if test
        .full_signature
        .split_whitespace()
        .any(|word| word == "public")
    {
        Framework::JUnit4
    } else {
        Framework::JUnit5
    }
}

/// Finds the rule that mapped a test. By the dataset's first one, the test is named like the focal method when every
/// `test` is taken out of its name.
fn stage_of(test: &ReadFunction, focal: &ReadFunction) -> Stage {
    let name = test.identifier.to_lowercase().replace("test", "");
    if name == focal.identifier.to_lowercase() {
        Stage::Name
    } else {
        Stage::UniqueCall
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_paths_that_go_through_a_folder_java() {
        let check = |file: &str, expected: &str| assert_eq!(qualified(file, "C"), expected);
        check("src/main/java/p/q/C.java", "p.q.C");
        check("a/java/x/src/main/java/p/C.java", "p.C");
        check("java/p/C.java", "p.C");
        check("src/p/C.java", "C");
        check("src/main/java/C.java", "C");
        check("C.java", "C");
        check("", "C");
    }
}

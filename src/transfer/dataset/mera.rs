//! Records of MERA's `UnitTests` as samples: our own exports in any layout, and published records in these shapes.
//!
//! Fences are removed; texts that were cut stay cut. The contexts of a record are parts of files and no methods: they
//! stand among the sample's contexts, each as one text. `meta.repo_id` names the project, in the record's language.
//! Keys follow from the dataset's name and the record's number, so that answers find their samples by that number.

use super::DatasetProject;
use super::declared::NO_CLASS;
use super::rows::{GivenKey, GivenSample, SampleParts};
use super::wrong::DatasetFault;
use crate::exchange::mera::{MeraRecord, unfenced};
use crate::exchange::{ReadMethod, parse};
use crate::mera::{FOCAL_FILE, TEST_FILE};
use crate::model::{Framework, Language, Matcher, SampleKey, Split, Stage, Status, TestKind};
use crate::syntax::dialect;
use crate::syntax::excerpt::declared_name;

/// The name of a method whose source does not tell it.
const NO_NAME: &str = "(unnamed)";

/// A word for tests that are methods, in each language of prompts.
const METHOD_WORDS: [&str; 2] = ["method", "метод"];

/// Makes the project of a record, with its test's runner.
pub(super) fn project(dataset: &str, line: &str) -> Result<DatasetProject, DatasetFault> {
    let record: MeraRecord = parse(line.as_bytes())?;
    let language = language(&record)?;
    let repo_id = record.meta.repo_id.trim();
    let is_number = !repo_id.is_empty() && repo_id.bytes().all(|byte| byte.is_ascii_digit());
    let identity = if is_number {
        format!("dataset:{dataset}/{repo_id}")
    } else {
        repo_id.to_owned()
    };
    let mut project = DatasetProject::new(dataset, Some(&identity), None);
    project.repo.host_id = is_number.then(|| repo_id.to_owned());
    project.repo.language = language;
    if language == Language::JavaScript {
        let path = &record.inputs.test_file_path;
        let folder = path.rsplit_once('/').map_or("", |pair| pair.0);
        let runner = match record.inputs.test_framework.as_str() {
            "Unknown" => "",
            runner => runner,
        };
        project.repo.runners = vec![(folder.to_owned(), runner.to_owned())];
    }
    Ok(project)
}

fn language(record: &MeraRecord) -> Result<Language, DatasetFault> {
    let word = record.inputs.language.as_str();
    let mut all = Language::ALL.iter().copied();
    all.find(|language| dialect(*language).mera_fence == word)
        .ok_or_else(|| DatasetFault::line(format!("`inputs.language` cannot be `{word}`")))
}

/// Makes the sample of a record; `file_split` is what the file's name says, for projects as a whole.
pub(super) fn sample(
    dataset: &str,
    line: &str,
    file_split: Option<Split>,
) -> Result<GivenSample, DatasetFault> {
    let record: MeraRecord = parse(line.as_bytes())?;
    let language = language(&record)?;
    let id = u32::try_from(record.meta.id)
        .map_err(|_| DatasetFault::line(format!("`meta.id` is {}", record.meta.id)))?;
    let inputs = &record.inputs;
    let is_method = METHOD_WORDS
        .iter()
        .any(|text| inputs.test_func_type.contains(text));
    let test = method(language, &inputs.test_file_path, &record.outputs, is_method);
    let focal_source = unfenced(&inputs.focal_func);
    let is_method = record.meta.focal_func_type == "method";
    let focal = method(language, &inputs.focal_file_path, focal_source, is_method);
    Ok(GivenSample {
        key: GivenKey::Told(SampleKey::of_record(dataset, id)),
        framework: framework(language, &inputs.test_framework),
        kind: TestKind::Test,
        setup_context: part(&inputs.test_file_path, TEST_FILE, &inputs.test_func_context),
        focal_context: part(
            &inputs.focal_file_path,
            FOCAL_FILE,
            &inputs.focal_func_context,
        ),
        test,
        fixtures: Vec::new(),
        focal: Some(focal),
        parts: SampleParts::Found,
        flags: None,
        matcher: Matcher::Mera,
        decided: Some((Stage::Name, 1.0)),
        unmapped: Status::NoCandidate,
        candidates: Vec::new(),
        split: file_split,
        project_split: file_split,
        prefix: "",
    })
}

fn method(language: Language, file: &str, source: &str, is_method: bool) -> ReadMethod {
    let name = declared_name(language, source);
    let n_breaks = source.matches('\n').count();
    let first = source.lines().next().unwrap_or_default();
    ReadMethod {
        file: file.to_owned(),
        class: if is_method { NO_CLASS } else { "" }.to_owned(),
        method: name.unwrap_or_else(|| NO_NAME.to_owned()),
        signature: first.split_whitespace().collect::<Vec<_>>().join(" "),
        parameters: Vec::new(),
        start_line: 1,
        end_line: u32::try_from(n_breaks + 1).unwrap_or(u32::MAX),
        source: source.to_owned(),
    }
}

/// Makes a context of one text out of a part of a file; none for an empty one.
fn part(file: &str, name: &str, fenced: &str) -> Vec<ReadMethod> {
    let source = unfenced(fenced);
    let n_breaks = source.matches('\n').count();
    let method = ReadMethod {
        file: file.to_owned(),
        method: name.to_owned(),
        signature: name.to_owned(),
        start_line: 1,
        end_line: u32::try_from(n_breaks + 1).unwrap_or(u32::MAX),
        source: source.to_owned(),
        ..ReadMethod::default()
    };
    Vec::from_iter((!source.is_empty()).then_some(method))
}

fn framework(language: Language, word: &str) -> Framework {
    let mut all = Framework::ALL.iter().copied();
    match language {
        Language::Go => Framework::Go,
        Language::JavaScript => all
            .find(|framework| framework.as_str() == word)
            .unwrap_or(Framework::Unknown),
        Language::Java | Language::Python | Language::CSharp => Framework::Unknown,
    }
}

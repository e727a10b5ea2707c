//! A stored sample as a record: the shown parts of both files.

use std::borrow::Cow;

use crate::exchange::mera::{
    MeraInputs, MeraInstruction, MeraMeta, MeraOrigin, MeraRecord, fenced,
};
use crate::model::{Language, Repo, Span};
use crate::store::{StoredMethod, StoredSample};
use crate::syntax::dialect;
use crate::syntax::excerpt::{TestFile, test_context};

use super::PromptFile;
use super::pick::Pick;

/// The contexts of an imported record, which stand among the sample's contexts as if they were methods.
pub const TEST_FILE: &str = "(test file)";
pub const FOCAL_FILE: &str = "(focal file)";

/// The mark in the focal file in place of the function in question.
const FOCAL_MARK: &str = "\n#focal function/method here\n";

/// The most characters of each context that are shown.
const FOCAL_CONTEXT_CHARS_MAX: usize = 50_000;
const TEST_CONTEXT_CHARS_MAX: usize = 20_000;

/// The runner of a JavaScript test whose package names none of the five.
const NO_RUNNER: &str = "Unknown";

/// Makes a record without its number and its prompt. `tests` are all tests in the test's file.
pub fn record(sample: &StoredSample, tests: &[Span], prompts: &PromptFile) -> MeraRecord {
    let language = sample.repo.language;
    let fence = dialect(language).mera_fence;
    let test = &sample.test;
    let prompts = &prompts.prompts;
    let test_func_type = if is_method(language, test) && language != Language::JavaScript {
        &prompts.word_method
    } else {
        &prompts.word_function
    };
    let focal = sample.focal.as_ref();
    let focal_func = focal.map_or("", StoredMethod::source);
    let focal_context = focal_context(sample);
    let focal_func_type = if focal.is_some_and(|stored_method| is_method(language, stored_method)) {
        "method"
    } else {
        "function"
    };
    MeraRecord {
        instruction: MeraInstruction::Number(0),
        inputs: MeraInputs {
            focal_func: fenced(fence, focal_func),
            focal_func_context: fenced(fence, cut(&focal_context, FOCAL_CONTEXT_CHARS_MAX)),
            test_func_type: test_func_type.clone(),
            test_func_context: fenced(
                "",
                cut(&context_of_test(sample, tests), TEST_CONTEXT_CHARS_MAX),
            ),
            language: fence.to_owned(),
            focal_file_path: focal
                .map_or_else(String::new, |stored_method| stored_method.path.clone()),
            test_file_path: test.path.clone(),
            test_framework: match language {
                Language::JavaScript => runner(&sample.repo, &test.path).to_owned(),
                Language::Java | Language::Python | Language::Go | Language::CSharp => {
                    String::new()
                }
            },
        },
        outputs: outdented(test).into_owned(),
        meta: MeraMeta {
            id: 0,
            repo_id: repo_id(&sample.repo).to_owned(),
            focal_func_type: focal_func_type.to_owned(),
        },
    }
}

/// Describes the origin of a record.
pub fn origin(sample: &StoredSample, pick: &Pick) -> MeraOrigin {
    let repo = &sample.repo;
    MeraOrigin {
        id: pick.id,
        key: pick.key.to_string(),
        language: dialect(pick.language).mera_fence.to_owned(),
        repo: repo.identity.clone(),
        commit: repo.commit.clone(),
        license: repo.license.clone(),
        test: sample.test.key(),
        focal: (sample.focal.as_ref()).map_or_else(String::new, StoredMethod::key),
        split: pick.part.as_str().to_owned(),
    }
}

/// Returns the host's number of a repository, else its identity.
fn repo_id(repo: &Repo) -> &str {
    repo.host_id.as_deref().unwrap_or(&repo.identity)
}

/// Tells whether a declaration is a method, in the words of its language.
fn is_method(language: Language, method: &StoredMethod) -> bool {
    match language {
        Language::Java | Language::CSharp => true,
        Language::Python | Language::Go | Language::JavaScript => method.is_of_class,
    }
}

/// Returns the runner of the nearest package around a file.
pub fn runner<'r>(repo: &'r Repo, path: &str) -> &'r str {
    let mut folder = path;
    while !folder.is_empty() {
        folder = folder.rsplit_once('/').map_or("", |pair| pair.0);
        let found = (repo.runners).binary_search_by(|(text, _)| text.as_str().cmp(folder));
        if let Ok(idx) = found {
            let runner = repo.runners[idx].1.as_str();
            return if runner.is_empty() { NO_RUNNER } else { runner };
        }
    }
    NO_RUNNER
}

/// Tells whether a sample came with a dataset of such records.
pub fn is_imported(sample: &StoredSample) -> bool {
    of_name(&sample.focal_context, FOCAL_FILE).is_some()
}

fn of_name<'m>(context: &'m [StoredMethod], name: &str) -> Option<&'m StoredMethod> {
    context
        .iter()
        .find(|stored_method| stored_method.name == name)
}

/// Returns the file around the focal method; for an imported record the part that it has.
pub fn whole_focal_file(sample: &StoredSample) -> Option<&str> {
    match of_name(&sample.focal_context, FOCAL_FILE) {
        Some(context) => Some(context.source()),
        None => sample
            .focal
            .as_ref()
            .map(|stored_method| &*stored_method.text),
    }
}

/// Returns the focal file with a mark in place of the focal method, below its path.
fn focal_context(sample: &StoredSample) -> Cow<'_, str> {
    if let Some(context) = of_name(&sample.focal_context, FOCAL_FILE) {
        return Cow::Borrowed(context.source());
    }
    let Some(focal) = &sample.focal else {
        return Cow::Borrowed("");
    };
    let (start, end) = (focal.span.start as usize, focal.span.end as usize);
    let before = focal.text.get(..start).unwrap_or_default();
    let after = focal.text.get(end..).unwrap_or_default();
    Cow::Owned(format!("#{}\n{before}{FOCAL_MARK}{after}", focal.path))
}

/// Returns the shown part of the test's file.
fn context_of_test(sample: &StoredSample, tests: &[Span]) -> String {
    if is_imported(sample) {
        let context = of_name(&sample.setup_context, TEST_FILE);
        return context.map_or_else(String::new, |stored_method| {
            stored_method.source().to_owned()
        });
    }
    let file = TestFile {
        language: sample.repo.language,
        path: &sample.test.path,
        text: &sample.test.text,
        tests,
    };
    test_context(file, sample.test.span)
}

/// Removes the first line's indentation from all lines of a declaration, as far as they share it.
pub fn outdented(method: &StoredMethod) -> Cow<'_, str> {
    let source = method.source();
    let before = method.text.get(..method.span.start as usize);
    let line = before.unwrap_or_default().rsplit('\n').next();
    let indent = line.unwrap_or_default();
    let n_indent = indent.len() - indent.trim_start_matches([' ', '\t']).len();
    let indent = &indent[..n_indent];
    if indent.is_empty() || !source.contains('\n') {
        return Cow::Borrowed(source);
    }
    let lines = source.split('\n').map(|line| {
        let n_same = (line.bytes().zip(indent.bytes()))
            .take_while(|(a, b)| a == b)
            .count();
        &line[n_same..]
    });
    // The first line begins at its first word.
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// Cuts a text to at most `n_chars_max` characters.
pub fn cut(text: &str, n_chars_max: usize) -> &str {
    match text.char_indices().nth(n_chars_max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

//! Rows of published datasets as lines of `--format jsonl`: which of their columns is which field of ours, and which
//! fields follow from others.
//!
//! Names of columns are those of the published files. Nothing is made up that a dataset does not publish: where it has
//! no tests, a sample is the frame that it asks models to fill.

use serde_json::{Value, json};

use super::columns::Mapping;
use super::records::{Fields, RecordError, count_at, kind, text_at};

/// A dataset whose columns are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedDataset {
    /// Pairs of a file and its test file, at a commit (Jain et al. 2024).
    TestGenEval,
    /// Programs in Python without tests (Wang et al. 2024).
    TestEval,
    /// Functions with their comments (Husain et al. 2019); those that are tests are samples.
    CodeSearchNet,
}

/// The names of a row in either publication of `CodeSearchNet`: its files of lines, and its columns.
const CODE_SEARCH_NET: [[&str; 2]; 6] = [
    ["repo", "repository_name"],
    ["path", "func_path_in_repository"],
    ["func_name", "func_name"],
    ["original_string", "whole_func_string"],
    ["url", "func_code_url"],
    ["language", "language"],
];

impl PublishedDataset {
    /// Converts a row to a line; nothing for one that is no test.
    ///
    /// # Errors
    /// The field that the row lacks.
    pub fn sample(self, dataset: &str, row: &Value) -> Result<Option<Value>, RecordError> {
        let Value::Object(fields) = row else {
            let found = kind(row);
            return Err(RecordError::NotAnObject { found });
        };
        let mut ours = match self {
            Self::TestGenEval => test_gen_eval(fields)?,
            Self::TestEval => test_eval(fields)?,
            Self::CodeSearchNet => match code_search_net(fields)? {
                Some(ours) => ours,
                None => return Ok(None),
            },
        };
        if let Value::Object(fields) = &mut ours {
            fields.retain(|_, value| !value.is_null());
        }
        let names = [
            "id",
            "language",
            "repo",
            "split",
            "test",
            "focal",
            "assertion",
            "setup",
        ];
        let same = names.map(|name| (name.to_owned(), name.to_owned()));
        Mapping(same.to_vec()).sample(dataset, &ours).map(Some)
    }
}

/// Reads the text in a required column.
fn text<'r>(row: &'r Fields, name: &str) -> Result<&'r str, RecordError> {
    match text_at(row, name)? {
        text if text.trim().is_empty() => Err(RecordError::empty(name)),
        text => Ok(text),
    }
}

/// Returns the address of a project's web page, at a commit where one is known: another commit is another project.
fn page(name: &str, commit: Option<&str>) -> String {
    let at = commit.map_or_else(String::new, |commit| format!("/tree/{commit}"));
    format!("https://github.com/{name}{at}")
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Makes a method of a whole file.
fn whole_file(path: &str, source: &str) -> Value {
    let module = path.strip_suffix(".py").unwrap_or(path).replace('/', ".");
    json!({"file": path, "class": module, "method": stem(path), "signature": stem(path), "source": source,
           "parameters": []})
}

fn test_gen_eval(row: &Fields) -> Result<Value, RecordError> {
    let (repo, commit) = (text(row, "repo")?, text(row, "base_commit")?);
    let id = text(row, "id").or_else(|_| text(row, "instance_id"))?;
    let source = text(row, "test_src")?;
    let mut test = whole_file(text(row, "test_file")?, source);
    let is_unittest = source.contains("TestCase");
    test["framework"] = if is_unittest { "unittest" } else { "pytest" }.into();
    Ok(json!({
        "id": id,
        "language": "python",
        "repo": {"name": repo, "url": page(repo, Some(commit)), "commit": commit},
        "test": test,
        "focal": whole_file(text(row, "code_file")?, text(row, "code_src")?),
    }))
}

fn test_eval(row: &Fields) -> Result<Value, RecordError> {
    let id = count_at(row, "task_num")?.to_string();
    let (name, source) = (text(row, "func_name")?, text(row, "python_solution")?);
    let title = row.get("task_title").and_then(Value::as_str);
    let file = format!("{id}.py");
    // The beginning that the dataset's prompts give a model.
    let frame = format!("def test_{name}():\n    solution = Solution()\n");
    Ok(json!({
        "id": id,
        "language": "python",
        "test": {"file": format!("test_{file}"), "class": format!("test_{id}"), "method": format!("test_{name}"),
                 "signature": format!("def test_{name}()"), "framework": "pytest", "source": frame},
        "setup": "solution = Solution()",
        "focal": {"file": file, "class": "Solution", "method": name, "signature": title.unwrap_or(name),
                  "parameters": [], "source": source},
    }))
}

fn code_search_net(row: &Fields) -> Result<Option<Value>, RecordError> {
    let column = |idx: usize| {
        let names = CODE_SEARCH_NET[idx];
        let found = names.iter().find_map(|name| text(row, name).ok());
        found.map_or_else(|| text(row, names[0]), Ok)
    };
    let language = column(5)?;
    let (path, name, source) = (column(1)?, column(2)?, column(3)?);
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    let Some(framework) = framework(language, method, source, path) else {
        return Ok(None);
    };
    let repo = column(0)?;
    // A page of a function says the commit: `…/blob/COMMIT/path#L1-L9`.
    let url = column(4).unwrap_or_default();
    let mut after = url.split("/blob/").skip(1);
    let commit = after.next().and_then(|text| text.split('/').next());
    let split = row.get("partition").or_else(|| row.get("split_name"));
    let split = match split.and_then(Value::as_str) {
        Some("valid") => Some("validation"),
        split => split,
    };
    let mut test =
        json!({"file": path, "method": method, "framework": framework, "source": source});
    if !class.is_empty() {
        test["class"] = class.into();
    }
    Ok(Some(json!({
        "id": if url.is_empty() { Value::Null } else { url.into() },
        "language": language,
        "repo": {"name": repo, "url": page(repo, None), "commit": commit},
        "split": {"project": split},
        "test": test,
    })))
}

/// Tells which framework a function is a test of; nothing for one that is none, or in a language that we do not know.
fn framework(language: &str, method: &str, source: &str, path: &str) -> Option<&'static str> {
    match language {
        "java" => {
            let is_in_tests = path.contains("src/test/") || stem(path).ends_with("Test");
            let is_named = method.starts_with("test") && is_in_tests;
            (source.contains("@Test") || is_named).then_some("junit4")
        }
        "python" => {
            let is_named = method.starts_with("test") && stem(path).contains("test");
            let is_method = source.contains("(self");
            is_named.then_some(if is_method { "unittest" } else { "pytest" })
        }
        "go" => (method.starts_with("Test") && path.ends_with("_test.go")).then_some("go"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(published: PublishedDataset, row: &Value, expected: Result<Option<Value>, &str>) {
        let found = published.sample("set", row);
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{row}");
    }

    #[test]
    fn a_pair_of_files_is_a_sample_at_its_commit() {
        let row = json!({"repo": "o/r", "base_commit": "abc", "instance_id": "o__r-1", "id": "o__r-1-7",
            "code_file": "a/b.py", "code_src": "def b(): pass\n", "test_file": "tests/test_b.py",
            "test_src": "def test_b():\n    b()\n", "preds_context": {"none": ""}});
        let found = PublishedDataset::TestGenEval.sample("set", &row);
        let found = found.expect("it is one").expect("it is a test");
        assert_eq!(found["repo"]["url"], "https://github.com/o/r/tree/abc");
        assert_eq!(found["test"]["class"], "tests.test_b");
        assert_eq!(found["test"]["end_line"], 2);
        assert_eq!(found["focal"]["method"], "b");
        let named = PublishedDataset::TestGenEval.sample("other", &row);
        let named = named.expect("it is one").expect("it is a test");
        assert_ne!(found["key"], named["key"]);
        let mut broken = row;
        broken["test_src"] = " ".into();
        check(
            PublishedDataset::TestGenEval,
            &broken,
            Err("`test_src` is empty"),
        );
    }

    #[test]
    fn a_program_without_tests_has_the_frame_of_one() {
        let row = json!({"task_num": 4, "func_name": "f", "python_solution": "class Solution:\n  def f(self): pass\n"});
        let found = PublishedDataset::TestEval.sample("set", &row);
        let found = found.expect("it is one").expect("it is a test");
        assert_eq!(
            found["test"]["source"],
            "def test_f():\n    solution = Solution()\n"
        );
        assert_eq!(found["assertion"], Value::Null);
        check(
            PublishedDataset::TestEval,
            &json!({"func_name": "f"}),
            Err("no field `task_num` beside `func_name`"),
        );
    }

    #[test]
    fn functions_that_are_tests_are_samples_by_either_names() {
        let of = |language: &str, path: &str, name: &str, source: &str| {
            json!({"repo": "o/r", "path": path, "func_name": name, "original_string": source, "language": language,
                "url": format!("https://github.com/o/r/blob/abc/{path}#L1-L2"), "partition": "valid"})
        };
        let is_test = |row: &Value| {
            let found = PublishedDataset::CodeSearchNet.sample("set", row);
            found.expect("the row has what it needs").is_some()
        };
        let java = of(
            "java",
            "a/ATest.java",
            "ATest.testA",
            "public void testA() {}",
        );
        assert!(is_test(&java));
        assert!(!is_test(&of(
            "java",
            "a/A.java",
            "A.testA",
            "void testA() {}"
        )));
        assert!(is_test(&of(
            "python",
            "tests/test_a.py",
            "A.test_a",
            "def test_a(self): pass"
        )));
        assert!(!is_test(&of("python", "a.py", "a", "def a(): pass")));
        assert!(is_test(&of("go", "a_test.go", "TestA", "func TestA() {}")));
        assert!(!is_test(&of(
            "php",
            "ATest.php",
            "testA",
            "function testA() {}"
        )));
        let found = PublishedDataset::CodeSearchNet.sample("set", &java);
        let found = found.expect("it is one").expect("it is a test");
        assert_eq!(found["repo"]["commit"], "abc");
        assert_eq!(found["split"]["project"], "validation");
        let columns = json!({"repository_name": "o/r", "func_path_in_repository": "a_test.go", "func_name": "TestA",
            "whole_func_string": "func TestA() {}", "language": "go"});
        assert!(is_test(&columns));
        check(
            PublishedDataset::CodeSearchNet,
            &json!({"language": "go"}),
            Err("no field `path` beside `language`"),
        );
    }
}

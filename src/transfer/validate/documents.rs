//! Documents beside data: cards, citations, descriptions, manifests, tasks and results.

use crate::exchange::mera::MeraFile;
use crate::exchange::parse;
use crate::exchange::placed::{PlacedError, ValueAtLine, json, yaml};
use crate::exchange::shape::ValueShape;

use super::shapes;
use super::{FileCheck, ReadHalt};

/// Where models have their results, on the Hub.
pub(super) const RESULTS_FOLDER: &str = ".eval_results";

#[derive(Clone, Copy)]
struct DocumentKind {
    kind: &'static str,
    shape: ValueShape,
    made_by: &'static str,
}

const CARD: DocumentKind = DocumentKind {
    kind: "a dataset's card",
    shape: shapes::CARD,
    made_by: "focalist export --format parquet",
};
const CITATION: DocumentKind = DocumentKind {
    kind: "a citation",
    shape: shapes::CITATION,
    ..CARD
};
const CROISSANT: DocumentKind = DocumentKind {
    kind: "a description for loaders",
    shape: shapes::CROISSANT,
    ..CARD
};
const TASKS: DocumentKind = DocumentKind {
    kind: "tasks of a benchmark",
    shape: shapes::TASKS,
    ..CARD
};
const MANIFEST: DocumentKind = DocumentKind {
    kind: "a manifest",
    shape: shapes::MANIFEST,
    made_by: "focalist manifest",
};
const MERA_MANIFEST: DocumentKind = DocumentKind {
    kind: "a manifest",
    shape: shapes::MERA_MANIFEST,
    made_by: "focalist export --format mera",
};
const RESULTS: DocumentKind = DocumentKind {
    kind: "results of a model",
    shape: shapes::RESULTS,
    made_by: "focalist export --format eval-results",
};

/// Checks a file that holds no lines; the extension is in lower case.
pub(super) fn check(check: &mut FileCheck<'_>, extension: Option<&str>) -> Result<(), ReadHalt> {
    let path = check.path.clone();
    let name = path.rsplit('/').next().unwrap_or(&path);
    match name {
        "README.md" => card(check),
        "CITATION.cff" => yaml_document(check, CITATION),
        "eval.yaml" => yaml_document(check, TASKS),
        _ if matches!(extension, Some("yaml" | "yml")) => other_yaml(check),
        _ if extension == Some("json") => json_document(check, name),
        _ => {
            check.result.unknown.push(path);
            Ok(())
        }
    }
}

/// Checks the front matter of a card; a `README.md` without any is of no dataset.
fn card(check: &mut FileCheck<'_>) -> Result<(), ReadHalt> {
    let Some(text) = check.text()? else {
        check.checked(CARD.kind, None);
        return Ok(());
    };
    let Some(rest) = text
        .strip_prefix("---")
        .filter(|rest| rest.trim_start_matches('\r').starts_with('\n'))
    else {
        check.result.unknown.push(check.path.clone());
        return Ok(());
    };
    let mut front = String::new();
    let mut is_closed = false;
    for line in rest.split_inclusive('\n').skip(1) {
        if line.trim_end() == "---" {
            is_closed = true;
            break;
        }
        front.push_str(line);
    }
    check.checked(CARD.kind, None);
    if !is_closed {
        check.flaw(
            1,
            "the front matter does not end",
            "put a line `---` behind it",
        );
        return Ok(());
    }
    let read = yaml(&front, 2);
    if let Some(placed) = shaped(check, CARD, read) {
        check.known.cards.push((check.path.clone(), placed));
    }
    Ok(())
}

fn yaml_document(check: &mut FileCheck<'_>, document: DocumentKind) -> Result<(), ReadHalt> {
    check.checked(document.kind, None);
    let Some(text) = check.text()? else {
        return Ok(());
    };
    let Some(placed) = shaped(check, document, yaml(&text, 1)) else {
        return Ok(());
    };
    if document.kind == TASKS.kind {
        check.known.tasks.push((check.path.clone(), placed));
    } else if document.kind == CITATION.kind {
        for author in placed.get("authors").map_or(&[][..], ValueAtLine::elements) {
            let names = ["name", "family-names", "given-names", "alias"];
            if names.iter().all(|name| author.get(name).is_none()) {
                let mend = "add `name`, or `family-names` and `given-names`";
                check.flaw(author.line, "an author without a name", mend);
            }
        }
    }
    Ok(())
}

/// Checks results of a model, wherever they lie; other YAML is not ours.
fn other_yaml(check: &mut FileCheck<'_>) -> Result<(), ReadHalt> {
    let is_in_folder = check
        .place()
        .parent()
        .and_then(|parent| parent.file_name())
        .is_some_and(|text| text == RESULTS_FOLDER);
    let Some(text) = check.text()? else {
        check.checked(RESULTS.kind, None);
        return Ok(());
    };
    let read = yaml(&text, 1);
    let is_of_results = |placed: &ValueAtLine| {
        let first = placed.elements().first();
        first.is_some_and(|at_line| at_line.get("dataset").is_some())
    };
    if !is_in_folder && !read.as_ref().is_ok_and(is_of_results) {
        check.result.unknown.push(check.path.clone());
        return Ok(());
    }
    check.checked(RESULTS.kind, None);
    shaped(check, RESULTS, read);
    Ok(())
}

fn json_document(check: &mut FileCheck<'_>, name: &str) -> Result<(), ReadHalt> {
    let Some(text) = check.text()? else {
        check.checked("JSON", None);
        return Ok(());
    };
    let read = json(&text);
    let has = |names: &[&str]| {
        let members = |at_line: &ValueAtLine| names.iter().all(|name| at_line.get(name).is_some());
        read.as_ref().is_ok_and(members)
    };
    let document = match name {
        _ if has(&["access", "data"]) => {
            mera_file(check, &text);
            return Ok(());
        }
        "croissant.json" => CROISSANT,
        _ if has(&["@context", "recordSet"]) => CROISSANT,
        _ if has(&["focalist", "format"]) => MERA_MANIFEST,
        "manifest.json" => MANIFEST,
        _ if has(&["focalist", "repositories"]) => MANIFEST,
        _ => {
            check.result.unknown.push(check.path.clone());
            return Ok(());
        }
    };
    check.checked(document.kind, None);
    let Some(placed) = shaped(check, document, read) else {
        return Ok(());
    };
    let path = check.path.clone();
    match document.kind {
        kind if kind == CROISSANT.kind => check.known.described.push((path, placed)),
        _ if placed.get("format").is_none() => manifest(check, &placed),
        _ => {}
    }
    Ok(())
}

/// Checks a file of the layout `mera`, one object with all records.
fn mera_file(check: &mut FileCheck<'_>, text: &str) {
    match parse::<MeraFile>(text.as_bytes()) {
        Ok(file) => check.checked("records of MERA", Some(file.data.len() as u64)),
        Err(what) => {
            check.checked("records of MERA", None);
            let mend =
                "mend it, or write it again with `focalist export --format mera --layout mera`";
            check.flaw(None, what.to_string(), mend);
        }
    }
}

/// Reports the flaws of a document; returns it where there are none.
fn shaped(
    check: &mut FileCheck<'_>,
    document: DocumentKind,
    read: Result<ValueAtLine, PlacedError>,
) -> Option<ValueAtLine> {
    let placed = match read {
        Ok(placed) => placed,
        Err(PlacedError { line, what }) => {
            let mend = format!(
                "mend the line, or write the file again with `{}`",
                document.made_by
            );
            check.flaw(line, what, &mend);
            return None;
        }
    };
    let mut wrong = Vec::new();
    document.shape.check(&placed, "", &mut wrong);
    for shape_fault in &wrong {
        check.flaw(
            shape_fault.line,
            shape_fault.what.clone(),
            &shape_fault.mend,
        );
    }
    wrong.is_empty().then_some(placed)
}

/// Checks that the sums of a manifest match its repositories, and its hash the hash of their hashes.
fn manifest(check: &mut FileCheck<'_>, placed: &ValueAtLine) {
    let repositories = placed
        .get("repositories")
        .map_or(&[][..], ValueAtLine::elements);
    let number = |at_line: &ValueAtLine, name: &str| {
        at_line.get(name).and_then(ValueAtLine::whole).unwrap_or(0)
    };
    let sum = |name: &str| {
        repositories
            .iter()
            .map(|repository| number(repository, name))
            .sum::<u64>()
    };
    let sums = [
        ("n_repositories", repositories.len() as u64),
        ("n_files", sum("n_files")),
        ("n_tests", sum("n_tests")),
    ];
    for (name, expected) in sums {
        let told = number(placed, name);
        if let Some(line) = placed
            .get(name)
            .map(|at_line| at_line.line)
            .filter(|_| told != expected)
        {
            let what = format!("`{name}` is {told}, and its repositories come to {expected}");
            check.flaw(
                line,
                what,
                &format!("write {expected}, or mend the repositories"),
            );
        }
    }
    let mut content = blake3::Hasher::new();
    for repository in repositories {
        let text = |name: &str| {
            repository
                .get(name)
                .and_then(ValueAtLine::text)
                .unwrap_or("")
        };
        content.update(text("identity").as_bytes());
        content.update(&[0]);
        content.update(&bytes_of(text("content")));
    }
    let expected = content.finalize().to_hex()[..32].to_owned();
    if let Some(told) = placed.get("content")
        && told.text() != Some(&expected)
    {
        let what = "`content` is not the hash of the repositories' content: something was changed";
        let mend = "write it again with `focalist manifest`, from the index that the data is from";
        check.flaw(told.line, what, mend);
    }
}

/// Parses hexadecimal digits to bytes.
fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.filter_map(byte).collect()
}

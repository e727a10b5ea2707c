//! Candidates run for real with the engine `fast`, in a test project: the outcomes of right, wrong and hostile
//! predictions, and that none of them affects the next.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set. The table is `fixtures/maven/shelf.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use focalist::model::{Framework, MethodPlace, Outcome, Span};
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::{Candidate, CandidateExecution, Engine, Fate, Focal, HostFile};
use focalist::task::Monitor;

use crate::prepare::{has_tools, options, prepare, project, site};

/// A candidate that detects whether another ran before it.
const INNOCENT: &str =
    "@Test void innocent() throws Exception { untouched(); assertEquals(1, shelf.size()); }";

/// A row of the table.
pub struct Row {
    pub title: String,
    /// `File` or `File.Nested`.
    pub class: String,
    pub test: String,
    pub text: String,
    pub outcome: String,
    pub says: String,
}

fn rows() -> Vec<Row> {
    let mut rows = read_rows("shelf.md");
    rows.extend(grown());
    rows
}

/// Returns the rows of a table.
pub fn read_rows(table: &str) -> Vec<Row> {
    let path = project(table);
    let table = fs::read_to_string(path).expect("the table is there");
    let read = |section: &str| {
        let (heading, rest) = section.split_once('\n')?;
        let (place, rest_of_heading) = heading.split_once(' ')?;
        let (class, test) = place.split_once('#')?;
        let (title, end) = rest_of_heading.split_once(": ")?;
        let (outcome, says) = end.split_once(' ').unwrap_or((end, ""));
        let text = rest.split_once("```java\n")?.1.split_once("```")?.0;
        Some(Row {
            title: format!("{class}: {title}"),
            class: class.to_owned(),
            test: test.to_owned(),
            text: text.trim_end().to_owned(),
            outcome: outcome.to_owned(),
            says: says.to_owned(),
        })
    };
    let rows = table.split("\n## ").skip(1);
    rows.map(|row| read(row).expect("every section is a row"))
        .collect()
}

fn row_of(class: &str, title: &str, text: &str) -> Row {
    Row {
        title: title.to_owned(),
        class: class.to_owned(),
        test: "counts".to_owned(),
        text: text.to_owned(),
        outcome: String::new(),
        says: String::new(),
    }
}

/// Returns rows that are too long for the table.
fn grown() -> Vec<Row> {
    let row = |title: &str, outcome: &str, says: &str, body: &str| Row {
        title: title.to_owned(),
        class: "FiveTest".to_owned(),
        test: "counts".to_owned(),
        text: format!("@Test void counts() {{ {body} shelf.size(); }}"),
        outcome: outcome.to_owned(),
        says: says.to_owned(),
    };
    let refused = "not_compilable";
    let constants: Vec<String> = (0..70_000).map(|n| format!("\"{n}\"")).collect();
    let constants = constants.join(",");
    let (open, closed) = ("(".repeat(20_000), ")".repeat(20_000));
    vec![
        row(
            "a constant that is too long",
            refused,
            "constant string too long",
            &format!("shelf.put(\"{}\");", "a".repeat(70_000)),
        ),
        row(
            "more code than fits in a method",
            refused,
            "code too large",
            &"shelf.put(\"a\"); ".repeat(20_000),
        ),
        row(
            "more constants than fit in a class",
            refused,
            "too",
            &format!("String[] all = {{{constants}}};"),
        ),
        row(
            "brackets in brackets",
            "unparsable",
            "",
            &format!("int n = {open}1{closed};"),
        ),
        row(
            "blocks in blocks",
            "unparsable",
            "",
            &format!("{}{}", "{".repeat(20_000), "}".repeat(20_000)),
        ),
        row(
            "a sum of many parts",
            refused,
            "",
            &format!("int n = 1{};", " + shelf.size()".repeat(20_000)),
        ),
    ]
}

/// Returns the location of a test that is declared on one line.
pub fn place(text: &str, class: &str, test: &str) -> Span {
    let from = match class.rsplit_once('.') {
        Some((_, nested)) => text.find(&format!("class {nested} ")).expect("it is there"),
        None => 0,
    };
    let name = text[from..]
        .find(&format!("void {test}("))
        .expect("it is there")
        + from;
    let start = text[..name].rfind('\n').map_or(0, |n| n + 1);
    let end = text[name..].find('\n').map_or(text.len(), |n| n + name);
    let indent = text[start..].len() - text[start..].trim_start().len();
    Span::new((start + indent) as u32, end as u32)
}

fn host_file(file: &str, rows: &[Row]) -> HostFile {
    let path = format!("src/test/java/p/{file}.java");
    let text = fs::read_to_string(project("shelf").join(&path)).expect("it is there");
    let here = rows.iter().filter(|row| file_of(row) == file);
    let mut tests: Vec<Span> = here
        .map(|row| place(&text, &row.class, &row.test))
        .collect();
    tests.sort();
    tests.dedup();
    HostFile { path, text, tests }
}

fn file_of(row: &Row) -> &str {
    row.class.split('.').next().unwrap_or(&row.class)
}

fn framework(file: &str) -> Framework {
    match file {
        "ThreeTest" => Framework::JUnit3,
        "FourTest" => Framework::JUnit4,
        "NgTest" => Framework::TestNg,
        _ => Framework::JUnit5,
    }
}

/// Returns the focal method of a test of the table, by the test's name.
fn focal(test: &str) -> Focal {
    let (nesting, name, parameters): (&[&str], &str, &[&str]) = match test {
        "gets" | "refuses" => (&["Shelf"], "get", &["int"]),
        "text" => (&["Shelf", "Label"], "text", &["java.lang.Object"]),
        _ => (&["Shelf"], "size", &[]),
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Focal {
        package: "p".to_owned(),
        nesting: owned(nesting),
        name: name.to_owned(),
        parameters: owned(parameters),
        place: MethodPlace {
            path: "src/main/java/p/Shelf.java".to_owned(),
            span: Span::default(),
        },
        line: 1,
    }
}

/// Returns the rows as candidates, with an innocent one after each of `FiveTest`.
fn candidates(rows: &[Row], files: &[HostFile]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for row in rows {
        let file = file_of(row);
        let at_file = |host_file: &HostFile| host_file.path.ends_with(&format!("/{file}.java"));
        let file_idx = files.iter().position(at_file).expect("it is there");
        let candidate = Candidate {
            id: candidates.len() as u64,
            file_idx,
            at: place(&files[file_idx].text, &row.class, &row.test),
            text: row.text.clone(),
            nesting: row.class.split('.').map(str::to_owned).collect(),
            package: "p".to_owned(),
            name: row.test.clone(),
            framework: framework(file),
            focal: Some(focal(&row.test)),
        };
        candidates.push(candidate.clone());
        if row.class == "FiveTest" {
            candidates.push(Candidate {
                id: candidates.len() as u64,
                text: INNOCENT.to_owned(),
                focal: Some(focal("counts")),
                ..candidate
            });
        }
    }
    candidates
}

pub fn word(ran: &CandidateExecution) -> &'static str {
    match ran.fate {
        Fate::Ran(outcome) => outcome.as_str(),
        Fate::Blocked(blocked) => blocked.as_str(),
    }
}

/// Returns a folder's files with their bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut contents = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).expect("it can be read");
                contents.insert(path.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    contents
}

#[test]
fn every_prediction_has_its_outcome_and_does_nothing_to_the_next() {
    if !has_tools() {
        return;
    }
    let site = site();
    let build = prepare(&site, &options(project("shelf"))).build;
    let before = contents(&build.tree);
    let rows = rows();
    let mut names: Vec<&str> = rows.iter().map(file_of).collect();
    names.sort_unstable();
    names.dedup();
    let files: Vec<HostFile> = names.iter().map(|name| host_file(name, &rows)).collect();
    let candidates = candidates(&rows, &files);
    let mut fast = Fast::new(
        &site,
        &build,
        FastOptions {
            timeout: Duration::from_secs(30),
            ..FastOptions::default()
        },
    );
    let mut rans: BTreeMap<u64, CandidateExecution> = BTreeMap::new();
    let mut sink = |ran: CandidateExecution| {
        assert!(rans.insert(ran.id, ran).is_none(), "each comes once");
        Ok(())
    };
    fast.run(&files, &candidates, &Monitor::default(), &mut sink)
        .expect("they run");
    drop(fast);
    let mut wrong = String::new();
    let mut next = 0;
    for row in &rows {
        let ran = &rans[&next];
        let why = ran.why.as_ref();
        let said = why.map_or(String::new(), |outcome_reason| {
            format!(
                "{} {}",
                outcome_reason.kind.as_deref().unwrap_or_default(),
                outcome_reason.message
            )
        });
        if word(ran) != row.outcome || !said.contains(&row.says) {
            writeln!(wrong, "{}: {} {said}", row.title, word(ran)).expect("it is a text");
        }
        let has_control = said.chars().any(|c| c.is_control() && !"\n\t".contains(c));
        assert!(!has_control, "{}", row.title);
        next += 1;
        if row.class == "FiveTest" {
            let ran = &rans[&next];
            if ran.fate != Fate::Ran(Outcome::Correct) {
                let title = &row.title;
                let said = ran
                    .why
                    .as_ref()
                    .map(|outcome_reason| &outcome_reason.message);
                writeln!(wrong, "behind {title}: {said:?}").expect("it is a text");
            }
            next += 1;
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(before == contents(&build.tree), "the copy is as it was");
}

#[test]
fn libraries_that_load_classes_by_name_find_them_where_loading_is_flat() {
    if !has_tools() {
        return;
    }
    let site = site();
    let build = prepare(&site, &options(project("shelf"))).build;
    // JUnit's old runner does it: `Class.forName`, with its own loader.
    let text = "@Test public void finds() throws Exception { \
                class Old extends junit.runner.BaseTestRunner { \
                public void testStarted(String of) {} \
                public void testEnded(String of) {} \
                public void testFailed(int how, junit.framework.Test of, Throwable why) {} \
                protected void runFailed(String why) {} \
                Class<?> find(String name) throws Exception { return loadSuiteClass(name); } } \
                assertSame(Shelf.class, new Old().find(\"p.Shelf\")); shelf.size(); }";
    let rows = [
        row_of("FourTest", "finds", text),
        row_of("FourTest", "true", ""),
    ];
    let files = [host_file("FourTest", &rows)];
    let run = |is_flat| {
        let mut fast = Fast::new(
            &site,
            &build,
            FastOptions {
                timeout: Duration::from_secs(30),
                is_flat,
                ..FastOptions::default()
            },
        );
        let mut words = BTreeMap::new();
        let mut sink = |ran: CandidateExecution| {
            let said = ran
                .why
                .as_ref()
                .and_then(|outcome_reason| outcome_reason.kind.clone());
            words.insert(ran.id, (word(&ran), said));
            Ok(())
        };
        fast.run(
            &files,
            &candidates(&rows, &files),
            &Monitor::default(),
            &mut sink,
        )
        .expect("they run");
        words.into_values().collect::<Vec<_>>()
    };
    let missing = "java.lang.ClassNotFoundException".to_owned();
    let correct = || ("correct", None);
    assert_eq!(run(false), [("failing", Some(missing)), correct()]);
    assert_eq!(run(true), [correct(), correct()]);
}

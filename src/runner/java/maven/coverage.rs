//! JaCoCo's report, and the focal method in it (EXECUTION.md J32).

use roxmltree::{Document, Node};

use crate::candidate::Focal;
use crate::model::{CoverageCounter, FocalCoverage, LineCover};

/// Returns the internal name of a focal method's class, with `/`.
pub fn class_of(focal: &Focal) -> String {
    let nesting = focal.nesting.join("$");
    if focal.package.is_empty() {
        nesting
    } else {
        format!("{}/{nesting}", focal.package.replace('.', "/"))
    }
}

/// Finds the coverage of a focal method in a report, with the lines of its file from the first to the last of `lines`;
/// nothing where it is not in there: abstract, or filtered by JaCoCo.
pub fn find(report: &str, focal: &Focal, lines: (u32, u32)) -> Option<FocalCoverage> {
    let document = Document::parse(without_doctype(report)).ok()?;
    let class_name = class_of(focal);
    let mut elements = document.descendants();
    let class = elements.find(|element| {
        element.has_tag_name("class") && element.attribute("name") == Some(&class_name)
    })?;
    let methods = class
        .children()
        .filter(|child| child.has_tag_name("method"));
    let fitting = methods.filter(|method| {
        method.attribute("name") == Some(&focal.name)
            && method
                .attribute("desc")
                .is_some_and(|text| takes(text, focal))
    });
    // Bridges and overloads with unknown types may fit, too: the one that begins nearest behind the declaration is
    // taken.
    let distance = |node: &Node<'_, '_>| {
        let line = number(*node, "line");
        if line >= focal.line {
            line - focal.line
        } else {
            u32::MAX / 2 + focal.line - line
        }
    };
    let method = fitting.min_by_key(distance)?;
    let counter = |name: &str| {
        let mut counters = method
            .children()
            .filter(|child| child.has_tag_name("counter"));
        let found = counters.find(|counter| counter.attribute("type") == Some(name));
        found.map(|node| CoverageCounter {
            missed: number(node, "missed"),
            covered: number(node, "covered"),
        })
    };
    Some(FocalCoverage {
        class: class_name.replace('/', "."),
        name: focal.name.clone(),
        descriptor: method.attribute("desc").unwrap_or_default().to_owned(),
        lines: counter("LINE").unwrap_or_default(),
        branches: counter("BRANCH"),
        instructions: counter("INSTRUCTION"),
        by_line: by_line(class, lines),
    })
}

fn by_line(class: Node<'_, '_>, (first, last): (u32, u32)) -> Vec<(u32, LineCover)> {
    let name = class.attribute("sourcefilename");
    let package = class
        .parent()
        .into_iter()
        .flat_map(|parent| parent.children());
    let mut files = package.filter(|node| node.has_tag_name("sourcefile"));
    let Some(file) = files.find(|file| file.attribute("name") == name) else {
        return Vec::new();
    };
    let lines = file.children().filter(|child| child.has_tag_name("line"));
    lines
        .map(|node| {
            let [line, missed, covered, missed_branches] =
                ["nr", "mi", "ci", "mb"].map(|name| number(node, name));
            let cover = match (missed + missed_branches, covered) {
                (_, 0) => LineCover::Missed,
                (0, _) => LineCover::Covered,
                _ => LineCover::Partly,
            };
            (line, cover)
        })
        .filter(|pair| (first..=last).contains(&pair.0))
        .collect()
}

fn number(node: Node<'_, '_>, name: &str) -> u32 {
    node.attribute(name)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// Removes the document type, which names a file on the web that must not be read.
fn without_doctype(report: &str) -> &str {
    let Some(at) = report.find("<!DOCTYPE") else {
        return report;
    };
    report[at..]
        .find('>')
        .map_or(report, |end| &report[at + end + 1..])
}

/// Tells whether a descriptor fits the method's declared parameters. Constructors take more than they declare: an inner
/// class's takes the outer object, an enum's `String` and `int`.
fn takes(descriptor: &str, focal: &Focal) -> bool {
    let Some(taken) = parameters(descriptor) else {
        return false;
    };
    let fits = |taken: &[String]| {
        taken.len() == focal.parameters.len()
            && taken
                .iter()
                .zip(&focal.parameters)
                .all(|pair| is_type(pair.0, pair.1))
    };
    if fits(&taken) {
        return true;
    }
    let is_constructor = focal.name == "<init>";
    let has_outer = focal.nesting.len() > 1 && !taken.is_empty() && fits(&taken[1..]);
    let is_enum =
        taken.len() >= 2 && taken[..2] == ["java.lang.String", "int"] && fits(&taken[2..]);
    is_constructor && (has_outer || is_enum)
}

/// Tells whether types are equal; a declared type that could not be resolved has no package.
fn is_type(taken: &str, declared: &str) -> bool {
    taken == declared || (!declared.contains('.') && taken.ends_with(&format!(".{declared}")))
}

/// Reads the parameters of a descriptor: `(I[Ljava/lang/String;)V` has `int`, `java.lang.String[]`; nothing where it is
/// no descriptor.
fn parameters(descriptor: &str) -> Option<Vec<String>> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut found = Vec::new();
    while !rest.starts_with(')') {
        let n_dimensions = rest.len() - rest.trim_start_matches('[').len();
        rest = &rest[n_dimensions..];
        let (name, length) = match rest.chars().next()? {
            'L' => {
                let end = rest.find(';')?;
                (rest[1..end].replace(['/', '$'], "."), end + 1)
            }
            letter => (primitive(letter)?.to_owned(), 1),
        };
        rest = &rest[length..];
        found.push(name + &"[]".repeat(n_dimensions));
    }
    Some(found)
}

const fn primitive(letter: char) -> Option<&'static str> {
    Some(match letter {
        'B' => "byte",
        'C' => "char",
        'D' => "double",
        'F' => "float",
        'I' => "int",
        'J' => "long",
        'S' => "short",
        'Z' => "boolean",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MethodPlace, Span};

    fn focal(nesting: &[&str], name: &str, parameters: &[&str], line: u32) -> Focal {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Focal {
            package: "p".to_owned(),
            nesting: owned(nesting),
            name: name.to_owned(),
            parameters: owned(parameters),
            place: MethodPlace {
                path: String::new(),
                span: Span::new(0, 0),
            },
            line,
        }
    }

    const REPORT: &str = r#"<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x"><package name="p">
<class name="p/A" sourcefilename="A.java">
<method name="&lt;init&gt;" desc="()V" line="3"><counter type="LINE" missed="0" covered="1"/></method>
<method name="f" desc="(I)V" line="6"><counter type="INSTRUCTION" missed="2" covered="7"/><counter type="BRANCH" missed="1" covered="1"/><counter type="LINE" missed="1" covered="2"/></method>
<method name="f" desc="(Ljava/util/Map$Entry;[[J)V" line="12"><counter type="LINE" missed="2" covered="0"/></method>
</class>
<class name="p/A$B" sourcefilename="A.java"><method name="&lt;init&gt;" desc="(Lp/A;I)V" line="20"><counter type="LINE" missed="1" covered="0"/></method></class>
<class name="p/E" sourcefilename="E.java"><method name="&lt;init&gt;" desc="(Ljava/lang/String;IZ)V" line="5"><counter type="LINE" missed="0" covered="2"/></method></class>
<sourcefile name="A.java"><line nr="6" mi="0" ci="3" mb="0" cb="0"/><line nr="7" mi="2" ci="2" mb="1" cb="1"/><line nr="8" mi="2" ci="0" mb="0" cb="0"/><line nr="12" mi="4" ci="0" mb="0" cb="0"/></sourcefile>
</package></report>"#;

    fn check(focal: &Focal, expected: Option<(&str, u32, u32)>) {
        let found = find(REPORT, focal, (0, 0));
        let found = found.as_ref().map(|focal_coverage| {
            (
                focal_coverage.descriptor.as_str(),
                focal_coverage.lines.missed,
                focal_coverage.lines.covered,
            )
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_method_is_found_by_its_erased_parameters() {
        check(&focal(&["A"], "f", &["int"], 5), Some(("(I)V", 1, 2)));
        let entry = focal(&["A"], "f", &["java.util.Map.Entry", "long[][]"], 11);
        check(&entry, Some(("(Ljava/util/Map$Entry;[[J)V", 2, 0)));
        // An unresolved type matches as it is written.
        let entry = focal(&["A"], "f", &["Entry", "long[][]"], 11);
        check(&entry, Some(("(Ljava/util/Map$Entry;[[J)V", 2, 0)));
        check(&focal(&["A"], "f", &["long"], 5), None);
        check(&focal(&["A"], "g", &[], 5), None);
    }

    #[test]
    fn constructors_take_more_than_they_say() {
        check(&focal(&["A"], "<init>", &[], 2), Some(("()V", 0, 1)));
        check(
            &focal(&["A", "B"], "<init>", &["int"], 19),
            Some(("(Lp/A;I)V", 1, 0)),
        );
        check(
            &focal(&["E"], "<init>", &["boolean"], 4),
            Some(("(Ljava/lang/String;IZ)V", 0, 2)),
        );
    }

    #[test]
    fn lines_are_those_of_the_method() {
        let found = find(REPORT, &focal(&["A"], "f", &["int"], 5), (5, 9)).expect("it is there");
        assert_eq!(
            found.by_line,
            [
                (6, LineCover::Covered),
                (7, LineCover::Partly),
                (8, LineCover::Missed)
            ]
        );
        assert_eq!(
            found.branches,
            Some(CoverageCounter {
                missed: 1,
                covered: 1
            })
        );
        assert_eq!(found.class, "p.A");
    }
}

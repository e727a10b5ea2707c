//! One call as a line of `focalist calls` (DESIGN.md section 5).

use serde::Serialize;

use crate::model::{Call, CallKind, Language, Method, Resolution};

#[derive(Serialize)]
struct CallLine<'a> {
    language: &'static str,
    file: &'a str,
    #[serde(rename = "line")]
    start_line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    kind: &'static str,
    name: &'a str,
    test: CallsTest<'a>,
    resolution: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    declaration: Option<Declaration<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declarations: Vec<Declaration<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct CallsTest<'a> {
    class: &'a str,
    method: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Declaration<'a> {
    file: &'a str,
    class: &'a str,
    name: &'a str,
    parameters: &'a [String],
    line: u32,
}

/// The paths and the methods of a project, each at the index that is its id.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    pub language: Language,
    pub paths: &'a [String],
    pub methods: &'a [Method],
}

/// Writes the JSON object of one call in a test, without a line end.
///
/// # Panics
/// When an id is not one of `tables`.
pub fn line(tables: Tables<'_>, test: &Method, call: &Call) -> String {
    let (declared, owner, reason) = match &call.resolution {
        Resolution::Declared(id) => (std::slice::from_ref(id), None, None),
        Resolution::Ambiguous(ids) => (ids.as_slice(), None, None),
        Resolution::Outside(owner) => (&[][..], owner.as_deref(), None),
        Resolution::Unknown(reason) => (&[][..], None, Some(reason.as_str())),
    };
    let mut candidates: Vec<Declaration<'_>> = declared
        .iter()
        .map(|id| declaration(tables, &tables.methods[id.0 as usize]))
        .collect();
    let is_declared = matches!(call.resolution, Resolution::Declared(_));
    let object = CallLine {
        language: tables.language.as_str(),
        file: &tables.paths[test.file.0 as usize],
        start_line: call.at.line,
        column: call.at.column,
        end_line: call.end.line,
        end_column: call.end.column,
        kind: kind(call.kind),
        name: &call.name,
        test: CallsTest {
            class: &test.class,
            method: &test.name,
            line: test.name_line,
        },
        resolution: resolution(&call.resolution),
        declaration: if is_declared { candidates.pop() } else { None },
        declarations: candidates,
        owner,
        reason,
    };
    serde_json::to_string(&object).expect("strings and numbers always make JSON")
}

fn declaration<'a>(tables: Tables<'a>, method: &'a Method) -> Declaration<'a> {
    Declaration {
        file: &tables.paths[method.file.0 as usize],
        class: &method.class,
        name: &method.name,
        parameters: &method.parameters,
        line: method.name_line,
    }
}

const fn kind(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Method => "method",
        CallKind::Constructor => "constructor",
        CallKind::Delegation => "delegation",
        CallKind::Reference => "reference",
        CallKind::Property => "property",
        CallKind::Operator => "operator",
    }
}

const fn resolution(resolution: &Resolution) -> &'static str {
    match resolution {
        Resolution::Declared(_) => "declared",
        Resolution::Ambiguous(_) => "ambiguous",
        Resolution::Outside(_) => "outside",
        Resolution::Unknown(_) => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Tables, line};
    use crate::lang::{Outside, SourceText, project_of};
    use crate::model::{FileId, Language};

    fn check(body: &str, expected: &Expect) {
        let path = "src/test/java/p/ATest.java".to_owned();
        let text = format!(
            "package p;\nclass ATest {{\n  @org.junit.Test public void t() {{\n    {body}\n  }}\n  void help(int... x) {{}}\n}}\n"
        );
        let source = SourceText {
            path: &path,
            text: &text,
        };
        let project = project_of(Language::Java, [source], &Outside::default());
        let methods = &project.methods;
        let test = project.tests[0];
        assert_eq!(methods[test.0 as usize].file, FileId(0));
        let paths = [path];
        let tables = Tables {
            language: Language::Java,
            paths: &paths,
            methods,
        };
        let lines: Vec<String> = project
            .index
            .test_case(test)
            .calls
            .iter()
            .map(|call| line(tables, &methods[test.0 as usize], call))
            .collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn a_declared_call_names_its_declaration() {
        check(
            "help(1, 2);",
            &expect![[
                r#"{"language":"java","file":"src/test/java/p/ATest.java","line":4,"column":5,"end_line":4,"end_column":15,"kind":"method","name":"help","test":{"class":"p.ATest","method":"t","line":3},"resolution":"declared","declaration":{"file":"src/test/java/p/ATest.java","class":"p.ATest","name":"help","parameters":["int[]"],"line":6}}"#
            ]],
        );
    }

    #[test]
    fn other_calls_name_an_owner_or_a_reason() {
        check(
            "new java.util.ArrayList<String>(); nothing.here();",
            &expect![[
                r#"{"language":"java","file":"src/test/java/p/ATest.java","line":4,"column":19,"end_line":4,"end_column":38,"kind":"constructor","name":"<init>","test":{"class":"p.ATest","method":"t","line":3},"resolution":"outside","owner":"java.util.ArrayList"}
{"language":"java","file":"src/test/java/p/ATest.java","line":4,"column":48,"end_line":4,"end_column":54,"kind":"method","name":"here","test":{"class":"p.ATest","method":"t","line":3},"resolution":"unknown","reason":"receiver_name"}"#
            ]],
        );
    }
}

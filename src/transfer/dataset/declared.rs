//! Reads declarations on their own, without the file they were in: where the body is, what a test calls, and where a
//! test is divided into setup and assertions.
//!
//! Nothing is known of the classes around it, so calls are matched by name (MINING.md rule 13), as mining does with
//! calls that it cannot resolve. A declaration that does not parse gives no facts, and is no error.

use rayon::prelude::*;

use crate::exchange::ReadMethod;
use crate::focal::assertion::AssertionClassifier;
use crate::focal::{self, cut};
use crate::lang::{self, Outside, Project, SourceText};
use crate::model::{
    Call, CallKind, Candidate, Cut, Evidences, FileId, FileRole, Flags, Language, Method, MethodId,
    MethodKind, Origin, Resolution, Span, TestCase, Visibility,
};
use crate::syntax::dialect::LoneDeclaration;
use crate::syntax::{Dialect, dialect};

/// The class of methods whose class is not known; no class can have this name.
pub(super) const NO_CLASS: &str = "_";

/// Declarations, each in a class and a package of its own, so that none sees another. One index for many: making one
/// costs more than parsing ten declarations.
pub(super) struct Declarations {
    dialect: &'static Dialect,
    /// Absent in a language whose declarations cannot be read alone; they then say nothing.
    project: Option<Project>,
    /// How many lines stand before each declaration.
    n_lines_before: Vec<u32>,
    /// For each declaration, its method, and where it begins in the text that was parsed.
    found: Vec<Option<(MethodId, u32)>>,
}

/// The facts about a declaration beside its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeclarationShape {
    /// In the declaration's source.
    pub body: Option<Span>,
    /// How many lines the name comes after the first one.
    pub name_line: u32,
    /// Whether the source is a declaration at all.
    pub is_known: bool,
}

impl Declarations {
    /// Parses declarations, each with what goes before it where it has no return type (ATLAS leaves it out).
    pub(super) fn read(language: Language, list: &[(&ReadMethod, &str)]) -> Self {
        let outside = Outside::default();
        let dialect = dialect(language);
        let Some(wrap) = dialect.wrap else {
            return Self {
                dialect,
                project: None,
                n_lines_before: Vec::new(),
                found: vec![None; list.len()],
            };
        };
        let files: Vec<(lang::SourceFacts, (u32, u32))> = list
            .par_iter()
            .enumerate()
            .map(|(idx, (method, prefix))| {
                let file = wrap(LoneDeclaration {
                    number: idx,
                    class: class_of(method),
                });
                let text = format!("{}{prefix}{}{}", file.head, method.source, file.tail);
                let source = SourceText {
                    path: &file.path,
                    text: &text,
                };
                let facts = lang::facts(language, source, &outside).facts;
                let n_lines = file.head.matches('\n').count() as u32;
                (facts, ((file.head.len() + prefix.len()) as u32, n_lines))
            })
            .collect();
        let (facts, begins): (Vec<lang::SourceFacts>, Vec<(u32, u32)>) = files.into_iter().unzip();
        let (offsets, n_lines_before): (Vec<u32>, Vec<u32>) = begins.into_iter().unzip();
        let project = lang::project(language, facts, &outside);
        let mut found = vec![None; list.len()];
        for (id, method) in project.methods.iter().enumerate() {
            let file_idx = method.file.0 as usize;
            let offset = offsets[file_idx];
            let start = offset - list[file_idx].1.len() as u32;
            let is_it = method.origin == Origin::Source && method.span.start == start;
            if is_it && found[file_idx].is_none() {
                found[file_idx] = Some((MethodId(id as u32), offset));
            }
        }
        Self {
            dialect,
            project: Some(project),
            n_lines_before,
            found,
        }
    }

    /// Reads the shape of the n-th declaration.
    pub(super) fn shape(&self, idx: usize) -> DeclarationShape {
        let (Some((id, offset)), Some(project)) = (self.found[idx], &self.project) else {
            return DeclarationShape::default();
        };
        let method = project.method(id);
        DeclarationShape {
            body: method.body.map(|body| back(body, offset)),
            name_line: (method.name_line).saturating_sub(self.n_lines_before[idx] + 1),
            is_known: true,
        }
    }

    /// Reads the parts of the n-th declaration, a test, when `focal` is its focal method; nothing when it is no
    /// declaration.
    pub(super) fn test(&self, idx: usize, source: &str, focal: &ReadMethod) -> Option<TestReading> {
        let (id, offset) = self.found[idx]?;
        let project = self.project.as_ref()?;
        let mut test_case = project.index.test_case(id);
        for statement in &mut test_case.statements {
            *statement = back(*statement, offset);
        }
        // The focal method, then the other declarations here: the test itself, and classes in it.
        let mut methods = vec![plain(focal)];
        for call in &mut test_case.calls {
            call.span = back(call.span, offset);
            call.name_span = back(call.name_span, offset);
            let declared = focal::declared(&call.resolution);
            if means(self.dialect, call, source, focal) {
                call.resolution = Resolution::Declared(MethodId(0));
            } else if let Some(declared) = declared {
                call.resolution = Resolution::Declared(MethodId(methods.len() as u32));
                methods.push(project.method(declared).clone());
            } else if matches!(call.resolution, Resolution::Unknown(_)) && call.name == focal.method
            {
                // Another class's constructor.
                call.resolution = Resolution::Outside(None);
            }
        }
        let asserting = AssertionClassifier {
            dialect: self.dialect,
            methods: &methods,
        };
        Some(read_test(&test_case, asserting))
    }
}

/// Chooses the class to read a declaration in: a constructor is one only in a class of its name.
fn class_of(method: &ReadMethod) -> &str {
    let class = method.class.rsplit('.').next().unwrap_or_default();
    let is_name = class.starts_with(|class: char| class.is_alphabetic())
        && class.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { class } else { "Alone" }
}

/// The parts of a test, read in its own source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TestReading {
    /// Only those that `cut` refers to.
    pub calls: Vec<Call>,
    /// By the rule of mining, where the dataset tells no parts; else the calls alone are of use.
    pub cut: Cut,
    pub flags: Flags,
}

/// Divides a test whose focal method is the first of the methods into setup and assertions.
fn read_test(test_case: &TestCase, asserting: AssertionClassifier<'_>) -> TestReading {
    let candidate = Candidate {
        name: asserting.methods[0].name.clone(),
        method: MethodId(0),
        score: 0.0,
        class_score: 0.0,
        weight: 0.0,
        evidence: Evidences::default(),
        calls: Vec::new(),
    };
    let outcome = cut::cut(test_case, &candidate, asserting);
    let mut calls = Vec::new();
    let mut keep = |indices: &[u32]| -> Vec<u32> {
        let kept = indices
            .iter()
            .filter_map(|idx| test_case.calls.get(*idx as usize));
        kept.map(|call| {
            calls.push(Call {
                parent: None,
                ..call.clone()
            });
            calls.len() as u32 - 1
        })
        .collect()
    };
    let cut = Cut {
        setup: outcome.parts.setup,
        assertion: outcome.parts.assertion,
        focal_calls: keep(&outcome.parts.focal_calls),
        assertion_calls: keep(&outcome.parts.assertion_calls),
    };
    TestReading {
        calls,
        cut,
        flags: outcome.flags,
    }
}

/// Tells whether a call can mean the focal method: by name, unless its owner is known to be another class; a
/// constructor by its class's name.
fn means(dialect: &Dialect, call: &Call, source: &str, focal: &ReadMethod) -> bool {
    if call.name != focal.method {
        return false;
    }
    let class = focal.class.rsplit('.').next().unwrap_or_default();
    match &call.resolution {
        Resolution::Outside(Some(owner)) if class == NO_CLASS => {
            let mut library = dialect.standard_library.iter();
            !library.any(|text| owner.starts_with(text))
        }
        Resolution::Outside(Some(owner)) => owner.rsplit('.').next() == Some(class),
        Resolution::Unknown(_) | Resolution::Outside(None) => {
            call.kind != CallKind::Constructor || call.name_span.of(source) == class
        }
        Resolution::Declared(_) | Resolution::Ambiguous(_) => false,
    }
}

/// Translates a span of the parsed text to one of the declaration's source.
fn back(span: Span, offset: u32) -> Span {
    Span::new(
        span.start.saturating_sub(offset),
        span.end.saturating_sub(offset),
    )
}

/// Makes a method with nothing but the dataset's facts.
pub(super) fn plain(method: &ReadMethod) -> Method {
    Method {
        class: method.class.clone(),
        n_package: method.class.rfind('.').map_or(0, |n| n as u32),
        name: method.method.clone(),
        parameters: method.parameters.clone(),
        ordinal: 1,
        kind: MethodKind::of_name(&method.method),
        signature: method.signature.clone(),
        file: FileId(0),
        span: Span::default(),
        body: None,
        start_line: method.start_line,
        end_line: method.end_line,
        name_line: method.start_line,
        visibility: Visibility::Public,
        is_static: false,
        origin: Origin::Source,
        role: FileRole::Main,
    }
}

/// Lists the types of a list of parameters as written, `(final Map<K, V> map, int... by)`: without annotations,
/// modifiers and type arguments, varargs as `[]`. Imports are unknown, so the types are not qualified. Names after the
/// types may be there or not.
pub(super) fn types_of(parameters: &str) -> Vec<String> {
    let inner = parameters.trim();
    let inner = inner.strip_prefix('(').unwrap_or(inner);
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let mut pieces = vec![String::new()];
    let (mut n_angles, mut n_round) = (0_u32, 0_u32);
    for c in inner.chars() {
        match c {
            '<' => n_angles += 1,
            '>' => n_angles = n_angles.saturating_sub(1),
            '(' => n_round += 1,
            ')' => n_round = n_round.saturating_sub(1),
            _ if n_angles > 0 || n_round > 0 => {}
            ',' => pieces.push(String::new()),
            _ => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(c);
                }
            }
        }
    }
    let types = pieces.iter().map(|piece| type_of(piece));
    types.filter(|types| !types.is_empty()).collect()
}

fn type_of(parameter: &str) -> String {
    let spaced = parameter
        .replace("...", " [] ")
        .replace('[', " [")
        .replace(']', "] ");
    let mut words: Vec<&str> = spaced
        .split_whitespace()
        .filter(|word| !word.starts_with('@') && *word != "final")
        .collect();
    // The second of two words without a dot between them is the name; brackets may follow it.
    let last = words.iter().rposition(|word| !word.starts_with(['[', ']']));
    if let Some(at) = last.filter(|at| *at > 0)
        && !words[at].starts_with('.')
        && !words[at - 1].ends_with('.')
    {
        words.remove(at);
    }
    words.concat()
}

/// Finds the name in a declaration: where parentheses follow it, and no part of a name comes before it.
pub(super) fn name_at(source: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if name.is_empty() {
        return None;
    }
    let mut places = source.match_indices(name).map(|(at, _)| at);
    places.find(|at| {
        source[at + name.len()..].trim_start().starts_with('(') && !source[..*at].ends_with(is_part)
    })
}

/// Returns the list of parameters in a header, with its parentheses; `()` where there is none.
pub(super) fn parameters_in<'h>(header: &'h str, name: &str) -> &'h str {
    let Some(at) = name_at(header, name) else {
        return "()";
    };
    let rest = header[at + name.len()..].trim_start();
    let mut n_open = 0_u32;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => n_open += 1,
            ')' if n_open == 1 => return &rest[..=at],
            ')' => n_open -= 1,
            _ => {}
        }
    }
    "()"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(class: &str, name: &str, source: &str) -> ReadMethod {
        ReadMethod {
            class: class.to_owned(),
            method: name.to_owned(),
            source: source.to_owned(),
            ..ReadMethod::default()
        }
    }

    fn check_parts(source: &str, focal: (&str, &str), expected: [Option<&str>; 2]) {
        let test = method("p.ATest", "testA", source);
        let focal = method(focal.0, focal.1, "");
        let declarations = Declarations::read(Language::Java, &[(&test, "")]);
        let reading = declarations
            .test(0, source, &focal)
            .expect("the test is a declaration");
        let part = |span: Option<Span>| span.map(|span| span.of(source));
        let parts = [part(reading.cut.setup), part(reading.cut.assertion)];
        assert_eq!(parts, expected, "{source}");
    }

    #[test]
    fn a_test_is_parted_at_the_last_call_of_the_focal_method_s_name() {
        check_parts(
            "@Test public void testA() { A a = new A(); int b = a.inc(1); assertEquals(1, b); }",
            ("p.A", "inc"),
            [
                Some("A a = new A(); int b = a.inc(1);"),
                Some("assertEquals(1, b);"),
            ],
        );
        check_parts(
            "@Test public void testA() { assertEquals(1, new A(2).inc()); }",
            ("p.A", "inc"),
            [None, Some("assertEquals(1, new A(2).inc());")],
        );
    }

    #[test]
    fn a_constructor_is_told_by_its_class() {
        check_parts(
            "@Test public void testA() { A a = new A(); B b = new B(); check(a, b); }",
            ("p.A", "<init>"),
            [Some("A a = new A();"), Some("B b = new B(); check(a, b);")],
        );
    }

    #[test]
    fn what_is_no_declaration_says_nothing() {
        for source in ["", "}", "int x = 1;", "\0", "((((("] {
            let method = method("A", "a", source);
            let declarations = Declarations::read(Language::Java, &[(&method, "")]);
            assert!(!declarations.shape(0).is_known, "{source:?}");
        }
    }

    #[test]
    fn bodies_and_names_are_found_where_they_are() {
        let check = |method: &ReadMethod, prefix: &str, body: Option<&str>, name_line: u32| {
            let declarations = Declarations::read(Language::Java, &[(method, prefix)]);
            let shape = declarations.shape(0);
            assert!(shape.is_known, "{method:?}");
            let found = shape.body.map(|span| span.of(&method.source));
            assert_eq!((found, shape.name_line), (body, name_line), "{method:?}");
        };
        check(
            &method("p.A", "a", "@X({1})\n  public int a() { return 1; }"),
            "",
            Some("{ return 1; }"),
            1,
        );
        check(&method("p.A", "a", "int a();"), "", None, 0);
        check(&method("p.A", "<init>", "A(int b) { }"), "", Some("{ }"), 0);
        check(
            &method("_", "a", "a ( int ) { b ( ) ; }"),
            "void ",
            Some("{ b ( ) ; }"),
            0,
        );
    }

    #[test]
    fn types_of_parameters_are_read_as_written() {
        let check = |parameters: &str, expected: &[&str]| {
            assert_eq!(types_of(parameters), expected, "{parameters}");
        };
        check("()", &[]);
        check(
            "(final Map<K, List<V>> map, @A(b = 1) int... by, String a[])",
            &["Map", "int[]", "String[]"],
        );
        check(
            "( net . jforum . entities . Topic , java . util . List < User > )",
            &["net.jforum.entities.Topic", "java.util.List"],
        );
        check("(int[][] a", &["int[][]"]);
        check("(int[], p.q.R r)", &["int[]", "p.q.R"]);
        check("(>>, <<, ", &[]);
    }

    #[test]
    fn parameters_are_found_in_a_header() {
        let check = |header: &str, name: &str, expected: &str| {
            assert_eq!(parameters_in(header, name), expected, "{header}");
        };
        check(
            "@A(1) public void a(@B(2) int b) throws C",
            "a",
            "(@B(2) int b)",
        );
        check("A(int b)", "<init>", "()");
        check("void a(int", "a", "()");
    }
}

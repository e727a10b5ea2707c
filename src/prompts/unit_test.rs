//! Prompts for a whole test, as `Tests4J` makes them (section 5.1.1 and figure 5.1): the focal class in brief with the method
//! under test in it, then the test class in brief, which the model goes on with.
//!
//! A prompt that is too long loses, in this order, the focal class's fields and method signatures (constructors stay),
//! the test class's method signatures, imports and fields, then its end. A missing part is no step. It contains no
//! tests: neither the requested one nor those beside it.
//!
//! Where the thesis is silent: methods that run before a test keep their bodies at every place (`@BeforeClass` as
//! `@Before`), and go with the other methods of the test class; enum constants and nested classes are left out.

use std::sync::Arc;

use minijinja::value::Value;

use crate::around::PromptSurroundings;
use crate::layout::{declaration, moved};
use crate::model::Span;
use crate::store::{StoredMethod, StoredSample};
use crate::syntax::java::outline::{MemberKind, Outline, OutlineMember, outline};
use crate::syntax::tree::Parser;
use crate::template::{Template, TemplateError};
use crate::{Contexts, PromptError, PromptLimit, Text, UnaskedReason, syntax};

/// The variables that templates can use.
pub const VARIABLES: &[&str] = &[
    "key",
    "language",
    "fence",
    "comment",
    "repo",
    "focal.class",
    "focal.name",
    "focal.file",
    "focal.header",
    "focal.constructors",
    "focal.methods",
    "focal.fields",
    "focal.source",
    "focal.indented",
    "focal.declaration",
    "focal.context",
    "test.class",
    "test.file",
    "test.context",
    "test.header",
    "test.imports",
    "test.fields",
    "test.fixtures",
    "test.helpers",
];

/// Annotations of tests in all frameworks.
const TESTS: &[&str] = &[
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Theory",
    "Property",
];

/// Annotations of fixtures before tests.
const BEFORE: &[&str] = &[
    "Before",
    "BeforeEach",
    "BeforeClass",
    "BeforeAll",
    "BeforeMethod",
    "BeforeTest",
    "BeforeSuite",
];

const INDENT: &str = "    ";

/// Reads classes; keeps the last focal class and the last test class, which the next sample often shares.
#[derive(Default)]
pub struct Classes {
    parser: Parser,
    focal: Option<OutlinedClass>,
    test: Option<OutlinedClass>,
}

struct OutlinedClass {
    text: Arc<str>,
    name: String,
    outline: Outline,
}

/// Outlines the class around a method.
fn class_of<'c>(
    parser: &mut Parser,
    kept: &'c mut Option<OutlinedClass>,
    method: &StoredMethod,
) -> Result<&'c Outline, UnaskedReason> {
    let is_it = |outlined_class: &OutlinedClass| {
        outlined_class.name == method.class && outlined_class.text == method.text
    };
    let class = match kept.take().filter(is_it) {
        Some(class) => class,
        None => OutlinedClass {
            text: Arc::clone(&method.text),
            name: method.class.clone(),
            outline: outline(parser, &method.text, method.span).ok_or_else(|| {
                UnaskedReason::NoClass {
                    method: method.name.clone(),
                }
            })?,
        },
    };
    Ok(&kept.insert(class).outline)
}

/// The pieces of a prompt, indented; in other languages than Java there are none of them.
#[derive(Default)]
pub struct PromptParts {
    focal_header: String,
    constructors: Vec<String>,
    focal_methods: Vec<String>,
    focal_fields: Vec<String>,
    test_imports: Vec<String>,
    test_header: String,
    test_fields: Vec<String>,
    fixtures: Vec<String>,
    helpers: Vec<String>,
}

/// A step that leaves parts out, with its name.
type OmissionStep = (&'static str, fn(&mut PromptParts) -> bool);

const STEPS: &[OmissionStep] = &[
    ("focal_fields", |prompt_parts| {
        take(&mut prompt_parts.focal_fields)
    }),
    ("focal_methods", |prompt_parts| {
        take(&mut prompt_parts.focal_methods)
    }),
    // Without `|`, so that both are taken.
    ("test_methods", |prompt_parts| {
        let (helpers, fixtures) = (
            take(&mut prompt_parts.helpers),
            take(&mut prompt_parts.fixtures),
        );
        helpers || fixtures
    }),
    ("test_imports", |prompt_parts| {
        take(&mut prompt_parts.test_imports)
    }),
    ("test_fields", |prompt_parts| {
        take(&mut prompt_parts.test_fields)
    }),
];

/// Empties a list; returns whether there was anything in it.
fn take(list: &mut Vec<String>) -> bool {
    let had_some = !list.is_empty();
    list.clear();
    had_some
}

pub fn text(
    template: &Template,
    (sample, tests, contexts): (&StoredSample, &[Span], Contexts),
    limit: &PromptLimit<'_>,
    classes: &mut Classes,
) -> Result<Result<Text, UnaskedReason>, PromptError> {
    let Some(focal) = &sample.focal else {
        return Ok(Err(UnaskedReason::NoFocal));
    };
    let mut parts = match parts((sample, contexts), focal, classes) {
        Ok(parts) => parts,
        Err(unasked) => return Ok(Err(unasked)),
    };
    let mut truncated = Vec::new();
    let file = PromptSurroundings::of(sample, tests, contexts);
    let mut text = render(template, (sample, &file), focal, &parts)?;
    for (name, step) in STEPS {
        if limit.fits(&text) {
            break;
        }
        if step(&mut parts) {
            truncated.push(*name);
            text = render(template, (sample, &file), focal, &parts)?;
        }
    }
    Ok(Ok(limit.cut(text, truncated)))
}

fn parts(
    (sample, contexts): (&StoredSample, Contexts),
    focal: &StoredMethod,
    classes: &mut Classes,
) -> Result<PromptParts, UnaskedReason> {
    let Classes {
        parser,
        focal: kept_focal,
        test: kept_test,
    } = classes;
    let focal_class = class_of(parser, kept_focal, focal)?;
    let test_class = class_of(parser, kept_test, &sample.test)?;
    let mut parts = PromptParts {
        focal_header: header(&focal.text, focal_class),
        test_header: header(&sample.test.text, test_class),
        ..PromptParts::default()
    };
    if contexts.has_focal() {
        of_focal(&mut parts, focal, focal_class);
    }
    if contexts.has_test() {
        of_test(&mut parts, sample, test_class);
    }
    Ok(parts)
}

/// Collects the parts of the focal class that others may use.
fn of_focal(parts: &mut PromptParts, focal: &StoredMethod, class: &Outline) {
    let text = &focal.text;
    let others = class
        .members
        .iter()
        .filter(|member| member.span != focal.span);
    for member in others.filter(|other| other.is_public) {
        match member.kind {
            MemberKind::Field => parts.focal_fields.push(whole(text, member)),
            MemberKind::Constructor => parts.constructors.push(empty(text, member)),
            MemberKind::Method => parts.focal_methods.push(empty(text, member)),
        }
    }
}

/// Collects the parts of the test class that a test may use.
fn of_test(parts: &mut PromptParts, sample: &StoredSample, class: &Outline) {
    let text = &sample.test.text;
    let imports = class
        .imports
        .iter()
        .map(|import| import.of(text).to_owned());
    parts.test_imports = imports.collect();
    let is_fixture = |member: &OutlineMember| {
        let mut fixtures = sample.fixtures.iter();
        is_any(member, BEFORE)
            || fixtures
                .any(|fixture| fixture.path == sample.test.path && fixture.span == member.span)
    };
    for member in &class.members {
        match member.kind {
            MemberKind::Field => parts.test_fields.push(whole(text, member)),
            _ if member.span == sample.test.span || is_test(member, class) => {}
            _ if is_fixture(member) => parts.fixtures.push(whole(text, member)),
            _ => parts.helpers.push(empty(text, member)),
        }
    }
}

fn is_any(member: &OutlineMember, names: &[&str]) -> bool {
    let mut annotations = member.annotations.iter();
    annotations.any(|annotation| names.contains(&annotation.as_str()))
}

/// Tells whether a method is a test, also where only its name says so (`JUnit` 3).
fn is_test(member: &OutlineMember, class: &Outline) -> bool {
    let is_named = member.name.starts_with("test")
        && member.is_public
        && member.n_parameters == 0
        && class
            .superclass
            .as_deref()
            .is_some_and(|superclass| superclass.ends_with("TestCase"));
    is_any(member, TESTS) || is_named
}

fn header(text: &str, class: &Outline) -> String {
    let lines = class.header.of(text).trim_end().lines();
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

fn whole(text: &str, member: &OutlineMember) -> String {
    indented(text, member.span, member.span.of(text))
}

/// Empties the body of a declaration.
fn empty(text: &str, member: &OutlineMember) -> String {
    let signature = indented(text, member.span, member.signature(text));
    if member.body.is_some() {
        format!("{signature} {{}}")
    } else {
        format!("{signature};")
    }
}

/// Indents code that begins at a place of its file, where members of a class stand.
fn indented(text: &str, span: Span, code: &str) -> String {
    moved((text, span), code, INDENT)
}

/// Fills the template with all variables of prompts for a test.
pub fn render(
    template: &Template,
    (sample, file): (&StoredSample, &PromptSurroundings),
    focal: &StoredMethod,
    parts: &PromptParts,
) -> Result<String, TemplateError> {
    let dialect = syntax::dialect(sample.repo.language);
    let list = |texts: &Vec<String>| Value::from(texts.clone());
    let focal_values = Value::from_pairs([
        ("class", Value::from(focal.class.as_str())),
        ("name", Value::from(focal.name.as_str())),
        ("header", Value::from(parts.focal_header.as_str())),
        ("constructors", list(&parts.constructors)),
        ("methods", list(&parts.focal_methods)),
        ("fields", list(&parts.focal_fields)),
        ("source", Value::from(focal.source())),
        (
            "indented",
            Value::from(indented(&focal.text, focal.span, focal.source())),
        ),
        ("declaration", Value::from(declaration(focal))),
        ("file", Value::from(focal.path.as_str())),
        ("context", list(&file.focal_context)),
    ]);
    let test_values = Value::from_pairs([
        ("class", Value::from(sample.test.class.as_str())),
        ("file", Value::from(sample.test.path.as_str())),
        ("context", Value::from(file.test_file.as_str())),
        ("header", Value::from(parts.test_header.as_str())),
        ("imports", list(&parts.test_imports)),
        ("fields", list(&parts.test_fields)),
        ("fixtures", list(&parts.fixtures)),
        ("helpers", list(&parts.helpers)),
    ]);
    let values = Value::from_pairs([
        ("key", Value::from(sample.row.key.to_string())),
        ("language", Value::from(dialect.name)),
        ("fence", Value::from(dialect.mera_fence)),
        ("comment", Value::from(dialect.line_comment)),
        ("repo", Value::from(sample.repo.name.as_str())),
        ("focal", focal_values),
        ("test", test_values),
    ]);
    template.render(&values)
}

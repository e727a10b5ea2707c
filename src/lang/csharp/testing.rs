//! Finds tests, the methods that run before them, and their assertions (LANGUAGES L9, L10, L26, L27).

mod fixture;

pub use self::fixture::{fixtures, setups};
use super::facts::{AttributeDecl, CSharpFacts, Expr, Literal, TypeRef, TypeSyntax};
use super::project::{CSharpNameScope, CSharpProject, TypeOrNamespace};
use super::types::{CSharpMember, Ty, TypeId};
use crate::methods::TestMark;
use crate::model::{Call, CallRole, Framework, MethodId, Span, TestKind};
use crate::run::Run;

/// Attributes that make a test.
const MARKS: &[(&str, &str, Framework, TestKind)] = &[
    (
        "Xunit.FactAttribute",
        "Fact",
        Framework::XUnit,
        TestKind::Fact,
    ),
    (
        "Xunit.TheoryAttribute",
        "Theory",
        Framework::XUnit,
        TestKind::Theory,
    ),
    (
        "NUnit.Framework.TestAttribute",
        "Test",
        Framework::NUnit,
        TestKind::Test,
    ),
    (
        "NUnit.Framework.TestCaseAttribute",
        "TestCase",
        Framework::NUnit,
        TestKind::ParameterizedTest,
    ),
    (
        "NUnit.Framework.TestCaseSourceAttribute",
        "TestCaseSource",
        Framework::NUnit,
        TestKind::ParameterizedTest,
    ),
    (
        "NUnit.Framework.TheoryAttribute",
        "Theory",
        Framework::NUnit,
        TestKind::Theory,
    ),
    (
        "Microsoft.VisualStudio.TestTools.UnitTesting.TestMethodAttribute",
        "TestMethod",
        Framework::MsTest,
        TestKind::Test,
    ),
    (
        "Microsoft.VisualStudio.TestTools.UnitTesting.DataTestMethodAttribute",
        "DataTestMethod",
        Framework::MsTest,
        TestKind::ParameterizedTest,
    ),
];

/// Attributes that give a test its rows.
const ROWS: &[&str] = &[
    "InlineData",
    "MemberData",
    "ClassData",
    "DataRow",
    "DynamicData",
    "TestCase",
    "TestCaseSource",
];

/// Attributes that skip a test for good.
const SKIPS: &[&str] = &["Ignore", "Explicit"];

/// Arguments under which a skip is conditional.
const CONDITIONS: &[&str] = &["SkipWhen", "SkipUnless", "SkipType", "Until", "IgnoreMode"];

/// Finds the tests among a project's methods, in order.
pub fn tests(project: &CSharpProject) -> Vec<(MethodId, TestMark)> {
    let mut found = Vec::new();
    for at in 0..project.methods.len() as u32 {
        let id = MethodId(at);
        if let Some(mark) = project
            .member_of(id)
            .and_then(|(_, member)| mark_of(project, member))
        {
            found.push((id, mark));
        }
    }
    found
}

fn mark_of(project: &CSharpProject, member: &CSharpMember) -> Option<TestMark> {
    let decl = project.member_decl(member)?;
    if decl.attributes.is_empty() {
        return None;
    }
    let facts = &project.file(member.file).facts;
    let scope = scope_of(project, member, decl.owner);
    let attributes = &facts.attributes[decl.attributes.range()];
    let mut mark: Option<TestMark> = None;
    for attribute in attributes {
        let Some((framework, kind)) = test_kind(project, facts, attribute.ty, scope) else {
            continue;
        };
        let known = mark.get_or_insert(TestMark::new(framework, kind));
        known.is_skipped |= !is_row(facts, attribute) && is_skipped_by(facts, attribute);
        if kind != TestKind::Test && kind != TestKind::Fact {
            known.kind = kind;
        }
    }
    let mut mark = mark?;
    let has_rows = has_any(facts, decl.attributes, ROWS);
    mark.is_parametrised =
        has_rows || matches!(mark.kind, TestKind::Theory | TestKind::ParameterizedTest);
    if has_rows && mark.kind == TestKind::Test {
        mark.kind = TestKind::ParameterizedTest;
    }
    let mut rows = attributes
        .iter()
        .filter(|attribute| is_row(facts, attribute));
    mark.is_skipped |= has_rows && rows.all(|row| is_skipped_by(facts, row));
    mark.is_skipped |= is_skipped(facts, decl.attributes) || is_in_skipped(project, member.owner);
    Some(mark)
}

fn scope_of<'s>(
    project: &CSharpProject,
    member: &'s CSharpMember,
    owner: u32,
) -> CSharpNameScope<'s> {
    let facts = &project.file(member.file).facts;
    let part = facts.types[owner as usize].scope;
    CSharpNameScope::new(member.file, part, Some(member.owner), &[])
}

/// Cuts an attribute's name down to its last part, without its ending.
fn simple(facts: &CSharpFacts, ty: TypeRef) -> &str {
    match facts.type_syntax(ty) {
        TypeSyntax::Named { name, .. } => {
            let word = facts.word(name);
            word.strip_suffix("Attribute").unwrap_or(word)
        }
        _ => "",
    }
}

fn has_any(facts: &CSharpFacts, attributes: Run, names: &[&str]) -> bool {
    facts.attributes[attributes.range()]
        .iter()
        .any(|attribute_decl| names.contains(&simple(facts, attribute_decl.ty)))
}

fn is_row(facts: &CSharpFacts, attribute: &AttributeDecl) -> bool {
    ROWS.contains(&simple(facts, attribute.ty))
}

fn is_skipped(facts: &CSharpFacts, attributes: Run) -> bool {
    let mut skips = facts.attributes[attributes.range()]
        .iter()
        .filter(|attribute_decl| SKIPS.contains(&simple(facts, attribute_decl.ty)));
    skips.any(|skip| !is_conditional(facts, skip))
}

fn is_conditional(facts: &CSharpFacts, attribute: &AttributeDecl) -> bool {
    let mut args = facts.args(attribute.args).iter();
    args.any(|arg| CONDITIONS.contains(&facts.word(arg.name)))
}

/// Tells whether an argument of an attribute skips the test for good: `[Fact(Skip = "why")]`.
fn is_skipped_by(facts: &CSharpFacts, attribute: &AttributeDecl) -> bool {
    let args = facts.args(attribute.args);
    let skips = args.iter().any(|arg| {
        let is_null = matches!(facts.expr(arg.value), Expr::Literal(Literal::Null));
        matches!(facts.word(arg.name), "Skip" | "Explicit" | "Ignore") && !is_null
    });
    skips && !is_conditional(facts, attribute)
}

/// Tells whether a class around is skipped as a whole.
fn is_in_skipped(project: &CSharpProject, owner: TypeId) -> bool {
    let mut around = Some(owner);
    while let Some(id) = around {
        let mut decls = project.type_decls(id);
        if decls.any(|(file, decl)| is_skipped(&project.file(file).facts, decl.attributes)) {
            return true;
        }
        around = project.ty(id).outer;
    }
    false
}

/// Resolves an attribute to a class.
fn attribute_class(
    project: &CSharpProject,
    facts: &CSharpFacts,
    ty: TypeRef,
    scope: CSharpNameScope<'_>,
) -> Option<TypeId> {
    let TypeSyntax::Named {
        outer, name, args, ..
    } = facts.type_syntax(ty)
    else {
        return None;
    };
    let args: Vec<Ty> = facts
        .ids(args)
        .map(|id| project.resolve(id, scope))
        .collect();
    let outer = outer.map(|type_ref| project.found(type_ref, scope));
    for ending in ["Attribute", ""] {
        let Some(name) = project
            .symbols
            .find(&format!("{}{ending}", facts.word(name)))
        else {
            continue;
        };
        let found = match &outer {
            Some(outer) => project.found_in(outer, name, &args, scope),
            None => project.simple(name, &args, scope),
        };
        if let TypeOrNamespace::Type(Ty::Named(id, _)) = found
            && is_attribute(project, id)
        {
            return Some(id);
        }
    }
    None
}

fn is_attribute(project: &CSharpProject, id: TypeId) -> bool {
    let is_root = |type_id: TypeId| &*project.ty(type_id).qualified == "System.Attribute";
    project.line(id).any(is_root) || project.ty(id).has_missing_base
}

/// Tells the framework and kind of test that an attribute makes of a method, if any.
fn test_kind(
    project: &CSharpProject,
    facts: &CSharpFacts,
    ty: TypeRef,
    scope: CSharpNameScope<'_>,
) -> Option<(Framework, TestKind)> {
    let Some(class) = attribute_class(project, facts, ty, scope) else {
        return by_name(simple(facts, ty));
    };
    for id in project.line(class) {
        let name = &*project.ty(id).qualified;
        if let Some(mark) = MARKS.iter().find(|entry| entry.0 == name) {
            return Some((mark.2, mark.3));
        }
    }
    // Where the base class is in a library that is not known, its name decides.
    project.line(class).find_map(|id| {
        project.ty(id).bases.iter().find_map(|base| match base {
            Ty::Missing(name) => {
                let word = project.word(*name);
                by_name(word.strip_suffix("Attribute").unwrap_or(word))
            }
            _ => None,
        })
    })
}

fn by_name(name: &str) -> Option<(Framework, TestKind)> {
    if let Some(mark) = MARKS.iter().find(|entry| entry.1 == name) {
        return Some((mark.2, mark.3));
    }
    if name.ends_with("Fact") {
        Some((Framework::XUnit, TestKind::Fact))
    } else if name.ends_with("Theory") {
        Some((Framework::XUnit, TestKind::Theory))
    } else {
        None
    }
}

/// Prefixes of the names of calls whose whole chain asserts.
const CHAINS: &[&str] = &[
    "Should",
    "Received",
    "DidNotReceive",
    "MustHaveHappened",
    "MustNotHaveHappened",
];

/// Finds the chains that assert as a whole: `x.Should().Be(1)`, `mock.Received().Run()`.
pub fn assertions(calls: &[Call]) -> Vec<Span> {
    let mut spans: Vec<Span> = calls
        .iter()
        .filter(|call| CHAINS.iter().any(|chain| call.name.starts_with(chain)))
        .map(|call| {
            let mut at = call;
            while let Some((parent, CallRole::Receiver)) = at.parent {
                at = &calls[parent as usize];
            }
            at.span
        })
        .collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

//! Reads the check of an assertion in C#, however it is written: `Assert.Equal(1, a)`, `Assert.That(a, Is.EqualTo(1))`
//! and `a.Should().Be(1)` are one form.
//!
//! Reads `xUnit`, `NUnit` with its constraints, `MSTest`, `FluentAssertions`, Shouldly, and the checks of calls of Moq,
//! `NSubstitute` and `FakeItEasy`. Any other method named as an assertion is a form of its own.

use super::words;
use crate::PredictionPair;
use crate::check::gather;
use crate::code::{Code, NodeSort, hash_of, mix};
use crate::fluent::{self, ChainHead, FluentWord, is_inner, unchained};
use crate::form::{Check, CheckForm, CheckKind, FormLink, ThrowsCheck, ThrowsStyle};
use crate::logic::{self, Logic};
use crate::model::Language;
use crate::says::{MatcherMeaning, OperandOrder, Operands, named};
use crate::sides::{self, pair};
use crate::syntax::dialect;
use crate::thrown;

/// How C# compares.
const LOGIC: Logic = Logic {
    nothing: &[("null", CheckKind::Null)],
    has_truthy: false,
    compared: |sign| match sign {
        "==" => Some(CheckKind::Equal),
        "!=" => Some(CheckKind::NotEqual),
        _ => None,
    },
    predicate,
    measured,
    rewritten,
};

/// Words that begin a constraint.
const CONSTRAINTS: &[&str] = &["Contains", "Does", "Has", "Is", "Iz", "Throws"];

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for.
pub fn collect(code: &mut Code<'_>, _: PredictionPair<'_>) -> Vec<Check> {
    let mut checks = gather(code, |code, idx, checks| match code.sort(idx) {
        NodeSort::Call if is_inner(code, idx) => false,
        NodeSort::Call => chain(code, idx, checks),
        NodeSort::Annotation => expected_exception(code, idx, checks),
        _ => false,
    });
    for check in &mut checks {
        check.thrown = check.thrown.take().or_else(|| thrown::of(code, check));
    }
    checks
}

/// Reads `[ExpectedException(typeof(X))]`.
fn expected_exception(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    if code.name(idx) != Some("ExpectedException") {
        return false;
    }
    let list = code
        .children(idx)
        .find(|child| code.sort(*child) == NodeSort::Arguments);
    let class = list.and_then(|list| code.children(list).next());
    let form = CheckForm::new(CheckKind::Throws, class.into_iter().collect(), Vec::new());
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(idx, form, normal, hash_of("expected"));
    check.thrown = Some(ThrowsCheck {
        manner: ThrowsStyle::Annotation,
        around: None,
        guarded: Vec::new(),
    });
    checks.push(check);
    true
}

/// Reads a call or a chain of calls, if it asserts.
fn chain(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let words = unchained(code, idx);
    let found = of_class(code, idx, &words)
        .or_else(|| should(code, idx, &words))
        .or_else(|| verified(code, idx, &words).map(|check| vec![check]))
        .or_else(|| helper(code, &words).map(|check| vec![check]));
    let is_found = found.is_some();
    checks.extend(found.into_iter().flatten());
    is_found
}

/// Reads a method of a class called `Assert`, or of Shouldly's `Should`.
fn of_class(code: &mut Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Option<Vec<Check>> {
    let first = words.first()?;
    let class = code.source(first.object?);
    let class = class.rsplit('.').next().unwrap_or(class);
    let is_assert = class.ends_with("Assert") || class == "Should";
    let operands = first.arguments.clone().filter(|_| is_assert)?;
    let style = hash_of(first.text);
    if matches!(
        first.text,
        "Multiple" | "MultipleAsync" | "EnterMultipleScope" | "Pass" | "Ignore" | "Inconclusive"
    ) {
        return None;
    }
    if words.len() > 1 && !words::is_throwing(first.text) {
        // The value that an assertion returns is checked further: the whole is one assertion.
        let mut check = plain(code, first, style)?;
        check.node = idx;
        check
            .form
            .actual
            .extend(words[1..].iter().map(|word| word.name));
        check
            .normal
            .actual
            .extend(words[1..].iter().map(|word| word.name));
        return Some(vec![check]);
    }
    if words::is_throwing(first.text) {
        let mut check = throwing(code, first, &operands, style);
        check.node = idx;
        return Some(vec![check]);
    }
    if matches!(first.text, "That" | "ThatAsync") {
        return Some(that(code, idx, &operands, style));
    }
    plain(code, first, style).map(|check| vec![check])
}

/// Reads `Assert.Equal(1, a)`.
fn plain(code: &mut Code<'_>, word: &FluentWord<'_>, style: u64) -> Option<Check> {
    let operands = word.arguments.clone()?;
    let mut all = word.types.clone();
    all.extend(&operands);
    let says = words::plain(word.text).filter(|says| says.fits(all.len()));
    let Some(says) = says else {
        let mut check = named(code, word.node, None, &operands);
        check.form.expected.extend(&word.types);
        check.normal.expected.extend(&word.types);
        return Some(check);
    };
    let order = if words::is_actual_first(word.text) {
        OperandOrder::ActualFirst
    } else {
        OperandOrder::ExpectedFirst
    };
    let is_near = matches!(
        says,
        MatcherMeaning::Is(CheckKind::Equal | CheckKind::NotEqual)
    );
    let operands = says.operands(&all, order);
    let (form, mut rest) = says.form(code, &operands);
    let mut tolerance = rest.tolerance;
    // The third operand of an equality says how nearly, unless it is a text.
    if let Some(third) = operands.others.get(1).copied().filter(|_| is_near) {
        let is_text = code.kind_name(third).contains("string");
        if !is_text {
            tolerance = Some(third);
            rest.message = operands.others.get(2).copied();
        }
    }
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(word.node, form, normal, style);
    check.tolerance = tolerance;
    check.message = rest.message;
    Some(check)
}

/// Reads `Assert.Throws<X>(() => …)` and its like: the class, other checks of the exception, the code, a message.
fn throwing(code: &mut Code<'_>, word: &FluentWord<'_>, operands: &[u32], style: u64) -> Check {
    let mut expected = word.types.clone();
    let is_code = |n: &u32| code.sort(*n) == NodeSort::Lambda;
    let at = operands.iter().position(is_code).or_else(|| {
        let is_class = |n: &u32| code.sort(*n) == NodeSort::ClassLiteral || code.is_literal(*n);
        operands.iter().position(|operand| !is_class(operand))
    });
    let (before, rest) = operands.split_at(at.unwrap_or(operands.len()));
    expected.extend(before);
    let actual: Vec<u32> = rest.first().copied().into_iter().collect();
    let form = CheckForm::new(CheckKind::Throws, expected, actual);
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(word.node, form, normal, style);
    check.message = rest.get(1).copied();
    check
}

/// Reads `Assert.That(a, Is.EqualTo(1), "why")`.
fn that(code: &mut Code<'_>, idx: u32, operands: &[u32], style: u64) -> Vec<Check> {
    let Some((&actual, others)) = operands.split_first() else {
        return Vec::new();
    };
    let constraint = others
        .first()
        .map(|other| (*other, unchained(code, *other)));
    let root = |words: &[FluentWord<'_>]| {
        let root = words.first().and_then(|word| word.object);
        root.map_or("", |root| code.source(root))
    };
    match constraint {
        Some((_, words)) if CONSTRAINTS.contains(&root(&words)) => {
            let root = root(&words);
            let head = ChainHead {
                node: idx,
                actual: vec![actual],
                style: mix(style, hash_of(root)),
                message: others.get(1).copied(),
            };
            if root == "Throws" {
                return vec![thrown_by(code, &head, &words)];
            }
            fluent::checks(code, &head, &words, (words::constraint, &LOGIC))
        }
        _ => {
            // A condition, and a message; or a constraint in a variable.
            let is_text = others
                .first()
                .is_none_or(|other| code.kind_name(*other).contains("string"));
            let form = if is_text {
                CheckForm::new(CheckKind::True, Vec::new(), vec![actual])
            } else {
                CheckForm::new(CheckKind::Named(style), vec![others[0]], vec![actual])
            };
            let normal = logic::normal(code, &form, &LOGIC);
            let mut check = Check::new(idx, form, normal, style);
            check.message = others.get(usize::from(!is_text)).copied();
            vec![check]
        }
    }
}

/// Reads `Throws.TypeOf<X>()`, `Throws.ArgumentException` and `Throws.Nothing`.
fn thrown_by(code: &mut Code<'_>, head: &ChainHead, words: &[FluentWord<'_>]) -> Check {
    let is_nothing = words.first().is_some_and(|word| word.text == "Nothing");
    let mut expected = Vec::new();
    for word in words {
        if matches!(
            word.text,
            "TypeOf" | "InstanceOf" | "Exception" | "Nothing" | "With" | "And"
        ) {
            expected.extend(&word.types);
            expected.extend(word.arguments.iter().flatten());
        } else {
            expected.push(word.name);
            expected.extend(word.arguments.iter().flatten());
        }
    }
    let way = if is_nothing {
        CheckKind::NotThrows
    } else {
        CheckKind::Throws
    };
    let form = CheckForm::new(way, expected, head.actual.clone());
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(head.node, form, normal, head.style);
    check.message = head.message;
    check
}

/// Reads `a.Should().Be(1)` and `a.ShouldBe(1)`.
fn should(code: &mut Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Option<Vec<Check>> {
    let at = words
        .iter()
        .position(|word| word.text.starts_with("Should") && word.object.is_some())?;
    let word = &words[at];
    let operands = word.arguments.clone()?;
    let object = word.object?;
    if word.text == "Should" {
        let head = ChainHead {
            node: idx,
            actual: vec![object],
            style: hash_of("Should"),
            message: None,
        };
        let found = fluent::checks(code, &head, &words[at + 1..], (words::fluent, &LOGIC));
        return (!found.is_empty()).then_some(found);
    }
    let mut others = word.types.clone();
    others.extend(&operands);
    let style = hash_of(word.text);
    let Some(says) = words::shouldly(word.text) else {
        let form = CheckForm::new(CheckKind::Named(style), others, vec![object]);
        return Some(vec![Check::new(idx, form.clone(), form, style)]);
    };
    let operands = Operands {
        actual: vec![object],
        others,
    };
    let (form, rest) = says.form(code, &operands);
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(idx, form, normal, style);
    check.message = rest.message;
    check.tolerance = rest.tolerance;
    Some(vec![check])
}

/// Reads what should have been called: `mock.Verify(m => m.Go(), Times.Once)`, `a.Received(1).Go()` and
/// `A.CallTo(() => a.Go()).MustHaveHappened()`.
fn verified(code: &Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Option<Check> {
    let last = words.last()?;
    let style = hash_of(last.text);
    if let Some(at) = words.iter().position(|word| {
        word.object.is_some()
            && word.arguments.is_some()
            && (word.text.starts_with("Received") || word.text.starts_with("DidNotReceive"))
    }) {
        let times = words[at].arguments.iter().flatten();
        let times = times.fold(hash_of(words[at].text), |sum, time| {
            mix(sum, code.hash(*time))
        });
        let links = words[at + 1..].iter().map(|word| FormLink {
            call: word.node,
            name: word.name,
        });
        let actual = words[at].object.into_iter().collect();
        let form = CheckForm {
            links: links.collect(),
            ..CheckForm::new(CheckKind::Verify(times), Vec::new(), actual)
        };
        return Some(Check::new(idx, form.clone(), form, hash_of(words[at].text)));
    }
    let arguments = last.arguments.clone()?;
    let is_happened =
        last.text.starts_with("MustHaveHappened") || last.text.starts_with("MustNotHaveHappened");
    let is_verify = last.text.starts_with("Verify");
    if !(is_happened || is_verify) || last.object.is_none() {
        return None;
    }
    let is_call = |n: &u32| code.sort(*n) == NodeSort::Lambda;
    let (called, times): (Vec<u32>, Vec<u32>) =
        arguments.iter().partition(|argument| is_call(argument));
    let times = times.iter().fold(hash_of(last.text), |sum, time| {
        let source = code.source(*time).trim_end_matches("()");
        mix(sum, hash_of(source))
    });
    let mut actual: Vec<u32> = last.object.into_iter().collect();
    actual.extend(called);
    let form = CheckForm::new(CheckKind::Verify(times), Vec::new(), actual);
    Some(Check::new(idx, form.clone(), form, style))
}

/// Reads a method that is named as one that asserts.
fn helper(code: &Code<'_>, words: &[FluentWord<'_>]) -> Option<Check> {
    let [word] = words else {
        return None;
    };
    let operands = word.arguments.clone()?;
    let is_name = dialect(Language::CSharp).assertions.is_helper(word.text);
    (is_name && word.object.is_none()).then(|| named(code, word.node, None, &operands))
}

/// Reads a call that returns whether something is so.
fn predicate(code: &mut Code<'_>, call: u32) -> Option<CheckForm> {
    let arguments = code.arguments(call);
    let object = code.child(call, code.fields().object);
    let named = |word: &str, value: u32, object: u32| {
        CheckForm::new(CheckKind::Named(hash_of(word)), vec![value], vec![object])
    };
    let name = code.name(call)?;
    Some(match (object, name, arguments.as_slice()) {
        (Some(_), "SequenceEqual", &[second]) => pair(code, CheckKind::Equal, second, object?),
        (Some(object), "Equals", &[second]) if !is_class(code, object) => {
            pair(code, CheckKind::Equal, object, second)
        }
        (_, "Equals", &[first, second]) => pair(code, CheckKind::Equal, first, second),
        (_, "ReferenceEquals", &[first, second]) => pair(code, CheckKind::Same, first, second),
        (Some(object), "Contains", &[value]) => named("contains", value, object),
        (Some(object), "StartsWith", &[value]) => named("starts", value, object),
        (Some(object), "EndsWith", &[value]) => named("ends", value, object),
        _ => return None,
    })
}

fn is_class(code: &Code<'_>, object: u32) -> bool {
    matches!(
        code.source(object),
        "object" | "string" | "Object" | "String"
    )
}

/// Reads `a.Count`, `a.Length` and `a.Count()`.
fn measured(code: &Code<'_>, idx: u32) -> Option<u32> {
    let fields = code.fields();
    let object = code.child(idx, fields.object)?;
    let is_length = match code.sort(idx) {
        NodeSort::FieldAccess => {
            let field = code.child(idx, fields.field)?;
            matches!(code.source(field), "Count" | "Length")
        }
        NodeSort::Call => code.name(idx) == Some("Count") && code.arguments(idx).is_empty(),
        _ => false,
    };
    is_length.then_some(object)
}

/// Reads `a is null` and `a is X` that must be true.
fn rewritten(code: &mut Code<'_>, form: &CheckForm) -> Option<CheckForm> {
    let &[actual] = form.actual.as_slice() else {
        return None;
    };
    if !matches!(form.kind, CheckKind::True | CheckKind::False) {
        return None;
    }
    let children: Vec<u32> = code.children(actual).collect();
    let found = match (code.kind_name(actual), children.as_slice()) {
        ("is_pattern_expression", &[value, pattern]) if code.source(pattern) == "null" => {
            CheckForm::new(CheckKind::Null, Vec::new(), vec![value])
        }
        ("is_pattern_expression", &[value, pattern]) if code.source(pattern) == "not null" => {
            CheckForm::new(CheckKind::NotNull, Vec::new(), vec![value])
        }
        ("is_expression", &[value, ty]) if !sides::is_constant(code, ty) => {
            CheckForm::new(CheckKind::InstanceOf, vec![ty], vec![value])
        }
        _ => return None,
    };
    Some(if form.kind == CheckKind::True {
        found
    } else {
        logic::negated(code, found)
    })
}

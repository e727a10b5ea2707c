//! Expected calls on a mock, and how often: Mockito's `verify(mock)` and `then(mock).should()`.

use super::code::{Code, NodeSort, hash_of, mix};
use super::form::{CheckForm, CheckKind, FormLink, is_asserting_class};

/// Reads `order.verify(mock, mode).call(…)`; the call is in `links`.
pub fn form(
    code: &Code<'_>,
    mock: Option<u32>,
    mode: Option<u32>,
    order: Option<u32>,
    links: &[FormLink],
) -> CheckForm {
    let way = CheckKind::Verify(mode.map_or(0, |mode| times(code, mode)));
    let actual = mock.into_iter().chain(order).collect();
    CheckForm {
        links: links.to_vec(),
        ..CheckForm::new(way, Vec::new(), actual)
    }
}

/// Reads `then(mock).should(order, mode).call(…)` and `then(mock).shouldHaveNoInteractions()`.
pub fn then_should(code: &Code<'_>, mock: &[u32], links: &[FormLink]) -> CheckForm {
    let Some((should, called)) = links.split_first() else {
        return CheckForm::new(CheckKind::Verify(0), Vec::new(), mock.to_vec());
    };
    if let Some(rest) = code.source(should.name).strip_prefix("shouldHave") {
        let way = CheckKind::Named(hash_of(&format!("verify{rest}")));
        return CheckForm::new(way, Vec::new(), mock.to_vec());
    }
    let arguments = code.arguments(should.call);
    let is_order = |n: u32| {
        code.sort(n) == NodeSort::Name && code.source(n).to_ascii_lowercase().contains("order")
    };
    let (order, mode) = match *arguments.as_slice() {
        [order, mode] => (Some(order), Some(mode)),
        [order] if is_order(order) => (Some(order), None),
        [mode] => (None, Some(mode)),
        _ => (None, None),
    };
    form(code, mock.first().copied(), mode, order, called)
}

/// Hashes how often something is called: 0 for once, and one for all ways to say the same.
fn times(code: &Code<'_>, mode: u32) -> u64 {
    let is_static = code
        .child(mode, code.fields().object)
        .is_none_or(|n| is_asserting_class(code.source(n)));
    let Some(name) = code.name(mode).filter(|_| is_static) else {
        return code.hash(mode);
    };
    let arguments = code.arguments(mode);
    let number = match *arguments.as_slice() {
        [number] => code.source(number),
        _ => "",
    };
    match (name, number) {
        ("times", "1") => 0,
        ("times", "0") => hash_of("never"),
        ("atLeast", "1") => hash_of("atLeastOnce"),
        _ => {
            let hashes = arguments.iter().map(|argument| code.hash(*argument));
            hashes.fold(hash_of(name), mix)
        }
    }
}

//! Finds what the grammar accepts and Python 3 does not: the Python 2 of old examples and of models trained on them.
//!
//! The grammar reads `print x`, `exec x`, `<>`, `except E, e` and `0777` on purpose; the rest are errors to it already.

use std::sync::LazyLock;

use crate::model::{Language, Position};
use crate::tree::{Grammar, NodeField, NodeKind, Tree, position_of};
use crate::verdict::ParseOutcome;

/// The kinds and fields of the grammar that the checks need.
struct PythonStrictKinds {
    print: Option<NodeKind>,
    exec: Option<NodeKind>,
    chevron: Option<NodeKind>,
    integer: Option<NodeKind>,
    not_equal: Option<NodeKind>,
    raise: Option<NodeKind>,
    list: Option<NodeKind>,
    except: Option<NodeKind>,
    comma: Option<NodeKind>,
    parameters: [Option<NodeKind>; 2],
    tuple_pattern: Option<NodeKind>,
    string_start: Option<NodeKind>,
    argument: NodeField,
}

static WORDS: LazyLock<PythonStrictKinds> = LazyLock::new(|| {
    let grammar = Grammar::of(Language::Python);
    PythonStrictKinds {
        print: grammar.kind("print_statement"),
        exec: grammar.kind("exec_statement"),
        chevron: grammar.kind("chevron"),
        integer: grammar.kind("integer"),
        not_equal: grammar.kind("<>"),
        raise: grammar.kind("raise_statement"),
        list: grammar.kind("expression_list"),
        except: grammar.kind("except_clause"),
        comma: grammar.kind(","),
        parameters: [
            grammar.kind("parameters"),
            grammar.kind("lambda_parameters"),
        ],
        tuple_pattern: grammar.kind("tuple_pattern"),
        string_start: grammar.kind("string_start"),
        argument: grammar.field("argument"),
    }
});

/// Judges a parsed text.
pub fn verdict(tree: &Tree, text: &str) -> ParseOutcome {
    let by_grammar = ParseOutcome::of_tree(tree, text);
    if !by_grammar.is_ok() {
        return by_grammar;
    }
    match first_fault(tree, text) {
        None => ParseOutcome::Ok,
        Some((offset, detail)) => {
            let Position { line, column } = position_of(text, offset);
            ParseOutcome::Error {
                line,
                column,
                detail: detail.to_owned(),
            }
        }
    }
}

/// Tells whether a text that follows the grammar is Python 3.
pub fn is_sound(tree: &Tree, text: &str) -> bool {
    !tree.has_error() && first_fault(tree, text).is_none()
}

/// Finds the first construct of Python 2, and describes it.
fn first_fault(tree: &Tree, text: &str) -> Option<(u32, &'static str)> {
    (0..tree.nodes.len() as u32).find_map(|idx| {
        let detail = fault_of(tree, idx, text)?;
        Some((tree.nodes[idx as usize].span.start, detail))
    })
}

fn fault_of(tree: &Tree, idx: u32, text: &str) -> Option<&'static str> {
    let words = &*WORDS;
    let node = &tree.nodes[idx as usize];
    let kind = Some(node.kind);
    // Among nodes without a name in the grammar only `<>` is of Python 2.
    if !node.is_named() {
        return (kind == words.not_equal).then_some("`<>` is Python 2");
    }
    let has_child = |wanted: Option<NodeKind>| {
        let mut children = tree.children(idx);
        children.any(|child| Some(tree.nodes[child as usize].kind) == wanted)
    };
    let first = || {
        tree.children(idx)
            .find(|child| tree.nodes[*child as usize].is_named())
    };
    if kind == words.print {
        // `print >> x, y` and `print x`; `print(x)` reads as a call.
        let has_value = tree.child_by_field(idx, words.argument).is_some();
        return (has_value || has_child(words.chevron))
            .then_some("`print` without brackets is Python 2");
    }
    if kind == words.exec {
        return Some("`exec` without brackets is Python 2");
    }
    if kind == words.integer {
        return is_old_octal(node.span.of(text))
            .then_some("an octal number without `0o`, or a number with `L`, is Python 2");
    }
    if kind == words.raise {
        let is_list = first().is_some_and(|n| Some(tree.nodes[n as usize].kind) == words.list);
        return is_list.then_some("`raise` of several values is Python 2");
    }
    if kind == words.except {
        return has_child(words.comma).then_some("`except` with a comma is Python 2");
    }
    if words.parameters.contains(&kind) {
        return has_child(words.tuple_pattern).then_some("a tuple as a parameter is Python 2");
    }
    if kind == words.string_start {
        let start = node.span.of(text);
        let prefix = start.trim_end_matches(['"', '\'']);
        return match prefix {
            "`" => Some("backticks are Python 2"),
            _ if prefix.eq_ignore_ascii_case("ur") => Some("`ur` before a string is Python 2"),
            _ => None,
        };
    }
    None
}

fn is_old_octal(number: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    let has_long = number.ends_with(['l', 'L']);
    let is_zero = number.chars().all(|c| matches!(c, '0' | '_'));
    has_long
        || (number.len() > 1 && number.starts_with('0') && number.chars().all(is_digit) && !is_zero)
}

#[cfg(test)]
mod tests {
    use crate::judge::Judge;
    use crate::model::{Language, ParseMode};
    use crate::verdict::PieceShape;

    fn check(text: &str, is_ok: bool) {
        let by = (Language::Python, ParseMode::Strict);
        let mut judge = Judge::new();
        let verdict = judge.verdict(text, PieceShape::Statements, by);
        assert_eq!(verdict.is_ok(), is_ok, "{text}: {verdict:?}");
        assert_eq!(
            judge.is_sound(text, PieceShape::Statements, by),
            is_ok,
            "{text}"
        );
    }

    #[test]
    fn python_2_is_no_python() {
        for text in [
            "print x",
            "print 'x', y",
            "print >>f, x",
            "exec code in scope",
            "x = `y`",
            "if a <> b:\n    pass",
            "try:\n    pass\nexcept E, e:\n    pass",
            "raise E, 'message'",
            "x = 0777",
            "x = 10L",
            "x = ur'a'",
            "def f(a, (b, c)):\n    pass",
            "f = lambda (a, b): a",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn what_looks_like_it_is_python() {
        for text in [
            "print(x)",
            "print (x)",
            "print",
            "print(x, file=f)",
            "exec(code)",
            "if a != b:\n    pass",
            "try:\n    pass\nexcept (E, F) as e:\n    pass",
            "raise E('message') from e",
            "x = 0o777 + 0 + 00 + 0.5 + 012.5",
            "x = u'a' + r'b' + rb'c'",
            "def f(a, b=(1, 2)):\n    pass",
            "for (a, b) in c:\n    pass",
        ] {
            check(text, true);
        }
    }
}

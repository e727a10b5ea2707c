//! Java: one method, cut by its braces, closed after its last whole statement.
//!
//! It works on tokens, so braces in strings, characters, text blocks and comments do not count.

use crate::model::{Framework, Language, ParseMode, Repair, Span};
use crate::syntax;
use crate::syntax::tree::Grammar;
use crate::syntax::verdict::{ParseOutcome, PieceShape};

use super::edited::EditedText;
use super::{
    GivenText, RepairRules, RepairedMethod, Repairer, Repairs, StepKind, Unparsable, line_of,
};

const LANGUAGE: (Language, ParseMode) = (Language::Java, ParseMode::Strict);

/// The class that a member is put into to be parsed.
const CLASS: &str = "class T {\n";

/// Annotations that switch a test off.
const DISABLING: &[&str] = &["Disabled", "Ignore"];

/// Annotations that make a method a test.
const TESTING: &[&str] = &[
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Theory",
];

/// Tokens that continue a statement behind a closing brace.
const GOING_ON: &[&str] = &[
    "else", "catch", "finally", ".", ")", ",", ";", "]", "::", "?", ":",
];

pub(super) fn repair(
    repairer: &mut Repairer,
    given: &GivenText,
    rules: RepairRules,
) -> Result<RepairedMethod, Unparsable> {
    let text = given.text.as_str();
    let mut edited = EditedText::new(text);
    let tokens = syntax::tokens(Language::Java, text);
    let end = match rules.repairs {
        Repairs::Paper => end_of_method(text, &tokens),
        Repairs::None => None,
    };
    let whole = &text[..end.unwrap_or(text.len())];
    let (name, repair) = match one_method(repairer, whole) {
        Ok(name) => {
            edited.add(StepKind::Cut, (whole.len(), text.len()), "");
            let is_cut = !text[whole.len()..].trim().is_empty();
            (name, if is_cut { Repair::Cut } else { Repair::None })
        }
        Err(fault) => {
            let closed = match rules.repairs {
                Repairs::Paper => close(repairer, given, whole),
                Repairs::None => None,
            };
            let Some((name, closed)) = closed else {
                return Err(fault.of(given));
            };
            edited = closed;
            (name, Repair::Closed)
        }
    };
    annotate(&mut edited, rules);
    Ok(RepairedMethod::new(edited, name, repair, Language::Java))
}

/// Finds the end of the brace that closes the first one; those in an annotation's brackets do not count.
fn end_of_method(text: &str, tokens: &[Span]) -> Option<usize> {
    let (mut n_round, mut n_curly) = (0_usize, 0_usize);
    for token in tokens {
        match (token.of(text), n_curly) {
            ("(", 0) => n_round += 1,
            (")", 0) => n_round = n_round.saturating_sub(1),
            ("{", _) if n_round == 0 => n_curly += 1,
            ("}", 1) => return Some(token.end as usize),
            ("}", 2..) => n_curly -= 1,
            _ => {}
        }
    }
    None
}

/// Why a text is not one method.
struct MethodFault {
    /// Counted from 1, in the text that was looked at.
    line: u32,
    detail: String,
}

impl MethodFault {
    fn of(self, given: &GivenText) -> Unparsable {
        let start = match self.line {
            0 | 1 => 0,
            line => {
                let breaks = given.text.match_indices('\n');
                breaks
                    .map(|pair| pair.0 + 1)
                    .nth(line as usize - 2)
                    .unwrap_or(given.text.len())
            }
        };
        Unparsable {
            line: line_of(given, start),
            detail: self.detail,
        }
    }
}

/// Reads the name of the method that a text is.
fn one_method(repairer: &mut Repairer, text: &str) -> Result<String, MethodFault> {
    let verdict = repairer.judge.verdict(text, PieceShape::Member, LANGUAGE);
    if let ParseOutcome::Error { line, detail, .. } = verdict {
        return Err(MethodFault { line, detail });
    }
    let other = |detail: &str| MethodFault {
        line: 1,
        detail: detail.to_owned(),
    };
    let mut wrapped = [CLASS, text, "\n}"].concat();
    syntax::make_readable(Language::Java, &mut wrapped, (CLASS.len(), text.len()));
    let Repairer { parser, tree, .. } = repairer;
    parser.parse(Language::Java, &wrapped, tree);
    if tree.has_error() {
        return Err(other("it is not one method"));
    }
    let grammar = Grammar::of(Language::Java);
    let named = |idx: u32| {
        tree.children(idx).filter(|child| {
            let node = &tree.nodes[*child as usize];
            node.is_named() && !node.is_extra()
        })
    };
    let mut classes = named(0);
    let body = classes
        .next()
        .and_then(|class| tree.child_by_field(class, grammar.field("body")))
        .filter(|_| classes.next().is_none())
        .ok_or_else(|| other("a brace closes more than the method"))?;
    let mut members = named(body);
    let Some(member) = members.next() else {
        return Err(other("there is no method in it"));
    };
    if members.next().is_some() {
        return Err(other("there is more than one method in it"));
    }
    let method = grammar.kind("method_declaration");
    if Some(tree.nodes[member as usize].kind) != method {
        return Err(other("it is something else than a method"));
    }
    tree.child_by_field(member, grammar.field("name"))
        .map(|n| tree.nodes[n as usize].span.of(&wrapped).to_owned())
        .ok_or_else(|| other("it has no name"))
}

/// Goes back to the last whole statement and closes the brackets that are open there.
fn close<'t>(
    repairer: &mut Repairer,
    given: &'t GivenText,
    whole: &str,
) -> Option<(String, EditedText<'t>)> {
    // The rest of the true test behind the prediction is left out: it would close whatever the prediction left open.
    let end = whole.len().min(given.prediction.end as usize);
    let text = &given.text[..end];
    let tokens = syntax::tokens(Language::Java, text);
    let open = open_at_last_statement(text, &tokens)?;
    let mut edited = EditedText::new(&given.text);
    let statements = statements(text, &tokens[open.block + 1..=open.last]);
    let statements: Vec<Span> = statements.into_iter().map(|(span, _)| span).collect();
    let kept = statements.len() - n_repeated(text, &statements);
    let end = tokens[open.last].end as usize;
    if kept < statements.len() && kept > 0 {
        let start = statements[kept - 1].end as usize;
        edited.add(StepKind::Repeated, (start, end), "");
    }
    edited.add(StepKind::Cut, (end, given.text.len()), "");
    for ends_statements in [false, true] {
        let mut closed = edited.clone();
        let at = given.text.len();
        closed.add(
            StepKind::Closed,
            (at, at),
            closing(&open.brackets, ends_statements),
        );
        if let Ok(name) = one_method(repairer, &closed.text()) {
            return Some((name, closed));
        }
    }
    None
}

/// The state behind the last whole statement, with the brackets that are open there.
struct UnclosedTail {
    /// The token that ends the statement.
    last: usize,
    /// The token that opens the block around it.
    block: usize,
    /// Outermost first.
    brackets: Vec<char>,
}

/// Finds the last `;` that ends a statement: one in a `for` head does not.
fn open_at_last_statement(text: &str, tokens: &[Span]) -> Option<UnclosedTail> {
    let mut brackets: Vec<(char, usize)> = Vec::new();
    let mut found = None;
    for (idx, token) in tokens.iter().enumerate() {
        match token.of(text) {
            "(" => brackets.push(('(', idx)),
            "[" => brackets.push(('[', idx)),
            "{" => brackets.push(('{', idx)),
            bracket @ (")" | "]" | "}") => {
                let opening = match bracket {
                    ")" => '(',
                    "]" => '[',
                    _ => '{',
                };
                if brackets.last().is_some_and(|last| last.0 == opening) {
                    brackets.pop();
                }
            }
            ";" => {
                if let Some(('{', block)) = brackets.last() {
                    found = Some((idx, *block, brackets.clone()));
                }
            }
            _ => {}
        }
    }
    let (last, block, brackets) = found?;
    Some(UnclosedTail {
        last,
        block,
        brackets: brackets.into_iter().map(|bracket| bracket.0).collect(),
    })
}

/// Writes the signs that close brackets, innermost first; with `ends_statements` a call that is a statement gets its
/// semicolon.
fn closing(brackets: &[char], ends_statements: bool) -> String {
    let mut text = String::new();
    for (idx, bracket) in brackets.iter().enumerate().rev() {
        let is_in_block = idx > 0 && brackets[idx - 1] == '{';
        match bracket {
            '{' => text.push_str("\n}"),
            '[' => text.push(']'),
            _ => text.push(')'),
        }
        if ends_statements && *bracket == '(' && is_in_block {
            text.push(';');
        }
    }
    text
}

/// Splits a block's inner tokens into statements, each with its number of tokens; the last one may be cut off.
fn statements(text: &str, tokens: &[Span]) -> Vec<(Span, usize)> {
    let mut statements = Vec::new();
    let mut depth = 0_usize;
    let mut first = 0;
    for (idx, token) in tokens.iter().enumerate() {
        let word = token.of(text);
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let goes_on = || {
            let next = tokens.get(idx + 1).map_or("", |token| token.of(text));
            let is_do = tokens[first].of(text) == "do" && next == "while";
            GOING_ON.contains(&next) || is_do
        };
        let ends = depth == 0 && (word == ";" || (word == "}" && !goes_on()));
        if ends {
            let span = Span::new(tokens[first].start, token.end);
            statements.push((span, idx + 1 - first));
            first = idx + 1;
        }
    }
    statements
}

/// Counts the statements at the end that repeat those before them: single ones, or blocks of several.
fn n_repeated(text: &str, statements: &[Span]) -> usize {
    let words: Vec<Vec<&str>> = statements
        .iter()
        .map(|statement| {
            let source = statement.of(text);
            let tokens = syntax::tokens(Language::Java, source);
            tokens.iter().map(|token| token.of(source)).collect()
        })
        .collect();
    let mut n_kept = words.len();
    loop {
        let kept = &words[..n_kept];
        let repeated =
            (1..=n_kept / 2).find(|k| kept[n_kept - k..] == kept[n_kept - 2 * k..n_kept - k]);
        match repeated {
            Some(k) => n_kept -= k,
            None => return words.len() - n_kept,
        }
    }
}

/// Removes annotations that disable the test, and adds the one that makes it a test if requested.
fn annotate(edited: &mut EditedText<'_>, rules: RepairRules) {
    let text = edited.text();
    let tokens = syntax::tokens(Language::Java, &text);
    let annotations = annotations(&text, &tokens);
    let original = |at: usize| super::edited::original(&edited.steps, at);
    let mut changes = Vec::new();
    for (span, name) in &annotations {
        if DISABLING.contains(name) {
            let end = span.end as usize;
            let rest = &text[end..];
            let end = end + (rest.len() - rest.trim_start().len());
            // So far nothing was changed before the body, so the places can be mapped back.
            if let Some(removed) = original(span.start as usize).zip(original(end)) {
                changes.push((StepKind::Enabled, removed, ""));
            }
        }
    }
    let is_test = annotations.iter().any(|(_, name)| TESTING.contains(name));
    if rules.adds_test_annotation && !is_test && rules.framework != Framework::JUnit3 {
        let start = tokens.first().map_or(0, |token| token.start as usize);
        if let Some(at) = original(start) {
            // Inserted before the removed annotations, so that the changes do not overlap.
            changes.insert(0, (StepKind::Annotated, (at, at), "@Test "));
        }
    }
    for (kind, removed, added) in changes {
        edited.add(kind, removed, added);
    }
}

/// Lists the annotations before a method, with their simple names.
fn annotations<'t>(text: &'t str, tokens: &[Span]) -> Vec<(Span, &'t str)> {
    const MODIFIERS: &[&str] = &[
        "public",
        "protected",
        "private",
        "static",
        "final",
        "abstract",
        "synchronized",
        "native",
        "strictfp",
        "default",
    ];
    let word = |idx: usize| tokens.get(idx).map_or("", |token| token.of(text));
    let mut found = Vec::new();
    let mut idx = 0;
    loop {
        if MODIFIERS.contains(&word(idx)) {
            idx += 1;
            continue;
        }
        if word(idx) != "@" {
            return found;
        }
        let start = tokens[idx].start;
        idx += 1;
        let mut name = word(idx);
        while word(idx + 1) == "." {
            idx += 2;
            name = word(idx);
        }
        if word(idx + 1) == "(" {
            let mut depth = 0_usize;
            loop {
                idx += 1;
                match word(idx) {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    "" => return found,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        let Some(last) = tokens.get(idx) else {
            return found;
        };
        found.push((Span::new(start, last.end), name));
        idx += 1;
    }
}

//! Two sides taken apart and compared: assertions with assertions, and the rest of the statements.
//!
//! Decides the pairs, and the tags of each; `differ` compares two trees.

use super::code::{Code, NodeSort, mix};
use super::differ::Differ;
use super::form::{Check, CheckKind, ThrowsCheck};
use super::pairing::{self, Pairing};
use super::reader::LanguageReader;
use super::{Evidence, PredictionPair, TagFindings, quoted};
use crate::model::Tag;

/// Two sides on their way to tags.
pub struct Comparison<'t> {
    reference: ComparisonSide<'t>,
    prediction: ComparisonSide<'t>,
}

impl<'t> Comparison<'t> {
    pub fn new(
        reference: Code<'t>,
        prediction: Code<'t>,
        pair: PredictionPair<'_>,
        reader: &LanguageReader,
    ) -> Self {
        Self {
            reference: ComparisonSide::new(reference, pair, reader),
            prediction: ComparisonSide::new(prediction, pair, reader),
        }
    }

    pub fn run(&self, is_renamed: bool, found: &mut TagFindings) {
        let (r, p) = (&self.reference, &self.prediction);
        let mut evidence = Vec::new();
        let is_same = r.sequence == p.sequence;
        if !is_same && sorted(&r.sequence) == sorted(&p.sequence) {
            found.say(Tag::OtherOrder, "the same statements in another order");
            return;
        }
        let opened = self.checks(is_same, &mut evidence);
        self.others(&opened, &mut evidence);
        for piece in evidence {
            found.add(piece);
        }
        if is_same && is_renamed {
            found.say(Tag::EqualRenamed, "the same but for names that it declares");
        }
        let equal = [
            Tag::EqualRenamed,
            Tag::EqualSwapped,
            Tag::EqualRewritten,
            Tag::DifferentMessage,
        ];
        if is_same && !equal.iter().any(|tag| found.tags.contains(*tag)) {
            found.say(Tag::EqualRewritten, "the same, written in another way");
        }
    }

    /// Compares assertions; returns how exceptions are expected in the pairs that do it in different ways.
    fn checks(&self, is_same: bool, evidence: &mut Vec<Evidence>) -> Vec<[&ThrowsCheck; 2]> {
        let (r, p) = (&self.reference, &self.prediction);
        let keys = |side: &ComparisonSide<'_>| -> Vec<u64> {
            side.checks
                .iter()
                .map(|check| check.key(&side.code))
                .collect()
        };
        let (r_keys, p_keys) = (keys(r), keys(p));
        let cost = |a: usize, b: usize| unlikeness(r, &r.checks[a], p, &p.checks[b]);
        let mut opened = Vec::new();
        for Pairing {
            reference,
            prediction,
        } in pairing::pair(&r_keys, &p_keys, cost)
        {
            match (reference, prediction) {
                (Some(a), Some(b)) if r_keys[a] == p_keys[b] => {
                    self.equal(&r.checks[a], &p.checks[b], is_same, evidence);
                }
                (Some(a), Some(b)) => {
                    let (a, b) = (&r.checks[a], &p.checks[b]);
                    match expected_otherwise(a, b) {
                        Some(pair) => {
                            opened.push(pair);
                            let place = |check: &Check, thrown: &ThrowsCheck| {
                                thrown.around.unwrap_or(check.node)
                            };
                            Differ::new(&r.code, &p.code, evidence).instead(
                                Tag::DifferentAssertion,
                                place(a, pair[0]),
                                place(b, pair[1]),
                            );
                        }
                        None => self.different(a, b, evidence),
                    }
                }
                (Some(a), None) => {
                    let span = r.checks[a].span(&r.code);
                    evidence.push(Evidence {
                        tag: Tag::MissingAssertion,
                        reference: Some(span),
                        prediction: None,
                        text: format!("`{}` is missing", quoted(span.of(r.code.text))),
                    });
                }
                (None, Some(b)) => {
                    let span = p.checks[b].span(&p.code);
                    evidence.push(Evidence {
                        tag: Tag::ExtraAssertion,
                        reference: None,
                        prediction: Some(span),
                        text: format!("the reference has no `{}`", quoted(span.of(p.code.text))),
                    });
                }
                (None, None) => {}
            }
        }
        opened
    }

    /// Notes how two assertions that check the same differ in writing.
    fn equal(&self, a: &Check, b: &Check, is_same: bool, evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference.code, &self.prediction.code);
        let mut note = |tag: Tag| {
            let (a, b) = (a.span(r), b.span(p));
            evidence.push(Evidence {
                tag,
                reference: Some(a),
                prediction: Some(b),
                text: format!(
                    "`{}` where the reference has `{}`",
                    quoted(b.of(p.text)),
                    quoted(a.of(r.text))
                ),
            });
        };
        let message =
            |check: &Check, code: &Code<'_>| check.message.map(|message| code.hash(message));
        if message(a, r) != message(b, p) {
            note(Tag::DifferentMessage);
        }
        if !is_same {
            return;
        }
        let (a_sides, b_sides) = (a.form.written(r), b.form.written(p));
        let is_one_way = a.form.kind == b.form.kind;
        if is_one_way && a_sides != b_sides && a.form.key(r) == b.form.key(p) {
            note(Tag::EqualSwapped);
            if a.style != b.style {
                note(Tag::EqualRewritten);
            }
        } else if !is_one_way || a_sides != b_sides || a.style != b.style {
            note(Tag::EqualRewritten);
        }
    }

    /// Names the differences of two assertions.
    fn different(&self, a: &Check, b: &Check, evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference.code, &self.prediction.code);
        let forms = if a.is_assumption != b.is_assumption {
            None
        } else if a.form.kind == b.form.kind {
            Some((&a.form, &b.form))
        } else if a.normal.kind == b.normal.kind {
            Some((&a.normal, &b.normal))
        } else {
            None
        };
        let mut differ = Differ::new(r, p, evidence);
        let Some((a_form, b_form)) = forms else {
            return differ.instead(Tag::DifferentAssertion, a.node, b.node);
        };
        let b_form = &b_form.placed_as(a_form);
        let (a_sides, mut b_sides) = (a_form.sides(r), b_form.sides(p));
        let (mut b_expected, mut b_actual) = (&b_form.expected, &b_form.actual);
        // Where one side is the reference's other one, the sides have changed places.
        let is_swapped = a_form.kind.is_symmetric()
            && a_sides[0] != b_sides[0]
            && a_sides[1] != b_sides[1]
            && (a_sides[0] == b_sides[1] || a_sides[1] == b_sides[0]);
        if is_swapped {
            (b_expected, b_actual) = (b_actual, b_expected);
            b_sides.reverse();
        }
        if a_sides[0] != b_sides[0] {
            let (a_first, b_first) = (a_form.expected.first(), b_expected.first());
            let text = "another value is expected".to_owned();
            differ.note(
                Tag::WrongExpected,
                a_first.copied().or(Some(a.node)),
                b_first.copied().or(Some(b.node)),
                text,
            );
            differ.compare_all(&a_form.expected, b_expected);
        }
        if a_sides[1] != b_sides[1] {
            let (a_first, b_first) = (a_form.actual.first(), b_actual.first());
            let text = "another value is looked at".to_owned();
            differ.note(
                Tag::WrongActual,
                a_first.copied().or(Some(a.node)),
                b_first.copied().or(Some(b.node)),
                text,
            );
            if a_form.links.is_empty() && b_form.links.is_empty() {
                differ.compare_all(&a_form.actual, b_actual);
            } else {
                differ.compare_links(
                    (a_form.actual.first().copied(), &a_form.links),
                    (b_form.actual.first().copied(), &b_form.links),
                );
            }
        }
        match (a.tolerance, b.tolerance) {
            (Some(a), Some(b)) => differ.compare(a, b),
            (None, None) => {}
            (a_tolerance, b_tolerance) => differ.note(
                Tag::Other,
                a_tolerance.or(Some(a.node)),
                b_tolerance.or(Some(b.node)),
                "only one side has a tolerance".to_owned(),
            ),
        }
    }

    /// Names the differences in the statements that are no assertions, and in the code of these.
    fn others(&self, opened: &[[&ThrowsCheck; 2]], evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference, &self.prediction);
        let r_others = r.opened(opened.iter().map(|throws_checks| throws_checks[0]));
        let p_others = p.opened(opened.iter().map(|throws_checks| throws_checks[1]));
        let keys = |side: &ComparisonSide<'_>, others: &[u32]| -> Vec<u64> {
            others.iter().map(|other| side.code.hash(*other)).collect()
        };
        let (r_keys, p_keys) = (keys(r, &r_others), keys(p, &p_others));
        let cost = |a: usize, b: usize| {
            let (a, b) = (r_others[a], p_others[b]);
            u32::from(r.code.sort(a) != p.code.sort(b)) * 2 + apartness(&r.code, a, &p.code, b)
        };
        for Pairing {
            reference,
            prediction,
        } in pairing::pair(&r_keys, &p_keys, cost)
        {
            if let (Some(a), Some(b)) = (reference, prediction)
                && r_keys[a] == p_keys[b]
            {
                continue;
            }
            let (a, b) = (
                reference.map(|reference| r_others[reference]),
                prediction.map(|prediction| p_others[prediction]),
            );
            let mut differ = Differ::new(&r.code, &p.code, evidence);
            match (a, b) {
                (Some(a), Some(b)) => {
                    differ.instead(Tag::DifferentStatement, a, b);
                    let is_head = reference.is_some_and(|reference| reference < r.n_heads)
                        || prediction.is_some_and(|prediction| prediction < p.n_heads);
                    if !is_head {
                        differ.compare(a, b);
                    }
                }
                (a, b) => {
                    let text = match (a, b) {
                        (Some(a), _) => format!("`{}` is missing", quoted(r.code.source(a))),
                        (_, Some(b)) => {
                            format!("the reference has no `{}`", quoted(p.code.source(b)))
                        }
                        _ => continue,
                    };
                    differ.note(Tag::DifferentStatement, a, b, text);
                }
            }
        }
    }
}

/// Lists the statements of a text; of a method, the statements of its body.
pub fn statements(code: &Code<'_>) -> Vec<u32> {
    let mut all = Vec::new();
    for child in code.children(0) {
        let body = (code.sort(child) == NodeSort::Method)
            .then(|| code.child(child, code.fields().body))
            .flatten();
        match body {
            Some(body) => all.extend(code.children(body)),
            None => all.push(child),
        }
    }
    all
}

/// One side, taken apart.
struct ComparisonSide<'t> {
    code: Code<'t>,
    checks: Vec<Check>,
    /// Heads of methods first, then the rest of statements without assertions.
    others: Vec<u32>,
    n_heads: usize,
    /// The keys of checks and other statements in the order of the text.
    sequence: Vec<u64>,
}

impl<'t> ComparisonSide<'t> {
    fn new(mut code: Code<'t>, pair: PredictionPair<'_>, reader: &LanguageReader) -> Self {
        let statements = statements(&code);
        let checks = (reader.checks)(&mut code, pair);
        let heads = heads(&mut code);
        code.rehash();
        let n_heads = heads.len();
        let others: Vec<u32> = heads
            .into_iter()
            .chain(statements)
            .filter(|n| !code.node(*n).is_masked)
            .collect();
        let keys = |nodes: &[u32]| -> Vec<(u32, u64)> {
            nodes.iter().map(|node| (*node, code.hash(*node))).collect()
        };
        let mut sequence = keys(&others);
        sequence.extend(checks.iter().map(|check| (check.node, check.key(&code))));
        sequence.sort_by_key(|pair| pair.0);
        Self {
            sequence: sequence.into_iter().map(|sequence| sequence.1).collect(),
            code,
            checks,
            others,
            n_heads,
        }
    }

    /// Lists the other statements with those beside them that should throw, as if they stood in no check; each without
    /// its semicolon, as in a lambda.
    fn opened<'s>(&self, thrown: impl ExactSizeIterator<Item = &'s ThrowsCheck>) -> Vec<u32> {
        let mut all = self.others.clone();
        if thrown.len() == 0 {
            return all;
        }
        for throws_check in thrown {
            all.retain(|other| Some(*other) != throws_check.around);
            all.extend(&throws_check.guarded);
        }
        all[self.n_heads..].sort_unstable();
        for n in &mut all {
            let mut children = self.code.children(*n);
            if self.code.sort(*n) == NodeSort::Statement
                && let (Some(only), None) = (children.next(), children.next())
            {
                *n = only;
            }
        }
        all
    }
}

/// Masks the bodies of methods and returns their heads.
fn heads(code: &mut Code<'_>) -> Vec<u32> {
    let all: Vec<u32> = code.children(0).collect();
    let mut heads = Vec::new();
    for child in all {
        if code.sort(child) == NodeSort::Method {
            heads.push(child);
            if let Some(body) = code.child(child, code.fields().body) {
                code.nodes[body as usize].is_masked = true;
            }
        }
    }
    heads
}

/// Returns how both expect an exception, if they do it in different ways.
fn expected_otherwise<'c>(a: &'c Check, b: &'c Check) -> Option<[&'c ThrowsCheck; 2]> {
    let (a, b) = (a.thrown.as_ref()?, b.thrown.as_ref()?);
    (a.manner != b.manner).then_some([a, b])
}

fn sorted(keys: &[u64]) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}

/// Measures how little two assertions have in common.
fn unlikeness(r: &ComparisonSide<'_>, a: &Check, p: &ComparisonSide<'_>, b: &Check) -> u32 {
    if expected_otherwise(a, b).is_some() {
        return 4;
    }
    let (a_sides, b_sides) = (a.form.sides(&r.code), b.form.sides(&p.code));
    let is_way = a.form.kind == b.form.kind || a.normal.kind == b.normal.kind;
    let way = if is_way {
        0
    } else if matches!(a.form.kind, CheckKind::Named(_))
        == matches!(b.form.kind, CheckKind::Named(_))
    {
        10
    } else {
        12
    };
    let expected = u32::from(a_sides[0] != b_sides[0]) * 3;
    let actual = if a_sides[1] == b_sides[1] {
        0
    } else {
        3 + apartness(&r.code, a.node, &p.code, b.node)
    };
    way + expected + actual
}

/// Measures how little two subtrees have in common, 0..=8: by the nodes that are equal from both ends.
fn apartness(r: &Code<'_>, a: u32, p: &Code<'_>, b: u32) -> u32 {
    /// Later nodes are not looked at: every pair of assertions is compared.
    const NODES_MAX: usize = 200;
    let nodes = |code: &Code<'_>, idx: u32| -> Vec<u64> {
        let all = &code.nodes[idx as usize..code.node(idx).end as usize];
        all.iter()
            .take(NODES_MAX)
            .map(|node| mix(u64::from(node.kind.0), node.word))
            .collect()
    };
    let (a, b) = (nodes(r, a), nodes(p, b));
    let n_first = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a_rest, b_rest) = (&a[n_first..], &b[n_first..]);
    let n_last = a_rest
        .iter()
        .rev()
        .zip(b_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let n_nodes = a.len().max(b.len()).max(1);
    8 - (8 * (n_first + n_last) / n_nodes) as u32
}

//! What a prediction does differently than its reference: tags computed from the syntax trees of both sides.
//!
//! Decides which of [`Tag`] apply to a pair of texts, and why; what they mean is written there. Only Java is compared as
//! trees; a pair in another language is exact, truncated, unparsable or other.
//!
//! The steps: both sides are parsed and stripped of what says nothing (`code`); names that the prediction declares itself
//! are given those of the reference (`rename`); assertions are taken out and brought into one form (`check`, `matcher`,
//! `normal`); they and the other statements are paired in order (`pairing`); and in each pair that is not equal, the
//! trees are compared from the root down (`differ`). Every step is linear in the text, or has a bound that its module
//! states. Any text is taken.

mod check;
mod code;
mod differ;
mod ending;
mod matcher;
mod names;
mod normal;
mod pairing;
mod rename;

#[cfg(test)]
mod tests;

use self::check::{Check, Way};
use self::code::{Code, FIELDS, Sort};
use self::differ::Differ;
use self::pairing::Pairing;
use crate::lang::java::fragment::{Judge, Verdict};
use crate::lang::java::javalang::Lexer;
use crate::lang::syntax::{Parser, Tree};
use crate::model::{Framework, Language, ParseMode, Span, Tag, Tags};

/// The version of all that decides tags.
pub const VERSION: u32 = 3;

/// From how many equal statements in a row on a text repeats itself.
const REPEATED_MIN: usize = 3;

/// How much of a piece is quoted, in characters.
const QUOTED_CHARS_MAX: usize = 60;

/// Two texts, and what is known of them besides.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'t> {
    pub language: Language,
    pub reference: &'t str,
    pub prediction: &'t str,
    /// Says where messages and expected values stand.
    pub framework: Option<Framework>,
    /// Whether the prediction parses, where somebody has found out already.
    pub is_parsable: Option<bool>,
    /// It is as long as the model could write.
    pub is_over_length: bool,
}

impl<'t> Pair<'t> {
    /// Makes a pair in Java of which nothing else is known.
    #[must_use]
    pub const fn new(reference: &'t str, prediction: &'t str) -> Self {
        Self {
            language: Language::Java,
            reference,
            prediction,
            framework: None,
            is_parsable: None,
            is_over_length: false,
        }
    }
}

/// Why a tag applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub tag: Tag,
    /// Bytes of the reference; absent where it has nothing of the kind.
    pub reference: Option<Span>,
    /// Bytes of the prediction; absent where it has nothing of the kind.
    pub prediction: Option<Span>,
    /// For people: a lower-case fragment with source text in backticks.
    pub text: String,
}

/// What was found in a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub tags: Tags,
    /// In the order in which it was found; a tag may have several, and one at least except `other`.
    pub evidence: Vec<Evidence>,
    /// Names that occur in neither the reference nor a library: unknown, unless the sample has them.
    pub suspects: Vec<Span>,
}

impl Found {
    /// Settles which of the suspects are unknown names: those that `is_known` does not know. Then every pair has a tag.
    pub fn settle(&mut self, prediction: &str, is_known: impl Fn(&str) -> bool) {
        for suspect in std::mem::take(&mut self.suspects) {
            let name = suspect.of(prediction);
            if !is_known(name) {
                self.add(Evidence {
                    tag: Tag::UnknownName,
                    reference: None,
                    prediction: Some(suspect),
                    text: format!("`{}` occurs nowhere in the sample", quoted(name)),
                });
            }
        }
        if self.tags.is_empty() {
            self.tags.insert(Tag::Other);
        } else if self.tags != Tags::from_iter([Tag::Other]) {
            self.tags.remove(Tag::Other);
        }
    }

    fn add(&mut self, evidence: Evidence) {
        self.tags.insert(evidence.tag);
        self.evidence.push(evidence);
    }

    fn say(&mut self, tag: Tag, text: &str) {
        self.add(Evidence {
            tag,
            reference: None,
            prediction: None,
            text: text.to_owned(),
        });
    }
}

/// Returns whether one of these texts has the name as a whole word, or as a property whose getter a library writes.
#[must_use]
pub fn occurs<'t>(texts: impl IntoIterator<Item = &'t str>, name: &str) -> bool {
    texts.into_iter().any(|text| names::occurs(text, name))
}

/// Compares pairs; keeps parsers and buffers from one to the next. One per thread.
pub struct Tagger {
    parser: Parser,
    trees: [Tree; 2],
    judge: Judge,
    lexer: Lexer,
}

impl Default for Tagger {
    fn default() -> Self {
        Self::new()
    }
}

impl Tagger {
    #[must_use]
    pub fn new() -> Self {
        Self {
            parser: Parser::new(),
            trees: [Tree::new(), Tree::new()],
            judge: Judge::new(),
            lexer: Lexer::new(),
        }
    }

    /// Returns the tags of a pair of which the sample's texts are known.
    pub fn tags(&mut self, pair: Pair<'_>, texts: &[&str]) -> Found {
        let mut found = self.compare(pair);
        found.settle(pair.prediction, |name| occurs(texts.iter().copied(), name));
        found
    }

    /// Returns what follows from the two texts alone; [`Found::settle`] is still to be called.
    pub fn compare(&mut self, pair: Pair<'_>) -> Found {
        let mut found = Found::default();
        let is_exact = self.is_exact(pair);
        if is_exact {
            found.say(Tag::Exact, "the same but for layout and comments");
        }
        if pair.is_over_length {
            found.say(Tag::Truncated, "as long as the model could write");
        }
        if self.is_broken(pair, &mut found) || pair.language != Language::Java {
            return found;
        }
        let [of_reference, of_prediction] = &mut self.trees;
        let parser = &mut self.parser;
        parser.parse(pair.language, pair.reference, of_reference);
        parser.parse(pair.language, pair.prediction, of_prediction);
        let reference = Code::new(pair.reference, of_reference);
        let mut prediction = Code::new(pair.prediction, of_prediction);
        found.suspects = names::unknown(pair.reference, &prediction);
        if of_reference.has_error() || of_prediction.has_error() {
            return found;
        }
        if is_exact {
            repeats(&reference, &prediction, &mut found);
            return found;
        }
        let is_renamed = rename::unify(&reference, &mut prediction);
        repeats(&reference, &prediction, &mut found);
        Comparison::new(reference, prediction, pair.framework).run(is_renamed, &mut found);
        found
    }

    fn is_exact(&mut self, pair: Pair<'_>) -> bool {
        if pair.reference.trim() == pair.prediction.trim() {
            return true;
        }
        if pair.language == Language::Java {
            let (tokens, error) = self.lexer.tokens(pair.reference);
            if error.is_some() {
                return false;
            }
            let reference: Vec<String> = tokens.iter().map(str::to_owned).collect();
            let (tokens, error) = self.lexer.tokens(pair.prediction);
            return error.is_none() && tokens.iter().eq(reference.iter().map(String::as_str));
        }
        let [of_reference, of_prediction] = &mut self.trees;
        self.parser
            .parse(pair.language, pair.reference, of_reference);
        self.parser
            .parse(pair.language, pair.prediction, of_prediction);
        if of_reference.has_error() || of_prediction.has_error() {
            return false;
        }
        let tokens = |tree: &Tree, text: &str| {
            let mut tokens = Vec::new();
            tree.push_tokens(text, &mut tokens);
            tokens
        };
        let reference = tokens(of_reference, pair.reference);
        let prediction = tokens(of_prediction, pair.prediction);
        // Layout means something in some of these languages: equal tokens on equal lines.
        let line = |text: &str, span: &Span| text[..span.start as usize].matches('\n').count();
        reference.len() == prediction.len()
            && reference.len() <= 2_000
            && reference.iter().zip(&prediction).all(|(a, b)| {
                a.of(pair.reference) == b.of(pair.prediction)
                    && line(pair.reference, a) == line(pair.prediction, b)
            })
    }

    /// Says whether and where the prediction does not parse.
    fn is_broken(&mut self, pair: Pair<'_>, found: &mut Found) -> bool {
        let is_java = pair.language == Language::Java;
        let detail = match pair.is_parsable {
            Some(true) => return false,
            Some(false) => "does not parse".to_owned(),
            None if is_java => {
                let mode = ParseMode::Strict;
                let like = self
                    .judge
                    .verdict_like(pair.reference, pair.prediction, mode);
                match like.1 {
                    Verdict::Ok => return false,
                    Verdict::Error {
                        line,
                        column,
                        detail,
                    } => format!("line {line}, column {column}: {detail}"),
                }
            }
            None => {
                self.parser
                    .parse(pair.language, pair.prediction, &mut self.trees[1]);
                match self.trees[1].first_fault(pair.prediction) {
                    None => return false,
                    Some(fault) => fault.detail,
                }
            }
        };
        found.say(Tag::Unparsable, &detail);
        if is_java && let Some(open) = ending::open(pair.prediction, &mut self.judge) {
            found.add(Evidence {
                tag: Tag::Truncated,
                reference: None,
                prediction: Some(Span::new(open.at as u32, pair.prediction.len() as u32)),
                text: open.detail.to_owned(),
            });
        }
        true
    }
}

/// Says whether the prediction has one statement too often in a row.
fn repeats(reference: &Code<'_>, prediction: &Code<'_>, found: &mut Found) {
    let longest = |code: &Code<'_>| {
        let statements = statements(code);
        let mut best = (0, 0);
        let mut first = 0;
        for (idx, it) in statements.iter().enumerate() {
            if code.hash(*it) != code.hash(statements[first]) {
                first = idx;
            }
            if idx + 1 - first > best.0 {
                best = (idx + 1 - first, *it);
            }
        }
        best
    };
    let (n_times, node) = longest(prediction);
    if n_times >= REPEATED_MIN && longest(reference).0 < REPEATED_MIN {
        found.add(Evidence {
            tag: Tag::Repeated,
            reference: None,
            prediction: Some(prediction.node(node).span),
            text: format!(
                "`{}` stands there {n_times} times in a row",
                quoted(prediction.source(node))
            ),
        });
    }
}

/// Returns the statements of a text: of methods, those of their bodies.
fn statements(code: &Code<'_>) -> Vec<u32> {
    let mut all = Vec::new();
    for child in code.children(0) {
        let body = (code.sort(child) == Sort::Method)
            .then(|| code.child(child, FIELDS.body))
            .flatten();
        match body {
            Some(body) => all.extend(code.children(body)),
            None => all.push(child),
        }
    }
    all
}

/// Masks the bodies of methods and returns their heads.
fn heads(code: &mut Code<'_>) -> Vec<u32> {
    let all: Vec<u32> = code.children(0).collect();
    let mut heads = Vec::new();
    for child in all {
        if code.sort(child) == Sort::Method {
            heads.push(child);
            if let Some(body) = code.child(child, FIELDS.body) {
                code.nodes[body as usize].is_masked = true;
            }
        }
    }
    heads
}

/// One side, taken apart.
struct Side<'t> {
    code: Code<'t>,
    checks: Vec<Check>,
    /// Heads of methods first, then what is left of statements without assertions.
    others: Vec<u32>,
    n_heads: usize,
    /// The keys of checks and other statements in the order of the text.
    sequence: Vec<u64>,
}

impl<'t> Side<'t> {
    fn new(mut code: Code<'t>, framework: Option<Framework>) -> Self {
        let statements = statements(&code);
        let checks = check::collect(&mut code, framework);
        let heads = heads(&mut code);
        code.rehash();
        let n_heads = heads.len();
        let others: Vec<u32> = heads
            .into_iter()
            .chain(statements)
            .filter(|it| !code.node(*it).is_masked)
            .collect();
        let keys = |nodes: &[u32]| -> Vec<(u32, u64)> {
            nodes.iter().map(|it| (*it, code.hash(*it))).collect()
        };
        let mut sequence = keys(&others);
        sequence.extend(checks.iter().map(|it| (it.node, it.key(&code))));
        sequence.sort_by_key(|it| it.0);
        Self {
            sequence: sequence.into_iter().map(|it| it.1).collect(),
            code,
            checks,
            others,
            n_heads,
        }
    }
}

/// Two sides on their way to tags.
struct Comparison<'t> {
    reference: Side<'t>,
    prediction: Side<'t>,
}

impl<'t> Comparison<'t> {
    fn new(reference: Code<'t>, prediction: Code<'t>, framework: Option<Framework>) -> Self {
        Self {
            reference: Side::new(reference, framework),
            prediction: Side::new(prediction, framework),
        }
    }

    fn run(&self, is_renamed: bool, found: &mut Found) {
        let (r, p) = (&self.reference, &self.prediction);
        let mut evidence = Vec::new();
        let is_same = r.sequence == p.sequence;
        if !is_same && sorted(&r.sequence) == sorted(&p.sequence) {
            found.say(Tag::OtherOrder, "the same statements in another order");
            return;
        }
        self.checks(is_same, &mut evidence);
        self.others(&mut evidence);
        for it in evidence {
            found.add(it);
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

    fn checks(&self, is_same: bool, evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference, &self.prediction);
        let keys = |side: &Side<'_>| -> Vec<u64> {
            side.checks.iter().map(|it| it.key(&side.code)).collect()
        };
        let (r_keys, p_keys) = (keys(r), keys(p));
        let cost = |a: usize, b: usize| unlikeness(r, &r.checks[a], p, &p.checks[b]);
        for Pairing {
            reference,
            prediction,
        } in pairing::pair(&r_keys, &p_keys, cost)
        {
            match (reference, prediction) {
                (Some(a), Some(b)) if r_keys[a] == p_keys[b] => {
                    self.equal(&r.checks[a], &p.checks[b], is_same, evidence);
                }
                (Some(a), Some(b)) => self.different(&r.checks[a], &p.checks[b], evidence),
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
    }

    /// Says how two assertions that check the same are written otherwise.
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
        let message = |check: &Check, code: &Code<'_>| check.message.map(|it| code.hash(it));
        if message(a, r) != message(b, p) {
            note(Tag::DifferentMessage);
        }
        if !is_same {
            return;
        }
        let (a_sides, b_sides) = (a.form.sides(r), b.form.sides(p));
        let is_one_way = a.form.way == b.form.way;
        if is_one_way && a_sides != b_sides && a.form.key(r) == b.form.key(p) {
            note(Tag::EqualSwapped);
            if a.style != b.style {
                note(Tag::EqualRewritten);
            }
        } else if !is_one_way || a_sides != b_sides || a.style != b.style {
            note(Tag::EqualRewritten);
        }
    }

    /// Names what is different in two assertions.
    fn different(&self, a: &Check, b: &Check, evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference.code, &self.prediction.code);
        let forms = if a.is_assumption != b.is_assumption {
            None
        } else if a.form.way == b.form.way {
            Some((&a.form, &b.form))
        } else if a.normal.way == b.normal.way {
            Some((&a.normal, &b.normal))
        } else {
            None
        };
        let mut differ = Differ::new(r, p, evidence);
        let Some((a_form, b_form)) = forms else {
            return differ.instead(Tag::DifferentAssertion, a.node, b.node);
        };
        let (a_sides, mut b_sides) = (a_form.sides(r), b_form.sides(p));
        let (mut b_expected, mut b_actual) = (&b_form.expected, &b_form.actual);
        // Where one side is the reference's other one, the sides have changed places.
        let is_swapped = a_form.way.is_symmetric()
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

    /// Names what is different in the statements that are no assertions.
    fn others(&self, evidence: &mut Vec<Evidence>) {
        let (r, p) = (&self.reference, &self.prediction);
        let keys = |side: &Side<'_>| -> Vec<u64> {
            let hash = |it: &u32| side.code.hash(*it);
            side.others.iter().map(hash).collect()
        };
        let (r_keys, p_keys) = (keys(r), keys(p));
        let cost = |a: usize, b: usize| {
            let (a, b) = (r.others[a], p.others[b]);
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
                reference.map(|it| r.others[it]),
                prediction.map(|it| p.others[it]),
            );
            let mut differ = Differ::new(&r.code, &p.code, evidence);
            match (a, b) {
                (Some(a), Some(b)) => {
                    differ.instead(Tag::DifferentStatement, a, b);
                    let is_head = reference.is_some_and(|it| it < r.n_heads)
                        || prediction.is_some_and(|it| it < p.n_heads);
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

fn sorted(keys: &[u64]) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}

/// Returns how little two assertions have in common.
fn unlikeness(r: &Side<'_>, a: &Check, p: &Side<'_>, b: &Check) -> u32 {
    let (a_sides, b_sides) = (a.form.sides(&r.code), b.form.sides(&p.code));
    let is_way = a.form.way == b.form.way || a.normal.way == b.normal.way;
    let way = if is_way {
        0
    } else if matches!(a.form.way, Way::Named(_)) == matches!(b.form.way, Way::Named(_)) {
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

/// Returns how little two subtrees have in common, 0..=8: by the nodes that are equal from both ends.
fn apartness(r: &Code<'_>, a: u32, p: &Code<'_>, b: u32) -> u32 {
    const NODES_MAX: usize = 200;
    let nodes = |code: &Code<'_>, idx: u32| -> Vec<u64> {
        let all = &code.nodes[idx as usize..code.node(idx).end as usize];
        all.iter()
            .take(NODES_MAX)
            .map(|it| code::mix(u64::from(it.kind.0), it.word))
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

/// Returns source text on one line, its first characters.
fn quoted(text: &str) -> String {
    let mut shown = String::new();
    for (n_chars, c) in text
        .split_whitespace()
        .flat_map(|word| word.chars().chain([' ']))
        .enumerate()
    {
        if n_chars == QUOTED_CHARS_MAX {
            shown.push('…');
            return shown;
        }
        if !c.is_control() {
            shown.push(c);
        }
    }
    shown.truncate(shown.trim_end().len());
    shown
}

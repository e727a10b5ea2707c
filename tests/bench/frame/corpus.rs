//! Pairs to measure with: the same each time, with the mean lengths of the paper's pairs.

use std::path::Path;

use focalist::mine::{self, MiningOptions, Target as Source, sources};
use focalist::model::{Filter, Language, Matcher, SampleKey, Target};
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;

/// The matcher that cuts the tests.
pub const MATCHER: Matcher = Matcher::DEFAULT;

/// The mean length of a side of a pair, as in the paper.
const CHARS_MEAN: usize = 180;
/// The mean length for whole tests.
const CHARS_MEAN_OF_TESTS: usize = 600;

#[derive(Clone, Debug)]
pub struct Pair {
    pub reference: String,
    pub prediction: String,
}

/// Mines the sample data into an index.
pub fn mined(folder: &Path) -> Store {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/repos");
    let roots = sources::repositories_in(&data).expect("the sample data is there");
    let targets: Vec<Source> = roots
        .into_iter()
        .map(|root| Source {
            root,
            ..Source::default()
        })
        .collect();
    let mut store = Store::open(folder, StoreAccess::Create).expect("a workspace can be made");
    mine::mine(
        &mut store,
        &Monitor::default(),
        &MiningOptions::default(),
        &targets,
    )
    .expect("mining works");
    store
}

/// Reads the assertion part of each sample, by key.
pub fn assertion_parts(store: &Store) -> Vec<(SampleKey, String)> {
    let keys = store.keys(&Filter::default()).expect("reads");
    let references = store
        .references(&keys, Target::Assertion, MATCHER)
        .expect("reads");
    keys.into_iter()
        .zip(references)
        .filter_map(|(key, stored_reference)| Some((key, stored_reference?.text?)))
        .collect()
}

/// Builds pairs from the sample data: assertion parts and bodies of tests, renamed and mutated.
pub fn java(n_pairs: usize) -> Vec<Pair> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = mined(folder.path());
    let mut texts: Vec<String> = assertion_parts(&store)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let keys = store.keys(&Filter::default()).expect("reads");
    let tests = store
        .references(&keys, Target::Test, MATCHER)
        .expect("reads");
    texts.extend(tests.into_iter().filter_map(|test| body(&test?.text?)));
    of(texts, n_pairs, CHARS_MEAN)
}

/// Builds pairs from whole tests of the sample data.
pub fn whole_tests(n_pairs: usize) -> Vec<Pair> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = mined(folder.path());
    let keys = store.keys(&Filter::default()).expect("reads");
    let tests = store.references(&keys, Target::Test, MATCHER);
    let texts = tests.expect("reads").into_iter();
    of(
        texts.filter_map(|text| text?.text).collect(),
        n_pairs,
        CHARS_MEAN_OF_TESTS,
    )
}

/// Builds pairs from the snippets in the fixture of reference values.
pub fn generated(language: Language, n_pairs: usize) -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/metrics/metrics.json");
    let text = std::fs::read_to_string(path).expect("the fixture is in the repository");
    let golden: serde_json::Value = serde_json::from_str(&text).expect("the fixture is JSON");
    let name = match language {
        Language::CSharp => "c_sharp",
        other => other.as_str(),
    };
    let pairs = golden["pairs"].as_array().expect("pairs are a list");
    let texts = pairs
        .iter()
        .filter(|pair| pair["lang"] == name)
        .filter_map(|pair| pair["ref"].as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned);
    of(texts.collect(), n_pairs, CHARS_MEAN)
}

/// Cuts out the statements of a method.
fn body(method: &str) -> Option<String> {
    let (start, end) = (method.find('{')? + 1, method.rfind('}')?);
    Some(method.get(start..end)?.trim().to_owned())
}

/// Builds pairs of texts with the right mean length: while the mean is too low, the next text is taken from the longer
/// half.
fn of(mut texts: Vec<String>, n_pairs: usize, chars_mean: usize) -> Vec<Pair> {
    for text in &mut texts {
        // As in published data sets, indentation is not part of a text.
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        *text = lines.join("\n");
    }
    texts.retain(|text| (20..2_000).contains(&text.len()));
    texts.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let middle = texts.partition_point(|text| text.len() < chars_mean);
    let mut random = Random(1);
    let mut n_chars = 0;
    (0..n_pairs)
        .map(|idx| {
            let range = if middle < texts.len() && n_chars <= idx * chars_mean || middle == 0 {
                middle..texts.len()
            } else {
                0..middle
            };
            let text = &texts[range.start + random.below(range.len())];
            n_chars += text.len();
            let mut tokens: Vec<String> = cut(text).into_iter().map(str::to_owned).collect();
            rename(&mut tokens, &mut random);
            let reference = tokens.concat();
            for _ in 0..random.below(4) {
                mutate(&mut tokens, &mut random);
            }
            Pair {
                reference,
                prediction: tokens.concat(),
            }
        })
        .collect()
}

/// Splits a text into names, runs of white space, and single characters.
fn cut(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        letter if letter.is_alphanumeric() || letter == '_' => 0,
        blank if blank.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let is_new = last != Some(class(c)) || class(c) == 2;
        if is_new && at > start {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    pieces.push(&text[start..]);
    pieces
}

/// Renames one name everywhere in a text.
fn rename(tokens: &mut [String], random: &mut Random) {
    let names: Vec<usize> = (0..tokens.len())
        .filter(|idx| {
            tokens[*idx].starts_with(|token: char| token.is_lowercase()) && tokens[*idx].len() > 3
        })
        .filter(|idx| !KEYWORDS.contains(&tokens[*idx].as_str()))
        .collect();
    if names.is_empty() {
        return;
    }
    let name = tokens[names[random.below(names.len())]].clone();
    let other = format!("{name}{}", random.below(100));
    for token in tokens.iter_mut().filter(|token| **token == name) {
        token.clone_from(&other);
    }
}

const KEYWORDS: [&str; 8] = [
    "final", "else", "return", "throw", "while", "this", "null", "void",
];

/// Drops a token, replaces it with another one of the text, swaps two, or renames one everywhere. Names replace names
/// and signs replace signs, like the errors of models, so most texts still parse.
fn mutate(tokens: &mut Vec<String>, random: &mut Random) {
    let is_name = |text: &String| text.starts_with(|c: char| c.is_alphanumeric());
    let kind = random.below(4) > 0;
    let places: Vec<usize> = (0..tokens.len())
        .filter(|idx| is_name(&tokens[*idx]) == kind && !tokens[*idx].trim().is_empty())
        .collect();
    if places.len() < 2 {
        return;
    }
    let at = random.below(places.len());
    let other = places[(at + 1 + random.below(3)) % places.len()];
    let at = places[at];
    match random.below(8) {
        0 => {
            tokens.remove(at);
        }
        1..=3 => {
            let copied = tokens[other].clone();
            tokens[at] = copied;
        }
        4..=5 => tokens.swap(at, other),
        _ => rename(tokens, random),
    }
}

/// Marsaglia's xorshift: the numbers depend on the seed alone.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

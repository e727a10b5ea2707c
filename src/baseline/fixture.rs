//! Training data of the tests: small programs as sequences, and a vocabulary of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::OnceLock;

use crate::encode::{Encoder, PieceUnit, Sequence, is_marker};
use crate::vocabulary::Vocabulary;

/// A sample: its source and its target.
pub type Pair = (Vec<String>, Vec<String>);

/// Makes samples of Java, each with its own assertion.
pub fn pairs(n: usize) -> Vec<Pair> {
    const NAMES: [&str; 8] = [
        "count", "size", "name", "total", "first", "last", "width", "depth",
    ];
    let mut encoder = Encoder::new();
    let mut encode = |text: &str, unit| {
        let mut sequence = Sequence::new();
        encoder
            .encode(text, unit, &mut sequence)
            .expect("the samples are Java");
        sequence.iter().map(str::to_owned).collect::<Vec<_>>()
    };
    (0..n)
        .map(|idx| {
            let (name, other) = (NAMES[idx % 8], NAMES[idx / 8 % 8]);
            let focal = format!("int {name}() {{ return this.{other} + {idx}; }}");
            let assertion = if idx % 3 == 0 {
                format!("assertTrue({name}.{other}() > {idx});")
            } else {
                format!("assertEquals({idx}, it.{name}({other}));")
            };
            (
                encode(&focal, PieceUnit::Members),
                encode(&assertion, PieceUnit::Statements),
            )
        })
        .collect()
}

/// Returns the same samples with the whole of a source around their focal methods, and a context behind all but the
/// first.
pub fn pairs_with_context(n: usize) -> Vec<Pair> {
    let around = |(idx, (focal, target)): (usize, Pair)| {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let context = if idx == 0 {
            words("<[focal_context]> <[/]>")
        } else {
            let (begin, end) = (words("<[focal_context]>"), words("<[/focal_context]>"));
            [begin, focal.clone(), end].concat()
        };
        let source = [
            words("<[source]> <[setup]> <[/]> <[focal]>"),
            focal,
            words("<[/focal]> <[setup_context]> <[/]>"),
            context,
            words("<[/source]>"),
        ];
        (source.concat(), target)
    };
    pairs(n).into_iter().enumerate().map(around).collect()
}

/// Returns samples as `focalist encode` writes them.
pub fn encoded(pairs: &[Pair]) -> String {
    let mut text = String::new();
    for (idx, (source, target)) in pairs.iter().enumerate() {
        let line =
            serde_json::json!({"sample": format!("s{idx}"), "source": source, "target": target});
        writeln!(text, "{line}").expect("strings take all");
    }
    text
}

pub fn vocabulary_file() -> &'static str {
    static FILE: OnceLock<String> = OnceLock::new();
    FILE.get_or_init(|| {
        let mut values: BTreeMap<String, u32> = BTreeMap::new();
        for (source, target) in pairs(64) {
            for token in source.into_iter().chain(target) {
                if !is_marker(&token) {
                    *values.entry(token).or_default() += 1;
                }
            }
        }
        Vocabulary::train(values, 640)
            .expect("there are values")
            .to_string()
    })
}

pub fn vocabulary() -> Vocabulary {
    Vocabulary::read(vocabulary_file().as_bytes()).expect("it was made here")
}

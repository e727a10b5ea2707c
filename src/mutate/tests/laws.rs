//! Laws for every variant, on the code of the resolver's fixtures.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::options;
use crate::model::Language;
use crate::syntax::tree::{Parser, Tree};
use crate::{Edit, MutationOptions, MutationSource, Mutator, Pass};

/// A file in a fixture.
#[derive(Debug)]
struct Sample {
    language: Language,
    path: &'static str,
    source: String,
}

/// The folders of fixtures, with the words of their fences. Java's lie at the top.
const FOLDERS: &[(&str, &str, Language, &str)] = &[
    ("", "java", Language::Java, "A.java"),
    ("python", "python", Language::Python, "a.py"),
    ("go", "go", Language::Go, "a.go"),
    ("javascript", "js", Language::JavaScript, "a.js"),
    ("javascript", "ts", Language::JavaScript, "a.ts"),
    ("csharp", "csharp", Language::CSharp, "A.cs"),
];

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/resolve");
    let mut texts = Vec::new();
    for (folder, fence, language, path) in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).expect("the fixtures are there");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("a folder can be read").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        files.sort();
        for file in files {
            let page = std::fs::read_to_string(file).expect("a fixture is a text");
            for block in page.split(&format!("\n```{fence}\n")).skip(1) {
                let text = block.split("\n```").next().unwrap_or_default();
                texts.push(Sample {
                    language: *language,
                    path,
                    source: format!("{text}\n"),
                });
            }
        }
    }
    texts
});

fn parses(of: &Sample, text: &str) -> bool {
    let mut tree = Tree::default();
    Parser::default().parse_file(of.language, of.path, text, &mut tree);
    !tree.has_error()
}

/// Applies the replacements to a text, from its end on.
fn edited(seed: &str, edits: &[Edit]) -> String {
    let mut text = seed.to_owned();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        text.replace_range(range, &edit.text);
    }
    text
}

/// Replaces the lines of a seed by its variant.
fn placed(file: &str, (first, last): (u32, u32), variant: &str) -> String {
    let lines: Vec<&str> = file.split('\n').collect();
    let (head, rest) = lines.split_at(first as usize - 1);
    let tail = &rest[(last - first) as usize + 1..];
    let lines: Vec<&str> = head.iter().chain([&variant]).chain(tail).copied().collect();
    lines.join("\n")
}

/// Checks the laws on one file, and returns how many variants there are.
fn check(of: &Sample, options: &MutationOptions) -> usize {
    let source = MutationSource {
        language: of.language,
        path: of.path,
        text: &of.source,
    };
    let outcome = Mutator::new().mutate(source, options);
    assert_eq!(outcome, Mutator::new().mutate(source, options));
    if !parses(of, &of.source) {
        return 0;
    }
    let mut n_variants = 0;
    for function in &outcome.functions {
        let seed = &function.seed;
        assert_eq!(function.refused, [], "{}", seed.source);
        let lines = (seed.start_line, seed.end_line);
        assert_eq!(placed(&of.source, lines, &seed.source), of.source);
        for variant in &function.variants {
            let shown = format!(
                "{} of\n{}\n{}",
                variant.pass.as_str(),
                seed.source,
                variant.source
            );
            assert_ne!(variant.source, seed.source, "{shown}");
            assert_eq!(
                edited(&seed.source, &variant.edits),
                variant.source,
                "{shown}"
            );
            assert!(
                variant
                    .edits
                    .is_sorted_by(|a, b| a.span.end <= b.span.start),
                "{shown}"
            );
            assert!((0.0..=1.0).contains(&variant.distance), "{shown}");
            assert!(
                parses(of, &placed(&of.source, lines, &variant.source)),
                "{shown}"
            );
            if let Some(cut) = variant.cut {
                let n_lines = |text: &str| text.lines().count() as u32;
                assert!((1..n_lines(&seed.source)).contains(&cut.seed), "{shown}");
                assert!(
                    (1..n_lines(&variant.source)).contains(&cut.variant),
                    "{shown}"
                );
            }
        }
        n_variants += function.variants.len();
    }
    n_variants
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_variant_parses_and_is_its_edits_and_comes_again(
        at in any::<prop::sample::Index>(),
        seed in any::<u64>(),
        is_strict in any::<bool>(),
    ) {
        let of = &SAMPLES[at.index(SAMPLES.len())];
        check(of, &MutationOptions { seed, ..options(Pass::ALL, is_strict) });
    }
}

#[test]
fn the_fixtures_of_every_language_have_variants() {
    for (folder, _, language, _) in FOLDERS {
        let own = SAMPLES.iter().filter(|sample| sample.language == *language);
        let n_variants: usize = own
            .map(|sample| check(sample, &options(Pass::ALL, false)))
            .sum();
        assert!(n_variants > 20, "{folder}: {n_variants}");
    }
}

#[test]
fn any_text_is_taken() {
    proptest!(|(text in ".*", at in 0..FOLDERS.len())| {
        let (_, _, language, path) = FOLDERS[at];
        Mutator::new().mutate(MutationSource { language, path, text: &text }, &options(Pass::ALL, false));
    });
}

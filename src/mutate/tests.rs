//! Behaviour of the passes, rule by rule, a language a file; and the laws that hold for all of them.

mod condition;
mod csharp;
mod go;
mod java;
mod javascript;
mod laws;
mod python;
mod rules;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::Expect;

use super::{MutatedFunction, MutationOptions, MutationSource, Mutator, Pass};
use crate::model::Language;

/// Options under which the shortest function is mutated, too.
fn options(passes: &[Pass], is_strict: bool) -> MutationOptions {
    MutationOptions {
        passes: passes.to_vec(),
        is_strict,
        tokens_min: 0,
        ..MutationOptions::default()
    }
}

/// Returns the functions of a text that parses, or that a frame explains.
fn mutated(source: MutationSource<'_>, options: &MutationOptions) -> Vec<MutatedFunction> {
    let outcome = Mutator::new().mutate(source, options);
    assert_eq!(outcome.fault, None, "does not parse: {}", source.text);
    for function in &outcome.functions {
        assert_eq!(function.refused, Vec::new(), "{}", function.seed.source);
    }
    outcome.functions
}

/// Checks what the passes make of every function of a text, or why they make nothing.
fn check_all(source: MutationSource<'_>, passes: &[Pass], is_strict: bool, expected: &Expect) {
    let mut shown = String::new();
    for function in mutated(source, &options(passes, is_strict)) {
        for pass in passes {
            let variant = function
                .variants
                .iter()
                .find(|variant| variant.pass == *pass);
            let reason = function.left_out.iter().find(|pair| pair.0 == *pass);
            let text = match (variant, reason) {
                (Some(applied_variant), None) => applied_variant.source.clone(),
                (None, Some((_, why))) => format!("{}: {why}", function.seed.function),
                _ => panic!("{} is neither applied nor left out", pass.as_str()),
            };
            // A line without indentation keeps that of the others.
            writeln!(shown, "{}\n{text}", pass.as_str()).expect("a string takes all");
        }
    }
    expected.assert_eq(&shown);
}

/// Checks what a pass makes of the first function of a text under many seeds, each variant once.
fn check_every_choice(source: MutationSource<'_>, pass: Pass, is_strict: bool, expected: &Expect) {
    let of_seed = |seed| {
        let options = MutationOptions {
            seed,
            ..options(&[pass], is_strict)
        };
        let function = mutated(source, &options).swap_remove(0);
        function
            .variants
            .into_iter()
            .next()
            .map(|variant| variant.source)
    };
    let variants: BTreeSet<String> = (0..64).filter_map(of_seed).collect();
    expected.assert_eq(&Vec::from_iter(variants).join("\n"));
}

/// Names a text as a file of its language.
fn source_of(language: Language, text: &str) -> MutationSource<'_> {
    let path = match language {
        Language::Python => "a.py",
        Language::Java => "A.java",
        Language::Go => "a.go",
        Language::JavaScript => "a.js",
        Language::CSharp => "A.cs",
    };
    MutationSource {
        language,
        path,
        text,
    }
}

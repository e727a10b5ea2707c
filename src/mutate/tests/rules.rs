//! Rules of all languages: choice, order, sizes, cuts and frames.

use super::{MutationOptions, MutationSource, Pass, mutated, options, source_of};
use crate::model::{Language, Position};
use crate::{FunctionCut, Mutator, UnchangedReason};

const PYTHON: &str = "def add(a, b):\n    res = a\n    if b:\n        res += b\n    return res\n";

fn python(text: &str) -> MutationSource<'_> {
    source_of(Language::Python, text)
}

#[test]
fn another_seed_chooses_another_place() {
    let renamed = |seed| {
        let options = MutationOptions {
            seed,
            ..options(&[Pass::RepC], false)
        };
        mutated(python(PYTHON), &options)[0].variants[0]
            .source
            .contains("Add_Param_a")
    };
    let chosen: Vec<bool> = (0..16).map(renamed).collect();
    assert!(chosen.contains(&true) && chosen.contains(&false));
}

#[test]
fn variants_stand_in_the_order_of_the_passes_however_they_are_asked_for() {
    let asked = [Pass::Ini, Pass::Rtf, Pass::RepR];
    let functions = mutated(python(PYTHON), &options(&asked, false));
    let passes: Vec<Pass> = functions[0]
        .variants
        .iter()
        .map(|variant| variant.pass)
        .collect();
    assert_eq!(passes, [Pass::RepR, Pass::Rtf, Pass::Ini]);
}

#[test]
fn what_else_is_in_a_file_does_not_change_a_choice() {
    let alone = mutated(python(PYTHON), &options(Pass::ALL, false));
    let text = format!("def other(q):\n    return q\n\n\n{PYTHON}");
    let among = mutated(python(&text), &options(Pass::ALL, false));
    assert_eq!(among[1].variants, alone[0].variants);
    assert_eq!((among[1].seed.start_line, among[1].seed.end_line), (5, 9));
}

#[test]
fn a_function_of_another_size_is_skipped_with_its_size() {
    let functions = mutated(python(PYTHON), &MutationOptions::default());
    assert_eq!(functions[0].variants, []);
    let n_tokens = functions[0].seed.n_tokens;
    let skipped = functions[0].skipped.clone();
    assert_eq!(skipped, Some(UnchangedReason::Size { n_tokens }));
}

#[test]
fn the_halves_of_a_variant_are_cut_where_the_seed_is() {
    let functions = mutated(python(PYTHON), &options(Pass::ALL, false));
    for variant in &functions[0].variants {
        let n_more = u32::from(matches!(variant.pass, Pass::GraR | Pass::GraC | Pass::Ini));
        let expected = FunctionCut {
            seed: 3,
            variant: 3 + n_more,
        };
        assert_eq!(variant.cut, Some(expected), "{:?}", variant.pass);
    }
}

#[test]
fn a_cut_moves_down_to_the_next_statement() {
    let text = "def add(a):\n    res = run(\n        a,\n        1,\n    )\n    return res\n";
    let functions = mutated(python(text), &options(&[Pass::RepR], false));
    let cut = functions[0].variants[0].cut;
    let expected = FunctionCut {
        seed: 5,
        variant: 5,
    };
    assert_eq!(cut, Some(expected));
}

#[test]
fn a_function_on_one_line_is_not_cut() {
    let functions = mutated(
        python("def add(a): return a\n"),
        &options(&[Pass::RepR], false),
    );
    assert_eq!(functions[0].variants[0].cut, None);
}

#[test]
fn renaming_keeps_the_tree_and_an_insertion_does_not_lose_nodes() {
    let functions = mutated(python(PYTHON), &options(Pass::ALL, false));
    for variant in &functions[0].variants {
        let is_changing = matches!(variant.pass, Pass::Irr | Pass::Rtf);
        assert_eq!(variant.distance > 0.0, is_changing, "{:?}", variant.pass);
    }
}

#[test]
fn a_method_without_its_class_is_mutated() {
    for (language, text) in [
        (Language::Python, "    def a(self, b):\n        return b\n"),
        (Language::Java, "int a(int b) {\n    return b;\n}\n"),
        (Language::CSharp, "int A(int b) {\n    return b;\n}\n"),
        (
            Language::CSharp,
            "    public int A(int b)\n    {\n        return b;\n    }\n",
        ),
        (Language::JavaScript, "a(b) {\n  return b;\n}\n"),
    ] {
        let functions = mutated(source_of(language, text), &options(&[Pass::RepR], false));
        let source = &functions[0].variants[0].source;
        assert!(source.contains("return Param1"), "{source}");
        assert_eq!(functions[0].seed.start_line, 1);
    }
}

#[test]
fn a_text_that_does_not_parse_has_a_fault_with_its_place() {
    let text = "def add(a):\n    return a\n\ndef (:\n";
    let outcome = Mutator::new().mutate(python(text), &options(Pass::ALL, false));
    assert_eq!(outcome.functions, []);
    let line = outcome.fault.map(|position: Position| position.line);
    assert_eq!(line, Some(4));
}

#[test]
fn a_pass_is_known_by_its_word() {
    for pass in Pass::ALL {
        assert_eq!(Pass::of(pass.as_str()), Some(*pass));
    }
    assert_eq!(Pass::of("rep_r"), None);
}

#[test]
fn line_breaks_of_two_characters_stay() {
    let text = "def a(b):\r\n    return b\r\n";
    let functions = mutated(python(text), &options(&[Pass::Ini], false));
    let source = &functions[0].variants[0].source;
    assert_eq!(source, "def a(b):\r\n    print(b)\r\n    return b");
}

//! Trees encoded as sequences: the law on the sample data, the table compared with the grammar, and the commands.

use focalist::encode::table::{ATOMS, JAVA};
use focalist::encode::{Decoder, EncodeError, Encoder, FULL, PieceUnit, Sequence};
use focalist::model::{Filter, Language, ParseMode};
use focalist::store::{Extent, Store, StoreAccess, StoredSample};
use focalist::syntax::cut::Cutter;
use focalist::syntax::judge::Judge;
use focalist::syntax::tree::Parser;
use focalist::syntax::verdict::PieceShape;
use serde_json::Value;

use crate::support::Place;

/// The results for pieces of code.
#[derive(Default)]
struct Kept {
    n_pieces: usize,
    n_nodes: usize,
    n_full: usize,
    /// The number of pieces that are not Java.
    n_unsound: usize,
    broken: Vec<String>,
}

/// Tells whether a piece parses, by the rules for predictions.
fn is_sound(text: &str, unit: PieceUnit) -> bool {
    let by = (Language::Java, ParseMode::Strict);
    match unit {
        PieceUnit::Statements => Judge::new().is_sound(text, PieceShape::Statements, by),
        PieceUnit::Members => Judge::new().is_sound(text, PieceShape::Member, by),
        PieceUnit::File => Parser::new().is_sound(Language::Java, text),
    }
}

impl Kept {
    /// Encodes a piece, decodes that, and compares tokens.
    fn check(&mut self, text: &str, unit: PieceUnit) {
        let mut cutter = Cutter::new(Language::Java);
        let before: Vec<String> = cutter.tokens(text).iter().map(str::to_owned).collect();
        let mut sequence = Sequence::new();
        self.n_pieces += 1;
        match Encoder::new().encode(text, unit, &mut sequence) {
            Ok(()) => {}
            Err(EncodeError::Unread(_)) if !is_sound(text, unit) => return self.n_unsound += 1,
            Err(error) => return self.broken.push(format!("{error}: {text}")),
        }
        self.n_nodes += sequence
            .iter()
            .filter(|sequence| sequence.starts_with("<[/"))
            .count();
        self.n_full += sequence.iter().filter(|sequence| *sequence == FULL).count();
        match Decoder::new().decode(sequence.iter()) {
            Ok((code, _))
                if cutter
                    .tokens(code)
                    .iter()
                    .eq(before.iter().map(String::as_str)) => {}
            Ok((code, _)) => self.broken.push(format!("{text}\nbecame\n{code}")),
            Err(error) => self.broken.push(format!("{error}: {text}")),
        }
    }
}

#[test]
fn every_part_of_every_sample_comes_back() {
    let place = Place::with_sample_data();
    let store =
        Store::open(&place.path(".focalist"), StoreAccess::Read).expect("there is an index");
    let mut kept = Kept::default();
    let filter = Filter::default();
    store
        .each_sample(&filter, Extent::WithCandidates, |sample: StoredSample| {
            if sample.repo.language == Language::Java {
                kept.check(sample.setup(), PieceUnit::Statements);
                kept.check(sample.assertion(), PieceUnit::Statements);
                kept.check(&sample.test.text, PieceUnit::File);
                let methods = (sample.fixtures.iter())
                    .chain(&sample.setup_context)
                    .chain(&sample.focal_context)
                    .chain(&sample.focal)
                    .chain([&sample.test]);
                for method in methods {
                    kept.check(method.source(), PieceUnit::Members);
                }
            }
            Ok::<_, focalist::store::StoreError>(())
        })
        .expect("the samples can be read");
    assert!(kept.broken.is_empty(), "{}", kept.broken.join("\n"));
    // One file of the sample data is broken on purpose.
    assert!(
        kept.n_unsound * 10 < kept.n_pieces,
        "{} are no Java",
        kept.n_unsound
    );
    assert!(kept.n_pieces > 500, "{} pieces", kept.n_pieces);
    // The forms of the table fit what people write.
    assert!(
        kept.n_full * 1_000 < kept.n_nodes,
        "{} of {} nodes in full",
        kept.n_full,
        kept.n_nodes
    );
}

#[test]
fn the_table_has_every_type_of_the_grammar_that_has_children() {
    let types: Vec<Value> =
        serde_json::from_str(tree_sitter_java::NODE_TYPES).expect("the grammar's list is JSON");
    // Parts of a literal, which is one token.
    let inside = ["string_interpolation"];
    let mut missing = Vec::new();
    let mut names = Vec::new();
    for node in &types {
        let name = node["type"].as_str().expect("every type has a name");
        let has_children = node.get("children").is_some()
            || node["fields"]
                .as_object()
                .is_some_and(|object| !object.is_empty());
        if node["named"] == true && node.get("subtypes").is_none() {
            names.push(name);
            let is_known = JAVA.iter().any(|pair| pair.0 == name) || ATOMS.contains(&name);
            if has_children && !is_known && !inside.contains(&name) {
                missing.push(name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    for (name, _) in JAVA {
        assert!(names.contains(name), "the grammar has no `{name}`");
    }
    assert!(
        JAVA.is_sorted_by_key(|pair| pair.0),
        "the table is in order"
    );
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

#[test]
fn what_is_encoded_is_decoded_and_scored_as_a_perfect_run() {
    let place = Place::with_sample_data();
    let encoded = place.run(&["encode", "language:java"]).success();
    let encoded = lines(&encoded);
    assert!(encoded.len() > 20);
    let predictions: Vec<String> = encoded
        .iter()
        .map(|value| {
            serde_json::json!({"sample": value["sample"], "prediction": value["target"]})
                .to_string()
        })
        .collect();
    let predictions = place.write("predictions.jsonl", predictions.join("\n"));
    let path = predictions.to_string_lossy();
    let decoded = lines(&place.run(&["decode", &path]).success());
    assert_eq!(decoded.len(), encoded.len());
    assert!(decoded.iter().all(|value| value["prediction"].is_string()));
    place
        .run(&["import", &path, "--run", "gold", "--decode", "tree"])
        .success();
    place
        .run(&["eval", "--run", "gold", "--metrics", "bleu"])
        .success();
    let run = lines(&place.run(&["runs", "--json"]).success());
    let shown = run.iter().map(Value::to_string).collect::<String>();
    assert!(shown.contains("\"gold\""), "{shown}");
    let results = place
        .run(&["results", "gold", "bleu<1", "--json"])
        .success();
    assert_eq!(results.lines().count(), 0, "{results}");
}

#[test]
fn a_sequence_that_is_no_code_is_an_error_with_its_place_and_a_prediction_that_does_not_parse() {
    let place = Place::with_sample_data();
    let encoded = place
        .run(&["encode", "language:java", "--part", "target"])
        .success();
    let sample = lines(&encoded)[0]["sample"].clone();
    let line = serde_json::json!({"sample": sample, "prediction": ["<[block]>", "x"]}).to_string();
    let path = place.write("broken.jsonl", line);
    let path = path.to_string_lossy();
    let decoded = lines(&place.run(&["decode", &path]).success());
    assert_eq!(decoded[0]["error"]["position"], 2);
    assert_eq!(decoded[0]["error"]["message"], "ends inside `block`");
    let told = place.run(&["import", &path, "--run", "broken", "--decode", "tree"]);
    assert!(
        told.err.contains("1 of 1 sequence is no code"),
        "{}",
        told.err
    );
}

#[test]
fn context_can_be_left_out_and_tokens_taken_instead_of_trees() {
    let place = Place::with_sample_data();
    let encode = |options: &[&str]| {
        let mut words = vec!["encode", "language:java"];
        words.extend(options);
        lines(&place.run(&words).success())
    };
    let has = |line: &Value, token: &str| {
        let source = line["source"].as_array().expect("there is a source");
        source.iter().any(|value| value == token)
    };
    let with = encode(&[]);
    let without = encode(&["--no-context"]);
    let tokens = encode(&["--tokens"]);
    assert!(with.iter().all(|value| has(value, "<[focal_context]>")));
    assert!(without.iter().all(|value| !has(value, "<[focal_context]>")));
    assert!(
        tokens
            .iter()
            .all(|token| has(token, "<[focal]>") && !has(token, "<[/focal]>"))
    );
    let stats = place.run(&["stats", "--encoding", "language:java", "--json"]);
    let stats = &lines(&stats.success())[0];
    assert_eq!(stats["n"], with.len());
}

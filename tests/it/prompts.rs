//! Prompts: their contents, what they must not contain, and what is left out when they are too long.

use expect_test::{Expect, expect};
use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::Place;

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn prompts(place: &Place, options: &[&str]) -> Vec<Value> {
    let mut words = vec!["prompts", "language:java"];
    words.extend(options);
    lines(&place.run(&words).success())
}

/// Returns the text that the model reads.
fn text(prompt: &Value) -> &str {
    let text = match &prompt["prompt"] {
        Value::Null => &prompt["messages"][0]["content"],
        text => text,
    };
    text.as_str().expect("a prompt has a text")
}

fn truncated(prompt: &Value) -> Vec<&str> {
    let steps = prompt["truncated"].as_array().expect("it is a list");
    steps.iter().filter_map(Value::as_str).collect()
}

/// Returns the one prompt for a test.
fn one<'p>(prompts: &'p [Value], test: &str) -> &'p Value {
    let mut found = prompts.iter().filter(|prompt| {
        let key = prompt["meta"]["test"].as_str();
        key.is_some_and(|key| key.contains(test))
    });
    found
        .next()
        .unwrap_or_else(|| panic!("no prompt for {test}"))
}

/// Returns the keys of the samples that are asked about with a prompt.
fn samples_of(prompt: &Value) -> impl Iterator<Item = &Value> {
    let also = prompt["meta"]["also"].as_array();
    [&prompt["sample"]]
        .into_iter()
        .chain(also.into_iter().flatten())
}

fn check(prompt: &Value, expected: &Expect) {
    expected.assert_eq(text(prompt));
}

#[test]
fn a_prompt_for_a_test_is_both_classes_in_brief_and_the_method_under_test() {
    let place = Place::with_sample_data();
    let all = prompts(&place, &["--kind", "test"]);
    let first = all.first().expect("there are samples");
    check(
        first,
        &expect![[r"
            // Focal Class:
            public class Converter {
                // Methods
                public Converter(UnitCatalogue catalogue) {}
                public Quantity convert(Quantity quantity, String symbol) {}
                // Method under Test
                public Quantity convert(String text, String symbol) {
                    int blank = text.lastIndexOf(' ');
                    Fraction amount = Fraction.parse(text.substring(0, blank));
                    return convert(new Quantity(amount, catalogue.find(text.substring(blank + 1))), symbol);
                }
            }

            // Test Class:
            import static org.testng.Assert.assertEquals;
            import java.util.NoSuchElementException;
            import org.testng.annotations.BeforeClass;
            import org.testng.annotations.BeforeMethod;
            import org.testng.annotations.Test;

            public class ConverterTest {
                // Fields
                private static UnitCatalogue catalogue;
                private Converter converter;
                // Helper Methods
                @BeforeClass
                public static void openCatalogue() {
                    catalogue = new UnitCatalogue();
                }
                @BeforeMethod
                public void makeConverter() {
                    converter = new Converter(catalogue);
                }
                // Unit Test Case
        "]],
    );
    assert_eq!(first["target"], "test");
    assert_eq!(first["meta"]["tokenizer"], "approx");
    assert_eq!(first["meta"]["budget"], 1850);
}

#[test]
fn a_context_is_one_side_of_the_question_both_or_none() {
    let (java, others) = (Place::with_sample_data(), Place::with_languages());
    let asked = |place: &Place, kind: &str, context: &str| {
        let words = ["prompts", "--kind", kind, "--budget", "100000", "--context"];
        let all = lines(&place.run(&[&words[..], &[context]].concat()).success());
        let is_told = |value: &Value| value["meta"]["context"].is_string() == (context != "all");
        assert!(
            !all.is_empty() && all.iter().all(is_told),
            "{kind} {context}"
        );
        all
    };
    // Where all is shown, some prompts have marks of each side; the other contexts have those of their own side alone.
    let calls = "Methods that the tested method calls";
    for (place, kind, of_test, of_focal) in [
        (&java, "assertion", "Before each test runs", calls),
        (&java, "test", "// Helper Methods", "    // Methods\n"),
        (&others, "test", "import ", "Methods That It Calls"),
    ] {
        for (context, has_test, has_focal) in [
            ("all", true, true),
            ("test-class", true, false),
            ("setup", true, false),
            ("focal-class", false, true),
            ("focal", false, true),
            ("none", false, false),
        ] {
            let all = asked(place, kind, context);
            let has = |mark: &str| all.iter().any(|value| text(value).contains(mark));
            let told = (has(of_test), has(of_focal));
            assert_eq!(told, (has_test, has_focal), "{kind} {context}: {of_test}");
        }
    }
    // Each side takes as much away, whether the other is there or not.
    for (place, kind) in [(&others, "mera"), (&java, "encoded")] {
        let bytes = |context: &str| -> usize {
            let all = asked(place, kind, context);
            all.iter().map(|value| text(value).len()).sum()
        };
        let [all, test, focal, none] = ["all", "test-class", "focal-class", "none"].map(bytes);
        assert_eq!(all - test, focal - none, "{kind}");
        assert!(
            none <= test && none < focal,
            "{kind}: {none} {test} {focal}"
        );
    }
}

#[test]
fn a_prompt_for_an_assertion_is_the_parts_of_the_sample() {
    let place = Place::with_sample_data();
    let all = prompts(&place, &["--kind", "assertion"]);
    let first = all.first().expect("there are samples");
    check(
        first,
        &expect![[r#"
            You are given the beginning of a unit test in Java, the method that it tests, and the methods around both.
            Write the assertion part: the statements that follow the setup and check what the tested method did.
            Answer with these statements alone, in one code block.

            Before each test runs:
            ```java
            @BeforeClass
            public static void openCatalogue() {
                catalogue = new UnitCatalogue();
            }

            @BeforeMethod
            public void makeConverter() {
                converter = new Converter(catalogue);
            }
            ```

            The test `convertFeetIntoInches` in `measurekit.ConverterTest`, up to its assertion part:
            ```java
            Quantity inches = converter.convert("1 1/2 ft", "in");
            ```

            The method that it tests, in `measurekit.Converter`:
            ```java
            public Quantity convert(String text, String symbol) {
                int blank = text.lastIndexOf(' ');
                Fraction amount = Fraction.parse(text.substring(0, blank));
                return convert(new Quantity(amount, catalogue.find(text.substring(blank + 1))), symbol);
            }
            ```

            Methods that the tested method calls:
            ```java
            public Quantity convert(Quantity quantity, String symbol) {
                return quantity.in(catalogue.find(symbol));
            }
            ```"#]],
    );
    assert_eq!(first["messages"][0]["role"], "user");
}

#[test]
fn no_prompt_has_the_answer() {
    let place = Place::with_sample_data();
    let samples = lines(
        &place
            .run(&["export", "--filter", "language:java"])
            .success(),
    );
    for (kind, field) in [("test", "/test/source"), ("assertion", "/assertion")] {
        let all = prompts(&place, &["--kind", kind]);
        let asked: Vec<(&Value, &Value)> = all
            .iter()
            .flat_map(|prompt| samples_of(prompt).map(move |key| (key, prompt)))
            .collect();
        assert_eq!(asked.len(), samples.len());
        for sample in &samples {
            let prompt = asked.iter().find(|pair| *pair.0 == sample["key"]);
            let (_, prompt) = prompt.expect("every sample is asked about");
            let answer = sample.pointer(field).and_then(Value::as_str);
            let answer = answer.expect("a sample has an answer");
            assert!(!text(prompt).contains(answer), "{}", text(prompt));
        }
    }
}

#[test]
fn a_prompt_that_is_too_long_loses_its_parts_in_the_order_of_the_thesis() {
    const STEPS: &[&str] = &[
        "focal_fields",
        "focal_methods",
        "test_methods",
        "test_imports",
        "test_fields",
        "cut",
    ];
    let place = Place::with_sample_data();
    let whole = prompts(&place, &["--kind", "test", "--budget", "100000"]);
    assert!(whole.iter().all(|value| truncated(value).is_empty()));
    let mut seen: Vec<&str> = Vec::new();
    for budget in [400, 250, 150, 100, 60, 30] {
        let all = prompts(&place, &["--kind", "test", "--budget", &budget.to_string()]);
        for (prompt, whole) in all.iter().zip(&whole) {
            assert!(prompt["tokens"].as_u64() <= Some(budget));
            let steps = truncated(prompt);
            let places: Vec<usize> = steps
                .iter()
                .map(|step| STEPS.iter().position(|text| text == step).expect("a step"))
                .collect();
            assert!(places.is_sorted(), "{steps:?}");
            assert_eq!(steps.is_empty(), text(prompt) == text(whole));
            if steps.contains(&"test_imports") {
                assert!(!text(prompt).contains("\nimport "), "{}", text(prompt));
            }
            for step in STEPS.iter().filter(|text| steps.contains(text)) {
                if !seen.contains(step) {
                    seen.push(step);
                }
            }
        }
    }
    seen.sort_by_key(|text| STEPS.iter().position(|step| step == text));
    assert_eq!(seen, STEPS);
}

#[test]
fn constructors_stay_when_methods_go() {
    let place = Place::with_sample_data();
    let all = prompts(&place, &["--kind", "test", "--budget", "150"]);
    let whole = prompts(&place, &["--kind", "test"]);
    let is_short = |value: &&Value| {
        let steps = truncated(value);
        steps.contains(&"focal_methods") && !steps.contains(&"cut")
    };
    let mut n_with_constructors = 0;
    for prompt in all.iter().filter(is_short) {
        let key = prompt["meta"]["test"].as_str().expect("it names its test");
        let focal = prompt["meta"]["focal"].as_str().expect("and its method");
        let class = focal.split('#').next().unwrap_or_default();
        let class = class.rsplit('.').next().unwrap_or_default();
        let constructor = format!("public {class}(");
        if text(one(&whole, key)).contains(&constructor) {
            assert!(text(prompt).contains(&constructor), "{}", text(prompt));
            n_with_constructors += 1;
        }
    }
    assert!(n_with_constructors > 0);
}

#[test]
fn the_same_index_gives_the_same_bytes_and_every_prompt_another_id() {
    let place = Place::with_sample_data();
    for kind in ["assertion", "test", "encoded"] {
        let words = ["prompts", "language:java", "--kind", kind];
        let first = place.run(&words).success();
        assert_eq!(first, place.run(&words).success());
        let mut ids: Vec<String> = lines(&first)
            .iter()
            .map(|line| line["id"].to_string())
            .collect();
        let n_ids = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }
    let short = prompts(&place, &["--kind", "assertion", "--budget", "40"]);
    let whole = prompts(&place, &["--kind", "assertion"]);
    assert!(short.iter().zip(&whole).any(|(a, b)| a["id"] != b["id"]));
}

#[test]
fn encoded_prompts_are_what_encode_writes() {
    let place = Place::with_sample_data();
    let all = prompts(&place, &["--kind", "encoded"]);
    let encoded = lines(&place.run(&["encode", "language:java"]).success());
    assert_eq!(all.len(), encoded.len());
    for (prompt, encoded) in all.iter().zip(&encoded) {
        let tokens = encoded["source"].as_array().expect("there is a source");
        let tokens: Vec<&str> = tokens.iter().filter_map(Value::as_str).collect();
        assert_eq!(text(prompt), tokens.join(" "));
    }
}

#[test]
fn a_template_that_asks_for_what_is_not_there_writes_nothing() {
    let place = Place::with_sample_data();
    let path = place.write("own.jinja", "{{ setup }}\n{{ focal.sauce }}");
    let path = path.to_string_lossy();
    let out = place.path("prompts.jsonl");
    let words = [
        "prompts",
        "--kind",
        "template",
        "--template",
        &path,
        "--output",
        &out.to_string_lossy(),
    ];
    let told = place.run(&words).failure(ExitCode::Input);
    assert!(told.contains("line 2: there is no `focal.sauce`"), "{told}");
    assert!(!out.exists());
}

#[test]
fn the_users_template_takes_the_place_of_the_built_in_one() {
    let place = Place::with_sample_data();
    let path = place.write("own.jinja", "{{ test.name }} calls {{ focal.name }}");
    let path = path.to_string_lossy();
    for kind in ["template", "assertion"] {
        let all = prompts(&place, &["--kind", kind, "--template", &path]);
        assert!(all.iter().all(|value| text(value).contains(" calls ")));
    }
    let shown = place.run(&["prompts", "--show-template", "test"]).success();
    let path = place.write("same.jinja", shown);
    let path = path.to_string_lossy();
    assert_eq!(
        prompts(&place, &["--kind", "test", "--template", &path]),
        prompts(&place, &["--kind", "test"])
    );
}

#[test]
fn a_tokenizer_counts_exactly() {
    let place = Place::with_sample_data();
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    });
    let path = place.write("tokenizer.json", tokenizer.to_string());
    let path = path.to_string_lossy();
    let all = prompts(&place, &["--kind", "assertion", "--tokenizer", &path]);
    for prompt in &all {
        let n_words = text(prompt).split_whitespace().count();
        assert_eq!(prompt["tokens"], n_words);
        assert_eq!(prompt["meta"]["tokenizer"], path.as_ref());
    }
    let broken = place.write("broken.json", "{}");
    place
        .run(&[
            "prompts",
            "--kind",
            "test",
            "--tokenizer",
            &broken.to_string_lossy(),
        ])
        .failure(ExitCode::Input);
}

#[test]
fn a_prompt_for_a_test_is_there_in_every_language_and_names_no_test() {
    let place = Place::with_languages();
    let exported = lines(&place.run(&["export"]).success());
    let mut languages = Vec::new();
    let asked = lines(&place.run(&["prompts", "--kind", "test"]).success());
    assert_eq!(asked.iter().flat_map(samples_of).count(), exported.len());
    for prompt in &asked {
        let sample = exported
            .iter()
            .find(|value| value["key"] == prompt["sample"]);
        let sample = sample.expect("what is asked about is exported");
        let word = |pointer: &str| sample.pointer(pointer).and_then(Value::as_str);
        let text = text(prompt);
        let (source, name) = (word("/test/source"), word("/test/method"));
        assert!(!text.contains(source.expect("a source")), "{text}");
        assert!(
            text.contains(word("/focal/file").expect("a file")),
            "{text}"
        );
        // In JavaScript a name is a sentence, which a comment may have, too.
        let is_named = |test_name: &str| test_name.contains('_') && text.contains(test_name);
        assert!(!name.is_some_and(is_named), "{text}");
        languages.push(prompt["meta"]["language"].as_str().expect("a word"));
        assert_eq!(prompt["target"], "test");
    }
    languages.sort_unstable();
    languages.dedup();
    assert_eq!(languages, ["csharp", "go", "javascript", "python"]);
    let first = asked
        .iter()
        .find(|value| value["meta"]["language"] == "go")
        .expect("there is Go");
    check(
        first,
        &expect![[r#"
        // Focal Method: kiln.go
        func (k *Kiln) Fire(schedule Schedule) error {
        	for i, segment := range schedule {
        		heat, err := k.heater.Reach(segment.Target)
        		k.Note(k.now(), heat)
        		if err != nil {
        			return fmt.Errorf("segment %d: %w", i+1, err)
        		}
        	}
        	return nil
        }

        // Methods That It Calls
        Reach(target Celsius) (Celsius, error)

        // Test File: kiln_test.go
        package kilnlog_test
        import (
        	"errors"
        	"testing"

        	"example.com/kilnlog"
        	"example.com/kilnlog/internal/kilntest"
        )
        func newKiln() (*kilnlog.Kiln, *kilntest.Heater)

        // Unit Test Case
    "#]],
    );
}

#[test]
fn a_long_prompt_for_a_test_in_another_language_loses_what_is_around() {
    let place = Place::with_languages();
    let asked = |budget: &str| {
        let words = ["prompts", "--kind", "test", "--budget", budget];
        lines(&place.run(&words).success())
    };
    let whole = asked("100000");
    assert!(whole.iter().all(|value| truncated(value).is_empty()));
    for budget in [200, 100, 20] {
        for prompt in &asked(&budget.to_string()) {
            // Several that were cut short may have become one, of the smallest key.
            let of_same = |value: &&Value| value["sample"] == prompt["sample"];
            let whole = whole.iter().find(of_same).expect("whole, it is there");
            assert!(prompt["tokens"].as_u64() <= Some(budget));
            let steps = truncated(prompt);
            let known = ["focal_context", "test_file", "cut"];
            let places = steps
                .iter()
                .map(|step| known.iter().position(|known| known == step));
            assert!(
                places
                    .collect::<Option<Vec<_>>>()
                    .is_some_and(|items| items.is_sorted())
            );
            assert_eq!(steps.is_empty(), text(prompt) == text(whole));
        }
    }
}

#[test]
fn what_a_model_is_told_first_makes_every_prompt_a_conversation() {
    let place = Place::with_sample_data();
    place.write("own.jinja", "Test {{ focal.name }} of {{ repo }}.");
    let template = place.path("own.jinja").to_string_lossy().into_owned();
    for words in [
        &["--kind", "test"][..],
        &["--kind", "assertion"],
        &["--kind", "encoded"],
        &["--kind", "template", "--template", &template],
    ] {
        let plain = prompts(&place, words);
        let told = prompts(&place, &[words, &["--system", "Be brief."]].concat());
        assert_eq!(told.len(), plain.len());
        for (told, plain) in told.iter().zip(&plain) {
            let messages = &told["messages"];
            assert_eq!(messages[0]["role"], "system", "{told}");
            assert_eq!(messages[0]["content"], "Be brief.");
            assert_eq!(messages[1]["role"], "user");
            assert_eq!(messages[1]["content"], text(plain));
            assert_eq!(told["prompt"], Value::Null);
            assert!(told["tokens"].as_u64() > plain["tokens"].as_u64());
            assert_ne!(told["id"], plain["id"]);
        }
    }
    let words = ["prompts", "--kind", "cloze", "--system", "Be brief."];
    let refused = place.run(&words).failure(ExitCode::Usage);
    assert!(refused.contains("take no `--system`"), "{refused}");
}

#[test]
fn more_fields_of_a_request_are_sent() {
    let place = Place::with_sample_data();
    let asked = |more: &[&str]| {
        let words = ["generate", "--run", "a", "--model", "m", "--kind", "test"];
        let server = ["--endpoint", "http://127.0.0.1:9/v1", "--dry-run", "--json"];
        place.run(&[&words[..], &server, more].concat())
    };
    let dry = asked(&[
        "--system",
        "Be brief.",
        "--extra",
        r#"{"reasoning_effort":"low"}"#,
    ]);
    let dry: Value = serde_json::from_str(&dry.success()).expect("it is JSON");
    let first = &dry["first"];
    assert_eq!(first["reasoning_effort"], "low", "{dry}");
    assert_eq!(first["messages"][0]["content"], "Be brief.");
    assert_eq!(first["messages"][1]["role"], "user");
    let refused = asked(&["--extra", r#"{"messages":[]}"#]).failure(ExitCode::Usage);
    assert!(
        refused.contains("`messages` is not for `extra` to set"),
        "{refused}"
    );
}

//! The readings of a record of each shape, and the messages about broken ones.

use super::*;

/// Id, attempt, text and meta of each prediction, or the problem.
type PredictionParts<'s> = Result<(Option<&'s str>, u32, &'s str, Option<&'s str>), &'s str>;

fn check_all(answers: &mut ForeignAnswers, values: &[Value], expected: &[PredictionParts<'_>]) {
    let mut found = Vec::new();
    for (value, line) in values.iter().zip(1..) {
        let Value::Object(fields) = value else {
            panic!("records are objects");
        };
        let fields = Ok(fields.clone());
        found.extend(answers.of(Record { line, fields }));
    }
    let told: Vec<_> = found
        .into_iter()
        .map(|found| found.map_err(|error| error.to_string()))
        .collect();
    let seen: Vec<PredictionParts<'_>> = told
        .iter()
        .map(|told| {
            told.as_ref()
                .map_err(String::as_str)
                .map(|wire_prediction| {
                    let id = wire_prediction.sample.as_deref();
                    (
                        id,
                        wire_prediction.attempt,
                        wire_prediction.prediction.as_str(),
                        wire_prediction.meta.as_deref(),
                    )
                })
        })
        .collect();
    assert_eq!(seen, expected);
}

fn answers(join: Join) -> ForeignAnswers {
    ForeignAnswers::new(FieldNames::of_predictions(), join, false)
}

fn check(values: &[Value], expected: &[PredictionParts<'_>]) {
    check_all(&mut answers(Join::default()), values, expected);
}

fn sample(epoch: &Value, output: &Value, more: Value) -> Value {
    let mut sample = json!({"id": "a", "epoch": epoch, "output": output});
    if let (Value::Object(sample), Value::Object(more)) = (&mut sample, more) {
        sample.extend(more);
    }
    sample
}

#[test]
fn epochs_of_inspect_are_attempts_with_what_they_took() {
    let output = json!({"model": "m", "completion": "x();", "choices": [{"stop_reason": "max_tokens"}],
        "time": 0.5, "usage": {"input_tokens": 3}});
    let scores = json!({"scores": {"match": {"value": "C", "answer": "x"}},
        "model_usage": {"m": {"input_tokens": 5, "output_tokens": 7}}});
    check(
        &[
            sample(&json!(2), &output, json!({})),
            sample(&json!(1), &output, scores),
            sample(&json!("x"), &output, json!({})),
            sample(
                &json!(1),
                &json!({"completion": ""}),
                json!({"error": {"message": "no\nway"}}),
            ),
            sample(
                &json!(1),
                &json!({"choices": [{"message": {"content": [{"type": "text", "text": "y"}]}}]}),
                json!({"id": 7}),
            ),
        ],
        &[
            Ok((
                Some("a"),
                1,
                "x();",
                Some("{\"finish_reason\":\"length\",\"latency_ms\":500,\"tokens_in\":3}"),
            )),
            Ok((
                Some("a"),
                0,
                "x();",
                Some(
                    "{\"finish_reason\":\"length\",\"latency_ms\":500,\"scores\":{\"match\":\"C\"},\"tokens_in\":5,\
                     \"tokens_out\":7}",
                ),
            )),
            Err("`epoch` is text where a count should be"),
            Err("its evaluation failed: no…"),
            Ok((Some("7"), 0, "y", None)),
        ],
    );
}

#[test]
fn paths_that_the_user_names_win() {
    let join = Join {
        id: Some("metadata.key".to_owned()),
        answer: Some("scores.match.answer".to_owned()),
    };
    let meta = json!({"metadata": {"key": 7}, "scores": {"match": {"answer": "z"}}});
    let output = json!({"completion": "x"});
    check_all(
        &mut answers(join.clone()),
        &[
            sample(&json!(1), &output, meta.clone()),
            sample(&json!(1), &output, json!({"metadata": {"key": ["k"]}})),
            sample(&json!(1), &output, json!({"metadata": {"key": "k"}})),
            // Any record has paths.
            meta,
        ],
        &[
            Ok((Some("7"), 0, "z", None)),
            Err("`metadata.key` is a list where an id should be"),
            Err("no field `scores.match.answer` beside `epoch` `id` `metadata` `output`"),
            Ok((Some("7"), 0, "z", None)),
        ],
    );
}

#[test]
fn a_patch_of_swe_bench_answers_with_its_first_test() {
    let patch =
        "+++ b/test_a.py\n@@ -0,0 +1,4 @@\n+def test_a():\n+    pass\n+def test_b():\n+    pass\n";
    let of = |patch: Value| json!({"instance_id": "p-1", "model_name_or_path": "big", "model_patch": patch});
    let mut answers = answers(Join::default());
    check_all(
        &mut answers,
        &[of(json!(patch)), of(json!("")), of(Value::Null)],
        &[
            Ok((
                Some("p-1"),
                0,
                "def test_a():\n    pass",
                Some("{\"tests_in_patch\":2}"),
            )),
            Err("no test is added in `model_patch`"),
            Err("`model_patch` is null where text should be"),
        ],
    );
    assert_eq!(answers.model(), Some("big"));
}

#[test]
fn samples_of_eval_plus_are_counted_for_each_task() {
    check(
        &[
            json!({"task_id": "T/1", "solution": "a", "completion": "no"}),
            json!({"task_id": "T/2", "completion": "b"}),
            json!({"task_id": "T/1", "solution": "c"}),
            json!({"task_id": "T/1", "solution": 1}),
            json!({"task_id": null, "solution": "d"}),
        ],
        &[
            Ok((Some("T/1"), 0, "a", None)),
            Ok((Some("T/2"), 0, "b", None)),
            Ok((Some("T/1"), 1, "c", None)),
            Err("`solution` is a number where text should be"),
            Err("`task_id` is null where an id should be"),
        ],
    );
}

#[test]
fn generations_of_bigcode_are_attempts_of_a_place() {
    let values = [
        json!({"generations": ["a", "b"]}),
        json!({"generations": ["a", 1]}),
    ];
    let mut aligned = ForeignAnswers::new(FieldNames::of_predictions(), Join::default(), true);
    check_all(
        &mut aligned,
        &values,
        &[
            Ok((None, 0, "a", None)),
            Ok((None, 1, "b", None)),
            Err("`generations` is a list where a list of texts should be"),
        ],
    );
    check(
        &values[..1],
        &[Err("no field `sample` beside `generations`")],
    );
}

#[test]
fn lines_of_a_batch_are_answers_or_say_what_failed() {
    let of = |status: u64, body: Value| {
        json!({"id": "b", "custom_id": "c", "error": null,
            "response": {"status_code": status, "body": body}})
    };
    let choice = |index: u64, text: &str| json!({"index": index, "message": {"content": text}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 4});
    let chat = json!({"model": "m", "choices": [choice(1, "y"), choice(0, "x")], "usage": usage});
    let parts = json!([{"type": "output_text", "text": "z"}]);
    let output = json!([{"type": "reasoning"}, {"type": "message", "content": parts}]);
    check(
        &[
            of(200, chat),
            of(200, json!({"output": output, "usage": {"input_tokens": 1}})),
            of(429, json!({"error": {"message": "too many"}})),
            of(200, json!({})),
            json!({"custom_id": "c", "response": null, "error": {"code": "expired", "message": "late"}}),
            json!({"custom_id": "c", "response": null}),
        ],
        &[
            Ok((
                Some("c"),
                0,
                "x",
                Some("{\"n_asked\":2,\"tokens_in\":3,\"tokens_out\":4}"),
            )),
            Ok((
                Some("c"),
                1,
                "y",
                Some("{\"n_asked\":2,\"tokens_in\":3,\"tokens_out\":4}"),
            )),
            Ok((Some("c"), 0, "z", Some("{\"tokens_in\":1}"))),
            Err("its request failed: 429 too many"),
            Err("`response.body` holds no `choices`"),
            Err("its request failed: late"),
            Err("no field `response.body` beside `custom_id` `response`"),
        ],
    );
}

#[test]
fn records_of_ours_are_read_as_ever() {
    check(
        &[
            json!({"sample": "00", "prediction": "a", "epoch": 3, "output": {}}),
            json!({"prediction": "a"}),
        ],
        &[
            Ok((Some("00"), 0, "a", None)),
            Err("no field `sample` beside `prediction`"),
        ],
    );
}

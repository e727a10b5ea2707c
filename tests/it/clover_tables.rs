//! Tables about answers to `clover`'s questions, compared with pandas: a Python program gets the same answers and
//! counts on its own exact and right answers by length, the differences among right answers, gibberish, and the results
//! of one form compared with another.

use std::process::Command;

use focalist::clover::{self, AnswerEvaluation, AnsweredTask, Draws, EvaluatedAnswer};
use focalist::exchange::{AnswerId, WireCloze, WireTask};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::python_with;

/// The program that counts with pandas.
const COUNT: &str = r#"
import json, re, sys
import pandas as pd

answers = pd.DataFrame([json.loads(line) for line in open(sys.argv[1])])
answers["budget"] = answers["budget"].fillna(-1).astype(int)
answers["form"] = answers["form"].fillna("filled")

def bare(text, calls, drop):
    for call, short in calls:
        text = text.replace(call, short)
    while True:
        match = re.fullmatch(r"\s*(?:list|tuple|set|bool|iter)?\(([^(),]+)\)\s*", text)
        if not match or not drop:
            break
        text = match.group(1)
    return re.sub(r"\s", "", text)

def way(row):
    if not row.success or row.exact:
        return None
    sugar = [(".keys()", ""), ("dict()", "{}"), ("list()", "[]"), ("tuple()", "()")]
    if bare(row.said, sugar, True) == bare(row.reference, sugar, True):
        return "sugar"
    strip = [(".strip()", ""), (".lstrip()", ""), (".rstrip()", ""), ("'", ""), ('"', "")]
    if bare(row.said, strip, False) == bare(row.reference, strip, False):
        return "strings"
    if row.kind == "unary":
        return "unary"
    if re.search(r"!=|\bnot\s+in\b|\bis\s+not\b", row.question):
        return "absence"
    return "other"

def names(text):
    return set(re.findall(r"(?<!\w)[^\W\d]\w+", text))

PYTHON = names("and as assert async await break class continue def del elif else except False finally for from global if "
    "import in is lambda None nonlocal not or pass raise return True try while with yield dict isinstance len list pytest "
    "python self set str test tuple")

def gibberish(row):
    if row.executed:
        return None
    if not re.search(r"[^\W_]", row.text):
        return "marks"
    parts = row.text.split()
    longest = max(parts, key=len)
    if (len(parts) >= 20 and len(set(parts)) * 10 <= len(parts)) or (len(longest) >= 60 and len(set(longest)) * 10 <= len(longest)):
        return "repeated"
    own = names(row.text)
    if len(own) >= 3 and not own & (PYTHON | names(row.known)):
        return "foreign"
    return None

answers["way"] = answers.apply(way, axis=1)
answers["nothing"] = answers.apply(gibberish, axis=1)
answers["chars"] = answers["reference"].str.len()

gaps = []
filled = answers[answers.form == "filled"]
for (model, budget), group in filled.groupby(["model", "budget"]):
    classes = pd.cut(group.chars, [0, 10, 20, 40, 10**9], labels=False)
    parts = [("all", group)] + [(int(name), part) for name, part in group.groupby(classes)]
    for name, part in parts:
        means = part.groupby("instance")[["exact", "success"]].mean().mean()
        inexact = part[part.way.notna()]
        gaps.append({
            "model": model, "budget": budget, "class": name, "n": part.instance.nunique(),
            "em": means.exact, "rer": means.success, "inexact": len(inexact),
            "said": inexact.said.str.len().mean() if len(inexact) else None,
            "reference": inexact.reference.str.len().mean() if len(inexact) else None,
            "ways": inexact.way.value_counts().to_dict(),
        })
nothing = []
for (form, model, budget), group in answers.groupby(["form", "model", "budget"]):
    nothing.append({"form": form, "model": model, "budget": budget, "n": len(group),
        "share": group.nothing.notna().mean(), "kinds": group.nothing.value_counts().to_dict()})
forms = []
for (model, budget), group in answers.groupby(["model", "budget"]):
    table = group.pivot_table(index="instance", columns="form", values=["executed", "success"], aggfunc="mean").dropna()
    for measure, column in [("execution", "executed"), ("success", "success")]:
        means = table[column].mean()
        forms.append({"model": model, "budget": budget, "measure": measure, "n": len(table),
            "only": means["only"], "filled": means["filled"]})
json.dump({"gaps": gaps, "nothing": nothing, "forms": forms}, sys.stdout)
"#;

/// Pseudo-random numbers, the same ones each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }
}

fn question(dice: &mut Dice, number: usize) -> WireTask {
    let text = dice.of(&[
        "assert ____ == size",
        "assert ____ not in names",
        "assert ____ != size",
        "assert size in ____",
        "assert ____",
        "assert ____ is not None",
    ]);
    let reference = dice.of(&[
        "tray.keys()",
        "'a b'",
        "name.strip()",
        "measure(tray, 4)",
        "[it.name for it in tray.shelves if it.is_open]",
        "4",
        "(tray.size)",
        "{'width': 3, 'height': 4, 'depth': 5, 'name': 'shelf'}",
    ]);
    WireTask {
        id: format!("p/tests/t.py::test_{number}#cloze-1-left"),
        task: "cloze".to_owned(),
        project: "p".to_owned(),
        setup: "import shelves\n".to_owned(),
        head: format!("def test_{number}(tray):"),
        cloze: Some(WireCloze {
            kind: if text == "assert ____" {
                "unary"
            } else {
                "binary"
            }
            .to_owned(),
            question: text.to_owned(),
            blank_at: text.find("____").expect("there is a blank"),
            prefix: "def test(tray):\n    size = measure(tray)\n".to_owned(),
            reference: reference.to_owned(),
            ..WireCloze::default()
        }),
        ..WireTask::default()
    }
}

fn answer(dice: &mut Dice, reference: &str) -> (String, AnswerEvaluation) {
    let said = match dice.below(4) {
        0 => reference.to_owned(),
        1 => reference
            .replace('\'', "\"")
            .replace(".keys()", "")
            .replace(".strip()", ""),
        _ => dice.of(&["tray", "other_name", "size + 1"]).to_owned(),
    };
    let is_executed = dice.below(3) > 0;
    let text = match dice.below(6) {
        _ if is_executed => format!("assert {said}"),
        0 => "```\n\n```".to_owned(),
        1 => "so it is ".repeat(20),
        2 => "lorem ipsum dolor".to_owned(),
        3 => "xy".repeat(50),
        _ => format!("assert {said}"),
    };
    let evaluated = AnswerEvaluation {
        is_executed,
        is_success: is_executed && dice.below(3) > 0,
        is_exact: said == reference,
        said: Some(said),
        ..AnswerEvaluation::default()
    };
    (text, evaluated)
}

/// Builds answers of two models to 250 questions under two budgets in both forms, and the same answers as lines for
/// Python.
fn made() -> (Vec<EvaluatedAnswer>, Vec<Value>) {
    let mut dice = Dice(7);
    let (mut judged, mut lines) = (Vec::new(), Vec::new());
    for number in 0..250 {
        let question = question(&mut dice, number);
        let cloze = question.cloze.as_ref().expect("it is a cloze");
        for model in ["one", "two"] {
            for budget in [None, Some(4_000)] {
                for form in [None, Some("only")] {
                    // Some questions lack answers of a form, some have two.
                    for _ in 0..[0, 1, 1, 1, 2][dice.below(5)] {
                        let (text, evaluated) = answer(&mut dice, &cloze.reference);
                        let known = [
                            &question.setup,
                            &question.head,
                            &cloze.prefix,
                            &cloze.question,
                            &cloze.reference,
                        ];
                        lines.push(json!({
                            "instance": question.id, "model": model, "budget": budget, "form": form, "text": text,
                            "question": cloze.question, "kind": cloze.kind, "reference": cloze.reference,
                            "known": known.map(String::as_str).join("\n"), "said": evaluated.said,
                            "exact": evaluated.is_exact, "success": evaluated.is_success,
                            "executed": evaluated.is_executed,
                        }));
                        let asked = AnsweredTask {
                            question: &question,
                            id: AnswerId {
                                instance: question.id.clone(),
                                budget,
                                form: form.map(str::to_owned),
                            },
                            text: &text,
                        };
                        let answer =
                            EvaluatedAnswer::new(Some(model.to_owned()), &asked, evaluated);
                        judged.push(answer.expect("the task is known"));
                    }
                }
            }
        }
    }
    (judged, lines)
}

fn counted(lines: &[Value]) -> Option<Value> {
    let python = python_with("pandas")?;
    let place = TempDir::new().expect("a folder can be made");
    let file = place.path().join("answers.jsonl");
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, text.concat()).expect("the file can be written");
    let ended = Command::new(python)
        .args(["-c", COUNT])
        .arg(&file)
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    Some(serde_json::from_slice(&ended.stdout).expect("it is JSON"))
}

fn assert_near(own: Option<f64>, other: &Value, what: &Value) {
    let is_near = match (own, other.as_f64()) {
        (Some(own), Some(other)) => (own - other).abs() < 1e-12,
        (None, None) => true,
        _ => false,
    };
    assert!(is_near, "{own:?} {other}: {what}");
}

fn budget(row: &Value) -> Option<usize> {
    row["budget"].as_i64().and_then(|n| usize::try_from(n).ok())
}

#[test]
fn pandas_counts_the_same_gaps_gibberish_and_forms() {
    let (judged, lines) = made();
    assert!(lines.len() > 1_500, "{}", lines.len());
    let Some(found) = counted(&lines) else {
        return;
    };
    let rows = |name: &str| found[name].as_array().expect("it is a list");

    let gaps = clover::gaps(&judged);
    assert_eq!(gaps.len(), rows("gaps").len());
    for row in rows("gaps") {
        let from = match row["class"].as_u64() {
            None => None,
            Some(class) => [1, 11, 21, 41].get(class as usize).copied(),
        };
        let is_it = |wire_gap: &&focalist::exchange::WireGap| {
            wire_gap.model.as_deref() == row["model"].as_str()
                && wire_gap.budget == budget(row)
                && wire_gap.from == from
        };
        let own = gaps.iter().find(is_it).expect("there is the row");
        assert_eq!(row["n"], own.n, "{row}");
        assert_eq!(row["inexact"], own.n_inexact, "{row}");
        assert_near(Some(own.em), &row["em"], row);
        assert_near(Some(own.rer), &row["rer"], row);
        assert_near(own.said_chars, &row["said"], row);
        assert_near(own.reference_chars, &row["reference"], row);
        for (way, n) in &own.ways {
            assert_eq!(
                row["ways"][way].as_u64().unwrap_or(0),
                *n as u64,
                "{way}: {row}"
            );
        }
    }
    let ways: usize = gaps
        .iter()
        .map(|gap| gap.ways.values().filter(|n| **n > 0).count())
        .sum();
    assert!(ways > 20, "{gaps:?}");

    let nothing = clover::gibberish_shares(&judged);
    assert_eq!(nothing.len(), rows("nothing").len());
    for row in rows("nothing") {
        let form = row["form"].as_str().filter(|text| *text != "filled");
        let is_it = |wire_gibberish: &&focalist::exchange::WireGibberish| {
            wire_gibberish.model.as_deref() == row["model"].as_str()
                && wire_gibberish.budget == budget(row)
                && wire_gibberish.answer.as_deref() == form
        };
        let own = nothing.iter().find(is_it).expect("there is the row");
        assert_eq!(row["n"], own.n_answers, "{row}");
        assert_near(Some(own.share), &row["share"], row);
        for (kind, n) in &own.kinds {
            assert!(*n > 0, "{kind}");
            assert_eq!(row["kinds"][kind], *n, "{kind}: {row}");
        }
    }

    let draws = Draws {
        n_resamples: 100,
        seed: 0,
    };
    let forms = clover::form_differences(&judged, draws);
    assert_eq!(forms.len(), rows("forms").len());
    for row in rows("forms") {
        let is_it = |form_difference: &&focalist::exchange::WireFormDifference| {
            form_difference.model.as_deref() == row["model"].as_str()
                && form_difference.budget == budget(row)
                && row["measure"] == form_difference.measure
        };
        let own = forms.iter().find(is_it).expect("there is the row");
        assert_eq!((own.baseline, own.answer), ("only", "filled"));
        assert_eq!(row["n"], own.n, "{row}");
        assert_near(Some(own.baseline_value), &row["only"], row);
        assert_near(Some(own.value), &row["filled"], row);
        assert!((own.difference.value - (own.value - own.baseline_value)).abs() < 1e-12);
    }
}

//! A run of completions, made by hand.

use crate::consistency::completions::Completion;
use crate::consistency::judged::{ConsistencyJudge, JudgeOptions};
use crate::consistency::run::FunctionOutline;
use crate::fixture::{AnswerResult, given};
use crate::model::Language;
use crate::mutate::Pass;
use crate::question::AnyQuestion;
use crate::screen::consistency::questions::{
    ConsistencyFunction, ConsistencyFunctionQuestion, ConsistencyList, ConsistencyListQuestion,
};
use crate::store::{ConsistencyRun, MutationSeed, MutationVariant};

const SOURCE: &str = "def total(prices, rate):\n    total = 0\n    for price in prices:\n        total += price * rate\n    return total\n";

/// The completions of the function and of each variant by a model.
const COMPLETIONS: [(Option<Pass>, &str); 10] = [
    (None, "        total += price * rate\n    return total\n"),
    (
        Some(Pass::RepR),
        "        total += price * Param1\n    return total\n",
    ),
    (
        Some(Pass::RepC),
        "        total += price\n    return total\n",
    ),
    (
        Some(Pass::RelR),
        "        LocalVar1 += price * rate\n    return LocalVar1\n",
    ),
    (
        Some(Pass::RelC),
        "        total_total += price\n    return total_total * rate\n",
    ),
    (
        Some(Pass::Irr),
        "        total = total + price * rate\n    return total\n",
    ),
    (
        Some(Pass::Rtf),
        "        if price == 0:\n            continue\n        raise ValueError\n",
    ),
    (
        Some(Pass::GraR),
        "        total += price * rate\n    return round(total)\n",
    ),
    (Some(Pass::GraC), "        print(price)\n"),
    (
        Some(Pass::Ini),
        "        total += price * rate\n    return total\n",
    ),
];

fn seed() -> MutationSeed {
    let variant = |pass: &Pass| MutationVariant {
        pass: pass.as_str().to_owned(),
        is_strict: false,
        version: 1,
        source: match pass {
            Pass::RepR => SOURCE.replace("rate", "Param1"),
            _ => SOURCE.replace("    total = 0\n", "    print(rate)\n    total = 0\n"),
        },
        edits: "[]".to_owned(),
        cut: Some((3, if *pass == Pass::RepR { 3 } else { 4 })),
        distance: 0.0,
        does_parse: true,
    };
    MutationSeed {
        name: "3f21".to_owned(),
        language: Language::Python,
        path: "shop/prices.py".to_owned(),
        function: "total".to_owned(),
        start_line: 12,
        end_line: 16,
        source: SOURCE.to_owned(),
        dataset: String::new(),
        variants: Pass::ALL.iter().map(variant).collect(),
    }
}

fn item(options: JudgeOptions) -> ConsistencyFunction {
    let completions = COMPLETIONS.map(|(pass, text)| Completion {
        seed: 0,
        pass,
        text: text.to_owned(),
        raw: None,
    });
    judged(options, &completions)
}

fn judged(options: JudgeOptions, completions: &[Completion]) -> ConsistencyFunction {
    let seed = seed();
    let judged = ConsistencyJudge::new(options).judge(&seed, completions, None);
    ConsistencyFunction { seed, judged }
}

fn list(of: &ConsistencyListQuestion) -> ConsistencyList {
    let run = |name: &str| ConsistencyRun {
        name: name.to_owned(),
        n_seeds: 2,
        n_completions: 20,
        n_judged: 2,
    };
    let runs = vec![run("large"), run("small")];
    let at = runs
        .iter()
        .position(|run| Some(&run.name) == of.run.as_ref());
    let consistency_function = item(of.options);
    let is_outlier = consistency_function
        .judged
        .outliers_at(of.options.rule, of.options.threshold);
    let outline = |id: i64, function: &str| FunctionOutline {
        id,
        name: format!("3f2{id}"),
        function: function.to_owned(),
        k: consistency_function.judged.texts.len(),
        n_empty: 0,
        n_outliers: is_outlier.iter().filter(|flag| **flag).count(),
        spread: consistency_function.judged.matrix.spread(),
        repaired: consistency_function
            .judged
            .repaired
            .map(|at| consistency_function.judged.passes[at]),
    };
    ConsistencyList {
        runs,
        at: at.unwrap_or(0),
        seeds: vec![
            outline(1, "total"),
            outline(2, "a_function_with_quite_a_long_name"),
        ],
    }
}

pub fn answer(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, list).or_else(|| {
        given(asked, |seed_question: &ConsistencyFunctionQuestion| {
            // Nothing came back for the second function of the second run.
            let completes = seed_question.run != "small" || seed_question.seed != 2;
            let item = if completes {
                item(seed_question.options)
            } else {
                judged(seed_question.options, &[])
            };
            Some(Box::new(item))
        })
    })
}

//! The explanation of a score as JSON: the arithmetic, and the cost of each piece of the texts.

use serde::Serialize;

/// Why a metric has its value. Value, costs and rest sum to 1.
#[derive(Debug, Serialize)]
pub struct WireExplanation<'a> {
    pub metric: &'static str,
    pub value: f64,
    /// To be read from top to bottom.
    pub steps: Vec<WireStep<'a>>,
    /// By side and start.
    pub costs: Vec<WireCost>,
    /// The loss that no piece of text accounts for.
    pub rest: f64,
}

/// A line of arithmetic.
#[derive(Debug, Serialize)]
pub struct WireStep<'a> {
    /// 0 for the value; its parts come below, one deeper.
    pub depth: u8,
    pub label: &'a str,
    /// The value in a form for people.
    pub value: &'a str,
    /// With its numbers; may be empty.
    pub formula: &'a str,
}

/// The cost of a piece of text.
#[derive(Debug, Serialize)]
pub struct WireCost {
    /// `reference` or `prediction`.
    pub side: &'static str,
    /// In bytes of that text.
    pub start: usize,
    pub end: usize,
    /// Points lost, above 0 and at most 1.
    pub cost: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_line;

    #[test]
    fn an_explanation_is_one_line_of_json() {
        let explanation = WireExplanation {
            metric: "rouge1",
            value: 0.5,
            steps: vec![WireStep {
                depth: 0,
                label: "ROUGE-1",
                value: "0.5000",
                formula: "2 · 0.5000 · 0.5000 / (0.5000 + 0.5000)",
            }],
            costs: vec![WireCost {
                side: "prediction",
                start: 2,
                end: 3,
                cost: 0.25,
            }],
            rest: 0.25,
        };
        let mut line = Vec::new();
        write_line(&mut line, &explanation).expect("a vector takes everything");
        assert_eq!(
            String::from_utf8(line).expect("JSON is UTF-8"),
            concat!(
                r#"{"metric":"rouge1","value":0.5,"#,
                r#""steps":[{"depth":0,"label":"ROUGE-1","value":"0.5000","formula":"2 · 0.5000 · 0.5000 / (0.5000 + 0.5000)"}],"#,
                r#""costs":[{"side":"prediction","start":2,"end":3,"cost":0.25}],"rest":0.25}"#,
                "\n"
            )
        );
    }
}

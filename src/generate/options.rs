//! The options of the verb.

use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::exchange::answers::{Api, Parameters};
use crate::model::Matcher;

/// The key to a server; shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    #[must_use]
    pub const fn new(key: String) -> Self {
        Self(key)
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Hides the key in a text, as some servers repeat it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        if self.0.trim().is_empty() {
            text.to_owned()
        } else {
            text.replace(self.0.trim(), "…")
        }
    }

    /// Hides the key in an answer. Short keys, such as `EMPTY`, stay: they are words that a model may write.
    pub(crate) fn cut_from(&self, answer: String) -> String {
        const SECRET_FROM: usize = 16;
        if self.0.trim().len() >= SECRET_FROM {
            self.hidden_in(&answer)
        } else {
            answer
        }
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The price of a million tokens, in any currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    pub tokens_in: f64,
    pub tokens_out: f64,
}

#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// The name of the run that predictions go to.
    pub run: String,
    pub endpoint: Endpoint,
    pub model: String,
    pub key: Option<ApiKey>,
    /// One or more; each prompt is asked with all of them.
    pub settings: Vec<Parameters>,
    /// Answers for each prompt and setting.
    pub n_attempts: u32,
    pub concurrency: usize,
    /// The most requests in a minute.
    pub requests_per_minute: Option<f64>,
    pub tokens_per_minute: Option<f64>,
    /// The longest time for a request with its answer.
    pub timeout: Duration,
    /// How often a request is tried again.
    pub n_retries: u32,
    /// The first of the pauses between tries, which double.
    pub pause: Duration,
    pub prices: Option<Prices>,
    /// The matcher whose decisions the predictions are for.
    pub matcher: Matcher,
    /// The name of the prompts' file in problems.
    pub path: String,
    /// Seconds since 1970.
    pub now: i64,
}

impl GenerateOptions {
    /// Returns the most tokens that any setting lets the model write, if all of them have a limit.
    #[must_use]
    pub fn most_tokens(&self) -> Option<u32> {
        let limits: Option<Vec<u32>> = self
            .settings
            .iter()
            .map(|setting| setting.max_tokens)
            .collect();
        limits?.into_iter().max()
    }
}

/// Values of a parameter: `0.2`, `0.2,0.8`, or from, to and step: `0.05..0.40:0.05`.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid(pub Vec<f64>);

/// A range with more values is taken for a mistake.
const VALUES_MAX: usize = 1_000;

/// Why a text is no [`Grid`], or its values no counts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    #[error("`{text}` is not a number of at least 0")]
    NotANumber { text: String },
    #[error("`{value}` is not a whole number")]
    NotWhole { value: f64 },
    #[error("a range needs a step: `0.05..0.40:0.05`")]
    NoStep,
    #[error("a range must go up, by a step above 0")]
    Down,
    #[error("more than {VALUES_MAX} values")]
    TooMany,
}

impl std::str::FromStr for Grid {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let number = |text: &str| {
            let number: Result<f64, _> = text.trim().parse();
            number
                .ok()
                .filter(|number| number.is_finite() && *number >= 0.0)
                .ok_or_else(|| GridError::NotANumber {
                    text: text.to_owned(),
                })
        };
        let Some((from, rest)) = text.split_once("..") else {
            let values = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
            return Ok(Self(values));
        };
        let (to, step) = rest.split_once(':').ok_or(GridError::NoStep)?;
        let (from, to, step) = (number(from)?, number(to)?, number(step)?);
        if step <= 0.0 || to < from {
            return Err(GridError::Down);
        }
        let n_steps = ((to - from) / step + 1e-9).floor();
        if n_steps >= VALUES_MAX as f64 {
            return Err(GridError::TooMany);
        }
        // Twelve digits: sums of tenths are no tenths.
        let rounded = |value: f64| (value * 1e12).round() / 1e12;
        let n_values = VALUES_MAX as u32;
        let steps = (0..n_values)
            .map(f64::from)
            .take_while(|value| *value <= n_steps);
        Ok(Self(
            steps.map(|value| rounded(from + value * step)).collect(),
        ))
    }
}

impl Grid {
    /// Returns the values as counts.
    ///
    /// # Errors
    /// A value that is not a whole number.
    pub fn counts(&self) -> Result<Vec<u32>, GridError> {
        let count = |value: &f64| {
            let count = value.to_string().parse().ok();
            count.ok_or(GridError::NotWhole { value: *value })
        };
        self.0.iter().map(count).collect()
    }
}

/// Combines the given values with each other and with the rest of `base`; temperatures vary slowest.
#[must_use]
pub fn settings(
    base: &Parameters,
    temperatures: Option<&Grid>,
    top_ps: Option<&Grid>,
    top_ks: &[u32],
) -> Vec<Parameters> {
    let values = |grid: Option<&Grid>| match grid {
        Some(grid) => grid.0.iter().map(|value| Some(*value)).collect(),
        None => vec![None],
    };
    let counts: Vec<Option<u32>> = match top_ks {
        [] => vec![None],
        some => some.iter().map(|some| Some(*some)).collect(),
    };
    let mut settings = Vec::new();
    for temperature in values(temperatures) {
        for top_p in values(top_ps) {
            for top_k in &counts {
                settings.push(Parameters {
                    temperature,
                    top_p,
                    top_k: *top_k,
                    ..base.clone()
                });
            }
        }
    }
    settings.dedup_by_key(|setting| setting.canonical());
    settings
}

impl GenerateOptions {
    /// Makes options of the required parts, and defaults for the rest.
    #[must_use]
    pub fn new(run: &str, endpoint: Endpoint, model: &str) -> Self {
        Self {
            run: run.to_owned(),
            endpoint,
            model: model.to_owned(),
            key: None,
            settings: vec![Parameters::default()],
            n_attempts: 1,
            concurrency: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            timeout: Duration::from_secs(120),
            n_retries: 6,
            pause: Duration::from_secs(1),
            prices: None,
            matcher: Matcher::DEFAULT,
            path: "prompts".to_owned(),
            now: 0,
        }
    }

    pub(crate) fn api(&self) -> Api {
        self.settings
            .first()
            .map_or(Api::Chat, |setting| setting.api)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[f64], &str>) {
        let found = text
            .parse::<Grid>()
            .map(|grid| grid.0)
            .map_err(|error| error.to_string());
        let expected = expected.map(<[f64]>::to_vec).map_err(str::to_owned);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_grid_is_one_value_or_several_or_a_range_with_its_end() {
        check("0.2", Ok(&[0.2]));
        check("0,0.5", Ok(&[0.0, 0.5]));
        check("0.1..0.4:0.1", Ok(&[0.1, 0.2, 0.3, 0.4]));
        check("0..1:0.4", Ok(&[0.0, 0.4, 0.8]));
    }

    #[test]
    fn what_is_no_grid_says_why() {
        check("0.1..0.4", Err("a range needs a step: `0.05..0.40:0.05`"));
        check("x", Err("`x` is not a number of at least 0"));
        check("-1", Err("`-1` is not a number of at least 0"));
        check("1..0:1", Err("a range must go up, by a step above 0"));
        check("0..1:0.0001", Err("more than 1000 values"));
    }

    #[test]
    fn every_combination_is_one_setting() {
        let grid: Grid = "0.1,0.2".parse().expect("it is a grid");
        let all = settings(&Parameters::default(), Some(&grid), None, &[5, 10]);
        let all: Vec<_> = all
            .iter()
            .map(|parameters| (parameters.temperature, parameters.top_k))
            .collect();
        assert_eq!(
            all,
            [
                (Some(0.1), Some(5)),
                (Some(0.1), Some(10)),
                (Some(0.2), Some(5)),
                (Some(0.2), Some(10))
            ]
        );
    }

    #[test]
    fn a_key_is_nowhere_in_what_is_shown() {
        let key = ApiKey::new("sk-1234".to_owned());
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(key.hidden_in("bad key sk-1234!"), "bad key …!");
    }
}

//! Models that can be asked: `[models.NAME]`, one table each. What their values mean is for the verb that asks.

use std::collections::BTreeMap;

use toml::de::DeValue;

use crate::{ConfigPlace, ConfigValue};

/// The kind of value that a setting of a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number from 0.
    Number,
    /// A whole number from 0.
    Count,
    /// A number from 0, or several in quotes.
    Grid,
    /// A text, or a list of them.
    Texts,
    Flag,
}

#[derive(Clone, Copy, Debug)]
pub struct ModelSetting {
    pub key: &'static str,
    pub kind: ModelKind,
    /// A value as TOML writes it.
    pub example: &'static str,
    /// The default, in words.
    pub default: &'static str,
    pub help: &'static str,
}

/// The table whose tables are models.
pub const MODELS: &str = "models";

const fn setting(
    key: &'static str,
    kind: ModelKind,
    example: &'static str,
    default: &'static str,
    help: &'static str,
) -> ModelSetting {
    ModelSetting {
        key,
        kind,
        example,
        default,
        help,
    }
}

/// Every setting of a model; the options of `focalist generate` take precedence.
pub const MODEL_SETTINGS: &[ModelSetting] = &[
    setting(
        "endpoint",
        ModelKind::Text,
        "\"http://127.0.0.1:8000/v1\"",
        "`--endpoint URL`",
        "the server's address, such as `http://127.0.0.1:8000/v1`",
    ),
    setting(
        "model",
        ModelKind::Text,
        "\"qwen\"",
        "NAME",
        "the model's name on the server",
    ),
    setting(
        "api",
        ModelKind::Word(&["chat", "completions"]),
        "\"chat\"",
        "chat",
        "how it is asked",
    ),
    setting(
        "key_env",
        ModelKind::Text,
        "\"API_KEY\"",
        "no key",
        "the name of the environment variable that holds the key, never the key itself",
    ),
    setting(
        "allow_http",
        ModelKind::Flag,
        "false",
        "false",
        "whether `http:` may leave this machine",
    ),
    setting(
        "temperature",
        ModelKind::Grid,
        "0.2",
        "the server's",
        "one value, or several: `\"0.05..0.40:0.05\"`",
    ),
    setting(
        "top_p",
        ModelKind::Grid,
        "0.95",
        "the server's",
        "as `temperature`",
    ),
    setting(
        "top_k",
        ModelKind::Grid,
        "40",
        "the server's",
        "as `temperature`, whole numbers",
    ),
    setting(
        "max_tokens",
        ModelKind::Count,
        "512",
        "the prompt's",
        "the maximum number of tokens of an answer",
    ),
    setting(
        "stop",
        ModelKind::Texts,
        "[\"\\n\\n\"]",
        "the prompt's",
        "where an answer ends",
    ),
    setting("seed", ModelKind::Count, "1", "none", "the server's dice"),
    setting(
        "system",
        ModelKind::Text,
        "\"Answer with code alone.\"",
        "the prompt's",
        "the system message",
    ),
    setting(
        "extra",
        ModelKind::Text,
        "'{\"reasoning_effort\":\"low\"}'",
        "none",
        "more fields of a request, as a JSON object in quotes",
    ),
    setting("n", ModelKind::Count, "4", "1", "answers for each prompt"),
    setting(
        "concurrency",
        ModelKind::Count,
        "8",
        "4",
        "requests at the same time",
    ),
    setting(
        "rpm",
        ModelKind::Number,
        "60",
        "no limit",
        "requests per minute",
    ),
    setting(
        "tpm",
        ModelKind::Number,
        "100000",
        "no limit",
        "tokens per minute",
    ),
    setting(
        "timeout",
        ModelKind::Number,
        "120",
        "120",
        "seconds that a request may take",
    ),
    setting(
        "retries",
        ModelKind::Count,
        "6",
        "6",
        "how often a request is tried again",
    ),
    setting(
        "price_in",
        ModelKind::Number,
        "0.5",
        "unknown",
        "the price of a million tokens of prompts",
    ),
    setting(
        "price_out",
        ModelKind::Number,
        "1.5",
        "unknown",
        "the price of a million tokens of answers",
    ),
];

/// Settings of a model that say where prompts and keys go: a foreign file sets them only where it is trusted.
pub const SETTINGS_NEEDING_TRUST: &[&str] = &["endpoint", "key_env", "allow_http"];

/// A model as it is set: every value as a text, several where it is a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub name: String,
    pub place: ConfigPlace,
    pub(super) values: BTreeMap<&'static str, ConfigValue<Vec<String>>>,
}

impl Model {
    /// Looks up the value of a setting of [`MODEL_SETTINGS`].
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.value.first().map(String::as_str)
    }

    /// Returns all texts of a setting; none where it is not set.
    #[must_use]
    pub fn all(&self, key: &str) -> &[String] {
        self.values
            .get(key)
            .map_or(&[], |config_value| &config_value.value)
    }

    /// Tells whether it sets anything of [`SETTINGS_NEEDING_TRUST`].
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        SETTINGS_NEEDING_TRUST
            .iter()
            .any(|key| self.values.contains_key(key))
    }

    /// Returns the place where a setting is set; where it is not, the model's own.
    #[must_use]
    pub fn place(&self, key: &str) -> &ConfigPlace {
        self.values
            .get(key)
            .map_or(&self.place, |config_value| &config_value.place)
    }
}

impl ModelKind {
    /// Describes in words the values that such a setting takes.
    #[must_use]
    pub fn wanted(self) -> String {
        match self {
            Self::Text => "text in quotes".to_owned(),
            Self::Word(words) => {
                let words = words.iter().map(|word| format!("`\"{word}\"`"));
                words.collect::<Vec<_>>().join(" or ")
            }
            Self::Number => "a number from 0".to_owned(),
            Self::Count => "a whole number from 0".to_owned(),
            Self::Grid => "a number from 0, or several in quotes".to_owned(),
            Self::Texts => "text in quotes, or a list of texts".to_owned(),
            Self::Flag => "true or false".to_owned(),
        }
    }

    pub(super) fn read(self, value: &DeValue<'_>) -> Option<Vec<String>> {
        let number = || {
            let text = match value {
                DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
                DeValue::Float(float) => float.as_str(),
                _ => return None,
            };
            let text = text.replace('_', "");
            let is_sound = text
                .parse()
                .is_ok_and(|value: f64| value.is_finite() && value >= 0.0);
            is_sound.then_some(text)
        };
        let text = || value.as_str().filter(|value| !value.trim().is_empty());
        let one = match self {
            Self::Text => text().map(str::to_owned),
            Self::Word(words) => text()
                .filter(|text| words.contains(text))
                .map(str::to_owned),
            Self::Number => number(),
            Self::Count => number().filter(|text| text.parse::<u32>().is_ok()),
            Self::Grid => {
                let is_grid = |text: &&str| {
                    text.chars()
                        .all(|c| c.is_ascii_digit() || ".,: ".contains(c))
                };
                number().or_else(|| text().filter(is_grid).map(str::to_owned))
            }
            Self::Texts => {
                if let DeValue::Array(list) = value {
                    let texts = list.iter().map(|spanned| spanned.get_ref().as_str());
                    return texts.map(|text| text.map(str::to_owned)).collect();
                }
                text().map(str::to_owned)
            }
            Self::Flag => match value {
                DeValue::Boolean(flag) => Some(flag.to_string()),
                _ => None,
            },
        };
        one.map(|one| vec![one])
    }
}

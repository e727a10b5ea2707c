//! The one table of settings, by which they are read, printed, written as a first file and documented.

use std::fmt::Write as _;

use crate::model::is_annotator;
use crate::models::{MODEL_SETTINGS, MODELS};
use crate::own::COMMANDS;

/// The kind of value that a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// The name of an annotator.
    Name,
    /// Any text that is not empty.
    Text,
    Flag,
    /// A number of annotators, or a share of samples.
    Overlap,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its table and key, such as `review.blind`.
    pub id: &'static str,
    pub kind: SettingKind,
    /// The default, in words.
    pub default: &'static str,
    /// A value as TOML writes it.
    pub example: &'static str,
    pub help: &'static str,
}

/// Every setting but keys, in the order in which they are shown; settings of one table stand together.
pub const SETTINGS: &[Setting] = &[
    Setting {
        id: "annotator",
        kind: SettingKind::Name,
        default: "$USER, or your name on the system",
        example: "\"ada\"",
        help: "the annotator's name; `--as NAME` takes precedence",
    },
    Setting {
        id: "guideline",
        kind: SettingKind::Text,
        default: "none",
        example: "\"2\"",
        help: "the version of the guideline that is recorded with verdicts",
    },
    Setting {
        id: "theme",
        kind: SettingKind::Text,
        default: "automatic",
        example: "\"light\"",
        help: "colors of the terminal UI, one of `focalist config themes`; `--theme NAME` takes precedence",
    },
    Setting {
        id: "mouse",
        kind: SettingKind::Flag,
        default: "false",
        example: "true",
        help: "whether the terminal UI uses the mouse (selecting text then needs Shift)",
    },
    Setting {
        id: "session",
        kind: SettingKind::Flag,
        default: "true",
        example: "false",
        help: "whether the terminal UI reopens where it was left: screen, runs, metric, filter, groups, row, theme",
    },
    Setting {
        id: "review.overlap",
        kind: SettingKind::Overlap,
        default: "1",
        example: "2",
        help: "how many people are asked about a sample, or the share that two are asked about: `0.2`",
    },
    Setting {
        id: "review.blind",
        kind: SettingKind::Flag,
        default: "false",
        example: "true",
        help: "whether the machine's decision is hidden from annotators",
    },
    Setting {
        id: "review.queue",
        kind: SettingKind::Text,
        default: "uncertain",
        example: "\"random:7 repo:gson\"",
        help: "the queue that is opened first, with its filter",
    },
];

/// The table whose keys are actions.
pub const KEYS: Setting = Setting {
    id: "keys",
    kind: SettingKind::Text,
    default: "see `focalist keys`",
    example: "annotate-skip = [\"s\", \"+\"]",
    help: "the keys of an action, in place of its default ones; `\"\"` for none; under `[keys.annotate]` only on that screen",
};

/// The table whose keys start programs of the user's.
const OWN: Setting = Setting {
    id: COMMANDS,
    kind: SettingKind::Text,
    default: "none",
    example: "gb = [\"git\", \"blame\", \"-L{line},+20\", \"{file}\"]",
    help: "a program of yours and its arguments, with `{key}`, `{file}`, `{line}` and `{run}`; available on every screen",
};

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    Text(String),
    Flag(bool),
}

impl SettingValue {
    /// Writes the value for people.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

impl SettingKind {
    /// Describes in words the values that such a setting takes.
    #[must_use]
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Name => "a name in quotes, without spaces around it",
            Self::Text => "text in quotes",
            Self::Flag => "true or false",
            Self::Overlap => "a number of people from 1, or a share from 0.0 to 1.0",
        }
    }

    /// Tells whether such a setting takes a text as its value; `is_number` says that it was written without quotes.
    #[must_use]
    pub fn takes(self, text: &str, is_number: bool) -> bool {
        match self {
            Self::Name => !is_number && is_annotator(text),
            Self::Text => !is_number && !text.trim().is_empty(),
            Self::Flag => false,
            Self::Overlap => match text.parse::<u32>() {
                Ok(n) => is_number && n > 0,
                Err(_) => {
                    is_number && matches!(text.parse::<f64>(), Ok(it) if (0.0..=1.0).contains(&it))
                }
            },
        }
    }
}

impl Setting {
    /// Splits the id into the table it stands in, empty for none, and its key there.
    #[must_use]
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.id.split_once('.').unwrap_or(("", self.id))
    }
}

/// Writes a first file: every setting as a comment, so that it changes nothing.
#[must_use]
pub fn template() -> String {
    let mut text = "\
# Settings of focalist. `focalist config` shows the settings and where each is set, `focalist config check` their problems.
# A workspace's `.focalist/config.toml` wins over the one of the user.
"
    .to_owned();
    let mut table = "";
    for setting in SETTINGS {
        let (of, key) = setting.parts();
        if of != table {
            table = of;
            push(&mut text, format_args!("\n# [{of}]\n"));
        }
        push(
            &mut text,
            format_args!(
                "\n# {} [default: {}]\n# {key} = {}\n",
                setting.help, setting.default, setting.example
            ),
        );
    }
    push(
        &mut text,
        format_args!("\n# {}\n# [{}]\n# {}\n", KEYS.help, KEYS.id, KEYS.example),
    );
    push(
        &mut text,
        format_args!("\n# {}\n# [{}]\n# {}\n", OWN.help, OWN.id, OWN.example),
    );
    push(
        &mut text,
        format_args!("\n# a model that `focalist generate --model NAME` asks\n# [{MODELS}.NAME]\n"),
    );
    for setting in MODEL_SETTINGS {
        push(
            &mut text,
            format_args!(
                "# {} = {} # {} [default: {}]\n",
                setting.key, setting.example, setting.help, setting.default
            ),
        );
    }
    text
}

/// Writes the table for the documentation, as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut text = "| setting | takes | default | effect |\n| --- | --- | --- | --- |\n".to_owned();
    for setting in SETTINGS {
        push(
            &mut text,
            format_args!(
                "| `{}` | {} | {} | {} |\n",
                setting.id,
                setting.kind.wanted(),
                setting.default,
                setting.help
            ),
        );
    }
    push(
        &mut text,
        format_args!(
            "| `{}.ACTION` | a key in quotes, or a list of them | {} | {} |\n",
            KEYS.id, KEYS.default, KEYS.help
        ),
    );
    push(
        &mut text,
        format_args!(
            "| `{}.KEY` | words in quotes, or a list of them | {} | {} |\n",
            OWN.id, OWN.default, OWN.help
        ),
    );
    for setting in MODEL_SETTINGS {
        push(
            &mut text,
            format_args!(
                "| `{MODELS}.NAME.{}` | {} | {} | {} |\n",
                setting.key,
                setting.kind.wanted(),
                setting.default,
                setting.help
            ),
        );
    }
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("a string takes every text");
}

/// Suggests the names that `word` may have been meant to be, the nearest first, at most three: those within `1 +
/// letters / 3` edits, and at most one edit further than the nearest.
#[must_use]
pub fn near<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let n_letters = word.chars().count();
    // No name is that long, and the distance takes the product of both lengths.
    if n_letters > 64 {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = names
        .map(|name| (strsim::levenshtein(word, name), name))
        .filter(|(edits, _)| *edits <= 1 + n_letters / 3)
        .collect();
    found.sort_unstable();
    // Beside the likely slip, a name that is merely similar is no help.
    let nearest = found.first().map_or(0, |(edits, _)| *edits);
    found.retain(|(edits, _)| *edits <= nearest + 1);
    found.truncate(3);
    found.into_iter().map(|(_, name)| name).collect()
}

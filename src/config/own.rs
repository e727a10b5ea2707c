//! The user's own commands: `[commands]`, a key each. What is on the screen fills their placeholders; which keys there
//! are is for the terminal UI to say.
//!
//! A command is a program and its arguments, never a line for a shell: a file of a repository may be called anything,
//! and what stands for it stays one argument. Where the user writes a shell, its script may therefore hold no
//! placeholder.

use std::path::Path;

use toml::de::DeValue;

use crate::{ConfigPlace, ConfigValue};

/// The table whose keys are keys of the keyboard.
pub const COMMANDS: &str = "commands";

/// The placeholders that can stand in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The key of the sample under the cursor.
    Key,
    /// The file that the editor would open.
    File,
    /// The line in it, from 1.
    Line,
    /// The run that is shown.
    Run,
}

impl Placeholder {
    const ALL: [Self; 4] = [Self::Key, Self::File, Self::Line, Self::Run];

    /// Returns the word between the braces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::File => "file",
            Self::Line => "line",
            Self::Run => "run",
        }
    }

    fn read(name: &str) -> Result<Self, OwnError> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|placeholder| placeholder.as_str() == name);
        found.ok_or_else(|| OwnError::UnknownPlaceholder {
            name: name.to_owned(),
        })
    }

    /// Joins all placeholders as they are written.
    fn written() -> String {
        Self::ALL
            .map(|placeholder| format!("{{{}}}", placeholder.as_str()))
            .join(" ")
    }
}

/// Why a text or a list is no command. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OwnError {
    #[error("`{script}` takes a program and its arguments: a text, or a list of texts")]
    NotWords { script: String },
    #[error("`{script}` names no program")]
    NoProgram { script: String },
    #[error("`{script}`: a placeholder cannot be the program")]
    PlaceholderAsProgram { script: String },
    #[error(
        "`{script}`: a shell would interpret the value of a placeholder in its script; write `\"$1\"` there, and the \
         placeholder as an argument after it: [\"sh\", \"-c\", \"less \\\"$1\\\"\", \"sh\", \"{{file}}\"]"
    )]
    PlaceholderInScript { script: String },
    #[error("unknown placeholder `{{{name}}}`; known: {}", Placeholder::written())]
    UnknownPlaceholder { name: String },
    #[error("`{word}`: a brace is not closed; `{{{{` is a brace")]
    OpenBrace { word: String },
}

/// Programs that read one of their arguments as a script.
const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox",
];

/// A command of the user's, and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// The key as it is written, such as `gb` or `<c-o>`.
    pub script: ConfigValue<String>,
    /// The program and its arguments, with placeholders.
    pub words: Vec<String>,
    /// Whether the terminal stays as the program left it until the user presses Enter: the first word was `!`.
    pub waits: bool,
}

impl OwnCommand {
    /// Reads a command: a list of words, or a text whose words stand between blanks.
    pub(crate) fn read(
        script: &str,
        place: ConfigPlace,
        value: &DeValue<'_>,
    ) -> Result<Self, OwnError> {
        let script = script.to_owned();
        let mut words: Vec<String> = match value {
            DeValue::String(text) => text.split_whitespace().map(str::to_owned).collect(),
            DeValue::Array(array) => {
                let words = array
                    .iter()
                    .map(|word| Some(word.get_ref().as_str()?.to_owned()));
                let words: Option<Vec<String>> = words.collect();
                match words {
                    Some(words) => words,
                    None => return Err(OwnError::NotWords { script }),
                }
            }
            _ => return Err(OwnError::NotWords { script }),
        };
        let waits = words.first().is_some_and(|word| word == "!");
        if waits {
            words.remove(0);
        }
        let Some(program) = words.first().filter(|word| !word.is_empty()) else {
            return Err(OwnError::NoProgram { script });
        };
        if program.contains('{') {
            return Err(OwnError::PlaceholderAsProgram { script });
        }
        for word in &words {
            pieces(word)?;
        }
        if let Some(script_word) = script_of(&words)
            && pieces(script_word)?
                .iter()
                .any(|piece| matches!(piece, CommandPiece::Value(_)))
        {
            return Err(OwnError::PlaceholderInScript { script });
        }
        Ok(Self {
            script: ConfigValue {
                value: script,
                place,
            },
            words,
            waits,
        })
    }

    /// Fills the placeholders of the program and its arguments by `value_of`.
    ///
    /// # Errors
    /// The first placeholder for which `value_of` has nothing.
    ///
    /// # Panics
    /// Where the words were not read from settings.
    pub fn filled(
        &self,
        value_of: &dyn Fn(Placeholder) -> Option<String>,
    ) -> Result<Vec<String>, Placeholder> {
        let fill = |word: &String| {
            let pieces = pieces(word).expect("it was read when the settings were");
            let pieces = pieces.into_iter().map(|piece| match piece {
                CommandPiece::Text(text) => Ok(text.to_owned()),
                CommandPiece::Value(placeholder) => value_of(placeholder).ok_or(placeholder),
            });
            pieces.collect()
        };
        self.words.iter().map(fill).collect()
    }

    /// Writes the command for people.
    #[must_use]
    pub fn label(&self) -> String {
        self.words.join(" ")
    }
}

/// A part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandPiece<'w> {
    Text(&'w str),
    Value(Placeholder),
}

/// Cuts a word at its placeholders; `{{` is a brace.
fn pieces(word: &str) -> Result<Vec<CommandPiece<'_>>, OwnError> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        pieces.push(CommandPiece::Text(&rest[..at]));
        let behind = &rest[at + 1..];
        if let Some(after) = behind.strip_prefix('{') {
            pieces.push(CommandPiece::Text(&rest[at..=at]));
            rest = after;
        } else if let Some((name, after)) = behind.split_once('}') {
            pieces.push(CommandPiece::Value(Placeholder::read(name)?));
            rest = after;
        } else {
            let word = word.to_owned();
            return Err(OwnError::OpenBrace { word });
        }
    }
    pieces.push(CommandPiece::Text(rest));
    Ok(pieces)
}

/// Finds the argument that a shell reads as a script, where one is started.
fn script_of(words: &[String]) -> Option<&String> {
    let is_shell = |word: &String| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| SHELLS.contains(&name))
    };
    let shell = words.iter().position(is_shell)?;
    let takes_script = |word: &String| {
        let letters = word.strip_prefix('-');
        letters.is_some_and(|letters| !letters.starts_with('-') && letters.ends_with('c'))
    };
    let option = words[shell..].iter().position(takes_script)?;
    words.get(shell + option + 1)
}

#[cfg(test)]
mod tests {
    use super::Placeholder;
    use crate::Config;

    fn of(line: &str) -> Config {
        Config::of(&[("config.toml", &format!("[commands]\n{line}\n"))])
    }

    fn check_filled(line: &str, expected: Result<&[&str], Placeholder>) {
        let config = of(line);
        assert_eq!(config.problems, []);
        let value_of = |placeholder| match placeholder {
            Placeholder::File => Some("/r/a b; $(x) {line}.py".to_owned()),
            Placeholder::Line => Some("7".to_owned()),
            Placeholder::Key | Placeholder::Run => None,
        };
        let filled = config.commands[0].filled(&value_of);
        let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(filled, expected);
    }

    #[test]
    fn a_placeholder_is_one_argument_whatever_it_stands_for() {
        let file = "/r/a b; $(x) {line}.py";
        check_filled("gb = \"less +{line} {file}\"", Ok(&["less", "+7", file]));
        let both = format!("{file}:7");
        check_filled("gb = [\"hx\", \"{file}:{line}\"]", Ok(&["hx", &both]));
        check_filled("gb = [\"awk\", \"{{print}\"]", Ok(&["awk", "{print}"]));
        check_filled("gb = \"grep {run}\"", Err(Placeholder::Run));
        let shell = "gb = [\"sh\", \"-c\", \"less \\\"$1\\\"\", \"sh\", \"{file}\"]";
        check_filled(shell, Ok(&["sh", "-c", "less \"$1\"", "sh", file]));
    }

    fn check_wrong(line: &str, expected: &str) {
        let config = of(line);
        assert_eq!(config.commands, [], "{line}");
        let problem = config.problems.first().map(ToString::to_string);
        assert!(
            problem
                .as_ref()
                .is_some_and(|problem| problem.contains(expected)),
            "{problem:?}"
        );
    }

    #[test]
    fn what_cannot_be_a_command_is_said_with_its_line() {
        check_wrong(
            "gb = \"less {fil}\"",
            "config.toml:2:6: unknown placeholder `{fil}`; known: {key} {file}",
        );
        check_wrong("gb = 7", "`gb` takes a program and its arguments");
        check_wrong("gb = \"\"", "`gb` names no program");
        check_wrong("gb = \"{file}\"", "a placeholder cannot be the program");
        check_wrong("gb = \"less {file\"", "a brace is not closed");
        check_wrong(
            "gb = [\"bash\", \"-lc\", \"less {file}\"]",
            "a shell would interpret",
        );
        check_wrong(
            "gb = [\"env\", \"/bin/sh\", \"-c\", \"{key}\"]",
            "a shell would interpret",
        );
    }

    #[test]
    fn the_commands_of_somebody_else_are_not_heard() {
        let text = "[commands]\ngb = \"rm -r {file}\"";
        let mut config = Config::default();
        config.add_untrusted("w/config.toml", text);
        assert_eq!(config.commands, []);
        assert!(config.is_withheld);
        let problem = config.problems[0].to_string();
        assert!(
            problem.contains("w/config.toml:2:1: the command of `gb` is ignored"),
            "{problem}"
        );
        config.add("u/config.toml", text);
        config.add("v/config.toml", "[commands]\ngb = \"less {file}\"");
        assert_eq!(config.commands.len(), 1);
        assert_eq!(config.commands[0].label(), "less {file}");
    }
}

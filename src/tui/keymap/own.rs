//! The keys of the user's own commands: heard on every screen, where no action has the key.

use super::bind::UserKeyBinding;
use super::flaw::{KeyFlaw, SEQUENCE_MAX, check_disguise};
use super::{Command, KeyContext, KeyMatch, Keymap};
use crate::config::{Config, ConfigProblem, OwnCommand};
use crate::key::{self, Code, KeyPress};

impl Keymap {
    /// Builds the keymap from all settings, and lists the invalid ones. A command whose key is taken is not heard.
    #[must_use]
    pub fn of_config(config: &Config) -> (Self, Vec<ConfigProblem>) {
        let (mut keymap, mut problems) = Self::of(&config.keys);
        for (idx, command) in config.commands.iter().enumerate() {
            match keymap.keys_of(command) {
                Ok(keys) => keymap.own.push(UserKeyBinding {
                    keys,
                    label: command.label(),
                    idx,
                }),
                Err(flaw) => problems.push(ConfigProblem {
                    place: command.script.place.clone(),
                    text: flaw.to_string(),
                }),
            }
        }
        problems.sort();
        (keymap, problems)
    }

    /// Parses the keys of a command, or tells why it cannot have them.
    fn keys_of(&self, command: &OwnCommand) -> Result<Vec<KeyPress>, KeyFlaw> {
        let keys = key::parse(&command.script.value)?;
        if keys.is_empty() || keys.len() > SEQUENCE_MAX {
            return Err(KeyFlaw::CommandLength);
        }
        for key in &keys {
            let Code::Char(char) = key.code else { continue };
            check_disguise(*key)?;
            if char.is_ascii_digit() || char == ' ' || char.is_control() {
                return Err(KeyFlaw::CommandKey);
            }
        }
        let label = key::label(&keys);
        let clashes = |other: &[KeyPress]| other.starts_with(&keys) || keys.starts_with(other);
        for own in &self.own {
            if clashes(&own.keys) {
                return Err(KeyFlaw::OtherCommand {
                    keys: label,
                    other: key::label(&own.keys),
                });
            }
        }
        for context in KeyContext::ALL {
            if !matches!(context, KeyContext::On(_)) {
                continue;
            }
            for bound in self.heard_in(*context) {
                if let Some(taken) = bound.sequences().find(|other| clashes(other)) {
                    return Err(KeyFlaw::Taken {
                        keys: label,
                        taken: key::label(taken),
                        id: bound.action.id,
                        context: *context,
                    });
                }
            }
        }
        Ok(keys)
    }

    /// Finds what keys mean among the user's own commands.
    pub(super) fn find_own(&self, context: KeyContext, keys: &[KeyPress]) -> KeyMatch {
        if !matches!(context, KeyContext::On(_)) {
            return KeyMatch::Nothing;
        }
        let mut found = KeyMatch::Nothing;
        for own in self.own.iter().filter(|own| own.keys.starts_with(keys)) {
            if own.keys.len() == keys.len() {
                return KeyMatch::Command(Command::Own(own.idx));
            }
            found = KeyMatch::Prefix;
        }
        found
    }

    /// Iterates over the user's own commands: keys, label, and command.
    pub fn own(&self) -> impl Iterator<Item = (String, &str, Command)> {
        let own = self.own.iter();
        own.map(|own| {
            (
                key::label(&own.keys),
                own.label.as_str(),
                Command::Own(own.idx),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Screen;

    fn of(lines: &str) -> (Keymap, Vec<String>) {
        let config = Config::of(&[("c.toml", &format!("[commands]\n{lines}\n"))]);
        let (keymap, problems) = Keymap::of_config(&config);
        (keymap, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_command_is_heard_on_every_screen_and_nowhere_else() {
        let (keymap, problems) = of("gb = \"less {file}\"");
        assert_eq!(problems, [""; 0]);
        let keys = [KeyPress::char('g'), KeyPress::char('b')];
        for context in KeyContext::ALL {
            let is_screen = matches!(context, KeyContext::On(_));
            let found = keymap.find(*context, &keys);
            assert_eq!(
                found == KeyMatch::Command(Command::Own(0)),
                is_screen,
                "{context:?}"
            );
        }
        assert_eq!(
            keymap.find(KeyContext::On(Screen::Home), &keys[..1]),
            KeyMatch::Prefix
        );
    }

    #[test]
    fn a_key_that_means_something_else_is_said() {
        let check = |lines: &str, expected: &str| {
            let (_, problems) = of(lines);
            assert!(
                problems.iter().any(|problem| problem.contains(expected)),
                "{problems:?}"
            );
        };
        check(
            "gs = \"x\"",
            "c.toml:2:1: `gs` is taken: `gs` means `go-samples` in Home",
        );
        check("g = \"x\"", "`g` is taken");
        check("gb1 = \"x\"", "a digit");
        check("gb = \"x\"\ngbz = \"x\"", "`gbz` cannot be told from `gb`");
        check("\"<c-i>\" = \"x\"", "cannot be told from Tab");
        check("\"<hyper>\" = \"x\"", "there is no key");
    }

    #[test]
    fn the_log_is_heard_on_every_screen() {
        let keymap = Keymap::default();
        for screen in Screen::ALL {
            let found = keymap.find(
                KeyContext::On(screen),
                &[KeyPress::char('g'), KeyPress::char('l')],
            );
            let log = Command::App(crate::keymap::AppCommand::Log);
            assert_eq!(found, KeyMatch::Command(log), "{screen:?}");
        }
    }
}

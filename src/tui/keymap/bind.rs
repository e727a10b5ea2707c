//! The registry with the active keys: those of the table, or in their place those that people set.
//!
//! Decides the meaning of a sequence of keys, and which keys an action may have: no digit but for picking the candidate
//! of that number, no Space for an action that decides, no key that a line of input would take as text, and no sequence
//! that equals or begins another action's.

use crate::config::{ConfigPlace, ConfigProblem, KeySetting, near};
use crate::key::{self, Code, KeyPress};
use crate::keymap::{AppCommand, Command, ConfirmCommand, KeyAction, KeyContext, actions, all};
use crate::widget::frame::fit;

use super::flaw::{KeyFlaw, SEQUENCE_MAX, check_disguise};

/// The most keys of an action, as many as there are digits to pick with.
const KEYS_MAX: usize = 9;

/// The meaning of the keys pressed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    Command(Command),
    /// The beginning of at least one longer sequence.
    Prefix,
    Nothing,
}

/// An action with the keys that it has in one context.
#[derive(Clone, Debug)]
pub struct KeyBinding {
    pub action: &'static KeyAction,
    /// One sequence for each key; an empty one leaves its candidate without a key.
    keys: Vec<Vec<KeyPress>>,
    /// The setting that they come from.
    set_by: Option<usize>,
}

impl KeyBinding {
    /// Writes all keys for people: `j ↓`; digits in a row as `1-9`; empty where there are none.
    #[must_use]
    pub fn keys_label(&self) -> String {
        let labels: Vec<String> = self.sequences().map(key::label).collect();
        let digits: Option<Vec<u32>> = labels.iter().map(|label| digit(label)).collect();
        if let Some([first, .., last]) = digits.as_deref()
            && labels.len() > 2
            && *last as usize == *first as usize + labels.len() - 1
        {
            return format!("{first}-{last}");
        }
        labels.join(" ")
    }

    /// Writes the first key for the footer; a prefix shared by several actions is shown alone.
    #[must_use]
    pub fn first_key_label(&self) -> String {
        if self.action.is_numbered() {
            return self.keys_label();
        }
        let is_prefix = self.action.hint.ends_with('…');
        let first = self.sequences().next();
        first.map_or_else(String::new, |keys| match keys {
            [first, _, ..] if is_prefix => first.to_string(),
            keys => key::label(keys),
        })
    }

    /// Tells whether any key reaches it.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        self.sequences().next().is_some()
    }

    pub(super) fn sequences(&self) -> impl Iterator<Item = &[KeyPress]> {
        self.keys
            .iter()
            .map(Vec::as_slice)
            .filter(|key_presses| !key_presses.is_empty())
    }
}

fn digit(label: &str) -> Option<u32> {
    let mut chars = label.chars();
    chars
        .next()
        .filter(|_| chars.as_str().is_empty())?
        .to_digit(10)
}

/// The keys of one of the user's own commands.
#[derive(Clone, Debug)]
pub(super) struct UserKeyBinding {
    pub keys: Vec<KeyPress>,
    /// The command to start.
    pub label: String,
    /// Its place in the settings.
    pub idx: usize,
}

/// The meaning of every key in every context.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// Bindings by the number of the context.
    contexts: Vec<Vec<KeyBinding>>,
    /// The user's own commands.
    pub(super) own: Vec<UserKeyBinding>,
}

impl Default for Keymap {
    fn default() -> Self {
        let contexts = KeyContext::ALL.iter().map(|context| {
            let bound = actions(*context).map(|action| KeyBinding {
                action,
                keys: parsed(action),
                set_by: None,
            });
            bound.collect()
        });
        Self {
            contexts: contexts.collect(),
            own: Vec::new(),
        }
    }
}

fn parsed(action: &KeyAction) -> Vec<Vec<KeyPress>> {
    let keys = action.keys.iter();
    keys.map(|text| key::parse(text).expect("a test parses every key of the registry"))
        .collect()
}

impl Keymap {
    /// Builds the keymap from the settings, and lists the impossible ones: such a setting changes nothing, and the
    /// action keeps its own keys. A setting with a context wins over one without.
    #[must_use]
    pub fn of(settings: &[KeySetting]) -> (Self, Vec<ConfigProblem>) {
        let mut problems = Vec::new();
        let mut requested_bindings: Vec<Option<RequestedBinding>> = settings
            .iter()
            .map(|setting| match requested_binding(setting) {
                Ok(requested) => Some(requested),
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            })
            .collect();
        let mut keymap = Self::with(&requested_bindings);
        loop {
            let clashes = keymap.clashes(settings);
            if clashes.is_empty() {
                break;
            }
            // A dropped setting gives its action the registry's keys back, and these may clash with another setting.
            for (idx, problem) in clashes {
                requested_bindings[idx] = None;
                problems.push(problem);
            }
            keymap = Self::with(&requested_bindings);
        }
        problems.sort();
        (keymap, problems)
    }

    fn with(requested_bindings: &[Option<RequestedBinding>]) -> Self {
        let mut keymap = Self::default();
        let named = |requested: &RequestedBinding| requested.context.is_some();
        for is_named in [false, true] {
            for (idx, requested) in requested_bindings.iter().enumerate() {
                let Some(requested) = requested
                    .as_ref()
                    .filter(|requested_binding| named(requested_binding) == is_named)
                else {
                    continue;
                };
                for context in requested.contexts() {
                    let mut bound = keymap.contexts[context.number()].iter_mut();
                    if let Some(bound) =
                        bound.find(|key_binding| key_binding.action.id == requested.action.id)
                    {
                        bound.keys.clone_from(&requested.keys);
                        bound.set_by = Some(idx);
                    }
                }
            }
        }
        keymap
    }

    /// Finds the settings that cannot hold because a sequence means something else, or begins another one.
    fn clashes(&self, settings: &[KeySetting]) -> Vec<(usize, ConfigProblem)> {
        let mut fallen: Vec<(usize, ConfigProblem)> = Vec::new();
        for (context, bounds) in KeyContext::ALL.iter().zip(&self.contexts) {
            let mut all: Vec<(&[KeyPress], &KeyBinding)> = bounds
                .iter()
                .flat_map(|bound| bound.sequences().map(move |keys| (keys, bound)))
                .collect();
            // Sequences that begin with another one follow it directly.
            all.sort_by_key(|(keys, _)| *keys);
            let mut kept: Option<(&[KeyPress], &KeyBinding)> = None;
            for (keys, bound) in all {
                let has_fallen = |key_binding: &KeyBinding| {
                    key_binding
                        .set_by
                        .is_some_and(|idx| fallen.iter().any(|(other, _)| *other == idx))
                };
                if has_fallen(bound) {
                    continue;
                }
                let Some((before, other)) =
                    kept.filter(|(before, other)| keys.starts_with(before) && !has_fallen(other))
                else {
                    kept = Some((keys, bound));
                    continue;
                };
                // Of two settings the later one gives way; the registry never does, and has no clashes within itself.
                let is_ours = bound.set_by >= other.set_by;
                let (loser, lost, winner, won) = if is_ours {
                    (bound, keys, other, before)
                } else {
                    (other, before, bound, keys)
                };
                if let Some(idx) = loser.set_by {
                    let text = clash((loser, lost), (winner, won), *context);
                    let mut scripts = settings[idx].scripts.iter();
                    let place = scripts
                        .find(|script| key::parse(&script.value).is_ok_and(|keys| keys == lost))
                        .map_or(&settings[idx].place, |script| &script.place);
                    fallen.push((idx, problem(place, text)));
                }
                if !is_ours {
                    kept = Some((keys, bound));
                }
            }
        }
        fallen
    }

    /// Finds what `keys` mean in `context`.
    #[must_use]
    pub fn find(&self, context: KeyContext, keys: &[KeyPress]) -> KeyMatch {
        let mut found = KeyMatch::Nothing;
        for bound in self.heard_in(context) {
            for (idx, bound_keys) in bound.keys.iter().enumerate() {
                if bound_keys.is_empty() || !bound_keys.starts_with(keys) {
                    continue;
                }
                if bound_keys.len() == keys.len() {
                    return KeyMatch::Command(bound.action.command_at(idx));
                }
                found = KeyMatch::Prefix;
            }
        }
        match self.find_own(context, keys) {
            KeyMatch::Nothing => found,
            own => own,
        }
    }

    /// Iterates over the actions that may follow `prefix`: the next keys as written, and the action.
    pub fn continuations(
        &self,
        context: KeyContext,
        prefix: &[KeyPress],
    ) -> impl Iterator<Item = (String, &'static KeyAction)> {
        self.heard_in(context).iter().flat_map(move |bound| {
            let keys = bound.sequences();
            keys.filter(move |keys| keys.len() > prefix.len() && keys.starts_with(prefix))
                .map(move |keys| (key::label(&keys[prefix.len()..]), bound.action))
        })
    }

    /// Lists the actions of `context`, in the order of the registry, also those without a key.
    #[must_use]
    pub fn heard_in(&self, context: KeyContext) -> &[KeyBinding] {
        &self.contexts[context.number()]
    }

    /// Writes all keys of the action `id` in `context` for people; empty where it has none.
    #[must_use]
    pub fn label(&self, context: KeyContext, id: &str) -> String {
        let mut bound = self.heard_in(context).iter();
        bound
            .find(|key_binding| key_binding.action.id == id)
            .map(KeyBinding::keys_label)
            .unwrap_or_default()
    }

    /// Writes the whole keymap as lines for people: place, keys, name, and help.
    #[must_use]
    pub fn listing(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for context in KeyContext::ALL {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(context.title().to_owned());
            lines.extend(self.heard_in(*context).iter().map(|bound| {
                let keys = fit(&bound.keys_label(), 16);
                let action = bound.action;
                format!("  {keys} {:<20} {}", action.id, action.help)
            }));
        }
        if !self.own.is_empty() {
            lines.extend([
                String::new(),
                "Your own commands, on every screen".to_owned(),
            ]);
            let own = self
                .own()
                .map(|(keys, label, _)| format!("  {} {label}", fit(&keys, 16)));
            lines.extend(own);
        }
        lines
    }

    /// Writes the table of the documentation as Markdown, a row for each action.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = "| keys | action | where | effect |\n| --- | --- | --- | --- |\n".to_owned();
        for action in all() {
            let keys = action
                .contexts
                .first()
                .map(|context| self.label(*context, action.id));
            let keys = keys.unwrap_or_default();
            let keys: Vec<String> = keys.split(' ').map(|part| format!("`{part}`")).collect();
            text.push_str(&format!(
                "| {} | `{}` | {} | {} |\n",
                keys.join(" ").replace('|', "\\|"),
                action.id,
                places(action.contexts),
                action.help.replace('|', "\\|")
            ));
        }
        text
    }
}

/// Names contexts for readers, shortened where they are all or all screens.
fn places(contexts: &[KeyContext]) -> String {
    let screens: Vec<&str> = contexts.iter().map(|context| context.title()).collect();
    let is_overlay = |context: &KeyContext| {
        context.takes_text() || matches!(context, KeyContext::List | KeyContext::Confirm)
    };
    let n_screens = KeyContext::ALL
        .iter()
        .filter(|key_context| !is_overlay(key_context))
        .count();
    let n_ours = contexts
        .iter()
        .filter(|context| !is_overlay(context))
        .count();
    match (contexts.len() == KeyContext::ALL.len(), n_ours == n_screens) {
        (true, _) => "everywhere".to_owned(),
        (false, true) if contexts.len() == n_screens => "every screen".to_owned(),
        (false, true) => "every screen, lists".to_owned(),
        (false, false) => screens.join(", "),
    }
}

/// A setting that is valid by itself: it may still clash with others.
#[derive(Clone, Debug)]
struct RequestedBinding {
    action: &'static KeyAction,
    context: Option<KeyContext>,
    keys: Vec<Vec<KeyPress>>,
}

impl RequestedBinding {
    fn contexts(&self) -> &[KeyContext] {
        self.context
            .as_ref()
            .map_or(self.action.contexts, std::slice::from_ref)
    }

    /// Reads the key at `idx` of the setting.
    ///
    /// # Errors
    /// The reason why the action may not have it.
    fn read_keys(&self, idx: usize, script: &str) -> Result<Vec<KeyPress>, KeyFlaw> {
        let keys = key::parse(script)?;
        if keys.len() > SEQUENCE_MAX {
            return Err(KeyFlaw::TooLong);
        }
        let id = self.action.id;
        for key in &keys {
            let Code::Char(char) = key.code else { continue };
            check_disguise(*key)?;
            if char.is_control() {
                return Err(KeyFlaw::Control);
            }
            let number = char.to_digit(10).map(|n| n as usize);
            if number.is_some_and(|number| !(self.action.is_numbered() && number == idx + 1)) {
                return Err(KeyFlaw::Digit { id });
            }
            if char == ' ' && decides(self.action.command) {
                return Err(KeyFlaw::Decides { id });
            }
        }
        let types = |key: &&KeyPress| matches!(key.code, Code::Char(_)) && !key.control;
        let input = self.contexts().iter().find(|context| context.takes_text());
        if let (Some(context), Some(first)) = (input, keys.first().filter(types)) {
            return Err(KeyFlaw::Types {
                first: *first,
                context: *context,
                id,
            });
        }
        Ok(keys)
    }
}

fn problem(place: &ConfigPlace, text: String) -> ConfigProblem {
    ConfigProblem {
        place: place.clone(),
        text,
    }
}

/// Reads a setting, or reports its first flaw.
fn requested_binding(setting: &KeySetting) -> Result<RequestedBinding, ConfigProblem> {
    let wrong = |text: String| problem(&setting.place, text);
    let id = setting.action.as_str();
    let context = setting.context.as_deref().map(|name| {
        KeyContext::named(name).ok_or_else(|| {
            let known = KeyContext::ALL
                .iter()
                .map(|key_context| key_context.title().to_lowercase());
            let known: Vec<String> = known.collect();
            wrong(format!(
                "unknown place `{name}`; known: {}",
                known.join(", ")
            ))
        })
    });
    let context = context.transpose()?;
    let Some(action) = all().find(|key_action| key_action.id == id) else {
        let near = near(id, all().map(|key_action| key_action.id));
        let near = if near.is_empty() {
            String::new()
        } else {
            format!("; near: {}", near.join(", "))
        };
        return Err(wrong(format!(
            "unknown action `{id}`{near}; `focalist keys` lists them"
        )));
    };
    if let Some(context) = context.filter(|key_context| !action.contexts.contains(key_context)) {
        let known: Vec<String> = action
            .contexts
            .iter()
            .map(|context| context.title().to_lowercase())
            .collect();
        return Err(wrong(format!(
            "`{id}` has no effect in {}, only in {}",
            context.title().to_lowercase(),
            known.join(", ")
        )));
    }
    if setting.scripts.len() > KEYS_MAX {
        return Err(wrong(format!("`{id}` takes at most {KEYS_MAX} keys")));
    }
    let mut requested = RequestedBinding {
        action,
        context,
        keys: Vec::new(),
    };
    for (idx, script) in setting.scripts.iter().enumerate() {
        let keys = requested.read_keys(idx, &script.value);
        let keys = keys.map_err(|flaw| problem(&script.place, flaw.to_string()))?;
        // The place of a sequence matters only for numbered actions; others drop empty and repeated ones.
        if action.is_numbered() || !(keys.is_empty() || requested.keys.contains(&keys)) {
            requested.keys.push(keys);
        }
    }
    // Without it nothing could stop a task, and a damaged screen could not be left.
    let is_cancel = action.command == Command::App(AppCommand::Cancel);
    if is_cancel && requested.keys.is_empty() {
        return Err(wrong(format!("`{id}` needs a key: it stops what runs")));
    }
    Ok(requested)
}

/// Tells whether a slip of the finger would write something in somebody's name.
const fn decides(command: Command) -> bool {
    command.is_verdict() || matches!(command, Command::Confirm(ConfirmCommand::Yes))
}

fn clash(
    (loser, lost): (&KeyBinding, &[KeyPress]),
    (winner, won): (&KeyBinding, &[KeyPress]),
    context: KeyContext,
) -> String {
    let (lost_label, won_label) = (key::label(lost), key::label(won));
    let place = context.title();
    let (id, other) = (loser.action.id, winner.action.id);
    if lost == won {
        format!("`{lost_label}` means `{other}` in {place}, and not `{id}`")
    } else if won.starts_with(lost) {
        format!("`{lost_label}` begins `{won_label}`, which means `{other}` in {place}")
    } else {
        format!("`{won_label}` means `{other}` in {place}, so that `{lost_label}` cannot be typed")
    }
}

#[cfg(test)]
mod tests;

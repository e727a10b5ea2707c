//! The actions of an annotator on a sample: the one table that keys, help and the plain mode's commands are drawn from.
//!
//! Decides what an action is called and which keys it has by default. Does not carry it out.

/// Something that an annotator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    Accept,
    NoneOfThese,
    NoFocal,
    /// The candidate whose number is the key.
    Pick,
    Unsure,
    Skip,
    Mark,
    Note,
    Undo,
    Redo,
    Why,
    History,
    /// Looks at the next neighbour, without leaving the current sample.
    Next,
    /// Looks at the neighbour before.
    Previous,
    /// Picks any method of the repository.
    Find,
}

impl Act {
    /// Tells whether it says something of the sample that is shown: such a key is not heard before the sample is
    /// painted, and not when it is only held down.
    #[must_use]
    pub const fn decides(self) -> bool {
        matches!(
            self,
            Self::Accept
                | Self::NoneOfThese
                | Self::NoFocal
                | Self::Pick
                | Self::Unsure
                | Self::Skip
        )
    }

    /// Tells whether it is about the shown sample, and does nothing without one.
    #[must_use]
    pub const fn needs_sample(self) -> bool {
        match self {
            Self::Accept
            | Self::NoneOfThese
            | Self::NoFocal
            | Self::Pick
            | Self::Unsure
            | Self::Skip
            | Self::Mark
            | Self::Note
            | Self::Why
            | Self::Find => true,
            Self::Undo | Self::Redo | Self::History | Self::Next | Self::Previous => false,
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// The name in configuration; the plain mode takes what follows `annotate-`.
    pub id: &'static str,
    /// The default keys, the first of which is shown; for [`Act::Pick`] the n-th stands for the n-th candidate.
    pub keys: &'static [&'static str],
    /// A word for a footer.
    pub hint: &'static str,
    /// One line, imperative: what it does.
    pub help: &'static str,
    pub act: Act,
}

const fn row(
    id: &'static str,
    keys: &'static [&'static str],
    hint: &'static str,
    act: Act,
    help: &'static str,
) -> Action {
    Action {
        id,
        keys,
        hint,
        help,
        act,
    }
}

/// Every action, in the order of help.
#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[Action] = &[
    row("annotate-accept", &["a"], "accept", Act::Accept, "accept: the machine's decision is right"),
    row("annotate-none", &["x"], "none of these", Act::NoneOfThese, "none of these: the focal method isn't listed"),
    row("annotate-pick", &["1", "2", "3", "4", "5", "6", "7", "8", "9"], "pick", Act::Pick, "pick the candidate with this number as the focal method"),
    row("annotate-no-focal", &["X"], "no focal", Act::NoFocal, "no focal: the test is not about one method"),
    row("annotate-unsure", &["o"], "unsure", Act::Unsure, "unsure: looked at, and not decided"),
    row("annotate-skip", &["s"], "skip", Act::Skip, "skip: to the end of the queue"),
    row("annotate-undo", &["u", "<bs>"], "undo", Act::Undo, "undo your last action (unlimited, across days)"),
    row("annotate-redo", &["U", "<c-r>"], "redo", Act::Redo, "redo the last undone action"),
    row("annotate-note", &["c"], "note", Act::Note, "note on the sample; an empty one removes it"),
    row("annotate-mark", &["m"], "mark", Act::Mark, "mark the sample, for discussion; again: unmark"),
    row("annotate-find", &["p"], "find method", Act::Find, "find another method of the repository, and pick it"),
    row("annotate-why", &["i"], "why", Act::Why, "why this match: what speaks for and against a candidate"),
    row("annotate-history", &["H"], "history", Act::History, "your last decisions, to go back to one"),
    row("annotate-next", &["}"], "next sample", Act::Next, "look at the next sample of the queue without deciding"),
    row("annotate-previous", &["{"], "", Act::Previous, "look at the sample decided before without deciding"),
];

impl Action {
    /// Returns the word for the action where lines are typed: `accept`, `no-focal`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.id.strip_prefix("annotate-").unwrap_or(self.id)
    }
}

/// Looks up the row of an action.
///
/// # Panics
/// For an action without a row: where a constant is made of it, that does not compile.
#[must_use]
pub const fn action(act: Act) -> &'static Action {
    let mut idx = 0;
    while idx < ACTIONS.len() {
        if ACTIONS[idx].act as u8 == act as u8 {
            return &ACTIONS[idx];
        }
        idx += 1;
    }
    panic!("the keys of the terminal UI are made of a row for each action")
}

/// Looks up an action by a key of one character, a word or an id, as it is typed; nothing for anything else.
#[must_use]
pub fn parse(text: &str) -> Option<&'static Action> {
    ACTIONS
        .iter()
        .find(|action| action.id == text || action.word() == text || action.keys.contains(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_actions_share_an_id_a_key_or_an_act() {
        let mut names: Vec<&str> = ACTIONS.iter().map(|action| action.id).collect();
        names.extend(ACTIONS.iter().map(Action::word));
        names.extend(ACTIONS.iter().flat_map(|action| action.keys));
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names);
        for listed_action in ACTIONS {
            assert_eq!(action(listed_action.act).id, listed_action.id);
            assert!(
                listed_action.id.starts_with("annotate-") && !listed_action.help.ends_with('.')
            );
        }
    }

    #[test]
    fn an_action_is_typed_as_key_word_or_id() {
        let check = |text: &str, expected: Option<Act>| {
            assert_eq!(parse(text).map(|action| action.act), expected, "{text}");
        };
        check("a", Some(Act::Accept));
        check("accept", Some(Act::Accept));
        check("annotate-accept", Some(Act::Accept));
        check("X", Some(Act::NoFocal));
        check("3", Some(Act::Pick));
        check("10", None);
        check("A", None);
        check("", None);
    }

    #[test]
    fn what_only_looks_decides_nothing() {
        let deciding: Vec<&str> = ACTIONS
            .iter()
            .filter(|action| action.act.decides())
            .map(Action::word)
            .collect();
        assert_eq!(
            deciding,
            ["accept", "none", "pick", "no-focal", "unsure", "skip"]
        );
    }
}

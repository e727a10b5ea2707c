//! The one table of actions: keys, help, footer, the which-key popup and the table in the docs all derive from it.
//!
//! Lists the actions of each place, with their names and default keys. `app` and the screens carry them out. A new
//! action is one row in a table and one arm in `update`; verdicts on samples have their row in
//! [`action`](crate::review::action), which the command line shares.

mod bind;
mod flaw;
pub mod motion;
mod own;
mod registry;
pub mod table;

pub use bind::{KeyBinding, KeyMatch, Keymap};
pub use motion::{Motion, StepDirection};
use registry::TABLES;

use crate::screen::Screen;
use crate::screen::annotate::commands::AnnotateCommand;
use crate::screen::clover::commands::CloverCommand;
use crate::screen::compare::commands::CompareCommand;
use crate::screen::consistency::commands::ConsistencyCommand;
use crate::screen::disagree::commands::DisagreeCommand;
use crate::screen::faults::commands::FaultsCommand;
use crate::screen::jobs::commands::JobsCommand;
use crate::screen::results::commands::ResultsCommand;
use crate::screen::runs::commands::RunsCommand;
use crate::screen::samples::commands::SamplesCommand;

/// A place where keys are heard: a screen, or an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyContext {
    On(Screen),
    /// A list that lies over the screen.
    List,
    /// The help overlay.
    Help,
    /// A line of input: search or filter.
    Input,
    /// Several fields to fill in.
    Form,
    /// A question with yes and no.
    Confirm,
}

impl KeyContext {
    pub const ALL: &[Self] = &[
        Self::On(Screen::Home),
        Self::On(Screen::Samples),
        Self::On(Screen::Sample),
        Self::On(Screen::Repos),
        Self::On(Screen::Runs),
        Self::On(Screen::Results),
        Self::On(Screen::Compare),
        Self::On(Screen::Annotate),
        Self::On(Screen::Disagree),
        Self::On(Screen::Jobs),
        Self::On(Screen::Consistency),
        Self::On(Screen::Clover),
        Self::On(Screen::Faults),
        Self::List,
        Self::Help,
        Self::Input,
        Self::Form,
        Self::Confirm,
    ];

    /// Returns the place in [`KeyContext::ALL`].
    #[must_use]
    pub const fn number(self) -> usize {
        let n_screens = Screen::ALL.len();
        match self {
            Self::On(screen) => screen as usize,
            Self::List => n_screens,
            Self::Help => n_screens + 1,
            Self::Input => n_screens + 2,
            Self::Form => n_screens + 3,
            Self::Confirm => n_screens + 4,
        }
    }

    /// Looks up the context by its name in the configuration: its title in lower case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|key_context| key_context.title().to_lowercase() == name)
    }

    /// Tells whether keys that type something are text there.
    #[must_use]
    pub const fn takes_text(self) -> bool {
        matches!(self, Self::Input | Self::Help | Self::Form)
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::On(screen) => screen.title(),
            Self::List => "List",
            Self::Help => "Help",
            Self::Input => "Input",
            Self::Form => "Form",
            Self::Confirm => "Question",
        }
    }
}

/// Commands of the program as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppCommand {
    Go(Screen),
    /// The list of all commands, found by a few letters.
    Palette,
    Theme,
    /// Asks for the annotator's name.
    Annotator,
    Charts,
    /// Writes the chart or the log on the screen to a file.
    Write,
    SavedFilters,
    SaveFilter,
    /// Enter: opens the item under the screen's cursor.
    Open,
    /// Esc: closes or clears the nearest thing; never leaves the program.
    Close,
    /// q: one screen back, at the root out of the program.
    Back,
    Help,
    /// The log of actions, as commands.
    Log,
    /// Copies the line of the log under the cursor.
    CopyDeed,
    CopyLog,
    Suspend,
    Redraw,
    /// ^c: stops what runs; twice leaves the program.
    Cancel,
}

/// Commands of the pane with the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneCommand {
    Focus(StepDirection),
    /// Scrolls the other pane while the list keeps the focus.
    Peek(StepDirection),
    Search,
    Match(StepDirection),
    /// Goes to the next focal call or assertion.
    Mark(StepDirection),
    Wrap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyContent {
    Code,
    Path,
    Key,
}

/// Commands of the sample under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleCommand {
    /// Shows the neighbour in the list.
    Sibling(StepDirection),
    /// Shows why the selected candidate has its weight.
    Why,
    /// Shows the stage that decided, and all facts besides the code.
    Facts,
    Edit,
    Copy(CopyContent),
}

/// Answers to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmCommand {
    Yes,
    No,
}

/// Commands of a line of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCommand {
    Accept,
    Cancel,
    Complete(StepDirection),
    /// Another field of a form.
    Field(StepDirection),
    /// Scrolls the panes beside the list, a page on or back.
    Scroll(StepDirection),
    DeleteBackwards,
    DeleteForwards,
    DeleteWord,
    DeleteAll,
    Left,
    Right,
    Start,
    End,
}

/// Everything a key can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Move(Motion),
    App(AppCommand),
    Pane(PaneCommand),
    Samples(SamplesCommand),
    Sample(SampleCommand),
    Runs(RunsCommand),
    Results(ResultsCommand),
    Compare(CompareCommand),
    Jobs(JobsCommand),
    Annotate(AnnotateCommand),
    Disagree(DisagreeCommand),
    Consistency(ConsistencyCommand),
    Clover(CloverCommand),
    Faults(FaultsCommand),
    Input(InputCommand),
    Confirm(ConfirmCommand),
    /// One of the user's own commands, by its place in the settings.
    Own(usize),
}

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct KeyAction {
    /// The name in configuration and documentation.
    pub id: &'static str,
    /// The default keys; each a sequence in the notation of [`key::parse`](super::key::parse). Of numbered ones the
    /// n-th stands for the n-th candidate or opinion.
    pub keys: &'static [&'static str],
    pub contexts: &'static [KeyContext],
    pub command: Command,
    /// The word in the footer; empty: not shown there.
    pub hint: &'static str,
    /// The order in the footer, smallest first and dropped last.
    pub rank: u8,
    /// The action in one line, in the imperative.
    pub help: &'static str,
}

impl Command {
    /// Tells whether it writes in the annotator's name, or opens a form or list that does.
    #[must_use]
    pub const fn needs_name(self) -> bool {
        let is_asked_for = matches!(
            self,
            Self::Annotate(AnnotateCommand::Note | AnnotateCommand::Find | AnnotateCommand::Alike)
                | Self::Disagree(DisagreeCommand::Note)
                | Self::Results(ResultsCommand::Tag)
                | Self::Samples(SamplesCommand::Mark)
        );
        is_asked_for || self.is_verdict()
    }

    /// Tells whether it changes people's verdicts: then a key that is held down counts once, and nothing happens to a
    /// sample that was never painted.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        match self {
            Self::Annotate(command) => matches!(
                command,
                AnnotateCommand::Accept
                    | AnnotateCommand::NoneOfThese
                    | AnnotateCommand::NoFocal
                    | AnnotateCommand::Pick(_)
                    | AnnotateCommand::Unsure
                    | AnnotateCommand::Skip
                    | AnnotateCommand::Mark
                    | AnnotateCommand::Undo
                    | AnnotateCommand::Redo
                    | AnnotateCommand::AcceptRest
            ),
            Self::Disagree(command) => !matches!(
                command,
                DisagreeCommand::Names | DisagreeCommand::Pair(_) | DisagreeCommand::Note
            ),
            Self::Results(command) => matches!(
                command,
                ResultsCommand::Equal | ResultsCommand::Undo | ResultsCommand::Redo
            ),
            Self::Faults(command) => matches!(
                command,
                FaultsCommand::Equivalent | FaultsCommand::Undo | FaultsCommand::Redo
            ),
            _ => false,
        }
    }
}

impl KeyAction {
    /// Tells whether its n-th key stands for the n-th candidate or opinion.
    #[must_use]
    pub const fn is_numbered(&self) -> bool {
        matches!(
            self.command,
            Command::Annotate(AnnotateCommand::Pick(1..))
                | Command::Disagree(DisagreeCommand::Side(_))
        )
    }

    /// Looks up the command of its key at `idx`, from 0.
    #[must_use]
    pub const fn command_at(&self, idx: usize) -> Command {
        let number = idx as u8 + 1;
        match self.command {
            Command::Annotate(AnnotateCommand::Pick(1..)) => {
                Command::Annotate(AnnotateCommand::Pick(number))
            }
            Command::Disagree(DisagreeCommand::Side(_)) => {
                Command::Disagree(DisagreeCommand::Side(number))
            }
            command => command,
        }
    }
}

/// Iterates over every action in the order of the registry.
pub fn all() -> impl Iterator<Item = &'static KeyAction> {
    TABLES.iter().copied().flatten()
}

/// Iterates over the actions of `context` in the order of the registry.
pub fn actions(context: KeyContext) -> impl Iterator<Item = &'static KeyAction> {
    all().filter(move |action| action.contexts.contains(&context))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{self, KeyPress};
    use std::collections::BTreeMap;

    #[test]
    fn every_action_has_keys_help_and_a_place() {
        for action in all() {
            assert!(!action.keys.is_empty(), "{} has no key", action.id);
            assert!(!action.help.is_empty(), "{} has no help", action.id);
            assert!(
                !action.contexts.is_empty(),
                "{} is heard nowhere",
                action.id
            );
            for keys in action.keys {
                key::parse(keys).expect("every key of the registry can be read");
            }
        }
    }

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let mut ids: Vec<&str> = all().map(|action| action.id).collect();
        ids.sort_unstable();
        let n_ids = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for context in KeyContext::ALL {
            let mut taken: BTreeMap<Vec<KeyPress>, &str> = BTreeMap::new();
            for action in actions(*context) {
                for keys in action.keys {
                    let keys = key::parse(keys).expect("parsed above");
                    for (other, id) in &taken {
                        let clash = other.starts_with(&keys) || keys.starts_with(other);
                        assert!(!clash, "{} and {id} clash in {context:?}", action.id);
                    }
                    taken.insert(keys, action.id);
                }
            }
        }
    }

    #[test]
    fn a_digit_never_navigates_and_space_never_decides() {
        for action in all() {
            for keys in action.keys {
                let is_pick = matches!(
                    action.command,
                    Command::Annotate(AnnotateCommand::Pick(1..))
                        | Command::Disagree(DisagreeCommand::Side(_))
                );
                assert_eq!(
                    keys.contains(|char: char| char.is_ascii_digit()),
                    is_pick,
                    "{}",
                    action.id
                );
                if keys.contains("<space>") {
                    assert!(matches!(action.command, Command::Move(_)), "{}", action.id);
                }
            }
        }
    }

    #[test]
    fn a_motion_stops_at_the_top_and_leaves_the_bottom_to_the_caller() {
        let check = |motion: Motion, at: usize, expected: usize| {
            assert_eq!(motion.moved(at, 9), expected, "{motion:?} from {at}");
        };
        check(Motion::Up, 5, 4);
        check(Motion::Up, 0, 0);
        check(Motion::Down, 5, 6);
        check(Motion::HalfUp, 5, 1);
        check(Motion::HalfUp, 3, 0);
        check(Motion::HalfDown, 5, 9);
        check(Motion::PageUp, 20, 11);
        check(Motion::PageUp, 5, 0);
        check(Motion::PageDown, 5, 14);
        check(Motion::PageDown, usize::MAX, usize::MAX);
        check(Motion::First, 5, 0);
        check(Motion::Last, 5, usize::MAX);
        check(Motion::Left, 5, 5);
        check(Motion::Right, 5, 5);
    }

    #[test]
    fn a_prefix_waits_and_a_sequence_acts() {
        let keymap = Keymap::default();
        let g = KeyPress::char('g');
        assert_eq!(
            keymap.find(KeyContext::On(Screen::Home), &[g]),
            KeyMatch::Prefix
        );
        assert_eq!(
            keymap.find(KeyContext::On(Screen::Home), &[g, KeyPress::char('s')]),
            KeyMatch::Command(Command::App(AppCommand::Go(Screen::Samples)))
        );
        assert_eq!(
            keymap.find(KeyContext::On(Screen::Home), &[g, KeyPress::char('z')]),
            KeyMatch::Nothing
        );
    }
}

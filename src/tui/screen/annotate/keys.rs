//! The actions of Annotate.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, SampleCommand, StepDirection};
use crate::review::action::{self, Act};
use crate::screen::Screen;
use crate::screen::annotate::commands::{AnnotateCommand, FoldTarget};

const JUDGED: &[KeyContext] = &[KeyContext::On(Screen::Annotate)];

const fn annotate(
    id: &'static str,
    keys: &'static [&'static str],
    command: AnnotateCommand,
    help: &'static str,
) -> KeyAction {
    row(id, keys, JUDGED, Command::Annotate(command), help)
}

/// Makes the row of an annotator's action, with the keys and the help of [`action`].
const fn act(act: Act, command: Command) -> KeyAction {
    let known = action::action(act);
    row(known.id, known.keys, JUDGED, command, known.help)
}

/// Makes the same row with the action's hint at this place of the footer.
const fn judge(rank: u8, judged: Act, command: AnnotateCommand) -> KeyAction {
    let hint = action::action(judged).hint;
    hinted(act(judged, Command::Annotate(command)), rank, hint)
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    judge(1, Act::Accept, AnnotateCommand::Accept),
    judge(2, Act::NoneOfThese, AnnotateCommand::NoneOfThese),
    judge(3, Act::Pick, AnnotateCommand::Pick(1)),
    annotate("annotate-pick-shown", &["P"], AnnotateCommand::Pick(0), "pick the candidate under the cursor as the focal method"),
    judge(4, Act::NoFocal, AnnotateCommand::NoFocal),
    judge(5, Act::Unsure, AnnotateCommand::Unsure),
    judge(6, Act::Skip, AnnotateCommand::Skip),
    judge(7, Act::Undo, AnnotateCommand::Undo),
    act(Act::Redo, Command::Annotate(AnnotateCommand::Redo)),
    judge(8, Act::Note, AnnotateCommand::Note),
    judge(9, Act::Mark, AnnotateCommand::Mark),
    judge(10, Act::Find, AnnotateCommand::Find),
    hinted(annotate("annotate-queue", &["f"], AnnotateCommand::Queue, "queue: uncertain, random, unmapped:tie, stale … and a filter"), 11, "queue"),
    hinted(act(Act::Next, Command::Sample(SampleCommand::Sibling(StepDirection::Next))), 13, action::action(Act::Next).hint),
    act(Act::Previous, Command::Sample(SampleCommand::Sibling(StepDirection::Previous))),
    judge(14, Act::History, AnnotateCommand::History),
    hinted(act(Act::Why, Command::Sample(SampleCommand::Why)), 15, action::action(Act::Why).hint),
    annotate("annotate-difference", &["d"], AnnotateCommand::Difference, "changes since the verdict; again: the code"),
    hinted(annotate("fold-setup", &["zs"], AnnotateCommand::Fold(FoldTarget::Setup), "fold the setup"), 19, "fold…"),
    annotate("fold-context", &["zc"], AnnotateCommand::Fold(FoldTarget::Context), "show the contexts, or your last decisions"),
    annotate("fold-comments", &["zj"], AnnotateCommand::Fold(FoldTarget::Comments), "fold comments, Javadoc and annotations"),
    annotate("fold-all", &["za"], AnnotateCommand::Fold(FoldTarget::All), "fold everything that can be folded, or nothing"),
    annotate("annotate-alike", &["gA"], AnnotateCommand::Alike, "give your verdict to near duplicates, once you have seen how they differ"),
    annotate("annotate-accept-rest", &["A"], AnnotateCommand::AcceptRest, "after an audit: accept the rest provisionally, with its bound"),
];

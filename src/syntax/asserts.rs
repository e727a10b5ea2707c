//! Whether a test has something that can fail: an assertion, an expected exception, a verification, or a helper that
//! has one.
//!
//! Decided by syntax alone, so that it can be asked of answers that nobody ran, in all five languages. An assertion
//! over constants alone, or one that compares a value with itself, cannot fail; neither can code that is never reached
//! or called, nor a caught failure. A call that may throw is no assertion. Names tell assertions apart, where the file
//! does not declare them; helpers of the file are followed, and helpers of the project's other test files are known by
//! their names.
//!
//! Does not run anything: a loop over nothing, or a condition that never holds, is not seen through.

mod call;
mod findings;
mod helpers;
mod names;
mod project_helpers;
mod shape;
mod swallow;
#[cfg(test)]
mod tests;
mod value;
mod walk;
mod words;

use tree_sitter::Node;

use crate::model::{Language, Span};

pub use self::helpers::Helpers;
pub use self::project_helpers::ProjectHelpers;
use self::shape::ControlFlowKinds;
use self::walk::AssertWalk;

/// Raised when any rule changes the answers.
pub const VERSION: u32 = 3;

/// A whole test as text.
#[derive(Clone, Copy, Debug)]
pub struct TestText<'t> {
    pub language: Language,
    /// The path of the file that the test stands in: its name tells TypeScript from JavaScript.
    pub path: &'t str,
    pub text: &'t str,
    /// The part that has to assert by itself: all of the text, or an answer in its setup.
    pub answer: Span,
}

impl<'t> TestText<'t> {
    /// Takes a whole test.
    #[must_use]
    pub const fn whole(language: Language, path: &'t str, text: &'t str) -> Self {
        Self {
            language,
            path,
            text,
            answer: Span::new(0, text.len() as u32),
        }
    }
}

/// Why nothing in a test can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdleReason {
    /// There is no assertion.
    Nothing,
    /// The assertion looks at constants alone.
    Constant,
    /// The assertion compares a value with itself.
    Itself,
    /// The assertion stands after a statement that ends the test, or under a condition that never holds.
    Unreachable,
    /// The assertion is in a function or a class that is never used.
    NeverCalled,
    /// The assertion's failure is caught.
    Swallowed,
}

impl IdleReason {
    /// Returns the word used in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Constant => "constant",
            Self::Itself => "itself",
            Self::Unreachable => "unreachable",
            Self::NeverCalled => "never_called",
            Self::Swallowed => "swallowed",
        }
    }
}

/// Tells why nothing in a test can fail; `None` where something can. `own` are the helpers of its file, `project` those
/// of the project's test files.
#[must_use]
pub fn idle(test: TestText<'_>, own: &Helpers, project: &Helpers) -> Option<IdleReason> {
    // A member is read in a class: without one the parser would take it for a function in a function.
    let (before, after) = match test.language {
        Language::Java | Language::CSharp if !is_file(test) => ("class T {\n", "\n}\n"),
        _ => ("", ""),
    };
    let text = [before, test.text, after].concat();
    let Some(tree) = crate::excerpt::parse(test.language, test.path, &text) else {
        return Some(IdleReason::Nothing);
    };
    let moved = before.len() as u32;
    let answer = Span::new(test.answer.start + moved, test.answer.end + moved);
    let is_whole = test.answer.start == 0 && test.answer.end as usize >= test.text.len();
    let shape = ControlFlowKinds::of(test.language);
    let mut walk = AssertWalk::new(shape, &text, answer);
    walk.is_whole = is_whole;
    walk.test(tree.root_node());
    walk.found.resolve(own, project)
}

/// Tells whether a text is a file with a class of its own, as generators write it: by a line such as `package …`.
fn is_file(test: TestText<'_>) -> bool {
    let mut lines = test.text.lines().map(str::trim_start);
    lines.any(|line| {
        ["package ", "import ", "using ", "namespace "]
            .iter()
            .any(|word| line.starts_with(word) && !line.contains('('))
    })
}

/// Lists the children that the grammar gives names, in order.
fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn source<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

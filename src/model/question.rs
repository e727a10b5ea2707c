//! Questions that are no samples: their texts, the conditions that they were asked in, and the right answer, if any.

use super::repo::Language;
use super::sample::{ContentHash, SampleKey};

/// The kind of questions that the answers of a run are to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunKind {
    /// Samples of the index.
    #[default]
    Samples,
    /// Questions about problems of Python test suites.
    Clover,
    /// First halves of functions and of their variants.
    Consistency,
}

impl RunKind {
    /// Every kind; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::Samples, Self::Clover, Self::Consistency];

    /// Returns the word used in files, and behind the name of a run that would have another one's.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Clover => "clover",
            Self::Consistency => "consistency",
        }
    }
}

/// The task of a question, and its conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionSetting {
    /// `cloze`, `target` or `block`; of halves the pass of the variant, `own` for the function itself.
    pub task: String,
    /// Tokens of the prompt; absent where the problem alone was shown, and for halves.
    pub budget: Option<u32>,
    /// The form of the answer: `full`, `part`, `only` …; absent for halves.
    pub form: Option<String>,
}

impl QuestionSetting {
    /// Writes all of it on a line, `cloze · 4k · only`.
    #[must_use]
    pub fn label(&self) -> String {
        let budget = self.budget.map(budget_told);
        let parts = [Some(self.task.clone()), budget, self.form.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// Writes a budget in thousands of tokens where it is a round one, as in `4k`.
fn budget_told(tokens: u32) -> String {
    if tokens >= 1_000 && tokens.is_multiple_of(1_000) {
        format!("{}k", tokens / 1_000)
    } else {
        tokens.to_string()
    }
}

/// A question that is no sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The same in every run that was asked it in the same way.
    pub key: SampleKey,
    pub asked: QuestionSetting,
    pub language: Language,
    /// The project, or the data set.
    pub repo: String,
    /// The name that the tool that made it gives it.
    pub name: String,
    /// The function or the class that it is about; empty where that is in its name.
    pub about: String,
    pub path: String,
    /// Where the true text begins in its file, from 1.
    pub line: u32,
    /// The text that an answer belongs to: the file with the blank, the blocks to be covered, the first half.
    pub context: String,
    /// Whether an answer goes on right behind the context, and parses or not together with it.
    pub is_continued: bool,
    /// The exact right answer; absent where it is not known.
    pub truth: Option<String>,
}

impl Question {
    /// Makes a key out of a tool's name for a question, under the conditions that it was asked in.
    #[must_use]
    pub fn key_of(kind: RunKind, id: &str, asked: &QuestionSetting) -> SampleKey {
        let budget = asked
            .budget
            .map_or_else(String::new, |budget| budget.to_string());
        let form = asked.form.as_deref().unwrap_or_default();
        SampleKey::of(&hashed(&[kind.as_str(), id, &asked.task, &budget, form]))
    }

    /// Hashes the texts: answers are to a question as it was then.
    #[must_use]
    pub fn content_hash(&self) -> ContentHash {
        let truth = self.truth.as_deref().unwrap_or_default();
        ContentHash::of(&hashed(&[&self.context, truth]))
    }
}

fn hashed(parts: &[&str]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(budget: Option<u32>, form: Option<&str>) -> QuestionSetting {
        QuestionSetting {
            task: "cloze".to_owned(),
            budget,
            form: form.map(str::to_owned),
        }
    }

    #[test]
    fn conditions_are_told_on_a_line() {
        assert_eq!(asked(None, None).label(), "cloze");
        assert_eq!(
            asked(Some(4_000), Some("only")).label(),
            "cloze · 4k · only"
        );
        assert_eq!(asked(Some(1_024), None).label(), "cloze · 1024");
    }

    #[test]
    fn a_question_under_another_condition_has_another_key() {
        let key = |kind, budget, form| Question::key_of(kind, "p/x#1", &asked(budget, form));
        let one = key(RunKind::Clover, None, None);
        assert_eq!(one, key(RunKind::Clover, None, None));
        assert_ne!(one, key(RunKind::Consistency, None, None));
        assert_ne!(one, key(RunKind::Clover, Some(4_000), None));
        assert_ne!(one, key(RunKind::Clover, None, Some("only")));
    }
}

//! Prompts for CLOVER's three tasks: an instruction, the test's own file, and files of the project by how much they matter.
//!
//! Files that the task needs come first, then those with lines that only this test covers, those that it touches, and the
//! others; within a class in the order of the seed. A file is there as a whole or not at all: one that does not fit is
//! left out, and a smaller one behind it may still fit.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::atomic::Ordering;

use minijinja::value::Value;

use crate::budget::BudgetCounter;
use crate::exchange::{
    AnswerId, BLANK, WireMessage, WirePrompt, WireTask, WireTaskMeta, write_line,
};
use crate::task::{Monitor, Phase};
use crate::template::Template;
use crate::{Contexts, PromptError, PromptKind};

/// The variables that templates can use.
pub const VARIABLES: &[&str] = &[
    "retrieved_snippet",
    "context",
    "prefix",
    "cloze_key",
    "cloze_question",
    "symbol",
    "answer",
    "target.name",
    "target.type",
    "target.file",
    "blocks",
    "n_files",
];

/// The mark that a model replaces by its code.
const SYMBOL: &str = "<YOUR CODE HERE>";
/// The most tokens of a target's file, with the instruction.
const TARGET_MAX: usize = 4_000;

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// The whole file.
    Full,
    /// The test function.
    Part,
    /// The assertion with its blank filled.
    Filled,
    /// The code in the blank, and nothing else.
    Only,
}

impl AnswerForm {
    pub const ALL: &[Self] = &[Self::Full, Self::Part, Self::Filled, Self::Only];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Part => "part",
            Self::Filled => "filled",
            Self::Only => "only",
        }
    }

    /// Lists the forms of answers to prompts of a kind, the usual one first; nothing where the kind has one form alone.
    #[must_use]
    pub const fn of_kind(kind: PromptKind) -> &'static [Self] {
        match kind {
            PromptKind::Cloze => &[Self::Filled, Self::Only],
            PromptKind::Target | PromptKind::Block => &[Self::Full, Self::Part],
            _ => &[],
        }
    }

    /// Names the form in the id of a prompt: of clozes the usual form is not named.
    const fn told(self) -> Option<&'static str> {
        match self {
            Self::Filled => None,
            Self::Full | Self::Part | Self::Only => Some(self.as_str()),
        }
    }
}

pub struct ProblemOptions<'o> {
    pub kind: PromptKind,
    /// The most tokens of a prompt and its answer; none for the problem alone.
    pub budget: Option<usize>,
    pub counter: &'o BudgetCounter,
    /// The text of the template that takes the place of the built-in one.
    pub template: Option<String>,
    pub answer: AnswerForm,
    /// The contexts around the question: the test's own file, files of the project, both, or nothing.
    pub contexts: Contexts,
    pub seed: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProblemReport {
    pub n_written: u64,
    pub n_tokens: u64,
    /// Questions that do not fit with their required parts.
    pub too_long: Vec<String>,
    /// Files of the project in all prompts together.
    pub n_files: u64,
}

/// Reads the text of a file, by the names of its project and of the file; nothing where it cannot be read.
pub type ProjectFileReader<'r> = dyn Fn(&str, &str) -> Option<String> + 'r;

/// Tells whether a target's file, with the instruction, is short enough.
pub struct TargetLimit<'c> {
    counter: &'c BudgetCounter,
    n_instruction: usize,
}

impl<'c> TargetLimit<'c> {
    /// Counts the built-in instruction, without a test's file.
    ///
    /// # Errors
    /// Where the template is wrong.
    pub fn new(counter: &'c BudgetCounter) -> Result<Self, PromptError> {
        let source = Template::built_in(PromptKind::Target).unwrap_or_default();
        let template = Template::read(source, PromptKind::Target)?;
        let nothing = WireTask::default();
        let shown = QuestionView {
            answer: AnswerForm::Full,
            has_file_name: false,
            contexts: Contexts::All,
        };
        let text = render(&template, &nothing, &[], shown)?;
        Ok(Self {
            counter,
            n_instruction: counter.count(&text),
        })
    }

    #[must_use]
    pub fn fits(&self, file: &str) -> bool {
        self.n_instruction + self.counter.count(file) <= TARGET_MAX
    }
}

/// Writes a prompt for each question.
///
/// # Errors
/// Before the first one is written where the template is wrong.
pub fn problem_prompts(
    questions: &[WireTask],
    options: &ProblemOptions<'_>,
    read: &ProjectFileReader<'_>,
    monitor: &Monitor,
    out: &mut dyn Write,
) -> Result<ProblemReport, PromptError> {
    if options.answer == AnswerForm::Full && !options.contexts.has_test() {
        return Err(PromptError::HiddenFile);
    }
    let template = template_of(options)?;
    monitor.enter(Phase::Writing);
    let mut files = ProjectFiles {
        read,
        counter: options.counter,
        known: BTreeMap::new(),
    };
    let mut report = ProblemReport::default();
    for question in questions {
        monitor.step()?;
        let Some(made) = make(&template, question, options, &mut files)? else {
            report.too_long.push(question.id.clone());
            continue;
        };
        let line = line(question, &made, options);
        write_line(out, &line)?;
        report.n_written += 1;
        report.n_tokens += made.n_tokens as u64;
        report.n_files += made.files.len() as u64;
        monitor.n_samples.fetch_add(1, Ordering::Relaxed);
    }
    out.flush()?;
    Ok(report)
}

/// Chooses the template that was given, or the kind's.
fn template_of(options: &ProblemOptions<'_>) -> Result<Template, PromptError> {
    let source = options
        .template
        .as_deref()
        .or(Template::built_in(options.kind))
        .ok_or(PromptError::NoTemplate(options.kind.as_str()))?;
    Ok(Template::read(source, options.kind)?)
}

/// A file of the project, as a prompt of one budget has it or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    pub path: String,
    /// The tokens of its form in a prompt; none where it cannot be read.
    pub n_tokens: Option<usize>,
    /// The question cannot do without it.
    pub is_needed: bool,
    pub is_in: bool,
}

/// The files of a project in the prompt of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectContext {
    /// The tokens of the whole prompt; none where not even the required parts fit.
    pub n_tokens: Option<usize>,
    /// The tokens that a prompt of the budget may have, without the answer; none for the problem alone.
    pub limit: Option<usize>,
    /// All of them, in the order in which they are tried.
    pub files: Vec<ContextFile>,
}

/// Chooses the files that [`problem_prompts`] puts into the prompt of a question.
///
/// # Errors
/// Where the template is wrong.
pub fn context(
    question: &WireTask,
    options: &ProblemOptions<'_>,
    read: &ProjectFileReader<'_>,
) -> Result<ProjectContext, PromptError> {
    let template = template_of(options)?;
    let mut files = ProjectFiles {
        read,
        counter: options.counter,
        known: BTreeMap::new(),
    };
    let made = make(&template, question, options, &mut files)?;
    let needed = needed(question);
    let all = ordered(question, &needed, options.seed);
    let of_file = |(idx, path): (usize, String)| ContextFile {
        n_tokens: files.get(&question.project, &path).map(|file| file.1),
        is_needed: idx < needed.len(),
        is_in: made
            .as_ref()
            .is_some_and(|problem_prompt| problem_prompt.files.contains(&path)),
        path,
    };
    Ok(ProjectContext {
        n_tokens: made.as_ref().map(|problem_prompt| problem_prompt.n_tokens),
        limit: options
            .budget
            .map(|budget| budget.saturating_sub(options.kind.max_tokens() as usize)),
        files: all.into_iter().enumerate().map(of_file).collect(),
    })
}

struct ProblemPrompt {
    text: String,
    n_tokens: usize,
    files: Vec<String>,
}

/// Files of the project with the tokens of each.
struct ProjectFiles<'f> {
    read: &'f ProjectFileReader<'f>,
    counter: &'f BudgetCounter,
    known: BTreeMap<(String, String), Option<(String, usize)>>,
}

impl ProjectFiles<'_> {
    /// Writes a file in its form in a prompt, and counts its tokens.
    fn get(&mut self, project: &str, file: &str) -> Option<(String, usize)> {
        let key = (project.to_owned(), file.to_owned());
        let (read, counter) = (self.read, self.counter);
        let known = self.known.entry(key).or_insert_with(|| {
            let text = read(project, file)?;
            let shown = format!("#### {file}\n```python\n{}\n```\n", text.trim_end());
            let n_tokens = counter.count(&shown);
            Some((shown, n_tokens))
        });
        known.clone()
    }
}

/// Makes a prompt with as many files as fit; nothing where not even those fit that the task needs.
fn make(
    template: &Template,
    question: &WireTask,
    options: &ProblemOptions<'_>,
    files: &mut ProjectFiles<'_>,
) -> Result<Option<ProblemPrompt>, PromptError> {
    let shown = QuestionView {
        answer: options.answer,
        has_file_name: options.budget.is_some(),
        contexts: options.contexts,
    };
    let bare = render(template, question, &[], shown)?;
    let n_bare = options.counter.count(&bare);
    let Some(budget) = options.budget else {
        return Ok(Some(ProblemPrompt {
            text: bare,
            n_tokens: n_bare,
            files: Vec::new(),
        }));
    };
    let limit = budget.saturating_sub(options.kind.max_tokens() as usize);
    let (mut needed, mut all) = (Vec::new(), Vec::new());
    if options.contexts.has_focal() {
        needed = self::needed(question);
        all = ordered(question, &needed, options.seed);
    }
    let mut chosen: Vec<(String, String)> = Vec::new();
    let mut n_tokens = n_bare;
    for (idx, file) in all.iter().enumerate() {
        let is_needed = idx < needed.len();
        match files.get(&question.project, file) {
            Some((text, n)) if is_needed || n_tokens + n <= limit => {
                n_tokens += n;
                chosen.push((file.clone(), text));
            }
            _ => {}
        }
    }
    // The tokens of the parts do not exactly sum up to those of the whole.
    loop {
        let texts: Vec<&str> = chosen.iter().map(|chosen| chosen.1.as_str()).collect();
        let text = render(template, question, &texts, shown)?;
        let n_tokens = options.counter.count(&text);
        if n_tokens <= limit {
            let files = chosen.into_iter().map(|chosen| chosen.0).collect();
            return Ok(Some(ProblemPrompt {
                text,
                n_tokens,
                files,
            }));
        }
        if chosen.len() <= needed.len() {
            return Ok(None);
        }
        chosen.pop();
    }
}

/// Lists the files that a question cannot do without.
fn needed(question: &WireTask) -> Vec<String> {
    let target = question.target.iter().map(|wire_target| &wire_target.file);
    let of_blocks = question.blocks.iter().map(|block| &block.file);
    let files: BTreeSet<&String> = target.chain(of_blocks).collect();
    files.into_iter().cloned().collect()
}

/// Lists all files of the project in the order in which they are tried.
fn ordered(question: &WireTask, needed: &[String], seed: u64) -> Vec<String> {
    let key = |file: &String| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(question.problem.as_bytes());
        hasher.update(b"\n");
        *hasher.update(file.as_bytes()).finalize().as_bytes()
    };
    let mut all = needed.to_vec();
    for class in [&question.peer, &question.rest, &question.repo] {
        let mut of_class: Vec<String> = class
            .iter()
            .filter(|class| !needed.contains(class))
            .cloned()
            .collect();
        of_class.sort_by_key(key);
        all.extend(of_class);
    }
    all
}

/// The shown parts of a question.
#[derive(Clone, Copy, Debug)]
struct QuestionView {
    answer: AnswerForm,
    has_file_name: bool,
    contexts: Contexts,
}

fn render(
    template: &Template,
    question: &WireTask,
    files: &[&str],
    shown: QuestionView,
) -> Result<String, PromptError> {
    let cloze = question.cloze.as_ref();
    let target = question.target.as_ref();
    let has_test = shown.contexts.has_test();
    let (context, prefix) = match cloze {
        Some(wire_cloze) if has_test => (
            question.setup.clone(),
            wire_cloze.prefix.trim_end().to_owned(),
        ),
        Some(wire_cloze) => (String::new(), wire_cloze.prefix.trim_end().to_owned()),
        None => {
            let blank = format!("{}\n{SYMBOL}", question.head);
            let shown = if has_test {
                question.file_with(&blank)
            } else {
                blank
            };
            (shown, question.head.clone())
        }
    };
    let of_target = |of: Option<&str>| Value::from(of.unwrap_or_default());
    let file = target
        .filter(|_| shown.has_file_name)
        .map(|wire_target| wire_target.file.as_str());
    let blocks = question.blocks.iter().map(|block| {
        Value::from_pairs([
            ("file", Value::from(block.file.as_str())),
            ("code", Value::from(block.code.trim_end())),
            ("first", Value::from(block.first)),
            ("last", Value::from(block.end)),
            ("n_lines", Value::from(block.end + 1 - block.first)),
        ])
    });
    let n_files = question
        .blocks
        .iter()
        .map(|block| &block.file)
        .collect::<BTreeSet<_>>()
        .len();
    Ok(template.render(&Value::from_pairs([
        (
            "retrieved_snippet",
            Value::from(files.join("\n").trim_end()),
        ),
        ("context", Value::from(context.trim_matches('\n'))),
        ("prefix", Value::from(prefix)),
        ("cloze_key", Value::from(BLANK)),
        (
            "cloze_question",
            Value::from(cloze.map_or("", |wire_cloze| &wire_cloze.question)),
        ),
        ("symbol", Value::from(SYMBOL)),
        ("answer", Value::from(shown.answer.as_str())),
        (
            "target",
            Value::from_pairs([
                (
                    "name",
                    of_target(target.map(|wire_target| wire_target.name.as_str())),
                ),
                (
                    "type",
                    of_target(target.map(|wire_target| wire_target.kind.as_str())),
                ),
                ("file", of_target(file)),
            ]),
        ),
        ("blocks", Value::from(blocks.collect::<Vec<_>>())),
        ("n_files", Value::from(n_files)),
    ]))?)
}

fn line<'l>(
    question: &'l WireTask,
    made: &'l ProblemPrompt,
    options: &'l ProblemOptions<'_>,
) -> WirePrompt<'l, WireTaskMeta<'l>> {
    let mut line = WirePrompt {
        id: String::new(),
        sample: question.id.clone(),
        kind: options.kind.as_str(),
        messages: Some(vec![WireMessage {
            role: "user",
            content: &made.text,
        }]),
        prompt: None,
        suffix: None,
        max_tokens: options.kind.max_tokens(),
        stop: &[],
        tokens: made.n_tokens,
        truncated: &[],
        target: options.kind.target().as_str(),
        meta: WireTaskMeta {
            repo: &question.project,
            language: "python",
            test: &question.problem,
            task: &question.task,
            instance: &question.id,
            budget: options.budget,
            answer: options.answer.told(),
            context: options.contexts.as_str(),
            seed: options.seed,
            tokenizer: options.counter.name(),
            files: &made.files,
        },
    };
    line.id = id(&line);
    line
}

/// Joins the question, the budget and the form of the answer, and a hash of everything that shapes the prompt: an
/// answer that comes with the id alone is evaluated.
fn id(line: &WirePrompt<'_, WireTaskMeta<'_>>) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    };
    add(line.kind);
    add(&line.sample);
    for message in line.messages.iter().flatten() {
        add(message.role);
        add(message.content);
    }
    add(&line.max_tokens.to_string());
    let asked = AnswerId {
        instance: line.sample.clone(),
        budget: line.meta.budget,
        form: line.meta.answer.map(str::to_owned),
    };
    asked.text(&hasher.finalize().to_hex()[..16])
}

//! The verb `prompts`: prompts for models, one line for each sample, or for several with the same text.
//!
//! Decides the content of a prompt, the parts that are left out of one that is too long, and that no text is asked
//! twice about one method. The same index gives the same bytes. The models and their answers are unknown here.

use focalist_encode as encode;
use focalist_exchange as exchange;
use focalist_model as model;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;
use focalist_transfer as transfer;

use std::io::{self, Write};
use std::sync::atomic::Ordering;

use crate::exchange::mera::PLACEHOLDERS;
use crate::exchange::records::RecordError;
use crate::exchange::{WireMessage, WirePrompt, WirePromptMeta, write_line};
use crate::model::{
    Direction, Filter, Language, Problem, Reason, SampleKey, SampleScope, SampleSort, SortField,
    SortKey, Target,
};
use crate::store::{Extent, Store, StoreError, StoredSample};
use crate::task::{Cancelled, Monitor, Phase};

mod around;
mod assertion;
mod budget;
mod contexts;
mod encoded;
mod equal;
mod half;
mod layout;
mod mera;
mod pairs;
mod problem;
mod template;
mod test_file;
mod unit_test;

pub use budget::BudgetCounter;
pub use contexts::Contexts;
pub use half::{HalfOptions, half_prompts};
pub use pairs::{PairForm, PairOptions, PairReport, pairs};
pub use problem::{
    AnswerForm, ContextFile, ProblemOptions, ProblemReport, ProjectContext, ProjectFileReader,
    TargetLimit, context, problem_prompts,
};
pub use template::{Template, TemplateError};

/// The kind of a prompt: its question, and how it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// The assertion part, as a conversation (ConTest's task).
    Assertion,
    /// The test, as a class to go on with (`Tests4J`, section 5.1.1); in other languages than Java as a file.
    Test,
    /// The test, as a conversation, out of one of twenty templates (MERA's `UnitTests`).
    Mera,
    /// The question of the user's template.
    Template,
    /// The assertion part as the sequence of its tree, for models that are trained on these.
    Encoded,
    /// The code in the blank of an assertion (CLOVER, task I).
    Cloze,
    /// A test that uses a target (CLOVER, task II).
    Target,
    /// A test that covers blocks (CLOVER, task III).
    Block,
    /// The second half of a function (`CCTest`).
    Half,
}

impl PromptKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Assertion,
        Self::Test,
        Self::Mera,
        Self::Template,
        Self::Encoded,
        Self::Cloze,
        Self::Target,
        Self::Block,
        Self::Half,
    ];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Test => "test",
            Self::Mera => "mera",
            Self::Template => "template",
            Self::Encoded => "encoded",
            Self::Cloze => "cloze",
            Self::Target => "target",
            Self::Block => "block",
            Self::Half => "half",
        }
    }

    /// Tells whether it asks about problems of `clover`, and not about samples.
    #[must_use]
    pub const fn is_of_problems(self) -> bool {
        matches!(self, Self::Cloze | Self::Target | Self::Block)
    }

    /// Tells whether its prompts are built from samples of the index, and of nothing else.
    #[must_use]
    pub const fn is_of_samples(self) -> bool {
        !self.is_of_problems() && !matches!(self, Self::Half)
    }

    /// Returns how long an answer may be, in tokens.
    #[must_use]
    pub const fn max_tokens(self) -> u32 {
        match self {
            Self::Cloze => 200,
            Self::Target | Self::Block => 4_000,
            // Records have tests of less than 5,000 characters.
            Self::Mera => 2_048,
            Self::Assertion | Self::Test | Self::Template | Self::Encoded | Self::Half => {
                MAX_TOKENS
            }
        }
    }

    /// Lists the variables that templates of this kind can use.
    #[must_use]
    pub const fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Assertion | Self::Template => assertion::VARIABLES,
            Self::Test => unit_test::VARIABLES,
            Self::Mera => PLACEHOLDERS,
            Self::Encoded | Self::Half => &[],
            Self::Cloze | Self::Target | Self::Block => problem::VARIABLES,
        }
    }

    /// Returns what the answer is.
    #[must_use]
    pub const fn target(self) -> Target {
        match self {
            Self::Test | Self::Mera | Self::Target | Self::Block => Target::Test,
            // Halves have no samples, and so no target.
            Self::Assertion | Self::Template | Self::Encoded | Self::Cloze | Self::Half => {
                Target::Assertion
            }
        }
    }

    /// Returns the most tokens of a prompt by default.
    #[must_use]
    pub const fn budget(self) -> Option<usize> {
        match self {
            // 2,048 less 198 soft tokens.
            Self::Test => Some(1_850),
            _ => None,
        }
    }

    const fn is_chat(self) -> bool {
        matches!(self, Self::Assertion | Self::Mera | Self::Template)
    }

    /// Tells whether it asks for sequences of trees, which not every language has.
    const fn is_encoded(self) -> bool {
        matches!(self, Self::Encoded)
    }
}

pub struct PromptOptions {
    pub kind: PromptKind,
    pub filter: Filter,
    pub scope: SampleScope,
    /// The contexts around the question.
    pub contexts: Contexts,
    /// The most tokens of a prompt.
    pub budget: Option<usize>,
    pub counter: BudgetCounter,
    /// The text of the template that takes the place of the built-in one.
    pub template: Option<String>,
    /// A system message: with it every prompt is a conversation.
    pub system: Option<String>,
}

impl PromptOptions {
    /// The budget covers the whole prompt: the system text is never cut.
    fn limit(&self) -> PromptLimit<'_> {
        let system = self.system.as_deref();
        let n_system = system.map_or(0, |system| self.counter.count(system));
        let budget = self.budget.map(|budget| budget.saturating_sub(n_system));
        PromptLimit {
            budget: budget.unwrap_or(usize::MAX),
            counter: &self.counter,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptReport {
    pub n_written: u64,
    /// Prompts that were shortened.
    pub n_truncated: u64,
    /// Prompts that were cut in the middle.
    pub n_cut: u64,
    /// Samples of languages that have no such prompts.
    pub n_other_language: u64,
    /// Samples whose text is asked for another one.
    pub n_equal: u64,
    pub n_tokens: u64,
    /// Samples without a prompt, each with the reason.
    pub problems: Vec<Problem>,
}

#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot write the prompts")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("prompts of the kind `{0}` need a template")]
    NoTemplate(&'static str),
    #[error("prompts of the kind `{0}` are not built from samples of the index")]
    NotOfSamples(&'static str),
    #[error("prompts of the kind `{0}` have no template")]
    TakesNoTemplate(&'static str),
    #[error("a whole file cannot be the answer where the test's file is not shown")]
    HiddenFile,
}

/// Why nothing is asked about a sample, or a line of functions. Displayed as a lower-case fragment.
#[derive(Debug, thiserror::Error)]
enum UnaskedReason {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("has no focal method")]
    NoFocal,
    #[error("no class around `{method}`")]
    NoClass { method: String },
    #[error("{}: {error}", section.as_str())]
    Unencoded {
        section: encode::SourceSection,
        error: encode::EncodeError,
    },
    #[error("its cut is not inside the function")]
    Cut,
    #[error("the prompt has {n_tokens} tokens")]
    TooLong { n_tokens: usize },
}

/// The text of a sample's prompt.
struct Text {
    text: String,
    /// The parts that were left out of it, in order.
    truncated: Vec<&'static str>,
}

/// How texts are made: once for all samples.
struct Maker<'o> {
    options: &'o PromptOptions,
    template: Option<Template>,
    encoder: encode::Encoder,
    tests: Tests,
}

/// The parts that prompts for whole tests are made from.
#[derive(Default)]
struct Tests {
    classes: unit_test::Classes,
    /// For other languages than Java, where no template takes the place of the built-in ones.
    of_files: Option<Template>,
    spans: store::TestSpans,
}

impl Tests {
    fn new(store: &Store, options: &PromptOptions) -> Result<Self, PromptError> {
        if options.kind != PromptKind::Test {
            return Ok(Self::default());
        }
        let of_files = match options.template {
            None => Some(Template::read(test_file::TEMPLATE, PromptKind::Test)?),
            Some(_) => None,
        };
        Ok(Self {
            classes: unit_test::Classes::default(),
            of_files,
            spans: store.test_spans()?,
        })
    }
}

/// Writes a prompt for each sample; where samples have the same text, one for all of them (see `equal`).
///
/// # Errors
/// Before the first one is written where the template is wrong.
pub fn prompts(
    store: &Store,
    monitor: &Monitor,
    options: &PromptOptions,
    out: &mut dyn Write,
) -> Result<PromptReport, PromptError> {
    if !options.kind.is_of_samples() {
        return Err(PromptError::NotOfSamples(options.kind.as_str()));
    }
    let mut maker = Maker {
        options,
        template: template(options)?,
        encoder: encode::Encoder::new(),
        tests: Tests::new(store, options)?,
    };
    if options.kind == PromptKind::Mera {
        return mera::prompts(&maker, (store, monitor), out);
    }
    monitor.enter(Phase::Writing);
    let mut filter = options.filter.clone().within(options.scope);
    filter.sort.push(SortKey {
        field: SortField::Sample(SampleSort::Repo),
        direction: Direction::Ascending,
    });
    // The sample that is asked about with a text of several is known only after all of them.
    let mut gatherer = equal::Gatherer::default();
    store.each_sample(&filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        if maker.is_asked(&sample)
            && let Some(focal) = &sample.focal
            && let Ok(text) = maker.text(&sample)?
        {
            let method = [&*sample.repo.identity, &focal.path, &focal.key()];
            gatherer.add(sample.row.key, method, &text.text);
        }
        Ok::<_, PromptError>(())
    })?;
    let equals = gatherer.finish();
    let mut report = PromptReport {
        n_equal: equals.n_others(),
        ..PromptReport::default()
    };
    store.each_sample(&filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        let key = sample.row.key;
        if !maker.is_asked(&sample) {
            report.n_other_language += u64::from(sample.focal.is_some());
            return Ok(());
        }
        monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        if equals.is_asked_elsewhere(&key) {
            return Ok(());
        }
        match maker.text(&sample)? {
            Ok(text) => {
                let asked = (&text, equals.others(&key));
                maker.write(&sample, asked, &mut report, out)?;
            }
            Err(unasked) => report.problems.push(Problem {
                path: key.to_string(),
                line: None,
                reason: Reason::Syntax,
                detail: unasked.to_string(),
            }),
        }
        Ok::<_, PromptError>(())
    })?;
    out.flush()?;
    Ok(report)
}

fn template(options: &PromptOptions) -> Result<Option<Template>, PromptError> {
    let name = options.kind.as_str();
    let source = options.template.as_deref();
    if options.kind == PromptKind::Mera {
        // A file of templates of their own kind.
        return Ok(None);
    }
    if options.kind == PromptKind::Encoded {
        return match source {
            Some(_) => Err(PromptError::TakesNoTemplate(name)),
            None => Ok(None),
        };
    }
    let source = source.or(Template::built_in(options.kind));
    let source = source.ok_or(PromptError::NoTemplate(name))?;
    Ok(Some(Template::read(source, options.kind)?))
}

impl Maker<'_> {
    /// Tells whether there are prompts of this kind for a sample: it has a focal method, in a language that the kind
    /// knows.
    fn is_asked(&self, sample: &StoredSample) -> bool {
        let is_known = !self.options.kind.is_encoded() || encode::knows(sample.repo.language);
        sample.focal.is_some() && is_known
    }

    /// Writes the text for a sample, or explains why there is none.
    fn text(&mut self, sample: &StoredSample) -> Result<Result<Text, UnaskedReason>, PromptError> {
        self.text_within(sample, &self.options.limit())
    }

    /// Writes the text for a sample within this limit, or explains why there is none.
    fn text_within(
        &mut self,
        sample: &StoredSample,
        limit: &PromptLimit<'_>,
    ) -> Result<Result<Text, UnaskedReason>, PromptError> {
        let contexts = self.options.contexts;
        match (self.options.kind, &self.template) {
            (PromptKind::Assertion | PromptKind::Template, Some(template)) => {
                let shown = contexts.of(sample);
                Ok(Ok(assertion::text(template, &shown, limit)?))
            }
            (PromptKind::Test, Some(template)) => {
                let tests = &mut self.tests;
                let asked = (sample, tests.spans.beside(sample), contexts);
                if sample.repo.language == Language::Java {
                    unit_test::text(template, asked, limit, &mut tests.classes)
                } else {
                    let template = tests.of_files.as_ref().unwrap_or(template);
                    Ok(test_file::text(template, asked, limit)?)
                }
            }
            _ => Ok(encoded::text(&mut self.encoder, (sample, contexts), limit)),
        }
    }

    fn write(
        &self,
        sample: &StoredSample,
        (text, also): (&Text, &[SampleKey]),
        report: &mut PromptReport,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let kind = self.options.kind;
        let system = self.options.system.as_deref();
        let n_system = system.map_or(0, |system| self.options.counter.count(system));
        let n_tokens = self.options.counter.count(&text.text) + n_system;
        let mut line = WirePrompt {
            id: String::new(),
            sample: sample.row.key.to_string(),
            kind: kind.as_str(),
            messages: None,
            prompt: None,
            suffix: None,
            max_tokens: kind.max_tokens(),
            stop: &[],
            tokens: n_tokens,
            truncated: &text.truncated,
            target: kind.target().as_str(),
            meta: WirePromptMeta {
                repo: &sample.repo.name,
                language: sample.repo.language.as_str(),
                test: sample.test.key(),
                focal: sample.focal.as_ref().map(store::StoredMethod::key),
                content: sample.content_hash.to_string(),
                also: also.iter().map(SampleKey::to_string).collect(),
                context: self.options.contexts.as_str(),
                budget: self.options.budget,
                tokenizer: self.options.counter.name(),
            },
        };
        if kind.is_chat() || system.is_some() {
            let message = |role, content| WireMessage { role, content };
            let system = system.map(|system| message("system", system));
            let asked = message("user", &text.text);
            line.messages = Some(system.into_iter().chain([asked]).collect());
        } else {
            line.prompt = Some(&text.text);
        }
        line.id = id(&line);
        write_line(out, &line)?;
        report.n_written += 1;
        report.n_tokens += n_tokens as u64;
        report.n_truncated += u64::from(!text.truncated.is_empty());
        report.n_cut += u64::from(text.truncated.last() == Some(&CUT));
        Ok(())
    }
}

/// How long an answer may be, in tokens.
const MAX_TOKENS: u32 = 512;

/// The mark of a prompt whose end is missing.
const CUT: &str = "cut";

/// How long a prompt may be.
struct PromptLimit<'c> {
    budget: usize,
    counter: &'c BudgetCounter,
}

impl PromptLimit<'_> {
    fn fits(&self, text: &str) -> bool {
        // Every token has at least a byte, so a short text need not be counted.
        text.len() <= self.budget || self.counter.count(text) <= self.budget
    }

    /// Cuts off the part beyond the limit.
    fn cut(&self, text: String, mut truncated: Vec<&'static str>) -> Text {
        if self.fits(&text) {
            return Text { text, truncated };
        }
        truncated.push(CUT);
        Text {
            text: self.counter.cut(&text, self.budget).to_owned(),
            truncated,
        }
    }
}

/// Hashes everything that shapes a prompt: the question, the sample, and how long the answer may be.
fn id(line: &WirePrompt<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        // After its length, so that two lists of parts never run into the same bytes.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    };
    add(line.kind);
    add(&line.sample);
    add(&line.meta.content);
    for message in line.messages.iter().flatten() {
        add(message.role);
        add(message.content);
    }
    add(line.prompt.map_or("", |prompt| prompt));
    add(&line.max_tokens.to_string());
    line.stop.iter().for_each(|text| add(text));
    hasher.finalize().to_hex()[..32].to_owned()
}

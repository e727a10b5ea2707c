//! The verb itself: prompts are read as they are needed, several threads ask, and one stores the answers.

use std::collections::VecDeque;
use std::hash::RandomState;
use std::io::{BufRead, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use rustc_hash::FxHashMap;

use crate::GenerateError;
use crate::ask::{Asker, AskerState, PromptTask, StoredPrompt, TaskEnd, TaskEvent};
use crate::client::Client;
use crate::exchange::answers::{Parameters, read_prompt};
use crate::exchange::records::LineReader;
use crate::model::{ContentHash, Problem, RunKind, SampleKey};
use crate::options::GenerateOptions;
use crate::pace::Limiter;
use crate::predict::Taker;
use crate::report::{GenerateDryRun, GenerateEnd, GenerateReport};
use crate::store::{AnswerGroup, NewPrompt, Store, StoreError, check_run_name};
use crate::task::{Cancelled, Monitor, Phase};

/// The most requests whose answers one transaction stores: more are not lost when the process is killed.
pub const ANSWERS_AT_ONCE: usize = 512;

/// Tasks that wait for each thread: it never waits for the reader, and few prompts are in memory.
const TASKS_AHEAD: usize = 64;
/// Requests that are given up one after the other until the work ends: a server that is down answers none.
const FAILURES_MAX: u32 = 10;
/// How long requests that are on their way may take when it is time to stop.
const GRACE: Duration = Duration::from_secs(5);
/// The time between two looks whether to stop: short enough that ^C seems to work at once.
const LOOK: Duration = Duration::from_millis(100);
/// More problems are counted, not kept.
const PROBLEMS_MAX: usize = 1_000;

/// Where prompts are read from, more than once.
pub trait PromptSource: BufRead + Seek {}

impl<T: BufRead + Seek> PromptSource for T {}

/// Asks a model about every prompt and keeps its answers, in an index that [`Store::open_to_ask`] has opened. Attempts
/// with an answer are not asked for again.
///
/// # Errors
/// Where nothing can be asked, the disk fails, or the work is cancelled: answers until then are kept.
pub fn ask(
    store: &mut Store,
    monitor: &Monitor,
    options: &GenerateOptions,
    prompts: &mut dyn PromptSource,
) -> Result<GenerateReport, GenerateError> {
    check(store, options)?;
    let began = Instant::now();
    let dry = survey(store, monitor, options, prompts)?;
    let mut report = GenerateReport {
        n_prompts: dry.n_prompts,
        n_wanted: dry.n_wanted,
        n_kept: dry.n_kept,
        n_problems: dry.n_problems,
        problems: dry.problems,
        prices: options.prices,
        ..GenerateReport::default()
    };
    monitor
        .n_predictions_total
        .fetch_add(dry.n_wanted, Ordering::Relaxed);
    monitor
        .n_predictions
        .fetch_add(dry.n_kept, Ordering::Relaxed);
    let parameters = parameters(options);
    if dry.n_kept < dry.n_wanted {
        monitor.enter(Phase::Asking);
        prompts.seek(SeekFrom::Start(0))?;
        let mut asking = AskingRun::new(store, monitor, options, (&parameters, &mut report))?;
        asking.all(prompts)?;
    }
    report.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Takes predictions from the answers, with the index open for writing, and adds the results to the report.
///
/// # Errors
/// Where another process has made a run of this name meanwhile, and where the disk fails: the answers are kept, and
/// another call takes the rest.
pub fn take(
    store: &mut Store,
    monitor: &Monitor,
    options: &GenerateOptions,
    (prompts, report): (&mut dyn PromptSource, &mut GenerateReport),
) -> Result<(), GenerateError> {
    check(store, options)?;
    let parameters = parameters(options);
    monitor.enter(Phase::Finishing);
    prompts.seek(SeekFrom::Start(0))?;
    report.n_missing = n_missing(store, options, prompts)?;
    prompts.seek(SeekFrom::Start(0))?;
    let mut taker = Taker::new(store, options, &parameters, report)?;
    let mut stream = PromptStream::new(prompts, &options.path);
    while let Some(prompt) = stream.next()? {
        if let Ok(prompt) = prompt {
            taker.add(prompt)?;
        }
    }
    taker.finish()
}

/// Counts the wanted answers that are missing; a prompt on two lines counts twice.
fn n_missing(
    store: &Store,
    options: &GenerateOptions,
    prompts: &mut dyn PromptSource,
) -> Result<u64, GenerateError> {
    let parameters = parameters(options);
    let mut n_missing = 0;
    let mut stream = PromptStream::new(prompts, &options.path);
    while let Some(prompt) = stream.next()? {
        let Ok(prompt) = prompt else {
            continue;
        };
        for parameters in &parameters {
            let wanted = (parameters.as_str(), options.n_attempts);
            let n_there = store.n_answered(prompt.stored.hash, &options.model, wanted)?;
            n_missing += u64::from(options.n_attempts).saturating_sub(n_there);
        }
    }
    Ok(n_missing)
}

/// Describes what would be asked.
///
/// # Errors
/// As [`ask`]; nothing is asked and nothing stored.
pub fn dry(
    store: &Store,
    monitor: &Monitor,
    options: &GenerateOptions,
    prompts: &mut dyn PromptSource,
) -> Result<GenerateDryRun, GenerateError> {
    check(store, options)?;
    survey(store, monitor, options, prompts)
}

fn check(store: &Store, options: &GenerateOptions) -> Result<(), GenerateError> {
    let name = &options.run;
    check_run_name(name)?;
    let run = store.run(name)?;
    // Judged answers to questions are a run of this name, too; it does not prevent asking more.
    let Some(run) = run.filter(|run| run.kind == RunKind::Samples) else {
        return Ok(());
    };
    if !store.has_answers(name)? {
        return Err(GenerateError::RunExists { name: name.clone() });
    }
    match run.setting.model {
        Some(model) if model != options.model => Err(GenerateError::OtherModel {
            name: name.clone(),
            model,
        }),
        _ => Ok(()),
    }
}

fn parameters(options: &GenerateOptions) -> Vec<String> {
    options.settings.iter().map(Parameters::canonical).collect()
}

/// Reads all prompts once, before the first is asked, and counts what they ask for.
fn survey(
    store: &Store,
    monitor: &Monitor,
    options: &GenerateOptions,
    prompts: &mut dyn PromptSource,
) -> Result<GenerateDryRun, GenerateError> {
    monitor.enter(Phase::Reading);
    prompts.seek(SeekFrom::Start(0))?;
    let parameters = parameters(options);
    let mut dry = GenerateDryRun {
        n_settings: options.settings.len() as u64,
        n_tokens_out: Some(0),
        url: options.endpoint.shown_url(options.api()),
        prices: options.prices,
        ..GenerateDryRun::default()
    };
    let mut stream = PromptStream::new(prompts, &options.path);
    while let Some(prompt) = stream.next()? {
        monitor.step()?;
        let prompt = match prompt {
            Ok(prompt) => prompt,
            Err(problem) => {
                monitor.n_problems.fetch_add(1, Ordering::Relaxed);
                dry.n_problems += 1;
                if dry.problems.len() < PROBLEMS_MAX {
                    dry.problems.push(problem);
                }
                continue;
            }
        };
        dry.n_prompts += 1;
        for (setting, parameters) in options.settings.iter().zip(&parameters) {
            let missing = missing(store, options, &prompt, parameters)?;
            let n_missing = missing.len() as u64;
            dry.n_wanted += u64::from(options.n_attempts);
            dry.n_kept += u64::from(options.n_attempts) - n_missing;
            if n_missing == 0 {
                continue;
            }
            dry.n_requests += 1;
            dry.n_tokens_in += prompt.read.n_tokens_about();
            let most = setting.max_tokens.or(prompt.read.max_tokens);
            dry.n_tokens_out = dry
                .n_tokens_out
                .zip(most)
                .map(|(sum, most)| sum + u64::from(most) * n_missing);
            if dry.first.is_none() {
                let body =
                    prompt
                        .read
                        .body(&options.model, setting, n_missing as u32, setting.seed);
                dry.first = Some(String::from_utf8_lossy(&body).into_owned());
            }
        }
    }
    if dry.n_prompts == 0 {
        let first = dry.problems.first().map(|problem| problem.detail.clone());
        return Err(GenerateError::NoPrompts { first });
    }
    Ok(dry)
}

/// Lists the attempts without an answer.
fn missing(
    store: &Store,
    options: &GenerateOptions,
    prompt: &StoredPrompt,
    parameters: &str,
) -> Result<Vec<u32>, GenerateError> {
    let there = store.answered(prompt.stored.hash, &options.model, parameters)?;
    let all = 0..options.n_attempts;
    Ok(all.filter(|n| there.binary_search(n).is_err()).collect())
}

/// Reads prompts one after the other; keeps none.
struct PromptStream<'s> {
    lines: LineReader<'s>,
    path: &'s str,
}

impl<'s> PromptStream<'s> {
    fn new(source: &'s mut dyn PromptSource, path: &'s str) -> Self {
        let input: &mut dyn BufRead = source;
        Self {
            lines: LineReader::new(input),
            path,
        }
    }

    fn next(&mut self) -> Result<Option<Result<Arc<StoredPrompt>, Problem>>, GenerateError> {
        loop {
            let Some((line, text)) = self.lines.next()? else {
                return Ok(None);
            };
            if text.as_ref().is_ok_and(|text| text.trim().is_empty()) {
                continue;
            }
            let read = text.and_then(read_prompt);
            let prompt = read.map(|read| {
                let mut hasher = blake3::Hasher::new();
                hasher.update(read.shape().as_bytes());
                let stored = NewPrompt {
                    hash: ContentHash::of(&hasher),
                    kind: read.kind.clone(),
                    sample: read.sample.as_deref().and_then(SampleKey::parse),
                    json: read.json.clone(),
                };
                Arc::new(StoredPrompt { read, stored, line })
            });
            return Ok(Some(
                prompt.map_err(|error| Problem::bad_line(self.path, line, &error)),
            ));
        }
    }
}

/// Answers that wait for their transaction.
type WaitingAnswers = Vec<(Arc<StoredPrompt>, usize, Vec<crate::store::NewAnswer>)>;

struct AskingRun<'a> {
    store: &'a mut Store,
    monitor: &'a Monitor,
    options: &'a GenerateOptions,
    parameters: &'a [String],
    report: &'a mut GenerateReport,
    shared: Arc<AskerState>,
    tasks: Option<Sender<PromptTask>>,
    /// Dropped when it is time to stop.
    stop: Option<Sender<()>>,
    events: Receiver<TaskEvent>,
    /// Tasks of each prompt that have not ended.
    on_their_way: FxHashMap<ContentHash, u32>,
    ahead: VecDeque<PromptTask>,
    n_failed_in_a_row: u32,
    began: Instant,
    told_at: Option<Instant>,
    /// The moment from which no answer is waited for.
    ends_at: Option<Instant>,
    /// The moment until which other processes may write.
    free_until: Instant,
}

impl<'a> AskingRun<'a> {
    fn new(
        store: &'a mut Store,
        monitor: &'a Monitor,
        options: &'a GenerateOptions,
        (parameters, report): (&'a [String], &'a mut GenerateReport),
    ) -> Result<Self, GenerateError> {
        let began = Instant::now();
        let limiter = Limiter::new(
            options.requests_per_minute,
            options.tokens_per_minute,
            began,
        );
        let shared = Arc::new(AskerState {
            options: options.clone(),
            limiter: Mutex::new(limiter),
            is_one_by_one: AtomicBool::new(false),
            n_requests: AtomicU64::new(0),
            is_refused: AtomicBool::new(false),
        });
        let n_askers = options.concurrency.max(1);
        let (tasks, work) = bounded(n_askers * TASKS_AHEAD);
        let (tell, events) = bounded(2 * ANSWERS_AT_ONCE);
        let (stop, stopped) = bounded(0);
        for _ in 0..n_askers {
            let asker = Asker {
                shared: Arc::clone(&shared),
                client: Client::new(options)?,
                stop: stopped.clone(),
                tell: tell.clone(),
                dice: RandomState::new(),
            };
            let work = work.clone();
            // Its thread is not joined: a request that hangs ends with its timeout.
            thread::spawn(move || asker.work(&work));
        }
        Ok(Self {
            store,
            monitor,
            options,
            parameters,
            report,
            shared,
            tasks: Some(tasks),
            stop: Some(stop),
            events,
            on_their_way: FxHashMap::default(),
            ahead: VecDeque::new(),
            n_failed_in_a_row: 0,
            began,
            told_at: None,
            ends_at: None,
            free_until: began,
        })
    }

    fn all(&mut self, prompts: &mut dyn PromptSource) -> Result<(), GenerateError> {
        let mut stream = PromptStream::new(prompts, &self.options.path);
        let mut is_at_end = false;
        loop {
            while self.ends_at.is_none() && !is_at_end && self.feed() {
                is_at_end = !self.read(&mut stream)?;
            }
            if is_at_end && self.feed() {
                self.tasks = None;
            }
            let is_idle = self.on_their_way.is_empty() && self.ahead.is_empty();
            if (is_idle && (is_at_end || self.ends_at.is_some())) || self.is_over() {
                break;
            }
            self.hear()?;
            if self.ends_at.is_none() && self.monitor.step().is_err() {
                self.end();
            }
        }
        self.detail(true);
        self.report.n_requests = self.shared.n_requests.load(Ordering::Relaxed);
        self.report.is_one_by_one = self.shared.is_one_by_one.load(Ordering::Relaxed);
        self.monitor.step().map_err(|Cancelled| Cancelled.into())
    }

    fn is_over(&self) -> bool {
        self.ends_at
            .is_some_and(|instant| Instant::now() >= instant)
    }

    /// Hands tasks to the askers, and returns whether none is left to hand over.
    fn feed(&mut self) -> bool {
        while let Some(task) = self.ahead.pop_front() {
            let Some(tasks) = &self.tasks else {
                return true;
            };
            match tasks.try_send(task) {
                Ok(()) => {}
                Err(TrySendError::Full(task) | TrySendError::Disconnected(task)) => {
                    self.ahead.push_front(task);
                    return false;
                }
            }
        }
        true
    }

    /// Reads a prompt and returns whether there was one.
    fn read(&mut self, stream: &mut PromptStream<'_>) -> Result<bool, GenerateError> {
        let Some(prompt) = stream.next()? else {
            return Ok(false);
        };
        // `survey` has counted the problems.
        let Ok(prompt) = prompt else {
            return Ok(true);
        };
        let hash = prompt.stored.hash;
        if self.on_their_way.contains_key(&hash) {
            self.report.n_duplicates += 1;
            return Ok(true);
        }
        for (setting, parameters) in self.parameters.iter().enumerate() {
            let attempts = missing(self.store, self.options, &prompt, parameters)?;
            if !attempts.is_empty() {
                *self.on_their_way.entry(hash).or_default() += 1;
                self.ahead.push_back(PromptTask {
                    prompt: Arc::clone(&prompt),
                    setting,
                    attempts,
                });
            }
        }
        Ok(true)
    }

    /// Takes the events that have come, and stores their answers in one transaction.
    fn hear(&mut self) -> Result<(), GenerateError> {
        let first = match self.events.recv_timeout(LOOK) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                self.detail(false);
                return Ok(());
            }
            Err(RecvTimeoutError::Disconnected) => {
                // All askers are gone: tasks that they had not begun stay undone.
                self.on_their_way.clear();
                self.ahead.clear();
                return Ok(());
            }
        };
        let mut waiting = WaitingAnswers::new();
        let mut done = Vec::new();
        let mut next = Some(first);
        while let Some(told) = next {
            self.take(told, &mut waiting, &mut done);
            next = (waiting.len() < ANSWERS_AT_ONCE)
                .then(|| self.events.try_recv().ok())
                .flatten();
        }
        let groups: Vec<AnswerGroup<'_>> = waiting
            .iter()
            .map(|(prompt, setting, answers)| AnswerGroup {
                prompt: &prompt.stored,
                line: prompt.line,
                model: &self.options.model,
                parameters: &self.parameters[*setting],
                answers,
            })
            .collect();
        if !groups.is_empty() {
            let n_new = self.store(&groups)?;
            self.monitor
                .n_predictions
                .fetch_add(n_new, Ordering::Relaxed);
            self.report.n_answers += n_new;
        }
        // Only after storing: a line with the same prompt looks into the index.
        for hash in done {
            if let Some(n_tasks) = self.on_their_way.get_mut(&hash) {
                *n_tasks -= 1;
                if *n_tasks == 0 {
                    self.on_their_way.remove(&hash);
                }
            }
        }
        self.detail(false);
        Ok(())
    }

    /// Stores answers. Other processes write the same index: a long transaction of theirs is waited for, and afterwards
    /// they may write for as long as this one took, at most [`LOOK`].
    fn store(&mut self, groups: &[AnswerGroup<'_>]) -> Result<u64, GenerateError> {
        thread::sleep(self.free_until.saturating_duration_since(Instant::now()));
        loop {
            let began = Instant::now();
            match self.store.write_answers(&self.options.run, groups) {
                Err(StoreError::Locked { .. }) if !self.is_over() => {
                    if self.ends_at.is_none() && self.monitor.step().is_err() {
                        self.end();
                    }
                }
                written => {
                    let ended = Instant::now();
                    self.free_until = ended + (ended - began).min(LOOK);
                    return Ok(written?);
                }
            }
        }
    }

    fn take(&mut self, told: TaskEvent, waiting: &mut WaitingAnswers, done: &mut Vec<ContentHash>) {
        match told {
            TaskEvent::Failed(kind) => *self.report.failures.entry(kind).or_default() += 1,
            TaskEvent::Answered {
                prompt,
                setting,
                answers,
                usage,
                is_too_long,
            } => {
                self.n_failed_in_a_row = 0;
                let n = |is: fn(&crate::store::NewAnswer) -> bool| {
                    answers.iter().filter(|answer| is(answer)).count() as u64
                };
                if is_too_long {
                    self.report.n_too_long += answers.len() as u64;
                } else if let Some((tokens_in, tokens_out)) = usage {
                    self.report.n_tokens_in += tokens_in;
                    self.report.n_tokens_out += tokens_out;
                } else {
                    self.report.n_without_usage += 1;
                }
                self.report.n_empty += n(|new_answer| {
                    new_answer
                        .text
                        .as_ref()
                        .is_some_and(|text| text.trim().is_empty())
                });
                self.report.n_cut_off +=
                    n(|new_answer| new_answer.finish_reason.as_deref() == Some("length"));
                waiting.push((prompt, setting, answers));
            }
            TaskEvent::Done { hash, end } => {
                done.push(hash);
                match end {
                    TaskEnd::Answered | TaskEnd::Stopped => {}
                    TaskEnd::GivenUp => {
                        self.report.n_given_up += 1;
                        self.n_failed_in_a_row += 1;
                        if self.n_failed_in_a_row >= FAILURES_MAX && self.ends_at.is_none() {
                            self.report.end = GenerateEnd::Paused;
                            self.end();
                        }
                    }
                    TaskEnd::Refused { status, words } => {
                        if self.ends_at.is_none() {
                            self.report.end = GenerateEnd::Refused { status, words };
                            self.end();
                        }
                    }
                }
            }
        }
    }

    /// Starts no more requests; those under way have [`GRACE`] to get their answers.
    fn end(&mut self) {
        self.stop = None;
        self.tasks = None;
        for task in self.ahead.drain(..) {
            let hash = task.prompt.stored.hash;
            if let Some(n_tasks) = self.on_their_way.get_mut(&hash) {
                *n_tasks -= 1;
                if *n_tasks == 0 {
                    self.on_their_way.remove(&hash);
                }
            }
        }
        self.ends_at = Some(Instant::now() + GRACE);
    }

    /// Reports the progress to a watcher, now and then.
    fn detail(&mut self, is_last: bool) {
        let now = Instant::now();
        let is_due = self.told_at.is_none_or(|instant| now - instant >= LOOK);
        if is_last || is_due {
            self.told_at = Some(now);
            self.report.n_requests = self.shared.n_requests.load(Ordering::Relaxed);
            let elapsed = now.duration_since(self.began).as_millis();
            let detail = self
                .report
                .detail(u64::try_from(elapsed).unwrap_or(u64::MAX));
            self.monitor.say(detail);
        }
    }
}

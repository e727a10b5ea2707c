//! One task to its end: a prompt with one setting, until every attempt has its answer, or no more can be had.
//!
//! Decides which requests are tried again, and the meaning of a refusal. Stores nothing: answers are handed over.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::client::{Client, Reply};
use crate::exchange::answers::{
    ReadAnswer, ReadPrompt, WireAnswerMeta, is_too_long, read_answer, server_words,
};
use crate::model::ContentHash;
use crate::options::GenerateOptions;
use crate::pace::{Headers, Limiter, backoff};
use crate::store::{NewAnswer, NewPrompt};

/// A prompt, as it was read and as it is stored.
#[derive(Debug)]
pub struct StoredPrompt {
    pub read: ReadPrompt,
    pub stored: NewPrompt,
    /// Its line in the file, from 1.
    pub line: u32,
}

/// A prompt with one setting, and the attempts that have no answer.
#[derive(Debug)]
pub struct PromptTask {
    pub prompt: Arc<StoredPrompt>,
    /// An index into [`GenerateOptions::settings`].
    pub setting: usize,
    pub attempts: Vec<u32>,
}

/// What happens to a task, one event after the other.
#[derive(Debug)]
pub enum TaskEvent {
    /// A try that failed, by what happened; it may be tried again.
    Failed(String),
    /// Attempts have their answers, or their prompt is too long.
    Answered {
        prompt: Arc<StoredPrompt>,
        setting: usize,
        answers: Vec<NewAnswer>,
        usage: Option<(u64, u64)>,
        is_too_long: bool,
    },
    /// The task has ended.
    Done { hash: ContentHash, end: TaskEnd },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    Answered,
    GivenUp,
    /// The server refused the request.
    Refused {
        status: u16,
        words: String,
    },
    /// The work was stopped.
    Stopped,
}

/// The state that all askers share.
pub struct AskerState {
    pub options: GenerateOptions,
    pub limiter: Mutex<Limiter>,
    /// The server gives one answer at a time.
    pub is_one_by_one: AtomicBool,
    pub n_requests: std::sync::atomic::AtomicU64,
    /// A request was refused: no asker sends another, even before the receiver of events knows.
    pub is_refused: AtomicBool,
}

/// The outcome of one request with all its tries.
enum RequestOutcome {
    Answer(ReadAnswer, Vec<u16>, Duration),
    TooLong(Vec<u16>),
    /// The server does not give several answers at once.
    NotSeveral,
    End(TaskEnd),
}

/// What one reply means.
enum ReplyMeaning {
    Answer(ReadAnswer),
    TooLong,
    NotSeveral,
    /// Worth another try; the server may say when.
    Again(String, Option<Headers>),
    /// Not worth another try.
    Failure(String),
    Refused(String),
}

/// Sends the requests of tasks, one after the other; runs on a thread of its own.
pub struct Asker {
    pub shared: Arc<AskerState>,
    pub client: Client,
    /// Closed when it is time to stop.
    pub stop: Receiver<()>,
    pub tell: Sender<TaskEvent>,
    pub dice: RandomState,
}

impl Asker {
    /// Works until there are no more tasks, or the receiver of events is gone.
    pub fn work(&self, tasks: &Receiver<PromptTask>) {
        for task in tasks {
            let end = self.task(&task);
            let hash = task.prompt.stored.hash;
            if self.tell.send(TaskEvent::Done { hash, end }).is_err() {
                return;
            }
        }
    }

    fn task(&self, task: &PromptTask) -> TaskEnd {
        let mut open = task.attempts.as_slice();
        while !open.is_empty() {
            let n = if self.shared.is_one_by_one.load(Ordering::Relaxed) {
                1
            } else {
                open.len()
            };
            let seed = self.seed(task, open[0]);
            let prompt = &task.prompt.read;
            let options = &self.shared.options;
            let parameters = &options.settings[task.setting];
            let body = prompt.body(&options.model, parameters, n as u32, seed);
            match self.request(task, &body, n) {
                RequestOutcome::Answer(answer, statuses, latency) => {
                    let n_came = answer.choices.len().min(n);
                    if n_came < n {
                        self.shared.is_one_by_one.store(true, Ordering::Relaxed);
                    }
                    let sent = AnsweredRequest {
                        task,
                        n,
                        seed,
                        body: &body,
                        statuses: &statuses,
                    };
                    if self.tell(&sent, &open[..n_came], answer, latency).is_err() {
                        return TaskEnd::Stopped;
                    }
                    open = &open[n_came..];
                }
                RequestOutcome::TooLong(statuses) => {
                    let sent = AnsweredRequest {
                        task,
                        n,
                        seed,
                        body: &body,
                        statuses: &statuses,
                    };
                    return self.tell_too_long(&sent, open);
                }
                RequestOutcome::NotSeveral => {
                    self.shared.is_one_by_one.store(true, Ordering::Relaxed);
                }
                RequestOutcome::End(end) => return end,
            }
        }
        TaskEnd::Answered
    }

    /// Chooses the seed of a request. Attempts that are asked for one by one get different seeds: the same one would
    /// give the same answer.
    fn seed(&self, task: &PromptTask, attempt: u32) -> Option<u64> {
        let seed = self.shared.options.settings[task.setting].seed?;
        let is_one_by_one = self.shared.is_one_by_one.load(Ordering::Relaxed);
        Some(if is_one_by_one {
            seed.wrapping_add(u64::from(attempt))
        } else {
            seed
        })
    }

    /// Sends a request until it is answered, is refused, or was tried often enough.
    fn request(&self, task: &PromptTask, body: &[u8], n: usize) -> RequestOutcome {
        let mut statuses = Vec::new();
        let options = &self.shared.options;
        let n_tokens = task.prompt.read.n_tokens_about()
            + u64::from(task.prompt.read.max_tokens.unwrap_or(0)) * n as u64;
        for idx in 0..=options.n_retries {
            let wait = self.limiter(|limiter| limiter.reserve(n_tokens, Instant::now()));
            if self.is_stopped(wait) || self.shared.is_refused.load(Ordering::Relaxed) {
                return RequestOutcome::End(TaskEnd::Stopped);
            }
            self.shared.n_requests.fetch_add(1, Ordering::Relaxed);
            let began = Instant::now();
            let reply = self.client.post(body);
            let latency = began.elapsed();
            // 0 where there was no answer.
            statuses.push(match &reply {
                Reply::Said { status, .. } | Reply::TooLong { status } => *status,
                Reply::Broken(_) => 0,
            });
            let (kind, headers) = match meaning(reply, n) {
                ReplyMeaning::Answer(mut answer) => {
                    if let Some(key) = &options.key {
                        for choice in &mut answer.choices {
                            choice.text = key.cut_from(std::mem::take(&mut choice.text));
                        }
                    }
                    return RequestOutcome::Answer(answer, statuses, latency);
                }
                ReplyMeaning::TooLong => return RequestOutcome::TooLong(statuses),
                ReplyMeaning::NotSeveral => return RequestOutcome::NotSeveral,
                ReplyMeaning::Refused(words) => {
                    self.shared.is_refused.store(true, Ordering::Relaxed);
                    let status = statuses.last().copied().unwrap_or(0);
                    let words = options
                        .key
                        .as_ref()
                        .map_or(words.clone(), |api_key| api_key.hidden_in(&words));
                    return RequestOutcome::End(TaskEnd::Refused { status, words });
                }
                ReplyMeaning::Failure(kind) => {
                    // A receiver that is gone does not matter.
                    let _gone = self.tell.send(TaskEvent::Failed(kind));
                    return RequestOutcome::End(TaskEnd::GivenUp);
                }
                ReplyMeaning::Again(kind, headers) => (kind, headers),
            };
            let _gone = self.tell.send(TaskEvent::Failed(kind));
            if idx == options.n_retries {
                break;
            }
            let pause = backoff(options.pause, idx, self.roll());
            let asked = headers.and_then(|header| header.wait(now()));
            if let Some(asked) = asked {
                self.limiter(|limiter| limiter.hold(Instant::now() + asked));
            }
            if self.is_stopped(pause) {
                return RequestOutcome::End(TaskEnd::Stopped);
            }
        }
        RequestOutcome::End(TaskEnd::GivenUp)
    }

    fn limiter<T>(&self, work: impl FnOnce(&mut Limiter) -> T) -> T {
        // A thread that panicked with it has left it whole.
        let limiter = self.shared.limiter.lock();
        work(&mut limiter.unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits, and returns whether the work was stopped meanwhile.
    fn is_stopped(&self, wait: Duration) -> bool {
        self.stop.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected)
    }

    /// Draws an unpredictable number from 0 to 1.
    fn roll(&self) -> f64 {
        let mut hasher = self.dice.build_hasher();
        hasher.write_u64(self.shared.n_requests.load(Ordering::Relaxed));
        (hasher.finish() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn tell(
        &self,
        sent: &AnsweredRequest<'_>,
        attempts: &[u32],
        answer: ReadAnswer,
        latency: Duration,
    ) -> Result<(), crossbeam_channel::SendError<TaskEvent>> {
        let meta = WireAnswerMeta {
            statuses: sent.statuses,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            n_asked: sent.n as u32,
            tokens_in: answer.n_tokens_in,
            tokens_out: answer.n_tokens_out,
            seed: sent.seed,
            repaired_utf8: answer.is_repaired,
        };
        let meta = meta.to_json();
        let request_hash = sent.hash();
        let answers = attempts.iter().zip(answer.choices);
        let answers = answers.map(|(attempt, choice)| NewAnswer {
            attempt: *attempt,
            text: Some(choice.text),
            finish_reason: choice.finish_reason,
            request_hash,
            meta: meta.clone(),
        });
        self.tell.send(TaskEvent::Answered {
            prompt: Arc::clone(&sent.task.prompt),
            setting: sent.task.setting,
            answers: answers.collect(),
            usage: answer.n_tokens_in.zip(answer.n_tokens_out),
            is_too_long: false,
        })
    }

    fn tell_too_long(&self, sent: &AnsweredRequest<'_>, attempts: &[u32]) -> TaskEnd {
        let meta = WireAnswerMeta {
            statuses: sent.statuses,
            latency_ms: 0,
            n_asked: sent.n as u32,
            tokens_in: None,
            tokens_out: None,
            seed: sent.seed,
            repaired_utf8: false,
        };
        let answers = attempts.iter().map(|attempt| NewAnswer {
            attempt: *attempt,
            text: None,
            finish_reason: Some("too_long".to_owned()),
            request_hash: sent.hash(),
            meta: meta.to_json(),
        });
        let told = self.tell.send(TaskEvent::Answered {
            prompt: Arc::clone(&sent.task.prompt),
            setting: sent.task.setting,
            answers: answers.collect(),
            usage: None,
            is_too_long: true,
        });
        told.map_or(TaskEnd::Stopped, |()| TaskEnd::Answered)
    }
}

/// A request that was answered.
struct AnsweredRequest<'a> {
    task: &'a PromptTask,
    n: usize,
    seed: Option<u64>,
    body: &'a [u8],
    statuses: &'a [u16],
}

impl AnsweredRequest<'_> {
    fn hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.body);
        ContentHash::of(&hasher)
    }
}

/// Reads the clock in seconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |duration| duration.as_secs().cast_signed())
}

fn meaning(reply: Reply, n: usize) -> ReplyMeaning {
    let (status, headers, body) = match reply {
        Reply::Broken(kind) => return ReplyMeaning::Again(kind.to_owned(), None),
        Reply::TooLong { .. } => {
            let most = crate::client::BYTES_MAX >> 20;
            return ReplyMeaning::Failure(format!("longer than {most} MiB"));
        }
        Reply::Said {
            status,
            headers,
            body,
        } => (status, headers, body),
    };
    match status {
        200..=299 => match read_answer(&body) {
            Ok(answer) => ReplyMeaning::Answer(answer),
            Err(error) => ReplyMeaning::Failure(error.to_string()),
        },
        300..=399 => ReplyMeaning::Refused("it redirects, which is not followed".to_owned()),
        400 | 413 | 422 | 500 if is_too_long(&body) => ReplyMeaning::TooLong,
        413 => ReplyMeaning::TooLong,
        // Any other cause shows when a single answer is asked for.
        400 | 422 | 501 if n > 1 => ReplyMeaning::NotSeveral,
        408 | 409 | 425 | 429 | 500..=599 => {
            ReplyMeaning::Again(format!("HTTP {status}"), Some(headers))
        }
        _ => ReplyMeaning::Refused(server_words(&body)),
    }
}

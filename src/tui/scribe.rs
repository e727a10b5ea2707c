//! The writer of verdicts: the only thread of the UI that opens `verdicts.db` for writing.
//!
//! Decides how the outcome is reported. An answer comes only once the events are on disk; the screen shows the next
//! sample only then. The UI thread never waits.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crossbeam_channel::Sender;

use crate::model::{Event, EventId, EventKind, JudgedSample, Judgement, SampleKey, Snapshot};
use crate::question::source::advice;
use crate::review::{
    self, AcceptOptions, AuditOptions, PriorVerdicts, QueueOptions, Seat, SeatedAnnotator,
    VerdictAuthor,
};
use crate::store::{Store, StoreAccess, Verdicts, Window};
use crate::task::Monitor;
use crate::text::{visible, with_causes};

/// A request to write an annotator's action.
#[derive(Clone, Debug, PartialEq)]
pub struct ScribeRequest {
    /// Identifies the request; comes back with the answer.
    pub token: u64,
    pub annotator: String,
    pub what: AnnotatorAction,
    /// When the sample was painted, in milliseconds since 1970: a judgement's dwell time is counted from then.
    pub shown_at_ms: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnnotatorAction {
    /// Writes these events, all or none, with the state that the annotator saw.
    Events {
        kinds: Vec<EventKind>,
        snapshot: Option<Snapshot>,
    },
    /// Writes a judgement with the state that the annotator saw, unless the sample has been judged meanwhile.
    Verdict {
        judged: Box<JudgedSample>,
        snapshot: Snapshot,
        /// The options of the queue that asked for it.
        options: Box<QueueOptions>,
        /// The annotator's verdict on the sample when it was shown.
        mine: Option<EventId>,
    },
    Undo,
    Redo,
    /// Tells others in the same queue which sample is before the annotator; nothing is stored.
    Sit(Option<SampleKey>),
    /// Draws an audit that nobody has drawn yet.
    Draw(Box<QueueOptions>),
    /// Accepts the samples that an audit did not draw, provisionally.
    AcceptRest(Box<AuditOptions>),
    /// Gives the verdict on a sample to similar ones, provisionally, as they were shown.
    Alike(SampleKey, Vec<JudgedSample>),
}

impl AnnotatorAction {
    /// Makes the action of one event that is no judgement.
    #[must_use]
    pub fn plain(kind: EventKind) -> Self {
        Self::Events {
            kinds: vec![kind],
            snapshot: None,
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct ScribeReply {
    pub token: u64,
    pub outcome: Result<ScribeOutcome, ScribeFailure>,
    /// A problem that did not prevent the write, for people.
    pub warning: Option<String>,
    /// The seats of other annotators after the write.
    pub seats: Vec<SeatedAnnotator>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ScribeOutcome {
    /// The events are on disk.
    Appended {
        events: Vec<Event>,
        /// The number of the last event in the file; see [`Verdicts::version`].
        version: i64,
    },
    /// The judgement was not written, because of these verdicts given meanwhile.
    Held {
        judgement: Judgement,
        meanwhile: PriorVerdicts,
    },
    /// The event that was undone; nothing when there was none left.
    Undone(Option<Event>),
    Redone(Option<Event>),
    /// The seat is taken; no event was written.
    Seated,
    /// The number of samples that an audit drew.
    Drawn(u64),
    /// The number of accepted samples; one event undoes them all.
    Accepted(u64),
    /// The similar samples that got the verdict.
    Given(Vec<SampleKey>),
}

/// The reason why nothing was written, and advice; texts for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScribeFailure {
    pub text: String,
    pub hint: &'static str,
}

/// Writes into the workspace's `verdicts.db`, which it opens for the first write.
pub struct Scribe {
    folder: PathBuf,
    verdicts: Option<Verdicts>,
    /// The events that an undo may take back, while the file is not open; absent until the file has been read.
    window: Option<Window>,
    seat: Option<Seat>,
}

impl Scribe {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            verdicts: None,
            window: None,
            seat: None,
        }
    }

    /// Notes the present events when the UI starts: later events of other processes are theirs to undo.
    fn begin(&mut self) {
        let read = Verdicts::open(&self.folder, StoreAccess::Read);
        // An unreadable file is reported at the first write.
        self.window = read.ok().map(|verdicts| verdicts.window().clone());
    }

    /// Carries out a request of the moment `now_ms`; returns when its events are on disk.
    pub fn write(&mut self, request: ScribeRequest, now_ms: i64) -> ScribeReply {
        let token = request.token;
        if let AnnotatorAction::Sit(key) = request.what {
            self.sit(&request.annotator, key, now_ms);
            return ScribeReply {
                token,
                outcome: Ok(ScribeOutcome::Seated),
                warning: None,
                seats: self.seats(),
            };
        }
        let outcome = self.try_write(request, now_ms).map_err(|error| {
            // The file may be repaired meanwhile, so the next write opens it anew.
            if let Some(verdicts) = self.verdicts.take() {
                self.window = Some(verdicts.window().clone());
            }
            trouble(&error)
        });
        let failure = self
            .verdicts
            .as_mut()
            .and_then(Verdicts::take_backup_failure);
        ScribeReply {
            token,
            outcome,
            warning: failure.map(|error| {
                visible(&format!(
                    "saved, but there is no copy of today's verdicts: {error}"
                ))
            }),
            seats: self.seats(),
        }
    }

    /// Takes a seat at a sample. If the disk cannot be written, others only miss the notice.
    fn sit(&mut self, annotator: &str, key: Option<SampleKey>, now_ms: i64) {
        if self.seat.is_none() {
            self.seat = Seat::take(&self.folder, number(now_ms)).ok();
        }
        let sat = self.seat.as_mut().map(|seat| seat.sit(annotator, key));
        if matches!(sat, Some(Err(_))) {
            self.seat = None;
        }
    }

    /// Lists the seats of other annotators.
    fn seats(&self) -> Vec<SeatedAnnotator> {
        let seats = self.seat.as_ref().map(Seat::others);
        seats.unwrap_or_default()
    }

    fn try_write(
        &mut self,
        saying: ScribeRequest,
        now_ms: i64,
    ) -> Result<ScribeOutcome, review::ReviewError> {
        let verdicts = if let Some(verdicts) = &mut self.verdicts {
            verdicts
        } else {
            let mut verdicts = Verdicts::open(&self.folder, StoreAccess::Create)?;
            if let Some(window) = self.window.take() {
                verdicts.resume(window);
            }
            self.verdicts.insert(verdicts)
        };
        let annotator = saying.annotator.as_str();
        Ok(match saying.what {
            AnnotatorAction::Events {
                mut kinds,
                snapshot,
            } => {
                let dwell_ms = dwell(saying.shown_at_ms, now_ms);
                for kind in &mut kinds {
                    if let EventKind::Judged(judged) | EventKind::Adjudicated { judged, .. } = kind
                    {
                        judged.dwell_ms = dwell_ms;
                    }
                }
                let shown = snapshot.as_slice();
                let events = verdicts.append_shown(annotator, now_ms, kinds, shown)?;
                let version = verdicts.version()?;
                ScribeOutcome::Appended { events, version }
            }
            AnnotatorAction::Verdict {
                mut judged,
                snapshot,
                options,
                mine,
            } => {
                if let Some(meanwhile) = review::meanwhile(verdicts, &options, &judged.key, mine)? {
                    return Ok(ScribeOutcome::Held {
                        judgement: judged.judgement,
                        meanwhile,
                    });
                }
                judged.dwell_ms = dwell(saying.shown_at_ms, now_ms);
                let kinds = vec![EventKind::Judged(*judged)];
                let events = verdicts.append_shown(annotator, now_ms, kinds, &[snapshot])?;
                let version = verdicts.version()?;
                ScribeOutcome::Appended { events, version }
            }
            // This needs no file of verdicts and is done in `write`.
            AnnotatorAction::Sit(_) => ScribeOutcome::Seated,
            AnnotatorAction::Undo => ScribeOutcome::Undone(verdicts.undo(annotator, now_ms)?),
            AnnotatorAction::Redo => ScribeOutcome::Redone(verdicts.redo(annotator, now_ms)?),
            AnnotatorAction::Draw(options) => {
                let store = Store::open(&self.folder, StoreAccess::Read)?;
                let by = VerdictAuthor { annotator, now_ms };
                let monitor = Monitor::default();
                let draw = review::draw(&store, verdicts, &monitor, &options.audit_options(), by)?;
                ScribeOutcome::Drawn(draw.samples.len() as u64)
            }
            AnnotatorAction::AcceptRest(audit) => {
                let store = Store::open(&self.folder, StoreAccess::Read)?;
                let options = AcceptOptions::new(*audit);
                let by = VerdictAuthor { annotator, now_ms };
                let accepted =
                    review::accept_rest(&store, verdicts, &Monitor::default(), &options, by)?;
                ScribeOutcome::Accepted(accepted.acceptance.n_rest)
            }
            AnnotatorAction::Alike(of, judgements) => {
                let keys = judgements.iter().map(|judgement| judgement.key).collect();
                let by = VerdictAuthor { annotator, now_ms };
                review::give_alike(verdicts, &of, judgements, by)?;
                ScribeOutcome::Given(keys)
            }
        })
    }
}

/// Makes a number that no other window has, from the process, the time, and a counter within the process.
fn number(now_ms: i64) -> u128 {
    static N_SEATS: AtomicU32 = AtomicU32::new(0);
    let nth = N_SEATS.fetch_add(1, Ordering::Relaxed);
    let process = u128::from(std::process::id());
    process << 96 | u128::from(nth) << 64 | u128::from(now_ms.unsigned_abs())
}

/// Computes how long a sample was shown, in milliseconds.
fn dwell(shown_at_ms: Option<i64>, now_ms: i64) -> Option<u32> {
    let dwell = |shown| u32::try_from(now_ms.saturating_sub(shown).max(0)).unwrap_or(u32::MAX);
    shown_at_ms.map(dwell)
}

/// Starts the thread; it ends when the sender is dropped, after all requests have been carried out.
pub fn start(
    folder: &Path,
    now_ms: impl Fn() -> i64 + Send + 'static,
    tell: impl Fn(ScribeReply) + Send + 'static,
) -> (Sender<ScribeRequest>, thread::JoinHandle<()>) {
    let (sender, requests) = crossbeam_channel::unbounded::<ScribeRequest>();
    let mut scribe = Scribe::new(folder);
    let thread = thread::spawn(move || {
        scribe.begin();
        for request in requests {
            tell(scribe.write(request, now_ms()));
        }
    });
    (sender, thread)
}

fn trouble(error: &review::ReviewError) -> ScribeFailure {
    ScribeFailure {
        text: format!("not saved: {}", with_causes(error)),
        hint: match error {
            review::ReviewError::Store(error) => advice(error).unwrap_or(AGAIN),
            _ => AGAIN,
        },
    }
}

const AGAIN: &str = "everything saved before is safe; press the key again";

//! The readers: two threads, each with a read-only connection of its own, that answer the questions of screens.
//!
//! Decides when a question is stale: only the latest of a slot counts, an older one is skipped or interrupted. The
//! UI thread only sends; it never waits for an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender};
use rustc_hash::FxHashMap;

use crate::question::source::{AnswerSource, MissingAnswer, SharedJobTable, failure};
use crate::question::{AnyAnswer, QuestionFailure, QuestionReply, QuestionRequest, Slot};
use crate::store::{Interrupt, Store, StoreAccess};

/// Two, so that a slow question does not hold up a quick one.
const N_READERS: usize = 2;

/// The access to the readers. They end when it is dropped.
#[derive(Debug)]
pub struct Pool {
    asks: Sender<QuestionRequest>,
    shared: Arc<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    folder: PathBuf,
    /// The newest generation of every slot.
    newest: Mutex<FxHashMap<Slot, u64>>,
    jobs: SharedJobTable,
    /// The current question of each reader.
    running: [Mutex<Option<RunningQuestion>>; N_READERS],
}

struct RunningQuestion {
    slot: Slot,
    generation: u64,
    interrupt: Interrupt,
}

impl std::fmt::Debug for RunningQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.slot, self.generation)
    }
}

impl PoolState {
    fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            newest: Mutex::default(),
            jobs: SharedJobTable::default(),
            running: [const { Mutex::new(None) }; N_READERS],
        }
    }

    fn is_stale(&self, ask: &QuestionRequest) -> bool {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.get(&ask.slot).is_some_and(|n| *n > ask.generation)
    }

    fn set_newest(&self, slot: Slot, generation: u64) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.insert(slot, generation);
    }

    fn set_running(&self, reader_idx: usize, running: Option<RunningQuestion>) {
        let slot = self.running[reader_idx].lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = running;
    }
}

impl Pool {
    /// Starts the readers on the index in `folder`; each answer goes to `answer`.
    #[must_use]
    pub fn start(folder: &Path, answer: impl Fn(QuestionReply) + Clone + Send + 'static) -> Self {
        let (asks, questions) = crossbeam_channel::unbounded();
        let shared = Arc::new(PoolState::new(folder));
        for reader_idx in 0..N_READERS {
            let (shared, questions, answer) = (
                Arc::clone(&shared),
                Receiver::clone(&questions),
                answer.clone(),
            );
            thread::spawn(move || read(reader_idx, &shared, &questions, &answer));
        }
        Self { asks, shared }
    }

    /// Asks a question; an older one in the same slot is skipped, or stopped if it runs.
    pub fn ask(&self, ask: QuestionRequest) {
        self.stop(ask.slot, ask.generation);
        // The readers are gone only at the end of the program.
        let _ = self.asks.send(ask);
    }

    /// Stops the questions in a slot that are older than this generation.
    pub fn stop(&self, slot: Slot, generation: u64) {
        self.shared.set_newest(slot, generation);
        for running in &self.shared.running {
            let running = running.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(running) = running.as_ref()
                && running.slot == slot
                && running.generation < generation
            {
                running.interrupt.interrupt();
            }
        }
    }
}

fn read(
    reader_idx: usize,
    shared: &PoolState,
    questions: &Receiver<QuestionRequest>,
    answer: &dyn Fn(QuestionReply),
) {
    let mut store = None;
    for ask in questions {
        if shared.is_stale(&ask) {
            continue;
        }
        // A panic is a bug in one question; the panic hook has told the UI, the reader goes on with a new connection.
        let answered = catch_unwind(AssertUnwindSafe(|| {
            read_one(reader_idx, shared, &mut store, &ask)
        }));
        shared.set_running(reader_idx, None);
        let answered = answered.unwrap_or_else(|_| {
            store = None;
            Some(Err(QuestionFailure::Other(
                "reading the index failed".to_owned(),
            )))
        });
        if let Some(answered) = answered {
            answer(ask.answered(answered));
        }
    }
}

/// Answers one question; nothing when it has become stale.
fn read_one(
    reader_idx: usize,
    shared: &PoolState,
    store: &mut Option<Store>,
    ask: &QuestionRequest,
) -> Option<Result<AnyAnswer, QuestionFailure>> {
    if !ask.question.needs_index() {
        // Such a question is answered even where there is no index yet.
        let source = AnswerSource::new(&shared.folder, &shared.jobs, None);
        return Some(ask.question.find(&source).map_err(QuestionFailure::from));
    }
    let store = match store {
        Some(store) => store,
        None => match Store::open(&shared.folder, StoreAccess::Read) {
            Ok(opened) => store.insert(opened),
            Err(error) => return Some(Err(failure(&error))),
        },
    };
    loop {
        shared.set_running(
            reader_idx,
            Some(RunningQuestion {
                slot: ask.slot,
                generation: ask.generation,
                interrupt: store.interrupt_handle(),
            }),
        );
        if shared.is_stale(ask) {
            return None;
        }
        let source = AnswerSource::new(&shared.folder, &shared.jobs, Some(store));
        match ask.question.find(&source) {
            Ok(answer) => return Some(Ok(answer)),
            // An interrupt meant for the previous question may hit this one: then it is asked again.
            Err(MissingAnswer::Stopped) => {}
            Err(MissingAnswer::Failed(failure)) => return Some(Err(failure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Filter;
    use crate::question::Question;
    use crate::question::shared::ReposQuestion;
    use crate::question::shared::SampleCountQuestion;
    use crate::screen::home::questions::FunnelQuestion;
    use crate::store::testing::{counter_repo, store_with};
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(20);

    fn ask<Q: Question>(generation: u64, question: Q) -> QuestionRequest {
        QuestionRequest {
            slot: Q::SLOT,
            generation,
            question: Box::new(question),
        }
    }

    #[test]
    fn questions_are_answered_each_in_its_slot() {
        let (folder, _store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let (sender, replies) = crossbeam_channel::unbounded();
        let pool = Pool::start(folder.path(), move |reply| {
            sender.send(reply).expect("the test listens");
        });
        pool.ask(ask(1, SampleCountQuestion(Filter::default())));
        let count = replies.recv_timeout(DEADLINE).expect("an answer comes");
        assert_eq!(
            (count.slot, count.generation),
            (SampleCountQuestion::SLOT, 1)
        );
        let n = count.answer.expect("the index can be read");
        assert_eq!(n.downcast_ref::<u64>(), Some(&6));
    }

    #[test]
    fn a_question_that_is_stale_is_never_answered() {
        let (folder, _store) = store_with(&[counter_repo("a")]);
        let shared = PoolState::new(folder.path());
        let old = ask(1, SampleCountQuestion(Filter::default()));
        assert!(read_one(0, &shared, &mut None, &old).is_some());
        shared.set_newest(SampleCountQuestion::SLOT, 2);
        assert!(shared.is_stale(&old));
        assert!(read_one(0, &shared, &mut None, &old).is_none());
        // Another slot has generations of its own.
        let other = ask(1, FunnelQuestion);
        assert!(read_one(0, &shared, &mut None, &other).is_some());
    }

    #[test]
    fn without_an_index_every_answer_says_so() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (sender, replies) = crossbeam_channel::unbounded();
        let pool = Pool::start(folder.path(), move |reply| {
            sender.send(reply).expect("the test listens");
        });
        pool.ask(ask(1, ReposQuestion));
        let reply = replies.recv_timeout(DEADLINE).expect("an answer comes");
        assert_eq!(reply.answer.err(), Some(QuestionFailure::NoIndex));
    }
}

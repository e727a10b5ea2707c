//! The readers: two threads, each with a read-only connection of its own, that answer what screens ask.
//!
//! Decides when a question is stale: only the latest of a slot counts, an older one is skipped or interrupted. The
//! UI thread only sends; it never waits for an answer.

mod compare;
mod jobs;
mod results;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender};

use crate::browse::{self, Catalogue};
use crate::config::Saved;
use crate::files;
use crate::keymap::Step;
use crate::model::{Comparison, Filter, SampleKey, SampleRow, Term, Verdict};
use crate::plot::{self, Kind, Plot};
use crate::question::{
    Agreed, Answer, Ask, Explained, Failure, FoundQueue, From, Item, N_RESAMPLES, PAST_MAX, Page,
    PastRow, Query, Reply, SampleRowId, Slot,
};
use crate::review::{self, AcceptOptions, AgreementOptions, QueueOptions, Staleness};
use crate::store::{Access, Anchor, Interrupt, Store, StoreError, Verdicts};
use crate::task::Monitor;
use crate::text::with_causes;
use crate::transfer;

const N_READERS: usize = 2;
const PROBLEMS_MAX: usize = 10_000;
/// How many samples the palette lists.
const NAMED_MAX: usize = 50;

/// The way to the readers. They end when it is dropped.
#[derive(Debug)]
pub struct Pool {
    asks: Sender<Ask>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    /// The newest generation of every slot.
    newest: [AtomicU64; Slot::COUNT],
    jobs: jobs::JobsReader,
    /// What each reader is at.
    running: [Mutex<Option<Running>>; N_READERS],
}

struct Running {
    slot: Slot,
    generation: u64,
    interrupt: Interrupt,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.slot, self.generation)
    }
}

impl Shared {
    fn is_stale(&self, ask: &Ask) -> bool {
        self.newest[ask.slot as usize].load(Ordering::Acquire) > ask.generation
    }

    fn set_running(&self, reader_idx: usize, running: Option<Running>) {
        let slot = self.running[reader_idx].lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = running;
    }
}

impl Pool {
    /// Starts the readers on the index in `folder`; each answer goes to `answer`.
    #[must_use]
    pub fn start(folder: &Path, answer: impl Fn(Reply) + Clone + Send + 'static) -> Self {
        let (asks, questions) = crossbeam_channel::unbounded();
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            newest: [const { AtomicU64::new(0) }; Slot::COUNT],
            jobs: jobs::JobsReader::default(),
            running: [const { Mutex::new(None) }; N_READERS],
        });
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

    /// Asks; an older question in the same slot is skipped, or stopped if it runs.
    pub fn ask(&self, ask: Ask) {
        let newest = &self.shared.newest[ask.slot as usize];
        newest.store(ask.generation, Ordering::Release);
        for running in &self.shared.running {
            let running = running.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(running) = running.as_ref()
                && running.slot == ask.slot
                && running.generation < ask.generation
            {
                running.interrupt.interrupt();
            }
        }
        if ask.query != Query::Stop {
            // The readers are gone only while the program ends.
            let _ = self.asks.send(ask);
        }
    }
}

fn read(reader_idx: usize, shared: &Shared, questions: &Receiver<Ask>, answer: &dyn Fn(Reply)) {
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
            Some(Err(Failure::Other("reading the index failed".to_owned())))
        });
        if let Some(answered) = answered {
            answer(Reply {
                slot: ask.slot,
                generation: ask.generation,
                answer: answered,
            });
        }
    }
}

/// Answers one question, or nothing when it became stale.
fn read_one(
    reader_idx: usize,
    shared: &Shared,
    store: &mut Option<Store>,
    ask: &Ask,
) -> Option<Result<Answer, Failure>> {
    // What needs no index is answered also where there is none yet.
    match &ask.query {
        Query::Files(typed) => return Some(Ok(Answer::Files(files::list(typed)))),
        Query::Jobs(query) => {
            if let Some(answered) = shared.jobs.answer(&shared.folder, query) {
                return Some(answered.map(|it| Answer::Jobs(Box::new(it))));
            }
        }
        _ => {}
    }
    let store = match store {
        Some(store) => store,
        None => match Store::open(&shared.folder, Access::Read) {
            Ok(opened) => store.insert(opened),
            Err(error) => return Some(Err(failure(&error))),
        },
    };
    loop {
        shared.set_running(
            reader_idx,
            Some(Running {
                slot: ask.slot,
                generation: ask.generation,
                interrupt: store.interrupt_handle(),
            }),
        );
        if shared.is_stale(ask) {
            return None;
        }
        match answer(store, &ask.query) {
            Ok(answer) => return Some(Ok(answer)),
            // An interrupt that was meant for the question before may hit this one: then it is asked again.
            Err(Unanswered::Stopped) => {}
            Err(Unanswered::Failed(failure)) => return Some(Err(failure)),
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It was interrupted.
    Stopped,
    Failed(Failure),
}

impl std::convert::From<Unanswered> for Failure {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Stopped => Self::Other("stopped".to_owned()),
            Unanswered::Failed(failure) => failure,
        }
    }
}

impl std::convert::From<StoreError> for Unanswered {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled(_) => Self::Stopped,
            error => Self::Failed(failure(&error)),
        }
    }
}

impl std::convert::From<review::Error> for Unanswered {
    fn from(error: review::Error) -> Self {
        match error {
            review::Error::Store(error) => error.into(),
            review::Error::Cancelled(_) => Self::Stopped,
            error => Self::Failed(Failure::Other(with_causes(&error))),
        }
    }
}

impl std::convert::From<plot::Error> for Unanswered {
    fn from(error: plot::Error) -> Self {
        match error {
            plot::Error::Store(error) => error.into(),
            plot::Error::Cancelled(_) => Self::Stopped,
            error => Self::Failed(Failure::Other(with_causes(&error))),
        }
    }
}

/// Returns the failure for people: the error with what caused it.
fn failure(error: &StoreError) -> Failure {
    if matches!(error, StoreError::Missing { .. }) {
        return Failure::NoIndex;
    }
    let hint = match error {
        StoreError::Older { .. } => " · `focalist eval` brings it up to date, after a backup",
        _ => "",
    };
    Failure::Other(with_causes(error) + hint)
}

/// Answers one question.
///
/// # Errors
/// What the index or the verdicts say; `Stopped` when it was interrupted.
pub fn answer(store: &Store, query: &Query) -> Result<Answer, Unanswered> {
    Ok(match query {
        Query::Funnel => Answer::Funnel(browse::funnel(store, &Filter::default())?),
        Query::Repos => Answer::Repos(browse::repos(store)?),
        Query::Problems => {
            let problems = browse::problems(store, PROBLEMS_MAX)?.into_iter();
            Answer::Problems(problems.map(|it| (it.repo, it.problem)).collect())
        }
        Query::Count(filter) => Answer::Count(browse::count(store, filter)?),
        Query::Page {
            filter,
            from,
            limit,
        } => Answer::Page(page(store, filter, from, *limit)?),
        Query::Detail(key, matcher) => {
            let detail = browse::detail(store, key, *matcher)?;
            Answer::Detail(detail.map(|it| Box::new(Explained::of(it))))
        }
        Query::Runs => Answer::Runs(store.runs()?),
        Query::RunProblems(run) => {
            Answer::RunProblems(*run, store.run_problems(*run, PROBLEMS_MAX)?)
        }
        Query::Files(typed) => Answer::Files(files::list(typed)),
        Query::Item { key, annotator } => {
            let item = item(store, key, annotator)?;
            Answer::Item(*key, item.map(Box::new))
        }
        Query::Queue(options) => Answer::Queue(queue(store, options)?),
        Query::Past { annotator } => Answer::Past(past(store, annotator)?),
        Query::Bands => Answer::Bands(review::calibration(store, &verdicts(store)?)?),
        Query::Agreement => {
            let verdicts = verdicts(store)?;
            Answer::Agreement(Box::new(Agreed {
                agreement: review::agreement(&verdicts, &AgreementOptions::default())?,
                progress: review::progress(&verdicts)?,
            }))
        }
        Query::Intervals(ratings) => Answer::Intervals(ratings.intervals(0, N_RESAMPLES, 0.95)),
        Query::Conflicts => {
            let verdicts = verdicts(store)?;
            let versions = (store.version()?, verdicts.version()?);
            let options = AgreementOptions::default();
            Answer::Conflicts(review::conflicts(store, &verdicts, &options)?, versions)
        }
        Query::ConflictCount => {
            Answer::ConflictCount(review::n_open_conflicts(store, &verdicts(store)?)?)
        }
        Query::AuditReport { audit, annotator } => {
            let verdicts = verdicts(store)?;
            let draw = verdicts.draw(&audit.name())?;
            let report = draw.map(|draw| review::report(&verdicts, &draw, Some(annotator)));
            Answer::AuditReport(report.transpose()?)
        }
        Query::Acceptance { audit, annotator } => {
            let options = AcceptOptions::new(audit.as_ref().clone());
            let verdicts = verdicts(store)?;
            let monitor = Monitor::default();
            Answer::Acceptance(Box::new(review::acceptance(
                store, &verdicts, &monitor, &options, annotator,
            )?))
        }
        Query::Declared(key) => {
            let catalogue = Catalogue::new(browse::declared(store, key)?);
            Answer::Declared(*key, Arc::new(catalogue))
        }
        Query::MethodSource(key, method) => {
            let snippet = browse::method(store, key, method)?;
            Answer::MethodSource(method.clone(), snippet.map(Box::new))
        }
        Query::Results(query) => Answer::Results(Box::new(results::answer(store, query)?)),
        Query::Compare(query) => Answer::Compare(Box::new(compare::answer(store, query)?)),
        Query::Jobs(query) => Answer::Jobs(Box::new(jobs::answer(store, query)?)),
        Query::Saved => Answer::Saved(Box::new(Saved::load(folder_of(store)))),
        Query::Named(typed) => Answer::Named(browse::named(store, typed, NAMED_MAX)?),
        Query::Chart(kind) => {
            let figure = plot::figure(
                store,
                &verdicts(store)?,
                &Monitor::default(),
                &plot_of(*kind),
            )?;
            Answer::Chart(*kind, Box::new(figure))
        }
        Query::Stop => Answer::Detail(None),
    })
}

/// Opens the verdicts beside the index; they are asked rarely and little, and a file may come to be meanwhile.
fn verdicts(store: &Store) -> Result<Verdicts, StoreError> {
    Verdicts::open_or_empty(folder_of(store))
}

/// Returns the workspace's folder.
fn folder_of(store: &Store) -> &Path {
    store.path().parent().unwrap_or(Path::new("."))
}

/// Returns a chart of everything, as `focalist plot` draws it.
#[must_use]
pub fn plot_of(kind: Kind) -> Plot {
    // What has a split and is in no dataset is no sample of it.
    let filter = (kind == Kind::Splits).then(|| Filter {
        terms: transfer::paper_filter(),
        sort: Vec::new(),
    });
    Plot {
        filter,
        ..Plot::new(kind)
    }
}

/// Returns the queue with what index and verdicts were; nothing for an audit that nobody has drawn.
fn queue(store: &Store, options: &QueueOptions) -> Result<Option<FoundQueue>, Unanswered> {
    let verdicts = verdicts(store)?;
    let versions = (store.version()?, verdicts.version()?);
    match review::queue(store, &verdicts, &Monitor::default(), options) {
        Ok(queue) => Ok(Some((queue, versions))),
        Err(review::Error::NotDrawn { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn item(store: &Store, key: &SampleKey, annotator: &str) -> Result<Option<Item>, Unanswered> {
    let verdicts = verdicts(store)?;
    let versions = (store.version()?, verdicts.version()?);
    let Some(sample) = store.sample(key, None)? else {
        return Ok(None);
    };
    let snapshot = review::snapshot_of(&sample);
    let detail = browse::detail_of(sample);
    let mut of_sample = verdicts.of_sample(key)?;
    let mine = of_sample.iter().position(|it| it.annotator == annotator);
    let mine = mine.map(|idx| of_sample.remove(idx));
    let judged = mine.as_ref().map(|it: &Verdict| &it.judged);
    let focal = snapshot.focal.as_ref().map(|it| it.key.as_str());
    let stale = judged.and_then(|it| Staleness::between(it, snapshot.content_hash, focal));
    let difference = match judged.filter(|_| stale.is_some()) {
        Some(judged) => review::difference(store, &verdicts, judged)?,
        None => None,
    };
    let notes = verdicts.notes_of(key)?.into_iter();
    Ok(Some(Item {
        explained: Explained::of(detail),
        stale,
        difference: difference.map(Box::new),
        snapshot,
        mine,
        note: notes.filter(|it| it.0 == annotator).map(|it| it.1).next(),
        is_marked: verdicts.is_marked(key, annotator)?,
        n_others: of_sample.len(),
        versions,
    }))
}

fn past(store: &Store, annotator: &str) -> Result<Vec<PastRow>, StoreError> {
    let past = verdicts(store)?.history(annotator, PAST_MAX)?;
    let keys: Vec<SampleKey> = past.iter().filter_map(|it| it.event.kind().key()).collect();
    let mut states = store.states(&keys)?.into_iter();
    let rows = past.into_iter().map(|past| PastRow {
        test: past
            .event
            .kind()
            .key()
            .and_then(|_| states.next().flatten())
            .map(|it| it.test),
        past,
    });
    Ok(rows.collect())
}

fn page(store: &Store, filter: &Filter, from: &From, limit: usize) -> Result<Page, StoreError> {
    let read = |anchor| browse::page(store, filter, anchor, limit);
    let is_full = |rows: &[SampleRow]| rows.len() == limit;
    Ok(match from {
        From::First => at_rank(store, filter, 0, limit)?,
        From::Last => {
            let rows = read(Anchor::Last)?;
            let is_first = !is_full(&rows);
            Page {
                rank: is_first.then_some(0),
                is_first,
                is_last: true,
                rows,
                ..Page::default()
            }
        }
        From::After(id) => {
            let rows = read(Anchor::After(*id))?;
            Page {
                is_last: !is_full(&rows),
                rows,
                ..Page::default()
            }
        }
        From::Before(id) => {
            let rows = read(Anchor::Before(*id))?;
            Page {
                is_first: !is_full(&rows),
                rows,
                ..Page::default()
            }
        }
        From::Around(id) => around(store, filter, *id, limit)?,
        From::AroundKey(key, rank) => {
            let sample = store.sample(key, browse::matcher_of(filter))?;
            let id = sample.map(|it| browse::detail_of(it).row.id);
            let found = match id {
                Some(id) => browse::rank(store, filter, id)?,
                None => None,
            };
            near(store, filter, found.unwrap_or(*rank), limit)?
        }
        From::Match { needle, id, step } => {
            let found = search(store, filter, (needle, *id, *step))?;
            // Nothing found: the list stays where it is.
            Page {
                is_not_found: found.is_none(),
                ..around(store, filter, found.unwrap_or(*id), limit)?
            }
        }
    })
}

fn at_rank(store: &Store, filter: &Filter, rank: u64, limit: usize) -> Result<Page, StoreError> {
    let anchor = if rank == 0 {
        Anchor::First
    } else {
        Anchor::AtRank(rank)
    };
    let rows = browse::page(store, filter, anchor, limit)?;
    Ok(Page {
        rank: Some(rank),
        is_first: rank == 0,
        is_last: rows.len() < limit,
        rows,
        ..Page::default()
    })
}

fn around(
    store: &Store,
    filter: &Filter,
    id: SampleRowId,
    limit: usize,
) -> Result<Page, StoreError> {
    match browse::rank(store, filter, id)? {
        Some(rank) => near(store, filter, rank, limit),
        None => at_rank(store, filter, 0, limit),
    }
}

/// Returns the page around the row of a number, or around the last one.
fn near(store: &Store, filter: &Filter, rank: u64, limit: usize) -> Result<Page, StoreError> {
    let first = rank.saturating_sub(limit as u64 / 2);
    let page = at_rank(store, filter, first, limit)?;
    if page.rows.is_empty() && !page.is_first {
        return self::page(store, filter, &From::Last, limit);
    }
    let idx = usize::try_from(rank - first).unwrap_or(usize::MAX);
    let row = page.rows.get(idx).or(page.rows.last());
    Ok(Page {
        selected: row.map(|it| it.id),
        ..page
    })
}

/// Returns the next row whose test or focal method holds the needle in its name, around the ends.
fn search(
    store: &Store,
    filter: &Filter,
    (needle, id, step): (&str, SampleRowId, Step),
) -> Result<Option<SampleRowId>, StoreError> {
    let mut filter = filter.clone();
    filter.terms.push(Term {
        field: "name",
        comparison: Comparison::Is,
        value: needle.to_owned(),
        negated: false,
    });
    let (onward, around) = match step {
        Step::Next => (Anchor::After(id), Anchor::First),
        Step::Previous => (Anchor::Before(id), Anchor::Last),
    };
    let mut rows = browse::page(store, &filter, onward, 1)?;
    if rows.is_empty() {
        rows = browse::page(store, &filter, around, 1)?;
    }
    Ok(rows.first().map(|row| row.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{counter_repo, store_with};
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(20);

    fn ask(slot: Slot, generation: u64, query: Query) -> Ask {
        Ask {
            slot,
            generation,
            query,
        }
    }

    #[test]
    fn questions_are_answered_each_in_its_slot() {
        let (folder, _store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let (sender, replies) = crossbeam_channel::unbounded();
        let pool = Pool::start(folder.path(), move |reply| {
            sender.send(reply).expect("the test listens");
        });
        pool.ask(ask(Slot::Count, 1, Query::Count(Filter::default())));
        let count = replies.recv_timeout(DEADLINE).expect("an answer comes");
        assert_eq!((count.slot, count.generation), (Slot::Count, 1));
        assert_eq!(count.answer, Ok(Answer::Count(6)));
    }

    #[test]
    fn a_question_that_is_stale_is_never_answered() {
        let (folder, _store) = store_with(&[counter_repo("a")]);
        let shared = Shared {
            folder: folder.path().to_owned(),
            newest: [const { AtomicU64::new(0) }; Slot::COUNT],
            jobs: jobs::JobsReader::default(),
            running: [const { Mutex::new(None) }; N_READERS],
        };
        let old = ask(Slot::Count, 1, Query::Count(Filter::default()));
        assert!(read_one(0, &shared, &mut None, &old).is_some());
        shared.newest[Slot::Count as usize].store(2, Ordering::Release);
        assert!(shared.is_stale(&old));
        assert_eq!(read_one(0, &shared, &mut None, &old), None);
        // Another slot has generations of its own.
        let other = ask(Slot::Funnel, 1, Query::Funnel);
        assert!(read_one(0, &shared, &mut None, &other).is_some());
    }

    #[test]
    fn without_an_index_every_answer_says_so() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (sender, replies) = crossbeam_channel::unbounded();
        let pool = Pool::start(folder.path(), move |reply| {
            sender.send(reply).expect("the test listens");
        });
        pool.ask(ask(Slot::Repos, 1, Query::Repos));
        let reply = replies.recv_timeout(DEADLINE).expect("an answer comes");
        assert_eq!(reply.answer, Err(Failure::NoIndex));
    }

    #[test]
    fn pages_follow_each_other_from_either_end() {
        let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let filter = Filter::default();
        let ids = |page: &Page| page.rows.iter().map(|row| row.id).collect::<Vec<_>>();
        let read = |from: From| page(&store, &filter, &from, 4).expect("the index can be read");
        let first = read(From::First);
        assert_eq!((first.rows.len(), first.rank), (4, Some(0)));
        assert!(first.is_first && !first.is_last);
        let rest = read(From::After(first.rows[3].id));
        assert!(rest.rows.len() == 2 && rest.is_last);
        let last = read(From::Last);
        assert!(last.is_last && !last.is_first && last.rank.is_none());
        assert_eq!(ids(&last)[2..], ids(&rest)[..]);
        let around = read(From::Around(rest.rows[0].id));
        assert_eq!(
            (around.selected, around.rank),
            (Some(rest.rows[0].id), Some(2))
        );
    }

    #[test]
    fn a_search_goes_around_the_ends_and_says_when_nothing_is_there() {
        let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let filter = Filter::default();
        let found = |id, needle: &str, step| {
            search(&store, &filter, (needle, id, step)).expect("the index can be read")
        };
        let all = page(&store, &filter, &From::First, 10).expect("the index can be read");
        let named: Vec<i64> = all
            .rows
            .iter()
            .filter(|row| row.test_name == "testInc")
            .map(|row| row.id)
            .collect();
        assert_eq!(named.len(), 2);
        assert_eq!(found(named[0], "testInc", Step::Next), Some(named[1]));
        assert_eq!(found(named[1], "testInc", Step::Next), Some(named[0]));
        assert_eq!(found(named[0], "testInc", Step::Previous), Some(named[1]));
        assert_eq!(found(named[0], "nowhere", Step::Next), None);
    }
}

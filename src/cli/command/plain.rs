//! The command `review`: the terminal UI on a queue, or the same queue line by line.
//!
//! The plain mode prints a sample, reads a line, appends the event, reports what is on the disk, and goes on: no escape
//! codes, no cursor, a stable order. It drives the same session with the same actions as the screen, and appends the
//! same events.

mod ends;
mod page;
mod past;
mod together;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, Write};

use crate::Context;
use crate::args;
use crate::browse;
use crate::browse::FieldScope;
use crate::command::judgement_words::{event_words, judgement_words, ruling_words};
use crate::command::review::{annotator, open, reviewing};
use crate::command::{config, demo, hint, inspect, why, workspace};
use crate::config::SavedFilters;
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::now_ms;
use crate::model::{
    Event, EventId, EventKind, JudgedSample, Judgement, SampleDetail, SampleKey, Snapshot, Snippet,
};
use crate::review::action::{self, Act, Action};
use crate::review::{
    Circumstances, PriorVerdicts, Queue, QueueKind, QueueOptions, ReviewError, ReviewOptions, Seat,
    Session, ShownSample, Staleness, VerdictChoice, find, judge, meanwhile, open_queue,
    painted_order, queue, snapshot_of, split, standings,
};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::table::visible;
use crate::task::Monitor;

/// Methods that are listed where a name means several.
const NEAR_ROWS: usize = 20;

pub fn review(context: &mut Context<'_, '_>, arguments: &args::Review) -> Result<(), Stop> {
    let annotator = annotator(context, arguments.annotator.name.as_deref())?;
    let set = reviewing(&config::load(context));
    let queue = arguments.queue.clone().unwrap_or(set.queue);
    let reviewing = ReviewOptions {
        queue: browse::expand(&queue, &workspace::saved(context), FieldScope::Samples)
            .map_err(|error| inspect::wrong(&error, FieldScope::Samples))?,
        annotator,
        is_named: set.is_named || arguments.annotator.name.is_some(),
        overlap: arguments.overlap.unwrap_or(set.overlap),
        is_blind: arguments.blind || set.is_blind,
        guideline: arguments.guideline.clone().or(set.guideline),
    };
    // A wrong queue is reported before the terminal UI opens.
    options(&reviewing)?;
    let is_dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    let has_terminal = context.streams.out_is_terminal && context.streams.input_is_terminal;
    if has_terminal && !is_dumb && !arguments.plain {
        let folder = workspace::folder(context);
        return demo::open_at(context, folder, Some(reviewing));
    }
    let folder = workspace::folder(context);
    let store = workspace::open(context)?;
    let verdicts = open(context, StoreAccess::Create)?;
    let streams = &mut *context.streams;
    let mut desk = PlainReview::new(store, verdicts, &reviewing, streams.out, &now_ms)?;
    desk.take_seat(&folder);
    desk.run(streams.input)
}

/// Reads the queue that is asked for, in which saved filters are their texts.
fn options(reviewing: &ReviewOptions) -> Result<QueueOptions, Stop> {
    let queue = split(&reviewing.queue).map_err(ReviewError::from)?;
    let filter = inspect::filter_with(
        &SavedFilters::default(),
        std::slice::from_ref(&queue.filter),
        FieldScope::Samples,
    )?;
    let text = browse::write_filter(&filter);
    Ok(queue.options(filter, text, &reviewing.annotator, reviewing.overlap))
}

/// A review in the plain mode.
struct PlainReview<'d> {
    store: Store,
    verdicts: Verdicts,
    options: QueueOptions,
    is_blind: bool,
    guideline: Option<String>,
    session: Session,
    /// The state of the verdicts that the session knows.
    version: i64,
    /// The sample that is printed.
    page: Option<PrintedSample>,
    /// The sample that was printed last without being left since, and when.
    since: Option<(SampleKey, i64)>,
    /// Whether it was said that nothing is left.
    is_end_told: bool,
    /// The file by which others see who reads here, and which sample.
    seat: Option<Seat>,
    /// The words of this session's judgements that stand, by event.
    said: BTreeMap<EventId, &'static str>,
    out: &'d mut dyn Write,
    now_ms: &'d dyn Fn() -> i64,
}

/// A sample that is printed.
struct PrintedSample {
    detail: SampleDetail,
    /// The state that is kept with a verdict on it.
    snapshot: Snapshot,
    shown: ShownSample,
    since_ms: i64,
    /// The annotator's verdict on it when it was printed.
    mine: Option<EventId>,
    /// The judgement that is not saved yet, because the annotator first hears what has been said of the sample since.
    held: Option<Judgement>,
    /// The distance, in steps, of the neighbour that was looked at since.
    away: i64,
}

/// Whether there is more to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReviewFlow {
    On,
    Leave,
}

impl<'d> PlainReview<'d> {
    fn new(
        store: Store,
        mut verdicts: Verdicts,
        reviewing: &ReviewOptions,
        out: &'d mut dyn Write,
        now_ms: &'d dyn Fn() -> i64,
    ) -> Result<Self, Stop> {
        let options = options(reviewing)?;
        let monitor = Monitor::default();
        let queue = open_queue(&store, &mut verdicts, &monitor, &options, now_ms())?;
        let version = verdicts.version()?;
        let mut desk = Self {
            store,
            verdicts,
            options,
            is_blind: reviewing.is_blind,
            guideline: reviewing.guideline.clone(),
            session: Session::default(),
            version,
            page: None,
            since: None,
            is_end_told: false,
            seat: None,
            said: BTreeMap::new(),
            out,
            now_ms,
        };
        desk.welcome(queue)?;
        Ok(desk)
    }

    /// Reads lines until there are no more, or the annotator leaves.
    fn run(mut self, input: &mut dyn BufRead) -> Result<(), Stop> {
        self.turn()?;
        if self.page.is_none() {
            return Ok(self.out.flush()?);
        }
        loop {
            write!(self.out, "> ")?;
            self.out.flush()?;
            let mut line = Vec::new();
            let n_bytes = input.read_until(b'\n', &mut line).map_err(|error| {
                Failure::new(ExitCode::Input, format!("cannot read the input: {error}"))
            })?;
            if n_bytes == 0 {
                writeln!(self.out)?;
                break;
            }
            if self.obey(String::from_utf8_lossy(&line).trim())? == ReviewFlow::Leave {
                break;
            }
            self.turn()?;
        }
        self.farewell()
    }

    /// Prints the current sample unless it is printed already.
    fn turn(&mut self) -> Result<(), Stop> {
        if self.page.is_some() {
            return Ok(());
        }
        let seats = self.wait_for_others();
        while let Some(key) = self.session.current() {
            let Some(sample) = self.store.sample(&key, None)? else {
                writeln!(self.out, "{key} is not in the index any more")?;
                self.session.gone(key);
                continue;
            };
            let snapshot = snapshot_of(&sample);
            let detail = browse::detail_of(sample);
            let n_done = self.session.n_done();
            let n_all = n_done + self.session.n_left();
            let name = visible(self.session.name());
            writeln!(
                self.out,
                "\nsample {} of {n_all}, {name}, key {key}",
                n_done + 1
            )?;
            self.sit(&seats, key)?;
            self.print(&detail)?;
            let since_ms = match self.since {
                // Printed again: it was looked at all the time.
                Some((same, since_ms)) if same == key => since_ms,
                _ => (self.now_ms)(),
            };
            self.since = Some((key, since_ms));
            let mine = self.verdicts.of_sample(&key)?.into_iter();
            let mut mine = mine.filter(|verdict| verdict.annotator == self.options.annotator);
            self.page = Some(PrintedSample {
                shown: ShownSample::of(&detail, self.is_blind),
                snapshot,
                detail,
                since_ms,
                mine: mine.next().map(|verdict| verdict.event),
                held: None,
                away: 0,
            });
            self.is_end_told = false;
            return Ok(());
        }
        if !self.is_end_told {
            self.is_end_told = true;
            self.next_step()?;
        }
        Ok(())
    }

    /// Prints a sample, with what this annotator has said of it.
    fn print(&mut self, detail: &SampleDetail) -> Result<(), Stop> {
        let key = detail.row.key;
        self.out
            .write_all(page::sample(detail, self.is_blind).as_bytes())?;
        let who = &self.options.annotator;
        let mut mine = self.verdicts.of_sample(&key)?;
        mine.retain(|verdict| verdict.annotator == *who);
        for standing in standings(&self.store, mine)? {
            let mut line = format!("your verdict: {}", self.words_of(&standing.verdict.judged));
            match standing.stale {
                None | Some(Staleness::Gone) => {}
                Some(Staleness::Changed) => line += "; the code has changed since",
                Some(Staleness::OtherFocal) if self.is_blind => line += "; it is out of date",
                Some(Staleness::OtherFocal) => line += "; the match is another one since",
            }
            writeln!(self.out, "{}", visible(&line))?;
        }
        let notes = self.verdicts.notes_of(&key)?;
        for (_, note) in notes.iter().filter(|note| note.0 == *who) {
            writeln!(self.out, "your note: {}", visible(note))?;
        }
        if self.verdicts.marks_of(who)?.contains(&key) {
            writeln!(self.out, "marked")?;
        }
        Ok(())
    }

    /// Describes a judgement as a person would, without the hidden parts.
    fn words_of(&self, judged: &JudgedSample) -> String {
        if self.is_blind && judged.judgement == Judgement::Accept {
            return judged.judgement.as_str().to_owned();
        }
        judgement_words(judged)
    }

    /// The same for any event.
    fn done(&self, kind: &EventKind) -> String {
        match kind {
            EventKind::Judged(judged) => self.words_of(judged),
            EventKind::Adjudicated { judged, reason } => match judged.judgement {
                Judgement::Accept if self.is_blind => format!("gold: {}", self.words_of(judged)),
                _ => ruling_words(judged, reason),
            },
            other => event_words(other),
        }
    }

    fn say(&mut self, text: &str) -> Result<(), Stop> {
        Ok(writeln!(self.out, "{}", visible(text))?)
    }

    /// Does what a line says.
    fn obey(&mut self, line: &str) -> Result<ReviewFlow, Stop> {
        if line.is_empty() {
            return Ok(ReviewFlow::On);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word, rest) {
            ("q" | "quit", "") => return Ok(ReviewFlow::Leave),
            ("?" | "help", "") => self.out.write_all(page::help(self.is_blind).as_bytes())?,
            ("again", "") => self.page = None,
            ("keep", "") => self.keep()?,
            ("back", number) => self.back(number)?,
            ("context", "") => self.context()?,
            ("show", number) => self.show(number)?,
            _ => match (word.parse::<usize>(), action::parse(word)) {
                (Ok(rank), _) if rest.is_empty() => self.decide(&VerdictChoice::Candidate(rank))?,
                (Err(_), Some(action)) => self.act(action, rest)?,
                _ => {
                    let line = format!("`{line}` is not a command here; `?` lists the commands");
                    self.say(&line)?;
                }
            },
        }
        Ok(ReviewFlow::On)
    }

    fn act(&mut self, action: &Action, rest: &str) -> Result<(), Stop> {
        let takes_text = matches!(action.act, Act::Pick | Act::Find | Act::Note);
        if !takes_text && !rest.is_empty() {
            let line = format!("`{}` takes no argument", action.word());
            return self.say(&line);
        }
        let plain = |judgement| VerdictChoice::Plain(judgement);
        match action.act {
            Act::Accept => self.decide(&plain(Judgement::Accept)),
            Act::NoneOfThese => self.decide(&plain(Judgement::NoneOfThese)),
            Act::NoFocal => self.decide(&plain(Judgement::NoFocal)),
            Act::Unsure => self.decide(&plain(Judgement::Unsure)),
            Act::Skip => self.decide(&plain(Judgement::Skip)),
            Act::Pick | Act::Find => self.pick(rest),
            Act::Mark => self.mark(),
            Act::Note => self.note(rest),
            Act::Undo => self.undo(),
            Act::Redo => self.redo(),
            Act::Why => self.why(),
            Act::History => self.history(),
            Act::Next => self.peek(1),
            Act::Previous => self.peek(-1),
        }
    }

    /// Finds the sample that a line is about; nothing, after having said why, when there is none, or another one was
    /// printed since.
    fn subject(&mut self) -> Result<Option<&PrintedSample>, Stop> {
        match &self.page {
            None => self.say("no sample is open")?,
            Some(page) if page.away != 0 => {
                self.say("another sample was printed last; `again` returns to yours")?;
            }
            Some(_) => return Ok(self.page.as_ref()),
        }
        Ok(None)
    }

    fn decide(&mut self, choice: &VerdictChoice) -> Result<(), Stop> {
        let now_ms = (self.now_ms)();
        let circumstances = Circumstances {
            dwell_ms: None,
            guideline: self.guideline.clone(),
            queue: Some(self.session.name().to_owned()),
            note: None,
        };
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let dwell_ms = u32::try_from(now_ms.saturating_sub(page.since_ms).max(0));
        let circumstances = Circumstances {
            dwell_ms: Some(dwell_ms.unwrap_or(u32::MAX)),
            ..circumstances
        };
        let judged = match judge(&page.shown, choice, circumstances) {
            Ok(judged) => judged,
            Err(error) => return self.refuse(error),
        };
        let snapshot = page.snapshot.clone();
        if self.hold(&judged)? {
            return Ok(());
        }
        self.append(now_ms, EventKind::Judged(judged.clone()), Some(&snapshot))?;
        self.moved(&judged);
        self.catch_up(Session::retake)
    }

    /// Tells what has been said of the sample since it was printed, and returns whether a judgement has to wait for
    /// that: the same one said again counts. To skip what others have done leaves it to them, and says nothing of it.
    fn hold(&mut self, judged: &JudgedSample) -> Result<bool, Stop> {
        let Some(page) = &mut self.page else {
            return Ok(false);
        };
        let found = meanwhile(&self.verdicts, &self.options, &judged.key, page.mine)?;
        let Some(found) = found else {
            return Ok(false);
        };
        if judged.judgement == Judgement::Skip {
            match &found {
                PriorVerdicts::Mine(_) => self.session.decided(judged.key),
                PriorVerdicts::Others(_) => self.session.gone(judged.key),
            }
            (self.page, self.since) = (None, None);
            self.say("left as it is")?;
            self.catch_up(Session::retake)?;
            return Ok(true);
        }
        if page.held.replace(judged.judgement.clone()).as_ref() == Some(&judged.judgement) {
            return Ok(false);
        }
        let own = match &found {
            PriorVerdicts::Mine(verdict) => format!(": {}", self.words_of(&verdict.judged)),
            PriorVerdicts::Others(_) => String::new(),
        };
        let line = format!(
            "not saved: {}{own}; say it again to save yours, `skip` leaves it as it is",
            found.sentence()
        );
        self.say(&line)?;
        Ok(true)
    }

    /// Goes on after a judgement that is on the disk.
    fn moved(&mut self, judged: &JudgedSample) {
        if judged.judgement == Judgement::Skip {
            self.session.skipped(judged.key);
        } else {
            self.session.decided(judged.key);
        }
        self.page = None;
        self.since = None;
    }

    /// Says why something cannot be said of the sample; other errors end the session.
    fn refuse(&mut self, error: ReviewError) -> Result<(), Stop> {
        let message = error.to_string();
        match error {
            ReviewError::NoSuchMethod { near, .. } => {
                self.say(&message)?;
                for method in near.iter().take(NEAR_ROWS) {
                    self.say(&format!("  {method}"))?;
                }
                let n_more = near.len().saturating_sub(NEAR_ROWS);
                if n_more > 0 {
                    self.say(&format!("  and {n_more} more"))?;
                }
                Ok(())
            }
            ReviewError::NoSuchCandidate { .. } | ReviewError::Blind => self.say(&message),
            ReviewError::NothingToAccept => self.say(&format!(
                "{message}; a number picks a candidate, X says that the test is not about one method"
            )),
            other => Err(other.into()),
        }
    }

    fn pick(&mut self, text: &str) -> Result<(), Stop> {
        if text.is_empty() {
            return self.say("which one? `pick N`, `pick NAME` or `find NAME`");
        }
        if let Ok(rank) = text.parse() {
            return self.decide(&VerdictChoice::Candidate(rank));
        }
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let shown = page.shown.clone();
        match find(&self.store, &shown, text) {
            Ok(method) => self.decide(&VerdictChoice::Key(method)),
            Err(error) => self.refuse(error),
        }
    }

    /// Puts an event on the disk and says so.
    fn append(
        &mut self,
        now_ms: i64,
        kind: EventKind,
        shown: Option<&Snapshot>,
    ) -> Result<(), Stop> {
        let who = self.options.annotator.clone();
        let events = self.verdicts.append_shown(
            &who,
            now_ms,
            vec![kind],
            shown.map_or(&[], std::slice::from_ref),
        )?;
        if let Some(failure) = self.verdicts.take_backup_failure() {
            self.say(&format!("there is no copy of today's verdicts: {failure}"))?;
        }
        for event in &events {
            self.remember(event);
            let line = format!("saved: {}", self.done(event.kind()));
            self.say(&line)?;
        }
        Ok(())
    }

    fn remember(&mut self, event: &Event) {
        if let EventKind::Judged(judged) = event.kind() {
            self.said.insert(event.id(), judged.judgement.as_str());
        }
    }

    /// Takes the queue anew, one way or the other, when there is more than the one event that this session has added:
    /// what others have said changes what comes next.
    fn catch_up(&mut self, take: fn(&mut Session, Queue)) -> Result<(), Stop> {
        let version = self.verdicts.version()?;
        if version != self.version + 1 {
            let monitor = Monitor::default();
            let queue = queue(&self.store, &self.verdicts, &monitor, &self.options)?;
            take(&mut self.session, queue);
        }
        self.version = version;
        Ok(())
    }

    fn why(&mut self) -> Result<(), Stop> {
        if self.is_blind {
            return self.say("it is hidden");
        }
        if let Some(page) = self.subject()? {
            let text = why::candidates(&page.detail).replace('▶', ">");
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn context(&mut self) -> Result<(), Stop> {
        let is_blind = self.is_blind;
        if let Some(page) = self.subject()? {
            let text = page::contexts(&page.detail, is_blind);
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Prints the source of a candidate.
    fn show(&mut self, number: &str) -> Result<(), Stop> {
        let is_blind = self.is_blind;
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let order = painted_order(&page.detail, is_blind);
        let rank = number.parse::<usize>().ok();
        let idx = rank.and_then(|rank| order.get(rank.checked_sub(1)?).copied());
        let Some(idx) = idx else {
            let line = format!("no candidate {number}: there are {}", order.len());
            return self.say(&line);
        };
        let key = page.shown.key;
        match source(&self.store, &key, idx)? {
            Some(snippet) => {
                let text = page::titled(&format!("candidate {number}"), &snippet);
                self.out.write_all(text.as_bytes())?;
            }
            None => self.say("there is no source of it")?,
        }
        Ok(())
    }

    /// Leaves a sample that was opened again as it was judged.
    fn keep(&mut self) -> Result<(), Stop> {
        let who = self.options.annotator.clone();
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let key = page.shown.key;
        let verdicts = self.verdicts.of_sample(&key)?;
        let Some(mine) = verdicts.iter().find(|verdict| verdict.annotator == who) else {
            return self.say("you have not judged this sample");
        };
        let line = format!("kept: {}", self.words_of(&mine.judged));
        self.say(&line)?;
        self.moved(&mine.judged);
        Ok(())
    }

    /// Prints a neighbour; nothing is decided before the sample itself is printed again.
    fn peek(&mut self, steps: i64) -> Result<(), Stop> {
        let Some(page) = &mut self.page else {
            return self.say("no sample is open");
        };
        let away = page.away + steps;
        if away == 0 {
            self.page = None;
            return Ok(());
        }
        let Some(key) = self.session.peek(away) else {
            return self.say("there is no further sample");
        };
        page.away = away;
        let Some(detail) = browse::detail(&self.store, &key, None)? else {
            return self.say("that sample is not in the index any more");
        };
        let (n, side) = (
            away.unsigned_abs(),
            if away > 0 { "ahead" } else { "behind" },
        );
        writeln!(self.out, "\n{n} {side}, only to look at: key {key}")?;
        self.print(&detail)?;
        writeln!(self.out, "`again` returns to your sample")?;
        Ok(())
    }

    /// Says what can be done where nothing is left.
    fn next_step(&mut self) -> Result<(), Stop> {
        let n_done = self.session.n_done();
        let name = self.session.name().to_owned();
        let others = "`--queue unmapped`, `--queue disagreements` or `--queue stale`";
        let step = match self.options.kind {
            _ if browse::count(&self.store, &crate::model::Filter::default())? == 0 => {
                "the index is empty: `focalist mine PATH` fills it".to_owned()
            }
            QueueKind::Audit => {
                let audit = self.options.audit_options();
                let (n, seed) = (audit.n.to_string(), audit.seed.to_string());
                let mut words = vec!["audit", "--n", &n, "--seed", &seed];
                words.extend(["--stratify", audit.stratify.as_str(), "--report"]);
                words.extend(Some(audit.filter_text.as_str()).filter(|text| !text.is_empty()));
                let command = hint::command(&words);
                format!("{command} says how good the matches are")
            }
            QueueKind::Marked | QueueKind::Noted => {
                format!("there is nothing else to discuss; continue with {others}")
            }
            QueueKind::Stale => "none of your verdicts is out of date".to_owned(),
            QueueKind::Disagreements => {
                "no disagreements: `focalist agreement` says how far annotators agree".to_owned()
            }
            _ if n_done == 1 => {
                format!("you have judged the only one that is yours; continue with {others}")
            }
            _ if n_done > 0 => {
                format!("you have judged all {n_done} that are yours; continue with {others}")
            }
            _ => format!(
                "others have judged all that the filter lets through, or it lets nothing through; `--overlap 2` asks for second verdicts; or continue with {others}"
            ),
        };
        self.say(&format!("nothing is left in {name}"))?;
        self.say(&step)
    }
}

/// Reads the whole lines of a candidate; nothing where the index has no source of it.
fn source(store: &Store, key: &SampleKey, idx: usize) -> Result<Option<Snippet>, Stop> {
    let Some(sample) = store.sample(key, None)? else {
        return Ok(None);
    };
    let Some(candidate) = sample.candidates.get(idx) else {
        return Ok(None);
    };
    let method = &candidate.method;
    let Some(text) = store.text(&sample.repo.identity, &method.path)? else {
        return Ok(None);
    };
    let (start, end) = (method.span.start as usize, method.span.end as usize);
    let before = text.get(..start).unwrap_or_default();
    let indent = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let lines = text.get(start - indent..end).unwrap_or_default();
    Ok((!lines.is_empty()).then(|| Snippet {
        key: method.key(),
        package: None,
        path: method.path.clone(),
        first_line: method.start_line,
        name_line: method.name_line,
        text: lines.to_owned(),
        marks: Vec::new(),
    }))
}

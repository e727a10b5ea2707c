//! The questions of Jobs, about the table of jobs and their logs: they need no index.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::chart::Figure;
use crate::job::{self, LogPart};
use crate::model::{JobId, JobRow};
use crate::plot::{self, LOG, Training};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};

/// The number of bytes that are read from the end of a log: more lines than anybody scrolls through, read in a blink.
const TAIL_BYTES: u64 = 512 << 10;
/// The most bytes that are added at once; the next question asks for the rest.
const PART_BYTES: u64 = 256 << 10;

/// All jobs, unless nothing has changed since this version.
#[derive(Debug)]
pub struct JobListQuestion {
    pub known: Option<u64>,
}

/// The jobs at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct JobList {
    /// The jobs, the latest first; absent when nothing has changed.
    pub rows: Option<Vec<JobRow>>,
    pub version: u64,
    /// Milliseconds since 1970.
    pub now_ms: i64,
}

impl Question for JobListQuestion {
    type Answer = JobList;
    const SLOT: Slot = Slot("jobs.rows");
    const NEEDS_INDEX: bool = false;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        source.jobs.with(source.folder, |jobs| {
            // Read before the rows: a change in between is read again, never missed.
            let version = jobs.version()?;
            let rows = (self.known != Some(version)).then(|| jobs.rows());
            let mut rows = rows.transpose()?;
            if let Some(rows) = &mut rows {
                job::show_finished(rows);
            }
            Ok(JobList {
                rows,
                version,
                now_ms: job::now_ms(),
            })
        })
    }
}

/// Lines of a log: its end, or those from byte `from` on.
#[derive(Debug)]
pub struct JobLogQuestion {
    pub id: JobId,
    pub from: Option<u64>,
}

/// Lines of a log, from byte `from` on; without it, its last ones.
#[derive(Clone, Debug)]
pub struct LogLines {
    pub id: JobId,
    pub from: Option<u64>,
    pub part: LogPart,
}

impl Question for JobLogQuestion {
    type Answer = LogLines;
    const SLOT: Slot = Slot("jobs.log");
    const NEEDS_INDEX: bool = false;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (id, from) = (self.id, self.from);
        let part = source.jobs.with(source.folder, |jobs| {
            Ok(match from {
                Some(from) => jobs.log_from(id, from, PART_BYTES),
                None => jobs.log_tail(id, TAIL_BYTES),
            })
        })?;
        let part =
            part.map_err(|error| MissingAnswer::because(format!("cannot read the log: {error}")))?;
        Ok(LogLines { id, from, part })
    }
}

/// The charts of a training, unless its log is as long as before.
#[derive(Debug)]
pub struct TrainingCurvesQuestion {
    pub id: JobId,
    /// The folder of the training.
    pub folder: PathBuf,
    pub known: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct TrainingCurves {
    pub id: JobId,
    pub drawn: CurveUpdate,
}

/// The news of a training's charts.
#[derive(Clone, Debug)]
pub enum CurveUpdate {
    AsBefore,
    /// There is no log yet.
    Nothing,
    Anew {
        /// The length of the log.
        n_bytes: u64,
        /// The losses and the learning rate.
        charts: Box<[Figure; 2]>,
    },
}

impl CurveUpdate {
    /// Draws the charts of a training whose log has `n_bytes`.
    #[must_use]
    pub fn of(training: &Training, n_bytes: u64) -> Self {
        let trainings = std::slice::from_ref(training);
        let mut charts = [plot::training(trainings), plot::learning_rate(trainings)];
        for chart in &mut charts {
            // The pane has the title.
            chart.title.clear();
            chart.subtitle.clear();
        }
        let charts = Box::new(charts);
        Self::Anew { n_bytes, charts }
    }
}

impl Question for TrainingCurvesQuestion {
    type Answer = TrainingCurves;
    const SLOT: Slot = Slot("jobs.curves");
    const NEEDS_INDEX: bool = false;

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let id = self.id;
        let answer = |drawn| Ok(TrainingCurves { id, drawn });
        // Measured before the log is read: lines written in between are read again, never missed.
        let n_bytes = self
            .folder
            .join(LOG)
            .metadata()
            .map(|metadata| metadata.len());
        let read = match n_bytes {
            Ok(n_bytes) if self.known == Some(n_bytes) => return answer(CurveUpdate::AsBefore),
            Ok(n_bytes) => {
                Training::read(&self.folder, String::new()).map(|pair| (n_bytes, pair.0))
            }
            Err(error) => Err(error),
        };
        match read {
            Ok((n_bytes, training)) => answer(CurveUpdate::of(&training, n_bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => answer(CurveUpdate::Nothing),
            Err(error) => Err(MissingAnswer::because(format!(
                "cannot read the log of the training: {error}"
            ))),
        }
    }
}

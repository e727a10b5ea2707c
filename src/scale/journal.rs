//! The finished steps of a shard: a line for each, written before the next one begins, so that a process that follows a
//! killed one knows where to go on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::exchange;
use crate::exchange::shards::{WireShardRepo, WireStep};

/// The journal of a shard that is being done.
pub(crate) struct Journal {
    file: File,
    /// The results of repositories, by line.
    pub done: BTreeMap<u32, WireShardRepo>,
    /// How often a repository was begun and not finished, and the last reason, by line.
    pub failed: BTreeMap<u32, (u32, String)>,
}

impl Journal {
    /// Goes on with a journal, or begins one; `None` where it is about something else.
    pub(crate) fn open(path: &Path, stamp: &str) -> io::Result<Option<Self>> {
        let text = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let (mut done, mut failed) = (BTreeMap::new(), BTreeMap::<u32, (u32, String)>::new());
        let mut is_ours = false;
        // A last line without a line end was being written when the process was killed.
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |n| n + 1);
        for line in text[..whole].split(|text| *text == b'\n') {
            match exchange::parse::<WireStep>(line) {
                Ok(WireStep::Stamp(found)) if found != stamp => return Ok(None),
                Ok(WireStep::Stamp(_)) => is_ours = true,
                Ok(WireStep::Begun(line)) => {
                    let known = failed.entry(line).or_default();
                    *known = (known.0 + 1, "it was killed".to_owned());
                }
                Ok(WireStep::Left(line)) => {
                    let known = failed.entry(line).or_default();
                    known.0 = known.0.saturating_sub(1);
                }
                Ok(WireStep::Failed(line, why)) => failed.entry(line).or_default().1 = why,
                Ok(WireStep::Done(repo)) => {
                    failed.remove(&repo.line);
                    done.insert(repo.line, *repo);
                }
                Err(_) => {}
            }
        }
        if whole > 0 && !is_ours {
            return Ok(None);
        }
        let file = File::options().create(true).append(true).open(path)?;
        file.set_len(whole as u64)?;
        let mut journal = Self { file, done, failed };
        if !is_ours {
            journal.write(&WireStep::Stamp(stamp.to_owned()))?;
        }
        Ok(Some(journal))
    }

    /// Notes that a repository is begun.
    pub(crate) fn begin(&mut self, line: u32) -> io::Result<()> {
        self.write(&WireStep::Begun(line))?;
        let known = self.failed.entry(line).or_default();
        *known = (known.0 + 1, "it was killed".to_owned());
        Ok(())
    }

    /// Notes that a repository was left, for no fault of its own.
    pub(crate) fn leave(&mut self, line: u32) -> io::Result<()> {
        self.write(&WireStep::Left(line))
    }

    /// Notes that a try failed, and why; the next one may succeed.
    pub(crate) fn fail(&mut self, line: u32, why: &str) -> io::Result<()> {
        self.write(&WireStep::Failed(line, why.to_owned()))?;
        why.clone_into(&mut self.failed.entry(line).or_default().1);
        Ok(())
    }

    /// Records the result of a repository, which is then done.
    pub(crate) fn end(&mut self, repo: WireShardRepo) -> io::Result<()> {
        self.write(&WireStep::Done(Box::new(repo.clone())))?;
        self.failed.remove(&repo.line);
        self.done.insert(repo.line, repo);
        Ok(())
    }

    /// Writes a line in one call, so that a killed process leaves at most one line unfinished.
    fn write(&mut self, step: &WireStep) -> io::Result<()> {
        let line = exchange::shards::line(step) + "\n";
        self.file.write_all(line.as_bytes())
    }
}

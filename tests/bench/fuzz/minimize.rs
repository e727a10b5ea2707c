//! Minimises a failing project: leaves out files, then lines, then tokens, as long as it still fails in the same way.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::pipeline::Source;
use super::watch::{Failure, Outcome, Worker};
use super::write_project;

/// The maximum time for minimising one failure.
const TIME_MAX: Duration = Duration::from_secs(90);

/// Shrinks a project that fails like `failure`.
pub fn minimize(sources: &[Source], failure: &Failure) -> Vec<Source> {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let mut search = Search {
        folder: scratch.path().join("project"),
        key: failure.key(),
        until: Instant::now() + TIME_MAX,
    };
    let mut sources = sources.to_vec();
    let mut at = 0;
    while at < sources.len() && sources.len() > 1 {
        let mut fewer = sources.clone();
        fewer.remove(at);
        if search.fails(&fewer) {
            sources = fewer;
        } else {
            at += 1;
        }
    }
    for split in [by_lines, by_tokens] {
        for at in 0..sources.len() {
            let pieces = split(&sources[at].text);
            let kept = search.without_most(&sources, at, pieces);
            sources[at].text = kept.concat();
        }
    }
    sources
}

fn by_lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn by_tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut was_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(token) if is_word && was_word => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        was_word = is_word;
    }
    tokens
}

struct Search {
    folder: PathBuf,
    key: String,
    until: Instant,
}

impl Search {
    /// Delta debugging: leaves out ever smaller runs of pieces of one file.
    fn without_most(
        &mut self,
        sources: &[Source],
        at: usize,
        mut pieces: Vec<String>,
    ) -> Vec<String> {
        let mut run = pieces.len().div_ceil(2);
        while run > 0 {
            let mut start = 0;
            while start < pieces.len() {
                if Instant::now() > self.until {
                    return pieces;
                }
                let end = (start + run).min(pieces.len());
                let mut fewer = pieces.clone();
                fewer.drain(start..end);
                let mut changed = sources.to_vec();
                changed[at].text = fewer.concat();
                if self.fails(&changed) {
                    pieces = fewer;
                } else {
                    start = end;
                }
            }
            run /= 2;
        }
        pieces
    }

    fn fails(&mut self, sources: &[Source]) -> bool {
        write_project(&self.folder, sources);
        let folder: &Path = &self.folder;
        let mut worker = Worker::replay(folder);
        let outcome = worker.next();
        worker.stop();
        match outcome {
            Outcome::Failed(failure) => failure.key() == self.key,
            Outcome::Done(_) => false,
        }
    }
}

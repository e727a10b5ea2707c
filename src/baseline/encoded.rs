//! What `focalist encode` writes, as numbers.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::failure::{Failure, Result};
use crate::vocabulary::Vocabulary;

/// A line.
#[derive(Debug, Deserialize)]
pub struct Line {
    pub sample: String,
    #[serde(default)]
    pub source: Vec<String>,
    #[serde(default)]
    pub target: Vec<String>,
}

/// A sample as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub key: String,
    pub source: Vec<u32>,
    pub target: Vec<u32>,
}

/// Samples, and what could not be read.
#[derive(Debug, Default)]
pub struct Samples {
    pub samples: Vec<Sample>,
    /// Lines that are no samples: where, and why.
    pub problems: Vec<String>,
}

/// Calls `each` with every line that is a sample.
///
/// # Errors
/// When the file cannot be read, or `each` fails.
pub fn each_line(path: &Path, mut each: impl FnMut(Line) -> Result<()>) -> Result<Vec<String>> {
    let file = File::open(path).map_err(|error| Failure::input(path, error))?;
    let mut problems = Vec::new();
    let mut bytes = Vec::new();
    let mut reader = BufReader::new(file);
    let mut number = 0;
    loop {
        bytes.clear();
        let n = reader
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Failure::input(path, error))?;
        if n == 0 {
            return Ok(problems);
        }
        number += 1;
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Line>(&bytes) {
            Ok(line) => each(line)?,
            Err(error) => problems.push(format!("{}:{number}: {error}", path.display())),
        }
    }
}

/// Reads a file of encoded samples.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: &Path, vocabulary: &Vocabulary) -> Result<Samples> {
    let mut samples = Vec::new();
    let problems = each_line(path, |line| {
        samples.push(sample(&line, vocabulary));
        Ok(())
    })?;
    Ok(Samples { samples, problems })
}

/// Returns a line as numbers; the target with its end.
#[must_use]
pub fn sample(line: &Line, vocabulary: &Vocabulary) -> Sample {
    let mut source = Vec::with_capacity(2 * line.source.len());
    vocabulary.split(line.source.iter().map(String::as_str), &mut source);
    let mut target = Vec::with_capacity(2 * line.target.len());
    vocabulary.split(line.target.iter().map(String::as_str), &mut target);
    target.push(vocabulary.end());
    Sample {
        key: line.sample.clone(),
        source,
        target,
    }
}

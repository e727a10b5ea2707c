//! Reads the output of `focalist encode` as numbers.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::encode::{CLOSED, SourceSection};
use crate::failure::{Failure, Result};
use crate::prompt::Prompt;
use crate::vocabulary::Vocabulary;

/// A line of the file, with its tokens.
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
    /// The context, where prompts are made of it; else it is in the source.
    pub context: Vec<u32>,
    pub target: Vec<u32>,
}

/// Samples, and what could not be read.
#[derive(Debug, Default)]
pub struct Samples {
    pub samples: Vec<Sample>,
    /// Lines that are not samples: where, and why.
    pub problems: Vec<String>,
}

/// Calls `each` with every line that is a sample, and returns the problems of the others.
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
pub fn read(path: &Path, vocabulary: &Vocabulary, prompt: Option<Prompt>) -> Result<Samples> {
    let mut samples = Vec::new();
    let problems = each_line(path, |line| {
        samples.push(sample(&line, vocabulary, prompt));
        Ok(())
    })?;
    Ok(Samples { samples, problems })
}

/// Turns a line into numbers as a model with that prompt reads them; the target ends with the end number.
#[must_use]
pub fn sample(line: &Line, vocabulary: &Vocabulary, prompt: Option<Prompt>) -> Sample {
    let is_apart = prompt.is_some_and(|model_prompt| model_prompt.kind.reads_context());
    let (mut source, mut context) = (Vec::with_capacity(2 * line.source.len()), Vec::new());
    if is_apart {
        let (own, around) = without_context(&line.source);
        vocabulary.split(own, &mut source);
        vocabulary.split(around, &mut context);
    } else {
        vocabulary.split(line.source.iter().map(String::as_str), &mut source);
    }
    let mut target = Vec::with_capacity(2 * line.target.len());
    vocabulary.split(line.target.iter().map(String::as_str), &mut target);
    target.push(vocabulary.end());
    Sample {
        key: line.sample.clone(),
        source,
        context,
        target,
    }
}

/// The tokens at which the context sections of a source begin and end.
const CONTEXTS: [(&str, &str); 2] = [
    (SourceSection::SetupContext.marker(), "<[/setup_context]>"),
    (SourceSection::FocalContext.marker(), "<[/focal_context]>"),
];

/// Splits a source into the tokens that `encode --no-context` writes, and the tokens of its context.
fn without_context(source: &[String]) -> (Vec<&str>, Vec<&str>) {
    let (mut own, mut context) = (Vec::with_capacity(source.len()), Vec::new());
    // The token that ends the present section; sources that are not trees have no such tokens.
    let mut end: Option<&str> = None;
    let mut is_begun = false;
    for token in source.iter().map(String::as_str) {
        let was_begun = std::mem::take(&mut is_begun);
        if let Some(section) = CONTEXTS.iter().find(|section| section.0 == token) {
            end = Some(section.1);
            is_begun = true;
        } else if end == Some(token) || (was_begun && token == CLOSED) {
            end = None;
        } else if end.is_some() {
            context.push(token);
        } else {
            own.push(token);
        }
    }
    (own, context)
}

#[cfg(test)]
mod tests {
    use super::without_context;
    use crate::encode::{ContextMode, Encoder, Sequence, Sources, encode_source, tokens_of_source};

    #[test]
    fn a_source_without_its_context_is_what_no_context_writes() {
        let calls = ["int a() { return 1; }", "int b() { return a(); }"];
        for (before, around) in [
            (&calls[..1], &calls[1..]),
            (&calls[..0], &calls[..]),
            (&calls[..0], &calls[..0]),
        ] {
            let sources = Sources {
                fixtures: vec!["@Before void before() { b(); }"],
                setup: "String it = \"<[focal_context]>\";",
                focal: "int c() { return b(); }",
                setup_context: before.to_vec(),
                focal_context: around.to_vec(),
                assertion: "assertEquals(1, c());",
            };
            let texts = |sequence: Sequence| sequence.iter().map(str::to_owned).collect::<Vec<_>>();
            let tree = |context| {
                let mut sequence = Sequence::new();
                encode_source(&mut Encoder::new(), &sources, context, &mut sequence)
                    .expect("it is Java");
                texts(sequence)
            };
            let tokens = |context| {
                let mut sequence = Sequence::new();
                tokens_of_source(&sources, context, &mut sequence);
                texts(sequence)
            };
            for (with, without) in [
                (tree(ContextMode::With), tree(ContextMode::Without)),
                (tokens(ContextMode::With), tokens(ContextMode::Without)),
            ] {
                let (own, context) = without_context(&with);
                assert_eq!(own, without);
                let n_methods = context.iter().filter(|token| **token == "return").count()
                    + context
                        .iter()
                        .filter(|token| **token == "<[return_statement]>")
                        .count();
                assert_eq!(n_methods, before.len() + around.len(), "{context:?}");
            }
        }
    }
}

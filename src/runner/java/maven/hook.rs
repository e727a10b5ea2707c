//! Whether a test has entered its focal method, which JaCoCo does not see where the method throws at once or is
//! abstract: the question to our agent, and its answer.

use std::path::Path;

use super::{Bench, coverage};
use crate::candidate::Focal;
use crate::sandbox::Root;

/// The file that exists once the agent watches, and is not empty once the method was entered.
const ANSWER: &str = "entered";

/// Writes the question to the agent: a word, a tab and a value on each line.
pub fn question(bench: &Bench<'_>, agent: &Path, folder: &Path, focal: &Focal) -> String {
    let mut text = String::new();
    let mut say = |word: &str, value: &str| text.push_str(&format!("{word}\t{value}\n"));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    // The agent takes a place that ends with a slash for a folder.
    say("hooks", &format!("{}/", agent.display()));
    for jar in &bench.build.jacoco {
        say("hooks", &path(jar));
    }
    say("out", &path(&folder.join(ANSWER)));
    for module in &bench.build.modules {
        say("folder", &path(&bench.there(&module.output)));
    }
    say("class", &coverage::class_of(focal).replace('/', "."));
    say("method", &focal.name);
    for parameter in &focal.parameters {
        say("parameter", parameter);
    }
    say("line", &focal.line.to_string());
    text
}

/// Reads the agent's answer in a folder; nothing where it could not watch.
pub fn is_entered(out: &Root, folder: &str) -> Option<bool> {
    let answer = out.open_file(Path::new(folder).join(ANSWER)).ok()?;
    Some(answer.metadata().ok()?.len() > 0)
}

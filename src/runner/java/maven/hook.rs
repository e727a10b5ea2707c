//! Whether a test has entered its focal method, which JaCoCo does not see where that throws at once or is abstract:
//! what our agent is asked, and what it says.

use std::path::Path;

use super::{Bench, coverage};
use crate::candidate::Focal;
use crate::sandbox::Root;

/// Is there once the agent looks, and has something in it once the method was entered.
const ANSWER: &str = "entered";

/// Writes the question to the agent: a word, a tab and a value a line.
pub fn asked(bench: &Bench<'_>, agent: &Path, folder: &Path, focal: &Focal) -> String {
    let mut text = String::new();
    let mut say = |word: &str, value: &str| text.push_str(&format!("{word}\t{value}\n"));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    // A folder among its places ends with a slash.
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

/// Reads the agent's answer in a folder; nothing where it could not look.
pub fn is_entered(out: &Root, folder: &str) -> Option<bool> {
    let answer = out.open_file(Path::new(folder).join(ANSWER)).ok()?;
    Some(answer.metadata().ok()?.len() > 0)
}

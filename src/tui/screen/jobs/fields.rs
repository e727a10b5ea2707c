//! The fields of the forms that start jobs: a table for each kind, with the option that each stands for.

use crate::execute::EngineName;
use crate::leakage::Splits;
use crate::model::{Extraction, JobKind, Language, Matcher, ParseMode, Target};
use crate::widget::form::Field;

/// What a field takes, and how it becomes arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// A file that is there.
    File,
    /// A folder that is there.
    Folder,
    /// A folder, made where there is none.
    NewFolder,
    /// A file to be written.
    Output,
    /// Jars and folders of jars, with `:` between them.
    Jars,
    Text,
    /// 1 and more.
    Number,
    /// A time, from a tenth of a second to an hour.
    Seconds,
    /// From this many to that many hundredths.
    Share(u32, u32),
    Filter,
    Metrics,
    /// A run of the index.
    Run,
    /// A closed set; its first word is what holds where none is given, and is left out.
    Words(fn() -> Vec<&'static str>),
    Switch,
    /// Further options, as on the command line.
    More,
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) label: &'static str,
    /// Empty for what stands without one.
    pub(super) option: &'static str,
    pub(super) takes: Takes,
    /// Whether what it was the last time is a good guess.
    pub(super) is_kept: bool,
    pub(super) help: &'static str,
}

const fn spec(
    label: &'static str,
    option: &'static str,
    takes: Takes,
    is_kept: bool,
    help: &'static str,
) -> Spec {
    Spec {
        label,
        option,
        takes,
        is_kept,
        help,
    }
}

impl Spec {
    pub(super) fn field(&self) -> Field {
        match self.takes {
            Takes::Words(words) => Field::choice(self.label, words(), self.help),
            Takes::Switch => Field::choice(self.label, vec!["no", "yes"], self.help),
            _ => Field::text(self.label, self.help),
        }
    }

    /// Returns whether it is one path, so that one can say whether it is there.
    pub(super) const fn is_looked_up(&self) -> bool {
        matches!(
            self.takes,
            Takes::File | Takes::Folder | Takes::NewFolder | Takes::Output
        )
    }

    pub(super) const fn is_path(&self) -> bool {
        matches!(
            self.takes,
            Takes::File | Takes::Folder | Takes::NewFolder | Takes::Output | Takes::Jars
        )
    }
}

fn all<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|it| as_str(*it)).collect()
}

fn matchers() -> Vec<&'static str> {
    let others = Matcher::ALL.iter().filter(|it| **it != Matcher::DEFAULT);
    let mut words = vec![Matcher::DEFAULT.as_str()];
    words.extend(others.map(|it| it.as_str()));
    words.push("contest,evidence,methods2test");
    words
}

fn engines() -> Vec<&'static str> {
    let names = EngineName::ALL.iter().map(|it| it.as_str());
    std::iter::once("usual").chain(names).collect()
}

fn clover_tasks() -> Vec<&'static str> {
    vec!["all", "cloze", "target", "block"]
}

fn shown_matcher() -> Vec<&'static str> {
    let mut words = vec!["as shown"];
    words.extend(Matcher::ALL.iter().map(|it| it.as_str()));
    words
}

const MORE: Spec = spec(
    "more",
    "",
    Takes::More,
    true,
    "further options, as on the command line: focalist help VERB lists them",
);

#[rustfmt::skip] // one field, one line: it is read as a table
const MINE: &[Spec] = &[
    spec("folder", "", Takes::Folder, true, "a repository; with `each`, a folder of repositories"),
    spec("each", "--each", Takes::Switch, true, "every folder in it is a repository"),
    spec("list", "--list", Takes::File, true, "instead: JSON lines with the `path` of each, and `url`, `name` …"),
    spec("name", "--name", Takes::Text, false, "the project's name where no remote tells it"),
    spec("matcher", "--matcher", Takes::Words(matchers), true, "what finds the focal method; several keep the decisions of each"),
    spec("tests", "--tests", Takes::Words(|| vec!["all", "annotated"]), true, "all frameworks, or only what carries an annotation itself"),
    spec("class path", "--classpath", Takes::Jars, true, "jars, and folders for all jars in them, with : between"),
    spec("force", "--force", Takes::Switch, false, "mine again what has not changed"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const IMPORT: &[Spec] = &[
    spec("file", "", Takes::File, false, "JSON lines, a JSON array, CSV by its name, or .txt: one prediction a line"),
    spec("run", "--run", Takes::Text, false, "its name in tables; unique in this index"),
    spec("model", "--model", Takes::Text, false, "as tables shall name it; may stay empty"),
    spec("target", "--target", Takes::Words(|| all(Target::ALL, Target::as_str)), true, "what the model was to write: the assertion part, or the whole test"),
    spec("language", "--language", Takes::Words(|| all(Language::ALL, Language::as_str)), true, "of the predictions"),
    spec("extract", "--extract", Takes::Words(|| all(Extraction::ALL, Extraction::as_str)), true, "none: the answer is code · mera, lenient: the code in its fences"),
    spec("parse", "--parse", Takes::Words(|| all(ParseMode::ALL, ParseMode::as_str)), true, "strict: as javac 17 · javalang: as ConTest counted (Java only)"),
    spec("max length", "--max-length", Takes::Number, true, "tokens that the model could write, if known: for the rate cut off"),
    spec("aligned with", "--aligned-with", Takes::Filter, true, "a filter: the n-th record answers its n-th sample; empty: records name theirs"),
    spec("replace", "--replace", Takes::Switch, false, "take the place of a run of the same name"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const EVAL: &[Spec] = &[
    spec("run", "--run", Takes::Run, false, "the run; empty: all of them"),
    spec("metrics", "--metrics", Takes::Metrics, true, "default contest all bleu:* …; empty: the default ones"),
    spec("crystal", "--crystal-corpus", Takes::File, true, "the corpus of CrystalBLEU; empty: the training split"),
    spec("force", "--force", Takes::Switch, false, "compute again what is there"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const EXPORT: &[Spec] = &[
    spec("output", "--output", Takes::Output, true, "the file to write; one that is there is refused unless `replace` says yes"),
    spec("format", "--format", Takes::Words(|| vec!["jsonl", "tests", "methods2test"]), true, "a sample a line · every test, also unmapped · the shape of Methods2Test"),
    spec("filter", "--filter", Takes::Filter, true, "only samples that it lets through: repo:gson weight>0.8 …"),
    spec("split", "--split", Takes::Words(|| vec!["all", "train", "validation", "test"]), true, "only this part of the random split"),
    spec("matcher", "--matcher", Takes::Words(shown_matcher), true, "whose decisions"),
    spec("everything", "--all", Takes::Switch, true, "also duplicates, focal calls in the assertion part, and long contexts"),
    spec("verified", "--verified", Takes::Switch, true, "only samples whose focal method people say is the true one"),
    spec("replace", "--force", Takes::Switch, false, "write over a file that is there"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const LEAKAGE: &[Spec] = &[
    spec("filter", "", Takes::Filter, true, "only samples that it lets through; empty: what export writes"),
    spec("split", "--split", Takes::Words(|| all(Splits::ALL, Splits::as_str)), true, "sample by sample, or project by project"),
    spec("threshold", "--threshold", Takes::Share(30, 100), true, "from which similarity on texts are near, 0.3 to 1; empty: the usual one"),
    spec("everything", "--all", Takes::Switch, true, "also duplicates and excessive contexts"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const EXECUTE: &[Spec] = &[
    spec("run", "", Takes::Run, false, "the run; empty: all of them"),
    spec("true tests", "--truth", Takes::Switch, false, "instead of a run: every mapped test itself, as run `truth` or `truth-python`"),
    spec("engine", "--engine", Takes::Words(engines), true, "fast, maven for Java · fork, fresh for Python; usual: the first of the language"),
    spec("timeout", "--timeout", Takes::Seconds, true, "seconds that a test may take, 0.1 to 3600; empty: 10"),
    spec("filter", "--filter", Takes::Filter, true, "only samples that it lets through: repo:gson …"),
    spec("sandbox", "--sandbox", Takes::Words(|| vec!["auto", "bwrap", "none"]), true, "what holds code of others; none: nothing does, and every result says so"),
    spec("again", "--force", Takes::Switch, false, "also what has its outcome"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const GENERATE: &[Spec] = &[
    spec("run", "--run", Takes::Text, false, "its name in tables; one that was generated before grows"),
    spec("model", "--model", Takes::Text, true, "a [models.NAME] of config.toml, or what the server calls it"),
    spec("endpoint", "--endpoint", Takes::Text, true, "the server: http://127.0.0.1:8000/v1; empty: as config.toml says"),
    spec("prompts", "--prompts", Takes::File, true, "as `focalist prompts` writes them; empty: made now, of the next kind"),
    spec("kind", "--kind", Takes::Words(|| vec!["of the file", "assertion", "test", "encoded"]), true, "instead of a file: what is asked for"),
    spec("filter", "", Takes::Filter, true, "with a kind: the samples that are asked about"),
    spec("api", "--api", Takes::Words(|| vec!["as set", "chat", "completions"]), true, "a conversation, or how a text goes on"),
    spec("answers", "--n", Takes::Number, true, "for each prompt and setting; empty: 1"),
    spec("temperature", "--temperature", Takes::Text, true, "0.2 · 0.2,0.8 · 0.05..0.40:0.05: each prompt is asked with all"),
    spec("max tokens", "--max-tokens", Takes::Number, true, "of an answer; empty: as the prompt says"),
    spec("at once", "--concurrency", Takes::Number, true, "requests at the same time; empty: 4"),
    spec("key", "--key-env", Takes::Text, true, "the NAME of the environment variable that holds it, never the key"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const TRAIN: &[Spec] = &[
    spec("train", "--train", Takes::File, true, "what `focalist encode split:train` has written"),
    spec("validation", "--validation", Takes::File, true, "what `focalist encode split:validation` has written"),
    spec("vocabulary", "--vocabulary", Takes::File, true, "what `focalist-baseline vocabulary` has written"),
    spec("output", "--output", Takes::NewFolder, true, "the folder of the training; one that is there goes on"),
    spec("size", "--size", Takes::Words(|| vec!["small", "paper", "tiny"]), true, "how large the model is"),
    spec("minutes", "--minutes", Takes::Number, true, "empty: until the loss on the validation split falls no more"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const PREPARE: &[Spec] = &[
    spec("folder", "", Takes::Folder, true, "a project of Java or Python; empty: all repositories of the index"),
    spec("name", "--name", Takes::Text, false, "the project's name from then on; empty: that of its folder"),
    spec("as of", "--as-of", Takes::Text, false, "Python: packages as they were on a day, 2024-09-01; empty: the commit's"),
    spec("python", "--python", Takes::Text, true, "Python: the version, 3.11; empty: the one on $PATH if the project takes it"),
    spec("add", "--add", Takes::Text, false, "Python: a package besides those that the project names"),
    spec("build network", "--build-network", Takes::Switch, true, "builds of the project reach the network, and all that you can reach"),
    spec("offline", "--offline", Takes::Switch, true, "download nothing: what is not in the cache fails"),
    spec("build network", "--build-network", Takes::Switch, true, "Python: builds of the project reach the network, and all that you can reach"),
    spec("sandbox", "--sandbox", Takes::Words(|| vec!["auto", "bwrap", "none"]), true, "what holds code of others; none: nothing does, and every result says so"),
    spec("again", "--rebuild", Takes::Switch, false, "build again what is in the cache"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const CLOVER: &[Spec] = &[
    spec("project", "", Takes::Text, true, "a Python project that was prepared, by its name or folder"),
    spec("task", "--task", Takes::Words(clover_tasks), true, "what is asked: a blank in an assertion, a test of a target, a test that covers blocks"),
    spec("tests", "--tests", Takes::Text, false, "only tests of this file; empty: all of them"),
    spec("seed", "--seed", Takes::Number, true, "which questions are drawn; empty: 0"),
    spec("repeats", "--repeats", Takes::Number, true, "how often each test is run for its lines; empty: 2"),
    spec("timeout", "--timeout", Takes::Seconds, true, "seconds that a test may take, 0.1 to 3600; empty: 60"),
    spec("sandbox", "--sandbox", Takes::Words(|| vec!["auto", "bwrap", "none"]), true, "what holds code of others; none: nothing does, and every result says so"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const EXPERIMENT: &[Spec] = &[
    spec("file", "", Takes::File, true, "what is asked, which models, how answers are judged: `focalist experiment --help`"),
    MORE,
];

#[rustfmt::skip] // one field, one line: it is read as a table
const INDEX: &[Spec] = &[
    spec("only near", "--near", Takes::Switch, true, "only signatures: the training samples that are nearest to one"),
    spec("only text", "--text", Takes::Switch, true, "only texts: what `text:` searches"),
    MORE,
];

pub(super) const fn specs(kind: JobKind) -> &'static [Spec] {
    match kind {
        JobKind::Mine => MINE,
        JobKind::Import => IMPORT,
        JobKind::Eval => EVAL,
        JobKind::Export => EXPORT,
        JobKind::Execute => EXECUTE,
        JobKind::Generate => GENERATE,
        JobKind::Train => TRAIN,
        JobKind::Leakage => LEAKAGE,
        JobKind::Index => INDEX,
        JobKind::Prepare => PREPARE,
        JobKind::Clover => CLOVER,
        JobKind::Experiment => EXPERIMENT,
    }
}

/// Options without a field whose value is a word of its own; others are read as they stand.
pub(super) const WITH_VALUE: &[&str] = &[
    "--abstain-below",
    "--max-context-tokens",
    "--seed",
    "--jobs",
    "--matcher",
    "--sample-field",
    "--prediction-field",
    "--input",
    "--dataset",
    "--name",
    "--codebleu-weights",
    "--crystal-k",
    "--limit",
    "--nearest",
    "--n",
    "--workspace",
    "--config",
    "--theme",
    "--repo",
    "--repair",
    "--budget",
    "--tokenizer",
    "--template",
    "--top-p",
    "--top-k",
    "--stop",
    "--rpm",
    "--tpm",
    "--timeout",
    "--retries",
    "--java",
    "--maven",
    "--set",
    "--program",
    "--accept",
    "--wheels",
    "--engine",
];

//! The verb `mine`: from folders of sources to rows of the index.
//!
//! A repository is read, parsed, resolved and decided in memory, then written as one new generation, while the next one
//! is analysed. Nothing of a repository is kept after it is written, so memory is bounded by the largest two.
//! `lang` decides what a test is, `focal` how it is matched, `store` how rows are kept.

use focalist_exchange as exchange;
use focalist_focal as focal;
use focalist_git as git;
use focalist_lang as lang;
use focalist_model as model;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::model::{ContentHash, Language, Matcher, Problem, RepoKey, SampleChanges};
use crate::store::{Origin, RepoContents, Stamp, Store, StoreError, Traces, WRITE_PARTS};
use crate::task::{Cancelled, Monitor};

pub mod analysis;
pub mod calls;
mod changes;
pub mod classpath;
pub mod explain;
mod languages;
mod moved;
pub mod sources;
pub mod why;

pub use focal::Options as FocalOptions;
pub use languages::{Languages, language_name};
pub use moved::Lookalike;
pub use syntax::language_of;

use moved::{is_gone, lookalikes, moved_from};

/// The version of the rules that all languages share; raised when any of them changes the stored rows.
const RULES_VERSION: u32 = 7;

/// Joins the versions of everything that the rows of a language are computed with: the program, the shared rules, and
/// the language's own rules from their second version on. When the rules of one language change, the repositories of
/// the others stay as they are.
#[must_use]
pub fn code_version(language: Language) -> String {
    let package = env!("CARGO_PKG_VERSION");
    match lang::version(language) {
        0 | 1 => format!("{package}+{RULES_VERSION}"),
        own => format!("{package}+{RULES_VERSION}.{own}"),
    }
}

/// The costs of a repository's stages, in thousandths: measured on nine projects of 0.1 to 9 MB with two threads. The
/// size of a repository is unknown before it is opened, so all count the same.
const READ_PARTS: u64 = 100;
const PARSE_PARTS: u64 = 500;
const RESOLVE_PARTS: u64 = 250;
const SETTLE_PARTS: u64 = 10;
const REPO_PARTS: u64 = READ_PARTS + PARSE_PARTS + RESOLVE_PARTS + WRITE_PARTS + SETTLE_PARTS;

/// Which methods count as tests (`--tests`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestSelection {
    #[default]
    All,
    /// Leaves out JUnit 3 by name and TestNG by class.
    Annotated,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MiningOptions {
    pub languages: Languages,
    pub matchers: Vec<Matcher>,
    pub tests: TestSelection,
    pub focal: focal::Options,
    pub seed: u64,
    /// Jars and folders of jars whose classes are known beside the sources (`--classpath`).
    pub classpath: Vec<PathBuf>,
    /// Whether matcher `evidence` also uses which methods ran when the true tests were executed (`--traces`).
    pub traces: bool,
    /// Whether unchanged repositories are mined again, too.
    pub force: bool,
}

impl Default for MiningOptions {
    fn default() -> Self {
        Self {
            languages: Languages::Auto,
            matchers: vec![Matcher::DEFAULT],
            tests: TestSelection::All,
            focal: focal::Options::default(),
            seed: 0,
            classpath: Vec::new(),
            traces: false,
            force: false,
        }
    }
}

impl MiningOptions {
    /// Reads the options that the [`Self::fingerprint`] of a language was made from, as far as it holds them, and
    /// whether there was a class path beside them, whose folders it does not hold. Versions are left out.
    #[must_use]
    pub fn of_fingerprint(text: &str, language: Language) -> (Self, bool) {
        let mut options = Self::default();
        let mut has_classpath = false;
        for (name, value) in text.split(' ').filter_map(|part| part.split_once('=')) {
            match name {
                "matchers" => {
                    let names = value.split(',').filter_map(|part| part.split('@').next());
                    let known = |name: &str| {
                        let mut all = Matcher::ALL.iter().copied();
                        all.find(|matcher| matcher.as_str() == name)
                    };
                    options.matchers = names.filter_map(known).collect();
                }
                "tests" if value == "annotated" => options.tests = TestSelection::Annotated,
                "context-constructors" => options.focal.context_constructors = value == "true",
                "max-context-tokens" => {
                    let n_max = value.parse();
                    options.focal.max_context_tokens =
                        n_max.unwrap_or(options.focal.max_context_tokens);
                }
                "abstain-below" => {
                    let usual = options.focal.threshold(language);
                    let below = value.parse::<f64>().ok();
                    options.focal.abstain_below =
                        below.filter(|below| (below - usual).abs() > f64::EPSILON);
                }
                "traces" => options.traces = true,
                "classpath" => has_classpath = true,
                _ => {}
            }
        }
        (options, has_classpath)
    }

    /// Writes everything that the rows of a language depend on, except the class path, as text; two runs with the same
    /// text, class path and sources give the same rows.
    #[must_use]
    pub fn fingerprint(&self, language: Language) -> String {
        let matchers: Vec<String> = self
            .matchers
            .iter()
            .map(|matcher| format!("{}@{}", matcher.as_str(), matcher.version()))
            .collect();
        format!(
            "matchers={} tests={} context-constructors={} max-context-tokens={} abstain-below={}",
            matchers.join(","),
            match self.tests {
                TestSelection::All => "all",
                TestSelection::Annotated => "annotated",
            },
            self.focal.context_constructors,
            self.focal.max_context_tokens,
            self.focal.threshold(language),
        )
    }
}

/// One repository to mine, with the facts known about it beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub root: PathBuf,
    /// The user's name for it; used where no remote tells the identity.
    pub name: Option<String>,
    /// The line of `--list` that it came from.
    pub listed: Option<sources::ListedRepo>,
}

/// The result of mining one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoReport {
    pub name: String,
    pub identity: String,
    pub language: Language,
    pub is_unchanged: bool,
    pub n_files: u64,
    pub n_tests: u64,
    pub n_mapped: u64,
    pub n_samples: u64,
    /// Compared with its former rows in the index; nothing where it had none, or is unchanged.
    pub changes: Option<SampleChanges>,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MiningReport {
    pub repos: Vec<RepoReport>,
    /// The seed of the index's splits: the first one it was mined with; later requests do not change it.
    pub seed: u64,
    /// Repositories that could not be read at all, or whose place a dataset holds, with the message.
    pub unreadable: Vec<(PathBuf, String)>,
    /// The parts of the class path that could not be used; only parts that some repository asked for are looked at.
    pub classpath_problems: Vec<Problem>,
    /// New repositories that may be in the index already, under another name.
    pub lookalikes: Vec<Lookalike>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sources(#[from] sources::SourceError),
    #[error("no test `{test}` in `{}`", root.display())]
    NoSuchTest {
        root: PathBuf,
        test: String,
        /// Tests whose names are close, for the hint.
        similar: Vec<String>,
    },
    #[error("no call on line {line} of `{test}`")]
    NoSuchCall {
        line: u32,
        test: String,
        /// The nearest calls, for the hint: `21:13 inc`.
        near: Vec<String>,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Mines `targets` in order and settles duplicates and splits.
///
/// # Errors
/// The disk's and the database's errors, and [`Cancelled`]; repositories finished before are kept, and the next run
/// settles them. A folder that cannot be read is in the report and the others go on.
pub fn mine(
    store: &mut Store,
    monitor: &Monitor,
    options: &MiningOptions,
    targets: &[Target],
) -> Result<MiningReport, Error> {
    let mut report = mine_unsettled(store, monitor, options, targets)?;
    let settling = monitor.stretch(SETTLE_PARTS * monitor.progress().n_repos_total, 1);
    report.seed = store.settle(options.seed, monitor)?;
    settling.end();
    Ok(report)
}

/// Mines `targets` in order and leaves it to the caller to settle the index, once all that belongs to it is there.
///
/// # Errors
/// As [`mine`].
pub fn mine_unsettled(
    store: &mut Store,
    monitor: &Monitor,
    options: &MiningOptions,
    targets: &[Target],
) -> Result<MiningReport, Error> {
    let mut report = MiningReport::default();
    let mut works = Vec::with_capacity(targets.len());
    for target in targets {
        let languages = options.languages.in_folder(&target.root, monitor)?;
        let n_languages = languages.len();
        let works_of_target = languages.into_iter().enumerate();
        works.extend(works_of_target.map(|(idx, language)| LanguageWork {
            target,
            language,
            is_first: idx == 0,
            is_last: idx + 1 == n_languages,
        }));
    }
    add(&monitor.n_repos_total, works.len());
    let n_works = works.len() as u64;
    (monitor.n_parts_total).fetch_add(REPO_PARTS * n_works, Ordering::Relaxed);
    let mut stamps = store.stamps()?;
    let origins = store.origins()?;
    let classpath = classpath::load(&options.classpath, monitor)?;
    let traces = if options.traces {
        store.traces()?
    } else {
        BTreeMap::new()
    };
    let setting = MiningSetting {
        options,
        traces: &traces,
        classpath: &classpath,
        origins: &origins,
    };
    let mut last = None;
    let mut chosen = LanguageChoice::default();
    for work in works {
        // A repository is written while the next one is analysed: writing keeps only one thread busy.
        let (written, outcome) = rayon::join(
            || write(store, monitor, last.take(), &mut report),
            || analysed(monitor, setting, work, &stamps),
        );
        written?;
        let outcome = chosen.choose(work, outcome?);
        if let TargetOutcome::Mined(ready) = &outcome {
            stamps.insert(ready.mined.repo.key(), ready.stamp.clone());
        }
        last = Some(outcome);
    }
    write(store, monitor, last, &mut report)?;
    report.classpath_problems = classpath.problems();
    report.lookalikes = lookalikes(store, &origins, &report.repos)?;
    Ok(report)
}

/// How every repository of a run is mined.
#[derive(Clone, Copy)]
struct MiningSetting<'s> {
    options: &'s MiningOptions,
    classpath: &'s classpath::LoadedClassPath,
    /// Where each repository of the index came from; the samples of a dataset are not replaced.
    origins: &'s BTreeMap<RepoKey, Origin>,
    /// The methods that ran when the true tests were executed; empty where they are not asked for.
    traces: &'s BTreeMap<RepoKey, Traces>,
}

impl MiningSetting<'_> {
    fn fingerprint(self, key: &RepoKey) -> String {
        let traces = self.traces.get(key);
        let traces = traces.map(|trace| format!(" traces={}", trace.hash()));
        let options = self.options.fingerprint(key.language);
        options + &traces.unwrap_or_default() + &self.classpath.fingerprint()
    }
}

/// One language of a target.
#[derive(Clone, Copy)]
struct LanguageWork<'t> {
    target: &'t Target,
    language: Language,
    is_first: bool,
    is_last: bool,
}

/// Chooses the languages of a target that come into the index where none was asked for: each in which a test is found;
/// where none has a test, the first one, which then reports that.
#[derive(Default)]
struct LanguageChoice {
    has_one: bool,
    spare: Option<TargetOutcome>,
}

impl LanguageChoice {
    fn choose(&mut self, work: LanguageWork<'_>, outcome: TargetOutcome) -> TargetOutcome {
        if work.is_first {
            *self = Self::default();
        }
        let is_wanted = match &outcome {
            TargetOutcome::Mined(ready) => ready.is_known || !ready.mined.tests.is_empty(),
            TargetOutcome::Unchanged(_)
            | TargetOutcome::Unreadable(..)
            | TargetOutcome::LeftOut => true,
        };
        self.has_one |= is_wanted;
        if is_wanted {
            return outcome;
        }
        if self.spare.is_none() {
            self.spare = Some(outcome);
        }
        let is_needed = work.is_last && !self.has_one;
        let spare = if is_needed { self.spare.take() } else { None };
        spare.unwrap_or(TargetOutcome::LeftOut)
    }
}

/// The state of a target before anything is written.
enum TargetOutcome {
    Unreadable(PathBuf, String),
    /// The language was not asked for, and has no tests here.
    LeftOut,
    Unchanged(RepoReport),
    Mined(Box<ReadyRepo>),
}

/// A repository that is only waiting to be written.
struct ReadyRepo {
    root: PathBuf,
    stamp: Stamp,
    /// The index has the repository as it was.
    is_known: bool,
    mined: analysis::MinedRepo,
}

/// Reads and analyses a target, unless it is unchanged since it was mined.
fn analysed(
    monitor: &Monitor,
    setting: MiningSetting<'_>,
    work: LanguageWork<'_>,
    stamps: &BTreeMap<RepoKey, Stamp>,
) -> Result<TargetOutcome, Error> {
    let target = work.target;
    let reading = monitor.stretch(READ_PARTS, 1);
    let read = sources::read_repo(&target.root, &source_options(work), monitor);
    reading.end();
    let mut tree = match read {
        Ok(tree) => tree,
        Err(sources::SourceError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => {
            return Ok(TargetOutcome::Unreadable(
                target.root.clone(),
                error.to_string(),
            ));
        }
    };
    if let Some(identity) = moved_from(&tree, target, setting.origins, stamps) {
        identity
            .rsplit('/')
            .next()
            .unwrap_or(identity)
            .clone_into(&mut tree.repo.name);
        identity.clone_into(&mut tree.repo.identity);
    }
    let key = tree.repo.key();
    if let Some(holder @ Origin::Dataset(_)) = setting.origins.get(&key) {
        let message = format!(
            "`{}` is `{}`, which is already in the index from {holder} and is not replaced; remove it first, or \
             mine in a separate workspace",
            target.root.display(),
            key.identity
        );
        return Ok(TargetOutcome::Unreadable(target.root.clone(), message));
    }
    let stamp = Stamp {
        content: short(tree.content_hash),
        options: setting.fingerprint(&key),
        code: code_version(tree.repo.language),
    };
    // A repository that has moved is mined again, because its place is stored with it.
    let has_moved = setting.origins.get(&key).is_some_and(is_gone);
    if !setting.options.force && !has_moved && stamps.get(&key) == Some(&stamp) {
        return Ok(TargetOutcome::Unchanged(unchanged(&tree)));
    }
    let is_known = stamps.contains_key(&key);
    let known = analysis::MiningContext {
        outside: &setting.classpath.outside,
        traces: setting.traces.get(&key),
    };
    let mined = analysis::mine_tree(tree, known, setting.options, monitor)?;
    Ok(TargetOutcome::Mined(Box::new(ReadyRepo {
        root: absolute(&target.root),
        stamp,
        is_known,
        mined,
    })))
}

/// Writes the mined rows of a target, and reports on them.
fn write(
    store: &mut Store,
    monitor: &Monitor,
    outcome: Option<TargetOutcome>,
    report: &mut MiningReport,
) -> Result<(), Error> {
    if matches!(
        outcome,
        Some(TargetOutcome::Unreadable(..) | TargetOutcome::Unchanged(_))
    ) {
        let spared = monitor.stretch(PARSE_PARTS + RESOLVE_PARTS + WRITE_PARTS, 1);
        spared.end();
    }
    match outcome {
        None => return Ok(()),
        Some(TargetOutcome::LeftOut) => monitor.stretch(WRITE_PARTS, 1).end(),
        Some(TargetOutcome::Unreadable(root, error)) => report.unreadable.push((root, error)),
        Some(TargetOutcome::Unchanged(repo)) => report.repos.push(repo),
        Some(TargetOutcome::Mined(ready)) => {
            let ReadyRepo {
                root,
                stamp,
                is_known,
                mut mined,
            } = *ready;
            let leftover = std::mem::replace(&mut mined.leftover, Box::new(()));
            // With a single repository, or the last one, no other work runs in parallel.
            let ((), changes) = rayon::join(
                move || drop(leftover),
                || {
                    let contents = RepoContents {
                        repo: &mined.repo,
                        root: &root,
                        stamp: &stamp,
                        files: &mined.files,
                        methods: &mined.methods,
                        tests: &mined.tests,
                        problems: &mined.problems,
                    };
                    write_repo(store, monitor, &contents, is_known)
                },
            );
            let changes = changes?;
            report.repos.push(RepoReport {
                changes,
                ..mined.report()
            });
        }
    }
    add(&monitor.n_repos, 1);
    Ok(())
}

/// Replaces a repository's rows in the index; returns the changes, where it had some before.
fn write_repo(
    store: &mut Store,
    monitor: &Monitor,
    contents: &RepoContents<'_>,
    is_known: bool,
) -> Result<Option<SampleChanges>, Error> {
    let key = contents.repo.key();
    let before = if is_known {
        Some(changes::PreviousRepo::read(store, &key)?)
    } else {
        None
    };
    store.replace_repo(contents, monitor)?;
    let changes = before
        .map(|previous_repo| previous_repo.compare(store, &key))
        .transpose()?;
    Ok(changes)
}

fn source_options(work: LanguageWork<'_>) -> sources::SourceOptions {
    sources::SourceOptions {
        name: work.target.name.clone(),
        listed: work.target.listed.clone(),
        language: work.language,
        ..sources::SourceOptions::default()
    }
}

fn unchanged(tree: &sources::SourceTree) -> RepoReport {
    RepoReport {
        name: tree.repo.name.clone(),
        identity: tree.repo.identity.clone(),
        language: tree.repo.language,
        is_unchanged: true,
        n_files: tree.files.len() as u64,
        n_tests: 0,
        n_mapped: 0,
        n_samples: 0,
        changes: None,
        problems: tree.problems.clone(),
    }
}

/// Cuts a hash to its first half, which is enough to distinguish versions of one repository.
fn short(hash: [u8; 32]) -> ContentHash {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    ContentHash(bytes)
}

/// Makes a path absolute: the editor and `rm` need it when the program is started from another folder later.
fn absolute(root: &Path) -> PathBuf {
    std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf())
}

fn add(counter: &std::sync::atomic::AtomicU64, n: usize) {
    counter.fetch_add(n as u64, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SampleKey;

    /// A repository with a class and its test.
    fn counter(folder: &Path) {
        let put = |path: &str, text: &str| {
            let path = folder.join(path);
            let parent = path.parent().expect("it is in a folder");
            std::fs::create_dir_all(parent).expect("tests may make folders");
            std::fs::write(path, text).expect("tests may write files");
        };
        put(
            "src/main/java/p/Counter.java",
            "package p; public class Counter { public int inc() { return 1; } }",
        );
        put(
            "src/test/java/p/CounterTest.java",
            "package p; import org.junit.Test; import static org.junit.Assert.assertEquals;
             public class CounterTest {
                 @Test public void testInc() { assertEquals(1, new Counter().inc()); }
             }",
        );
    }

    #[test]
    fn the_share_only_grows_and_all_of_it_is_done_in_the_end() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let targets = ["a", "b", "c", "gone"].map(|name| Target {
            root: folder.path().join(name),
            ..Target::default()
        });
        for target in &targets[..3] {
            counter(&target.root);
        }
        let workspace = folder.path().join(".focalist");
        let mut store = Store::open(&workspace, store::StoreAccess::Create).expect("it is made");
        let mut check = |targets: &[Target]| {
            let monitor = Monitor::default();
            let is_over = std::sync::atomic::AtomicBool::new(false);
            let options = MiningOptions::default();
            std::thread::scope(|scope| {
                let watcher = scope.spawn(|| {
                    let mut before = 0.0;
                    while !is_over.load(Ordering::Relaxed) {
                        let share = monitor.progress().share().unwrap_or(0.0);
                        assert!(before <= share, "{share} after {before}");
                        before = share;
                    }
                });
                let mined = mine(&mut store, &monitor, &options, targets);
                is_over.store(true, Ordering::Relaxed);
                watcher.join().expect("the share only grows");
                mined.expect("what can be read is mined");
            });
            assert_eq!(monitor.progress().share(), Some(1.0));
        };
        check(&targets[..1]);
        // One is unchanged, two are new, one is not there.
        check(&targets);
    }

    #[test]
    fn two_tests_of_one_key_in_one_file_are_two_samples() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let root = folder.path().join("twice");
        counter(&root);
        let path = "src/test/java/p/CounterTest.java";
        let text = std::fs::read_to_string(root.join(path)).expect("it is there");
        let test = "@Test public void testInc() { assertEquals(1, new Counter().inc()); }";
        assert!(text.contains(test));
        let twice = text.replace(test, &format!("{test}\n{test}"));
        std::fs::write(root.join(path), twice).expect("tests may write files");
        let workspace = folder.path().join(".focalist");
        let mut store = Store::open(&workspace, store::StoreAccess::Create).expect("it is made");
        let target = Target {
            root,
            ..Target::default()
        };
        let options = MiningOptions::default();
        mine(&mut store, &Monitor::default(), &options, &[target]).expect("it is mined");
        let mut found = Vec::new();
        let each = store.each_sample::<StoreError>(
            &model::Filter::default(),
            store::Extent::Sample,
            |sample| {
                found.push((sample.test.key(), sample.row.key));
                Ok(())
            },
        );
        each.expect("the samples are read");
        let key = |method| SampleKey::of_test("twice", Language::Java, method, Some(path));
        let expected = ["p.CounterTest#testInc()", "p.CounterTest#testInc()~2"];
        assert_eq!(
            found,
            expected.map(|expected| (expected.to_owned(), key(expected)))
        );
    }

    #[test]
    fn parsing_is_half_of_the_work() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        counter(folder.path());
        let monitor = Monitor::default();
        monitor.n_parts_total.store(REPO_PARTS, Ordering::Relaxed);
        let options = sources::SourceOptions::default();
        let tree = sources::read_repo(folder.path(), &options, &monitor).expect("it is read");
        let outside = lang::Outside::default();
        analysis::analyse(tree, &outside, &monitor).expect("nobody cancels");
        let parts = (monitor.progress().n_parts, PARSE_PARTS);
        assert_eq!(parts, (PARSE_PARTS, REPO_PARTS / 2));
    }

    #[test]
    fn options_are_read_back_from_what_a_repository_was_mined_with() {
        let options = MiningOptions {
            matchers: vec![Matcher::Contest, Matcher::Methods2Test],
            tests: TestSelection::Annotated,
            focal: FocalOptions {
                context_constructors: true,
                max_context_tokens: 512,
                abstain_below: Some(0.25),
            },
            ..MiningOptions::default()
        };
        let java = Language::Java;
        let read = |text: &str| MiningOptions::of_fingerprint(text, java);
        assert_eq!(read(&options.fingerprint(java)), (options, false));
        let with_jars = MiningOptions::default().fingerprint(java) + " classpath=a.jar:00ff";
        assert_eq!(read(&with_jars), (MiningOptions::default(), true));
        assert_eq!(
            read("of another version"),
            (MiningOptions::default(), false)
        );
    }

    #[test]
    fn what_java_was_mined_with_is_still_the_same() {
        let package = env!("CARGO_PKG_VERSION");
        assert_eq!(
            code_version(Language::Java),
            // The second number counts what changed in Java alone.
            format!("{package}+{RULES_VERSION}.2")
        );
        let usual = MiningOptions::default().fingerprint(Language::Java);
        assert!(usual.ends_with(" abstain-below=0.76"), "{usual}");
    }
}

//! From one machine to many: planning, merging, the overhead of shards, and Parquet, each as a ratio within one run.
//! Seconds are the processor time of this process and of the programs that it called, so that other work on the machine
//! does not count.
//!
//! ```text
//! cargo bench --bench scale
//! FOCALIST_BENCH_SAMPLES=1000000 cargo bench --bench scale
//! FOCALIST_PYTHON_DATA=venv/bin/python cargo bench --bench scale   # also against pyarrow
//! FOCALIST_BENCH_PART=plan,merge,shards,simulate cargo bench --bench scale   # some of it
//! ```

#[path = "frame/console.rs"]
mod console;
#[expect(dead_code, reason = "its repositories are wanted here, not its index")]
#[path = "frame/index.rs"]
mod index;
#[path = "frame/java.rs"]
mod java;
#[path = "frame/memory.rs"]
mod memory;
#[path = "frame/random.rs"]
mod random;
#[path = "scale/simulate.rs"]
mod simulate;
#[path = "scale/used.rs"]
mod used;

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use focalist::exchange::columns::ColumnWriter;
use focalist::lang::Outside;
use focalist::mine::{self, analysis, sources};
use focalist::model::{ContentHash, Language};
use focalist::scale::{Fetch, PlanOptions, Sharding, plan};
use focalist::store::{RepoContents, Stamp, Store, StoreAccess};
use focalist::task::Monitor;
use focalist::transfer::{
    self, ExportFormat, ExportOptions, ParquetOptions, Publication, SplitBy, export_parquet,
};
use serde_json::Value;

use console::{arguments, print};
use memory::memory_mb;
use used::used;

const N_LINES: usize = 100_000;
const N_SAMPLES: usize = 20_000;
const N_REPOS: usize = 100;
const N_SHARDS: usize = 40;
/// The number of samples that are mined twice, unless `FOCALIST_BENCH_SAMPLES` sets another.
const N_MINED: usize = 200_000;
/// The number of rows that are kept as objects, to be written by focalist and by pyarrow.
const N_OBJECTS: usize = 100_000;
/// The interval at which a process's memory is read.
const LOOK: Duration = Duration::from_millis(5);

fn main() {
    if arguments().is_none() {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.expect("there is a folder");
    let asked = env::var("FOCALIST_BENCH_PART").unwrap_or_default();
    let wants = |part: &str| asked.is_empty() || asked.split(',').any(|text| text == part);
    if wants("plan") {
        planning(folder.path());
    }
    if wants("merge") {
        let all = merging(folder.path());
        parquet(folder.path(), &all);
    }
    if wants("shards") {
        sharding(folder.path());
    }
    if wants("simulate") {
        simulate::simulate(folder.path());
    }
}

/// Returns the program's command in a folder.
fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
    command
        .args(["--quiet", "--config", "/dev/null"])
        .args(words)
        .current_dir(folder)
        .env_remove("FOCALIST_WORKSPACE");
    command
}

fn focalist(folder: &Path, words: &[&str]) {
    let ended = program(folder, words).status();
    assert!(
        ended.is_ok_and(|exit_status| exit_status.success()),
        "{words:?}"
    );
}

fn planning(folder: &Path) {
    let list = folder.join("list.jsonl");
    let line = |idx: usize| {
        let size = 10 + (idx * 7919) % 100_000;
        format!(
            "{{\"url\":\"https://example.org/o{}/r{idx}\",\"size\":{size},\"stars\":{}}}\n",
            idx % 977,
            idx % 500
        )
    };
    fs::write(&list, (0..N_LINES).map(line).collect::<String>()).expect("it is written");
    let options = PlanOptions {
        list,
        output: folder.join("plan"),
        into: Sharding::Shards(N_SHARDS),
        fetch: Fetch::parse("git clone --depth 1 {url} {dir}").ok(),
        filter: None,
        force: false,
    };
    let (seconds, report) = used(|| plan(&Monitor::default(), &options).expect("it is planned"));
    let sizes = report.plan.shards.iter().map(|shard| shard.size_bytes);
    let (least, most) = (sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
    print(&format!(
        "planning {N_LINES} repositories: {:.2} s (budget 2 s); largest shard {:.4} of the smallest",
        seconds,
        most as f64 / least as f64
    ));
}

/// A repository that was mined but not written into an index.
struct Mined {
    mined: analysis::MinedRepo,
    stamp: Stamp,
}

/// Writes a repository, mines it, and removes it.
fn mined(folder: &Path, idx: usize, n_samples: usize) -> Mined {
    let (monitor, outside) = (Monitor::default(), Outside::default());
    let root = index::write_repo(folder, idx, n_samples / N_REPOS, index::SEED);
    let options = sources::SourceOptions::default();
    let tree = sources::read_repo(&root, &options, &monitor).expect("it is read");
    let known = analysis::MiningContext {
        outside: &outside,
        traces: None,
    };
    let options = mine::MiningOptions::default();
    let mined = analysis::mine_tree(tree, known, &options, &monitor).expect("nobody cancels");
    fs::remove_dir_all(root).expect("it is ours");
    let stamp = Stamp {
        content: ContentHash([idx as u8; 16]),
        options: options.fingerprint(Language::Java),
        code: mine::code_version(Language::Java),
    };
    Mined { mined, stamp }
}

fn write(store: &mut Store, Mined { mined, stamp }: &Mined) {
    let contents = RepoContents {
        repo: &mined.repo,
        root: Path::new("repos"),
        stamp,
        files: &mined.files,
        methods: &mined.methods,
        tests: &mined.tests,
        problems: &mined.problems,
    };
    store
        .replace_repo(&contents, &Monitor::default())
        .expect("it is written");
}

fn settle(store: &mut Store) {
    store.settle(0, &Monitor::default()).expect("it is settled");
}

fn create(folder: &Path) -> Store {
    Store::open(&folder.join(".focalist"), StoreAccess::Create).expect("a workspace can be made")
}

fn merging(folder: &Path) -> PathBuf {
    let asked = env::var("FOCALIST_BENCH_SAMPLES").ok();
    let n_samples = asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(N_SAMPLES);
    let once = folder.join("once");
    let mut into_one = create(&once);
    let mut writing = 0.0;
    let mut words = vec![
        "--workspace".to_owned(),
        "all".to_owned(),
        "merge".to_owned(),
    ];
    // One after another, so that neither is completely in memory.
    for idx in 0..N_REPOS {
        let repo = mined(folder, idx, n_samples);
        writing += used(|| write(&mut into_one, &repo)).0;
        let shard = format!("shards/{idx}");
        let mut store = create(&folder.join(&shard));
        write(&mut store, &repo);
        settle(&mut store);
        words.push(shard);
    }
    writing += used(|| settle(&mut into_one)).0;
    drop(into_one);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (merging, peak) = watched(folder, &words);
    let all = folder.join("all");
    assert!(dump(&once) == dump(&all), "the merged index is another one");
    print(&format!(
        "merging {n_samples} samples out of {N_REPOS} shards: {:.2} s, {:.2} × writing them once (budget 1.5); at most {peak:.0} \
         MB resident",
        merging,
        merging / writing
    ));
    let words = [
        "--workspace",
        "all",
        "export",
        "--format",
        "parquet",
        "--all",
        "--output",
        "watched",
    ];
    let (exporting, peak) = watched(folder, &words);
    print(&format!(
        "exporting them as Parquet: {exporting:.2} s; at most {peak:.0} MB resident"
    ));
    all
}

/// Calls the program; returns its duration and its peak memory in megabytes.
fn watched(folder: &Path, words: &[&str]) -> (f64, f64) {
    used(|| peak(folder, words))
}

/// Calls the program; returns its peak memory in megabytes.
fn peak(folder: &Path, words: &[&str]) -> f64 {
    let mut child = program(folder, words).spawn().expect("it can be started");
    let process = child.id().to_string();
    let mut peak_mb = 0.0_f64;
    let ended = loop {
        // It only grows, so the last value counts.
        peak_mb = peak_mb.max(memory_mb(&process, "VmHWM"));
        if let Some(ended) = child.try_wait().expect("it is ours") {
            break ended;
        }
        thread::sleep(LOOK);
    };
    assert!(ended.success(), "{words:?}");
    peak_mb
}

fn read(folder: &Path) -> Store {
    Store::open(&folder.join(".focalist"), StoreAccess::Read).expect("it is there")
}

/// A writer that hashes the bytes: a dump of a million samples has gigabytes.
#[derive(Default)]
struct Hashing(DefaultHasher);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns a hash of all rows of an index.
fn dump(folder: &Path) -> u64 {
    let mut out = std::io::BufWriter::with_capacity(1 << 20, Hashing::default());
    transfer::dump(&read(folder), &Monitor::default(), &mut out).expect("it is written");
    let hashing = out.into_inner().ok().expect("nothing can go wrong");
    hashing.0.finish()
}

const PYARROW: &str = "import itertools, json, sys, time, pyarrow, pyarrow.parquet
rows = [json.loads(line) for line in itertools.islice(open(sys.argv[1]), int(sys.argv[3]))]
started = time.process_time()
pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), sys.argv[2], compression='zstd')
print(time.process_time() - started)";

fn parquet(folder: &Path, index: &Path) {
    let store = read(index);
    let options = ParquetOptions {
        samples: ExportOptions::of(ExportFormat::Jsonl),
        split_by: SplitBy::Random,
        rows_per_file: 100_000,
        publication: Publication::default(),
    };
    let monitor = Monitor::default();
    let lines = folder.join("lines.jsonl");
    let (as_lines, ()) = used(|| {
        let mut file = std::io::BufWriter::new(fs::File::create(&lines).expect("it is made"));
        transfer::export(&store, &monitor, &options.samples, &mut file).expect("it is written");
    });
    let (seconds, report) = used(|| {
        export_parquet(&store, &monitor, &options, &folder.join("set")).expect("it is written")
    });
    print(&format!(
        "Parquet: {} rows in {:.2} s, {:.2} × the time of JSON lines",
        report.n_written,
        seconds,
        seconds / as_lines
    ));
    let Some(python) = env::var_os("FOCALIST_PYTHON_DATA") else {
        return;
    };
    let text = fs::read_to_string(&lines).expect("it was written");
    let row = |line: &str| serde_json::from_str(line).expect("it is one of our lines");
    let rows: Vec<Value> = text.lines().take(N_OBJECTS).map(row).collect();
    drop(text);
    let objects = folder.join("objects");
    fs::create_dir_all(&objects).expect("there is room");
    let (ours, ()) = used(|| {
        let mut writer = ColumnWriter::new(&objects, "train", 100_000).expect("the schema reads");
        for row in &rows {
            writer.write(row).expect("it is written");
        }
        writer.finish().expect("it is written");
    });
    let output = Command::new(python)
        .args(["-c", PYARROW])
        .args([&lines, &folder.join("other.parquet")])
        .arg(rows.len().to_string())
        .output()
        .expect("Python can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let other: f64 = text.trim().parse().expect("it says how long it took");
    print(&format!(
        "pyarrow from {} Python objects: {other:.2} s, {:.2} × ours from objects, {ours:.2} s (budget: at least 3)",
        rows.len(),
        other / ours
    ));
}

fn sharding(folder: &Path) {
    let asked = env::var("FOCALIST_BENCH_SAMPLES").ok();
    let n_mined = asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(N_MINED);
    let mut list = String::new();
    for idx in 0..N_SHARDS {
        let root = index::write_repo(folder, idx, n_mined / N_SHARDS, index::SEED);
        list.push_str(&format!("{{\"path\":\"{}\"}}\n", root.display()));
    }
    let path = folder.join("repos.jsonl");
    fs::write(&path, list).expect("it is written");
    let focalist = |words: &[&str]| focalist(folder, words);
    let one = [
        "--workspace",
        "one",
        "mine",
        "--list",
        "repos.jsonl",
        "--jobs",
        "1",
    ];
    let (one_process, ()) = used(|| focalist(&one));
    let n_shards = N_SHARDS.to_string();
    let mut merging = 0.0;
    let (sharded, ()) = used(|| {
        focalist(&[
            "plan",
            "--list",
            "repos.jsonl",
            "--shards",
            &n_shards,
            "--output",
            "cut",
        ]);
        let mut merge = vec![
            "--workspace".to_owned(),
            "merged".to_owned(),
            "merge".to_owned(),
        ];
        for idx in 0..N_SHARDS {
            let output = format!("cut/shard-{idx:04}");
            let shard = format!("{output}.jsonl");
            focalist(&[
                "mine", "--shard", &shard, "--output", &output, "--jobs", "1",
            ]);
            merge.push(output);
        }
        merging = used(|| focalist(&merge.iter().map(String::as_str).collect::<Vec<_>>())).0;
    });
    assert!(dump(&folder.join("one")) == dump(&folder.join("merged")));
    print(&format!(
        "{N_SHARDS} shards of {n_mined} samples one after the other and merged: {:.3} × one process (budget 1.15), of \
         which merging is {:.3}",
        sharded / one_process,
        merging / one_process
    ));
}

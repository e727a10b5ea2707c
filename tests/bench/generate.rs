//! How fast answers are stored, and how much memory that takes: the program against a server on loopback that answers at
//! once. `FOCALIST_GENERATE=20000 cargo bench --bench generate`, where the number is that of prompts.
//!
//! The budget is 2,000 answers a second, each in a transaction that is on disk; memory does not grow with the number of
//! prompts, nor does that of a dry run over a million lines.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use focalist::generate::testing::{Act, Server};

const N_LINES_DRY: usize = 1_000_000;

fn main() -> ExitCode {
    let asked = std::env::var("FOCALIST_GENERATE").ok();
    let Some(n_prompts) = asked.and_then(|it| it.parse().ok()) else {
        // `cargo test --benches` runs this, too: nothing to do is no failure.
        return ExitCode::SUCCESS;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let server = Server::forgetful(Act::echo);
    for n in [n_prompts / 4, n_prompts] {
        let name = format!("{n}");
        let prompts = prompts(folder.path(), n);
        let began = Instant::now();
        let child = focalist(folder.path(), &prompts)
            .args(["--run", &name, "--concurrency", "8", "--endpoint"])
            .arg(server.endpoint())
            .spawn();
        let kib = most_memory(child.expect("the program can be started"));
        let seconds = began.elapsed().as_secs_f64();
        told(&format!(
            "{n} answers: {:.0} a second, at most {} MiB",
            n as f64 / seconds,
            kib >> 10
        ));
    }
    for n in [N_LINES_DRY / 10, N_LINES_DRY] {
        let prompts = prompts(folder.path(), n);
        let began = Instant::now();
        let child = focalist(folder.path(), &prompts)
            .args(["--run", "dry", "--dry-run", "--endpoint"])
            .arg(server.endpoint())
            .spawn();
        let kib = most_memory(child.expect("the program can be started"));
        told(&format!(
            "dry run over {n} lines: {:.1} s, at most {} MiB",
            began.elapsed().as_secs_f64(),
            kib >> 10
        ));
    }
    ExitCode::SUCCESS
}

fn told(line: &str) {
    let mut out = std::io::stdout();
    // Nobody reading is no failure.
    let _closed = writeln!(out, "{line}");
}

fn prompts(folder: &Path, n: usize) -> std::path::PathBuf {
    let path = folder.join(format!("{n}.jsonl"));
    let file = File::create(&path).expect("a file can be made");
    let mut file = BufWriter::new(file);
    let body = "assertEquals(1, counter.inc()); ".repeat(20);
    for idx in 0..n {
        writeln!(
            file,
            "{{\"id\":\"{n}-{idx}\",\"prompt\":\"{idx} {body}\",\"max_tokens\":64}}"
        )
        .expect("the file can be written");
    }
    path
}

fn focalist(folder: &Path, prompts: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
    command
        .args(["--config", "/dev/null", "--workspace"])
        .arg(folder)
        .args(["generate", "--model", "m", "--prompts"])
        .arg(prompts)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Waits for a process and returns the most memory that it had, in KiB, as far as one can look.
fn most_memory(mut child: Child) -> u64 {
    let mut most = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = status.ok().and_then(|it| {
            let line = it.lines().find(|it| it.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse().ok()
        });
        most = most.max(line.unwrap_or(0));
        let ended = child.try_wait().expect("it can be waited for");
        if let Some(status) = ended {
            assert!(status.success(), "{status}");
            return most;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

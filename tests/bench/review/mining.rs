//! Concurrent mining in separate processes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::index;

/// The number of tests in the mined repository.
const N_MINED: usize = 4_000;

/// Another process that writes the index repeatedly.
pub struct Mining {
    is_wanted: Arc<AtomicBool>,
    n_rounds: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Mining {
    pub fn start(workspace: &Path) -> Self {
        let root = index::write_repo(workspace, 900, N_MINED, 9);
        let workspace = workspace.to_owned();
        let is_wanted = Arc::new(AtomicBool::new(true));
        let n_rounds = Arc::new(AtomicU64::new(0));
        let thread = thread::spawn({
            let (is_wanted, n_rounds) = (Arc::clone(&is_wanted), Arc::clone(&n_rounds));
            move || {
                while is_wanted.load(Ordering::Relaxed) {
                    let mined = Command::new(env!("CARGO_BIN_EXE_focalist"))
                        .args(["mine", "--force", "--quiet", "--workspace"])
                        .arg(&workspace)
                        .arg(&root)
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .status();
                    assert!(
                        mined.is_ok_and(|exit_status| exit_status.success()),
                        "mining works"
                    );
                    n_rounds.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let mining = Self {
            is_wanted,
            n_rounds,
            thread,
        };
        // The first round makes the rows, the others replace them.
        while mining.n_rounds.load(Ordering::Relaxed) == 0 && !mining.thread.is_finished() {
            thread::sleep(Duration::from_millis(50));
        }
        mining
    }

    /// Returns how often it was mined.
    pub fn stop(self) -> u64 {
        self.is_wanted.store(false, Ordering::Relaxed);
        self.thread.join().expect("mining works");
        self.n_rounds.load(Ordering::Relaxed)
    }
}

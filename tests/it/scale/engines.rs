//! The drivers with their actual workflow engines.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;

use super::{assert_same, dump, focalist, in_one_go, planned, repositories};
use crate::support::Place;

/// Tells whether the engines are installed; fails where they are required.
pub fn has_engines() -> bool {
    let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
    if !is_needed {
        // Nobody who runs tests reads standard output of those that pass.
        writeln!(io::stderr(), "skipped: FOCALIST_NEED_TOOLS is not set")
            .expect("stderr can be written");
    }
    is_needed
}

fn driver(place: &Place, engine: &str) -> String {
    driver_of(place, engine, &[])
}

/// Returns a driver with all placeholders filled in.
pub fn driver_of(place: &Place, engine: &str, more: &[&str]) -> String {
    let words = ["cluster", engine, "--shards", "plan"];
    let ended = focalist(&place.path(""), &[&words[..], more].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let is_place = |word: &str| {
        let word = word.strip_prefix('@').and_then(|rest| rest.split_once('@'));
        word.is_some_and(|word| word.0.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let left = ended
        .out
        .match_indices('@')
        .find(|match_index| is_place(&ended.out[match_index.0..]));
    assert_eq!(left, None, "{}", ended.out);
    ended.out
}

#[test]
fn parallel_mines_all_shards_and_goes_on_after_a_failure() {
    if !has_engines() {
        return;
    }
    let place = Place::new();
    repositories(&place, 6);
    planned(&place, 4);
    let script = driver(&place, "parallel");
    place.write("driver.sh", script);
    // A program that is killed the first time that it gets the third shard.
    let program = env!("CARGO_BIN_EXE_focalist");
    let flaky = format!(
        "#!/bin/sh\ncase \"$*\" in *shard-0002.jsonl*) if [ ! -e killed ]; then touch killed; kill -9 $$; fi;; esac\n\
         exec '{program}' \"$@\"\n"
    );
    let flaky = place.write("focalist flaky", flaky);
    let run = |program: &std::path::Path| {
        Command::new("bash")
            .arg("driver.sh")
            .current_dir(place.path(""))
            .env("FOCALIST", program)
            .env("JOBS", "2")
            .env_remove("FOCALIST_WORKSPACE")
            .output()
            .expect("bash can be started")
    };
    let mut permissions = fs::metadata(&flaky).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&flaky, permissions).expect("it is ours");
    let ended = run(&flaky);
    assert!(ended.status.success(), "{ended:?}");
    assert!(place.path("killed").exists());
    assert_same(&dump(&place, "plan/all"), &in_one_go(&place));
    let log = fs::read_to_string(place.path("plan/joblog")).expect("it is there");
    assert_eq!(log.lines().count(), 5, "{log}");
    assert!(run(&flaky).status.success());
}

#[test]
fn the_slurm_script_is_bash_and_its_body_mines_one_shard() {
    let place = Place::new();
    repositories(&place, 3);
    planned(&place, 3);
    let script = driver(&place, "slurm");
    assert!(script.contains("#SBATCH --array=0-2\n"), "{script}");
    place.write("driver.sh", script);
    let bash = |words: &[&str]| {
        Command::new("bash")
            .args(words)
            .current_dir(place.path(""))
            .env("FOCALIST", env!("CARGO_BIN_EXE_focalist"))
            .env("SLURM_ARRAY_TASK_ID", "1")
            .env("SLURM_ARRAY_JOB_ID", "9")
            .env_remove("FOCALIST_WORKSPACE")
            .output()
            .expect("bash can be started")
    };
    for words in [&["-n", "driver.sh"][..], &["driver.sh"], &["driver.sh"]] {
        let ended = bash(words);
        assert!(ended.status.success(), "{ended:?}");
    }
    assert!(place.path("plan/shard-0001/shard.json").is_file());
    assert!(!place.path("plan/shard-0000").exists());
}

/// Two nodes on this machine; the one that has begun a shard is killed, and the other one finishes the shard.
const TWO_NODES: &str = r#"
import os, subprocess, sys, time
from ray.cluster_utils import Cluster
folder, driver = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80 << 20})
nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20, env_vars={"NODE": str(n)}) for n in range(2)]
cluster.wait_for_nodes()
environment = {**os.environ, "RAY_ADDRESS": cluster.address}
running = subprocess.Popen([sys.executable, driver], env=environment, cwd=folder)
begun = os.path.join(folder, "begun")
while not os.path.exists(begun):
    assert running.poll() is None, "it ended before anybody began"
    time.sleep(0.05)
# Whoever began holds its node until it is killed; which one that is says the file.
time.sleep(0.5)
held = int(open(begun).read())
cluster.remove_node(nodes[held], allow_graceful=False)
open(os.path.join(folder, "killed"), "w").close()
code = running.wait()
cluster.shutdown()
sys.exit(code)
"#;

#[test]
fn ray_does_all_shards_also_when_a_node_is_killed_at_work() {
    let Some(python) = env::var_os("FOCALIST_PYTHON_RAY") else {
        let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
        assert!(!is_needed, "FOCALIST_PYTHON_RAY names no Python with Ray");
        writeln!(io::stderr(), "skipped: FOCALIST_PYTHON_RAY is not set")
            .expect("stderr can be written");
        return;
    };
    let place = Place::new();
    repositories(&place, 6);
    planned(&place, 4);
    let script = driver(&place, "ray");
    let script = place.write("driver.py", script);
    // Whoever is first to take a shard says on which node it is, and then does nothing until that is killed.
    let program = env!("CARGO_BIN_EXE_focalist");
    let slow = format!(
        "#!/bin/sh\ncase \"$*\" in *--shard*) if mkdir first 2>/dev/null; then printf %s \"$NODE\" > begun.part; \
         mv begun.part begun; sleep 120; exit 75; fi;; esac\nexec '{program}' \"$@\"\n"
    );
    let slow = place.write("focalist slow", slow);
    let mut permissions = fs::metadata(&slow).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&slow, permissions).expect("it is ours");
    let nodes = place.write("nodes.py", TWO_NODES);
    let ended = Command::new(python)
        .arg(nodes)
        .arg(place.path(""))
        .arg(script)
        .current_dir(place.path(""))
        .env("FOCALIST", &slow)
        .env("RAY_USAGE_STATS_ENABLED", "0")
        .env_remove("FOCALIST_WORKSPACE")
        .output()
        .expect("Python can be started");
    assert!(ended.status.success(), "{ended:?}");
    assert!(place.path("killed").exists());
    assert_same(&dump(&place, "plan/all"), &in_one_go(&place));
}

#[test]
fn a_ray_script_that_hides_ray_says_so() {
    let place = Place::new();
    repositories(&place, 2);
    planned(&place, 1);
    let script = driver(&place, "ray");
    place.write("ray.py", script);
    let ended = Command::new("python3")
        .arg("ray.py")
        .current_dir(place.path(""))
        .output();
    let Ok(ended) = ended else {
        assert!(!has_engines(), "there is no Python");
        return;
    };
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(
        said.trim_end(),
        "give this file another name: as ray.py, Python takes it for Ray itself"
    );
}

#[test]
fn a_folder_without_shards_has_no_driver() {
    let place = Place::new();
    place.write("plan/notes", "");
    let said = focalist(&place.path(""), &["cluster", "ray", "--shards", "plan"]).with(3);
    assert!(said.contains("`focalist plan` writes some"), "{said}");
}

//! The drivers with the engines that they are for.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;

use super::{assert_same, dump, focalist, in_one_go, planned, repositories};
use crate::support::Place;

/// Returns whether the engines are here; where they must not be missing, that is a failure of its own.
fn has_engines() -> bool {
    let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
    if !is_needed {
        // Nobody who runs tests reads standard output of those that pass.
        writeln!(io::stderr(), "skipped: FOCALIST_NEED_TOOLS is not set")
            .expect("stderr can be written");
    }
    is_needed
}

fn driver(place: &Place, engine: &str) -> String {
    let ended = focalist(&place.path(""), &["cluster", engine, "--shards", "plan"]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(
        !ended.out.contains("@SHARDS@") && !ended.out.contains("@LAST@"),
        "{}",
        ended.out
    );
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

#[test]
fn a_folder_without_shards_has_no_driver() {
    let place = Place::new();
    place.write("plan/notes", "");
    let said = focalist(&place.path(""), &["cluster", "ray", "--shards", "plan"]).with(3);
    assert!(said.contains("`focalist plan` writes some"), "{said}");
}

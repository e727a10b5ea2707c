//! The limits that end a program that uses too much.

use super::*;

fn check(house: &House, plan: &ProgramPlan, expected: ProgramEnd) -> FinishedProgram {
    let started = Instant::now();
    let finished = house.run(plan);
    assert_eq!(finished.ending.end, expected, "{finished:?}");
    assert!(started.elapsed() < SOON);
    assert!(is_quiet(house.folder.path()));
    finished
}

fn limited(plan: ProgramPlan, limits: Limits) -> ProgramPlan {
    ProgramPlan { limits, ..plan }
}

#[test]
fn time_ends_it() {
    let Some(house) = house() else { return };
    let limits = Limits {
        wall: Some(Duration::from_millis(300)),
        ..Limits::default()
    };
    let plan = limited(shell("trap '' TERM INT HUP; sleep 1000"), limits);
    let finished = check(&house, &plan, ProgramEnd::Killed(Limit::Wall));
    assert!(finished.ending.wall >= Duration::from_millis(300));
}

#[test]
fn no_time_at_all_is_no_orphan() {
    let Some(house) = house() else { return };
    for n_us in [0, 100, 1_000, 3_000, 6_000, 10_000, 15_000, 20_000] {
        let limits = Limits {
            wall: Some(Duration::from_micros(n_us)),
            ..Limits::default()
        };
        let plan = limited(shell("sleep 1000"), limits);
        check(&house, &plan, ProgramEnd::Killed(Limit::Wall));
    }
}

#[test]
fn processor_time_counts_over_all_processes() {
    let Some(house) = house() else { return };
    let limits = Limits {
        cpu: Some(Duration::from_millis(500)),
        ..Limits::default()
    };
    let script = "for it in 1 2 3 4 5 6; do (n=0; while [ $n -lt 30000 ]; do n=$((n+1)); done); done; while :; do :; done";
    let finished = check(
        &house,
        &limited(shell(script), limits),
        ProgramEnd::Killed(Limit::Cpu),
    );
    assert!(
        finished.ending.cpu >= Duration::from_millis(500),
        "{finished:?}"
    );
}

#[test]
fn memory_ends_it_and_the_most_is_known() {
    let Some(house) = house() else { return };
    let limits = Limits {
        memory_bytes: Some(100 << 20),
        ..Limits::default()
    };
    let plan = limited(guest("memory 4000000000"), limits.clone());
    let finished = check(&house, &plan, ProgramEnd::Killed(Limit::Memory));
    let most = finished.ending.memory_bytes_max.unwrap_or(0);
    assert!(most > 100 << 20, "{most}");
    let plan = limited(guest("memory 50000000"), limits);
    let finished = check(&house, &plan, ProgramEnd::Exited(0));
    let most = finished.ending.memory_bytes_max.unwrap_or(0);
    assert!((50_000_000..100 << 20).contains(&most), "{most}");
}

#[test]
fn a_fork_bomb_ends() {
    let Some(house) = house() else { return };
    let limits = Limits {
        n_tasks: 50,
        wall: Some(Duration::from_secs(15)),
        ..Limits::default()
    };
    let plan = limited(
        shell("bomb() { bomb | bomb & }; bomb; exec sleep 1000"),
        limits.clone(),
    );
    check(&house, &plan, ProgramEnd::Killed(Limit::Tasks));
    check(
        &house,
        &limited(guest("threads 100"), limits),
        ProgramEnd::Killed(Limit::Tasks),
    );
}

#[test]
fn a_file_that_grows_and_grows_ends_it() {
    let Some(house) = house() else { return };
    let scratch = house.sandbox.scratch().expect("it is made");
    let limits = Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let script = format!(
        "exec head -c 100000000 /dev/zero > '{}/big'",
        scratch.display()
    );
    let plan = limited(shell(&script).bind(Bind::write(&scratch)), limits);
    check(&house, &plan, ProgramEnd::Killed(Limit::FileSize));
    let size = fs::metadata(scratch.join("big"))
        .expect("it is there")
        .len();
    assert_eq!(size, 1 << 20);
}

#[test]
fn memory_that_looks_like_files_has_a_size() {
    let Some(house) = house() else { return };
    let limits = Limits {
        tmp_bytes: 1 << 20,
        ..Limits::default()
    };
    let script =
        "for it in /tmp /dev/shm ~; do head -c 3000000 /dev/zero > $it/x; wc -c < $it/x; done";
    let finished = house.run(&limited(shell(script), limits));
    assert_eq!(finished.output.text(), "1048576\n".repeat(3));
}

#[test]
fn open_files_and_core_files_are_few() {
    let Some(house) = house() else { return };
    let limits = Limits {
        n_open_files: 77,
        ..Limits::default()
    };
    let finished = house.run(&limited(shell("ulimit -n; ulimit -c"), limits));
    assert_eq!(finished.output.text(), "77\n0\n");
}

#[test]
fn of_much_output_both_ends_are_kept() {
    let Some(house) = house() else { return };
    let limits = Limits {
        kept_bytes: 100,
        ..Limits::default()
    };
    let script = "echo first; seq 1000000; echo last; echo error >&2";
    let finished = check(
        &house,
        &limited(shell(script), limits),
        ProgramEnd::Exited(0),
    );
    let output = finished.output;
    assert_eq!(output.n_bytes, 6_888_896 + 6 + 5);
    assert_eq!((output.head.len(), output.tail.len()), (50, 50));
    assert!(output.head.starts_with(b"first\n1\n2\n") && output.tail.ends_with(b"1000000\nlast\n"));
    assert!(
        output.text().contains("\n[… 6888807 bytes …]\n"),
        "{}",
        output.text()
    );
    assert_eq!(finished.errors.text(), "error\n");
    assert_eq!(finished.errors.n_cut(), 0);
}

#[test]
fn output_without_end_ends_with_the_time() {
    let Some(house) = house() else { return };
    let limits = Limits {
        wall: Some(Duration::from_secs(3)),
        kept_bytes: 10,
        ..Limits::default()
    };
    let finished = check(
        &house,
        &limited(ProgramPlan::new("yes"), limits),
        ProgramEnd::Killed(Limit::Wall),
    );
    assert!(finished.output.n_cut() > 0);
    assert_eq!(finished.output.head, b"y\ny\ny");
}

//! How programs end, and that none of their processes are left.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::*;

/// The variable with the folder of the process to be killed; without it, the process does nothing.
const VICTIM: &str = "SANDBOX_VICTIM";

#[test]
fn what_becomes_of_it_is_told() {
    let Some(house) = house() else { return };
    let check = |script, expected| assert_eq!(house.shell(script).0, expected, "{script}");
    check("exit 0", ProgramEnd::Exited(0));
    check("exit 1", ProgramEnd::Exited(1));
    check("exit 127", ProgramEnd::Exited(127));
    check("exit 255", ProgramEnd::Exited(255));
    check("kill -9 $$", ProgramEnd::Signalled(9));
    check("kill -SEGV $$", ProgramEnd::Signalled(11));
}

#[test]
fn bytes_come_as_they_are() {
    let Some(house) = house() else { return };
    let plan = ProgramPlan::new("cat");
    let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let plan = ProgramPlan {
        limits: Limits {
            kept_bytes: 1 << 20,
            ..Limits::default()
        },
        ..plan
    };
    let finished = house.sandbox.run(&plan, &bytes, &Monitor::default());
    let output = finished.expect("it runs").output;
    assert_eq!([output.head.as_slice(), &output.tail].concat(), bytes);
    assert!(output.text().contains('\u{fffd}'));
}

#[test]
fn arguments_and_names_need_no_encoding() {
    use std::os::unix::ffi::OsStrExt;
    let Some(house) = house() else { return };
    let scratch = house.sandbox.scratch().expect("it is made");
    let odd = OsStr::from_bytes(b"a\xff b\n'$x");
    let folder = scratch.join(odd);
    fs::create_dir(&folder).expect("it is made");
    let plan = shell("printf '%s' \"$1$ODD\" > x; pwd")
        .args([OsStr::new("sh"), odd])
        .env("ODD", odd)
        .bind(Bind::write(&folder))
        .in_folder(&folder);
    let finished = house.run(&plan);
    assert_eq!(finished.ending.end, ProgramEnd::Exited(0), "{finished:?}");
    let written = fs::read(folder.join("x")).expect("it is there");
    assert_eq!(written, b"a\xff b\n'$xa\xff b\n'$x");
}

#[test]
fn closed_pipes_hurt_nobody() {
    let Some(house) = house() else { return };
    let input = vec![b'x'; 1 << 20];
    let check = |script, expected| {
        let finished = house
            .sandbox
            .run(&shell(script), &input, &Monitor::default());
        assert_eq!(finished.expect("it runs").ending.end, expected, "{script}");
    };
    check("exec 0<&- 1>&- 2>&-; exit 3", ProgramEnd::Exited(3));
    check("head -c 1 > /dev/null", ProgramEnd::Exited(0));
    check("exit 0", ProgramEnd::Exited(0));
    let mut resident = house
        .sandbox
        .spawn(&ProgramPlan::new("yes"))
        .expect("it starts");
    drop(resident.output.take());
    let finished = resident.wait(&Monitor::default()).expect("it ends");
    assert_eq!(finished.ending.end, ProgramEnd::Signalled(13));
}

#[test]
fn a_daemon_ends_with_its_program() {
    let Some(house) = house() else { return };
    let scratch = house.sandbox.scratch().expect("it is made");
    let script = "(setsid sh -c 'trap \"\" TERM HUP INT; echo up > up; exec sleep 1000' < /dev/null > /dev/null 2>&1 &)
        until [ -s up ]; do :; done";
    let plan = shell(script)
        .bind(Bind::write(&scratch))
        .in_folder(&scratch);
    let finished = house.run(&plan);
    assert_eq!(finished.ending.end, ProgramEnd::Exited(0));
    assert!(scratch.join("up").exists());
    assert!(is_quiet(house.folder.path()));
}

#[test]
fn who_is_cancelled_waits_for_nothing() {
    let Some(house) = house() else { return };
    let monitor = Monitor::default();
    let is_alive = || !is_quiet(house.folder.path());
    thread::scope(|scope| {
        let run = scope.spawn(|| house.sandbox.run(&shell("sleep 1000"), b"", &monitor));
        wait_until("it runs", is_alive);
        monitor.cancel();
        let error = run
            .join()
            .expect("it returns")
            .expect_err("it is cancelled");
        assert!(matches!(error, SandboxError::Cancelled(_)), "{error}");
        assert!(!is_alive());
    });
    let error = house.sandbox.run(&shell("true"), b"", &monitor);
    assert!(matches!(error, Err(SandboxError::Cancelled(_))));
}

#[test]
fn a_program_that_is_missing_is_named() {
    let Some(house) = house() else { return };
    let check = |plan: &ProgramPlan, expected: &str| {
        let error = house.sandbox.run(plan, b"", &Monitor::default());
        let error = error.expect_err("it is not there");
        assert!(matches!(error, SandboxError::NoProgram { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!("there is no program `{expected}`")
        );
    };
    check(&ProgramPlan::new("no-such-program"), "no-such-program");
    check(&ProgramPlan::new("/usr/bin/no-such"), "/usr/bin/no-such");
    // The first exists but is not executable; the second exists here but not inside.
    check(&ProgramPlan::new("/etc/ld.so.cache"), "/etc/ld.so.cache");
    let own = env::current_exe().expect("a test has a file");
    check(&ProgramPlan::new(&own), &own.display().to_string());
    let nowhere = Tool::find(SandboxChoice::Auto, OsStr::new("/nowhere"));
    assert_eq!(
        nowhere.expect_err("nothing is there").to_string(),
        "`prlimit` is not installed"
    );
}

#[test]
fn a_sandbox_that_cannot_be_made_says_why() {
    let Some(house) = house() else { return };
    let plan = shell("echo ran").bind(Bind::read("/nowhere/at/all"));
    let error = house.sandbox.run(&plan, b"", &Monitor::default());
    let error = error.expect_err("there is no such folder");
    assert!(
        matches!(&error, SandboxError::NotStarted { said } if said.contains("/nowhere/at/all")),
        "{error}"
    );
    let monitor = Monitor::default();
    let check = |plan: &ProgramPlan, expected: &str| {
        let error = house
            .sandbox
            .run(plan, b"", &monitor)
            .expect_err("it is wrong");
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(
        &shell("").bind(Bind::read("/usr").at("usr")),
        "not an absolute path",
    );
    check(
        &shell("").bind(Bind::read("/usr").at("/a/../etc")),
        "not an absolute path",
    );
    check(
        &shell("").bind(Bind::write("/usr").at("/proc/1")),
        "nothing can be put",
    );
    check(
        &shell("").bind(Bind::write("/usr").at("/")),
        "nothing can be put",
    );
    check(
        &shell("").env("A=B", "c"),
        "not a valid environment variable",
    );
    check(&shell("a\0b"), "a NUL");
}

#[test]
fn nothing_is_left_in_the_folder() {
    let Some(house) = house() else { return };
    let scratch = house.sandbox.scratch().expect("it is made");
    let script = "mkdir -p a/b; touch a/b/c; ln -s / a/root; chmod 0 a/b a; chmod 0 .";
    let plan = shell(script)
        .bind(Bind::write(&scratch))
        .in_folder(&scratch);
    assert_eq!(house.run(&plan).ending.end, ProgramEnd::Exited(0));
    drop(house.sandbox);
    let left = fs::read_dir(house.folder.path()).expect("it is there");
    assert_eq!(left.count(), 0);
}

/// The process that the next test kills; it runs a program with a daemon.
#[test]
fn is_a_victim() {
    let Some(folder) = env::var_os(VICTIM) else {
        return;
    };
    let path = env::var_os("PATH").expect("there is a path");
    let tool = Tool::find(SandboxChoice::Auto, &path).expect("whoever starts it has one");
    let sandbox = Sandbox::open(Path::new(&folder), tool).expect("it opens");
    let script = "setsid sleep 1000 & echo up; while :; do sleep 1000; done";
    let mut resident = sandbox.spawn(&shell(script)).expect("it starts");
    let line = resident.lines(100).recv_timeout(SOON);
    assert_eq!(line, Ok(OutputLine::Whole(b"up".to_vec())));
    writeln!(io::stdout(), "the victim is up").expect("somebody reads");
    loop {
        thread::park();
    }
}

#[test]
fn killing_us_ends_it_and_the_next_start_clears_away() {
    let Some(house) = house() else { return };
    let folder = house.folder.path().join("other");
    fs::create_dir(&folder).expect("it is made");
    let mut victim = Command::new(env::current_exe().expect("a test has a file"))
        .args(["--exact", "tests::ends::is_a_victim", "--nocapture"])
        .env(VICTIM, &folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let said = BufReader::new(victim.stdout.take().expect("it is piped")).lines();
    let is_up = said
        .map_while(Result::ok)
        .any(|text| text.contains("the victim is up"));
    assert!(is_up && !is_quiet(&folder));
    // Its process is alive, so nothing is removed.
    assert_eq!(sweep(&folder), 0);
    assert!(!is_quiet(&folder));
    victim.kill().expect("it lives");
    victim.wait().expect("it has ended");
    wait_until("all of it has ended", || is_quiet(&folder));
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 2);
    assert_eq!(sweep(&folder), 1);
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

#[test]
fn what_a_dead_process_left_running_is_ended_by_the_next() {
    let Some(house) = house() else { return };
    let folder = house.folder.path().join("other");
    let token = "0123456789abcdef0123456789abcdef";
    fs::create_dir_all(folder.join(token)).expect("it is made");
    fs::write(folder.join(format!("{token}.lock")), "").expect("it is written");
    // The file name is not a token, and the process is not from a sandbox: neither is touched.
    fs::write(folder.join("sleep.lock"), "").expect("it is written");
    let mut orphan = Command::new("sleep")
        .arg("1000")
        .env("FOCALIST_SANDBOX", format!("{token}.0."))
        .spawn()
        .expect("it starts");
    assert_eq!(sweep(&folder), 1);
    let status = orphan.wait().expect("it has ended");
    assert!(!status.success());
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
}

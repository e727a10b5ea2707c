//! Communication with a resident program.

use crossbeam_channel::RecvTimeoutError;

use super::*;

const ECHO: &str = "while read it; do echo \"got $it\"; done; echo bye >&2";

fn line(text: &str) -> OutputLine {
    OutputLine::Whole(text.as_bytes().to_vec())
}

fn say(resident: &mut Resident, text: &str) {
    let input = resident.input.as_mut().expect("it is open");
    input.write_all(text.as_bytes()).expect("it reads");
}

#[test]
fn questions_are_answered_one_by_one() {
    let Some(house) = house() else { return };
    let mut resident = house.sandbox.spawn(&shell(ECHO)).expect("it starts");
    let lines = resident.lines(100);
    for n in 0..100 {
        say(&mut resident, &format!("{n}\n"));
        assert_eq!(lines.recv_timeout(SOON), Ok(line(&format!("got {n}"))));
    }
    assert!(resident.ending().is_none());
    let finished = resident.wait(&Monitor::default()).expect("it ends");
    assert_eq!(finished.ending.end, ProgramEnd::Exited(0));
    assert_eq!(finished.errors.text(), "bye\n");
    assert!(lines.recv().is_err());
}

#[test]
fn what_it_has_used_is_told_while_it_runs() {
    let Some(house) = house() else { return };
    let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read it";
    let mut resident = house.sandbox.spawn(&shell(script)).expect("it starts");
    let meter = resident.meter();
    let (told, used) = std::sync::mpsc::channel();
    let lines = resident.lines_after(100, move || {
        told.send(meter.cpu()).expect("somebody listens");
    });
    assert_eq!(lines.recv_timeout(SOON), Ok(line("done")));
    let used = used.recv().expect("it was told with the first line");
    assert!(
        used.is_some_and(|duration| duration > Duration::ZERO),
        "{used:?}"
    );
    let meter = resident.meter();
    resident.stop();
    assert_eq!(meter.cpu(), None);
}

#[test]
fn it_outlives_the_thread_that_started_it() {
    let Some(house) = house() else { return };
    let mut resident = thread::scope(|scope| {
        let start = || house.sandbox.spawn(&shell(ECHO)).expect("it starts");
        scope.spawn(start).join().expect("it returns")
    });
    let lines = resident.lines(100);
    say(&mut resident, "there\n");
    assert_eq!(lines.recv_timeout(SOON), Ok(line("got there")));
}

#[test]
fn a_question_that_takes_too_long_ends_it() {
    let Some(house) = house() else { return };
    let script = "read it; echo 1; read it; echo 2; sleep 1000";
    let mut resident = house.sandbox.spawn(&shell(script)).expect("it starts");
    let lines = resident.lines(100);
    resident.end_after(Some(SOON * 3));
    say(&mut resident, "a\n");
    assert_eq!(lines.recv_timeout(SOON), Ok(line("1")));
    resident.end_after(None);
    say(&mut resident, "b\n");
    assert_eq!(lines.recv_timeout(SOON), Ok(line("2")));
    resident.end_after(Some(Duration::from_millis(50)));
    assert!(lines.recv_timeout(SOON).is_err());
    wait_until("it has ended", || resident.ending().is_some());
    let ending = resident.ending().expect("it has ended").clone();
    assert_eq!(ending.end, ProgramEnd::Killed(Limit::Wall));
    assert!(is_quiet(house.folder.path()));
}

#[test]
fn who_waits_for_a_processor_has_more_time() {
    let Some(house) = house() else { return };
    let time = Duration::from_millis(400);
    let resident = house.sandbox.spawn(&guest("crowd")).expect("it starts");
    resident.end_after(Some(time));
    let ending = resident.wait(&Monitor::default()).expect("it ends").ending;
    assert_eq!(ending.end, ProgramEnd::Killed(Limit::Wall));
    // Each of its threads gets at most a ninth of a processor.
    assert!(ending.wall >= time * 3, "{ending:?}");
}

#[test]
fn a_time_without_an_answer_is_told_unless_it_is_taken_back() {
    let Some(house) = house() else { return };
    let resident = house
        .sandbox
        .spawn(&shell("sleep 1000"))
        .expect("it starts");
    let over = resident.tell_after(Duration::from_millis(50));
    assert_eq!(over.recv_timeout(SOON), Ok(()));
    let over = resident.tell_after(SOON * 3);
    resident.end_after(None);
    assert_eq!(over.recv_timeout(SOON), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn who_waits_for_a_processor_is_told_of_later() {
    let Some(house) = house() else { return };
    let time = Duration::from_millis(400);
    let resident = house.sandbox.spawn(&guest("crowd")).expect("it starts");
    let started = Instant::now();
    let over = resident.tell_after(time);
    assert_eq!(over.recv_timeout(SOON), Ok(()));
    assert!(started.elapsed() >= time * 3);
}

#[test]
fn a_limit_holds_however_often_it_is_spoken_to() {
    let Some(house) = house() else { return };
    let mut plan = shell(ECHO);
    plan.limits.wall = Some(Duration::from_millis(300));
    let mut resident = house.sandbox.spawn(&plan).expect("it starts");
    wait_until("it has ended", || {
        resident.end_after(Some(SOON));
        resident.ending().is_some()
    });
    let ending = resident.ending().expect("it has ended").clone();
    assert_eq!(ending.end, ProgramEnd::Killed(Limit::Wall));
}

#[test]
fn who_does_not_read_does_not_hold_us_up_for_ever() {
    let Some(house) = house() else { return };
    let mut resident = house
        .sandbox
        .spawn(&shell("sleep 1000"))
        .expect("it starts");
    resident.end_after(Some(Duration::from_millis(100)));
    let mut input = resident.input.take().expect("it is open");
    assert!(input.write_all(&vec![b'x'; 1 << 20]).is_err());
}

#[test]
fn dropping_it_ends_all_of_it() {
    let Some(house) = house() else { return };
    let script = "trap '' TERM HUP INT; setsid sleep 1000 & echo up; sleep 1000";
    let mut resident = house.sandbox.spawn(&shell(script)).expect("it starts");
    let lines = resident.lines(100);
    assert_eq!(lines.recv_timeout(SOON), Ok(line("up")));
    assert!(!is_quiet(house.folder.path()));
    drop(resident);
    assert!(is_quiet(house.folder.path()));
    assert!(lines.recv_timeout(SOON).is_err());
}

#[test]
fn a_line_without_end_is_cut_and_holds_up_nobody() {
    let Some(house) = house() else { return };
    let script = "echo short; head -c 10000000 /dev/zero; echo; echo again; exit 7";
    let mut resident = house.sandbox.spawn(&shell(script)).expect("it starts");
    let lines = resident.lines(10);
    assert_eq!(lines.recv_timeout(SOON), Ok(line("short")));
    assert_eq!(lines.recv_timeout(SOON), Ok(OutputLine::Part(vec![0; 11])));
    assert_eq!(lines.recv_timeout(SOON), Ok(line("again")));
    let finished = resident.wait(&Monitor::default()).expect("it ends");
    assert_eq!(finished.ending.end, ProgramEnd::Exited(7));
    assert!(lines.recv().is_err());
}

#[test]
fn many_run_at_once() {
    let Some(house) = house() else { return };
    thread::scope(|scope| {
        for n in 0..16_u8 {
            let house = &house;
            scope.spawn(move || {
                let (end, said) = house.shell(&format!("echo {n}; exit {n}"));
                assert_eq!((end, said), (ProgramEnd::Exited(n), format!("{n}\n")));
            });
        }
    });
}

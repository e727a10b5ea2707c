//! The guarantees that hold when the user has chosen no sandbox.

use super::*;

fn bare() -> House {
    let path = env::var_os("PATH").expect("there is a path");
    House::new(Tool::find(SandboxChoice::None, &path).expect("prlimit is everywhere"))
}

#[test]
fn the_environment_home_and_temporary_files_are_made() {
    let house = bare();
    let (end, said) = house
        .shell("echo $SANDBOX_NOTHING; echo x > ~/x; echo x > $TMPDIR/x; echo ~; echo $TMPDIR");
    assert_eq!(end, ProgramEnd::Exited(0));
    let folder = house.folder.path().display().to_string();
    let places: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(places.len(), 2);
    assert!(
        places
            .iter()
            .all(|place| place.starts_with(&folder) && !Path::new(place).exists()),
        "{said}"
    );
}

#[test]
fn limits_hold_and_daemons_end() {
    let house = bare();
    let mut plan = shell("setsid sleep 1000 & sleep 1000");
    plan.limits.wall = Some(Duration::from_millis(300));
    assert_eq!(house.run(&plan).ending.end, ProgramEnd::Killed(Limit::Wall));
    assert!(is_quiet(house.folder.path()));
    let (end, _) = house.shell("setsid sleep 1000 & exit 4");
    assert_eq!(end, ProgramEnd::Exited(4));
    assert!(is_quiet(house.folder.path()));
    let (end, _) = house.shell("kill -9 $$");
    assert_eq!(end, ProgramEnd::Signalled(9));
}

#[test]
fn what_only_a_sandbox_can_do_is_refused() {
    let house = bare();
    let plan = shell("true").bind(Bind::read("/usr").at("/elsewhere"));
    let error = house.sandbox.run(&plan, b"", &Monitor::default());
    let error = error.expect_err("nothing can be seen elsewhere");
    assert_eq!(
        error.to_string(),
        "cannot run this: without a sandbox `/usr` cannot be seen at `/elsewhere`"
    );
    assert_eq!(house.sandbox.tool().name(), "none");
}

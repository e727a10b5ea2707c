//! A network that several programs share, and no others.

use super::*;

/// Plans a program that reports its network.
fn asker(network: Network) -> ProgramPlan {
    ProgramPlan {
        network,
        ..shell(
            "readlink /proc/self/ns/net; sed 1,2d /proc/net/dev | wc -l; unshare --user true || echo closed",
        )
    }
}

#[test]
fn programs_share_a_network_that_is_nobody_elses() {
    let Some(house) = house() else { return };
    let network = house.sandbox.network().expect("it is made");
    let own = fs::read_link("/proc/self/ns/net").expect("it is there");
    let said = |network: &Network| {
        let finished = house.run(&asker(network.clone()));
        assert_eq!(finished.ending.end, ProgramEnd::Exited(0), "{finished:?}");
        finished.output.text()
    };
    let shared = Network::Shared(network);
    let (one, other) = (said(&shared), said(&shared));
    assert_eq!(one, other);
    assert!(!one.contains(&*own.to_string_lossy()), "{one}");
    // There is only a loopback device, and no way to add another.
    let rest: Vec<&str> = one.lines().skip(1).collect();
    assert_eq!(rest, ["1", "closed"]);
    let apart = said(&Network::None);
    assert_ne!(apart.lines().next(), one.lines().next());
}

#[test]
fn a_shared_network_goes_with_the_last_who_knows_it() {
    let Some(house) = house() else { return };
    let network = house.sandbox.network().expect("it is made");
    let plan = asker(Network::Shared(network.clone()));
    assert_eq!(plan.network, Network::Shared(network.clone()));
    drop(network);
    let finished = house.run(&plan);
    assert_eq!(finished.ending.end, ProgramEnd::Exited(0), "{finished:?}");
    drop(plan);
    let left = fs::read_dir(&house.sandbox.record.folder);
    let left = left.expect("it is there").flatten();
    let names: Vec<String> = left
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|text| text.starts_with("run-"))
        .collect();
    assert_eq!(names, [""; 0], "the folder of the holder goes with it");
}

#[test]
fn without_a_sandbox_there_is_none() {
    let path = env::var_os("PATH").expect("there is a path");
    let tool = Tool::find(SandboxChoice::None, &path).expect("it needs nothing");
    let house = House::new(tool);
    let why = house.sandbox.no_network().expect("there is none");
    assert!(why.contains("without a sandbox"), "{why}");
}

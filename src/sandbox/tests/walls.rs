//! The files, variables and network that a program sees, and where it may write.

use std::net::TcpListener;

use super::*;

#[test]
fn only_the_scratch_can_be_written() {
    let Some(house) = house() else { return };
    let scratch = house.sandbox.scratch().expect("it is made");
    let shown = tempfile::tempdir().expect("a folder can be made");
    fs::write(shown.path().join("old"), "old").expect("it is written");
    let script = "for it in / /usr /bin /etc /etc/passwd /home /dev /proc/sys/kernel /proc \"$1\" \"$1/old\"; do
            (: > \"$it/x\") 2>/dev/null && echo wrote $it
            (echo x >> \"$it\") 2>/dev/null && echo wrote to $it
            rm -rf \"$it\" 2>/dev/null && echo removed $it
            mkdir \"$it/y\" 2>/dev/null && echo made $it/y
            chmod 777 \"$it\" 2>/dev/null && echo changed $it
        done
        mount -o remount,rw / 2>/dev/null && echo remounted
        cat \"$1/old\"; echo new > \"$2/new\"; echo t > /tmp/t; echo h > ~/h; echo s > /dev/shm/s";
    let plan = shell(script)
        .args([
            OsStr::new("sh"),
            shown.path().as_os_str(),
            scratch.as_os_str(),
        ])
        .bind(Bind::read(shown.path()))
        .bind(Bind::write(&scratch));
    let finished = house.run(&plan);
    assert_eq!(finished.output.text(), "old", "{}", finished.errors.text());
    assert_eq!(finished.ending.end, ProgramEnd::Exited(0), "{finished:?}");
    assert_eq!(
        fs::read_to_string(shown.path().join("old")).expect("it is there"),
        "old"
    );
    assert_eq!(
        fs::read_to_string(scratch.join("new")).expect("it is there"),
        "new\n"
    );
    let n_shown = fs::read_dir(shown.path()).expect("it is there").count();
    assert_eq!(n_shown, 1);
}

#[test]
fn nothing_of_this_machine_is_seen() {
    let Some(house) = house() else { return };
    let home = env::var("HOME").unwrap_or_default();
    let own = house.folder.path().display().to_string();
    let (end, said) = house.shell(
        "env | sort; whoami; hostname; echo ~; ls -A ~ /tmp; cat /etc/hosts; ls /root /var /run /srv /mnt /opt /sys 2>/dev/null; ls /proc | grep -c '^[0-9]'",
    );
    assert_eq!(end, ProgramEnd::Exited(0));
    let expected = "HOME=/home/user\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD=/tmp\nTMPDIR=/tmp\n\
        user\nsandbox\n/home/user\n/home/user:\n\n/tmp:\n127.0.0.1 localhost sandbox\n::1 localhost\n";
    // The variable that identifies it is not a secret.
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("FOCALIST_SANDBOX="))
        .collect();
    let said = lines.join(
        "
",
    );
    let n_processes = said
        .strip_prefix(expected)
        .unwrap_or_else(|| panic!("{said}"));
    let n_processes: u32 = n_processes.trim().parse().expect("nothing else is said");
    assert!(n_processes <= 6, "{n_processes} processes are seen");
    for path in [home, own]
        .iter()
        .filter(|text| !text.is_empty() && *text != "/")
    {
        let (_, said) = house.shell(&format!("ls -a '{path}' 2>&1"));
        assert!(said.contains("No such file"), "{path}: {said}");
    }
}

#[test]
fn the_environment_is_that_of_the_plan_and_on_no_command_line() {
    let Some(house) = house() else { return };
    let plan = shell("echo \"$SECRET\"; read it")
        .env("SECRET", "a word\nnobody else sees")
        .env("LD_PRELOAD", "/nowhere.so");
    let mut resident = house.sandbox.spawn(&plan).expect("it starts");
    let lines = resident.lines(100);
    let line = lines.recv_timeout(SOON).expect("it says a line");
    assert_eq!(line, OutputLine::Whole(b"a word".to_vec()));
    let proc = Path::new("/proc");
    for pid in tree::pids(proc) {
        let line = fs::read(proc.join(pid.to_string()).join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        assert!(!line.contains("nobody else sees"), "{line}");
    }
    // `bwrap` itself would have reported that the library does not exist.
    drop(resident.input.take());
    let finished = resident.wait(&Monitor::default()).expect("it ends");
    let errors = finished.errors.text();
    assert!(
        errors.lines().all(|line| !line.contains("bwrap")),
        "{errors}"
    );
}

#[test]
fn only_its_own_loopback_is_reached() {
    let Some(house) = house() else { return };
    let finished = house.run(&guest("loopback"));
    assert_eq!(
        finished.ending.end,
        ProgramEnd::Exited(0),
        "{}",
        finished.errors.text()
    );
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let plan = guest(&format!("connect {address}"));
    let finished = house.run(&plan);
    assert_eq!(
        finished.ending.end,
        ProgramEnd::Exited(0),
        "{}",
        finished.errors.text()
    );
    assert!(
        !finished.output.text().contains("reached"),
        "{}",
        finished.output.text()
    );
    // The same program reaches the same port where the plan allows it.
    let plan = ProgramPlan {
        network: Network::Host,
        ..plan
    };
    let finished = house.run(&plan);
    assert!(
        finished.output.text().contains("reached the host"),
        "{finished:?}"
    );
}

#[test]
fn nothing_that_is_open_here_is_open_inside() {
    let Some(house) = house() else { return };
    let secret = house.folder.path().join("secret");
    fs::write(&secret, "x").expect("it is written");
    // This stands for a file that this process inherited from its parent.
    let open = rustix::fs::open(&secret, rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty());
    let open = open.expect("it opens");
    let (end, said) = house.shell("for it in /proc/self/fd/*; do echo ${it##*/}; done");
    assert_eq!(end, ProgramEnd::Exited(0));
    // The last number is the open folder itself.
    let numbers: Vec<&str> = said.lines().collect();
    assert!(
        numbers.starts_with(&["0", "1", "2"]) && numbers.len() <= 4,
        "{said}"
    );
    drop(open);
}

#[test]
fn no_right_comes_back_inside() {
    let Some(house) = house() else { return };
    let (_, said) =
        house.shell("id -u; grep CapEff /proc/self/status; unshare -Ur true 2>&1 || echo refused");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.first(), Some(&"1000"));
    assert_eq!(
        lines.get(1).map(|line| line.trim_end_matches('0')),
        Some("CapEff:\t"),
        "{said}"
    );
    assert_eq!(lines.last(), Some(&"refused"));
}

#[test]
fn a_bind_in_another_goes_over_it_whatever_their_order() {
    let Some(house) = house() else { return };
    let outer = tempfile::tempdir().expect("a folder can be made");
    let inner = outer.path().join("target");
    fs::create_dir(&inner).expect("it is made");
    let plan = shell("touch /copy/x 2>/dev/null; touch /copy/target/y; ls /copy/target")
        .bind(Bind::write(&inner).at("/copy/target"))
        .bind(Bind::read(outer.path()).at("/copy"))
        .in_folder("/copy");
    let finished = house.run(&plan);
    assert_eq!(finished.output.text(), "y\n", "{}", finished.errors.text());
    assert!(!outer.path().join("x").exists() && inner.join("y").exists());
}

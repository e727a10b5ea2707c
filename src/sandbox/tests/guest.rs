//! Programs that this test binary runs inside the sandbox, where a shell cannot do the task.

use std::env;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

/// The variable with the part to play; without it, the test does nothing.
pub const PART: &str = "SANDBOX_GUEST";

#[test]
fn plays_its_part() {
    let Ok(part) = env::var(PART) else {
        return;
    };
    let (part, argument) = part.split_once(' ').unwrap_or((&part, ""));
    match part {
        "loopback" => loopback(),
        "connect" => connect(argument),
        "memory" => memory(argument),
        "threads" => threads(argument),
        "spin" => spin(),
        "crowd" => crowd(),
        other => panic!("there is no part `{other}`"),
    }
}

fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("somebody reads");
}

fn loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let client = thread::spawn(move || {
        let mut stream = TcpStream::connect(address).expect("it answers");
        stream.write_all(b"hello").expect("it reads");
    });
    let (mut stream, _) = listener.accept().expect("somebody comes");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("it is text");
    client.join().expect("it has ended");
    assert_eq!(said, "hello");
    let name = ("localhost", address.port());
    TcpStream::connect(name).expect("its name is known");
}

/// Reports which connections to the outside work.
fn connect(address: &str) {
    let address: SocketAddr = address.parse().expect("it is an address");
    let patience = Duration::from_secs(2);
    if TcpStream::connect_timeout(&address, patience).is_ok() {
        say("reached the host");
    }
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a port is free");
    if socket.send_to(b"x", "192.0.2.1:9").is_ok() {
        say("reached the network");
    }
}

fn memory(n_bytes: &str) {
    let n_bytes: usize = n_bytes.parse().expect("it is a number");
    let mut taken = Vec::new();
    while taken.len() < n_bytes {
        taken.resize(taken.len() + (1 << 20), 1_u8);
        std::hint::black_box(&taken);
    }
    say("took it");
    // Long enough to be noticed.
    thread::sleep(Duration::from_millis(200));
}

fn threads(n: &str) {
    let n: usize = n.parse().expect("it is a number");
    for _ in 0..n {
        thread::spawn(thread::park);
    }
    thread::sleep(Duration::from_secs(60));
}

fn spin() -> ! {
    loop {
        std::hint::black_box(0);
    }
}

/// Starts more threads than this machine can run at a time.
fn crowd() {
    let n_cores = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..8 * n_cores {
        thread::spawn(|| spin());
    }
    spin();
}

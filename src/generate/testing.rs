//! A server on loopback that does what a test says, for all tests that ask models.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A request that came in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerRequest {
    pub path: String,
    /// In lower case, as `name: value`.
    pub headers: Vec<String>,
    pub body: String,
    /// How many requests came before it.
    pub idx: usize,
}

impl ServerRequest {
    /// Returns the first text of the prompt: of a conversation's first message, or the text to continue.
    pub fn prompt(&self) -> String {
        let start = ["\"content\":\"", "\"prompt\":\""]
            .iter()
            .find_map(|text| self.body.find(text).map(|at| at + text.len()));
        let text = start.map_or("", |start| &self.body[start..]);
        text.split('"').next().unwrap_or_default().to_owned()
    }

    /// Counts the requested answers.
    pub fn n(&self) -> usize {
        let digits = self.body.split("\"n\":").nth(1).map(|part| {
            let digits = part.chars().take_while(char::is_ascii_digit);
            digits.collect::<String>()
        });
        digits.and_then(|digit| digit.parse().ok()).unwrap_or(1)
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers with a status, headers (`name: value`) and a body.
    Say(u16, Vec<String>, Vec<u8>),
    /// Announces this length, sends these bytes, and hangs up.
    CutOff(usize, Vec<u8>),
    /// Never answers.
    Hang,
    /// Sends an answer without an end, slowly.
    Drip,
}

impl Act {
    /// Answers with texts.
    pub fn answer(texts: &[&str]) -> Self {
        let choices = texts.iter().enumerate().map(|(idx, text)| {
            format!(
                "{{\"index\":{idx},\"message\":{{\"role\":\"assistant\",\"content\":{text:?}}},\"finish_reason\":\"stop\"}}"
            )
        });
        let choices = choices.collect::<Vec<_>>().join(",");
        Self::json(
            200,
            &format!(
                "{{\"choices\":[{choices}],\"usage\":{{\"prompt_tokens\":7,\"completion_tokens\":{}}}}}",
                3 * texts.len()
            ),
        )
    }

    /// Answers each attempt with the prompt, so that every answer can be told from the others.
    pub fn echo(request: &ServerRequest) -> Self {
        let prompt = request.prompt();
        let texts: Vec<String> = (0..request.n())
            .map(|idx| format!("{prompt} {idx}"))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Self::answer(&texts)
    }

    pub fn json(status: u16, body: &str) -> Self {
        Self::Say(status, Vec::new(), body.as_bytes().to_vec())
    }
}

type Script = dyn Fn(&ServerRequest) -> Act + Send + Sync;

#[derive(Default)]
struct RequestLog {
    requests: Mutex<Vec<ServerRequest>>,
    changed: Condvar,
}

/// The server; its threads end with the test's process.
pub struct Server {
    pub address: SocketAddr,
    seen: Arc<RequestLog>,
}

impl Server {
    /// Starts a server that answers as the script decides.
    ///
    /// # Panics
    /// Where loopback has no free port.
    pub fn start(script: impl Fn(&ServerRequest) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
        let address = listener.local_addr().expect("it has an address");
        let seen = Arc::new(RequestLog::default());
        let script: Arc<Script> = Arc::new(script);
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&shared));
                thread::spawn(move || {
                    // A client may hang up at any time.
                    let _gone = serve(&stream, &*script, &seen);
                });
            }
        });
        Self { address, seen }
    }

    /// Starts a server that answers every prompt with itself.
    pub fn echoing() -> Self {
        Self::start(Act::echo)
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Lists every request that came in.
    pub fn requests(&self) -> Vec<ServerRequest> {
        self.held().clone()
    }

    pub fn n_requests(&self) -> usize {
        self.held().len()
    }

    /// Waits until `n_requests` have come in.
    pub fn wait(&self, n_requests: usize) {
        let mut requests = self.held();
        while requests.len() < n_requests {
            let woken = self.seen.changed.wait(requests);
            requests = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<ServerRequest>> {
        let requests = self.seen.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: &TcpStream, script: &Script, seen: &RequestLog) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    let mut out = stream;
    while let Some(mut request) = read(&mut input)? {
        {
            let requests = seen.requests.lock();
            let mut requests = requests.unwrap_or_else(PoisonError::into_inner);
            request.idx = requests.len();
            requests.push(request.clone());
            seen.changed.notify_all();
        }
        match script(&request) {
            Act::Say(status, headers, body) => {
                let mut head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
                    body.len()
                );
                for header in headers {
                    head.push_str(&header);
                    head.push_str("\r\n");
                }
                head.push_str("\r\n");
                let mut bytes = head.into_bytes();
                bytes.extend(body);
                out.write_all(&bytes)?;
            }
            Act::CutOff(len, body) => {
                write!(out, "HTTP/1.1 200 OK\r\ncontent-length: {len}\r\n\r\n")?;
                return out.write_all(&body);
            }
            // Until the client goes.
            Act::Hang => return input.read(&mut [0]).map(drop),
            Act::Drip => {
                write!(out, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
                loop {
                    out.write_all(b"1\r\n \r\n")?;
                    thread::park_timeout(std::time::Duration::from_millis(20));
                }
            }
        }
    }
    Ok(())
}

fn read(input: &mut impl BufRead) -> io::Result<Option<ServerRequest>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut request = ServerRequest {
        path: line.split(' ').nth(1).unwrap_or_default().to_owned(),
        ..ServerRequest::default()
    };
    let mut len = 0;
    loop {
        line.clear();
        input.read_line(&mut line)?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            len = value.trim().parse().unwrap_or(0);
        }
        request.headers.push(header);
    }
    let mut body = vec![0; len];
    input.read_exact(&mut body)?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

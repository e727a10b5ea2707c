//! A real Chromium, controlled by its driver over the W3C protocol, to check a page in a reader's browser.
//!
//! Tests that use it are skipped with a message where it is missing; with `FOCALIST_NEED_TOOLS`, that is a failure.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The maximum number of drivers that are started until one reports its port.
const STARTS_MAX: usize = 5;

/// A headless browser and its driver.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts a browser with a window of this size; returns nothing where there is no browser.
    pub fn start(width: u32, height: u32) -> Option<Self> {
        let Some((driver, port)) = Self::driver() else {
            assert!(
                std::env::var_os("FOCALIST_NEED_TOOLS").is_none(),
                "there is no chromedriver"
            );
            // Not by the macro, which the harness keeps for itself where a test passes.
            writeln!(std::io::stderr(), "skipped: there is no chromedriver")
                .expect("stderr can be written");
            return None;
        };
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
        };
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     format!("--window-size={width},{height}")],
        });
        let always = json!({
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let asked = json!({ "capabilities": { "alwaysMatch": always } });
        let made = browser.ask("POST", "/session", &asked);
        browser.session = text(&made["sessionId"]);
        Some(browser)
    }

    /// Starts the driver and returns it with its port; returns nothing where there is no driver.
    ///
    /// The system gives it an IPv4 port, and it ends if another program has the same IPv6 port, so a driver that ends
    /// before it reports its port is started again.
    fn driver() -> Option<(Child, u16)> {
        let mut said = Vec::new();
        for _ in 0..STARTS_MAX {
            let mut driver = Command::new("chromedriver")
                .arg("--port=0")
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            let output = driver.stdout.take().expect("its output is a pipe");
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // `… was started successfully on port 41234.`
                if let Some((_, port)) = line.split_once("successfully on port ") {
                    let port = port.trim_end_matches('.').parse();
                    return Some((driver, port.expect("a port is a number")));
                }
                said.push(line);
            }
            let ended = driver.wait().expect("the driver can be waited for");
            said.push(ended.to_string());
        }
        panic!("the driver says no port: {said:#?}");
    }

    /// Opens a file.
    pub fn open(&self, path: &Path, hash: &str) {
        let url = format!("file://{}{hash}", path.display());
        self.post("/url", &json!({ "url": url }));
    }

    /// Runs a function's body in the page and returns its result; awaits a promise.
    pub fn run(&self, body: &str) -> Value {
        let body = format!(
            "const done = arguments[arguments.length - 1];
             Promise.resolve((async () => {{ {body} }})()).then(done, (error) => done('threw ' + error));"
        );
        self.post("/execute/async", &json!({ "script": body, "args": [] }))
    }

    /// Waits until an expression is true in the page for a few frames in a row.
    pub fn wait_for(&self, expression: &str) {
        let body = format!(
            "for (let n = 0; n < 600; n += 1) {{
                 if ({expression}) return true;
                 await new Promise((next) => requestAnimationFrame(next));
             }}
             return document.body.innerText.slice(0, 2000);"
        );
        assert_eq!(self.run(&body), true, "{expression}");
    }

    /// Returns the violations that axe-core finds, each rule once with its first element; nothing without the axe-core
    /// that `FOCALIST_AXE` names.
    pub fn barriers(&self) -> Option<Value> {
        let Some(path) = std::env::var_os("FOCALIST_AXE") else {
            assert!(
                std::env::var_os("FOCALIST_NEED_TOOLS").is_none(),
                "there is no axe-core"
            );
            writeln!(std::io::stderr(), "skipped: FOCALIST_AXE names no axe-core")
                .expect("stderr can be written");
            return None;
        };
        let axe = std::fs::read_to_string(path).expect("FOCALIST_AXE can be read");
        self.run(&format!("{axe}; window.axe = axe;"));
        Some(self.run(
            "const found = await axe.run({ resultTypes: ['violations'] });
             return found.violations.map((it) => `${it.id}: ${it.nodes[0].html}`);",
        ))
    }

    /// Presses keys one after another.
    pub fn press(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|text| json!({ "type": text, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// Returns the browser's messages since the last call: errors of scripts, and violations of a policy.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|entry| text(&entry["message"]))
            .collect()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("the driver reads");
        let answer = read(&mut BufReader::new(stream));
        let value: Value = serde_json::from_str(&answer).expect("the driver answers in JSON");
        assert!(value["value"]["error"].is_null(), "{path}: {value}");
        value["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser goes with its session; a driver that is killed leaves it. After a failure nobody minds another
        // one.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let session = &self.session;
            let _asked = write!(
                stream,
                "DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 0\r\n\r\n",
                self.port
            );
            // Its first bytes come when the browser has gone; the driver does not close the connection.
            let _answer = stream.read(&mut [0; 64]);
        }
        let _ended = self.driver.kill();
        let _waited = self.driver.wait();
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the body of an answer, whose length is in its header.
fn read(stream: &mut impl BufRead) -> String {
    let mut n_bytes = 0;
    let mut line = String::new();
    loop {
        line.clear();
        let n = stream.read_line(&mut line).expect("the driver answers");
        if n == 0 || line.trim().is_empty() {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(length) = lower.strip_prefix("content-length:") {
            n_bytes = length.trim().parse().expect("a length is a number");
        }
    }
    let mut body = vec![0; n_bytes];
    stream.read_exact(&mut body).expect("the driver answers");
    String::from_utf8(body).expect("the driver answers with text")
}

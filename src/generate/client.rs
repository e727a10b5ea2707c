//! One request and its reply. Sole owner of `ureq`.
//!
//! Redirects are not followed: a key would reach a server that it is not for. No answer is read further than
//! [`BYTES_MAX`], and none is waited for longer than the timeout, however slowly it comes.

use std::io::{self, Read};
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::GenerateError;
use crate::options::{ApiKey, GenerateOptions};
use crate::pace::Headers;

/// Longer answers are not accepted: a server must not fill the memory.
pub const BYTES_MAX: u64 = 16 << 20;

/// The reply to a request.
#[derive(Debug)]
pub enum Reply {
    /// The server answered, with any status.
    Said {
        status: u16,
        headers: Headers,
        body: Vec<u8>,
    },
    /// An answer of more than [`BYTES_MAX`].
    TooLong { status: u16 },
    /// No answer, or only a part of one; says why.
    Broken(&'static str),
}

/// Asks one server; keeps its connection open.
pub struct Client {
    agent: Agent,
    url: String,
    authorization: Option<String>,
}

impl Client {
    /// Makes a client for the server of these options.
    pub fn new(options: &GenerateOptions) -> Result<Self, GenerateError> {
        let certificates = TlsConfig::builder().root_certs(RootCerts::WebPki).build();
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(options.timeout))
            .timeout_connect(Some(options.timeout.min(Duration::from_secs(30))))
            .tls_config(certificates)
            .max_idle_connections(1)
            .max_idle_connections_per_host(1)
            .max_idle_age(Duration::from_secs(15))
            .user_agent(concat!("focalist/", env!("CARGO_PKG_VERSION")));
        // No proxy stands between this machine and itself.
        if options.endpoint.is_loopback() {
            config = config.proxy(None);
        }
        let url = options.endpoint.url(options.api());
        let authorization = options.key.as_ref().map(ApiKey::bearer);
        let authorization = authorization.or_else(|| options.endpoint.basic());
        let is_header = |text: &String| {
            text.bytes()
                .all(|byte| byte.is_ascii_graphic() || byte == b' ')
        };
        if !authorization.iter().all(is_header) {
            return Err(GenerateError::Client(
                "the key cannot be sent in a header".to_owned(),
            ));
        }
        Ok(Self {
            agent: config.build().new_agent(),
            url,
            authorization,
        })
    }

    /// Sends a request and reads its answer.
    pub fn post(&self, body: &[u8]) -> Reply {
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let mut response = match request.send(body) {
            Ok(response) => response,
            Err(error) => return Reply::Broken(word(&error)),
        };
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let headers = Headers {
            retry_after: header("retry-after"),
            retry_after_ms: header("retry-after-ms"),
            resets: [
                "x-ratelimit-reset-requests",
                "x-ratelimit-reset-tokens",
                "x-ratelimit-reset",
                "ratelimit-reset",
            ]
            .iter()
            .filter_map(|text| header(text))
            .collect(),
        };
        let mut text = Vec::new();
        let reader = response.body_mut().as_reader();
        match reader.take(BYTES_MAX + 1).read_to_end(&mut text) {
            Ok(_) if text.len() as u64 > BYTES_MAX => Reply::TooLong { status },
            Ok(_) => Reply::Said {
                status,
                headers,
                body: text,
            },
            Err(error) => Reply::Broken(word_of_io(&error)),
        }
    }
}

fn word(error: &ureq::Error) -> &'static str {
    match error {
        ureq::Error::Timeout(_) => "timeout",
        ureq::Error::HostNotFound => "host not found",
        ureq::Error::ConnectionFailed => "no connection",
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => "no secure connection",
        ureq::Error::Io(error) => word_of_io(error),
        _ => "broken answer",
    }
}

fn word_of_io(error: &io::Error) -> &'static str {
    let inner = error.get_ref().and_then(|entry| entry.downcast_ref());
    if let Some(inner) = inner {
        return word(inner);
    }
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "timeout",
        io::ErrorKind::ConnectionRefused => "no connection",
        _ => "broken connection",
    }
}

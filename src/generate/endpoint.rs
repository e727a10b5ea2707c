//! The address of a model: with and without its secrets, and whether it may be used unencrypted.

use std::net::IpAddr;

use crate::exchange::answers::Api;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("an endpoint begins with `https://` or `http://`")]
    Scheme,
    #[error("the endpoint names no host")]
    Host,
    /// An unencrypted connection to another machine.
    #[error("`{0}` is not encrypted and not on this machine")]
    Clear(String),
}

/// The base of a server, such as `https://host/v1`.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    is_encrypted: bool,
    /// Name and password, as written.
    user: Option<String>,
    host: String,
    /// With its colon; empty without one.
    port: String,
    /// Without a slash at its end.
    path: String,
    query: Option<String>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Endpoint {
    /// Reads an address; `allows_clear` lets `http:` reach other machines.
    ///
    /// # Errors
    /// A text that is no address, and one of another machine without encryption where that is not allowed.
    pub fn parse(text: &str, allows_clear: bool) -> Result<Self, EndpointError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let (is_encrypted, rest) = if lower.starts_with("https://") {
            (true, &text[8..])
        } else if lower.starts_with("http://") {
            (false, &text[7..])
        } else {
            return Err(EndpointError::Scheme);
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query.to_owned())),
            None => (rest, None),
        };
        let (authority, path) = match rest.split_once('/') {
            Some((authority, path)) => (authority, path.trim_end_matches('/')),
            None => (rest, ""),
        };
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user.to_owned()), place),
            None => (None, authority),
        };
        let end = match place.strip_prefix('[') {
            Some(inner) => inner.find(']').map(|at| at + 2),
            None => Some(place.find(':').unwrap_or(place.len())),
        };
        let end = end.ok_or(EndpointError::Host)?;
        let (host, port) = place.split_at(end);
        let is_port = port.is_empty() || port[1..].parse::<u16>().is_ok();
        let is_bad = |c: char| c.is_whitespace() || c.is_control();
        if host.is_empty() || !is_port || text.contains(is_bad) {
            return Err(EndpointError::Host);
        }
        let endpoint = Self {
            is_encrypted,
            user,
            host: host.to_ascii_lowercase(),
            port: port.to_owned(),
            path: path.to_owned(),
            query,
        };
        if !is_encrypted && !allows_clear && !endpoint.is_loopback() {
            return Err(EndpointError::Clear(endpoint.shown()));
        }
        Ok(endpoint)
    }

    /// Tells whether the server is on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let is_address = host
            .parse::<IpAddr>()
            .is_ok_and(|ip_addr| ip_addr.is_loopback());
        is_address || host == "localhost"
    }

    /// Writes the address for people and files: without name, password and query.
    #[must_use]
    pub fn shown(&self) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let slash = if self.path.is_empty() { "" } else { "/" };
        format!("{scheme}://{}{}{slash}{}", self.host, self.port, self.path)
    }

    /// Writes where requests go, for people and files: without name, password and query. An endpoint may name the whole
    /// path.
    pub(crate) fn shown_url(&self, api: Api) -> String {
        let mut url = self.shown();
        let path = api.path();
        if !(self.path == path || self.path.ends_with(&format!("/{path}"))) {
            url.push('/');
            url.push_str(path);
        }
        url
    }

    /// Returns where requests go, with the secrets in the query.
    pub(crate) fn url(&self, api: Api) -> String {
        let mut url = self.shown_url(api);
        if let Some(query) = &self.query {
            url.push('?');
            url.push_str(query);
        }
        url
    }

    /// Encodes name and password for a request (RFC 7617).
    pub(crate) fn basic(&self) -> Option<String> {
        let user = percent_decoded(self.user.as_ref()?);
        Some(format!("Basic {}", base64(&user)))
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes
            .get(at + 1..at + 3)
            .and_then(|byte| str::from_utf8(byte).ok());
        let value = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let Some(value) = value.filter(|_| bytes[at] == b'%') {
            decoded.push(value);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    decoded
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let at = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for idx in 0..4 {
            if idx <= chunk.len() {
                let sign = SIGNS[(bits >> (18 - 6 * idx) & 63) as usize];
                text.push(char::from(sign));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_is_secret_in_it() {
        let check = |text: &str, shown: &str, url: &str| {
            let endpoint = Endpoint::parse(text, false).expect(text);
            assert_eq!(endpoint.shown(), shown);
            assert_eq!(endpoint.url(Api::Chat), url);
            let behind = url.split('?').next();
            assert_eq!(Some(endpoint.shown_url(Api::Chat).as_str()), behind);
            assert!(!format!("{endpoint:?}").contains("secret"));
        };
        check(
            "https://me:secret@Host:8080/v1/?key=secret",
            "https://host:8080/v1",
            "https://host:8080/v1/chat/completions?key=secret",
        );
        check(
            "http://127.0.0.1:80/v1/chat/completions",
            "http://127.0.0.1:80/v1/chat/completions",
            "http://127.0.0.1:80/v1/chat/completions",
        );
        check(
            "http://[::1]:8/",
            "http://[::1]:8",
            "http://[::1]:8/chat/completions",
        );
    }

    #[test]
    fn nothing_travels_in_the_clear_unless_that_is_allowed() {
        let check = |text: &str, expected: Option<EndpointError>| {
            assert_eq!(Endpoint::parse(text, false).err(), expected, "{text}");
        };
        check("http://localhost:8000/v1", None);
        check("http://127.9.9.9", None);
        let clear = |text: &str| Some(EndpointError::Clear(text.to_owned()));
        check("http://host/v1", clear("http://host/v1"));
        check(
            "http://localhost.evil.example/v1",
            clear("http://localhost.evil.example/v1"),
        );
        check(
            "http://localhost@evil.example/v1",
            clear("http://evil.example/v1"),
        );
        check("file:///etc/passwd", Some(EndpointError::Scheme));
        check("https:///v1", Some(EndpointError::Host));
        check("https://host:x/", Some(EndpointError::Host));
        assert!(Endpoint::parse("http://host/v1", true).is_ok());
    }

    #[test]
    fn name_and_password_become_a_header() {
        let endpoint = Endpoint::parse("https://Aladdin:open%20sesame@host", false);
        let basic = endpoint.expect("it is an address").basic();
        assert_eq!(basic.as_deref(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    }
}

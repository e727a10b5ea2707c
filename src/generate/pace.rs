//! How long to wait: what servers ask for, what doubles from try to try, and limits of a minute.
//!
//! The time is a parameter, and so is the random number.

use std::time::{Duration, Instant};

/// The longest pause between two tries.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// The headers of an answer that say when to ask again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    pub retry_after: Option<String>,
    pub retry_after_ms: Option<String>,
    /// When limits begin anew.
    pub resets: Vec<String>,
}

impl Headers {
    /// Reads how long the server wants us to wait; `now` is in seconds since 1970.
    #[must_use]
    pub fn wait(&self, now: i64) -> Option<Duration> {
        let ms = self.retry_after_ms.as_deref();
        let ms = ms.and_then(|text| text.trim().parse().ok());
        let wait = ms
            .map(Duration::from_millis)
            .or_else(|| {
                self.retry_after
                    .as_deref()
                    .and_then(|retry_after| after(retry_after, now))
            })
            .or_else(|| {
                self.resets
                    .iter()
                    .filter_map(|reset| after(reset, now))
                    .max()
            });
        wait.map(|duration| duration.min(WAIT_MAX))
    }
}

/// Reads seconds, a span such as `6m0s` or `20ms`, a moment in seconds since 1970, or a date (RFC 9110, 5.6.7).
fn after(text: &str, now: i64) -> Option<Duration> {
    /// Larger numbers are moments: as spans, they would be decades.
    const MOMENTS_FROM: f64 = 1e9;
    let text = text.trim();
    let until = |moment: i64| Duration::from_secs(u64::try_from(moment - now).unwrap_or(0));
    if let Ok(seconds) = text.parse::<f64>() {
        return match seconds {
            number if !number.is_finite() || number < 0.0 => None,
            moment if moment >= MOMENTS_FROM => Some(until(moment as i64)),
            wait => Some(Duration::from_secs_f64(wait)),
        };
    }
    span(text).or_else(|| date(text).map(until))
}

fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let len = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        seconds += number
            * match &rest[..len] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[len..];
    }
    (seconds < 1e9).then(|| Duration::from_secs_f64(seconds))
}

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT` as seconds since 1970.
fn date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let mut months = (1_i64..).zip(MONTHS);
    let month = months.find(|pair| pair.1 == month)?.0;
    let year: i64 = words.next()?.parse().ok()?;
    let clock: Vec<i64> = words
        .next()?
        .split(':')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [hours, minutes, seconds] = clock[..] else {
        return None;
    };
    if !(1..=31).contains(&day) || !(1_970..10_000).contains(&year) {
        return None;
    }
    // Days from civil (Howard Hinnant): years begin in March, so that the leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

/// Computes the pause before try number `idx` (from 0): any part of a pause that doubles (full jitter). `dice` is 0..1.
#[must_use]
pub fn backoff(first: Duration, idx: u32, dice: f64) -> Duration {
    let longest = first.saturating_mul(1 << idx.min(16)).min(WAIT_MAX);
    longest.mul_f64(dice.clamp(0.0, 1.0))
}

/// Limits of a minute, spread evenly over it.
#[derive(Debug)]
pub struct Limiter {
    per_request: Option<Duration>,
    per_token: Option<f64>,
    next_request: Instant,
    next_token: Instant,
    /// The moment before which a server wants no request.
    not_before: Instant,
}

impl Limiter {
    #[must_use]
    pub fn new(requests: Option<f64>, tokens: Option<f64>, now: Instant) -> Self {
        Self {
            per_request: requests.map(|request| Duration::from_secs_f64(60.0 / request)),
            per_token: tokens.map(|token| 60.0 / token),
            next_request: now,
            next_token: now,
            not_before: now,
        }
    }

    /// Reserves a place for a request of `n_tokens`, and computes the wait before it.
    pub fn reserve(&mut self, n_tokens: u64, now: Instant) -> Duration {
        let mut at = now.max(self.not_before);
        if let Some(span) = self.per_request {
            at = at.max(self.next_request);
            self.next_request = at + span;
        }
        if let Some(span) = self.per_token {
            at = at.max(self.next_token);
            let span = (span * n_tokens as f64).min(3_600.0);
            self.next_token = at + Duration::from_secs_f64(span);
        }
        at.saturating_duration_since(now)
    }

    /// Holds back all requests until a moment.
    pub fn hold(&mut self, until: Instant) {
        self.not_before = self.not_before.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_in_many_ways_when_to_ask_again() {
        let check = |text: &str, seconds: Option<f64>| {
            let headers = Headers {
                retry_after: Some(text.to_owned()),
                ..Headers::default()
            };
            let found = headers.wait(784_111_770);
            assert_eq!(
                found.map(|duration| duration.as_secs_f64()),
                seconds,
                "{text}"
            );
        };
        check("7", Some(7.0));
        check("0.5", Some(0.5));
        check("3600", Some(60.0));
        check("-1", None);
        check("soon", None);
        check("20ms", Some(0.02));
        check("0m6s", Some(6.0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(7.0));
        check("Sun, 06 Nov 1994 08:49:00 GMT", Some(0.0));
        let reset = Headers {
            resets: vec!["1s".to_owned(), "2s".to_owned(), "?".to_owned()],
            ..Headers::default()
        };
        assert_eq!(reset.wait(0), Some(Duration::from_secs(2)));
    }

    #[test]
    fn pauses_double_and_end_at_a_minute() {
        let check = |idx, dice, seconds| {
            let expected = Duration::from_secs(seconds);
            assert_eq!(backoff(Duration::from_secs(1), idx, dice), expected);
        };
        check(0, 1.0, 1);
        check(3, 0.5, 4);
        check(6, 1.0, 60);
        check(60, 1.0, 60);
        check(2, 0.0, 0);
    }

    #[test]
    fn a_limit_of_a_minute_is_spread_over_it() {
        let now = Instant::now();
        let mut limiter = Limiter::new(Some(60.0), None, now);
        let waits: Vec<u64> = (0..3).map(|_| limiter.reserve(9, now).as_secs()).collect();
        assert_eq!(waits, [0, 1, 2]);
        let mut limiter = Limiter::new(None, Some(600.0), now);
        let waits: Vec<u64> = (0..3).map(|_| limiter.reserve(20, now).as_secs()).collect();
        assert_eq!(waits, [0, 2, 4]);
        limiter.hold(now + Duration::from_secs(30));
        assert_eq!(limiter.reserve(0, now).as_secs(), 30);
    }
}

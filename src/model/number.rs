//! Numbers as people read them, everywhere the same: `3,918`, `−0.06`, `69.7 %`.
//!
//! Formats for programs (CSV, JSON) have rules of their own and are not written here.

use std::borrow::Cow;

/// Writes a count with its thousands apart: `12,480`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let mut shown = String::new();
    push_grouped(&mut shown, &n.to_string());
    shown
}

fn push_grouped(shown: &mut String, digits: &str) {
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
}

/// Writes a number with this many decimals, a true minus sign, and its thousands apart; one from 10^12 on as a power of
/// ten, and nothing for NaN and infinities. A number that rounds to zero has no sign.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return String::new();
    }
    if value.abs() >= 1e12 {
        return format!("{value:.1e}").replace('-', "−");
    }
    let text = format!("{:.decimals$}", value.abs());
    let (digits, rest) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(digits, rest)| (digits, Some(rest)));
    let mut shown = String::new();
    if value < 0.0 && !is_zero(&text) {
        shown.push('−');
    }
    push_grouped(&mut shown, digits);
    if let Some(rest) = rest {
        shown.push('.');
        shown.push_str(rest);
    }
    shown
}

/// Writes a cell of a column of numbers for people: `3420` as `3,420`, `-1234.5 s` as `−1,234.5 s`. Anything but one
/// number, with a sign before or a unit behind it, stays unchanged.
#[must_use]
pub fn readable(cell: &str) -> Cow<'_, str> {
    let start = cell.find(|c: char| c.is_ascii_digit());
    let Some(start) = start else {
        return Cow::Borrowed(cell);
    };
    let (before, number) = cell.split_at(start);
    let end = number.find(|c: char| !c.is_ascii_digit());
    let (digits, behind) = number.split_at(end.unwrap_or(number.len()));
    let is_number = matches!(before, "" | "-" | "−" | "+" | "±" | "≥ " | "≤ ");
    let fraction = behind.strip_prefix('.').unwrap_or(behind);
    let unit = fraction.trim_start_matches(|fraction: char| fraction.is_ascii_digit());
    let is_unit = unit.is_empty() || unit.starts_with([' ', '/']);
    let is_alone = is_unit && !unit.contains(|unit: char| unit.is_ascii_digit());
    if !is_number || !is_alone {
        return Cow::Borrowed(cell);
    }
    let mut shown = before.replace('-', "−");
    push_grouped(&mut shown, digits);
    shown.push_str(behind);
    Cow::Owned(shown)
}

/// Writes a difference with its sign: `+1.25`, `−0.40`, `±0.00`.
#[must_use]
pub fn signed(difference: f64, decimals: usize) -> String {
    let shown = number(difference, decimals);
    let sign = match () {
        () if is_zero(&shown) => "±",
        () if difference < 0.0 => "",
        () => "+",
    };
    format!("{sign}{shown}")
}

/// Writes a p-value as tables do: `<.001`, `.009`, `1.00`.
#[must_use]
pub fn probability(p: f64) -> String {
    if p < 0.001 {
        return "<.001".to_owned();
    }
    let text = format!("{p:.3}");
    match text.strip_prefix('0') {
        Some(fraction) => fraction.to_owned(),
        None => format!("{p:.2}"),
    }
}

/// Writes a share, 0 to 1, as `69.7 %`.
#[must_use]
pub fn percent(share: f64, decimals: usize) -> String {
    format!("{} %", number(share * 100.0, decimals))
}

fn is_zero(shown: &str) -> bool {
    shown.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (n, expected) in [
            (0, "0"),
            (999, "999"),
            (3_918, "3,918"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(n), expected);
        }
        assert_eq!(number(-1_234.5, 1), "−1,234.5");
    }

    #[test]
    fn a_minus_is_one_and_zero_has_none() {
        assert_eq!(number(-0.06, 2), "−0.06");
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(number(f64::NAN, 2), "");
        assert_eq!(number(-2.5e15, 0), "−2.5e15");
        assert_eq!(signed(0.0125, 4), "+0.0125");
        assert_eq!(signed(-0.4, 2), "−0.40");
        assert_eq!(signed(-0.001, 2), "±0.00");
    }

    #[test]
    fn cells_of_numbers_read_alike_and_others_stay() {
        for (cell, expected) in [
            ("3420", "3,420"),
            ("-1234567.1234", "−1,234,567.1234"),
            ("-0.5", "−0.5"),
            ("≥ 12480", "≥ 12,480"),
            ("1234.5 s", "1,234.5 s"),
            ("1200/s", "1,200/s"),
            ("0.123456", "0.123456"),
            ("999", "999"),
        ] {
            assert_eq!(readable(cell), expected);
        }
        for cell in [
            "",
            "–",
            "1,234",
            "2026-11-28",
            "1.8.2024",
            "1000k",
            "p 1000",
            "v-1000",
            "2900 of 5000",
        ] {
            assert_eq!(readable(cell), cell);
        }
    }

    #[test]
    fn a_share_is_a_percentage() {
        assert_eq!(percent(0.6972, 1), "69.7 %");
        assert_eq!(percent(1.0, 0), "100 %");
    }
}

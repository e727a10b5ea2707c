//! The report of mutation-testing-elements (`mutation-testing-report-schema`, `schemaVersion` 2.0), which Stryker's viewer and
//! others read. Lines and columns count from 1, columns in UTF-16 units; an end is exclusive.

use std::collections::BTreeMap;

use serde::Serialize;

/// The version of the schema that is written.
pub const SCHEMA_VERSION: &str = "2.0";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireMutationReport {
    pub schema_version: &'static str,
    pub thresholds: WireThresholds,
    pub files: BTreeMap<String, WireMutatedFile>,
    pub test_files: BTreeMap<String, WireTestFile>,
    pub framework: WireFramework,
}

/// The scores, in percent, from which on a viewer shows good, and below which bad ones; the viewer's own.
#[derive(Debug, Serialize)]
pub struct WireThresholds {
    pub high: u32,
    pub low: u32,
}

impl Default for WireThresholds {
    fn default() -> Self {
        Self { high: 80, low: 60 }
    }
}

#[derive(Debug, Serialize)]
pub struct WireFramework {
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Debug, Serialize)]
pub struct WireMutatedFile {
    pub language: &'static str,
    pub source: String,
    pub mutants: Vec<WireReportedMutant>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireReportedMutant {
    pub id: String,
    pub mutator_name: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    pub location: WireLocation,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// Ids of tests.
    pub killed_by: Vec<String>,
    pub covered_by: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WireLocation {
    pub start: WirePosition,
    pub end: WirePosition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WirePosition {
    pub line: u32,
    pub column: u32,
}

impl WireLocation {
    /// Converts a range of bytes of a text; nothing where it is not in the text.
    #[must_use]
    pub fn of_bytes(text: &str, start: usize, end: usize) -> Option<Self> {
        let start = WirePosition::of_byte(text, start)?;
        let mut end = WirePosition::of_byte(text, end)?;
        if (end.line, end.column) == (start.line, start.column) {
            // Nothing is replaced: a viewer needs something to show.
            end.column += 1;
        }
        Some(Self { start, end })
    }

    /// Makes the place of a whole line, from its first character that is not blank.
    #[must_use]
    pub fn of_line(text: &str, line: u32) -> Self {
        let found = text.lines().nth(line.saturating_sub(1) as usize);
        let found = found.unwrap_or_default();
        let width = |text: &str| text.encode_utf16().count() as u32;
        let indent = width(found) - width(found.trim_start());
        Self {
            start: WirePosition {
                line: line.max(1),
                column: indent + 1,
            },
            end: WirePosition {
                line: line.max(1),
                column: width(found.trim_end()).max(indent + 1) + 1,
            },
        }
    }
}

impl WirePosition {
    fn of_byte(text: &str, at: usize) -> Option<Self> {
        let before = text.get(..at)?;
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        Some(Self {
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].encode_utf16().count() as u32 + 1,
        })
    }
}

#[derive(Debug, Serialize)]
pub struct WireTestFile {
    pub tests: Vec<WireReportedTest>,
}

#[derive(Debug, Serialize)]
pub struct WireReportedTest {
    pub id: String,
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_one_in_utf_16_units() {
        let text = "a\n  é𝄞b\nc";
        let b = text.find('b').expect("it is there");
        let found = WireLocation::of_bytes(text, b, b + 1).expect("it is in the text");
        let at = |line, column| WirePosition { line, column };
        assert_eq!(
            found,
            WireLocation {
                start: at(2, 6),
                end: at(2, 7)
            }
        );
        assert_eq!(WireLocation::of_bytes(text, 5, 99), None);
        // A place inside of a character is none.
        assert_eq!(WireLocation::of_bytes(text, 5, 5), None);
        let line = WireLocation::of_line(text, 2);
        assert_eq!(
            line,
            WireLocation {
                start: at(2, 3),
                end: at(2, 7)
            }
        );
    }
}

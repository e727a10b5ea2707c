//! How predictions differ from their references as SARIF 2.1.0, which code hosts and editors show beside the code.

use serde::Serialize;

/// The version of the format, and where its schema is published.
const VERSION: &str = "2.1.0";
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Debug, Serialize)]
pub struct WireSarif {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [WireSarifRun; 1],
}

impl WireSarif {
    /// Makes the log of one run.
    #[must_use]
    pub const fn new(run: WireSarifRun) -> Self {
        Self {
            schema: SCHEMA,
            version: VERSION,
            runs: [run],
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifRun {
    pub tool: WireSarifTool,
    pub automation_details: WireSarifId,
    /// No result has columns, but tools ask for their kind.
    pub column_kind: &'static str,
    pub results: Vec<WireSarifResult>,
}

#[derive(Debug, Serialize)]
pub struct WireSarifTool {
    pub driver: WireSarifDriver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifDriver {
    pub name: &'static str,
    pub version: &'static str,
    pub rules: Vec<WireSarifRule>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifRule {
    pub id: &'static str,
    pub short_description: WireSarifText,
}

#[derive(Debug, Serialize)]
pub struct WireSarifId {
    pub id: String,
}

#[derive(Debug, Serialize)]
pub struct WireSarifText {
    pub text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifResult {
    pub rule_id: &'static str,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: WireSarifText,
    /// The true test; none where the index no longer has the sample.
    pub locations: Vec<WireSarifLocation>,
    pub partial_fingerprints: WireSarifFingerprint,
}

/// Identifies a result from one log to the next.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifFingerprint {
    /// Sample, attempt and tag.
    #[serde(rename = "prediction/v1")]
    pub prediction: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifLocation {
    pub physical_location: WireSarifPlace,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifPlace {
    pub artifact_location: WireSarifFile,
    pub region: WireSarifRegion,
}

#[derive(Debug, Serialize)]
pub struct WireSarifFile {
    /// Relative; bytes that no address may hold are escaped, as `%20`.
    pub uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSarifRegion {
    pub start_line: u32,
    pub end_line: u32,
}

impl WireSarifFile {
    /// Writes a path of a project as an address.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let mut uri = String::new();
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                uri.push_str(&format!("%{byte:02X}"));
            }
        }
        Self { uri }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_an_address() {
        let check = |path: &str, expected: &str| assert_eq!(WireSarifFile::of(path).uri, expected);
        check("src/test/A.java", "src/test/A.java");
        check("a b/ä#1.py", "a%20b/%C3%A4%231.py");
    }
}

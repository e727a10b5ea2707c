//! Pieces of a page: text that stays text, tables, charts as they are, and the hashes of scripts and styles.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::eval::interval::Mean;
use crate::model::visible_source;

/// Escapes text so that it may stand in a page or in a quoted attribute and does nothing there.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible_source(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Escapes JSON so that it may stand between the tags of a script: nothing in it ends the script, or begins a comment.
pub(super) fn within_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Hashes an inline script or style as a policy names it.
pub(super) fn hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

/// A part of the page with a heading.
#[derive(Debug)]
pub(super) struct HtmlSection {
    /// Links name it; one word.
    pub id: &'static str,
    pub title: &'static str,
    /// Below the heading, as HTML.
    pub body: String,
}

/// A cell of a table, as HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HtmlCell(pub String);

impl HtmlCell {
    pub(super) fn text(content: &str) -> Self {
        Self(text(content))
    }

    pub(super) fn none() -> Self {
        Self("<span class=none>–</span>".to_owned())
    }

    /// A share in percent.
    pub(super) fn share(share: Option<f64>) -> Self {
        share.map_or_else(Self::none, |share| Self(hundred(share)))
    }

    /// A mean in percent with its interval.
    pub(super) fn mean(mean: Option<Mean>) -> Self {
        mean.map_or_else(Self::none, |mean| Self::bounded(mean.value, mean.interval))
    }

    /// A share in percent with its interval.
    pub(super) fn bounded(value: f64, interval: Option<(f64, f64)>) -> Self {
        let mut cell = hundred(value);
        if let Some((low, high)) = interval {
            let (low, high) = (hundred(low), hundred(high));
            let _ = write!(cell, " <span class=ci>[{low}, {high}]</span>");
        }
        Self(cell)
    }
}

impl From<String> for HtmlCell {
    fn from(content: String) -> Self {
        Self::text(&content)
    }
}

/// Writes a share as percent, as tables of runs do.
pub(super) fn hundred(share: f64) -> String {
    crate::model::number(share * 100.0, 2)
}

/// The layout of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlColumnKind {
    Word,
    /// Sentences: their lines may be broken.
    Long,
    Number,
}

/// Rows under a header; the first cell of a row is its name.
#[derive(Debug)]
pub(super) struct HtmlTable {
    caption: String,
    columns: Vec<(String, HtmlColumnKind)>,
    rows: Vec<Vec<HtmlCell>>,
}

impl HtmlTable {
    pub(super) fn new(caption: impl Into<String>) -> Self {
        Self {
            caption: caption.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(super) fn column(mut self, name: impl Into<String>, kind: HtmlColumnKind) -> Self {
        self.columns.push((name.into(), kind));
        self
    }

    pub(super) fn words(self, names: &[&str]) -> Self {
        let add = |table: Self, name: &&str| table.column(*name, HtmlColumnKind::Word);
        names.iter().fold(self, add)
    }

    pub(super) fn numbers(self, names: &[&str]) -> Self {
        let add = |table: Self, name: &&str| table.column(*name, HtmlColumnKind::Number);
        names.iter().fold(self, add)
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = HtmlCell>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the table in a box that scrolls where it is wider than the page.
    pub(super) fn html(&self) -> String {
        let caption = text(&self.caption);
        let mut html = format!(
            "<div class=scroll role=group tabindex=0 aria-label=\"{caption}\"><table><caption>{caption}</caption><thead><tr>"
        );
        for (name, kind) in &self.columns {
            let _ = write!(html, "<th scope=col{}>{}</th>", class(*kind), text(name));
        }
        html.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (idx, (cell, (_, kind))) in row.iter().zip(&self.columns).enumerate() {
                let (tag, scope) = match idx {
                    0 => ("th", " scope=row"),
                    _ => ("td", ""),
                };
                let _ = write!(html, "<{tag}{scope}{}>{}</{tag}>", class(*kind), cell.0);
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}

fn class(kind: HtmlColumnKind) -> &'static str {
    match kind {
        HtmlColumnKind::Word => "",
        HtmlColumnKind::Long => " class=long",
        HtmlColumnKind::Number => " class=n",
    }
}

/// Writes a paragraph of plain text.
pub(super) fn paragraph(content: &str) -> String {
    format!("<p>{}</p>\n", text(content))
}

/// Folds HTML up under a summary.
pub(super) fn folded(summary: &str, body: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{body}</details>\n",
        text(summary)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let check = |content: &str, expected: &str| assert_eq!(text(content), expected);
        check("a < b && c", "a &lt; b &amp;&amp; c");
        check(
            "\"><img src=x onerror='f()'>",
            "&quot;&gt;&lt;img src=x onerror=&#39;f()&#39;&gt;",
        );
        check("a\u{202e}b\u{0}\tc\n", "a⟨202E⟩b⟨0000⟩\tc\n");
    }

    #[test]
    fn nothing_in_data_ends_a_script() {
        let json = "\"</script><!--<script>\u{2028}\"";
        let written = within_script(json);
        assert_eq!(
            written,
            "\"\\u003c/script>\\u003c!--\\u003cscript>\\u2028\""
        );
    }

    #[test]
    fn a_policy_knows_a_script_by_its_hash() {
        // `printf '' | openssl dgst -sha256 -binary | base64`
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert_eq!(hash(""), empty);
    }

    #[test]
    fn a_number_has_its_interval_beside_it() {
        let cell = HtmlCell::bounded(0.5, Some((0.4, 0.612_3)));
        assert_eq!(cell.0, "50.00 <span class=ci>[40.00, 61.23]</span>");
        assert_eq!(HtmlCell::share(None), HtmlCell::none());
    }
}

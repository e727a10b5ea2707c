//! A page of Markdown with the parts that are checked: code, links, headings, each with its line.

use std::fs;

use super::root;

/// A page in the repository.
pub struct Page {
    /// The path relative to the repository.
    pub path: String,
    pub text: String,
    pub fences: Vec<Fence>,
    /// The text without code blocks, with unchanged line numbers.
    pub prose: String,
    /// Code in backticks.
    pub spans: Vec<Piece>,
    /// Targets of links and pictures.
    pub links: Vec<Piece>,
    pub headings: Vec<String>,
}

/// A piece of text, with line breaks replaced by blanks.
pub struct Piece {
    pub line: usize,
    pub text: String,
}

/// A block of code.
pub struct Fence {
    /// The line of its first text.
    pub line: usize,
    pub language: String,
    pub text: String,
}

impl Fence {
    /// Returns its lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let first = self.line;
        let lines = self.text.lines().enumerate();
        lines.map(move |(idx, line)| (first + idx, line))
    }
}

impl Page {
    pub fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path));
        let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut page = Self {
            path: path.to_owned(),
            fences: Vec::new(),
            spans: Vec::new(),
            links: Vec::new(),
            headings: Vec::new(),
            prose: String::new(),
            text: String::new(),
        };
        let mut prose = String::new();
        let mut fence: Option<Fence> = None;
        for (idx, line) in text.lines().enumerate() {
            let mark = line.trim_start().strip_prefix("```");
            match (&mut fence, mark) {
                (Some(_), Some(_)) => page.fences.extend(fence.take()),
                (Some(open), None) => open.text += &format!("{line}\n"),
                (None, Some(language)) => {
                    fence = Some(Fence {
                        line: idx + 2,
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (None, None) => {
                    if let Some(heading) = line.strip_prefix('#') {
                        let heading = heading.trim_start_matches('#').trim();
                        page.headings.push(heading.to_owned());
                    }
                    prose += line;
                }
            }
            // Fences leave empty lines in the prose, so that its lines keep their numbers.
            prose.push('\n');
        }
        assert!(fence.is_none(), "{path}: a fence is not closed");
        page.spans_and_links(&prose);
        page.prose = prose;
        page.text = text;
        page
    }

    fn spans_and_links(&mut self, prose: &str) {
        let mut without_code = String::new();
        let mut rest = prose;
        let mut line = 1;
        while let Some(at) = rest.find('`') {
            let (before, from) = rest.split_at(at);
            without_code += before;
            line += before.matches('\n').count();
            let n_ticks = from.len() - from.trim_start_matches('`').len();
            let (ticks, code) = from.split_at(n_ticks);
            // A span ends in its paragraph.
            let end = code
                .find(ticks)
                .filter(|end| !code[..*end].contains("\n\n"));
            let Some(end) = end else {
                without_code += ticks;
                rest = code;
                continue;
            };
            let text = &code[..end];
            self.spans.push(Piece {
                line,
                text: text.replace('\n', " ").replace("\\|", "|"),
            });
            let n_breaks = text.matches('\n').count();
            without_code += &"\n".repeat(n_breaks);
            line += n_breaks;
            rest = &code[end + n_ticks..];
        }
        without_code += rest;
        for (idx, text) in without_code.lines().enumerate() {
            for (_, after) in text
                .match_indices("](")
                .map(|(at, mark)| text.split_at(at + mark.len()))
            {
                if let Some((target, _)) = after.split_once(')') {
                    self.links.push(Piece {
                        line: idx + 1,
                        text: target.to_owned(),
                    });
                }
            }
        }
    }
}

/// Returns the anchor of a heading, as mdBook and repository hosts derive it.
pub fn slug(heading: &str) -> String {
    let chars = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => {
            Some(letter.to_ascii_lowercase())
        }
        _ => None,
    });
    chars.collect()
}

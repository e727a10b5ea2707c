//! The attributes in `.gitattributes` files that determine how a file's text is stored: line endings, an identifier, an
//! encoding.
//!
//! Programs that attributes name (`filter`) are never started, and so play no part.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};

use crate::held::Root;

/// Git ignores larger attribute files, too.
const FILE_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// The states of the attributes that we know, for one path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    pub text: Option<AttributeState>,
    /// The former name of `text`; it counts where `text` is absent.
    pub crlf: Option<AttributeState>,
    pub eol: Option<AttributeState>,
    pub ident: Option<AttributeState>,
    pub encoding: Option<AttributeState>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeState {
    Set,
    Unset,
    /// Explicitly unspecified: as if no file set it, and the search ends.
    Unspecified,
    Value(String),
}

/// The attributes of a worktree, read where they are asked for.
#[derive(Debug)]
pub struct AttributeFinder<'a> {
    worktree: &'a Root,
    /// Rules of `info/attributes`, which override all others.
    own: Vec<AttributeRule>,
    macros: HashMap<String, Vec<(String, AttributeState)>>,
    /// The rules of folders that were read already.
    known: Mutex<HashMap<Vec<u8>, Arc<Vec<AttributeRule>>>>,
}

/// A line: the paths that it is about, and the states that it sets.
#[derive(Debug)]
struct AttributeRule {
    pattern: GlobMatcher,
    /// Whether the pattern is about names alone, in any folder.
    is_name: bool,
    says: Vec<(String, AttributeState)>,
}

impl<'a> AttributeFinder<'a> {
    /// Reads the rules for all paths and the macros; `info` is git's folder of that name for all worktrees.
    pub fn new(worktree: &'a Root, info: Option<&Root>) -> Self {
        let mut finder = Self {
            worktree,
            own: Vec::new(),
            macros: HashMap::new(),
            known: Mutex::default(),
        };
        let binary = ["diff", "merge", "text"].map(|name| (name.to_owned(), AttributeState::Unset));
        finder.macros.insert("binary".to_owned(), binary.into());
        let own = info.map_or_else(Vec::new, |info| lines(info, "attributes"));
        // Macros may only be defined in the top-level files, and a line may use those above it.
        for line in lines(worktree, ".gitattributes").iter().chain(&own) {
            if let Some((name, says)) = line.trim_ascii().strip_prefix(b"[attr]").map(words) {
                finder.macros.insert(name, says);
            }
        }
        finder.own = own
            .iter()
            .filter_map(|line| AttributeRule::parse(line))
            .collect();
        finder
    }

    /// Finds the attributes of a path.
    pub fn of(&self, path: &[u8]) -> Attributes {
        let mut found = Attributes::default();
        self.add(&self.own, path, &mut found);
        let mut end = path.iter().rposition(|byte| *byte == b'/');
        loop {
            let folder = &path[..end.unwrap_or(0)];
            let below = &path[end.map_or(0, |end| end + 1)..];
            self.add(&self.rules(folder), below, &mut found);
            let Some(at) = end else { return found };
            end = path[..at].iter().rposition(|byte| *byte == b'/');
        }
    }

    fn rules(&self, folder: &[u8]) -> Arc<Vec<AttributeRule>> {
        // A thread that panicked has not left half a list.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(folder) {
            return Arc::clone(rules);
        }
        let path = Path::new(OsStr::from_bytes(folder)).join(".gitattributes");
        let lines = lines(self.worktree, path);
        let rules = Arc::new(
            lines
                .iter()
                .filter_map(|line| AttributeRule::parse(line))
                .collect(),
        );
        known.insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }

    /// Adds the attributes that are not set yet; later lines override earlier ones.
    fn add(&self, rules: &[AttributeRule], path: &[u8], found: &mut Attributes) {
        for rule in rules.iter().rev().filter(|rule| rule.is_about(path)) {
            for (name, state) in rule.says.iter().rev() {
                found.say(name, state);
                let says = self
                    .macros
                    .get(name)
                    .filter(|_| *state == AttributeState::Set);
                for (name, state) in says.into_iter().flatten().rev() {
                    found.say(name, state);
                }
            }
        }
    }
}

impl Attributes {
    fn say(&mut self, name: &str, state: &AttributeState) {
        let place = match name {
            "text" => &mut self.text,
            "crlf" => &mut self.crlf,
            "eol" => &mut self.eol,
            "ident" => &mut self.ident,
            "working-tree-encoding" => &mut self.encoding,
            _ => return,
        };
        place.get_or_insert_with(|| state.clone());
    }
}

impl AttributeRule {
    /// Reads a line; nothing for comments, macros, and lines that git ignores.
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"[attr]") {
            return None;
        }
        let line = String::from_utf8_lossy(line);
        let (pattern, rest) = match line.strip_prefix('"') {
            Some(quoted) => unquoted(quoted)?,
            None => match line.split_once(|byte: char| byte.is_ascii_whitespace()) {
                Some((pattern, rest)) => (pattern.to_owned(), rest),
                None => return None,
            },
        };
        // `!` is only for ignore files, and folders have no attributes.
        if pattern.starts_with('!') || pattern.ends_with('/') {
            return None;
        }
        let is_name = !pattern.contains('/');
        // Braces mean nothing to git.
        let pattern = pattern.trim_start_matches('/');
        let pattern = pattern.replace('{', "\\{").replace('}', "\\}");
        let pattern = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .ok()?;
        Some(Self {
            pattern: pattern.compile_matcher(),
            is_name,
            says: states(rest),
        })
    }

    fn is_about(&self, path: &[u8]) -> bool {
        let from = match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) if self.is_name => at + 1,
            _ => 0,
        };
        self.pattern.is_match(OsStr::from_bytes(&path[from..]))
    }
}

/// Reads the lines of a file; none where there is no such file, or none that can be read.
fn lines(folder: &Root, path: impl AsRef<Path>) -> Vec<Vec<u8>> {
    let bytes = folder.read(path, FILE_BYTES_MAX).unwrap_or_default();
    bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_owned)
        .collect()
}

/// Splits a line into the name of a macro and its meaning.
fn words(line: &[u8]) -> (String, Vec<(String, AttributeState)>) {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_start();
    let (name, rest) = line
        .split_once(|byte: char| byte.is_ascii_whitespace())
        .unwrap_or((line, ""));
    (name.to_owned(), states(rest))
}

fn states(text: &str) -> Vec<(String, AttributeState)> {
    let words = text.split_ascii_whitespace();
    words
        .map(|word| {
            if let Some(name) = word.strip_prefix('-') {
                (name.to_owned(), AttributeState::Unset)
            } else if let Some(name) = word.strip_prefix('!') {
                (name.to_owned(), AttributeState::Unspecified)
            } else if let Some((name, value)) = word.split_once('=') {
                (name.to_owned(), AttributeState::Value(value.to_owned()))
            } else {
                (word.to_owned(), AttributeState::Set)
            }
        })
        .collect()
}

/// Unquotes a pattern whose opening quotation mark was taken off, and returns it with the rest of the line.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut pattern = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((pattern, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                't' => pattern.push('\t'),
                // Other escapes (letters, octal bytes) do not occur in paths that people write.
                char if char.is_ascii_alphanumeric() => return None,
                char => pattern.push(char),
            },
            char => pattern.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::testing::write;

    fn check(files: &[(&str, &str)], path: &str, expected: &Attributes) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (path, text) in files {
            write(&folder.path().join(path), text.as_bytes());
        }
        let root = Root::open(folder.path()).expect("it is opened");
        let info: PathBuf = folder.path().join("info");
        let info = Root::open(&info).ok();
        let found = AttributeFinder::new(&root, info.as_ref()).of(path.as_bytes());
        assert_eq!(&found, expected, "{path}");
    }

    fn text(state: AttributeState) -> Attributes {
        Attributes {
            text: Some(state),
            ..Attributes::default()
        }
    }

    #[test]
    fn the_nearest_file_and_its_last_line_count_most() {
        let files = [
            (
                ".gitattributes",
                "* text=auto\n*.bat\ttext eol=crlf\n*.bin binary\n",
            ),
            ("a/.gitattributes", "/x.txt -text\nsub/*.txt !text\n"),
        ];
        check(
            &files,
            "a.java",
            &text(AttributeState::Value("auto".to_owned())),
        );
        check(&files, "b/a.bin", &text(AttributeState::Unset));
        check(&files, "a/x.txt", &text(AttributeState::Unset));
        check(
            &files,
            "a/b/x.txt",
            &text(AttributeState::Value("auto".to_owned())),
        );
        check(&files, "a/sub/x.txt", &text(AttributeState::Unspecified));
        let bat = Attributes {
            eol: Some(AttributeState::Value("crlf".to_owned())),
            ..text(AttributeState::Set)
        };
        check(&files, "c/d/run.bat", &bat);
    }

    #[test]
    fn patterns_macros_and_the_repositorys_own_lines_are_read() {
        let files = [
            (
                ".gitattributes",
                "[attr]doc text eol=lf\n# *.md -text\n\"a b.md\" doc\n**/deep/*.md -text\n{x}.md text\n!*.md text\nplain/ text\n",
            ),
            ("info/attributes", "*.own -text ident"),
        ];
        let doc = Attributes {
            eol: Some(AttributeState::Value("lf".to_owned())),
            ..text(AttributeState::Set)
        };
        check(&files, "a b.md", &doc);
        check(&files, "x/deep/y.md", &text(AttributeState::Unset));
        check(&files, "{x}.md", &text(AttributeState::Set));
        check(&files, "x.md", &Attributes::default());
        check(&files, "plain/y.md", &Attributes::default());
        let own = Attributes {
            ident: Some(AttributeState::Set),
            ..text(AttributeState::Unset)
        };
        check(&files, "y.own", &own);
    }
}

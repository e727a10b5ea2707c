//! Cleans foreign texts for storing: without control characters, and with paths that tell nothing about this machine.

use std::path::PathBuf;

use crate::sandbox::Limit;

/// The most bytes of a trace that are kept.
const BYTES_MAX: usize = 4096;

/// Cleans texts.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    /// The folders, each with a slash at its end.
    folders: Vec<String>,
}

impl Cleaner {
    /// Takes the folders that are cut off paths.
    pub fn new(folders: &[PathBuf]) -> Self {
        Self {
            folders: folders
                .iter()
                .map(|folder| format!("{}/", folder.display()))
                .collect(),
        }
    }

    pub fn clean(&self, text: &str) -> String {
        let mut clean = text.replace("\r\n", "\n");
        for folder in &self.folders {
            clean = clean.replace(folder, "");
        }
        clean.retain(|c| !c.is_control() || matches!(c, '\n' | '\t'));
        if clean.len() > BYTES_MAX {
            let mut ends = (0..=BYTES_MAX).rev();
            let end = ends.find(|end| clean.is_char_boundary(*end));
            clean.truncate(end.unwrap_or_default());
        }
        clean.truncate(clean.trim_end().len());
        clean
    }
}

/// Names the resource of a limit that has ended a program.
pub const fn used(limit: Limit) -> &'static str {
    match limit {
        Limit::Wall => "time",
        Limit::Cpu => "processor time",
        Limit::Memory => "memory",
        Limit::Tasks => "processes and threads",
        Limit::FileSize => "a file's size",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_loses_control_characters_and_folders() {
        let cleaner = Cleaner::new(&[PathBuf::from("/c/tree")]);
        let text = "\u{1b}[1m/c/tree/src/T.java:1\r\n\tat x\u{7}\n";
        assert_eq!(cleaner.clean(text), "[1msrc/T.java:1\n\tat x");
        assert_eq!(cleaner.clean(&"é".repeat(4000)).len(), 4096);
    }
}

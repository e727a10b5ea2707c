//! Go in words.

use crate::dialect::{Dialect, Files};

pub static DIALECT: Dialect = Dialect {
    name: "Go",
    fences: &["go", "golang"],
    mera_fence: "go",
    files: Files {
        extensions: &["go"],
        skipped_folders: &[
            "node_modules",
            "vendor",
            "third_party",
            "site-packages",
            ".venv",
            "testdata",
            "_*",
        ],
        configuration: &["go.mod"],
        ..Dialect::UNTOLD.files
    },
    ..Dialect::UNTOLD
};

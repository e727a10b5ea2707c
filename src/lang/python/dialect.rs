//! Python in words.

use crate::dialect::{Dialect, Files};

pub static DIALECT: Dialect = Dialect {
    name: "Python",
    fences: &["python", "py", "python2", "python3", "pytest", "py3"],
    mera_fence: "python",
    files: Files {
        extensions: &["py"],
        skipped_folders: &[
            "node_modules",
            "vendor",
            "third_party",
            "site-packages",
            ".venv",
        ],
        configuration: &["pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini"],
        ..Dialect::UNTOLD.files
    },
    ..Dialect::UNTOLD
};

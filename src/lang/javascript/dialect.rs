//! JavaScript and TypeScript in words; to users they are one language.

use crate::dialect::{Dialect, Files};

pub static DIALECT: Dialect = Dialect {
    name: "JavaScript",
    fences: &[
        "javascript",
        "js",
        "jsx",
        "mjs",
        "cjs",
        "node",
        "nodejs",
        "ecmascript",
    ],
    mera_fence: "js",
    files: Files {
        extensions: &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        no_sources: &[
            ".d.ts", ".d.mts", ".d.cts", ".min.js", ".min.mjs", ".min.cjs",
        ],
        skipped_folders: &[
            "node_modules",
            "vendor",
            "third_party",
            "site-packages",
            ".venv",
            "dist",
            "build",
            "out",
            "umd",
            "coverage",
        ],
        configuration: &["package.json", "tsconfig.json"],
        ..Dialect::UNTOLD.files
    },
    ..Dialect::UNTOLD
};

//! C# in words.

use crate::dialect::{Dialect, Files};

pub static DIALECT: Dialect = Dialect {
    name: "C#",
    fences: &["csharp", "c#", "cs", "c-sharp", "c_sharp", "dotnet"],
    mera_fence: "csharp",
    lines_end_statements: false,
    files: Files {
        extensions: &["cs"],
        skipped_folders: &[
            "node_modules",
            "vendor",
            "third_party",
            "site-packages",
            ".venv",
            "bin",
            "obj",
        ],
        is_utf16_read: true,
        configuration: &["*.csproj", "*.props", "*.targets"],
        ..Dialect::UNTOLD.files
    },
    ..Dialect::UNTOLD
};

//! The index on disk; sole owner of SQLite and of every line of SQL.

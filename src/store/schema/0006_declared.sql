-- Why: when no candidate is right, an annotator looks for the method among all of the repository; `methods` has only
-- those that something refers to. One packed row per file is a fifth of the work of one row per method.

CREATE TABLE declared (
    -- The id of the file.
    file INTEGER PRIMARY KEY,
    -- Its methods and constructors, sorted by key; see `declared.rs`.
    packed BLOB NOT NULL
) STRICT;

-- Why: the first layout. Repositories in generations, sources stored once, one row per test and matcher.
--
-- Ids say where a row belongs, so that writing needs no look-ups and dropping a generation is a range:
--   files, methods, tests, problems   generation << 32 | ordinal
--   decisions, details                generation << 32 | matcher << 28 | ordinal of the test
-- Ordinals follow file and position. Words of closed sets are positions in the model's `ALL` lists.
-- References between rows of one generation are not declared as foreign keys: they are written and dropped together,
-- and each declared one would cost a look-up per row.

-- The generation counter, and every generation that readers must not see: still being written, or waiting to be swept.
CREATE TABLE hidden (
    id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;

CREATE TABLE repos (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    url TEXT,
    commit_id TEXT,
    dirty INTEGER,
    license TEXT,
    language INTEGER NOT NULL,
    build_tool INTEGER,
    stars INTEGER,
    is_fork INTEGER,
    root TEXT NOT NULL,
    stamp_content BLOB NOT NULL,
    stamp_options TEXT NOT NULL,
    stamp_code TEXT NOT NULL,
    n_files INTEGER NOT NULL,
    n_sources INTEGER NOT NULL,
    n_test_classes INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    n_problems INTEGER NOT NULL,
    -- The project split of the repository's group; -1 until settled.
    split INTEGER NOT NULL,
    is_settled INTEGER NOT NULL
) STRICT;

-- What a repository adds to the funnel, so that nobody counts a million rows to show it.
CREATE TABLE tallies (
    repo INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    matcher INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    n_ok INTEGER NOT NULL,
    n_no_assertion_part INTEGER NOT NULL,
    n_below INTEGER NOT NULL,
    n_tie INTEGER NOT NULL,
    n_no_candidate INTEGER NOT NULL,
    n_no_source INTEGER NOT NULL,
    n_focal_only_in_setup INTEGER NOT NULL,
    n_unique INTEGER NOT NULL,
    n_within_size INTEGER NOT NULL,
    PRIMARY KEY (repo, matcher)
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    -- Uncompressed.
    size_bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL
) STRICT;

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id),
    is_test INTEGER NOT NULL,
    path TEXT NOT NULL
) STRICT;
CREATE INDEX files_by_source ON files (source);

-- Every method that something refers to, and all methods of classes that hold a focal one.
CREATE TABLE methods (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    body_start INTEGER,
    body_end INTEGER,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    -- 1: a test, 2: a focal method; what `text:` searches.
    uses INTEGER NOT NULL,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    parameters TEXT NOT NULL,
    signature TEXT NOT NULL
) STRICT;

CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    method INTEGER NOT NULL,
    -- Ordinals of methods, four bytes each, little-endian.
    fixtures BLOB NOT NULL
) STRICT;
CREATE INDEX tests_by_key ON tests (key);

-- One row per test and matcher, narrow: a filter looks at all of them. No index on what lists are sorted by: six of
-- them took more time to write than all rows, and a million rows are sorted within a second when somebody asks.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    matcher INTEGER NOT NULL,
    status INTEGER NOT NULL,
    -- -1 when unmapped.
    stage INTEGER NOT NULL,
    weight REAL NOT NULL,
    flags INTEGER NOT NULL,
    n_tokens INTEGER NOT NULL,
    is_duplicate INTEGER NOT NULL,
    -- -1 until settled.
    split INTEGER NOT NULL,
    framework INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    file INTEGER NOT NULL,
    method INTEGER NOT NULL,
    focal_method INTEGER,
    test_class TEXT NOT NULL,
    test_name TEXT NOT NULL,
    -- `Counter.inc`; empty when unmapped.
    focal TEXT NOT NULL
) STRICT;

-- What is only asked about one decision at a time. Lists are packed: a row for each candidate and each context method
-- took half of the time of writing, and nobody looks for them but by their decision.
CREATE TABLE details (
    id INTEGER PRIMARY KEY,
    token_hash BLOB NOT NULL,
    content_hash BLOB NOT NULL,
    implementation INTEGER,
    setup_start INTEGER,
    setup_end INTEGER,
    assertion_start INTEGER,
    assertion_end INTEGER,
    -- Spans of calls, eight bytes each, little-endian.
    focal_calls BLOB NOT NULL,
    assertion_calls BLOB NOT NULL,
    -- The rank of the candidate that was picked.
    picked INTEGER,
    -- Best first; each: method (4 bytes), score and class score (8 bytes each), number of calls (4), their spans.
    candidates BLOB NOT NULL,
    -- Ordinals of methods.
    setup_context BLOB NOT NULL,
    focal_context BLOB NOT NULL
) STRICT;

CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    reason INTEGER NOT NULL,
    line INTEGER,
    path TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

-- Frozen when first assigned (MINING.md rule 28); these survive mining again.

-- Which of several equal samples stays in the dataset (rule 24).
CREATE TABLE kept (
    token_hash BLOB NOT NULL,
    matcher INTEGER NOT NULL,
    key BLOB NOT NULL,
    repo INTEGER NOT NULL,
    PRIMARY KEY (token_hash, matcher)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_by_repo ON kept (repo);

-- The project split (rule 27): forks and copies share a leader, and its split. The random split (rule 26) needs no
-- rows: it follows from the seed and the key, and the seed is frozen.
CREATE TABLE project_splits (
    identity TEXT NOT NULL PRIMARY KEY,
    leader TEXT NOT NULL,
    split INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- Grows whenever readers see other rows than before.
    version INTEGER NOT NULL,
    -- The seed of all splits: the first one asked for. In decimal, as it may be too large for an INTEGER.
    seed TEXT
) STRICT;
INSERT INTO state (id, version) VALUES (1, 0);

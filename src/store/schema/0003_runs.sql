-- Why: runs of models over the dataset, their answers, and what these scored.
--
-- Ids of predictions are run << 32 | ordinal, so that a run is one range of every table. Samples are named by key: runs
-- outlive the generation of rows that they were read against.

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    model TEXT,
    target INTEGER NOT NULL,
    -- Whose decision cuts the samples.
    matcher INTEGER NOT NULL,
    language INTEGER NOT NULL,
    extraction INTEGER NOT NULL,
    parse_mode INTEGER NOT NULL,
    length_max INTEGER,
    source TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    -- Rows of predictions with a greater ordinal are of an import that did not end.
    n_predictions INTEGER NOT NULL,
    n_samples INTEGER NOT NULL,
    n_problems INTEGER NOT NULL,
    -- What the readings sum up to; NULL until all predictions are read.
    n_scored INTEGER NOT NULL DEFAULT 0,
    n_unparsable INTEGER,
    n_over_length INTEGER NOT NULL DEFAULT 0,
    n_changed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE predictions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    line INTEGER NOT NULL,
    answer TEXT NOT NULL,
    code TEXT,
    meta TEXT
) STRICT;
CREATE INDEX predictions_by_key ON predictions (key, id);

-- Lines of imported files that could not be used.
CREATE TABLE run_problems (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    line INTEGER,
    path TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (run, ordinal)
) STRICT, WITHOUT ROWID;

-- What was read of a prediction beside its scores; one row each.
CREATE TABLE readings (
    prediction INTEGER PRIMARY KEY,
    -- NULL when it parses.
    error_line INTEGER,
    error_column INTEGER,
    n_tokens INTEGER NOT NULL,
    n_reference_tokens INTEGER NOT NULL,
    is_over_length INTEGER NOT NULL,
    is_changed INTEGER NOT NULL,
    -- 0 when there is nothing to compare with: its scores count nowhere.
    has_reference INTEGER NOT NULL,
    assertion TEXT NOT NULL
) STRICT;

-- A metric of a run. Predictions are scored in the order of their ids, so one number says how far it is.
CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    -- `reading` for the table of readings.
    metric TEXT NOT NULL,
    version INTEGER NOT NULL,
    options TEXT NOT NULL,
    -- A hash of the references that it compares with.
    dataset BLOB NOT NULL,
    -- The ordinal of the first prediction without a score.
    n_done INTEGER NOT NULL,
    value REAL,
    value_parsable REAL,
    UNIQUE (run, metric)
) STRICT;

CREATE TABLE scores (
    evaluation INTEGER NOT NULL,
    -- The prediction's ordinal.
    ordinal INTEGER NOT NULL,
    value REAL NOT NULL,
    -- What corpus values are summed from, eight bytes each, little-endian; or counts, see `codec`.
    parts BLOB NOT NULL,
    PRIMARY KEY (evaluation, ordinal)
) STRICT, WITHOUT ROWID;

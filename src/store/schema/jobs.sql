CREATE TABLE jobs (
    -- AUTOINCREMENT: files are named by it, so none is given twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    -- What the program was called with, without its own name; each ends with a NUL byte.
    arguments BLOB NOT NULL,
    folder BLOB NOT NULL,
    is_background INTEGER NOT NULL,
    retry_of INTEGER,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    is_cancel_asked INTEGER NOT NULL DEFAULT 0,
    phase TEXT NOT NULL DEFAULT '',
    n_done INTEGER NOT NULL DEFAULT 0,
    n_total INTEGER NOT NULL DEFAULT 0,
    n_repos INTEGER NOT NULL DEFAULT 0,
    n_repos_total INTEGER NOT NULL DEFAULT 0,
    n_problems INTEGER NOT NULL DEFAULT 0,
    -- 0 to 1; NULL while nobody knows.
    share REAL,
    -- An earlier moment, from which the pace follows.
    since_ms INTEGER,
    since_done INTEGER,
    since_share REAL,
    message TEXT NOT NULL DEFAULT '',
    exit_code INTEGER,
    pid INTEGER,
    host TEXT NOT NULL DEFAULT '',
    -- Milliseconds since 1970.
    created_ms INTEGER NOT NULL,
    started_ms INTEGER,
    ended_ms INTEGER,
    heartbeat_ms INTEGER NOT NULL
, n_new INTEGER, n_gone INTEGER, n_changed INTEGER, n_stale INTEGER, seal BLOB) STRICT;

CREATE INDEX jobs_open ON jobs (id) WHERE ended_ms IS NULL;

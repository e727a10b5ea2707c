-- Why: which engine ran a run last, what `why:` looks in, what tests entered, and what passing candidates cover together.

-- How a run was executed; the last time is what lists show.
CREATE TABLE run_executions (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    version TEXT NOT NULL,
    options TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    executed_at INTEGER NOT NULL,
    PRIMARY KEY (run, engine)
) STRICT, WITHOUT ROWID;

-- Code, type and message in lower case, a line each.
ALTER TABLE execution_details ADD COLUMN words TEXT NOT NULL DEFAULT '';

-- Methods of projects that tests entered; many tests enter one.
CREATE TABLE entered_methods (
    id INTEGER PRIMARY KEY,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    UNIQUE (class, name, descriptor)
) STRICT;

CREATE TABLE execution_entered (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- In order of their first time.
    ordinal INTEGER NOT NULL,
    method INTEGER NOT NULL REFERENCES entered_methods (id),
    depth INTEGER NOT NULL,
    n_times INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine, ordinal),
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What passing candidates cover together of each focal method of a run.
CREATE TABLE focal_totals (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    -- The project identity.
    project TEXT NOT NULL,
    -- The method's key.
    focal TEXT NOT NULL,
    -- All of the project, or its own, from 0.
    scope INTEGER NOT NULL,
    -- NULL where they are not known.
    n_lines_missed INTEGER,
    n_lines_covered INTEGER,
    n_branches_missed INTEGER,
    n_branches_covered INTEGER,
    PRIMARY KEY (run, engine, project, focal, scope)
) STRICT, WITHOUT ROWID;

-- Why: what became of a measured test besides its lines; questions that are made of tests, and what became of answers to them.
ALTER TABLE clover_cases ADD COLUMN ran TEXT;

-- All questions of a problem and a task together, so that a row says that they are known.
CREATE TABLE clover_tasks (
    project TEXT NOT NULL,
    -- `tests/x.py::Class::test`.
    node TEXT NOT NULL,
    -- `cloze`, `target`, `block`.
    task TEXT NOT NULL,
    -- Of project code, environment, engine, and of what makes questions.
    version TEXT NOT NULL,
    -- A JSON array, as `clover tasks --json` writes its lines.
    instances TEXT NOT NULL,
    PRIMARY KEY (project, node, task)
) STRICT;

-- By what was run, so that the same answer runs once.
CREATE TABLE clover_answers (
    project TEXT NOT NULL,
    -- Of the question, the file that ran, and the version.
    hash BLOB NOT NULL,
    outcome INTEGER NOT NULL,
    reason TEXT,
    message TEXT,
    seconds REAL NOT NULL,
    -- Statements of blocks that were reached; NULL where none were wanted.
    n_reached INTEGER,
    PRIMARY KEY (project, hash)
) STRICT;

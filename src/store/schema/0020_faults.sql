-- Why: faults were put into main code, and tests of runs were held against them: what became of each pair.
CREATE TABLE mutants (
    id INTEGER PRIMARY KEY,
    -- See `Mutant::id`.
    hash BLOB NOT NULL UNIQUE,
    -- The position in the list of languages, from 0.
    language INTEGER NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    mutator TEXT NOT NULL,
    description TEXT NOT NULL,
    -- Of a change in the text of the file: bytes, and what takes their place.
    first INTEGER,
    behind INTEGER,
    replacement TEXT,
    -- Of a change in byte code, as PIT names it; the indexes joined with commas.
    class TEXT,
    method TEXT,
    descriptor TEXT,
    indexes TEXT,
    CHECK ((replacement IS NULL) <> (class IS NULL))
) STRICT;

-- Tests that were held against the mutants of their focal method.
CREATE TABLE faulted (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides the pairs: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is each time; else it has no pairs.
    is_settled INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE fault_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    mutant INTEGER NOT NULL REFERENCES mutants (id),
    -- The position in the list of outcomes, from 0.
    outcome INTEGER NOT NULL,
    -- The class of what was thrown first.
    thrown TEXT,
    ms INTEGER,
    PRIMARY KEY (prediction, engine, mutant),
    FOREIGN KEY (prediction, engine) REFERENCES faulted (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

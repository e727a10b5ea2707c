-- Why: tests were run again with something changed around them: what changed their outcome.
CREATE TABLE shaken (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- What was tried, and what of that changes the outcome: the bits of their positions in the list of shakes, from 0.
    tried INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    n_runs INTEGER NOT NULL,
    n_failed INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Why: true tests were held against mutants of every method that they may be about. That says which of these a test checks,
-- and is in no number of the test.
CREATE TABLE candidate_faults (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is each time; else its candidates have no pairs.
    is_settled INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE candidate_methods (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- From 0, the one that the matcher finds best first.
    rank INTEGER NOT NULL,
    -- Its key.
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    -- Whether the matcher took it for the focal one.
    is_picked INTEGER NOT NULL,
    -- Ranks of other candidates that call a method of its name in their body, joined with commas.
    callers TEXT NOT NULL,
    PRIMARY KEY (prediction, engine, rank),
    FOREIGN KEY (prediction, engine) REFERENCES candidate_faults (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE candidate_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    rank INTEGER NOT NULL,
    mutant INTEGER NOT NULL REFERENCES mutants (id),
    -- The position in the list of outcomes, from 0.
    outcome INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine, rank, mutant),
    FOREIGN KEY (prediction, engine, rank) REFERENCES candidate_methods (prediction, engine, rank) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Why: tests are held against mutants of every method that they enter, too, which is kept as that of candidates is, beside it.
CREATE TABLE method_faults (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- Which methods these are: the position in the list of scopes, from 0.
    scope INTEGER NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is each time; else its methods have no pairs.
    is_settled INTEGER NOT NULL,
    -- How many methods there were, where these were drawn of them.
    n_methods INTEGER,
    PRIMARY KEY (prediction, engine, scope),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE faulted_methods (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    scope INTEGER NOT NULL,
    -- From 0: of candidates the one that the matcher finds best first, of methods that are entered the focal one.
    rank INTEGER NOT NULL,
    -- Its key.
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    -- Whether the matcher took it for the focal one.
    is_picked INTEGER NOT NULL,
    -- Of a candidate: ranks of others that call a method of its name in their body, joined with commas.
    callers TEXT NOT NULL,
    PRIMARY KEY (prediction, engine, scope, rank),
    FOREIGN KEY (prediction, engine, scope) REFERENCES method_faults (prediction, engine, scope) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE method_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    scope INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    mutant INTEGER NOT NULL REFERENCES mutants (id),
    -- The position in the list of outcomes, from 0.
    outcome INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine, scope, rank, mutant),
    FOREIGN KEY (prediction, engine, scope, rank)
        REFERENCES faulted_methods (prediction, engine, scope, rank) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO method_faults SELECT prediction, engine, 0, stamp, is_settled, NULL FROM candidate_faults;
INSERT INTO faulted_methods
    SELECT prediction, engine, 0, rank, name, file, line, is_picked, callers FROM candidate_methods;
INSERT INTO method_pairs SELECT prediction, engine, 0, rank, mutant, outcome FROM candidate_pairs;
DROP TABLE candidate_pairs;
DROP TABLE candidate_methods;
DROP TABLE candidate_faults;

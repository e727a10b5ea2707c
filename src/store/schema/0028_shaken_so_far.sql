-- Why: shaking the tests of a large file takes longer than anybody should lose when it is stopped.
CREATE TABLE shaken_so_far (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: what is there of another one says nothing.
    stamp BLOB NOT NULL,
    -- How it went in each round, among others and then in processes of its own: a byte for each.
    among BLOB NOT NULL,
    apart BLOB NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

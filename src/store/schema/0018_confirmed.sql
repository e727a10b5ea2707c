-- Why: an answer can forge that it passed, or leave early; what was found of those that were looked at a second time.
CREATE TABLE execution_confirmations (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- The word's position, from 0.
    word INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

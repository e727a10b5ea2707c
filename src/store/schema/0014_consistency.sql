-- Why: completions are asked for by run and function, also where nothing came back, and a function is known by a name.

-- As `focalist mutate` or the user calls it.
ALTER TABLE mutation_seeds ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE mutation_variants ADD COLUMN does_parse INTEGER NOT NULL DEFAULT 1;
-- As the model gave it, where that is more than the completion.
ALTER TABLE completions ADD COLUMN raw TEXT;

-- The functions that a run was asked about, in order.
CREATE TABLE consistency_seeds (
    run TEXT NOT NULL,
    seed INTEGER NOT NULL REFERENCES mutation_seeds (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (run, seed)
) STRICT, WITHOUT ROWID;
CREATE INDEX consistency_seeds_by_seed ON consistency_seeds (seed);

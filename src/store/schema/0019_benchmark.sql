-- Why: a benchmark is drawn cases with a split for each; filters and tables can ask only for what the index has.
CREATE TABLE benchmark_cases (
    -- A sample's; it may be gone, and come back when it is mined again.
    key BLOB PRIMARY KEY,
    split INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

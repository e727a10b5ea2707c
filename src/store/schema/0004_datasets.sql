-- Why: samples that came with a dataset and have no sources, so that neither takes the other's place unasked.

-- The splits that a dataset gives need no rows of their own: those of samples are in `decisions` from the start and are
-- kept when settled, those of projects are in `project_splits`.
CREATE TABLE datasets (
    repo INTEGER NOT NULL PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
    name TEXT NOT NULL
) STRICT;

-- Why: before runs are compared somebody asks whether they were scored with the references that are there now. To look
-- at every reference takes longer than the comparison, and nothing has changed most of the time.

CREATE TABLE run_references (
    run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- Of the samples that were there: see `pairs::stamp`.
    stamp BLOB NOT NULL,
    -- What the references hash to, as `evaluations.dataset`.
    dataset BLOB NOT NULL
) STRICT;

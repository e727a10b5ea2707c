-- Why: matchers that weigh evidence, and abstain; and how calls resolved, to be counted without mining again.

ALTER TABLE tallies ADD COLUMN n_abstained INTEGER NOT NULL DEFAULT 0;

-- For each candidate of `candidates`: weight and kinds of evidence, eight bytes each, little-endian. Empty in rows that
-- were written before.
ALTER TABLE details ADD COLUMN evidence BLOB NOT NULL DEFAULT x'';

-- How many calls in a repository's tests resolved to what; nothing of repositories that were mined before.
CREATE TABLE resolutions (
    repo INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    -- Declared in main code, declared in test code, ambiguous, outside, unknown.
    outcome INTEGER NOT NULL,
    -- Why unknown; -1 for the others.
    reason INTEGER NOT NULL,
    n_calls INTEGER NOT NULL,
    PRIMARY KEY (repo, outcome, reason)
) STRICT, WITHOUT ROWID;

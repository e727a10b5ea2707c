-- Why: what predictions do differently than their references, so that lists can be cut by it without parsing anything.
--
-- Kept like readings: the evaluation `failure` says which version found the tags and how far it came.

CREATE TABLE failures (
    prediction INTEGER PRIMARY KEY,
    -- A set: bit n is the n-th tag. Predictions with nothing to compare with have no row.
    tags INTEGER NOT NULL
) STRICT;

-- Why: a verdict whose code has changed since can show what was judged.

-- The test and the focal method of a sample as they were when somebody judged it; a row says all that its id stands for,
-- so rows of several files go together in any order.
CREATE TABLE snapshots (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    key BLOB NOT NULL CHECK (length(key) = 16),
    content_hash BLOB NOT NULL CHECK (length(content_hash) = 16),
    -- For the test, then for the focal method if there is one: method key, path and declaration, each after its length in
    -- bytes as four little-endian bytes; all packed by zstd.
    zstd BLOB NOT NULL
) STRICT;
CREATE INDEX snapshots_by_sample ON snapshots (key, content_hash, id);

CREATE TRIGGER snapshots_never_change BEFORE UPDATE ON snapshots
BEGIN
    SELECT RAISE(ABORT, 'snapshots never change');
END;

CREATE TRIGGER snapshots_stay BEFORE DELETE ON snapshots
BEGIN
    SELECT RAISE(ABORT, 'snapshots stay');
END;

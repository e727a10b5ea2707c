CREATE TABLE events (
    -- The order of arrival here; says nothing about what happened first.
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    annotator TEXT NOT NULL,
    -- Milliseconds since 1970.
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- The sample, of events that are about one.
    key BLOB CHECK (length(key) = 16),
    content_hash BLOB CHECK (length(content_hash) = 16),
    -- The focal method that was judged; NULL for an unmapped test.
    focal TEXT,
    judgement TEXT,
    picked TEXT,
    dwell_ms INTEGER,
    guideline TEXT,
    note TEXT,
    queue TEXT,
    reason TEXT,
    -- The event that is undone or redone.
    target BLOB CHECK (length(target) = 16),
    audit TEXT,
    -- The samples of a draw: a line each, key and stratum.
    samples TEXT
, batch BLOB CHECK (length(batch) = 16), n_accepted INTEGER, sample_n INTEGER, sample_errors INTEGER, error_max_ppm INTEGER, confidence_ppm INTEGER, run TEXT, attempt INTEGER, machine TEXT, version INTEGER, tags TEXT, mutant BLOB CHECK (length(mutant) = 16)) STRICT;

CREATE INDEX events_by_sample ON events (key, annotator, kind, at_ms, id);

CREATE INDEX events_by_target ON events (target, annotator, at_ms, id) WHERE target IS NOT NULL;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events never change');
END;

CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events stay');
END;

CREATE VIEW adjudications AS
SELECT a.* FROM standing a
WHERE a.kind = 'adjudicated' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.kind = 'adjudicated' AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

CREATE VIEW notes AS
SELECT a.* FROM standing a
WHERE a.kind = 'noted' AND a.note <> '' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'noted' AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

CREATE VIEW marks AS
SELECT a.* FROM standing a
WHERE a.kind = 'marked' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind IN ('marked', 'unmarked')
        AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

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

CREATE INDEX events_by_annotator ON events (annotator, at_ms, id) WHERE batch IS NULL;

CREATE INDEX events_by_batch ON events (batch) WHERE batch IS NOT NULL;

CREATE VIEW standing AS
SELECT e.* FROM events e
WHERE e.target IS NULL AND IFNULL((
    SELECT u.kind FROM events u WHERE u.target = e.id AND u.annotator = e.annotator
    ORDER BY u.at_ms DESC, u.id DESC LIMIT 1
), '') <> 'undone' AND (e.batch IS NULL OR IFNULL((
    SELECT u.kind FROM events u WHERE u.target = e.batch AND u.annotator = e.annotator
    ORDER BY u.at_ms DESC, u.id DESC LIMIT 1
), '') <> 'undone');

CREATE VIEW verdicts AS
SELECT a.* FROM standing a
WHERE a.kind = 'judged' AND a.batch IS NULL AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'judged' AND b.batch IS NULL
        AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

CREATE VIEW provisional AS
SELECT a.* FROM standing a
WHERE a.kind = 'judged' AND a.batch IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'judged' AND b.id <> a.id
        AND (b.batch IS NULL OR (b.at_ms, b.id) > (a.at_ms, a.id))
);

CREATE VIEW rulings AS
SELECT a.* FROM standing a
WHERE a.kind = 'tagged' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'tagged' AND b.run = a.run
        AND b.attempt = a.attempt AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

CREATE INDEX events_by_tagged ON events (run, key, attempt) WHERE kind = 'tagged';

CREATE VIEW equivalents AS
SELECT a.* FROM standing a
WHERE a.kind = 'equivalent' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.mutant = a.mutant AND b.annotator = a.annotator AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

CREATE INDEX events_by_mutant ON events (mutant, annotator, at_ms, id) WHERE mutant IS NOT NULL;

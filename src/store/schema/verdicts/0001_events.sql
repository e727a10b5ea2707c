-- Why: what people decided is append-only, and what holds now follows from it.
--
-- Words are stored as words: this file outlives versions, and people may look into it with other tools.

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
) STRICT;
CREATE INDEX events_by_sample ON events (key, annotator, kind, at_ms, id);
CREATE INDEX events_by_annotator ON events (annotator, at_ms, id);
CREATE INDEX events_by_target ON events (target, annotator, at_ms, id) WHERE target IS NOT NULL;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events never change');
END;

CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events stay');
END;

-- What the last undo or redo of an event's own annotator left standing.
CREATE VIEW standing AS
SELECT e.* FROM events e
WHERE e.target IS NULL AND IFNULL((
    SELECT u.kind FROM events u WHERE u.target = e.id AND u.annotator = e.annotator
    ORDER BY u.at_ms DESC, u.id DESC LIMIT 1
), '') <> 'undone';

-- Per annotator and sample, the last judgement that stands.
CREATE VIEW verdicts AS
SELECT a.* FROM standing a
WHERE a.kind = 'judged' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'judged' AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

-- Per sample, the last adjudication that stands, whoever gave it.
CREATE VIEW adjudications AS
SELECT a.* FROM standing a
WHERE a.kind = 'adjudicated' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.kind = 'adjudicated' AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

-- Per annotator and sample, the last note that stands; an empty one is none.
CREATE VIEW notes AS
SELECT a.* FROM standing a
WHERE a.kind = 'noted' AND a.note <> '' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'noted' AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

-- Per annotator and sample, whether the last word about a mark that stands is that there is one.
CREATE VIEW marks AS
SELECT a.* FROM standing a
WHERE a.kind = 'marked' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind IN ('marked', 'unmarked')
        AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

-- Why: many samples can be accepted at once because a random part of them was looked at, and taken back at once.

-- Of a provisional verdict: the event of kind 'batch' that it came with. What it says of the verdict is repeated in the
-- verdict, so that no verdict needs another row to be understood.
ALTER TABLE events ADD COLUMN batch BLOB CHECK (length(batch) = 16);
-- Of a batch: how many verdicts came with it.
ALTER TABLE events ADD COLUMN n_accepted INTEGER;
-- How many were looked at, how many of those were errors, at most how many millionths of all are, and how sure that is.
ALTER TABLE events ADD COLUMN sample_n INTEGER;
ALTER TABLE events ADD COLUMN sample_errors INTEGER;
ALTER TABLE events ADD COLUMN error_max_ppm INTEGER;
ALTER TABLE events ADD COLUMN confidence_ppm INTEGER;

-- What an annotator did, one by one: history and undo step over the verdicts of a batch without looking at them.
DROP INDEX events_by_annotator;
CREATE INDEX events_by_annotator ON events (annotator, at_ms, id) WHERE batch IS NULL;
CREATE INDEX events_by_batch ON events (batch) WHERE batch IS NOT NULL;

-- What neither the last undo or redo of an event's own annotator took back, nor that of its batch.
DROP VIEW standing;
CREATE VIEW standing AS
SELECT e.* FROM events e
WHERE e.target IS NULL AND IFNULL((
    SELECT u.kind FROM events u WHERE u.target = e.id AND u.annotator = e.annotator
    ORDER BY u.at_ms DESC, u.id DESC LIMIT 1
), '') <> 'undone' AND (e.batch IS NULL OR IFNULL((
    SELECT u.kind FROM events u WHERE u.target = e.batch AND u.annotator = e.annotator
    ORDER BY u.at_ms DESC, u.id DESC LIMIT 1
), '') <> 'undone');

-- Per annotator and sample, the last judgement of somebody who has looked at it.
DROP VIEW verdicts;
CREATE VIEW verdicts AS
SELECT a.* FROM standing a
WHERE a.kind = 'judged' AND a.batch IS NULL AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'judged' AND b.batch IS NULL
        AND (b.at_ms, b.id) > (a.at_ms, a.id)
);

-- Per annotator and sample, the last provisional verdict, while the annotator has no other: who has looked knows better,
-- whenever that was. That a row is another one is said apart, although the times say it, too: the index knows it, and the
-- row need not be read.
CREATE VIEW provisional AS
SELECT a.* FROM standing a
WHERE a.kind = 'judged' AND a.batch IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'judged' AND b.id <> a.id
        AND (b.batch IS NULL OR (b.at_ms, b.id) > (a.at_ms, a.id))
);

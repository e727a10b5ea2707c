-- Why: people can correct what the machine says that a prediction does differently.

-- Of an event of kind 'tagged': which prediction, what the machine said of it and by which version of the definitions,
-- and what holds instead. Tags are words with a blank between them; `content_hash` is that of both texts.
ALTER TABLE events ADD COLUMN run TEXT;
ALTER TABLE events ADD COLUMN attempt INTEGER;
ALTER TABLE events ADD COLUMN machine TEXT;
ALTER TABLE events ADD COLUMN version INTEGER;
ALTER TABLE events ADD COLUMN tags TEXT;

-- Per annotator and prediction, the last tags that stand.
CREATE VIEW rulings AS
SELECT a.* FROM standing a
WHERE a.kind = 'tagged' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.key = a.key AND b.annotator = a.annotator AND b.kind = 'tagged' AND b.run = a.run
        AND b.attempt = a.attempt AND (b.at_ms, b.id) > (a.at_ms, a.id)
);
CREATE INDEX events_by_tagged ON events (run, key, attempt) WHERE kind = 'tagged';

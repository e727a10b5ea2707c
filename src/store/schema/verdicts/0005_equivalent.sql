-- Why: people can say that a mutant means the same as the original, which no program can tell.

-- Of events of the kinds 'equivalent' and 'not_equivalent': the mutant. The sample is the one beside which it was seen.
ALTER TABLE events ADD COLUMN mutant BLOB CHECK (length(mutant) = 16);

-- Per annotator and mutant, whether the last word that stands is that it is equivalent.
CREATE VIEW equivalents AS
SELECT a.* FROM standing a
WHERE a.kind = 'equivalent' AND NOT EXISTS (
    SELECT 1 FROM standing b
    WHERE b.mutant = a.mutant AND b.annotator = a.annotator AND (b.at_ms, b.id) > (a.at_ms, a.id)
);
CREATE INDEX events_by_mutant ON events (mutant, annotator, at_ms, id) WHERE mutant IS NOT NULL;

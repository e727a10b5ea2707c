-- Why: matchers that weigh evidence, and abstain.

ALTER TABLE tallies ADD COLUMN n_abstained INTEGER NOT NULL DEFAULT 0;

-- For each candidate of `candidates`: weight and kinds of evidence, eight bytes each, little-endian. Empty in rows that
-- were written before.
ALTER TABLE details ADD COLUMN evidence BLOB NOT NULL DEFAULT x'';

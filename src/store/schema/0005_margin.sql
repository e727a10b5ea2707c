-- Why: people look first at what the matcher was least sure of.

-- The weight of the best candidate minus that of the second, 0..=1; 0 without candidates. What was written before knows
-- only the weight of what was picked, which is the most that it can be.
ALTER TABLE decisions ADD COLUMN margin REAL NOT NULL DEFAULT 0;
UPDATE decisions SET margin = weight WHERE weight > 0;

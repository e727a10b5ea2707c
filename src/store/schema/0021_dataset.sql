-- Why: functions of several corpora are mutated together, and papers tell of each by itself.
-- The name of the data set; empty where nobody says.
ALTER TABLE mutation_seeds ADD COLUMN dataset TEXT NOT NULL DEFAULT '';

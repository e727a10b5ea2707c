-- Why: a table comes with a copy of its folder, and a row holds arguments that are run again. NULL where nobody vouches for
-- the row.

ALTER TABLE jobs ADD COLUMN seal BLOB;

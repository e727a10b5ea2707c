-- Why: where a method's class begins behind its package, module or file cannot be told from the text in every language,
-- and whether it is of a class at all decides what it is called.
ALTER TABLE methods ADD COLUMN n_package INTEGER NOT NULL DEFAULT 0;

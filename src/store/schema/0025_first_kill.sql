-- Why: a test need not run on a mutant that another test of its run has noticed. Such a test has pairs for what the tests of a
-- run notice together, and no numbers of its own.
ALTER TABLE faulted ADD COLUMN is_whole INTEGER NOT NULL DEFAULT 1;

-- Why: records of MERA name a repository by its host's number, and the runner that a test's package depends on.

ALTER TABLE repos ADD COLUMN host_id TEXT;
-- A line for each package: its folder, a tab, and the runner or nothing.
ALTER TABLE repos ADD COLUMN runners TEXT NOT NULL DEFAULT '';

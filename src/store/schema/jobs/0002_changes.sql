-- Why: who mines again wants to know what changed, also from a job that nobody watched. NULL where nothing was replaced.

ALTER TABLE jobs ADD COLUMN n_new INTEGER;
ALTER TABLE jobs ADD COLUMN n_gone INTEGER;
ALTER TABLE jobs ADD COLUMN n_changed INTEGER;
ALTER TABLE jobs ADD COLUMN n_stale INTEGER;

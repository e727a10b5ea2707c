-- Why: problems are looked at without their environment: where their files lie, and to which question an answer belongs.
CREATE TABLE clover_suites (
    project TEXT PRIMARY KEY,
    -- The copy that the tests ran in.
    checkout TEXT NOT NULL,
    -- A JSON array: the files of the project's own code.
    files TEXT NOT NULL
) STRICT;

ALTER TABLE clover_answers ADD COLUMN question TEXT;
-- A JSON object: by file, the wanted statements that were reached, as ranges.
ALTER TABLE clover_answers ADD COLUMN reached TEXT;

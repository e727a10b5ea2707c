-- Why: what passes is correct only where something in it can fail, and each outcome says by which options it was made.

-- NULL where it cannot be read, and where nobody has looked.
ALTER TABLE executions ADD COLUMN asserts INTEGER;
ALTER TABLE executions ADD COLUMN options TEXT;
UPDATE executions SET options = (
    SELECT r.options FROM run_executions r
    WHERE r.run = executions.prediction >> 32 AND r.engine = executions.engine
);

-- Of answers that nobody ran.
ALTER TABLE readings ADD COLUMN asserts INTEGER;

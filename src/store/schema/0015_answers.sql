-- Why: what models say belongs to a run also where nothing is predicted by it: prompts need not be built from samples.

-- Names as in `runs`, which need not have it.
CREATE TABLE run_answers (
    run TEXT NOT NULL,
    answer INTEGER NOT NULL REFERENCES answers (id),
    -- Of the file of prompts, from 1.
    line INTEGER NOT NULL,
    PRIMARY KEY (run, answer)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_answers_by_answer ON run_answers (answer);

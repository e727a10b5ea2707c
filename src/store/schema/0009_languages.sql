-- Why: a project may be there in several languages, no query takes the key of a method apart any more, and what runs
-- tests, asks models and mutates code gets its place.

-- One row per project and language. A constraint cannot be dropped, so the table is made anew; foreign keys are off
-- meanwhile, and other tables still mean the same rows.
CREATE TABLE repos_by_language (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    language INTEGER NOT NULL,
    generation INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    url TEXT,
    commit_id TEXT,
    dirty INTEGER,
    license TEXT,
    build_tool INTEGER,
    stars INTEGER,
    is_fork INTEGER,
    root TEXT NOT NULL,
    stamp_content BLOB NOT NULL,
    stamp_options TEXT NOT NULL,
    stamp_code TEXT NOT NULL,
    n_files INTEGER NOT NULL,
    n_sources INTEGER NOT NULL,
    n_test_classes INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    n_problems INTEGER NOT NULL,
    -- The project split of the project's group; -1 until settled.
    split INTEGER NOT NULL,
    is_settled INTEGER NOT NULL,
    UNIQUE (identity, language)
) STRICT;
INSERT INTO repos_by_language
SELECT id, identity, language, generation, name, url, commit_id, dirty, license, build_tool, stars, is_fork, root,
    stamp_content, stamp_options, stamp_code, n_files, n_sources, n_test_classes, n_tests, n_problems, split, is_settled
FROM repos;
DROP TABLE repos;
ALTER TABLE repos_by_language RENAME TO repos;

-- A position in the list of kinds of methods.
ALTER TABLE methods ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
UPDATE methods SET kind = 1 WHERE name = '<init>';
-- Which of those with the same class, name and parameters in one file, from 1.
ALTER TABLE methods ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 1;

-- The simple name of the focal method's class; empty when unmapped.
ALTER TABLE decisions ADD COLUMN focal_class TEXT NOT NULL DEFAULT '';
UPDATE decisions SET focal_class = substr(focal, 1, instr(focal, '.') - 1) WHERE focal <> '';

-- What became of a prediction when an engine ran it; the last time counts.
CREATE TABLE executions (
    -- As in `predictions`.
    prediction INTEGER NOT NULL,
    -- `fast`, `maven`, `fork` …
    engine TEXT NOT NULL,
    -- A hash of the text that ran, its sample, the build and the options: nothing runs again while it is equal.
    stamp BLOB NOT NULL,
    -- Of the code that ran it.
    version TEXT NOT NULL,
    -- unparsable, not_compilable, not_executed, timeout, crash, failing, passing, correct, from 0; NULL when blocked.
    outcome INTEGER,
    -- Why there is no outcome: `no_build` …
    blocked TEXT,
    -- none, cut, closed, from 0.
    repair INTEGER NOT NULL,
    -- The ordinal of the prediction in the same run that has the same text and ran in place of this one.
    duplicate_of INTEGER,
    -- Whether the focal method was entered; NULL where that is not measured, as are the numbers.
    is_called INTEGER,
    n_lines_missed INTEGER,
    n_lines_covered INTEGER,
    n_branches_missed INTEGER,
    n_branches_covered INTEGER,
    elapsed_ms INTEGER,
    timeout_ms INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    CHECK ((outcome IS NULL) <> (blocked IS NULL))
) STRICT, WITHOUT ROWID;

-- What is only asked about one execution at a time, as JSON.
CREATE TABLE execution_details (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- Stage, code, type, message, line and trace; NULL when it passed.
    why TEXT,
    -- Host, method, the focal method's other counters, tools, build and sandbox.
    record TEXT NOT NULL,
    PRIMARY KEY (prediction, engine),
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT;

-- Sets of lines or probes, a bit each; many tests share one.
CREATE TABLE covered (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    bits BLOB NOT NULL
) STRICT;

CREATE TABLE execution_coverage (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A class or a file.
    unit TEXT NOT NULL,
    covered INTEGER NOT NULL REFERENCES covered (id),
    PRIMARY KEY (prediction, engine, unit),
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX execution_coverage_by_set ON execution_coverage (covered);

-- Self-contained test files that were cut out of a suite.
CREATE TABLE clover_cases (
    id INTEGER PRIMARY KEY,
    -- The project identity.
    project TEXT NOT NULL,
    -- `tests/x.py::Class::test`.
    node TEXT NOT NULL,
    -- Of project code, environment and engine.
    version TEXT NOT NULL,
    -- Where the file lies when it runs, and its text; NULL where none can be cut out.
    path TEXT,
    code TEXT,
    -- As in `executions`, with its reason; NULL before it ran.
    outcome INTEGER,
    reason TEXT,
    UNIQUE (project, node)
) STRICT;

CREATE TABLE clover_lines (
    clover_case INTEGER NOT NULL REFERENCES clover_cases (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    covered INTEGER NOT NULL REFERENCES covered (id),
    -- Lines that only some of the repeats cover; NULL for none.
    unstable INTEGER REFERENCES covered (id),
    PRIMARY KEY (clover_case, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX clover_lines_by_set ON clover_lines (covered);
CREATE INDEX clover_lines_by_unstable_set ON clover_lines (unstable) WHERE unstable IS NOT NULL;

-- Functions that are mutated, their variants, and what a model makes of the first half of each.
CREATE TABLE mutation_seeds (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    language INTEGER NOT NULL,
    path TEXT NOT NULL,
    function TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    source TEXT NOT NULL
) STRICT;

CREATE TABLE mutation_variants (
    id INTEGER PRIMARY KEY,
    seed INTEGER NOT NULL REFERENCES mutation_seeds (id) ON DELETE CASCADE,
    -- `REP_R` …; empty for the seed itself.
    pass TEXT NOT NULL,
    is_strict INTEGER NOT NULL,
    -- Of the passes.
    version INTEGER NOT NULL,
    source TEXT NOT NULL,
    -- Of the seed, as JSON: from, to, text.
    edits TEXT NOT NULL,
    -- The first line of the second half in the seed and here.
    cut_seed INTEGER NOT NULL,
    cut_variant INTEGER NOT NULL,
    distance REAL NOT NULL,
    UNIQUE (seed, pass, is_strict)
) STRICT;

CREATE TABLE completions (
    -- The name that the completions were made or imported under.
    run TEXT NOT NULL,
    variant INTEGER NOT NULL REFERENCES mutation_variants (id) ON DELETE CASCADE,
    -- Empty when the model gave none.
    text TEXT NOT NULL,
    PRIMARY KEY (run, variant)
) STRICT, WITHOUT ROWID;
CREATE INDEX completions_by_variant ON completions (variant);

CREATE TABLE consistencies (
    run TEXT NOT NULL,
    seed INTEGER NOT NULL REFERENCES mutation_seeds (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    -- Similarities of its completions in the order of their variants, a byte each, row by row.
    matrix BLOB NOT NULL,
    -- Per threshold and rule, as JSON.
    outliers TEXT NOT NULL,
    -- The variant whose completion is taken in the end; NULL for none.
    repaired INTEGER REFERENCES mutation_variants (id),
    PRIMARY KEY (run, seed)
) STRICT, WITHOUT ROWID;
CREATE INDEX consistencies_by_seed ON consistencies (seed);
CREATE INDEX consistencies_by_repaired ON consistencies (repaired) WHERE repaired IS NOT NULL;

-- What models are asked.
CREATE TABLE prompts (
    id INTEGER PRIMARY KEY,
    -- Of all that shapes it.
    hash BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- The key of the sample that it is built from; NULL for other prompts.
    sample BLOB,
    -- The whole of it, as JSON.
    prompt TEXT NOT NULL
) STRICT;
CREATE INDEX prompts_by_sample ON prompts (sample) WHERE sample IS NOT NULL;

-- What they said; never asked for twice.
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    prompt INTEGER NOT NULL REFERENCES prompts (id),
    model TEXT NOT NULL,
    parameters TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    -- As it came; NULL when the prompt was too long for the model.
    text TEXT,
    finish_reason TEXT,
    request_hash BLOB NOT NULL,
    -- Usage, latency, HTTP status codes, and how many answers the request was for, as JSON.
    meta TEXT NOT NULL,
    UNIQUE (prompt, model, parameters, attempt)
) STRICT;

-- Which answer a prediction was taken from.
CREATE TABLE prediction_answers (
    prediction INTEGER PRIMARY KEY,
    answer INTEGER NOT NULL REFERENCES answers (id)
) STRICT;
CREATE INDEX prediction_answers_by_answer ON prediction_answers (answer);

CREATE TABLE hidden (
    id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;

CREATE TABLE tallies (
    repo INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    matcher INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    n_ok INTEGER NOT NULL,
    n_no_assertion_part INTEGER NOT NULL,
    n_below INTEGER NOT NULL,
    n_tie INTEGER NOT NULL,
    n_no_candidate INTEGER NOT NULL,
    n_no_source INTEGER NOT NULL,
    n_focal_only_in_setup INTEGER NOT NULL,
    n_unique INTEGER NOT NULL,
    n_within_size INTEGER NOT NULL, n_abstained INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (repo, matcher)
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    -- Uncompressed.
    size_bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL
) STRICT;

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id),
    is_test INTEGER NOT NULL,
    path TEXT NOT NULL
) STRICT;

CREATE INDEX files_by_source ON files (source);

CREATE TABLE methods (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    body_start INTEGER,
    body_end INTEGER,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    -- 1: a test, 2: a focal method; what `text:` searches.
    uses INTEGER NOT NULL,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    parameters TEXT NOT NULL,
    signature TEXT NOT NULL
, kind INTEGER NOT NULL DEFAULT 0, ordinal INTEGER NOT NULL DEFAULT 1, n_package INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    method INTEGER NOT NULL,
    -- Ordinals of methods, four bytes each, little-endian.
    fixtures BLOB NOT NULL
) STRICT;

CREATE INDEX tests_by_key ON tests (key);

CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    matcher INTEGER NOT NULL,
    status INTEGER NOT NULL,
    -- -1 when unmapped.
    stage INTEGER NOT NULL,
    weight REAL NOT NULL,
    flags INTEGER NOT NULL,
    n_tokens INTEGER NOT NULL,
    is_duplicate INTEGER NOT NULL,
    -- -1 until settled.
    split INTEGER NOT NULL,
    framework INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    file INTEGER NOT NULL,
    method INTEGER NOT NULL,
    focal_method INTEGER,
    test_class TEXT NOT NULL,
    test_name TEXT NOT NULL,
    -- `Counter.inc`; empty when unmapped.
    focal TEXT NOT NULL
, margin REAL NOT NULL DEFAULT 0, focal_class TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE details (
    id INTEGER PRIMARY KEY,
    token_hash BLOB NOT NULL,
    content_hash BLOB NOT NULL,
    implementation INTEGER,
    setup_start INTEGER,
    setup_end INTEGER,
    assertion_start INTEGER,
    assertion_end INTEGER,
    -- Spans of calls, eight bytes each, little-endian.
    focal_calls BLOB NOT NULL,
    assertion_calls BLOB NOT NULL,
    -- The rank of the candidate that was picked.
    picked INTEGER,
    -- Best first; each: method (4 bytes), score and class score (8 bytes each), number of calls (4), their spans.
    candidates BLOB NOT NULL,
    -- Ordinals of methods.
    setup_context BLOB NOT NULL,
    focal_context BLOB NOT NULL
, evidence BLOB NOT NULL DEFAULT x'') STRICT;

CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    reason INTEGER NOT NULL,
    line INTEGER,
    path TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE kept (
    token_hash BLOB NOT NULL,
    matcher INTEGER NOT NULL,
    key BLOB NOT NULL,
    repo INTEGER NOT NULL,
    PRIMARY KEY (token_hash, matcher)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_by_repo ON kept (repo);

CREATE TABLE project_splits (
    identity TEXT NOT NULL PRIMARY KEY,
    leader TEXT NOT NULL,
    split INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- Grows whenever readers see other rows than before.
    version INTEGER NOT NULL,
    -- The seed of all splits: the first one asked for. In decimal, as it may be too large for an INTEGER.
    seed TEXT
) STRICT;

CREATE TABLE resolutions (
    repo INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    -- Declared in main code, declared in test code, ambiguous, outside, unknown.
    outcome INTEGER NOT NULL,
    -- Why unknown; -1 for the others.
    reason INTEGER NOT NULL,
    n_calls INTEGER NOT NULL,
    PRIMARY KEY (repo, outcome, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    model TEXT,
    target INTEGER NOT NULL,
    -- Whose decision cuts the samples.
    matcher INTEGER NOT NULL,
    language INTEGER NOT NULL,
    extraction INTEGER NOT NULL,
    parse_mode INTEGER NOT NULL,
    length_max INTEGER,
    source TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    -- Rows of predictions with a greater ordinal are of an import that did not end.
    n_predictions INTEGER NOT NULL,
    n_samples INTEGER NOT NULL,
    n_problems INTEGER NOT NULL,
    -- What the readings sum up to; NULL until all predictions are read.
    n_scored INTEGER NOT NULL DEFAULT 0,
    n_unparsable INTEGER,
    n_over_length INTEGER NOT NULL DEFAULT 0,
    n_changed INTEGER NOT NULL DEFAULT 0
, kind INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE predictions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    line INTEGER NOT NULL,
    answer TEXT NOT NULL,
    code TEXT,
    meta TEXT
) STRICT;

CREATE INDEX predictions_by_key ON predictions (key, id);

CREATE TABLE run_problems (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    line INTEGER,
    path TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (run, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings (
    prediction INTEGER PRIMARY KEY,
    -- NULL when it parses.
    error_line INTEGER,
    error_column INTEGER,
    n_tokens INTEGER NOT NULL,
    n_reference_tokens INTEGER NOT NULL,
    is_over_length INTEGER NOT NULL,
    is_changed INTEGER NOT NULL,
    -- 0 when there is nothing to compare with: its scores count nowhere.
    has_reference INTEGER NOT NULL,
    assertion TEXT NOT NULL
, asserts INTEGER) STRICT;

CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    -- `reading` for the table of readings.
    metric TEXT NOT NULL,
    version INTEGER NOT NULL,
    options TEXT NOT NULL,
    -- A hash of the references that it compares with.
    dataset BLOB NOT NULL,
    -- The ordinal of the first prediction without a score.
    n_done INTEGER NOT NULL,
    value REAL,
    value_parsable REAL,
    UNIQUE (run, metric)
) STRICT;

CREATE TABLE scores (
    evaluation INTEGER NOT NULL,
    -- The prediction's ordinal.
    ordinal INTEGER NOT NULL,
    value REAL NOT NULL,
    -- What corpus values are summed from, eight bytes each, little-endian; or counts, see `codec`.
    parts BLOB NOT NULL,
    PRIMARY KEY (evaluation, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE datasets (
    repo INTEGER NOT NULL PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE declared (
    -- The id of the file.
    file INTEGER PRIMARY KEY,
    -- Its methods and constructors, sorted by key; see `declared.rs`.
    packed BLOB NOT NULL
) STRICT;

CREATE TABLE failures (
    prediction INTEGER PRIMARY KEY,
    -- A set: bit n is the n-th tag. Predictions with nothing to compare with have no row.
    tags INTEGER NOT NULL
) STRICT;

CREATE TABLE run_references (
    run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- Of the samples that were there: see `pairs::stamp`.
    stamp BLOB NOT NULL,
    -- What the references hash to, as `evaluations.dataset`.
    dataset BLOB NOT NULL
) STRICT;

CREATE TABLE "repos" (
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
    is_settled INTEGER NOT NULL, host_id TEXT, runners TEXT NOT NULL DEFAULT '',
    UNIQUE (identity, language)
) STRICT;

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
    timeout_ms INTEGER NOT NULL, asserts INTEGER, options TEXT,
    PRIMARY KEY (prediction, engine),
    CHECK ((outcome IS NULL) <> (blocked IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE execution_details (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- Stage, code, type, message, line and trace; NULL when it passed.
    why TEXT,
    -- Host, method, the focal method's other counters, tools, build and sandbox.
    record TEXT NOT NULL, words TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (prediction, engine),
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT;

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
    reason TEXT, ran TEXT,
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

CREATE TABLE mutation_seeds (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    language INTEGER NOT NULL,
    path TEXT NOT NULL,
    function TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    source TEXT NOT NULL
, name TEXT NOT NULL DEFAULT '', dataset TEXT NOT NULL DEFAULT '') STRICT;

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
    distance REAL NOT NULL, does_parse INTEGER NOT NULL DEFAULT 1,
    UNIQUE (seed, pass, is_strict)
) STRICT;

CREATE TABLE completions (
    -- The name that the completions were made or imported under.
    run TEXT NOT NULL,
    variant INTEGER NOT NULL REFERENCES mutation_variants (id) ON DELETE CASCADE,
    -- Empty when the model gave none.
    text TEXT NOT NULL, raw TEXT,
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

CREATE TABLE prediction_answers (
    prediction INTEGER PRIMARY KEY,
    answer INTEGER NOT NULL REFERENCES answers (id)
) STRICT;

CREATE INDEX prediction_answers_by_answer ON prediction_answers (answer);

CREATE TABLE run_executions (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    version TEXT NOT NULL,
    options TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    executed_at INTEGER NOT NULL,
    PRIMARY KEY (run, engine)
) STRICT, WITHOUT ROWID;

CREATE TABLE entered_methods (
    id INTEGER PRIMARY KEY,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    UNIQUE (class, name, descriptor)
) STRICT;

CREATE TABLE execution_entered (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- In order of their first time.
    ordinal INTEGER NOT NULL,
    method INTEGER NOT NULL REFERENCES entered_methods (id),
    depth INTEGER NOT NULL,
    n_times INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine, ordinal),
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE focal_totals (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    -- The project identity.
    project TEXT NOT NULL,
    -- The method's key.
    focal TEXT NOT NULL,
    -- All of the project, or its own, from 0.
    scope INTEGER NOT NULL,
    -- NULL where they are not known.
    n_lines_missed INTEGER,
    n_lines_covered INTEGER,
    n_branches_missed INTEGER,
    n_branches_covered INTEGER,
    PRIMARY KEY (run, engine, project, focal, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE clover_tasks (
    project TEXT NOT NULL,
    -- `tests/x.py::Class::test`.
    node TEXT NOT NULL,
    -- `cloze`, `target`, `block`.
    task TEXT NOT NULL,
    -- Of project code, environment, engine, and of what makes questions.
    version TEXT NOT NULL,
    -- A JSON array, as `clover tasks --json` writes its lines.
    instances TEXT NOT NULL,
    PRIMARY KEY (project, node, task)
) STRICT;

CREATE TABLE clover_answers (
    project TEXT NOT NULL,
    -- Of the question, the file that ran, and the version.
    hash BLOB NOT NULL,
    outcome INTEGER NOT NULL,
    reason TEXT,
    message TEXT,
    seconds REAL NOT NULL,
    -- Statements of blocks that were reached; NULL where none were wanted.
    n_reached INTEGER, question TEXT, reached TEXT,
    PRIMARY KEY (project, hash)
) STRICT;

CREATE TABLE consistency_seeds (
    run TEXT NOT NULL,
    seed INTEGER NOT NULL REFERENCES mutation_seeds (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (run, seed)
) STRICT, WITHOUT ROWID;

CREATE INDEX consistency_seeds_by_seed ON consistency_seeds (seed);

CREATE TABLE run_answers (
    run TEXT NOT NULL,
    answer INTEGER NOT NULL REFERENCES answers (id),
    -- Of the file of prompts, from 1.
    line INTEGER NOT NULL,
    PRIMARY KEY (run, answer)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_answers_by_answer ON run_answers (answer);

CREATE TABLE clover_suites (
    project TEXT PRIMARY KEY,
    -- The copy that the tests ran in.
    checkout TEXT NOT NULL,
    -- A JSON array: the files of the project's own code.
    files TEXT NOT NULL
) STRICT;

CREATE TABLE execution_confirmations (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- The word's position, from 0.
    word INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE benchmark_cases (
    -- A sample's; it may be gone, and come back when it is mined again.
    key BLOB PRIMARY KEY,
    split INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mutants (
    id INTEGER PRIMARY KEY,
    -- See `Mutant::id`.
    hash BLOB NOT NULL UNIQUE,
    -- The position in the list of languages, from 0.
    language INTEGER NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    mutator TEXT NOT NULL,
    description TEXT NOT NULL,
    -- Of a change in the text of the file: bytes, and what takes their place.
    first INTEGER,
    behind INTEGER,
    replacement TEXT,
    -- Of a change in byte code, as PIT names it; the indexes joined with commas.
    class TEXT,
    method TEXT,
    descriptor TEXT,
    indexes TEXT,
    CHECK ((replacement IS NULL) <> (class IS NULL))
) STRICT;

CREATE TABLE faulted (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides the pairs: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is each time; else it has no pairs.
    is_settled INTEGER NOT NULL, is_whole INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE fault_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    mutant INTEGER NOT NULL REFERENCES mutants (id),
    -- The position in the list of outcomes, from 0.
    outcome INTEGER NOT NULL,
    -- The class of what was thrown first.
    thrown TEXT,
    ms INTEGER,
    PRIMARY KEY (prediction, engine, mutant),
    FOREIGN KEY (prediction, engine) REFERENCES faulted (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE shaken (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- What was tried, and what of that changes the outcome: the bits of their positions in the list of shakes, from 0.
    tried INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    n_runs INTEGER NOT NULL,
    n_failed INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
    -- Of the kind of run, of what a tool calls the question, and of the conditions that it was asked in.
    key BLOB PRIMARY KEY,
    -- Of context and truth.
    content_hash BLOB NOT NULL,
    language INTEGER NOT NULL,
    repo TEXT NOT NULL,
    name TEXT NOT NULL,
    about TEXT NOT NULL,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    task TEXT NOT NULL,
    -- In tokens; NULL where the problem alone was shown, and where there are none.
    budget INTEGER,
    form TEXT,
    context TEXT NOT NULL,
    -- An answer goes on right behind the context.
    is_continued INTEGER NOT NULL,
    -- NULL where nobody knows.
    truth TEXT
) STRICT;

CREATE TABLE variants (
    id INTEGER PRIMARY KEY,
    -- See `Variant::id`.
    hash BLOB NOT NULL UNIQUE,
    -- The position in the list of languages, from 0.
    language INTEGER NOT NULL,
    -- The position in the list of kinds, from 0.
    kind INTEGER NOT NULL,
    file TEXT NOT NULL
) STRICT;

CREATE TABLE variant_edits (
    variant INTEGER NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    replacement TEXT NOT NULL,
    PRIMARY KEY (variant, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE varied (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is; else nothing is known of it.
    is_settled INTEGER NOT NULL,
    -- The sound variants that it was run on, and those of them that it objects to: the bits of the positions of their kinds.
    held INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE varied_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    variant INTEGER NOT NULL REFERENCES variants (id),
    objects INTEGER NOT NULL,
    -- Whether nearly all true tests of the method that do not look at the change pass there.
    is_sound INTEGER NOT NULL,
    -- The class of what was thrown first.
    thrown TEXT,
    PRIMARY KEY (prediction, engine, variant),
    FOREIGN KEY (prediction, engine) REFERENCES varied (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE method_faults (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- Which methods these are: the position in the list of scopes, from 0.
    scope INTEGER NOT NULL,
    -- A hash of all that decides it: nothing is done again while it is equal.
    stamp BLOB NOT NULL,
    -- Whether it passed on the code as it is each time; else its methods have no pairs.
    is_settled INTEGER NOT NULL,
    -- How many methods there were, where these were drawn of them.
    n_methods INTEGER,
    PRIMARY KEY (prediction, engine, scope),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE faulted_methods (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    scope INTEGER NOT NULL,
    -- From 0: of candidates the one that the matcher finds best first, of methods that are entered the focal one.
    rank INTEGER NOT NULL,
    -- Its key.
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    -- Whether the matcher took it for the focal one.
    is_picked INTEGER NOT NULL,
    -- Of a candidate: ranks of others that call a method of its name in their body, joined with commas.
    callers TEXT NOT NULL,
    PRIMARY KEY (prediction, engine, scope, rank),
    FOREIGN KEY (prediction, engine, scope) REFERENCES method_faults (prediction, engine, scope) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE method_pairs (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    scope INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    mutant INTEGER NOT NULL REFERENCES mutants (id),
    -- The position in the list of outcomes, from 0.
    outcome INTEGER NOT NULL,
    PRIMARY KEY (prediction, engine, scope, rank, mutant),
    FOREIGN KEY (prediction, engine, scope, rank)
        REFERENCES faulted_methods (prediction, engine, scope, rank) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE shaken_so_far (
    prediction INTEGER NOT NULL,
    engine TEXT NOT NULL,
    -- A hash of all that decides it: what is there of another one says nothing.
    stamp BLOB NOT NULL,
    -- How it went in each round, among others and then in processes of its own: a byte for each.
    among BLOB NOT NULL,
    apart BLOB NOT NULL,
    PRIMARY KEY (prediction, engine),
    -- What runs again loses it.
    FOREIGN KEY (prediction, engine) REFERENCES executions (prediction, engine) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO state (id,version,seed) VALUES (1, 0, NULL);

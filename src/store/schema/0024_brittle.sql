-- Why: tests were run on code that keeps the contract: what they object to.
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

-- Bytes of the file, and what takes their place.
CREATE TABLE variant_edits (
    variant INTEGER NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    replacement TEXT NOT NULL,
    PRIMARY KEY (variant, first)
) STRICT, WITHOUT ROWID;

-- Tests that were run on the variants of their focal method.
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

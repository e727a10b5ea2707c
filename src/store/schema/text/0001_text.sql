-- Why: `text:` finds the few methods that may hold a piece of text without unpacking every file.

-- Generations whose methods are all here.
CREATE TABLE generations (
    id INTEGER PRIMARY KEY
) STRICT;

-- Different texts of tests and focal methods, ASCII in lower case.
CREATE TABLE bodies (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
) STRICT;

-- Neither the texts nor where in them: a third of the size, and who may hold a piece is looked at anyway.
CREATE VIRTUAL TABLE grams USING fts5 (
    body, content = '', columnsize = 0, detail = 'none', tokenize = 'trigram case_sensitive 1'
);
INSERT INTO grams (grams, rank) VALUES ('hashsize', 33554432);

CREATE TABLE methods (
    -- 0 for one that cannot be indexed: it may hold anything.
    body INTEGER NOT NULL,
    method INTEGER NOT NULL,
    PRIMARY KEY (body, method)
) STRICT, WITHOUT ROWID;

-- The decisions of which a method is the test or the focal method.
CREATE TABLE uses (
    method INTEGER NOT NULL,
    decision INTEGER NOT NULL,
    PRIMARY KEY (method, decision)
) STRICT, WITHOUT ROWID;

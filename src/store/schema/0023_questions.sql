-- Why: answers to questions that are no samples are listed, filtered and compared like others: what was asked lies here by
-- keys of its own, and a run says what its answers are to.

-- 0 for samples.
ALTER TABLE runs ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;

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

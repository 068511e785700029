-- +goose Up

-- "CtSg": tells Countersign's files from other programs' databases.
PRAGMA application_id = 1131696999;

-- The truth: one append-only log per session. Times are microseconds since
-- 1970, here and below. Not WITHOUT ROWID: payloads of a kilobyte and more
-- would each take an overflow page of their own.
CREATE TABLE events (
    session    TEXT    NOT NULL,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    kind       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor_kind TEXT    NOT NULL,
    actor_id   TEXT    NOT NULL,
    actor_name TEXT    NOT NULL,
    data       BLOB    NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT;

-- What can be made anew from the events: a line per session for lists, the
-- session of each thread, and the fold at some seq.
CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    seq        INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    summary    BLOB    NOT NULL
) STRICT;

CREATE TABLE threads (
    id      TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    session TEXT    NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL,
    fold    TEXT    NOT NULL,
    state   BLOB    NOT NULL
) STRICT;

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- People and what they sign in with. Secrets are kept as hashes only.
CREATE TABLE people (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    name_key   TEXT    NOT NULL UNIQUE,
    role       TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE links (
    hash       TEXT    NOT NULL PRIMARY KEY,
    person     TEXT    REFERENCES people (id),
    role       TEXT    NOT NULL,
    created_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_ins (
    hash    TEXT    NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL REFERENCES people (id),
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    hash   TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id)
) STRICT, WITHOUT ROWID;

-- Answers by Idempotency-Key; status 0 while the first request runs.
CREATE TABLE replies (
    person      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    status      INTEGER NOT NULL,
    body        BLOB,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (person, key)
) STRICT;

-- The newest plan version that a person has looked at.
CREATE TABLE seen (
    person  TEXT    NOT NULL,
    session TEXT    NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (person, session)
) STRICT, WITHOUT ROWID;

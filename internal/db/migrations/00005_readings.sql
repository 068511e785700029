-- +goose Up

-- How far a person has read the threads of a session, as a seq of its log.
CREATE TABLE readings (
    person  TEXT    NOT NULL,
    session TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (person, session)
) STRICT, WITHOUT ROWID;

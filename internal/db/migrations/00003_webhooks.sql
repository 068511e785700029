-- +goose Up

-- How far each webhook's target has got: place is the rowid of the last event
-- that it has taken or that was given up. Failing is a time, or 0.
CREATE TABLE webhooks (
    target   TEXT    NOT NULL PRIMARY KEY,
    place    INTEGER NOT NULL,
    failing  INTEGER NOT NULL,
    given_up INTEGER NOT NULL,
    gone     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

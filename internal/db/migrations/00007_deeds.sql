-- +goose Up

-- Who did what to whom about accounts: only ever added to. Names are kept as
-- they were, beside the ids; either is empty for the server. What detail and
-- more say depends on the deed.
CREATE TABLE deeds (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    deed        TEXT    NOT NULL,
    actor       TEXT    NOT NULL,
    actor_name  TEXT    NOT NULL,
    person      TEXT    NOT NULL,
    person_name TEXT    NOT NULL,
    detail      TEXT    NOT NULL,
    more        TEXT    NOT NULL
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER deeds_stay BEFORE UPDATE ON deeds BEGIN
    SELECT RAISE(ABORT, 'deeds are only added');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER deeds_last BEFORE DELETE ON deeds BEGIN
    SELECT RAISE(ABORT, 'deeds are only added');
END;
-- +goose StatementEnd

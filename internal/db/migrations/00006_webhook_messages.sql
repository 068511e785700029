-- +goose Up

-- What the owner's page says of a target: when it last took a message, and why
-- the last attempt failed, as a code.
ALTER TABLE webhooks ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN trouble   TEXT    NOT NULL DEFAULT '';

-- Messages that a target has not taken: those that are tried again, those that
-- stand behind one of the same session, and those that were given up. Times are
-- in microseconds, or 0.
CREATE TABLE webhook_messages (
    target   TEXT    NOT NULL,
    place    INTEGER NOT NULL, -- rowid of the event
    session  TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    tries    INTEGER NOT NULL,
    failing  INTEGER NOT NULL, -- the first failure in a row in this session
    tried    INTEGER NOT NULL,
    due      INTEGER NOT NULL,
    trouble  TEXT    NOT NULL,
    given_up INTEGER NOT NULL,
    by       TEXT    NOT NULL, -- who gave it up; empty for nobody: its time was over
    PRIMARY KEY (target, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_messages_session ON webhook_messages (target, session, place);

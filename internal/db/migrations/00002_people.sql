-- +goose Up

-- Who was removed stays: the log names them, and nobody else may take the name.
ALTER TABLE people ADD COLUMN removed_at INTEGER;

-- A link that has ended is kept for a while, to say how. ended is 'used' or
-- 'withdrawn', or empty.
ALTER TABLE links ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN ended TEXT NOT NULL DEFAULT '';
UPDATE links SET id = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX links_id ON links (id);

-- expires moves on with use. The columns are 0 or empty for sign-ins from
-- before there were any.
ALTER TABLE sign_ins ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ins ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ins ADD COLUMN via TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ins ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
UPDATE sign_ins SET id = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX sign_ins_id ON sign_ins (id);
CREATE INDEX sign_ins_person ON sign_ins (person);

-- Until now all tokens were the server's own. expires is 0 for a token without
-- an end, used_at 0 for one that nobody has used.
ALTER TABLE tokens ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN server INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tokens ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE tokens ADD COLUMN tail TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
UPDATE tokens SET id = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX tokens_id ON tokens (id);
CREATE INDEX tokens_person ON tokens (person);

-- Who somebody is at an OpenID Connect issuer.
CREATE TABLE identities (
    issuer     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    person     TEXT    NOT NULL REFERENCES people (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

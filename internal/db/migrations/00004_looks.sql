-- +goose Up

-- What a person last saw of a plan, with its hash and when; and what they had
-- seen before they came: looks that follow each other closely are one visit.
-- An empty hash stands for the version as it is now.
ALTER TABLE seen ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE seen ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seen ADD COLUMN since_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seen ADD COLUMN since_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE seen ADD COLUMN since_at INTEGER NOT NULL DEFAULT 0;

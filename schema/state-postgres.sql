-- The tables of ivrctl's state, version 2. To upgrade tables of an older version, run the
-- whole file again as their owner, then grant again what docs/state.md lists.
CREATE SCHEMA IF NOT EXISTS ivrctl;

CREATE TABLE IF NOT EXISTS ivrctl.version (version integer NOT NULL);

-- Every event, as JSON on one line: the truth. A head sums up all entries to this one.
CREATE TABLE IF NOT EXISTS ivrctl.history (
  environment text NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  head text NOT NULL,
  entry text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (environment, seq)
);

CREATE OR REPLACE FUNCTION ivrctl.only_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the history of ivrctl is only ever added to';
END $$;

DO $$
BEGIN
  CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON ivrctl.history
    FOR EACH STATEMENT EXECUTE FUNCTION ivrctl.only_added();
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- The state that the history led to, made from it in the same transactions: a row per menu.
CREATE TABLE IF NOT EXISTS ivrctl.states (
  environment text PRIMARY KEY,
  lineage text NOT NULL,
  address text NOT NULL,
  serial bigint NOT NULL,
  head text NOT NULL,
  sum text NOT NULL,
  moved_to text
);

CREATE TABLE IF NOT EXISTS ivrctl.menus (
  environment text NOT NULL,
  key text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, key)
);

CREATE TABLE IF NOT EXISTS ivrctl.follow_ups (
  environment text NOT NULL,
  id text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, id)
);

-- Who may add to the history: whoever has the row's fence, which rises whenever the lock changes hands.
CREATE TABLE IF NOT EXISTS ivrctl.locks (
  environment text PRIMARY KEY,
  fence bigint NOT NULL,
  id text,
  "by" text,
  command text,
  since text,
  host text,
  pid integer
);

-- Since version 2: a state that state push or state migrate is copying here. Nothing uses it before
-- all of it is here; until then the entries wait in the table staged.
CREATE TABLE IF NOT EXISTS ivrctl.filling (
  environment text PRIMARY KEY,
  command text NOT NULL,
  source text NOT NULL,
  "by" text NOT NULL,
  since text NOT NULL,
  head text
);

CREATE TABLE IF NOT EXISTS ivrctl.staged (
  environment text NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  head text NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (environment, seq)
);

INSERT INTO ivrctl.version SELECT 2 WHERE NOT EXISTS (SELECT 1 FROM ivrctl.version);
UPDATE ivrctl.version SET version = 2 WHERE version < 2;

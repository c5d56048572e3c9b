-- The tables of ivrctl's state, version 3.
CREATE SCHEMA IF NOT EXISTS ivrctl;

CREATE TABLE IF NOT EXISTS ivrctl.version (version integer NOT NULL);

-- Every event, as JSON on one line. This table alone decides what the state is. A head is a hash of
-- all entries up to this one.
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
  RAISE EXCEPTION 'entries in the history of ivrctl cannot be changed or deleted';
END $$;

DO $$
BEGIN
  CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON ivrctl.history
    FOR EACH STATEMENT EXECUTE FUNCTION ivrctl.only_added();
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- The last event of each history, written in the transaction that adds it. It shows whether events are missing.
CREATE TABLE IF NOT EXISTS ivrctl.states (
  environment text PRIMARY KEY,
  serial bigint NOT NULL,
  head text NOT NULL,
  moved_to text
);

-- The state after the event with this number, as JSON, so that readers need
-- only the events after it. The checksum shows whether someone edited it.
CREATE TABLE IF NOT EXISTS ivrctl.snapshots (
  environment text PRIMARY KEY,
  serial bigint NOT NULL,
  head text NOT NULL,
  sum text NOT NULL,
  state text NOT NULL
);

-- The lock of each environment. The fence rises whenever another run takes the lock. Only a run that
-- knows the current fence can add to the history.
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

-- A state that state push or state migrate is copying here. Nothing uses it before
-- it is complete. Until then its entries are in the table staged.
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

INSERT INTO ivrctl.version SELECT 3 WHERE NOT EXISTS (SELECT 1 FROM ivrctl.version);

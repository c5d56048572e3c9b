-- The tables of ivrctl's state, version 8.
CREATE SCHEMA IF NOT EXISTS ivrctl;

CREATE TABLE IF NOT EXISTS ivrctl.version (version integer NOT NULL);

-- The log of each state: ENVIRONMENT/ID. A block is lines of JSON: what it is, then one line for each event, then a
-- sum of these lines and of the block before. This table alone decides what the state is.
CREATE TABLE IF NOT EXISTS ivrctl.blocks (
  state text NOT NULL,
  number bigint NOT NULL CHECK (number > 0),
  content text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (state, number)
);

CREATE OR REPLACE FUNCTION ivrctl.only_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'blocks in the log of ivrctl cannot be changed or deleted';
END $$;

DO $$
BEGIN
  CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON ivrctl.blocks
    FOR EACH STATEMENT EXECUTE FUNCTION ivrctl.only_added();
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- The state after the block with this number, as a line of JSON and its sum. Readers need only the blocks
-- after it, and it shows whether blocks are missing.
CREATE TABLE IF NOT EXISTS ivrctl.snapshots (
  state text PRIMARY KEY,
  number bigint NOT NULL,
  content text NOT NULL
);

INSERT INTO ivrctl.version SELECT 8 WHERE NOT EXISTS (SELECT 1 FROM ivrctl.version);

-- The tables of ivrctl's state, version 1.
CREATE SCHEMA IF NOT EXISTS ivrctl;

CREATE TABLE ivrctl.version (version integer NOT NULL);

-- Every event, as JSON on one line: the truth. A head sums up all entries to this one.
CREATE TABLE ivrctl.history (
  environment text NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  head text NOT NULL,
  entry text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (environment, seq)
);

CREATE FUNCTION ivrctl.only_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the history of ivrctl is only ever added to';
END $$;

CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON ivrctl.history
  FOR EACH STATEMENT EXECUTE FUNCTION ivrctl.only_added();

-- The state that the history led to, made from it in the same transactions: a row per menu.
CREATE TABLE ivrctl.states (
  environment text PRIMARY KEY,
  lineage text NOT NULL,
  address text NOT NULL,
  serial bigint NOT NULL,
  head text NOT NULL,
  sum text NOT NULL,
  moved_to text
);

CREATE TABLE ivrctl.menus (
  environment text NOT NULL,
  key text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, key)
);

CREATE TABLE ivrctl.follow_ups (
  environment text NOT NULL,
  id text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, id)
);

-- Who may add to the history: whoever has the row's fence, which rises whenever the lock changes hands.
CREATE TABLE ivrctl.locks (
  environment text PRIMARY KEY,
  fence bigint NOT NULL,
  id text,
  "by" text,
  command text,
  since text,
  host text,
  pid integer
);

INSERT INTO ivrctl.version VALUES (1);

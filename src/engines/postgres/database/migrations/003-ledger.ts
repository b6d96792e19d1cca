import type { Migration } from '../migration.js';

/**
 * Tables of the ledger and of redactions. The previous version of the program stores no salts; rows that it adds during
 * an upgrade are found by their missing salts and recorded later.
 */
export const ledger: Migration = {
  usableFrom: 1,
  sql: `
  -- salts: see entry-digest.ts; null: stored by an earlier version of the program.
  ALTER TABLE entry ADD COLUMN salts text;
  ALTER TABLE archived_entry ADD COLUMN salts text;
  CREATE INDEX entry_unrecorded ON entry (id) WHERE salts IS NULL;
  CREATE INDEX archived_entry_unrecorded ON archived_entry (entry_id, version) WHERE salts IS NULL;
  CREATE FUNCTION drop_former_salts() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.salts := NULL; RETURN NEW; END';
  CREATE TRIGGER entry_without_former_salts BEFORE UPDATE OF document ON entry FOR EACH ROW
    WHEN (NEW.salts IS NOT NULL AND NEW.salts = OLD.salts) EXECUTE FUNCTION drop_former_salts();
  CREATE FUNCTION keep_salts() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.salts := (SELECT salts FROM entry WHERE id = NEW.entry_id AND version = NEW.version); RETURN NEW; END';
  CREATE TRIGGER archived_entry_with_salts BEFORE INSERT ON archived_entry FOR EACH ROW
    WHEN (NEW.salts IS NULL) EXECUTE FUNCTION keep_salts();

  -- sequence: assigned like the sequence of a change.
  CREATE TABLE ledger_record (
    sequence bigint PRIMARY KEY,
    kind text NOT NULL,
    entry_id bigint NOT NULL,
    version integer NOT NULL,
    subject text COLLATE "C" NOT NULL,
    at_ms bigint NOT NULL,
    digest text NOT NULL
  );
  CREATE INDEX ledger_record_subject ON ledger_record (subject) WHERE subject <> '';
  -- hashes: in hexadecimal, one after the other.
  CREATE TABLE ledger_tile (
    level integer NOT NULL,
    position bigint NOT NULL,
    last_sequence bigint NOT NULL,
    hashes text NOT NULL,
    PRIMARY KEY (level, position)
  );
  CREATE TABLE redaction (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document text NOT NULL, crc bigint NOT NULL
  );
`,
};

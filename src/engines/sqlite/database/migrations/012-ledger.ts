/** Adds the tables of the ledger and of redactions. */
export const ledger = `
  -- salts: see entry-digest.ts; null: stored by an earlier version of the program.
  ALTER TABLE entry ADD COLUMN salts TEXT;
  ALTER TABLE archived_entry ADD COLUMN salts TEXT;
  CREATE INDEX entry_unrecorded ON entry (id) WHERE salts IS NULL;
  CREATE INDEX archived_entry_unrecorded ON archived_entry (entry_id, version) WHERE salts IS NULL;

  CREATE TABLE ledger_record (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    entry_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    subject TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    digest TEXT NOT NULL
  );
  CREATE INDEX ledger_record_subject ON ledger_record (subject) WHERE subject <> '';
  -- hashes: in hexadecimal, one after the other.
  CREATE TABLE ledger_tile (
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    hashes TEXT NOT NULL,
    PRIMARY KEY (level, position)
  );
  CREATE TABLE redaction (number INTEGER PRIMARY KEY, document TEXT NOT NULL, crc INTEGER NOT NULL);
`;

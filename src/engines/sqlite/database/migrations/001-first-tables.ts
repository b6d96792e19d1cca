import { randomUUID } from 'node:crypto';
import type { Connection } from '../connection.js';

const tables = `
  CREATE TABLE store (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- document: the entry as the interface returns it, as JSON text. sequence: see entry-writes.ts.
  -- in_order: 0 for a backdated entry, stored after others with a later creation date.
  -- AUTOINCREMENT: an id is never reused, whatever is removed.
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    in_order INTEGER NOT NULL,
    owner TEXT NOT NULL,
    in_reply_to INTEGER,
    idempotency_key TEXT,
    document TEXT NOT NULL
  );
  CREATE INDEX entry_sequence ON entry (sequence);
  CREATE INDEX entry_created ON entry (created_ms, id) WHERE in_order = 1;
  CREATE UNIQUE INDEX entry_idempotency ON entry (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE archived_entry (
    entry_id INTEGER NOT NULL REFERENCES entry (id),
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (entry_id, version)
  );

  CREATE TABLE attachment (
    id TEXT PRIMARY KEY,
    checksum TEXT NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX attachment_checksum ON attachment (checksum);

  -- The extracted text of a file; empty when it has none.
  CREATE TABLE file_text (checksum TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
  -- Files of entries whose text is not extracted yet.
  CREATE TABLE unread_file (
    checksum TEXT NOT NULL,
    entry_id INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (checksum, entry_id)
  ) WITHOUT ROWID;

  CREATE TABLE catalog_item (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, name)
  ) WITHOUT ROWID;

  CREATE TABLE template (
    id TEXT PRIMARY KEY,
    folded_name TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
  );

  CREATE TABLE session (
    token_hash TEXT PRIMARY KEY,
    expires_ms INTEGER NOT NULL,
    document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX session_expires ON session (expires_ms);

  CREATE TABLE change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    entry_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    notify INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  );

  -- Backdated entries. place: the id of the entry in order that precedes this one by date, 0 for none.
  CREATE TABLE late_entry (
    number INTEGER PRIMARY KEY, id INTEGER NOT NULL, created_ms INTEGER NOT NULL, place INTEGER NOT NULL
  );
  -- The runs of the program, see recordRun in entry-writes.ts.
  CREATE TABLE start (number INTEGER PRIMARY KEY, id TEXT NOT NULL, sequence INTEGER NOT NULL);
`;

export function createFirstTables(connection: Connection): void {
  connection.exec(tables);
  connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'id', randomUUID());
}

import { randomUUID } from 'node:crypto';
import type { Connection } from './database.js';

/** Each step brings the schema from the version before it to its own, in one transaction. Never change one that shipped. */
const migrations: readonly ((connection: Connection) => void)[] = [
  (connection) => {
    connection.exec(`
      CREATE TABLE store (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

      -- document: the entry as the interface shows it, as JSON text.
      -- AUTOINCREMENT: an id is never given twice, whatever is removed.
      CREATE TABLE entry (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        version INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        owner TEXT NOT NULL,
        idempotency_key TEXT,
        document TEXT NOT NULL
      );
      CREATE INDEX entry_created ON entry (created_ms, id);
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

      -- The search index: everything below can be made anew from the entries.
      -- Words arrive tokenised and folded, separated by spaces; no ASCII punctuation but space separates.
      CREATE VIRTUAL TABLE entry_text USING fts5(
        title, description, other,
        content='', contentless_delete=1,
        tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_\`{|}~'"
      );
      CREATE TABLE term (name TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE facet (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        attribute TEXT NOT NULL,
        attribute_value TEXT NOT NULL,
        UNIQUE (kind, value, attribute, attribute_value)
      );
      CREATE TABLE entry_facet (
        facet_id INTEGER NOT NULL,
        entry_id INTEGER NOT NULL,
        PRIMARY KEY (facet_id, entry_id)
      ) WITHOUT ROWID;
      CREATE INDEX entry_facet_entry ON entry_facet (entry_id);
      CREATE TABLE entry_event (
        entry_id INTEGER NOT NULL,
        instant_ms INTEGER NOT NULL,
        PRIMARY KEY (instant_ms, entry_id)
      ) WITHOUT ROWID;
      CREATE INDEX entry_event_entry ON entry_event (entry_id);
    `);
    connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'id', randomUUID());
  },
];

/**
 * Brings the database to the newest schema.
 * @throws Error for people when a newer program wrote it
 */
export function migrate(connection: Connection): void {
  const { user_version: version } = connection.get<{ user_version: number }>('PRAGMA user_version') ?? {
    user_version: 0,
  };
  if (version > migrations.length) {
    throw new Error(
      `The data were written by a newer version of this program (schema ${version}; this one knows up to ${migrations.length}). Start that version.`,
    );
  }
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue;
    connection.exec('BEGIN IMMEDIATE');
    try {
      step(connection);
      connection.exec(`PRAGMA user_version = ${index + 1}`);
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.db.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
}

import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.js';

/** Each step brings the schema from the version before it to its own, in one transaction. Never change one that shipped. */
const migrations: readonly ((connection: Connection) => void)[] = [
  (connection) => {
    connection.exec(`
      CREATE TABLE store (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

      -- document: the entry as the interface shows it, as JSON text. sequence: see entry-log.ts.
      -- in_order: 0 for an entry that was stored after others that are newer by their date.
      -- AUTOINCREMENT: an id is never given twice, whatever is removed.
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

      -- What could be read in a file; empty when it has no words.
      CREATE TABLE file_text (checksum TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
      -- Files of entries that nobody has read yet.
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

      -- place: the entry in order after which this one comes by its date, 0 for none.
      CREATE TABLE late_entry (
        number INTEGER PRIMARY KEY, id INTEGER NOT NULL, created_ms INTEGER NOT NULL, place INTEGER NOT NULL
      );
      CREATE TABLE start (number INTEGER PRIMARY KEY, id TEXT NOT NULL, sequence INTEGER NOT NULL);
    `);
    connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'id', randomUUID());
  },
  (connection) => {
    connection.exec(`
      ALTER TABLE session RENAME TO earlier_session;
      DROP INDEX session_expires;
      CREATE TABLE session (
        token_hash TEXT PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        expires_ms INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        user_name TEXT NOT NULL,
        document TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX session_expires ON session (expires_ms);
      CREATE INDEX session_user ON session (user_name, created_ms);
      CREATE INDEX session_created ON session (created_ms);
      WITH given AS MATERIALIZED (SELECT token_hash AS of_hash, lower(hex(randomblob(8))) AS id FROM earlier_session)
      INSERT INTO session (token_hash, id, expires_ms, created_ms, user_name, document)
        SELECT token_hash, given.id, expires_ms, document ->> '$.createdMs', document ->> '$.principal.userName',
          json_set(json_remove(document, '$.principal'), '$.id', given.id, '$.from', '',
            '$.endsMs', (document ->> '$.createdMs') + 2592000000,
            '$.account', json_object('scheme', 'inMemory', 'userName', document ->> '$.principal.userName',
              'groups', json('[]'), 'roles', document -> '$.principal.roles'))
        FROM earlier_session JOIN given ON given.of_hash = token_hash;
      DROP TABLE earlier_session;

      CREATE TABLE api_token (
        id TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        created_ms INTEGER NOT NULL,
        user_name TEXT NOT NULL,
        document TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX api_token_user ON api_token (user_name, created_ms);

      CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        user_name TEXT NOT NULL,
        action TEXT NOT NULL,
        outcome TEXT NOT NULL,
        document TEXT NOT NULL
      );
      CREATE INDEX audit_time ON audit (at_ms);
      CREATE INDEX audit_user ON audit (user_name, id);
      CREATE INDEX audit_action ON audit (action, id);
      CREATE INDEX audit_outcome ON audit (outcome, id);

      -- The entries that show it, or did before an edit.
      CREATE TABLE attachment_entry (
        attachment_id TEXT NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (attachment_id, entry_id)
      ) WITHOUT ROWID;
      INSERT INTO attachment_entry (attachment_id, entry_id)
        SELECT value ->> '$.id', entry_id FROM archived_entry, json_each(archived_entry.document, '$.attachments')
        UNION
        SELECT value ->> '$.id', entry.id FROM entry, json_each(entry.document, '$.attachments');
    `);
  },
  (connection) => {
    connection.exec(`
      CREATE TABLE follower (
        name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, document TEXT NOT NULL
      ) WITHOUT ROWID;

      -- again: 1 for one that is to be tried once more.
      CREATE TABLE dead_letter (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        follower TEXT NOT NULL,
        again INTEGER NOT NULL,
        document TEXT NOT NULL
      );
      CREATE INDEX dead_letter_follower ON dead_letter (follower, id);
      CREATE INDEX dead_letter_again ON dead_letter (follower, id) WHERE again = 1;
    `);
  },
  (connection) => {
    connection.exec(`
      -- How many dead letters made room for newer ones.
      CREATE TABLE dropped_letters (follower TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    `);
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

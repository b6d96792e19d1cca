import { randomBytes, randomUUID } from 'node:crypto';
import type { Connection } from './connection.js';
import { evidenceTables } from './evidence-tables.js';
import { importTables } from './import-tables.js';
import { initialSchema } from './initial-schema.js';
import { ledgerTables } from './ledger-tables.js';
import { personalDataTables } from './personal-data-tables.js';

const accountsAndAudit = `
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

  -- The entries that show an attachment, or did before an edit.
  CREATE TABLE attachment_entry (
    attachment_id TEXT NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (attachment_id, entry_id)
  ) WITHOUT ROWID;
  INSERT INTO attachment_entry (attachment_id, entry_id)
    SELECT value ->> '$.id', entry_id FROM archived_entry, json_each(archived_entry.document, '$.attachments')
    UNION
    SELECT value ->> '$.id', entry.id FROM entry, json_each(entry.document, '$.attachments');
`;

const subscriberTables = `
  CREATE TABLE follower (
    name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, document TEXT NOT NULL
  ) WITHOUT ROWID;

  -- again: 1 when a retry was requested.
  CREATE TABLE dead_letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    follower TEXT NOT NULL,
    again INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX dead_letter_follower ON dead_letter (follower, id);
  CREATE INDEX dead_letter_again ON dead_letter (follower, id) WHERE again = 1;
`;

const droppedDeadLetters = `
  -- How many dead letters of a subscriber were dropped in favour of newer ones.
  CREATE TABLE dropped_letters (follower TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
`;

const fileCareAndChecksums = `
  -- crc: see document.ts.
  ALTER TABLE entry ADD COLUMN crc INTEGER;
  ALTER TABLE archived_entry ADD COLUMN crc INTEGER;
  ALTER TABLE attachment ADD COLUMN crc INTEGER;
  ALTER TABLE template ADD COLUMN crc INTEGER;
  ALTER TABLE catalog_item ADD COLUMN crc INTEGER;

  -- Files that no attachment refers to. observed_ms: for how long the service has seen that, summed over its runs.
  CREATE TABLE unreferenced_file (
    checksum TEXT PRIMARY KEY,
    is_quarantined INTEGER NOT NULL,
    observed_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  -- failure: why the text could not be extracted.
  ALTER TABLE file_text ADD COLUMN failure TEXT;
`;

const deferredDeliveries = `
  -- Deliveries that one recipient of a subscriber has not accepted yet.
  CREATE TABLE deferred_delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    follower TEXT NOT NULL,
    next_attempt_ms INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX deferred_delivery_next ON deferred_delivery (follower, next_attempt_ms, id);
`;

const entryFiles = `
  -- The sets of logbooks that versions with files are in: the names, sorted, as a JSON array.
  CREATE TABLE logbook_set (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
  -- The files that an entry shows, or did before an edit. version: the newest one that shows the file while it is in
  -- these logbooks; place: the position of the file in that version.
  CREATE TABLE entry_file (
    entry_id INTEGER NOT NULL,
    filename TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    logbook_set INTEGER NOT NULL REFERENCES logbook_set (id),
    version INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (entry_id, attachment_id, logbook_set)
  ) WITHOUT ROWID;
  CREATE INDEX entry_file_name ON entry_file (entry_id, filename, version DESC, place);
`;

/** Reads no entry, however many there are: a job of the running service records their files, see fill-entry-files.ts. */
function addEntryFiles(connection: Connection): void {
  connection.exec(entryFiles);
  if (!connection.get('SELECT 1 FROM attachment_entry LIMIT 1')) return;
  connection.exec('CREATE INDEX attachment_entry_fill ON attachment_entry (entry_id)');
  connection.run(`INSERT INTO store (key, value) VALUES ('entry-files', '{"entryId":0,"version":0}')`);
}

const presets = `
  -- Each attribute of a property has a preset value.
  UPDATE catalog_item SET crc = NULL, document = json_set(document, '$.attributes', json((
    SELECT json_group_array(json_object('name', value ->> '$.name', 'value', NULL, 'state', value ->> '$.state'))
    FROM json_each(document, '$.attributes')
  ))) WHERE kind = 'properties' AND json_valid(document);
`;

const moreChecksums = `
  ALTER TABLE session ADD COLUMN crc INTEGER;
  ALTER TABLE api_token ADD COLUMN crc INTEGER;
  ALTER TABLE audit ADD COLUMN crc INTEGER;
  ALTER TABLE follower ADD COLUMN crc INTEGER;
  ALTER TABLE dead_letter ADD COLUMN crc INTEGER;
  ALTER TABLE deferred_delivery ADD COLUMN crc INTEGER;
`;

const rowChecksums = `
  -- crc: see stored-rows.ts; null: stored by an earlier version of the program.
  ALTER TABLE file_text ADD COLUMN crc INTEGER;
  ALTER TABLE change ADD COLUMN crc INTEGER;
`;

const longResults = `
  -- See repeat-limits.ts.
  CREATE INDEX repeatable_write_long ON repeatable_write (user_name, scheme, number) WHERE octet_length(document) > 64;
`;

const sharedColumns = `
  -- The columns that the other databases have for values of documents.
  ALTER TABLE session ADD COLUMN scheme TEXT NOT NULL DEFAULT '';
  UPDATE session SET scheme = coalesce(document ->> '$.account.scheme', '') WHERE json_valid(document);
  DROP INDEX session_user;
  CREATE INDEX session_account ON session (user_name, scheme, created_ms);
  ALTER TABLE api_token ADD COLUMN scheme TEXT NOT NULL DEFAULT '';
  UPDATE api_token SET scheme = coalesce(document ->> '$.account.scheme', '') WHERE json_valid(document);
  DROP INDEX api_token_user;
  CREATE INDEX api_token_account ON api_token (user_name, scheme, created_ms);
  ALTER TABLE attachment ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
  UPDATE attachment SET size = coalesce(document ->> '$.size', 0) WHERE json_valid(document);
`;

/** Each step takes the schema from the previous version to the next. Never change a step that has shipped. */
const migrations: readonly ((connection: Connection) => void)[] = [
  (connection) => {
    connection.exec(initialSchema);
    connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'id', randomUUID());
  },
  (connection) => connection.exec(accountsAndAudit),
  (connection) => connection.exec(subscriberTables),
  (connection) => connection.exec(droppedDeadLetters),
  (connection) => connection.exec(fileCareAndChecksums),
  (connection) => {
    connection.exec(deferredDeliveries);
    connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'feed_secret', randomBytes(32).toString('hex'));
  },
  addEntryFiles,
  (connection) => connection.exec(presets),
  (connection) => connection.exec(moreChecksums),
  (connection) => connection.exec(personalDataTables),
  (connection) => connection.exec(importTables),
  (connection) => connection.exec(ledgerTables),
  (connection) => connection.exec(rowChecksums),
  (connection) => connection.exec(longResults),
  (connection) => connection.exec(evidenceTables),
  (connection) => connection.exec(sharedColumns),
];

/** The newest schema that this version of the program can use. */
export const newestSchema = migrations.length;

/** Reads the version of the schema of a database. */
export function readSchema(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

/**
 * Migrates the database to the newest schema, in one transaction: a crash leaves it as it was.
 * @throws Error when a newer version of the program wrote the database
 */
export function migrate(connection: Connection): void {
  const version = readSchema(connection);
  if (version > newestSchema) {
    throw new Error(`the database has the schema ${version}; this version supports schemas up to ${newestSchema}`);
  }
  if (version === newestSchema) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const step of migrations.slice(version)) step(connection);
    connection.exec(`PRAGMA user_version = ${newestSchema}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.db.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

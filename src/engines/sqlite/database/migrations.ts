import type { Connection } from './connection.js';
import { createFirstTables } from './migrations/001-first-tables.js';
import { accountsAndAudit } from './migrations/002-accounts-and-audit.js';
import { subscribers } from './migrations/003-subscribers.js';
import { droppedDeadLetters } from './migrations/004-dropped-dead-letters.js';
import { fileCareAndChecksums } from './migrations/005-file-care-and-checksums.js';
import { addDeferredDeliveries } from './migrations/006-deferred-deliveries.js';
import { addEntryFiles } from './migrations/007-entry-files.js';
import { presets } from './migrations/008-presets.js';
import { moreChecksums } from './migrations/009-more-checksums.js';
import { personalData } from './migrations/010-personal-data.js';
import { imports } from './migrations/011-imports.js';
import { ledger } from './migrations/012-ledger.js';
import { rowChecksums } from './migrations/013-row-checksums.js';
import { longResults } from './migrations/014-long-results.js';
import { evidence } from './migrations/015-evidence.js';
import { sharedColumns } from './migrations/016-shared-columns.js';
import { glossaryNames } from './migrations/017-glossary-names.js';
import { inboxes } from './migrations/018-inboxes.js';
import { newestSchema, readSchema } from './schema-version.js';

/** A migration step: SQL, or a function where SQL does not suffice. */
type Step = string | ((connection: Connection) => void);

/** Migrations in order; each leads from one schema version to the next. Never change one that has shipped. */
const migrations = [
  createFirstTables,
  accountsAndAudit,
  subscribers,
  droppedDeadLetters,
  fileCareAndChecksums,
  addDeferredDeliveries,
  addEntryFiles,
  presets,
  moreChecksums,
  personalData,
  imports,
  ledger,
  rowChecksums,
  longResults,
  evidence,
  sharedColumns,
  glossaryNames,
  inboxes,
] as const satisfies readonly Step[] & { readonly length: typeof newestSchema };

/** Estimated additional bytes per row for new columns and an index entry. */
const rowBytes = 128;

/** Estimated bytes for changes of the schema itself. */
const schemaBytes = 1_048_576;

/** Steps that rewrite all rows of a table. Add each new step of this kind. */
const rewritten: readonly (readonly [step: number, table: string])[] = [
  [2, 'session'],
  [7, 'attachment_entry'],
  [16, 'attachment'],
  [16, 'session'],
  [16, 'api_token'],
];

/**
 * Estimates the disk space that the migration needs: the write-ahead log contains each rewritten page, and the file
 * grows by at most the same amount.
 */
export function rewrittenBytes(connection: Connection, version: number): number {
  const tables = new Set(rewritten.flatMap(([step, table]) => (step > version ? [table] : [])));
  let bytes = schemaBytes;
  for (const table of tables) {
    if (!connection.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table)) continue;
    const hasDocument = connection.get("SELECT 1 FROM pragma_table_info(?) WHERE name = 'document'", table);
    const content = hasDocument ? 'coalesce(sum(octet_length(document)), 0)' : '0';
    const row = connection.get<{ bytes: number }>(`SELECT ${content} + ${rowBytes} * count(*) AS bytes FROM ${table}`);
    bytes += 2 * (row?.bytes ?? 0);
  }
  return bytes;
}

/**
 * Migrates the database to the newest schema in one transaction; a crash leaves it unchanged.
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
    for (const step of migrations.slice(version)) {
      if (typeof step === 'string') connection.exec(step);
      else step(connection);
    }
    connection.exec(`PRAGMA user_version = ${newestSchema}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.db.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

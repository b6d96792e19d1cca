import type { Connection } from './connection.js';
import { createFirstTables } from './migrations/001-first-tables.js';
import { addAccountsAndAudit } from './migrations/002-accounts-and-audit.js';
import { addSubscribers } from './migrations/003-subscribers.js';
import { countDroppedDeadLetters } from './migrations/004-dropped-dead-letters.js';
import { addFileCareAndChecksums } from './migrations/005-file-care-and-checksums.js';
import { addDeferredDeliveries } from './migrations/006-deferred-deliveries.js';
import { addEntryFiles } from './migrations/007-entry-files.js';
import { addPresets } from './migrations/008-presets.js';
import { addMoreChecksums } from './migrations/009-more-checksums.js';
import { addPersonalData } from './migrations/010-personal-data.js';
import { addImports } from './migrations/011-imports.js';
import { addLedger } from './migrations/012-ledger.js';
import { addRowChecksums } from './migrations/013-row-checksums.js';
import { indexLongResults } from './migrations/014-long-results.js';
import { addEvidence } from './migrations/015-evidence.js';
import { addSharedColumns } from './migrations/016-shared-columns.js';
import { useGlossaryNames } from './migrations/017-glossary-names.js';
import { addInboxes } from './migrations/018-inboxes.js';
import { newestSchema, readSchema } from './schema-version.js';

type Step = (connection: Connection) => void;

/** Each step takes the schema from the previous version to the next. Never change one that has shipped. */
const migrations = [
  createFirstTables,
  addAccountsAndAudit,
  addSubscribers,
  countDroppedDeadLetters,
  addFileCareAndChecksums,
  addDeferredDeliveries,
  addEntryFiles,
  addPresets,
  addMoreChecksums,
  addPersonalData,
  addImports,
  addLedger,
  addRowChecksums,
  indexLongResults,
  addEvidence,
  addSharedColumns,
  useGlossaryNames,
  addInboxes,
] as const satisfies readonly Step[] & { readonly length: typeof newestSchema };

/** Extra bytes per row: new columns, and the entry of an index. */
const rowBytes = 128;

/** Changes of the schema itself. */
const schemaBytes = 1_048_576;

/** Steps that rewrite all rows of a table. Add each new one. */
const rewritten: readonly (readonly [step: number, table: string])[] = [
  [2, 'session'],
  [7, 'attachment_entry'],
  [16, 'attachment'],
  [16, 'session'],
  [16, 'api_token'],
];

/**
 * Estimates how much disk space the migration needs: the write-ahead log has each rewritten page, and the file grows by as
 * much at most.
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

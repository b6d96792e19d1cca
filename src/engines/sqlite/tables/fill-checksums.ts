import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../../kernel/background-job.js';
import { checksumOf, findDefect, reportDefect } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';

/**
 * Adds checksums to documents stored by an earlier version of the program, in short steps while the service runs. An
 * unreadable document gets no checksum and is reported as damaged.
 */

/** Time limit of one step, which is one write. */
const stepMs = 4;
/** Pause between two steps, so that other writes do not have to wait for all of them. */
const pauseMs = 20;

/** Tables with documents, and their primary keys. */
const tables = [
  { name: 'entry', key: ['id'] },
  { name: 'archived_entry', key: ['entry_id', 'version'] },
  { name: 'attachment', key: ['id'] },
  { name: 'catalog_item', key: ['kind', 'name'] },
  { name: 'template', key: ['id'] },
  { name: 'session', key: ['token_hash'] },
  { name: 'api_token', key: ['id'] },
  { name: 'audit', key: ['id'] },
  { name: 'subscriber', key: ['name'] },
  { name: 'dead_letter', key: ['id'] },
  { name: 'deferred_delivery', key: ['id'] },
] as const;

/** Key in the table `store` for the progress through the documents. */
const positionKey = 'document-checksums';

interface Position {
  /** Index in the list of tables; past its end when all are done. */
  readonly table: number;
  /** Key of the last row checked; undefined at the beginning of the table. */
  readonly key?: readonly (string | number)[] | undefined;
}

type Row = Record<string, string | number | Uint8Array | null>;

/** Returns the job that adds the checksums; it ends after its last step. */
export function backfillChecksumsJob(step: () => Promise<boolean>): Job {
  return {
    name: 'document-checksums',
    retryMs: 60_000,
    failure: 'recording the checksums of earlier documents failed; will retry',
    async run(signal) {
      if (!(await step())) return 'idle';
      await sleep(pauseMs, undefined, { signal });
      return 'more';
    },
  };
}

/** Records that a database without documents needs no checksums. */
export function skipIfEmpty(connection: Statements): void {
  if (!needsChecksums(connection)) return;
  const isEmpty = tables.every(({ name }) => !connection.get(`SELECT 1 FROM ${name} LIMIT 1`));
  if (isEmpty) writePosition(connection, { table: tables.length });
}

/** Whether some documents have not been checked yet. */
export function needsChecksums(connection: Statements): boolean {
  return readPosition(connection).table < tables.length;
}

/** Checks further documents for a few milliseconds; returns false if there are no more. */
export function fillChecksums(connection: Statements): boolean {
  const endMs = performance.now() + stepMs;
  let position = readPosition(connection);
  while (position.table < tables.length && performance.now() < endMs) position = fillNext(connection, position);
  writePosition(connection, position);
  return position.table < tables.length;
}

function readPosition(connection: Statements): Position {
  const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', positionKey);
  return row ? (JSON.parse(row.value) as Position) : { table: 0 };
}

function writePosition(connection: Statements, position: Position): void {
  const sql = 'INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)';
  connection.run(sql, positionKey, JSON.stringify(position));
}

function fillNext(connection: Statements, { table, key }: Position): Position {
  const { name, key: columns } = tables[table] ?? { name: '', key: [] };
  const places = columns.map(() => '?').join(', ');
  const condition = key ? `WHERE (${columns.join(', ')}) > (${places})` : '';
  const row = connection.get<Row>(
    `SELECT ${columns.join(', ')}, crc,
       iif(crc IS NULL, CAST(document AS BLOB), NULL) AS document
     FROM ${name} ${condition} ORDER BY ${columns.join(', ')} LIMIT 1`,
    ...(key ?? []),
  );
  if (!row) return { table: table + 1 };
  const found = columns.map((column) => row[column] as string | number);
  if (row.crc === null) fill(connection, { table: name, columns, key: found, document: row.document as Uint8Array });
  return { table, key: found };
}

interface UncheckedDocument {
  readonly table: string;
  readonly columns: readonly string[];
  readonly key: readonly (string | number)[];
  readonly document: Uint8Array;
}

function fill(connection: Statements, { table, columns, key, document }: UncheckedDocument): void {
  const defect = findDefect(document);
  if (defect === undefined) {
    const own = columns.map((column) => `${column} = ?`).join(' AND ');
    connection.run(`UPDATE ${table} SET crc = ? WHERE ${own}`, checksumOf(document), ...key);
    return;
  }
  const entryId = table === 'entry' || table === 'archived_entry' ? Number(key[0]) : undefined;
  const subject = entryId === undefined ? `${key.join(' ')} of the table ${table}` : `entry ${entryId}`;
  reportDefect(connection, subject, defect, entryId === undefined ? [] : [entryId]);
}

import type {
  RowKey,
  RowProgress,
  RowVerificationReader,
  RowVerificationStore,
  VerifiedBatch,
} from '../../../entries/row-verification.port.js';
import type { Statements } from '../../sql/statements.port.js';
import { putValue } from '../../sql/store-values.js';
import { type ChangeRow, readChangeRow, toChange } from '../../sql/tables/changes.js';
import { checksumOfChange, checksumOfText, readText, type TextRow } from '../../stored-rows.js';
import { inFinalOrder } from '../database/incarnation.js';

/** The key of the progress in the table `store`. */
const progressKey = 'row-verification';
/** Limits of one step. */
const maxRows = 500;
const maxBytes = 1_000_000;

export function rowVerificationReader(connection: Statements): RowVerificationReader {
  return {
    async verify(rows, after) {
      return rows === 'texts'
        ? await verifyTexts(connection, String(after ?? ''))
        : await verifyChanges(connection, Number(after ?? -1));
    },
    async findProgress() {
      const row = await connection.get<{ value: string }>('SELECT value FROM store WHERE key = $1', progressKey);
      return row && (JSON.parse(row.value) as RowProgress);
    },
  };
}

export function rowVerificationStore(connection: Statements): RowVerificationStore {
  return {
    ...rowVerificationReader(connection),
    async record(rows, keys) {
      if (rows === 'texts') for (const key of keys) await recordText(connection, String(key));
      else await recordChanges(connection, keys.map(Number));
    },
    async storeProgress(progress) {
      await putValue(connection, progressKey, JSON.stringify(progress));
    },
  };
}

async function verifyTexts(connection: Statements, after: string): Promise<VerifiedBatch> {
  const rows = await connection.all<TextRow>(
    // The lengths are read without the texts.
    `SELECT checksum, text, failure, crc FROM (
       SELECT checksum, row_number() OVER (ORDER BY checksum) AS number,
         sum(octet_length(text)) OVER (ORDER BY checksum) AS bytes
       FROM (SELECT checksum, text FROM file_text WHERE checksum > $1 ORDER BY checksum LIMIT $2) AS next
     ) AS sized JOIN file_text USING (checksum) WHERE number = 1 OR bytes <= $3 ORDER BY checksum`,
    after,
    maxRows,
    maxBytes,
  );
  for (const row of rows) readText(connection, row);
  return {
    last: rows.at(-1)?.checksum,
    unrecorded: rows.filter(({ crc }) => crc === null).map(({ checksum }) => checksum),
  };
}

async function verifyChanges(connection: Statements, after: number): Promise<VerifiedBatch> {
  const rows = await connection.all<ChangeRow>(
    // Only those that no transaction can still precede: the next batch begins after them.
    `SELECT * FROM change WHERE ${inFinalOrder} AND sequence > $1 ORDER BY sequence LIMIT $2`,
    after,
    maxRows,
  );
  for (const row of rows) readChangeRow(connection, row);
  const unrecorded: RowKey[] = rows.filter(({ crc }) => crc === null).map(({ sequence }) => sequence);
  // Under load there would always be a next one.
  return { last: rows.length === maxRows ? rows.at(-1)?.sequence : undefined, unrecorded };
}

async function recordText(connection: Statements, checksum: string): Promise<void> {
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = $1 AND crc IS NULL';
  const row = await connection.get<TextRow>(sql, checksum);
  if (!row) return;
  const crc = checksumOfText(row.text, row.failure);
  await connection.run('UPDATE file_text SET crc = $2 WHERE checksum = $1', checksum, crc);
}

async function recordChanges(connection: Statements, sequences: readonly number[]): Promise<void> {
  const rows = await connection.all<ChangeRow>(
    'SELECT * FROM change WHERE sequence = ANY($1) AND crc IS NULL',
    sequences,
  );
  // One that is damaged gets no checksum that would make it look intact.
  const intact = rows.filter((row) => readChangeRow(connection, row).kind !== 'damaged');
  await connection.run(
    `UPDATE change SET crc = computed.crc FROM unnest($1::bigint[], $2::bigint[]) AS computed (sequence, crc)
     WHERE change.sequence = computed.sequence`,
    intact.map(({ sequence }) => sequence),
    intact.map((row) => checksumOfChange(toChange(row))),
  );
}

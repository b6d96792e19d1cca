import type {
  Change,
  ChangeFeed,
  ChangeFeedReader,
  ChangeKind,
  FeedItem,
  RecordedChange,
} from '../../../entries/change-feed.port.js';
import type { LedgerRecord } from '../../../ledger/ledger-record.js';
import { checksumOfChange, readChange } from '../../stored-rows.js';
import { type Incarnation, inFinalOrder, ownTransaction, placesPerTransaction } from '../database/incarnation.js';
import type { Statements } from '../database/statements.js';

export interface ChangeRow {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly entry_id: number;
  readonly version: number;
  readonly notify: boolean;
  readonly at_ms: number;
  readonly crc: number | null;
}

export function toChange(row: ChangeRow): RecordedChange {
  return {
    sequence: row.sequence,
    kind: row.kind,
    entryId: row.entry_id,
    version: row.version,
    notify: row.notify,
    atMs: row.at_ms,
  };
}

export function readChangeRow(connection: Statements, row: ChangeRow): FeedItem {
  return readChange(connection, toChange(row), row.crc);
}

export function changeFeedReader(connection: Statements): ChangeFeedReader {
  return {
    async listAfter(sequence, limit) {
      const rows = await connection.all<ChangeRow>(
        `SELECT * FROM change WHERE ${inFinalOrder} AND sequence > $1 ORDER BY sequence LIMIT $2`,
        sequence,
        limit,
      );
      return rows.map((row) => readChangeRow(connection, row));
    },
    async countAfter(sequence, limit) {
      const sql = `SELECT count(*) AS changes FROM (
        SELECT 1 FROM change WHERE ${inFinalOrder} AND sequence > $1 LIMIT $2) AS later`;
      return (await connection.get<{ changes: number }>(sql, sequence, limit))?.changes ?? 0;
    },
    async secret() {
      const row = await connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'feed_secret'");
      return row?.value ?? '';
    },
    async heldBackSinceMs() {
      const sql = `SELECT at_ms FROM change WHERE NOT (${inFinalOrder}) ORDER BY sequence LIMIT 1`;
      return (await connection.get<{ at_ms: number }>(sql))?.at_ms;
    },
    async newest() {
      const sql = `SELECT coalesce(max(sequence), 0) AS newest FROM change WHERE ${inFinalOrder}`;
      return (await connection.get<{ newest: number }>(sql))?.newest ?? 0;
    },
  };
}

/** Part of a write that receives its changes. */
export interface FeedScope {
  readonly incarnation: Incarnation;
  /** @throws Error when the write has ended */
  append(change: Change): void;
}

/** @param scope takes the changes, which are stored with those of the writes that share the transaction */
export function changeFeed(connection: Statements, changed: { feed: boolean }, scope: FeedScope): ChangeFeed {
  return {
    ...changeFeedReader(connection),
    async append(change) {
      scope.append(change);
      changed.feed = true;
    },
  };
}

const sequenceOfPlace = `(${ownTransaction} + $1::bigint) * ${placesPerTransaction} + place - 1`;

/** Stores the changes and the ledger records of a transaction, in their order. */
export async function insertChanges(
  connection: Statements,
  { offset }: Incarnation,
  { changes, records }: { readonly changes: readonly Change[]; readonly records: readonly LedgerRecord[] },
): Promise<void> {
  if (Math.max(changes.length, records.length) > placesPerTransaction) {
    throw new Error('one transaction makes too many changes');
  }
  await connection.run(
    `WITH recorded AS (
       INSERT INTO ledger_record (sequence, kind, entry_id, version, subject, at_ms, digest)
       SELECT ${sequenceOfPlace}, kind, entry_id, version, subject, at_ms, digest
       FROM unnest($7::text[], $8::bigint[], $9::integer[], $10::text[], $11::bigint[], $12::text[]) WITH ORDINALITY
         AS one (kind, entry_id, version, subject, at_ms, digest, place))
     INSERT INTO change (sequence, kind, entry_id, version, notify, at_ms, crc)
     SELECT ${sequenceOfPlace}, kind, entry_id, version, notify, at_ms, crc
     FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::boolean[], $6::bigint[], $13::bigint[]) WITH ORDINALITY
       AS one (kind, entry_id, version, notify, at_ms, crc, place)`,
    offset,
    changes.map(({ kind }) => kind),
    changes.map(({ entryId }) => entryId),
    changes.map(({ version }) => version),
    changes.map(({ notify }) => String(notify)),
    changes.map(({ atMs }) => atMs),
    records.map(({ kind }) => kind),
    records.map(({ entryId }) => entryId),
    records.map(({ version }) => version),
    records.map(({ subject }) => subject),
    records.map(({ atMs }) => atMs),
    records.map(({ digest }) => digest),
    changes.map(checksumOfChange),
  );
}

import type {
  ChangeFeed,
  ChangeFeedReader,
  ChangeKind,
  FeedItem,
  RecordedChange,
} from '../../../entries/change-feed.port.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import { readChange } from '../../stored-rows.js';
import { readFlag } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { findValue } from '../store-values.js';
import type { FeedScope } from '../write-scope.port.js';

export interface ChangeRow {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly entry_id: number;
  readonly version: number;
  readonly notify: number | boolean;
  readonly at_ms: number;
  readonly crc: number | null;
}

export function toChange(row: ChangeRow): RecordedChange {
  return {
    sequence: row.sequence,
    kind: row.kind,
    entryId: row.entry_id,
    revision: row.version,
    notify: readFlag(row.notify),
    atMs: row.at_ms,
  };
}

export function readChangeRow(reports: DocumentDamageReports, row: ChangeRow): FeedItem {
  return readChange(reports, toChange(row), row.crc);
}

export function changeFeedReader(connection: Statements): ChangeFeedReader {
  const { inFinalOrder } = connection.dialect;
  return {
    async listAfter(sequence, limit) {
      const sql = `SELECT * FROM change WHERE ${inFinalOrder} AND sequence > ? ORDER BY sequence LIMIT ?`;
      const rows = await connection.all<ChangeRow>(sql, sequence, limit);
      return rows.map((row) => readChangeRow(connection, row));
    },
    async countAfter(sequence, limit) {
      const sql = `SELECT count(*) AS changes FROM (
        SELECT 1 FROM change WHERE ${inFinalOrder} AND sequence > ? LIMIT ?) AS later`;
      return (await connection.get<{ changes: number }>(sql, sequence, limit))?.changes ?? 0;
    },
    async secret() {
      return (await findValue(connection, 'feed_secret')) ?? '';
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

/** @param scope receives the changes */
export function changeFeed(connection: Statements, scope: FeedScope): ChangeFeed {
  return {
    ...changeFeedReader(connection),
    async append(change) {
      scope.append(change);
      scope.changed.feed = true;
    },
  };
}

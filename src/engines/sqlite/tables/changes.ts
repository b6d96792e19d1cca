import type {
  ChangeFeed,
  ChangeFeedReader,
  ChangeKind,
  FeedItem,
  RecordedChange,
} from '../../../entries/change-feed.port.js';
import { checksumOfChange, readChange } from '../../stored-rows.js';
import type { Statements } from '../database/connection.js';

export interface ChangeRow {
  sequence: number;
  kind: ChangeKind;
  entry_id: number;
  version: number;
  notify: number;
  at_ms: number;
  crc: number | null;
}

export function toChange(row: ChangeRow): RecordedChange {
  return {
    sequence: row.sequence,
    kind: row.kind,
    entryId: row.entry_id,
    version: row.version,
    notify: row.notify === 1,
    atMs: row.at_ms,
  };
}

export function readChangeRow(connection: Statements, row: ChangeRow): FeedItem {
  return readChange(connection, toChange(row), row.crc);
}

export function changeFeedReader(connection: Statements): ChangeFeedReader {
  return {
    async listAfter(sequence, limit) {
      return connection
        .all<ChangeRow>('SELECT * FROM change WHERE sequence > ? ORDER BY sequence LIMIT ?', sequence, limit)
        .map((row) => readChangeRow(connection, row));
    },
    async countAfter(sequence, limit) {
      const sql = 'SELECT count(*) AS changes FROM (SELECT 1 FROM change WHERE sequence > ? LIMIT ?)';
      return connection.get<{ changes: number }>(sql, sequence, limit)?.changes ?? 0;
    },
    async secret() {
      return connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'feed_secret'")?.value ?? '';
    },
    // Transactions end in the order of their changes.
    heldBackSinceMs: async () => undefined,
    async newest() {
      return connection.get<{ newest: number }>('SELECT coalesce(max(sequence), 0) AS newest FROM change')?.newest ?? 0;
    },
  };
}

export function changeFeed(connection: Statements, changed: { feed: boolean }): ChangeFeed {
  return {
    ...changeFeedReader(connection),
    async append(change) {
      connection.run(
        'INSERT INTO change (kind, entry_id, version, notify, at_ms, crc) VALUES (?, ?, ?, ?, ?, ?)',
        change.kind,
        change.entryId,
        change.version,
        change.notify ? 1 : 0,
        change.atMs,
        checksumOfChange(change),
      );
      changed.feed = true;
    },
  };
}

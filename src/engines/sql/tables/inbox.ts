import type { AccountKey } from '../../../auth/accounts.js';
import { nextSharedTurn } from '../../../kernel/fair-turns.js';
import {
  type InboxItem,
  type InboxReader,
  type InboxStore,
  maxInboxItems,
  type NewInboxItem,
  type Watcher,
} from '../../../notifications/inbox/inbox-store.port.js';
import { checksumOf, type DocumentRow, listIntact, parseIntact, readDocument } from '../../stored-document.js';
import { accountColumns } from '../account-columns.js';
import { insert, readFlag } from '../dialect.js';
import { listInSlices } from '../list-slices.js';
import type { Statements } from '../statements.port.js';
import { advancePosition, findPosition } from '../store-values.js';

interface ItemRow extends DocumentRow {
  readonly id: number;
  readonly sequence: number;
  readonly entry_id: number;
  readonly is_read: boolean | number;
}

/** Data of an item that is not in columns. */
type ItemDocument = Pick<NewInboxItem, 'change' | 'atMs' | 'reasons'>;

const positionKey = 'inbox_position';
/** Maximum number of unread items read in one turn of the event loop. */
const unreadTogether = 200;
const watcherColumns = 'number, user_name, document, crc';
const itemColumns = 'number AS id, sequence, entry_id, is_read, document, crc';

const putWatcher = insert(
  'watcher',
  'ON CONFLICT (user_name, scheme) DO UPDATE SET document = excluded.document, crc = excluded.crc',
);
const addItem = insert('inbox_item', 'ON CONFLICT (user_name, scheme, sequence) DO NOTHING');

export function inboxReader(connection: Statements): InboxReader {
  const { dialect } = connection;
  const toItem = (row: ItemRow): InboxItem | undefined => {
    const document = parseIntact<ItemDocument>(connection, `inbox item ${row.id}`, row);
    const { id, sequence, entry_id: entryId } = row;
    return document && { id, sequence, entryId, isRead: readFlag(row.is_read), ...document };
  };
  const listWhere =
    (condition: string) =>
    ({ scheme, userName }: AccountKey, limit: number, before = Number.MAX_SAFE_INTEGER) => {
      const sql = `SELECT ${itemColumns} FROM inbox_item
         WHERE user_name = ? AND scheme = ? AND number < ? ${condition} ORDER BY number DESC LIMIT ?`;
      return listIntact(
        { beforeId: before, limit },
        (position) => connection.all<ItemRow>(sql, userName, scheme, position.beforeId, position.limit),
        toItem,
      );
    };
  const listUnread = listWhere(`AND NOT ${dialect.isSet('is_read')}`);
  return {
    findPosition: () => findPosition(connection, positionKey),
    findWatcher: (owner) => findWatcher(connection, owner),
    async *listWatchers() {
      const rows = listInSlices<WatcherRow, number>(connection, {
        first: 0,
        keysAfter: `SELECT number AS key, octet_length(document) AS bytes FROM watcher
          WHERE number > ? ORDER BY number LIMIT ?`,
        rows: `SELECT ${watcherColumns} FROM watcher WHERE ${dialect.isIn('number', 'bigint')} ORDER BY number`,
      });
      for await (const row of rows) {
        const watcher = parseIntact<Watcher>(connection, nameOf(row), row);
        if (watcher) yield watcher;
      }
    },
    listItems: listWhere(''),
    async listItemsAfter({ scheme, userName }, sequence, limit) {
      const sql = `SELECT ${itemColumns} FROM inbox_item
         WHERE user_name = ? AND scheme = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
      const rows = await connection.all<ItemRow>(sql, userName, scheme, sequence, limit);
      return rows.map(toItem).filter((item) => item !== undefined);
    },
    async listUnread(owner) {
      const items: InboxItem[] = [];
      for (;;) {
        const some = await listUnread(owner, unreadTogether, items.at(-1)?.id);
        items.push(...some);
        if (some.length < unreadTogether || items.length >= maxInboxItems) return items;
        await nextSharedTurn();
      }
    },
  };
}

interface WatcherRow extends DocumentRow {
  readonly number: number;
  readonly user_name: string;
}

const nameOf = ({ user_name: userName }: WatcherRow) => `watches of ${userName}`;

async function findWatcher(connection: Statements, { scheme, userName }: AccountKey): Promise<Watcher | undefined> {
  const sql = `SELECT ${watcherColumns} FROM watcher WHERE user_name = ? AND scheme = ?`;
  const row = await connection.get<WatcherRow>(sql, userName, scheme);
  // A damaged row must not count as absent: a new watch would replace it.
  return row && (JSON.parse(readDocument(connection, nameOf(row), row)) as Watcher);
}

export function inboxStore(connection: Statements): InboxStore {
  const { dialect } = connection;
  return {
    ...inboxReader(connection),
    advance: (from, to) => advancePosition(connection, positionKey, from, to),
    async findWatcher(owner) {
      // A row that does not exist yet cannot be locked, hence the separate lock.
      if (dialect.lock !== undefined) await connection.run(dialect.lock, `watches of ${owner.userName} in `);
      return findWatcher(connection, owner);
    },
    async putWatcher(watcher) {
      const document = JSON.stringify(watcher);
      await connection.run(...putWatcher({ ...accountColumns(watcher.account), document, crc: checksumOf(document) }));
    },
    async addItems(owner, items) {
      // Each statement runs when it is called; awaiting them one by one would cost a round trip each.
      await Promise.all(items.map((item) => connection.run(...addItem(toRow(owner, item)))));
      const drop = `DELETE FROM inbox_item WHERE user_name = ?1 AND scheme = ?2 AND number <= (
        SELECT number FROM inbox_item WHERE user_name = ?1 AND scheme = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)`;
      await connection.run(drop, owner.userName, owner.scheme, maxInboxItems);
    },
    async markRead({ scheme, userName }, ids) {
      const sql = `UPDATE inbox_item SET is_read = ? WHERE user_name = ? AND scheme = ?
         AND NOT ${dialect.isSet('is_read')} AND ${dialect.isIn('number', 'bigint')}`;
      await connection.run(sql, true, userName, scheme, ids);
    },
    async markReadUpTo({ scheme, userName }, id) {
      const sql = `UPDATE inbox_item SET is_read = ? WHERE user_name = ? AND scheme = ?
         AND NOT ${dialect.isSet('is_read')} AND number <= ?`;
      await connection.run(sql, true, userName, scheme, id);
    },
  };
}

function toRow(owner: AccountKey, { sequence, entryId, change, atMs, reasons }: NewInboxItem) {
  const document = JSON.stringify({ change, atMs, reasons } satisfies ItemDocument);
  const columns = { sequence, entry_id: entryId, is_read: false };
  return { ...accountColumns(owner), ...columns, document, crc: checksumOf(document) };
}

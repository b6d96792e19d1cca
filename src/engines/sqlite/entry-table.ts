import type { Entry } from '../../entries/entry.js';
import type { EntryReader, EntryStore } from '../../entries/entry-store.port.js';
import { toEntryView } from '../../entries/entry-view.js';
import type { Connection } from './database.js';
import type { PendingIndex } from './pending-index.js';

interface EntryRow {
  version: number;
  document: string;
}

function toEntry({ version, document }: EntryRow): Entry {
  return { ...(JSON.parse(document) as Omit<Entry, 'version'>), version };
}

export function entryReader(connection: Connection): EntryReader {
  return {
    async find(id) {
      const row = connection.get<EntryRow>('SELECT version, document FROM entry WHERE id = ?', id);
      return row && toEntry(row);
    },
    async listArchived(id) {
      return connection
        .all<EntryRow>('SELECT version, document FROM archived_entry WHERE entry_id = ? ORDER BY version DESC', id)
        .map(toEntry);
    },
  };
}

export function entryStore(connection: Connection, pendingIndex: PendingIndex): EntryStore {
  const reader = entryReader(connection);

  const replace = (next: Omit<Entry, 'version'>): Entry => {
    const row = connection.get<{ version: number }>(
      'UPDATE entry SET version = version + 1, document = ? WHERE id = ? RETURNING version',
      JSON.stringify(toEntryView(next)),
      next.id,
    );
    if (!row) throw new Error(`entry ${next.id} is not stored`);
    const entry: Entry = { ...next, version: row.version };
    pendingIndex.add(entry);
    return entry;
  };

  return {
    ...reader,
    async insert(draft, idempotencyKey) {
      // The id is part of the document, so it is fetched before.
      const id = nextId(connection);
      const entry: Entry = { ...draft, id, version: 1 };
      connection.run(
        'INSERT INTO entry (id, version, created_ms, owner, idempotency_key, document) VALUES (?, 1, ?, ?, ?, ?)',
        id,
        entry.createdDate,
        entry.owner,
        idempotencyKey ?? null,
        JSON.stringify(toEntryView(entry)),
      );
      pendingIndex.add(entry);
      return entry;
    },
    async findCreatedUnder(owner, idempotencyKey) {
      const row = connection.get<EntryRow>(
        // What the first edit archived, if there was one: joining a group before it archives nothing.
        `SELECT coalesce(archived_entry.version, entry.version) AS version,
           coalesce(archived_entry.document, entry.document) AS document
         FROM entry LEFT JOIN archived_entry ON archived_entry.entry_id = entry.id
         WHERE owner = ? AND idempotency_key = ? ORDER BY archived_entry.version LIMIT 1`,
        owner,
        idempotencyKey,
      );
      return row && toEntry(row);
    },
    async edit(next) {
      connection.run(
        'INSERT INTO archived_entry (entry_id, version, document) SELECT id, version, document FROM entry WHERE id = ?',
        next.id,
      );
      return replace(next);
    },
    async annotate(next) {
      return replace(next);
    },
  };
}

/** One more than any id ever given, also to entries that are gone. */
function nextId(connection: Connection): number {
  const row = connection.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'entry'");
  return (row?.seq ?? 0) + 1;
}

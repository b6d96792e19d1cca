import type { FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import { StoredEntry } from '../../entries/entry-json.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import type { GroupedEntry } from '../../entries/group-entries.js';
import { isReadable, mayRead } from '../../entries/readable-entries.js';
import { Fault } from '../../kernel/fault.js';
import type { ResultCodec } from '../../kernel/write-once.js';
import { toReader } from './entry-parameters.js';

/** Reference to an entry in a record. The revision has its former name, which existing records use. */
interface RecordedEntry {
  readonly id: number;
  readonly version: number;
}

export interface StoredEntriesDeps {
  readonly storage: Pick<EntryStorage, 'committed'>;
  readonly permissions: Permissions;
}

const toRecord = ({ id, revision: version }: GroupedEntry): RecordedEntry => ({ id, version });

/** Records the entries that were grouped. The sender of a repetition must still be allowed to read all of them. */
export function groupedEntries(deps: StoredEntriesDeps, request: FastifyRequest): ResultCodec<readonly GroupedEntry[]> {
  return {
    toRecord: (entries) => entries.map(toRecord),
    fromRecord: async (record) => {
      const grouped = (record as readonly RecordedEntry[]).map(({ id, version: revision }) => ({ id, revision }));
      for (const one of grouped) await findStillReadable(deps, request, one);
      return grouped;
    },
  };
}

/**
 * Records only the revision of an entry, because the entry itself is stored anyway. The sender of a repetition must
 * still be allowed to read it.
 */
export function storedEntries(deps: StoredEntriesDeps, request: FastifyRequest): ResultCodec<StoredEntry> {
  return {
    toRecord,
    fromRecord: (record) => {
      const { id, version } = record as RecordedEntry;
      return findStillReadable(deps, request, { id, revision: version });
    },
  };
}

/**
 * Returns a recorded revision, or the one with which an annotation replaced it, if the reader may still read the entry.
 * @throws Fault forbidden `entry.stored-unreadable`
 */
async function findStillReadable(
  { storage, permissions }: StoredEntriesDeps,
  request: FastifyRequest,
  { id, revision }: GroupedEntry,
): Promise<StoredEntry> {
  const { entries } = storage.committed;
  const json = await entries.findJson(id, revision);
  if (!json) throw new Error(`revision ${revision} of entry ${id} is not stored`);
  const stored = new StoredEntry(id, revision, json);
  const reader = toReader(request, { permissions });
  if (!mayRead(reader, stored) || !(await isReadable(entries, reader, id))) throw storedUnreadable(id);
  return stored;
}

/** Returns the error for the repetition of a write whose result its sender may no longer read. */
export function storedUnreadable(id: number): Fault {
  return new Fault(
    'forbidden',
    'entry.stored-unreadable',
    `Entry ${id} was stored when this request was sent the first time. You are no longer allowed to read it.`,
  );
}

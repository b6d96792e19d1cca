import { randomUUID } from 'node:crypto';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { groupIdOf, withGroup } from './entry.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import { findReadable, type Reader } from './readable-entries.js';

/**
 * Returns the id of the group for a reply to `parentId`. A parent that is in no group is added to a new one.
 * @throws Fault invalid `entry.unknown-parent`; forbidden `auth.logbook-closed`
 */
export async function joinGroupOf(
  tx: EntryTransaction,
  reader: Reader,
  parentId: number,
  nowMs: number,
  notify: boolean,
): Promise<string> {
  const parent = await findReadable(tx.entries, reader, parentId);
  if (!parent) {
    throw new Fault(
      'invalid',
      'entry.unknown-parent',
      `Entry ${parentId} not found: it cannot be replied to. Use the id of an existing entry as inReplyTo.`,
    );
  }
  // A reply may change its parent.
  if (reader.principal) reader.permissions.checkWriteAccess(reader.principal, parent.entry);
  const groupId = groupIdOf(parent.entry) ?? randomUUID();
  await putInGroup(tx, parent, groupId, nowMs, notify);
  return groupId;
}

/**
 * Puts entries in one group: the one that some of them are already in, else a new one.
 * @returns the entries, in the order given
 * @throws Fault invalid `group.…`
 */
export async function groupEntries(
  deps: { readonly storage: EntryStorage; readonly clock: Clock; readonly permissions: Permissions },
  author: Principal,
  entryIds: readonly number[],
): Promise<StoredEntry[]> {
  const ids = [...new Set(entryIds)];
  if (ids.length < 2) {
    throw new Fault('invalid', 'group.too-few', `A group needs at least two different entries; ${ids.length} given.`);
  }
  return deps.storage.write(async (tx) => {
    const entries: StoredEntry[] = [];
    for (const id of ids) {
      const stored = await findReadable(tx.entries, { permissions: deps.permissions, principal: author }, id);
      if (!stored) throw new Fault('invalid', 'group.unknown-entry', `Entry ${id} not found; nothing was grouped.`);
      deps.permissions.checkWriteAccess(author, stored.entry);
      entries.push(stored);
    }
    const groups = new Set(entries.flatMap(({ entry }) => groupIdOf(entry) ?? []));
    if (groups.size > 1) {
      throw new Fault(
        'invalid',
        'group.already-in-another',
        'These entries are in different groups, and groups cannot be merged. Choose entries of at most one group.',
      );
    }
    const [groupId = randomUUID()] = groups;
    const nowMs = deps.clock.nowMs();
    const grouped: StoredEntry[] = [];
    for (const stored of entries) grouped.push(await putInGroup(tx, stored, groupId, nowMs, true));
    return grouped;
  });
}

async function putInGroup(
  tx: EntryTransaction,
  stored: StoredEntry,
  groupId: string,
  atMs: number,
  notify: boolean,
): Promise<StoredEntry> {
  const { entry } = stored;
  if (groupIdOf(entry) === groupId) return stored;
  const joined = await tx.entries.annotate({ ...entry, properties: withGroup(entry.properties, groupId) });
  await tx.feed.append({ kind: 'annotated', entryId: joined.id, version: joined.version, notify, atMs });
  return joined;
}

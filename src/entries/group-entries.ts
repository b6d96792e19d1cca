import { randomUUID } from 'node:crypto';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { inBytes, limitFault } from '../kernel/limit.js';
import { nextRound } from '../kernel/time-slice.js';
import type { Change } from './change-feed.port.js';
import { groupIdOf, withGroup, withoutGroup } from './entry.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import { findReadable, type Reader } from './readable-entries.js';

interface Deps {
  readonly storage: EntryStorage;
  readonly clock: Clock;
  readonly permissions: Permissions;
}

interface Reply {
  readonly nowMs: number;
  readonly notify: boolean;
  /** The id of a new group; undefined: a generated one. */
  readonly chosenId: string | undefined;
}

/**
 * Returns the id of the group for a reply to `parentId`. A parent that is in no group is added to a new one.
 * @throws Fault invalid `entry.unknown-parent`; forbidden `auth.logbook-closed`
 */
export async function joinGroupOf(
  tx: EntryTransaction,
  reader: Reader,
  parentId: number,
  { nowMs, notify, chosenId }: Reply,
): Promise<string> {
  const parent = await findReadable(tx.entries, reader, parentId);
  if (!parent) {
    throw new Fault(
      'invalid',
      'entry.unknown-parent',
      `Entry ${parentId} not found: it cannot be replied to. Use the id of an existing entry as inReplyTo.`,
    );
  }
  // A reply may add its parent to a group.
  if (reader.principal) reader.permissions.checkWriteAccess(reader.principal, parent.entry);
  const groupId = groupIdOf(parent.entry) ?? chosenId ?? randomUUID();
  await putInGroup(tx, parent, groupId, { atMs: nowMs, notify });
  return groupId;
}

export interface GroupedEntry {
  readonly id: number;
  readonly revision: number;
}

/** Maximum total size of the entries of one request, which are read and changed in one transaction. */
const maxGroupedBytes = 8_388_608;

/**
 * Puts entries in one group: the one that some of them are already in, else a new one.
 * @returns the entries, in the order given
 * @throws Fault invalid `group.…`; forbidden `auth.logbook-closed`
 */
export async function groupEntries(
  deps: Deps,
  author: Principal,
  entryIds: readonly number[],
): Promise<GroupedEntry[]> {
  const ids = [...new Set(entryIds)];
  if (ids.length < 2) {
    throw new Fault('invalid', 'group.too-few', `A group needs at least two different entries; ${ids.length} given.`);
  }
  return deps.storage.write(async (tx) => {
    const groups = await findGroups(tx, deps.permissions, author, ids);
    checkOneGroup(groups);
    const groupId = [...groups.values()].find((one) => one !== undefined) ?? randomUUID();
    const change = { atMs: deps.clock.nowMs(), notify: true };
    return changeEach(tx, ids, (stored) => putInGroup(tx, stored, groupId, change));
  });
}

/**
 * Takes entries out of their group, each by an edit. Their replies stay in the group.
 * @returns the entries, in the order given; those that are in no group are unchanged
 * @throws Fault invalid `group.…`; forbidden `auth.logbook-closed`
 */
export async function ungroupEntries(
  deps: Deps,
  editor: Principal,
  entryIds: readonly number[],
): Promise<GroupedEntry[]> {
  const ids = [...new Set(entryIds)];
  return deps.storage.write(async (tx) => {
    await findGroups(tx, deps.permissions, editor, ids);
    const nowMs = deps.clock.nowMs();
    return changeEach(tx, ids, async (stored) => {
      const parentId = await tx.entries.findParent(stored.id);
      if (parentId !== undefined) throw isReply(stored.id, parentId);
      return groupIdOf(stored.entry) === undefined ? stored : takeOut(tx, stored, editor, nowMs);
    });
  });
}

/** Changes one entry after the other, so that only one is held in memory. */
async function changeEach(
  tx: EntryTransaction,
  ids: readonly number[],
  change: (stored: StoredEntry) => Promise<StoredEntry>,
): Promise<GroupedEntry[]> {
  const changed: GroupedEntry[] = [];
  for (const id of ids) {
    const stored = await tx.entries.find(id);
    if (!stored) throw unknownEntry(id);
    const { revision } = await change(stored);
    changed.push({ id, revision });
    await nextRound();
  }
  return changed;
}

function isReply(id: number, parentId: number): Fault {
  return new Fault(
    'invalid',
    'group.is-reply',
    `Entry ${id} is a reply to entry ${parentId}, and stays in its thread; nothing was changed.`,
  );
}

async function takeOut(
  tx: EntryTransaction,
  { entry }: StoredEntry,
  editor: Principal,
  nowMs: number,
): Promise<StoredEntry> {
  const properties = withoutGroup(entry.properties);
  const edited = await tx.entries.edit({ ...entry, properties, modifyDate: nowMs, modifiedBy: editor.userName });
  await tx.feed.append({ kind: 'edited', entryId: edited.id, revision: edited.revision, notify: true, atMs: nowMs });
  return edited;
}

/** @throws Fault invalid `group.too-large` */
function checkTotalSize(bytes: number, entries: number): void {
  // Two entries can always be grouped, and one can always be taken out, even if they are large.
  if (bytes <= maxGroupedBytes || entries <= 2) return;
  throw limitFault('invalid', 'group.too-large', {
    refused: `These ${entries} entries are too large in total; nothing was changed.`,
    limit: { amount: inBytes(maxGroupedBytes), setting: undefined, countedFor: 'each request' },
    advice: 'Send them in several requests. To group them, include one entry of the group in each request.',
  });
}

/**
 * Returns the group of each entry, undefined for none. One entry is held in memory at a time.
 * @throws Fault invalid `group.unknown-entry`, `group.too-large`; forbidden `auth.logbook-closed`
 */
async function findGroups(
  tx: EntryTransaction,
  permissions: Permissions,
  author: Principal,
  ids: readonly number[],
): Promise<Map<number, string | undefined>> {
  const groups = new Map<number, string | undefined>();
  let bytes = 0;
  for (const id of ids) {
    // Counts only entries that the author may read: the size of another entry would reveal that it exists.
    checkTotalSize(bytes, ids.length);
    const stored = await findReadable(tx.entries, { permissions, principal: author }, id);
    if (!stored) throw unknownEntry(id);
    permissions.checkWriteAccess(author, stored.entry);
    bytes += stored.json.byteLength;
    groups.set(id, groupIdOf(stored.entry));
    await nextRound();
  }
  checkTotalSize(bytes, ids.length);
  return groups;
}

/** @throws Fault invalid `group.already-in-another` */
function checkOneGroup(groups: ReadonlyMap<number, string | undefined>): void {
  if (new Set([...groups.values()].filter((one) => one !== undefined)).size <= 1) return;
  throw new Fault(
    'invalid',
    'group.already-in-another',
    'These entries are in different groups, and groups cannot be merged. Choose entries of at most one group.',
  );
}

function unknownEntry(id: number): Fault {
  return new Fault('invalid', 'group.unknown-entry', `Entry ${id} not found; nothing was changed.`);
}

async function putInGroup(
  tx: EntryTransaction,
  stored: StoredEntry,
  groupId: string,
  change: Pick<Change, 'atMs' | 'notify'>,
): Promise<StoredEntry> {
  const { entry } = stored;
  if (groupIdOf(entry) === groupId) return stored;
  const joined = await tx.entries.annotate({ ...entry, properties: withGroup(entry.properties, groupId) }, stored);
  await tx.feed.append({ kind: 'annotated', entryId: joined.id, revision: joined.revision, ...change });
  return joined;
}

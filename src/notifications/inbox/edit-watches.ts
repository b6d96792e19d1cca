import { randomUUID } from 'node:crypto';
import { type Account, type AccountKey, isSameAccount } from '../../auth/accounts.js';
import { groupIdOf } from '../../entries/entry.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { limitFault } from '../../kernel/limit.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { UnitOfWork } from '../../kernel/unit-of-work.js';
import { selectingParameters } from '../../search/value-filters.js';
import type { InboxStorage, InboxTransaction } from './inbox-storage.js';
import type { InboxReader, InboxStore, Watch, WatchSubject } from './inbox-store.port.js';
import { parseWatchedQuery } from './watched-query.js';

export const watchLimits = {
  /** Maximum number of watches of one user. */
  watches: 50,
  /** Maximum lengths in UTF-16 code units. */
  nameLength: 255,
  queryLength: 2_000,
} as const;

export type WatchDraft = Pick<Watch, 'name' | 'subject' | 'edits'>;

/**
 * Adds a watch of the user for changes from now on.
 * @throws Fault conflict `watch.too-many`, `watch.exists`; invalid `watch.unknown-parameter`, or with a `search.…` code
 */
export async function addWatch(storage: InboxStorage, account: Account, draft: WatchDraft): Promise<Watch> {
  checkSubject(draft.subject);
  const ofThread = await findOfSameThread(storage.committed, account, draft.subject);
  return storage.write(async (tx) => {
    const watcher = await tx.inbox.findWatcher(account);
    const watches = watcher?.watches ?? [];
    if (watches.length >= watchLimits.watches) {
      throw limitFault('conflict', 'watch.too-many', {
        refused: 'The watch was not added.',
        limit: { amount: `${watchLimits.watches} watches`, setting: undefined, countedFor: 'each user' },
        advice: 'Delete one first.',
      });
    }
    checkNew(watches, draft.subject, ofThread);
    const watch = { id: randomUUID(), ...draft, after: await tx.feed.newest() };
    await tx.inbox.putWatcher({ ...watcher, account, watches: [...watches, watch] });
    return watch;
  });
}

/**
 * Changes a watch of the user.
 * @throws Fault missing `watch.not-found`; conflict `watch.exists`; invalid `watch.unknown-parameter`, or with a
 *   `search.…` code
 */
export async function replaceWatch(
  storage: InboxStorage,
  account: Account,
  id: string,
  draft: WatchDraft,
): Promise<Watch> {
  checkSubject(draft.subject);
  const ofThread = await findOfSameThread(storage.committed, account, draft.subject);
  return storage.write(async (tx) => {
    const watcher = await tx.inbox.findWatcher(account);
    const watches = watcher?.watches ?? [];
    const former = watches.find((one) => one.id === id);
    if (!former) throw watchNotFound(id);
    const others = watches.filter((one) => one !== former);
    checkNew(others, draft.subject, ofThread);
    const isSame = isSameSubject(former.subject, draft.subject);
    const watch = { id, ...draft, after: isSame ? former.after : await tx.feed.newest() };
    await tx.inbox.putWatcher({ ...watcher, account, watches: watches.map((one) => (one === former ? watch : one)) });
    return watch;
  });
}

/** Removes a watch of the user. Its items stay in the inbox. @throws Fault missing `watch.not-found` */
export function removeWatch(storage: InboxStorage, owner: AccountKey, id: string): Promise<void> {
  return storage.write(async (tx) => {
    const watcher = await tx.inbox.findWatcher(owner);
    const watches = watcher?.watches.filter((one) => one.id !== id) ?? [];
    if (!watcher || watches.length === watcher.watches.length) throw watchNotFound(id);
    await tx.inbox.putWatcher({ ...watcher, watches });
  });
}

/** Returns the watches of the user, in the order in which they were added. */
export async function listWatches(inbox: InboxReader, owner: AccountKey): Promise<readonly Watch[]> {
  return (await inbox.findWatcher(owner))?.watches ?? [];
}

/** Stores the current account from the provider, so that watches only find changes that the user may read. */
export async function refreshWatcher(
  storage: UnitOfWork<Pick<InboxTransaction, 'inbox'>, { readonly inbox: InboxReader }>,
  account: Account,
): Promise<void> {
  const findStale = async (inbox: InboxReader | InboxStore) => {
    const watcher = await inbox.findWatcher(account);
    return watcher && !isSameAccount(watcher.account, account) ? watcher : undefined;
  };
  if (!(await findStale(storage.committed.inbox))) return;
  await storage.write(async ({ inbox }) => {
    const watcher = await findStale(inbox);
    if (watcher) await inbox.putWatcher({ ...watcher, account });
  });
}

function checkSubject(subject: WatchSubject): void {
  if (subject.kind !== 'search') return;
  for (const name of new URLSearchParams(subject.query).keys()) {
    if (selectingParameters.has(name.trim().toLowerCase())) continue;
    throw new Fault(
      'invalid',
      'watch.unknown-parameter',
      `The parameter ${quoted(name)} does not select entries. Use ${[...selectingParameters].join(', ')}.`,
    );
  }
  parseWatchedQuery(subject.query, { nowMs: Date.now(), zone: 'UTC' });
}

/** Returns the ids of the watches of the user that watch the same thread through another of its entries. */
async function findOfSameThread(
  { inbox, entries }: InboxStorage['committed'],
  owner: AccountKey,
  subject: WatchSubject,
): Promise<ReadonlySet<string>> {
  const group = subject.kind === 'thread' ? await findGroup(entries, subject.entryId) : undefined;
  const found = new Set<string>();
  if (group === undefined) return found;
  const slice = new TimeSlice();
  for (const { id, subject: other } of await listWatches(inbox, owner)) {
    if (other.kind === 'thread' && (await findGroup(entries, other.entryId)) === group) found.add(id);
    if (slice.isOver) await slice.next();
  }
  return found;
}

/** Returns the group of the entry; undefined when there is none, or the entry cannot be read. */
export async function findGroup(entries: EntryReader, entryId: number): Promise<string | undefined> {
  const stored = await unlessDamaged(() => entries.find(entryId));
  return stored && stored !== 'damaged' ? groupIdOf(stored.entry) : undefined;
}

function checkNew(watches: readonly Watch[], subject: WatchSubject, ofThread: ReadonlySet<string>): void {
  if (!watches.some((one) => isSameSubject(one.subject, subject) || ofThread.has(one.id))) return;
  throw new Fault('conflict', 'watch.exists', 'You are watching this already. Change or delete that watch.');
}

function isSameSubject(one: WatchSubject, other: WatchSubject): boolean {
  if (one.kind === 'search') return other.kind === 'search' && one.query === other.query;
  if (one.kind === 'thread') return other.kind === 'thread' && one.entryId === other.entryId;
  return one.kind === other.kind;
}

function watchNotFound(id: string): Fault {
  return new Fault('missing', 'watch.not-found', `You have no watch ${quoted(id)}.`);
}

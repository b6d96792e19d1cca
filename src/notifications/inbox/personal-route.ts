import type { Account, AccountKey } from '../../auth/accounts.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { FindEntryPage } from '../../entries/page-address.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import type { Log } from '../../kernel/log.js';
import type { NotificationStorage } from '../notification-storage.js';
import { internalErrorReason } from '../subscribers/attempt-delivery.js';
import { type Composed, type ComposedChange, limitBatch, remainingWindowMs } from '../subscribers/compose-delivery.js';
import type { DeliveryRoute } from '../subscribers/delivery-route.js';
import type { DeliveredChange } from '../subscribers/sender.port.js';
import type { ChangeReference } from '../subscribers/subscriber.js';
import type { InboxItem } from './inbox-store.port.js';
import type { PersonalChannel } from './personal-channels.js';
import { isQuiet, type QuietHours, quietMs } from './quiet-hours.js';

export interface PersonalRouteDeps {
  readonly storage: NotificationStorage;
  readonly permissions: Permissions;
  /** Returns the user as its provider describes it now; undefined when the account is closed. */
  readonly recheck: (account: Account) => Promise<Principal | undefined>;
  readonly linkOf: FindEntryPage;
  readonly log: Log;
}

/** Maximum number of parents that are followed. The last of them then stands for the beginning of the thread. */
const maxParents = 100;

/**
 * Returns the route by which the items of an inbox reach its user. A delivery contains the items of one thread, or
 * those held back during quiet hours.
 */
export function personalRoute(deps: PersonalRouteDeps, owner: AccountKey, channel: PersonalChannel): DeliveryRoute {
  const { storage } = deps;
  const { inbox, feed } = storage.committed;
  const findStart = async () => {
    const watcher = await inbox.findWatcher(owner);
    return watcher && channel.findStart(watcher);
  };
  return {
    findStart: async () => (await findStart()) ?? feed.newest(),
    findHoldMs: async (nowMs) => quietMs((await inbox.findWatcher(owner))?.delivery?.quiet, nowMs),
    async compose(after, nowMs): Promise<Composed> {
      const nothing = { kind: 'nothing', upTo: after, more: false } as const;
      const watcher = await inbox.findWatcher(owner);
      const start = watcher && channel.findStart(watcher);
      if (start === undefined) return nothing;
      const items = await inbox.listItemsAfter(owner, Math.max(after, start), channel.maxChanges);
      const changes = items.map(toChange);
      const [first] = changes;
      if (!first) return nothing;
      const waitMs = remainingWindowMs(changes, channel, nowMs);
      if (waitMs > 0) return { kind: 'early', waitMs, fullFrom: Number.POSITIVE_INFINITY };
      const held = takeHeld(changes, watcher?.delivery?.quiet);
      const together = held.length > 0 ? held : await takeThread(storage.committed.entries, changes);
      const batch = await limitBatch(storage, together, channel.maxChanges);
      return { kind: 'delivery', changes: batch, upTo: batch.at(-1)?.sequence ?? after };
    },
    async attempt({ id, changes: references }, signal) {
      const watcher = await inbox.findWatcher(owner);
      if (!watcher) return { kind: 'delivered' };
      if (channel.findStart(watcher) === undefined) return channel.unusedOutcome(watcher);
      const principal = await deps.recheck(watcher.account);
      const changes = principal ? await readChanges(deps, principal, references) : [];
      if (changes.length === 0) return { kind: 'delivered' };
      try {
        const delivery = { id, subscriber: channel.name, changes };
        return await channel.send(watcher, delivery, await findThread(deps, changes), signal);
      } catch (error) {
        deps.log.warn({ subscriber: channel.name, deliveryId: id, err: error }, 'delivery failed: unexpected error');
        return { kind: 'failed', reason: internalErrorReason };
      }
    },
  };
}

const toChange = ({ sequence, change: kind, entryId, atMs }: InboxItem): ComposedChange => ({
  ...{ sequence, kind, entryId, atMs },
});

/** Returns the leading changes that were made in quiet hours. */
function takeHeld(changes: readonly ComposedChange[], quiet: QuietHours | undefined): readonly ComposedChange[] {
  const end = changes.findIndex(({ atMs }) => !isQuiet(quiet, atMs));
  return end < 0 ? changes : changes.slice(0, end);
}

/** Returns the leading changes that belong to the same thread. */
async function takeThread(entries: EntryReader, changes: readonly ComposedChange[]): Promise<ComposedChange[]> {
  const taken: ComposedChange[] = [];
  let root: number | undefined;
  for (const change of changes) {
    const its = await findRoot(entries, change.entryId);
    root ??= its;
    if (its !== root) break;
    taken.push(change);
  }
  return taken;
}

/** Returns the first entry of the thread of a reply; for any other entry, the entry itself. */
async function findRoot(entries: EntryReader, entryId: number): Promise<number> {
  let root = entryId;
  for (let parents = 0; parents < maxParents; parents += 1) {
    const parent = await entries.findParent(root);
    if (parent === undefined) break;
    root = parent;
  }
  return root;
}

/** Returns the id of the thread of all changes, unique across logbooks; undefined if they belong to several threads. */
async function findThread(
  { storage }: PersonalRouteDeps,
  changes: readonly DeliveredChange[],
): Promise<string | undefined> {
  const roots = new Set<number>();
  for (const { stored } of changes) roots.add(await findRoot(storage.committed.entries, stored.id));
  const [root] = roots;
  return roots.size === 1 ? `${root}.${(await storage.status()).storeId}` : undefined;
}

/** Reads the entries of the changes that the user may read now. Omits damaged entries, which the storage reports. */
async function readChanges(
  { storage, permissions, linkOf }: PersonalRouteDeps,
  principal: Principal,
  references: readonly ChangeReference[],
): Promise<DeliveredChange[]> {
  const changes: DeliveredChange[] = [];
  for (const { sequence, kind, entryId } of references) {
    const stored = await unlessDamaged(() => storage.committed.entries.find(entryId));
    if (!stored || stored === 'damaged' || !permissions.mayRead(principal, stored.entry)) continue;
    changes.push({ sequence, kind, stored, link: linkOf(entryId) });
  }
  return changes;
}

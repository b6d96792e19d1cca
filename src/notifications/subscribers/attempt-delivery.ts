import type { StoredEntry } from '../../entries/entry-json.js';
import type { FindEntryPage } from '../../entries/page-address.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import type { Clock } from '../../kernel/clock.js';
import type { ClockWatch } from '../../kernel/clock-watch.js';
import type { Log } from '../../kernel/log.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { NotificationStorage } from '../notification-storage.js';
import type { DeliveredChange, Outcome, Sender } from './sender.port.js';
import type { ChangeReference, Subscriber } from './subscriber.js';

export interface AttemptDeps {
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly clock: Clock;
  readonly clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>;
  /** IANA zone of times in a search that name none. */
  readonly zone: string;
  readonly linkOf: FindEntryPage;
  readonly log: Log;
}

/** A stored delivery, whose entries are read when it is sent. */
export interface DeliveryReference {
  readonly id: string;
  /** The only recipient of the attempt; undefined: all recipients of the target. */
  readonly recipient?: string | undefined;
  readonly changes: readonly ChangeReference[];
}

/**
 * Makes one attempt to send a delivery, with its entries as they stand now. Entries that no longer match the search of
 * the subscriber are left out; if none is left, the delivery counts as delivered. A delivery with a damaged
 * entry is refused.
 * @throws Fault `search.…`, `storage.…`
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  { subscriber, sender }: { readonly subscriber: Subscriber; readonly sender: Sender },
  { id, recipient, changes: references }: DeliveryReference,
  signal: AbortSignal,
): Promise<Outcome> {
  const { name } = subscriber;
  const changes = await unlessDamaged(() => readMatching(deps, subscriber, references, signal));
  // Refused, so that later deliveries do not wait for the repair.
  if (changes === 'damaged') return { kind: 'refused', reason: damagedReason };
  if (changes.length === 0) return { kind: 'delivered' };
  try {
    return await sender.send({ id, subscriber: name, changes, recipient }, signal);
  } catch (error) {
    deps.log.warn({ subscriber: name, deliveryId: id, err: error }, 'delivery failed: unexpected error');
    return { kind: 'failed', reason: internalErrorReason };
  }
}

/** Shown to the administrator in place of an error message, which may contain confidential data. */
export const internalErrorReason = 'Internal error; see the log of the service.';

const damagedReason = 'The stored data of an entry is damaged. Restore it from a backup, then deliver it again.';

/** Reads the entries of the changes, and drops those that an edit has excluded from the search of the subscriber. */
async function readMatching(
  deps: AttemptDeps,
  subscriber: Subscriber,
  references: readonly ChangeReference[],
  signal: AbortSignal,
): Promise<DeliveredChange[]> {
  const ids = [...new Set(references.map(({ entryId }) => entryId))];
  for (;;) {
    const before = await readEntries(deps, ids);
    const matching = await stillMatches(deps, subscriber, ids, signal);
    const entries = await readEntries(deps, ids);
    // An entry that was edited during the search may have matched before, and now contain what the search excludes.
    if (ids.some((id) => before.get(id)?.revision !== entries.get(id)?.revision)) continue;
    return references.flatMap(({ sequence, kind, entryId }) => {
      const stored = matching.has(entryId) ? entries.get(entryId) : undefined;
      return stored ? [{ sequence, kind, stored, link: deps.linkOf(entryId) }] : [];
    });
  }
}

async function readEntries({ storage }: AttemptDeps, ids: readonly number[]): Promise<Map<number, StoredEntry>> {
  const entries = new Map<number, StoredEntry>();
  for (const id of ids) {
    const stored = await storage.committed.entries.find(id);
    if (stored) entries.set(id, stored);
  }
  return entries;
}

/** Returns the ids of the entries whose current versions match the search of the subscriber. */
async function stillMatches(
  { clock, zone, searchIndex }: AttemptDeps,
  subscriber: Subscriber,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  // Ignores the time window: an edit changes no date, and an entry that was recent when it was found still counts.
  const { window: _window, ...query } = parseQuery(subscriber.search, { nowMs: clock.nowMs(), zone });
  return new Set(await searchIndex.matching(query, ids, { signal }));
}

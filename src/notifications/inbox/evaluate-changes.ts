import { LRUCache } from 'lru-cache';
import type { Account } from '../../auth/accounts.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { type FeedItem, isIntact } from '../../entries/change-feed.port.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { upTo } from '../../kernel/cache-limits.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';
import { foldCase } from '../../kernel/text.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { NotificationStorage } from '../notification-storage.js';
import { findGroup } from './edit-watches.js';
import type { InboxReason, NewInboxItem, Watch, Watcher } from './inbox-store.port.js';
import { channelNamesOf } from './personal-channels.js';
import { type Candidate, readCandidate } from './read-candidate.js';
import { parseWatchedQuery } from './watched-query.js';

export interface EvaluateDeps {
  readonly storage: NotificationStorage;
  readonly searchIndex: Pick<SearchIndex, 'matching'>;
  readonly permissions: Permissions;
  /** Returns the user as its provider describes it now; undefined when the account is closed. */
  readonly recheck: (account: Account) => Promise<Principal | undefined>;
  readonly clock: Clock;
  /** IANA zone of times in a search that name none. */
  readonly zone: string;
  readonly log: Log;
}

/** The new items of a user, in the order of the changes. */
export interface EvaluatedItems {
  readonly account: Account;
  readonly items: readonly NewInboxItem[];
  /** Whether the user gets the items outside of the inbox, too. */
  readonly isDelivered: boolean;
}

const maxKnownGroups = 10_000;
/** Maximum number of attempts of a search that takes too long, for one batch of changes. */
const maxSearchTries = 2;
/** Maximum number of users looked up in their directories at the same time. */
const rechecksTogether = 20;

/** Returns the ids of the changed entries that a query finds. */
type Matching = (query: string) => Promise<ReadonlySet<number>>;

interface MatchDeps {
  readonly candidates: readonly Candidate[];
  readonly matching: Matching;
}

/** Decides which changes concern which users. */
export class ChangeEvaluation {
  /**
   * Groups of watched entries. Stays correct, because the feed has a change for each entry that joins or leaves a
   * group.
   */
  private readonly groups = new LRUCache<number, string>(upTo(maxKnownGroups));

  constructor(private readonly deps: EvaluateDeps) {}

  /**
   * Returns the items for the users whose watches match, without those that they may not read now. Entries are matched
   * as they stand now.
   * @throws Fault `search.…`, `storage.…`
   */
  async evaluate(changes: readonly FeedItem[], signal: AbortSignal): Promise<EvaluatedItems[]> {
    this.forgetGroups(changes);
    const slice = new TimeSlice();
    const found: EvaluatedItems[] = [];
    let candidates: readonly Candidate[] | undefined;
    let matching: Matching | undefined;
    for await (const watcher of this.deps.storage.committed.inbox.listWatchers()) {
      // If there are no watches, no entry is read.
      candidates ??= await this.readCandidates(changes, slice);
      if (candidates.length === 0) return [];
      matching ??= this.searchOnce([...new Set(candidates.map(({ entryId }) => entryId))], signal);
      const concerning = await this.findConcerning(watcher, { candidates, matching, slice });
      const { account } = watcher;
      if (concerning.length > 0)
        found.push({ account, items: concerning, isDelivered: channelNamesOf(watcher).size > 0 });
      signal.throwIfAborted();
    }
    return this.withoutHidden(found, new Map(candidates?.map((candidate) => [candidate.sequence, candidate])));
  }

  private forgetGroups(changes: readonly FeedItem[]): void {
    for (const change of changes) {
      if (isIntact(change)) this.groups.delete(change.entryId);
      else this.groups.clear();
    }
  }

  /** Omits damaged changes, which the storage reports, because the users whom they concern are unknown. */
  private async readCandidates(changes: readonly FeedItem[], slice: TimeSlice): Promise<Candidate[]> {
    const { entries } = this.deps.storage.committed;
    const candidates: Candidate[] = [];
    for (const change of changes.filter(isIntact)) {
      const candidate = await unlessDamaged(() => readCandidate(entries, change));
      if (candidate && candidate !== 'damaged') candidates.push(candidate);
      if (slice.isOver) await slice.next();
    }
    return candidates;
  }

  /** Returns a function that searches among these entries, once for each different query. */
  private searchOnce(ids: readonly number[], signal: AbortSignal): Matching {
    const { searchIndex, clock, zone, log } = this.deps;
    const searched = new Map<string, Promise<ReadonlySet<number>>>();
    const search = async (text: string, triesLeft = maxSearchTries - 1): Promise<ReadonlySet<number>> => {
      try {
        const query = parseWatchedQuery(text, { nowMs: clock.nowMs(), zone });
        return new Set(await searchIndex.matching(query, ids, { signal }));
      } catch (error) {
        const isTooSlow = error instanceof Fault && error.code === 'search.too-slow';
        if (isTooSlow && triesLeft > 0) return search(text, triesLeft - 1);
        // A query that the service refuses, or cannot finish, must not hold up the watches of all users.
        if (!isTooSlow && !(error instanceof Fault && error.kind === 'invalid')) throw error;
        log.warn({ err: error, query: text }, 'watched search refused');
        return new Set<number>();
      }
    };
    return (text) => {
      const known = searched.get(text) ?? search(text);
      searched.set(text, known);
      return known;
    };
  }

  private async findConcerning(
    { account, watches }: Watcher,
    { candidates, matching, slice }: MatchDeps & { readonly slice: TimeSlice },
  ): Promise<NewInboxItem[]> {
    const others = candidates.filter(({ author }) => author !== account.userName);
    const found = new Map<number, InboxReason[]>();
    for (const watch of watches) {
      const matches = await this.createMatcher(watch, { account, candidates: others, matching });
      for (const candidate of others) {
        if (candidate.sequence <= watch.after || !matches(candidate)) continue;
        const reasons = found.get(candidate.sequence) ?? [];
        // Two entries of one thread can both be watched, if they were watched before they joined one group.
        if (watch.subject.kind === 'thread' && reasons.some(({ kind }) => kind === 'thread')) continue;
        reasons.push({ watchId: watch.id, kind: watch.subject.kind });
        found.set(candidate.sequence, reasons);
      }
      // Evaluating a watched thread may have read an entry from the storage.
      if (slice.isOver) await slice.next();
    }
    return others.flatMap(({ sequence, entryId, kind: change, atMs }) => {
      const reasons = found.get(sequence);
      return reasons ? [{ sequence, entryId, change, atMs, reasons }] : [];
    });
  }

  /** Returns a function that decides whether a change matches the watch. */
  private async createMatcher(
    { subject, edits }: Watch,
    { account: { userName }, candidates, matching }: MatchDeps & { readonly account: Account },
  ): Promise<(candidate: Candidate) => boolean> {
    if (subject.kind === 'mentions') {
      const name = foldCase(userName);
      return ({ mentioned }) => mentioned.has(name);
    }
    if (subject.kind === 'replies') return ({ parentOwner }) => parentOwner === userName;
    const counts = ({ kind }: Candidate) => kind === 'created' || edits;
    if (subject.kind === 'search') {
      const found = await matching(subject.query);
      return (candidate) => counts(candidate) && found.has(candidate.entryId);
    }
    const mayBeInGroup = candidates.some(({ groupId }) => groupId !== undefined);
    const group = mayBeInGroup ? await this.findGroup(subject.entryId) : undefined;
    return (candidate) =>
      counts(candidate) &&
      (candidate.entryId === subject.entryId || (group !== undefined && candidate.groupId === group));
  }

  private async findGroup(entryId: number): Promise<string | undefined> {
    const known = this.groups.get(entryId);
    if (known !== undefined) return known;
    const group = await findGroup(this.deps.storage.committed.entries, entryId);
    if (group !== undefined) this.groups.set(entryId, group);
    return group;
  }

  private async withoutHidden(
    found: readonly EvaluatedItems[],
    candidates: ReadonlyMap<number, Candidate>,
  ): Promise<EvaluatedItems[]> {
    const { permissions, recheck } = this.deps;
    const readable: EvaluatedItems[] = [];
    const slice = new TimeSlice();
    for (let at = 0; at < found.length; at += rechecksTogether) {
      const checking = found.slice(at, at + rechecksTogether).map(async ({ account, items, isDelivered }) => {
        const principal = await recheck(account);
        if (!principal) return;
        const mayRead = ({ sequence }: NewInboxItem) =>
          permissions.mayRead(principal, { logbooks: candidates.get(sequence)?.logbooks ?? [] });
        const shown = items.filter(mayRead);
        if (shown.length > 0) readable.push({ account, items: shown, isDelivered });
      });
      await Promise.all(checking);
      if (slice.isOver) await slice.next();
    }
    return readable;
  }
}

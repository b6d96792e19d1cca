import type { Entry } from '../../entries/entry.js';
import type { CopiedRedaction, EntryCopy, EntryCopyReader } from '../../entries/entry-copies.port.js';
import type { CommittedEntryWrite } from '../../entries/entry-writes.port.js';
import { listTextFiles } from '../../entries/searchable-entry.js';
import type { Log } from '../../kernel/log.js';
import { nextRound } from '../../kernel/time-slice.js';
import { listedWrites, WriteFollower, type WriteFollowerDeps } from '../write-follower.js';
import type { EntryReplica, ReplicaOpener, ReplicatedEntry } from './entry-replica.port.js';

const intervalMs = 500;
/** Maximum number of entries in one transaction of the replica, which blocks the event loop. */
const transactionEntries = 32;
const transactionBytes = 262_144;
const archivedVersions = 8;
const listedRedactions = 100;
/** Maximum number of writes copied before they are final. Each run lists all of them again. */
const maxAhead = 2_000;

export interface ReplicaUpdaterDeps extends WriteFollowerDeps {
  readonly entryCopies: EntryCopyReader;
  readonly opener: ReplicaOpener;
  readonly log: Log;
}

/** Progress of a replica that is catching up. */
export interface ReplicaProgress {
  readonly copied: number;
  readonly all: number;
}

/**
 * Keeps the replica of this node up to date. It copies each entry after its write, in the order of the writes. If the
 * replica has followed writes that the storage does not have, it is removed and rebuilt.
 */
export class ReplicaUpdater extends WriteFollower {
  /** Undefined while the replica is being fetched or replaced. */
  replica: EntryReplica | undefined;
  private progressed: ReplicaProgress | undefined;
  /**
   * Set when the last run copied everything, including redactions. The replica is unchanged while this is the same
   * object.
   */
  quiet: { readonly replica: EntryReplica } | undefined;

  private constructor(
    private readonly deps: ReplicaUpdaterDeps,
    replica: EntryReplica | undefined,
  ) {
    const failure = 'following the entries of the storage failed; will retry';
    super(deps, { name: 'entry-replication', intervalMs, failure });
    this.replica = replica;
  }

  static async start(deps: ReplicaUpdaterDeps): Promise<ReplicaUpdater> {
    const { opener } = deps;
    // Only a present replica is opened here. Fetching a missing one may take minutes, and entries can be read and
    // written in the meantime.
    return new ReplicaUpdater(deps, opener.isPresent ? await opener.open(new AbortController().signal) : undefined);
  }

  /** Progress of the replica; undefined unless it catches up with many writes. */
  get progress(): ReplicaProgress | undefined {
    return this.progressed;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.replica?.close();
  }

  protected async follow(signal: AbortSignal): Promise<'more' | 'idle'> {
    const replica = await this.findReplica(signal);
    const startedMs = this.clock.elapsedMs();
    if (await this.hasNothingNew(replica)) {
      this.caughtUpMs = startedMs;
      return 'idle';
    }
    this.quiet = undefined;
    // Redactions are listed before the writes, so that the listed writes include theirs. They are applied after the
    // writes.
    const redactions = await this.deps.entryCopies.listRedactions(replica.redaction, listedRedactions);
    const [ahead, unlisted] = [new Set<string>(), new Set(replica.followed.ahead)];
    for await (const writes of this.listAfter(replica.followed.position, signal)) {
      const { position } = replica.followed;
      if (!(await this.isPositionStored(position, writes.length > 0)) || replica.isDamaged)
        return this.replace(replica);
      if (writes.length === listedWrites) await this.noteProgress(position);
      for (const write of writes) {
        unlisted.delete(write.position);
        if (!write.isFinal) ahead.add(write.position);
      }
      if (ahead.size > maxAhead) throw new Error('too many writes wait for the end of a transaction that is left open');
      await this.copy(replica, writes, signal);
    }
    if (!(await this.areStored(unlisted))) return this.replace(replica);
    if (replica.followed.ahead.some((position) => !ahead.has(position))) {
      replica.store([], { ...replica.followed, ahead: [...ahead] });
    }
    await this.followRedactions(replica, redactions);
    this.caughtUpMs = startedMs;
    this.progressed = undefined;
    // A redaction may have been committed after the redactions were listed.
    if ((await this.deps.entryCopies.listRedactions(replica.redaction, 1)).length > 0) return 'more';
    this.quiet = { replica };
    return 'idle';
  }

  /**
   * Returns whether there is no new write. This takes a single statement, because every search waits for it. Redactions
   * are not queried, because each one also writes entries.
   */
  private async hasNothingNew(replica: EntryReplica): Promise<boolean> {
    const { position, ahead } = replica.followed;
    if (this.quiet?.replica !== replica || replica.isDamaged || ahead.length > 0 || this.isCheckDue) return false;
    return (await this.deps.entryWrites.listCommittedAfter(position, 1)).length === 0;
  }

  private async findReplica(signal: AbortSignal): Promise<EntryReplica> {
    this.replica ??= await this.deps.opener.open(signal);
    return this.replica;
  }

  private async replace(replica: EntryReplica): Promise<'more'> {
    const reason = replica.isDamaged ? 'it is damaged' : 'it has followed writes that the database does not have';
    this.deps.log.warn({ reason }, 'replica of the entries is being rebuilt; searches on this node wait for it');
    this.replica = undefined;
    this.caughtUpMs = undefined;
    this.progressed = undefined;
    await replica.close();
    this.deps.opener.remove();
    return 'more';
  }

  private async noteProgress(position: string | undefined): Promise<void> {
    if (this.progressed) return;
    this.progressed = { copied: 0, all: await this.deps.entryWrites.countAfter(position) };
    this.deps.log.info({ writes: this.progressed.all }, 'replica of the entries is catching up');
  }

  /**
   * Copies the entries of these writes, including writes that are not final yet. Otherwise, a transaction that any
   * program leaves open would hide later writes from searches.
   */
  private async copy(
    replica: EntryReplica,
    writes: readonly CommittedEntryWrite[],
    signal: AbortSignal,
  ): Promise<void> {
    for (let rest = writes; rest.length > 0; await nextRound()) {
      signal.throwIfAborted();
      rest = await this.copySome(replica, rest);
    }
  }

  /** Copies the first of the writes; returns the others. */
  private async copySome(
    replica: EntryReplica,
    writes: readonly CommittedEntryWrite[],
  ): Promise<readonly CommittedEntryWrite[]> {
    const some = writes.slice(0, transactionEntries);
    const { position, ahead } = replica.followed;
    const copied = new Set(ahead);
    const ids = some.filter((write) => !copied.has(write.position)).map(({ id }) => id);
    const copies = ids.length === 0 ? [] : await this.deps.entryCopies.listCurrent(ids, transactionBytes);
    const last = copies.at(-1);
    // Entries are never removed, so if none of them exists, the storage has just been restored from an older copy.
    if (ids.length > 0 && !last) throw new Error(`entry ${ids[0]} was listed and is not stored`);
    const entries: ReplicatedEntry[] = [];
    for (const entry of copies) {
      await this.copyArchived(replica, entry);
      const forgotten = await this.listForgotten(replica.listUnshownTextFiles(entry));
      entries.push({ entry, texts: await this.readTexts(replica, entry), forgotten });
    }
    const isWhole = last === undefined || last.id === ids.at(-1);
    const done = isWhole ? some.length : some.findIndex(({ id }) => id === last.id) + 1;
    const stored = some.slice(0, done);
    for (const write of stored) if (!write.isFinal) copied.add(write.position);
    const newestFinal = stored.findLast(({ isFinal }) => isFinal);
    if (newestFinal || entries.length > 0) {
      replica.store(entries, { position: newestFinal?.position ?? position, ahead: [...copied] });
    }
    if (this.progressed) this.progressed = { ...this.progressed, copied: this.progressed.copied + done };
    return writes.slice(done);
  }

  /** Replaces the copies of redacted entries, because a redaction also changes archived versions. */
  private async followRedactions(replica: EntryReplica, redactions: readonly CopiedRedaction[]): Promise<void> {
    for (const redaction of redactions) {
      const { entryId } = redaction;
      const revision = replica.revisionOf(entryId);
      const former = replica.listTextFiles(entryId);
      if (revision > 0) await this.copyArchived(replica, { id: entryId, revision: revision + 1 }, 1);
      replica.storeRedaction(redaction, await this.listForgotten(former));
    }
  }

  /** Lists the texts that the storage no longer has. It keeps a text if another entry uses it. */
  private async listForgotten(checksums: readonly string[]): Promise<string[]> {
    const forgotten: string[] = [];
    for (const checksum of checksums) {
      if ((await this.deps.entryCopies.findText(checksum)) === undefined) forgotten.push(checksum);
    }
    return forgotten;
  }

  /** Copies the versions since the indexed one, because the index needs them to remove earlier terms of the entry. */
  private async copyArchived(
    replica: EntryReplica,
    { id, revision }: Pick<EntryCopy, 'id' | 'revision'>,
    since = replica.revisionOf(id),
  ): Promise<void> {
    for (let from = Math.max(1, since); from < revision; ) {
      const archived = await this.deps.entryCopies.listArchived(id, from, revision, archivedVersions);
      if (archived.length > 0) replica.storeArchived(id, archived);
      if (archived.length < archivedVersions) return;
      from = (archived.at(-1)?.revision ?? revision) + 1;
      await nextRound();
    }
  }

  private async readTexts(replica: EntryReplica, { document }: EntryCopy): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const checksum of textFilesOf(document)) {
      if (replica.hasText(checksum)) continue;
      const text = await this.deps.entryCopies.findText(checksum);
      if (text !== undefined) texts.set(checksum, text);
    }
    return texts;
  }
}

function textFilesOf(document: string): string[] {
  try {
    return listTextFiles(JSON.parse(document) as Entry);
  } catch {
    // A damaged document has no searchable files. Reading the entry reports the damage.
    return [];
  }
}

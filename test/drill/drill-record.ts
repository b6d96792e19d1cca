import type { ChangeReader } from '../fixtures/change-reader.js';

/** Acknowledgements and observations of the clients. */
export class DrillRecord {
  /** Number of acknowledged edits of each entry. */
  readonly edits = new Map<number, number>();
  /** Last acknowledged title of each entry. */
  readonly titles = new Map<number, string>();
  /** Titles that acknowledged edits have replaced. */
  readonly replaced: string[] = [];
  /** The titles whose creation was acknowledged, with the entry. */
  readonly created = new Map<string, number>();
  /** Hash of each acknowledged file, by its address. */
  readonly files = new Map<string, string>();
  /** Number of searches that were answered. */
  searches = 0;
  downloads = 0;
  /** The addresses of files that were sent with other bytes. */
  readonly wrongFiles: string[] = [];
  /** Searches that were answered without a write that was acknowledged before. */
  readonly stale: string[] = [];
  /** Answers that refused a request, by status and code. */
  readonly refusals = new Map<string, number>();
  /** Ids that two creations were acknowledged with. */
  repeatedIds = 0;
  kills = 0;
  /** Starts of a node that failed, and were repeated. */
  failedStarts = 0;
  failovers = 0;
  /** Number of outages of each server. */
  readonly outages = new Map<string, number>();

  get writes(): number {
    let edits = 0;
    for (const count of this.edits.values()) edits += count;
    return this.created.size + edits;
  }

  create(id: number, title: string): void {
    if (this.edits.has(id)) this.repeatedIds += 1;
    this.created.set(title, id);
    this.edits.set(id, 0);
    this.titles.set(id, title);
  }

  edit(id: number, title: string): void {
    this.edits.set(id, (this.edits.get(id) ?? 0) + 1);
    const before = this.titles.get(id);
    if (before !== undefined && before !== title) this.replaced.push(before);
    this.titles.set(id, title);
  }

  outage(server: string): void {
    this.outages.set(server, (this.outages.get(server) ?? 0) + 1);
  }

  refuse(reason: string): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}

/** A change, as a receiver receives it. */
export interface FollowedChange {
  readonly sequence: number;
  readonly kind: string;
  readonly entryId: number;
  readonly version: number;
}

/** The changes that one receiver has received, across its connections. */
export class FollowedChanges {
  readonly received: FollowedChange[] = [];
  reconnects = 0;
  /** Whether it has ever had a stream. */
  hasBegun = false;
  private stream: ChangeReader | undefined;

  /** Receives on this stream until that has ended. */
  async follow(stream: ChangeReader): Promise<void> {
    this.stream = stream;
    this.hasBegun = true;
    await stream.ended;
    this.received.push(...stream.changes.map(({ data }) => data));
    this.stream = undefined;
  }

  /** Whether it has received a change of this entry. */
  has(id: number): boolean {
    const isAbout = ({ entryId }: FollowedChange) => entryId === id;
    return this.received.some(isAbout) || (this.stream?.changes.some(({ data }) => isAbout(data)) ?? false);
  }

  get outOfOrder(): number {
    return this.received.filter(({ sequence }, at) => sequence < (this.received[at - 1]?.sequence ?? 0)).length;
  }

  /** Counts the changes that were received before, at the same position or of the same version. */
  get twice(): number {
    const positions = new Set(this.received.map(({ sequence }) => sequence));
    const versions = new Set(this.received.map(({ kind, entryId, version }) => `${kind} ${entryId} ${version}`));
    return this.received.length - Math.min(positions.size, versions.size);
  }

  /** Counts the changes of acknowledged writes that were not received. */
  missing({ edits }: DrillRecord): number {
    const byEntry = new Map<number, number>();
    // A reply annotates the entry that it answers.
    const written = this.received.filter(({ kind }) => kind !== 'annotated');
    for (const { entryId } of written) byEntry.set(entryId, (byEntry.get(entryId) ?? 0) + 1);
    let missing = 0;
    for (const [id, count] of edits) missing += Math.max(0, 1 + count - (byEntry.get(id) ?? 0));
    return missing;
  }
}

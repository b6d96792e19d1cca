/** What clients were told, and what they saw. */
export class DrillRecord {
  /** By entry: the number of acknowledged edits. */
  readonly edits = new Map<number, number>();
  /** By entry: the title that was acknowledged last. */
  readonly titles = new Map<number, string>();
  /** The titles whose creation was acknowledged, with the entry. */
  readonly created = new Map<string, number>();
  searches = 0;
  /** Searches that were answered without a write that was acknowledged before. */
  readonly stale: string[] = [];
  /** Answers that refused a request, by status and code. */
  readonly refusals = new Map<string, number>();
  kills = 0;
  failovers = 0;

  get writes(): number {
    let edits = 0;
    for (const count of this.edits.values()) edits += count;
    return this.created.size + edits;
  }

  refuse(reason: string): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}

/** The changes that one follower has received, across its connections. */
export class FollowedChanges {
  readonly received: { readonly sequence: number; readonly entryId: number; readonly version: number }[] = [];
  reconnects = 0;

  get outOfOrder(): number {
    return this.received.filter(({ sequence }, at) => sequence < (this.received[at - 1]?.sequence ?? 0)).length;
  }

  get twice(): number {
    return this.received.length - new Set(this.received.map(({ sequence }) => sequence)).size;
  }

  /** Counts the changes of acknowledged writes that were not received. */
  missing({ edits }: DrillRecord): number {
    const byEntry = new Map<number, number>();
    for (const { entryId } of this.received) byEntry.set(entryId, (byEntry.get(entryId) ?? 0) + 1);
    let missing = 0;
    for (const [id, count] of edits) missing += Math.max(0, 1 + count - (byEntry.get(id) ?? 0));
    return missing;
  }
}

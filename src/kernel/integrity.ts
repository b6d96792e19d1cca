import type { Log } from './log.js';

/**
 * Kinds of damaged data: a file, a stored document, pages of the database, the search index, the extracted text of a
 * file, a row of the change feed.
 */
export type DamagedKind = 'attachment' | 'document' | 'database' | 'search-index' | 'extracted-text' | 'change';

export interface Damage {
  readonly kind: DamagedKind;
  /** Identifies the damaged part, for example a checksum or `entry 41`. */
  readonly subject: string;
  /** Path of the file, relative to the data directory. */
  readonly path: string;
  /** Description of the damage for operators. */
  readonly reason: string;
  /** Some of the entries that contain or show the damaged part; absent if there are none. */
  readonly entryIds?: readonly number[];
}

/** Receives reports of damaged data. */
export interface DamageReports {
  report(damage: Damage): void;
}

const advice: Readonly<Record<DamagedKind, string>> = {
  attachment: 'restore the file from a backup, at the same path in the data directory or the bucket',
  document: 'restore it from a backup, or do without it; all others are unaffected',
  database: 'stop the service, keep a copy of the data directory, and restore the database from a backup',
  'search-index': 'no action is needed: it is being rebuilt, and no entry is lost; but check the disk',
  'extracted-text': 'no action is needed: it is extracted again from the file; but check the disk',
  change:
    'no entry is lost, but receivers of changes were not informed of this one: compare what they have with the entries, and check the disk',
};

/** Maximum number of logged reports; further damage is only counted. */
const maxLogged = 1_000;
/** Maximum number of remembered reports per kind, because all files may be missing. Further reports are not counted. */
const maxRemembered = 100_000;

/** Remembers which data this process found damaged and has not found intact since; logs each once. */
export class Integrity implements DamageReports {
  private readonly found = new Map<DamagedKind, Set<string>>();
  private readonly listeners = new Set<(damage: Damage) => void>();
  private logged = 0;
  private resolved = 0;

  constructor(private readonly log: Log) {}

  report(damage: Damage): void {
    const subjects = this.found.get(damage.kind) ?? new Set();
    if (subjects.has(damage.subject) || subjects.size >= maxRemembered) return;
    this.found.set(damage.kind, subjects.add(damage.subject));
    this.logged += 1;
    if (this.logged <= maxLogged) this.log.error({ ...damage, advice: advice[damage.kind] }, 'damaged data found');
    for (const listener of this.listeners) listener(damage);
  }

  /** Calls `listener`, which must not throw, when damage is found; returns a function that removes the listener. */
  onReport(listener: (damage: Damage) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets a report because the data were found intact. */
  resolve(kind: DamagedKind, subject: string): void {
    if (!this.found.get(kind)?.delete(subject)) return;
    this.resolved += 1;
    if (this.resolved <= maxLogged) this.log.info({ kind, subject }, 'damaged data are intact again');
  }

  /** Whether further reports are logged; if not, their details are not needed. */
  get isLogging(): boolean {
    return this.logged < maxLogged;
  }

  /** Whether damage to this subject was reported and is unresolved. */
  has(kind: DamagedKind, subject: string): boolean {
    return this.found.get(kind)?.has(subject) ?? false;
  }

  /** Returns the subjects of this kind that were reported and are unresolved. */
  subjects(kind: DamagedKind): string[] {
    return [...(this.found.get(kind) ?? [])];
  }

  /** Returns the number of damaged parts of each kind, at most `maxRemembered`. */
  list(): (readonly [kind: DamagedKind, count: number])[] {
    return (Object.keys(advice) as DamagedKind[]).map((kind) => [kind, this.count(kind)]);
  }

  private count(kind: DamagedKind): number {
    return this.found.get(kind)?.size ?? 0;
  }
}

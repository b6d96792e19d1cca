import { countOf, createdMsOf, isRecord, type Loose } from '../../imports/entry-values.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { ItemFailure, type ItemRequests } from './item-requests.js';
import { UnusableAnswer } from './service-connection.js';

/** Page size, the default of all services of this family. Some never send more. */
const pageEntries = 100;
/** Maximum sum of `from` and `size` in a search that services of this family accept. */
const maxWindow = 10_000;
/** Maximum difference between a time in UTC and the same digits in the zone of the service. */
const maxZoneOffsetMs = 26 * 3_600_000;
/** Time before the newest entry so far at which the next search begins, so that it shows this entry again. */
const marginMs = 1;
/** Maximum number of consecutive unreadable entries; one more ends the walk. */
const maxUnreadable = 20;

export interface WalkedPage {
  /** Entries that this walk has not shown before. */
  readonly entries: readonly Loose[];
  /** Sentences about entries that the source could not show. */
  readonly problems: readonly string[];
  readonly position: string;
}

/** Returns the entries of a search response, which is a list or an object with a list. */
export function hitsOf(body: unknown): Loose[] {
  const logs = Array.isArray(body)
    ? body
    : isRecord(body)
      ? (body.logs ?? (countOf(body.hitCount) === 0 ? [] : null))
      : null;
  if (Array.isArray(logs)) return logs.filter(isRecord);
  const message =
    'The source responded to a search with something other than entries. Check the address, with its root path.';
  throw new UnusableAnswer(200, new Fault('invalid', 'import.source-invalid', message));
}

function readHits(body: unknown): readonly Loose[] | ItemFailure {
  try {
    return hitsOf(body);
  } catch (error) {
    return new ItemFailure((error as Error).message, 200);
  }
}

/** Returns the id of an entry; undefined when it is not a number. */
export function idOf({ id }: Loose): number | undefined {
  return /^\d{1,15}$/.test(String(id)) ? Number(id) : undefined;
}

/** Returns sentences about entries that a page lists twice with different contents. */
function describeDoubles(page: readonly Loose[]): string[] {
  const contents = new Map<number, string>();
  return page.flatMap((hit) => {
    const id = idOf(hit);
    if (id === undefined) return [];
    const content = JSON.stringify(hit);
    const known = contents.get(id) ?? content;
    contents.set(id, known);
    return known === content ? [] : `The source lists entry ${id} twice, with different contents; the first was read.`;
  });
}

/**
 * Walks the entries of a service by their dates of creation, oldest first: pages from one date onwards until the
 * service shows no more, then pages from the newest date so far.
 */
export class EntryWalk {
  private readonly seen = new Set<number>();
  private startMs: number;
  private stepBackMs = marginMs;
  private from = 0;
  private size = pageEntries;
  /** Maximum number of entries of a page, which the service may limit. */
  private maxSize = pageEntries;
  /** Sentences about entries that could not be read since the last page. */
  private unreadable: string[] = [];
  /** Ids on the previous page. */
  private shown = '';
  /** The newest entry so far. */
  private newest: { readonly id: number; readonly createdMs: number } | undefined;
  private isSorted = true;

  constructor(
    private readonly requests: ItemRequests,
    position: string | undefined,
    private readonly signal: AbortSignal,
  ) {
    const fromMs = Number(position || Number.NaN);
    this.startMs = Number.isSafeInteger(fromMs) ? fromMs - maxZoneOffsetMs : Number.NEGATIVE_INFINITY;
  }

  /** Yields the pages. Ends early if more entries have nearly the same time than the service shows. */
  async *pages(): AsyncGenerator<WalkedPage> {
    for (;;) {
      if (this.from + this.size > maxWindow && !this.moveWindow()) return;
      const page = await this.read();
      if (page === 'retry') continue;
      if (page.length === 0) return;
      if (!this.isContinued(page)) {
        this.stepBackMs = maxZoneOffsetMs;
        this.moveWindow(true);
        continue;
      }
      const entries = page.filter((hit) => this.isNew(hit));
      const problems = [...this.unreadable.splice(0), ...describeDoubles(page)];
      this.advance(page);
      if (entries.length + problems.length > 0) yield { entries, problems, position: this.position };
    }
  }

  private get position(): string {
    return this.newest && this.isSorted ? String(this.newest.createdMs) : '';
  }

  /**
   * Returns a page, which is empty at the end of the list; `retry`: the caller must read again with changed parameters.
   */
  private async read(): Promise<readonly Loose[] | 'retry'> {
    const isPart = this.size < this.maxSize;
    const answer = await this.requests.getJson(this.path, this.signal, isPart ? 1 : undefined);
    const hits = answer instanceof ItemFailure ? answer : readHits(answer.body);
    if (hits instanceof ItemFailure) {
      // The service may refuse to list entries so deep in the result.
      if (this.from > 0 && !isPart && !hits.isTooLarge && this.moveWindow()) return 'retry';
      return this.size > 1 ? this.shrink() : this.skipUnreadable(hits);
    }
    this.checkSize((answer as { readonly body: unknown }).body, hits);
    return this.isRepeated(hits) ? this.skipRepeated(hits) : hits;
  }

  private shrink(): 'retry' {
    this.size = Math.ceil(this.size / 4);
    return 'retry';
  }

  private skipUnreadable({ reason }: ItemFailure): 'retry' | readonly never[] {
    this.from += 1;
    this.unreadable.push(`Entry ${this.from} of the list ${this.describeStart()} cannot be read. ${reason}`);
    if (this.unreadable.length <= maxUnreadable) return 'retry';
    // The service shows no more entries of the list.
    this.unreadable = [];
    return [];
  }

  private get path(): string {
    const { from, size } = this;
    // Services know `from`, `page`, or both. If they know both, `from` has priority.
    const page = Math.ceil(from / size) + 1;
    const query = new URLSearchParams({ sort: 'up', size: String(size), from: String(from), page: String(page) });
    if (Number.isFinite(this.startMs)) {
      query.set('start', inSearchFormat(this.startMs));
      query.set('tz', 'UTC');
    }
    return `/logs/search?${query}`;
  }

  /** Adapts the page size to a service that sends fewer entries than requested. */
  private checkSize(body: unknown, hits: readonly Loose[]): void {
    const hitCount = (isRecord(body) && countOf(body.hitCount)) || 0;
    if (hits.length === 0 || hits.length >= this.size || this.from + hits.length >= hitCount) return;
    if (this.size === this.maxSize) this.maxSize = hits.length;
    this.size = hits.length;
  }

  /** Whether the walk has not shown this entry yet. An entry without an id always counts as new. */
  private isNew(hit: Loose): boolean {
    const id = idOf(hit);
    if (id === undefined) return true;
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    return true;
  }

  /** Whether the page begins at the requested time. If not, the service reads times in another time zone. */
  private isContinued(hits: readonly Loose[]): boolean {
    const { newest } = this;
    if (!newest || this.from > 0 || !Number.isFinite(this.startMs) || this.stepBackMs > marginMs) return true;
    return hits.some((hit) => {
      const createdMs = createdMsOf(hit);
      return idOf(hit) === newest.id || (createdMs !== undefined && createdMs <= newest.createdMs);
    });
  }

  private advance(hits: readonly Loose[]): void {
    for (const hit of hits) {
      const [id, createdMs] = [idOf(hit), createdMsOf(hit)];
      if (id === undefined || createdMs === undefined) continue;
      if (this.newest && createdMs < this.newest.createdMs && !this.isOverlap(createdMs)) this.isSorted = false;
      if (!this.newest || createdMs >= this.newest.createdMs) this.newest = { id, createdMs };
    }
    this.from += hits.length;
    this.size = Math.min(this.maxSize, this.size * 2);
  }

  /** Whether an entry was shown before the window was moved. */
  private isOverlap(createdMs: number): boolean {
    return Number.isFinite(this.startMs) && createdMs <= this.startMs + this.stepBackMs;
  }

  /** Whether a page repeats the previous one, because the service knows neither `from` nor `page`. */
  private isRepeated(hits: readonly Loose[]): boolean {
    const shown = JSON.stringify(hits.map(({ id }) => id));
    const isRepeated = this.from > 0 && hits.length > 0 && shown === this.shown;
    this.shown = shown;
    return isRepeated;
  }

  private skipRepeated({ length }: readonly Loose[]): 'retry' | readonly never[] {
    if (this.moveWindow()) return 'retry';
    if (length < this.maxSize) return [];
    throw new Fault(
      'invalid',
      'import.source-invalid',
      `At position ${this.from + 1} of the list ${this.describeStart()}, the source repeats entries that it has already returned, so not all entries can be read.`,
    );
  }

  /** Restarts at the newest date so far; returns false when that is not later than the last start. */
  private moveWindow(mayGoBack = false): boolean {
    if (!this.newest || !this.isSorted) return false;
    const startMs = this.newest.createdMs - this.stepBackMs;
    if (startMs <= this.startMs && !mayGoBack) return false;
    [this.startMs, this.from, this.shown] = [startMs, 0, ''];
    return true;
  }

  private describeStart(): string {
    return Number.isFinite(this.startMs) ? `from ${quoted(inSearchFormat(this.startMs))} on` : 'of all entries';
  }
}

/** Formats a time in UTC in the form that every service of this family reads. */
function inSearchFormat(ms: number): string {
  return new Date(Math.max(ms, 0)).toISOString().replace('T', ' ').replace('Z', '');
}

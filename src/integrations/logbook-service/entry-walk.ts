import { isRecord, type Loose, timeOf } from '../../imports/entry-values.js';
import { Fault } from '../../kernel/fault.js';
import { type ServiceConnection, TooLargeResponse, UnexpectedStatus } from './service-connection.js';

/** The default page of all services of this family; some never send more. */
const pageEntries = 100;
/** When a service reads times in a zone of its own, a time in UTC is off by at most this. */
const maxZoneOffsetMs = 26 * 3_600_000;

export interface WalkedPage {
  /** Those that this walk has not shown before. */
  readonly entries: readonly Loose[];
  readonly position: string;
}

/** Returns the entries of a search response, which is a list or an object with one. */
export function hitsOf(body: unknown): Loose[] {
  const logs = Array.isArray(body) ? body : isRecord(body) ? body.logs : undefined;
  if (Array.isArray(logs)) return logs.filter(isRecord);
  throw new Fault(
    'invalid',
    'import.source-invalid',
    'The source responded to a search with something else than entries. Check the address, with its root path.',
  );
}

/** The number of an entry, also of one with an id such as `42_v1`; undefined when it has none. */
export function idOf({ id }: Loose): number | undefined {
  const [, number] = /^(\d{1,15})(?:_.*)?$/.exec(String(id)) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * Walks the entries of a service by their dates of creation. Each request begins where the last one ended, so that none
 * asks for entries beyond the first pages: services refuse to go deeper than some thousands, and do not count further.
 */
export class EntryWalk {
  private readonly seen = new Set<number>();
  private startMs: number;
  private page = 1;
  private size = pageEntries;
  private marginMs = 1;
  /** The ids on the page before. */
  private shown = '';
  /** The newest entry so far, which the next request must show again. */
  private last: { readonly id: number; readonly createdMs: number } | undefined;

  constructor(
    private readonly connection: ServiceConnection,
    position: string | undefined,
    private readonly signal: AbortSignal,
  ) {
    const fromMs = Number(position);
    this.startMs = position !== undefined && Number.isSafeInteger(fromMs) ? fromMs : Number.NEGATIVE_INFINITY;
  }

  async *pages(): AsyncGenerator<WalkedPage> {
    for (;;) {
      const hits = await this.fetch();
      this.checkProgress(hits);
      if (!this.isContinued(hits)) {
        this.startMs -= maxZoneOffsetMs - this.marginMs;
        this.marginMs = maxZoneOffsetMs;
        continue;
      }
      const entries = hits.filter((hit) => this.isNew(hit));
      if (entries.length > 0) yield { entries, position: this.position };
      if (hits.length === 0) return;
      this.advance(hits);
    }
  }

  private get position(): string {
    return Number.isFinite(this.startMs) ? String(this.startMs) : '';
  }

  /** Those without an id are shown each time. */
  private isNew(hit: Loose): boolean {
    const id = idOf(hit);
    if (id === undefined) return true;
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    return true;
  }

  /** False when the service has begun later than it was asked to: it reads times in a zone of its own. */
  private isContinued(hits: readonly Loose[]): boolean {
    const { last } = this;
    if (!last || this.page > 1 || this.marginMs > 1) return true;
    return hits.some((hit) => idOf(hit) === last.id || (timeOf(hit.createdDate) ?? last.createdMs) < last.createdMs);
  }

  private advance(hits: readonly Loose[]): void {
    const dated = hits.flatMap((hit) => {
      const [id, createdMs] = [idOf(hit), timeOf(hit.createdDate)];
      return id === undefined || createdMs === undefined ? [] : [{ id, createdMs }];
    });
    this.checkOrder(dated.map(({ createdMs }) => createdMs));
    const newest = dated.at(-1);
    this.last = newest ?? this.last;
    const nextMs = newest === undefined ? this.startMs : newest.createdMs - this.marginMs;
    if (nextMs > this.startMs) {
      [this.startMs, this.page] = [nextMs, 1];
    } else this.page += 1;
    this.size = this.page === 1 ? Math.min(pageEntries, this.size * 2) : this.size;
  }

  /** A service that does not know the pages would be asked for the next one without end. */
  private checkProgress(hits: readonly Loose[]): void {
    const shown = JSON.stringify(hits.map(({ id }) => id));
    if (this.page > 1 && hits.length > 0 && shown === this.shown) {
      throw new Fault(
        'invalid',
        'import.source-invalid',
        `The source shows the same entries on page ${this.page} as on the one before. It cannot be walked.`,
      );
    }
    this.shown = shown;
  }

  private checkOrder(times: readonly number[]): void {
    if (times.every((ms, at) => at === 0 || ms >= (times[at - 1] ?? ms))) return;
    throw new Fault(
      'invalid',
      'import.source-invalid',
      'The source does not sort entries by their date of creation, as sort=up asks. It cannot be walked.',
    );
  }

  private async fetch(): Promise<Loose[]> {
    const query = new URLSearchParams({ sort: 'up', size: String(this.size), page: String(this.page), tz: 'UTC' });
    if (Number.isFinite(this.startMs)) query.set('start', inSearchFormat(this.startMs));
    try {
      return hitsOf(await this.connection.getJson(`/logs/search?${query}`, this.signal));
    } catch (error) {
      if (error instanceof TooLargeResponse && this.size > 1) {
        this.size = Math.ceil(this.size / 4);
        this.page = 1;
        return this.fetch();
      }
      if (error instanceof UnexpectedStatus && this.page > 1) throw tooMany(this.startMs, error);
      throw error;
    }
  }
}

function tooMany(startMs: number, cause: UnexpectedStatus): Fault {
  return new Fault(
    'unavailable',
    'import.source-unavailable',
    `The source does not list all entries after ${inSearchFormat(startMs)}: it has too many of nearly the same time, or it failed. ${cause.message}`,
    { cause },
  );
}

/** The form of times that every service of this family reads; in UTC. */
function inSearchFormat(ms: number): string {
  return new Date(Math.max(ms, 0)).toISOString().replace('T', ' ').replace('Z', '');
}

import type { Entry } from '../entries/entry.js';

export interface MonthCount {
  /** Empty: entries without a logbook. */
  readonly logbook: string;
  /** Month in UTC, such as `2026-11`. */
  readonly month: string;
  readonly source: number;
  readonly here: number;
}

/** Numbers of entries by logbook and month of creation, at the source and here. */
export class LogbookCounts {
  private readonly counts = new Map<string, { readonly logbook: string; readonly month: string } & Counted>();

  add(place: keyof Counted, { logbooks, createdDate }: Pick<Entry, 'logbooks' | 'createdDate'>): void {
    const month = new Date(createdDate).toISOString().replace(/-\d\dT.*/, '');
    const names = logbooks.length === 0 ? [''] : new Set(logbooks.map(({ name }) => name));
    for (const logbook of names) {
      const key = JSON.stringify([logbook, month]);
      const count = this.counts.get(key) ?? { logbook, month, source: 0, here: 0 };
      count[place] += 1;
      this.counts.set(key, count);
    }
  }

  /** Lists the counts, ordered by logbook and month. */
  list(): MonthCount[] {
    return [...this.counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
  }
}

interface Counted {
  source: number;
  here: number;
}

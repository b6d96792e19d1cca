import type { UrlSearch } from '../app/url-search.ts';

export interface HandOverSearch {
  /** A time in the shift, in milliseconds. */
  readonly shift?: number;
}

export function handOverSearch({ shift }: UrlSearch | Readonly<Record<string, unknown>>): HandOverSearch {
  const ms = Number(shift);
  // Dates end where those of the language do.
  return shift !== undefined && Number.isSafeInteger(ms) && Math.abs(ms) < 8.6e15 ? { shift: ms } : {};
}

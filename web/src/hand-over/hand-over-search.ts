import type { UrlSearch } from '../app/url-search.ts';

export interface HandOverSearch {
  /** A time in the shift, in milliseconds. */
  readonly shift?: number;
  /** The id of one of its hand-overs. */
  readonly entry?: number;
}

export function handOverSearch({ shift, entry }: UrlSearch | Readonly<Record<string, unknown>>): HandOverSearch {
  const ms = Number(shift);
  // The limit of dates in JavaScript.
  if (shift === undefined || !Number.isSafeInteger(ms) || Math.abs(ms) >= 8.6e15) return {};
  return { shift: ms, ...(Number.isSafeInteger(Number(entry)) && { entry: Number(entry) }) };
}

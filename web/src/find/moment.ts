import { formatForSearch } from '../components/search-time.ts';
import type { FindSearch } from './find-search.ts';
import { readTime } from './read-time.ts';

const aroundMs = 30 * 60_000;
const maxLength = 60;

/** Returns the search for half an hour before and after an instant, each entry in a row of its own. */
export function searchAround(ms: number): FindSearch {
  const [start, end] = [ms - aroundMs, ms + aroundMs].map(formatForSearch);
  return { query: `start="${start}" end="${end}"`, view: 'flat' };
}

/**
 * Returns the search for a moment in an address, such as `2026-03-08T03:12`: the time around it, or a whole day.
 * Undefined: the text is not a moment.
 */
export function searchAt(moment: string, nowMs: number, locale: string): FindSearch | undefined {
  if (moment.length > maxLength) return undefined;
  const day = /^\d{4}-\d\d-\d\d$/.exec(moment)?.[0];
  const read = readTime(moment, { nowMs, isEnd: false, locale });
  if (!read) return undefined;
  return day === undefined ? searchAround(read.ms) : { query: `start=${day} end=${day}`, view: 'flat' };
}

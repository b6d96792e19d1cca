import { parseQueryText } from '../../../packages/search-language/query-text.ts';
import { queryOf, termsOf } from './query-terms.ts';
import { type ReadTime, readTime } from './read-time.ts';

/** A problem with a range of time: the end that has it, and why. */
export type RangeProblem =
  | { readonly kind: 'unread'; readonly end: 'start' | 'end'; readonly text: string }
  | { readonly kind: 'reversed'; readonly end: 'end' };

/** A range as it is written; an end that is undefined is open. */
export interface Range {
  readonly start?: ReadTime | undefined;
  readonly end?: ReadTime | undefined;
}

type Written = Readonly<Partial<Record<'start' | 'end', string | undefined>>>;

/** Reads both ends of a range. */
export function readRange(written: Written, nowMs: number, locale: string): Range | RangeProblem {
  const ends: { start?: ReadTime; end?: ReadTime } = {};
  for (const end of ['start', 'end'] as const) {
    const text = written[end];
    if (text === undefined) continue;
    const read = readTime(text, { nowMs, isEnd: end === 'end', locale });
    if (!read) return { kind: 'unread', end, text };
    ends[end] = read;
  }
  const isReversed = ends.start && ends.end && ends.start.ms > ends.end.ms;
  return isReversed ? { kind: 'reversed', end: 'end' } : ends;
}

/**
 * Writes the times of a search in the form that the service takes, or returns the problem with them. Of several starts
 * the service takes the earliest, of several ends the latest.
 */
export function withReadTimes(
  query: string | undefined,
  nowMs: number,
  locale: string,
): { query: string | undefined } | RangeProblem {
  const times = { start: [] as number[], end: [] as number[] };
  const terms = termsOf(query);
  for (const key of ['start', 'end'] as const) {
    for (const [at, term] of terms.entries()) {
      if (term.kind !== 'filter' || term.key !== key || term.excluded || term.values[0] === undefined) continue;
      const [text] = term.values;
      const read = readTime(text, { nowMs, isEnd: key === 'end', locale });
      if (!read) return { kind: 'unread', end: key, text };
      times[key].push(read.ms);
      terms[at] = { ...term, values: [read.text] };
    }
  }
  const { start, end } = times;
  if (start.length === 0 && end.length === 0) return { query };
  const isReversed = start.length > 0 && end.length > 0 && Math.min(...start) > Math.max(...end);
  return isReversed ? { kind: 'reversed', end: 'end' } : { query: queryOf(terms) };
}

/** Maximum number of words of a time. */
const maxTimeWords = 8;

/** Puts the times that consist of several words, such as that of `start=1 March`, in quotes. */
export function withQuotedTimes(text: string, nowMs: number, locale: string): string {
  const tokens = parseQueryText(text);
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'filter' || !isTimeKey(token.key)) continue;
    const isTime = (end: number) =>
      readTime(text.slice(token.valueStart, end), { nowMs, isEnd: token.key === 'end', locale }) !== undefined;
    const next = tokens.slice(at + 1, at + maxTimeWords);
    const other = next.findIndex(({ kind }) => kind !== 'word');
    const last = next.slice(0, other < 0 ? undefined : other).findLast(({ end }) => isTime(end));
    if (!last) continue;
    const time = text.slice(token.valueStart, last.end).trim();
    return `${text.slice(0, token.valueStart)}"${time}"${withQuotedTimes(text.slice(last.end), nowMs, locale)}`;
  }
  return text;
}

export function isTimeKey(key: string): key is 'start' | 'end' {
  return key === 'start' || key === 'end';
}

interface RangeTexts {
  readonly from: (time: string) => string;
  readonly until: (time: string) => string;
}

/** Formats a range briefly, such as `1–7 Mar`; returns other texts unchanged. */
export function rangeLabel(written: Written, nowMs: number, locale: string, { from, until }: RangeTexts): string {
  const range = readRange(written, nowMs, locale);
  const { start, end } = written;
  if ('kind' in range) return [start, end].filter(Boolean).join(' – ');
  if (start !== undefined && !isDated(start)) return end === undefined || end === 'now' ? start : `${start} – ${end}`;
  const isByDay = [start, end].every((text) => text === undefined || !text.includes(':'));
  const format = formatFor(range, isByDay, nowMs, locale);
  // `1–7 Mar`: a button has no room for the spaces of some languages.
  if (range.start && range.end) {
    return format.formatRange(range.start.ms, range.end.ms).replace(/(\d)\s–\s(?=\d)/g, '$1–');
  }
  if (range.start) return from(format.format(range.start.ms));
  return range.end ? until(isDated(end) ? format.format(range.end.ms) : (end ?? '')) : '';
}

/** Whether the text is a date, unlike `2 weeks`. */
function isDated(text: string | undefined): boolean {
  return text !== undefined && /^\d[\d:-]{3}/.test(text) && !/^[\d.]+ ?[a-z]/i.test(text);
}

function formatFor({ start, end }: Range, isByDay: boolean, nowMs: number, locale: string): Intl.DateTimeFormat {
  const thisYear = new Date(nowMs).getFullYear();
  const isThisYear = [start, end].every((one) => one === undefined || new Date(one.ms).getFullYear() === thisYear);
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
    ...(!isByDay && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  });
}

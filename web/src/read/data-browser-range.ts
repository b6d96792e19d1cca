/** Start and end as the service reads them: text with a day and a time, or milliseconds since the epoch. */
export interface DataBrowserRange {
  readonly start: string;
  readonly end: string;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const monthMs = 30 * 86_400_000;
const absolute = /^(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/;
const amount = /(\d+(?:\.\d*)?)\s*([a-z]+)/gi;

/**
 * Reads the range of a Data Browser file; undefined if it has none. A file that was not written for an entry has times
 * relative to now; they become relative to the entry.
 */
export function dataBrowserRange(start: string, end: string, aroundMs: number): DataBrowserRange | undefined {
  const to = readTime(end, aroundMs);
  const from = readTime(start, typeof to === 'number' ? to : aroundMs);
  if (from === undefined || to === undefined) return undefined;
  // The start is relative to an end that only the service can read as a time.
  if (typeof from === 'number' && typeof to === 'string' && !/now/i.test(start)) return undefined;
  return { start: String(from), end: String(to) };
}

function readTime(text: string, aroundMs: number): string | number | undefined {
  const written = text.trim();
  const [, year, month, day, time] = absolute.exec(written) ?? [];
  if (time !== undefined) return `${year}-${month}-${day} ${time}`;
  if (/^now$/i.test(written)) return aroundMs;
  const parts = [...written.matchAll(amount)];
  if (parts.length === 0 || !/^-?[\d.\sa-z]+$/i.test(written)) return undefined;
  const lengths = parts.map(([, number, unit = '']) => Number(number) * lengthOf(unit.toLowerCase()));
  const ms = Math.round(aroundMs - lengths.reduce((sum, one) => sum + one, 0));
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}

function lengthOf(unit: string): number {
  if (unit.startsWith('mo')) return monthMs;
  return unit.startsWith('y') ? 365 * 86_400_000 : (unitMs[unit.slice(0, 1)] ?? Number.NaN);
}

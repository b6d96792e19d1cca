import { parsePhrase, type TextMatch } from '../../packages/search-language/search-text.js';
import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import { type BoxText, parseBox } from './parse-box.js';
import { parseText } from './parse-search-text.js';
import { parseList } from './parse-values.js';
import { isPerGroup } from './parse-view.js';
import type { Query, QueryLists, QueryTexts, TimeWindow } from './query.js';
import { searchLimits } from './search-limits.js';
import { lastValue, type SearchParams } from './search-params.js';
import { type Bound, checkZone, parseTime } from './time-expression.js';
import { parseLists } from './value-filters.js';

export interface QueryDefaults {
  readonly nowMs: number;
  /** IANA zone of `start` and `end` when neither they nor `tz` name one. */
  readonly zone: string;
  /** Folded names of the logbooks whose entries are never found. Default: none. */
  readonly hiddenLogbooks?: readonly string[];
  /** Page size when `size` is absent. Default: 100. */
  readonly size?: number;
  /** Maximum page size, which also limits `size`. Default: 1000. */
  readonly maxSize?: number;
}

/**
 * Parses the search parameters into a query. Names are trimmed and compared without case; unknown ones are ignored.
 * @throws Fault invalid with a `search.…` code
 */
export function parseQuery(params: SearchParams, defaults: QueryDefaults): Query {
  const values = normalise(params);
  const list: ListOf = (...keys) => {
    const [only, ...others] = keys.filter((key) => values.has(key));
    if (only === undefined) return [];
    return others.length === 0 ? (values.get(only) ?? []) : keys.flatMap((key) => values.get(key) ?? []);
  };
  const last: LastOf = (...keys) => lastValue(list(...keys).filter((value) => value.trim() !== ''));
  const zone = last('tz') === undefined ? defaults.zone : checkZone(last('tz') ?? '');
  const fuzzy = isFuzzy(values.get('fuzzy'));
  const boxes = list('query').map((value) => parseBox(value, fuzzy));
  const window = parseWindow(last, boxes, zone, defaults.nowMs);
  return {
    ...parseTexts(list, boxes, fuzzy),
    filters: boxes.flatMap(({ filters }) => filters),
    ...parseFilters(values, list),
    ...(window && { window }),
    zone,
    hiddenLogbooks: defaults.hiddenLogbooks ?? [],
    ...parsePosition(last('asof')),
    perGroup: isPerGroup(params),
    sort: parseSort(last('sort')),
    ...parsePage(last, defaults),
  };
}

type ListOf = (...keys: string[]) => readonly string[];
type LastOf = (...keys: string[]) => string | undefined;

/** Whether the parameter `fuzzy` is present and its last value is not `false`. */
function isFuzzy(values: readonly string[] | undefined): boolean {
  return values !== undefined && lastValue(values)?.toLowerCase() !== 'false';
}

function parseTexts(list: ListOf, boxes: readonly BoxText[], fuzzy: boolean): QueryTexts & Pick<Query, 'flags'> {
  const words = (...keys: string[]) => list(...keys).flatMap((value) => parseText(value, fuzzy));
  const texts = {
    title: words('title'),
    description: [...words('text', 'desc', 'description'), ...list('phrase').flatMap(parsePhrase)],
    anywhere: boxes.flatMap(({ anywhere }) => anywhere),
    attachmentText: words('attachmenttext'),
    excluded: boxes.flatMap(({ excluded }) => excluded),
  };
  const titles = boxes.flatMap(({ filters }) =>
    filters.flatMap((one) => (one.key === 'title' ? one.patterns.flat() : [])),
  );
  for (const matches of [...Object.values(texts), titles]) checkWordCount(matches);
  checkFuzzyCount([...Object.values(texts).flat(), ...titles]);
  return { ...texts, flags: boxes.flatMap(({ flags }) => flags) };
}

function normalise(params: SearchParams): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const key = name.trim().toLowerCase();
    const added = typeof value === 'string' ? [value] : value;
    for (const one of added) {
      if (one.length > searchLimits.valueLength) {
        throw limitFault('invalid', 'search.too-long', {
          refused: `The value of ${quoted(key)} is ${one.length} characters long.`,
          limit: {
            amount: `${searchLimits.valueLength} characters`,
            setting: undefined,
            countedFor: 'each value, regardless of the client',
          },
          advice: 'Shorten it.',
        });
      }
    }
    values.set(key, [...(values.get(key) ?? []), ...added]);
  }
  return values;
}

function checkWordCount(words: readonly TextMatch[]): void {
  const count = words.reduce((sum, match) => sum + (match.kind === 'phrase' ? match.words.length : 1), 0);
  if (count > searchLimits.words) {
    throw limitFault('invalid', 'search.too-many-words', {
      refused: `The search has ${count} words.`,
      limit: {
        amount: `${searchLimits.words} words`,
        setting: undefined,
        countedFor: 'each search, regardless of the client',
      },
      advice: 'Use fewer.',
    });
  }
}

/** Refuses too many fuzzy words. Their limit is lower, because each one is compared with every word of the logbook. */
function checkFuzzyCount(words: readonly TextMatch[]): void {
  const count = words.filter((match) => match.kind === 'fuzzy').length;
  if (count > searchLimits.fuzzyWords) {
    throw limitFault('invalid', 'search.too-many-words', {
      refused: `The fuzzy search has ${count} words.`,
      limit: {
        amount: `${searchLimits.fuzzyWords} words`,
        setting: undefined,
        countedFor: 'each fuzzy search, regardless of the client',
      },
      advice: 'Use fewer, or omit “fuzzy”.',
    });
  }
}

function parseFilters(params: ReadonlyMap<string, unknown>, list: ListOf): QueryLists {
  const lists = parseLists(({ parameters, emptyValue }) => {
    const values = parseList(list(...parameters));
    const isEmpty = values.length === 0 && parameters.some((name) => params.has(name));
    return isEmpty && emptyValue !== undefined ? [emptyValue] : values;
  });
  return Object.fromEntries(lists.map(({ key, patterns }) => [key, patterns])) as unknown as QueryLists;
}

/** Returns the intersection of the times in the parameters and the boxes. */
function parseWindow(last: LastOf, boxes: readonly BoxText[], zone: string, nowMs: number): TimeWindow | undefined {
  const times = (values: readonly string[], bound: Bound) =>
    values.map((value) => parseTime(value, zone, nowMs, bound));
  const asParameter = (key: Bound) => times(last(key) === undefined ? [] : [last(key) as string], key);
  const starts = boxes
    .filter(({ starts }) => starts.length > 0)
    .map(({ starts }) => Math.min(...times(starts, 'start')));
  const ends = boxes.filter(({ ends }) => ends.length > 0).map(({ ends }) => Math.max(...times(ends, 'end')));
  const latestStart = Math.max(...asParameter('start'), ...starts);
  const earliestEnd = Math.min(...asParameter('end'), ...ends);
  const startMs = Number.isFinite(latestStart) ? latestStart : undefined;
  const endMs = Number.isFinite(earliestEnd) ? earliestEnd : undefined;
  if (startMs === undefined && endMs === undefined) return undefined;
  if (startMs !== undefined && endMs !== undefined && startMs > endMs) {
    throw new Fault(
      'invalid',
      'search.start-after-end',
      `“start” (${new Date(startMs).toISOString()}) is after “end” (${new Date(endMs).toISOString()}). Swap them.`,
    );
  }
  return {
    ...(startMs !== undefined && { startMs }),
    ...(endMs !== undefined && { endMs }),
    includeEvents: last('includeevents')?.toLowerCase() !== 'false',
  };
}

function parseSort(value: string | undefined): Query['sort'] {
  const word = value?.toLowerCase() ?? 'down';
  if (word === 'up' || word.startsWith('asc')) return 'oldest';
  if (word === 'down' || word.startsWith('desc')) return 'newest';
  if (word === 'relevance') return 'relevance';
  throw new Fault(
    'invalid',
    'search.bad-sort',
    `${quoted(value)} is not a sort order. Use “up” (oldest first), “down” (newest first) or “relevance”.`,
  );
}

function parsePosition(value: string | undefined): Pick<Query, 'asOf'> {
  if (value === undefined || value.toLowerCase() === 'now') return {};
  if (/^\d{1,15}$/.test(value)) return { asOf: Number(value) };
  throw new Fault(
    'invalid',
    'search.bad-position',
    `“asOf” is ${quoted(value)}. Use the “asOf” of an earlier response, or “now”.`,
  );
}

function parsePage(last: LastOf, defaults: QueryDefaults): { from: number; size: number } {
  const whole = (keys: string[], min: number) => {
    const value = last(...keys);
    if (value === undefined) return undefined;
    if (!/^\d{1,15}$/.test(value) || Number(value) < min) {
      throw new Fault(
        'invalid',
        'search.bad-page',
        `“${keys[0]}” is ${quoted(value)}; it must be a whole number from ${min}.`,
      );
    }
    return Number(value);
  };
  const size = Math.min(whole(['size', 'limit'], 0) ?? defaults.size ?? 100, defaults.maxSize ?? searchLimits.pageSize);
  const page = whole(['page'], 1);
  const from = whole(['from'], 0) ?? (page === undefined ? 0 : (page - 1) * size);
  if (!Number.isSafeInteger(from)) {
    throw new Fault('invalid', 'search.bad-page', `“page” is ${quoted(page)}, which is too large. Use a smaller one.`);
  }
  return { from, size };
}

import type { FilterKey } from '../../packages/search-language/query-text.js';
import { facetPattern, parseAttachment, parseProperty } from './parse-values.js';
import type { PatternList, QueryLists } from './query.js';

/** Notation for the values of a list in searches. */
interface ListFilter<Pattern> {
  /** Names of the parameter, with the documented one first. */
  readonly parameters: readonly string[];
  readonly boxKey: FilterKey;
  /** Value of a parameter that is present without a value. Default: none. */
  readonly emptyValue?: string;
  parse(value: string): Pattern;
}

/** Filters for the lists of a query, in the order in which an explanation shows them. */
export const valueFilters = {
  owners: { parameters: ['owner', 'owners'], boxKey: 'owner', parse: facetPattern },
  levels: { parameters: ['level', 'levels'], boxKey: 'level', parse: facetPattern },
  logbooks: { parameters: ['logbooks', 'logbook'], boxKey: 'logbook', parse: facetPattern },
  tags: { parameters: ['tags', 'tag'], boxKey: 'tag', parse: facetPattern },
  devices: { parameters: ['device', 'devices'], boxKey: 'device', parse: facetPattern },
  properties: { parameters: ['properties', 'property'], boxKey: 'property', parse: parseProperty },
  attachments: {
    parameters: ['attachments', 'attachment'],
    boxKey: 'attachment',
    parse: parseAttachment,
    emptyValue: '*',
  },
} as const satisfies { [K in keyof QueryLists]: ListFilter<QueryLists[K][number]> };

export type ListParameter = (typeof valueFilters)[keyof QueryLists]['parameters'][number];

const listKeys = Object.keys(valueFilters) as (keyof QueryLists)[];

/** Parses the values of each list. @throws Fault invalid `search.…` */
export function parseLists(valuesOf: (filter: ListFilter<unknown>) => readonly string[]): PatternList[] {
  return listKeys.map((key) => {
    const filter = valueFilters[key];
    return { key, patterns: valuesOf(filter).map((value) => filter.parse(value)) } as PatternList;
  });
}

/** Returns the lists of a query that are not empty. */
export function usedLists(query: QueryLists): PatternList[] {
  return listKeys
    .map((key) => ({ key, patterns: query[key] }) as PatternList)
    .filter(({ patterns }) => patterns.length > 0);
}

/**
 * Names of the search parameters that select entries, in lower case. A search ignores unknown parameters, so a typing
 * error could make it find all entries. A stored search must therefore contain only these.
 */
export const selectingParameters: ReadonlySet<string> = new Set([
  ...'title text desc description phrase query attachmenttext'.split(' '),
  ...Object.values(valueFilters).flatMap(({ parameters }): readonly string[] => parameters),
  ...'fuzzy start end includeevents tz'.split(' '),
]);

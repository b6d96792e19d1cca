import {
  type FilterKey,
  formatQueryText,
  parseQueryText,
  type QueryTerm,
} from '../../../packages/search-language/query-text.ts';

export type { FilterKey, QueryTerm };

/** State of a value in a search: included, excluded, or unused. */
export type ValueState = 'in' | 'out' | 'off';

/** The terms of the text of a search box. */
export function termsOf(query: string | undefined): QueryTerm[] {
  return parseQueryText(query ?? '').map(({ start: _s, end: _e, isClosed: _c, valueStart: _v, ...term }) => term);
}

/** Writes terms as the text of the box; undefined when there are none. */
export function queryOf(terms: readonly QueryTerm[]): string | undefined {
  const text = formatQueryText(terms.filter((term) => term.kind !== 'filter' || term.values.length > 0));
  return text === '' ? undefined : text;
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

export function valueState(terms: readonly QueryTerm[], key: FilterKey, value: string): ValueState {
  const term = terms.find(
    (one) => one.kind === 'filter' && one.key === key && one.values.some((other) => same(other, value)),
  );
  if (!term) return 'off';
  return term.excluded ? 'out' : 'in';
}

/** Adds a value to the search, excludes it, or removes it; values of one key stay together. */
export function withValue(
  query: string | undefined,
  key: FilterKey,
  value: string,
  state: ValueState,
): string | undefined {
  const terms = termsOf(query).map((term) =>
    term.kind === 'filter' && term.key === key
      ? { ...term, values: term.values.filter((other) => !same(other, value)) }
      : term,
  );
  if (state === 'off') return queryOf(terms);
  const excluded = state === 'out';
  const at = terms.findIndex((term) => term.kind === 'filter' && term.key === key && term.excluded === excluded);
  const existing = terms[at];
  if (existing?.kind === 'filter') terms[at] = { ...existing, values: [...existing.values, value] };
  else terms.unshift({ kind: 'filter', key, values: [value], excluded });
  return queryOf(terms);
}

/** Replaces the range of time; undefined leaves an end open. */
export function withTimes(query: string | undefined, start: string | undefined, end: string | undefined) {
  const rest = termsOf(query).filter((term) => term.kind !== 'filter' || (term.key !== 'start' && term.key !== 'end'));
  const time = (key: 'start' | 'end', value: string | undefined): QueryTerm[] =>
    value === undefined ? [] : [{ kind: 'filter', key, values: [value], excluded: false }];
  const filters = rest.filter(({ kind }) => kind === 'filter');
  const words = rest.filter(({ kind }) => kind !== 'filter');
  return queryOf([...filters, ...time('start', start), ...time('end', end), ...words]);
}

export function timesOf(query: string | undefined): { readonly start?: string; readonly end?: string } {
  const find = (key: FilterKey) => {
    const term = termsOf(query).find((one) => one.kind === 'filter' && one.key === key && !one.excluded);
    return term?.kind === 'filter' ? term.values[0] : undefined;
  };
  const start = find('start');
  const end = find('end');
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

/** Filters and flags are shown as tokens; words stay text. */
export function isToken(term: QueryTerm): boolean {
  return term.kind === 'flag' || (term.kind === 'filter' && term.values.length > 0);
}

/** The number of filters, for buttons that say how many are set. */
export function countFilters(query: string | undefined): number {
  return termsOf(query).filter(isToken).length;
}

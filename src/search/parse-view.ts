import { Fault, quoted } from '../kernel/fault.js';
import type { PageView } from './page-view.js';
import { lastValue, listValues, type SearchParams } from './search-params.js';

/**
 * Reads the view of the page from the search parameters; undefined to show the entries as they are stored.
 * @throws Fault invalid `search.bad-view`
 */
export function parseView(params: SearchParams): PageView | undefined {
  const isList = parseChoice(params, 'view', ['list']) !== undefined;
  const hasHighlights = parseChoice(params, 'highlight', ['true', 'false']) === 'true';
  return isList || hasHighlights || isPerGroup(params) ? { isList, hasHighlights } : undefined;
}

/**
 * Whether the parameters ask for one entry of each group.
 * @throws Fault invalid `search.bad-view`
 */
export function isPerGroup(params: SearchParams): boolean {
  return parseChoice(params, 'group', ['thread']) !== undefined;
}

/**
 * Returns the choice that a parameter names; undefined when the parameter is absent or empty. The name of the parameter
 * must be in lower case.
 * @throws Fault invalid `search.bad-view`
 */
export function parseChoice<T extends string>(
  params: SearchParams,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = lastValue(listValues(params, name));
  if (value === undefined || value === '') return undefined;
  const choice = choices.find((one) => one === value.toLowerCase());
  if (choice !== undefined) return choice;
  const known = choices.map((one) => `“${one}”`).join(' or ');
  throw new Fault('invalid', 'search.bad-view', `“${name}” is ${quoted(value)}. Use ${known}, or leave it out.`);
}

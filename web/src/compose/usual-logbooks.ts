import { lastLogbooks } from '../drafts/last-logbooks.ts';
import { termsOf } from '../find/query-terms.ts';

/**
 * Returns the default logbooks of an entry: those to which the list is filtered, else those of the last new entry, else
 * the only one that the user may write to.
 */
export function usualLogbooks(query: string | undefined, writable: readonly string[]): readonly string[] {
  const filtered = termsOf(query).flatMap((term) =>
    term.kind === 'filter' && term.key === 'logbook' && !term.excluded ? term.values : [],
  );
  const known = (names: readonly string[]) =>
    writable.filter((name) => names.some((one) => one.toLowerCase() === name.toLowerCase()));
  const [first = []] = [known(filtered), known(lastLogbooks()), writable.length === 1 ? writable : []].filter(
    (names) => names.length > 0,
  );
  return first;
}

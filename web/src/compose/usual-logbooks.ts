import { termsOf } from '../find/query-terms.ts';

const storedName = 'logbook.lastLogbooks';

/** Remembers the logbooks of a new entry, in which the next one probably belongs too. */
export function rememberLogbooks(names: readonly string[]): void {
  try {
    localStorage.setItem(storedName, JSON.stringify(names));
  } catch {
    // The next entry names its logbook.
  }
}

function remembered(): readonly string[] {
  try {
    return JSON.parse(localStorage.getItem(storedName) ?? '[]') as string[];
  } catch {
    return [];
  }
}

/**
 * Returns the logbooks of an entry that names none: those to which the list is filtered, or else those of the last new
 * entry, or the only one.
 */
export function usualLogbooks(query: string | undefined, writable: readonly string[]): readonly string[] {
  const filtered = termsOf(query).flatMap((term) =>
    term.kind === 'filter' && term.key === 'logbook' && !term.excluded ? term.values : [],
  );
  const known = (names: readonly string[]) =>
    writable.filter((name) => names.some((one) => one.toLowerCase() === name.toLowerCase()));
  const [first = []] = [known(filtered), known(remembered()), writable.length === 1 ? writable : []].filter(
    (names) => names.length > 0,
  );
  return first;
}

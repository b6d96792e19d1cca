import { useRef } from 'react';

interface Named {
  readonly name: string;
}

interface ShownOrder {
  readonly query: string;
  readonly names: readonly string[];
}

/**
 * Keeps values where they are as long as the search is the same: live entries change their counts, and nothing may move
 * under the pointer. New values come last.
 * @param query the search to which the values belong; undefined while they belong to another one
 */
export function useKeptOrder<T extends Named>(values: readonly T[], query: string | undefined): readonly T[] {
  const shown = useRef<ShownOrder>(undefined);
  const isOther = query !== undefined && query !== shown.current?.query;
  const kept = isOther ? values : inOrder(values, shown.current?.names ?? []);
  if (query !== undefined) shown.current = { query, names: kept.map(({ name }) => name) };
  return kept;
}

/** Sorts values as in the list of names; the others follow as they are. */
function inOrder<T extends Named>(values: readonly T[], names: readonly string[]): readonly T[] {
  const places = new Map(names.map((name, at) => [name, at]));
  const placeOf = ({ name }: T) => places.get(name) ?? names.length;
  return values.toSorted((a, b) => placeOf(a) - placeOf(b));
}

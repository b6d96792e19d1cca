/** Comparison that ignores case and compares numbers by value. The service orders names by their bytes. */
const { compare } = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** Returns items in the order in which people look for a name. */
export function sortedByName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => compare(a.name, b.name));
}

/**
 * Finds settings of a backend that is not in use: who has forgotten to choose it would get a new, empty logbook.
 * @param names of the settings, among which are those of the backend
 * @param begin what the names of those begin with
 */
export function findUnused<Name extends string>(
  names: readonly Name[],
  begin: RegExp,
  isSet: (name: Name) => boolean,
  { chosen, needed }: { readonly chosen: string; readonly needed: string },
): string[] {
  return names
    .filter((name) => begin.test(name) && isSet(name))
    .map((name) => `${name} has no effect with ${chosen}: set ${needed} or remove it`);
}

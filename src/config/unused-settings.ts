/**
 * Finds settings of a backend that is not in use: without the setting that chooses it, the service would begin with a
 * new, empty logbook.
 * @param names of settings, those of the backend among them
 * @param begin how the names of those begin
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

/**
 * Finds settings of a backend that is not in use. If the setting that chooses the backend is missing, the service would
 * otherwise start with a new, empty logbook.
 * @param names names of settings, including those of the backend
 * @param begin matches the beginning of the names of the backend's settings
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

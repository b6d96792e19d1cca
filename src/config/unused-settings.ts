/**
 * Finds settings of an engine that is not in use. If the setting that chooses the engine was forgotten, the service
 * would otherwise start with a new, empty logbook.
 * @param names names of settings, including those of the engine
 * @param begin matches the beginning of the names of the engine's settings
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

import { distance } from 'fastest-levenshtein';

const maxDistance = 4;

/** Returns the name that was probably meant; undefined when none is similar. */
export function suggestName(typed: string, names: Iterable<string>): string | undefined {
  const [nearest] = [...names]
    .map((name) => ({ name, distance: distance(name.toLowerCase(), typed.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= maxDistance ? nearest.name : undefined;
}

import { distance } from 'fastest-levenshtein';

/** The name that was probably meant, if one is near. */
export function suggestName(typed: string, names: Iterable<string>): string | undefined {
  const [nearest] = [...names]
    .map((name) => ({ name, far: distance(name.toLowerCase(), typed.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  return nearest && nearest.far <= 4 ? nearest.name : undefined;
}

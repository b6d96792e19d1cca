/** Claims of the id token and of the user info: facts that the identity provider states about a user. */
export type Claims = Readonly<Record<string, unknown>>;

/** Maximum depth of a claim that is found or merged. */
const maxDepth = 10;

/**
 * Returns the value of a claim; undefined when there is none, or null. A name with dots is a path into nested objects,
 * such as `realm_access.roles`, unless a claim has that very name: names such as `https://example.org/roles` contain
 * dots, too, as may any part of a path. A path continues into each item of a list.
 */
export function findClaim(claims: unknown, path: string, depth = 0): unknown {
  if (Array.isArray(claims)) return findInEach(claims, path, depth);
  if (!isObject(claims) || depth > maxDepth) return undefined;
  const own = ownValue(claims, path);
  if (own !== undefined) return own;
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const nested = ownValue(claims, path.slice(0, dot));
    const found = nested === undefined ? undefined : findClaim(nested, path.slice(dot + 1), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInEach(items: readonly unknown[], path: string, depth: number): unknown[] | undefined {
  const found = items.map((item) => findClaim(item, path, depth + 1)).filter((value) => value !== undefined);
  return found.length === 0 ? undefined : found.flat();
}

/** Adds the claims of the user info to those of the id token, which have priority, also within objects. */
export function mergeClaims(idToken: Claims, userInfo: Claims, depth = 0): Claims {
  const merged: Record<string, unknown> = Object.assign(Object.create(null), userInfo);
  for (const [name, value] of Object.entries(idToken)) {
    const other = merged[name];
    merged[name] =
      isObject(value) && isObject(other) && depth < maxDepth ? mergeClaims(value, other, depth + 1) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own property only, so that methods of every object do not count as claims. */
function ownValue(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;
}

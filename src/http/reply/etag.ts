/**
 * Whether a list of entity tags contains this one. Weak tags count as well, because a proxy that compresses responses
 * makes their tags weak.
 */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

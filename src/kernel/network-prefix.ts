/**
 * Returns the network that represents the client behind an address: an IPv4 address unchanged, or the first 64 bits of
 * an IPv6 address, because one client may use all addresses with that prefix.
 */
export function networkPrefix(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.toLowerCase().split('%', 1)[0]?.split('::', 2) ?? [];
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const missing = Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0');
  const groups = address.includes('::') ? [...(left ?? []), ...missing, ...(right ?? [])] : (left ?? []);
  return groups.slice(0, 4).join(':');
}

import type { ImportedEntry, ImportedVersion } from './import-source.port.js';
import type { ImportTransaction } from './import-storage.js';
import type { ImportedItem, ImportReader } from './import-store.port.js';

/** Returns the local ids of entries of a source, by key: the ids of stored entries, and reserved ids. */
export async function findIds(
  imports: ImportReader,
  source: string,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const kind of ['reserved', 'entry'] as const) {
    for (const { key, target } of await imports.listKnown(source, kind, keys)) ids.set(key, Number(target));
  }
  return ids;
}

/**
 * Reserves an id for each entry that another one links to before it is stored. Links can thus be written when an entry
 * is stored; adding them later would replace a recorded text.
 * @param ids the known ids, to which the reserved ones are added
 * @returns the items to record
 */
export async function reserveLinked(
  { entries }: Pick<ImportTransaction, 'entries'>,
  { key, links }: ImportedEntry,
  ids: Map<string, number>,
): Promise<ImportedItem[]> {
  const isKnown = (one: string) => ids.has(one);
  if (!links || links.keys.every(isKnown)) return [];
  const reserved: ImportedItem[] = [];
  // The entry itself gets the first id, so that ids follow the order of the source where possible.
  for (const wanted of new Set([key, ...links.keys])) {
    if (isKnown(wanted)) continue;
    const id = await entries.reserveId();
    ids.set(wanted, id);
    reserved.push({ key: wanted, target: String(id), version: 0, digest: '' });
  }
  return reserved;
}

/** Returns the current version of an entry with links to entries with these ids. */
export async function withLinks(
  { current, links }: ImportedEntry,
  ids: ReadonlyMap<string, number>,
): Promise<ImportedVersion> {
  return links ? { ...current, ...(await links.write((key) => ids.get(key))) } : current;
}

/** Returns the current version of an entry as it should be stored. */
export async function linkedVersion(
  imports: ImportReader,
  source: string,
  entry: ImportedEntry,
): Promise<ImportedVersion> {
  return entry.links ? withLinks(entry, await findIds(imports, source, entry.links.keys)) : entry.current;
}

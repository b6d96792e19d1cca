import { TimeSlice } from '../kernel/time-slice.js';
import { digestWithoutLinks } from './entry-content.js';
import type { ImportedEntry, ImportedVersion } from './import-source.port.js';
import type { ImportReader } from './import-store.port.js';
import type { PreparedEntry } from './prepare-entry.js';

/**
 * Returns an entry with links to the stored entries. If some of the linked entries are not stored yet, the entry gets a
 * digest by which the import finds it again.
 * @param idOf returns the local id of an entry of the source; undefined when it is not stored yet
 */
export async function withLinks(
  prepared: PreparedEntry,
  idOf: (key: string) => number | undefined,
): Promise<PreparedEntry> {
  const { entry, versions, digest } = prepared;
  if (!entry.links) return prepared;
  const current = { ...entry.current, ...(await entry.links.write(idOf)) };
  const isComplete = entry.links.keys.every((key) => idOf(key) !== undefined);
  return {
    ...prepared,
    versions: [...versions.slice(0, -1), current],
    digest: isComplete || digest === '' ? digest : digestWithoutLinks(entry),
  };
}

/** Returns the current version of an entry with links to imported entries, as it should be stored. */
export async function linkedVersion(
  imports: ImportReader,
  source: string,
  entry: ImportedEntry,
): Promise<ImportedVersion> {
  if (!entry.links) return entry.current;
  const known = await imports.listKnown(source, 'entry', entry.links.keys);
  const ids = new Map(known.map(({ key, target }) => [key, Number(target)]));
  return { ...entry.current, ...(await entry.links.write((key) => ids.get(key))) };
}

export const isWithoutLinks = (digest: string): boolean => digest.startsWith('without links ');

/** Whether an import has stored an entry without its links, because their targets were not stored yet. */
export async function hasEntriesWithoutLinks(imports: ImportReader, source: string): Promise<boolean> {
  const slice = new TimeSlice();
  for (let after = ''; ; ) {
    if (slice.isOver) await slice.next();
    const items = await imports.listAfter(source, 'entry', after, pageItems);
    if (items.some(({ digest }) => isWithoutLinks(digest))) return true;
    if (items.length < pageItems) return false;
    after = items.at(-1)?.key ?? after;
  }
}

const pageItems = 500;

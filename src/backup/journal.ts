import type { BackupPlace } from './backup-place.port.js';
import { boundedLines } from './bounded-lines.js';
import { storeLines } from './write-staged.js';

const maxLineBytes = 256;
/** More than a manifest can list. */
const maxNamed = 8_000_000;

/**
 * A journal names objects of the pool that may be under no manifest, before they are stored, or before the manifest with
 * them is removed. Only what a journal names is ever removed as left over.
 */
export async function writeJournal(place: BackupPlace, name: string, checksums: Iterable<string>): Promise<void> {
  await storeLines(place, 'unfinished', name, withEnds(checksums));
}

/** Returns the names of all journals, and the checksums that they name. */
export async function readJournals(
  place: BackupPlace,
): Promise<{ readonly journals: readonly string[]; readonly named: ReadonlySet<string> }> {
  const journals: string[] = [];
  const named = new Set<string>();
  for await (const objects of place.list('unfinished')) journals.push(...objects.map(({ name }) => name));
  for (const journal of journals) {
    const content = await place.open('unfinished', journal);
    if (!content) continue;
    for await (const line of boundedLines(content, maxLineBytes)) {
      if (/^[0-9a-f]{64}$/.test(line)) named.add(line);
      if (named.size > maxNamed)
        throw new Error(`${place.describe('unfinished', journal)} is too large. Move it away.`);
    }
  }
  return { journals, named };
}

function* withEnds(checksums: Iterable<string>): Generator<string> {
  for (const checksum of checksums) yield `${checksum}\n`;
}

import type { BackupTarget } from './backup-target.port.js';
import { boundedLines } from './bounded-lines.js';
import { storeLines } from './write-staged.js';

const maxLineBytes = 256;
/** Maximum number of names in a journal, more than a manifest can list. */
const maxNamed = 8_000_000;

/**
 * Writes a journal: the names of objects in the pool that may be in no manifest. It is written before the objects are
 * stored, or before their manifest is removed. Only objects that a journal names are removed as left over.
 */
export async function writeJournal(target: BackupTarget, name: string, checksums: Iterable<string>): Promise<void> {
  await storeLines(target, 'unfinished', name, withEnds(checksums));
}

/** Returns the names of all journals, and the checksums that they name. */
export async function readJournals(
  target: BackupTarget,
): Promise<{ readonly journals: readonly string[]; readonly named: ReadonlySet<string> }> {
  const journals: string[] = [];
  const named = new Set<string>();
  for await (const objects of target.list('unfinished')) journals.push(...objects.map(({ name }) => name));
  for (const journal of journals) {
    const content = await target.open('unfinished', journal);
    if (!content) continue;
    for await (const line of boundedLines(content, maxLineBytes)) {
      if (/^[0-9a-f]{64}$/.test(line)) named.add(line);
      if (named.size > maxNamed)
        throw new Error(`${target.describe('unfinished', journal)} is too large. Move it away.`);
    }
  }
  return { journals, named };
}

function* withEnds(checksums: Iterable<string>): Generator<string> {
  for (const checksum of checksums) yield `${checksum}\n`;
}

import type { StoredEntry } from '../entries/entry-json.js';
import { isDamage } from '../entries/unless-damaged.js';
import type { ExportDeps } from './export-storage.js';

const pageWrites = 1_000;

/**
 * Yields every entry that is stored when the listing begins, by ascending id. Each has the version that is current when
 * it is read. Damaged entries are reported and left out.
 * @throws the reason of `signal` when it aborts
 */
export async function* listEntries(
  { committed, onProgress, onProblem }: Pick<ExportDeps, 'committed' | 'onProgress' | 'onProblem'>,
  signal: AbortSignal,
): AsyncGenerator<StoredEntry> {
  const ids = await listIds(committed.entryWrites, signal);
  for (const [at, id] of ids.entries()) {
    signal.throwIfAborted();
    onProgress(at, ids.length);
    try {
      const stored = await committed.entries.find(id);
      if (stored) yield stored;
    } catch (error) {
      if (!isDamage(error)) throw error;
      onProblem(error.message);
    }
  }
  onProgress(ids.length, ids.length);
}

/** Lists the ids of all stored entries, in ascending order. */
export async function listIds(
  entryWrites: ExportDeps['committed']['entryWrites'],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const ids = new Set<number>();
  for (let position: string | undefined; ; ) {
    signal.throwIfAborted();
    const writes = await entryWrites.listCommittedAfter(position, pageWrites);
    for (const { id } of writes) ids.add(id);
    position = writes.at(-1)?.position;
    if (writes.length < pageWrites) return [...ids].sort((one, other) => one - other);
  }
}

import type { Connection } from '../../database/connection.js';

/** Progress of learning words, see word-learning.ts. */
export interface Learning {
  /** Number of entries up to `upTo`, from which the words were learned; 0: they were forgotten. */
  readonly entries: number;
  readonly upTo: number;
  /** JSON array with the case-folded names of the restricted logbooks, whose entries were not used. */
  readonly restricted: string;
  /** Highest id up to which the vectors of entries are computed with these words. */
  readonly refreshedId: number;
}

/** Returns a set of restricted logbooks as `Learning` has it. */
export const toRestricted = (logbooks: readonly string[]): string => JSON.stringify(logbooks.toSorted());

/**
 * Whether the learned words depend on no entry of a restricted logbook.
 * @param learned logbooks whose entries were not used, as `Learning.restricted` has them
 */
export function isFreeOf(learned: string, restricted: readonly string[]): boolean {
  const unused = new Set(JSON.parse(learned) as string[]);
  return restricted.every((logbook) => unused.has(logbook));
}

/** Returns undefined if no words were ever learned. */
export function readLearning(index: Pick<Connection, 'get'>): Learning | undefined {
  if (!hasTable(index)) return undefined;
  const row = index.get<{ entries: number; up_to: number; restricted: string; refreshed_id: number }>(
    'SELECT entries, up_to, restricted, refreshed_id FROM learned',
  );
  return row && { entries: row.entries, upTo: row.up_to, restricted: row.restricted, refreshedId: row.refreshed_id };
}

/** Returns the learned words as a file of vectors; undefined if there are none. */
export function readLearnedWords(index: Pick<Connection, 'get'>): Uint8Array | undefined {
  if (!hasTable(index)) return undefined;
  return index.get<{ vectors: Uint8Array | null }>('SELECT vectors FROM learned')?.vectors ?? undefined;
}

/** Replaces the learned words within the caller's transaction. All entry vectors must then be refreshed. */
export function replaceLearnedWords(
  index: Connection,
  { entries, upTo, restricted }: Omit<Learning, 'refreshedId'>,
  vectors: Uint8Array | null,
): void {
  // Created only now, because opening an index must not write: the disk may be full.
  index.exec(`CREATE TABLE IF NOT EXISTS learned (
    entries INTEGER NOT NULL, up_to INTEGER NOT NULL, restricted TEXT NOT NULL, refreshed_id INTEGER NOT NULL,
    vectors BLOB
  )`);
  index.run('DELETE FROM learned');
  index.run('INSERT INTO learned VALUES (?, ?, ?, 0, ?)', entries, upTo, restricted, vectors);
}

/**
 * Removes the learned words and all entry vectors, which depend on them, within the caller's transaction. An entry is
 * not found by meaning until its vector is refreshed.
 */
export function forgetLearnedWords(index: Connection, restricted: string): void {
  replaceLearnedWords(index, { entries: 0, upTo: 0, restricted }, null);
  index.exec('DELETE FROM entry_vector; DELETE FROM signature_block');
}

/** Whether the index has the table, which is created when words are first learned. */
function hasTable(index: Pick<Connection, 'get'>): boolean {
  return index.get("SELECT 1 FROM sqlite_schema WHERE name = 'learned'") !== undefined;
}

import type { Connection } from '../../database/connection.js';

/** Progress of learning words, see word-learning.ts. */
export interface Learning {
  /** Number of entries up to `upTo`, from which the words were learned; 0: none were learned yet. */
  readonly entries: number;
  readonly upTo: number;
  /** Highest id up to which the vectors of entries are computed with these words. */
  readonly refreshedId: number;
}

/** Creates the tables, which indexes of earlier versions of the program lack. */
export function createLearnedTables(index: Connection): void {
  if (index.get("SELECT 1 FROM sqlite_schema WHERE name = 'learning'")) return;
  index.exec(`BEGIN;
    CREATE TABLE learning (entries INTEGER NOT NULL, up_to INTEGER NOT NULL, refreshed_id INTEGER NOT NULL);
    INSERT INTO learning VALUES (0, 0, 0);
    -- At most one row: a file of vectors.
    CREATE TABLE learned_words (vectors BLOB NOT NULL);
    COMMIT`);
}

export function readLearning(index: Connection): Learning {
  const row = index.get<{ entries: number; up_to: number; refreshed_id: number }>('SELECT * FROM learning');
  if (!row) throw new Error('the search index lacks its learning progress');
  return { entries: row.entries, upTo: row.up_to, refreshedId: row.refreshed_id };
}

export function readLearnedWords(index: Connection): Uint8Array | undefined {
  return index.get<{ vectors: Uint8Array }>('SELECT vectors FROM learned_words')?.vectors;
}

/** Replaces the learned words within the caller's transaction. All entry vectors must then be refreshed. */
export function replaceLearnedWords(
  index: Connection,
  { entries, upTo }: Pick<Learning, 'entries' | 'upTo'>,
  vectors: Uint8Array,
): void {
  index.run('DELETE FROM learned_words');
  index.run('INSERT INTO learned_words (vectors) VALUES (?)', vectors);
  index.run('UPDATE learning SET entries = ?, up_to = ?, refreshed_id = 0', entries, upTo);
}

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Fault } from '../../../../kernel/fault.js';
import { Connection, loadSqlite } from '../../database/connection.js';
import { containsWrite, newestSequence } from '../../tables/entry-writes.js';
import { chunkSize } from './containers.js';
import { indexBuilding, isBacklogTooLarge } from './search-faults.js';
import { fieldCount } from './terms.js';

/** Another one makes every index anew. */
const formatVersion = 2;
/** Lists from so many entries of a chunk on are found by their length. */
export const longList = 512;
/** The index may lose its last commits when the power goes: it takes them from the documents again. */
const commonSettings = 'PRAGMA temp_store = MEMORY;';

/** The newest start of the program that the index knows, and the newest write of an entry that it holds. */
export interface IndexState {
  readonly startId: string;
  readonly sequence: number;
  /** Grows with each batch. */
  readonly generation: number;
  /** The highest id of an entry in it. */
  readonly newestId: number;
}

export async function openIndexForReading(file: string): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(new DatabaseSync(file, { timeout: 5_000, readOnly: true }), (cause) =>
    markCorrupt(file, cause),
  );
  connection.exec(`${commonSettings} PRAGMA cache_size = -32768`);
  return connection;
}

/**
 * Opens the index that belongs to some documents, at the start of the program. Where there is none, one of another
 * format, a damaged one or one that was made from other documents, an empty one takes its place.
 */
export async function prepareIndex(file: string, documents: Connection): Promise<Connection> {
  if (!existsSync(corruptMarkerFile(file))) {
    let found: Connection | undefined;
    try {
      found = await openIndexForWriting(file);
      if (belongsTo(documents, found)) return found;
    } catch (error) {
      if (error instanceof Fault && error.kind === 'full') throw error;
    }
    found?.close();
  }
  removeIndex(file);
  return openIndexForWriting(file);
}

const corruptMarkerFile = (file: string) => `${file}-damaged`;

/** The next start makes it anew. */
function markCorrupt(file: string, cause: unknown): Fault {
  try {
    writeFileSync(corruptMarkerFile(file), '');
  } catch {
    // What has damaged the index may keep the mark away, too; the error itself is on its way.
  }
  return indexDamaged(cause);
}

function indexDamaged(cause?: unknown): Fault {
  return new Fault(
    'unavailable',
    'search.damaged',
    'The search index is damaged. Entries are read and written meanwhile; the next start of the service makes the index anew.',
    { cause },
  );
}

/** Why nothing can be searched, when it is so. */
export function unavailableReason(file: string, index: Connection, documents: Connection): string | undefined {
  if (existsSync(corruptMarkerFile(file))) return indexDamaged().message;
  try {
    const { sequence } = readState(index);
    const newest = newestSequence(documents);
    return isBacklogTooLarge(sequence, newest) ? indexBuilding(sequence, newest).message : undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function belongsTo(documents: Connection, index: Connection): boolean {
  if (versionOf(index) !== formatVersion) return false;
  const { startId, sequence } = readState(index);
  return sequence === 0 || containsWrite(documents, startId, sequence);
}

/** Opens the index for a writer; a new one is made empty. */
export async function openIndexForWriting(file: string): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(new DatabaseSync(file, { timeout: 5_000 }), (cause) => markCorrupt(file, cause));
  connection.exec(`${commonSettings}
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -65536;
    PRAGMA wal_autocheckpoint = 16384;
    PRAGMA journal_size_limit = 67108864;
  `);
  if (versionOf(connection) === 0) {
    connection.exec(`BEGIN;
      CREATE TABLE state (
        start_id TEXT NOT NULL, sequence INTEGER NOT NULL, generation INTEGER NOT NULL, newest_id INTEGER NOT NULL
      );
      INSERT INTO state VALUES ('', 0, 0, 0);

      -- label: a facet value as it was first written.
      CREATE TABLE term (
        id INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL,
        name TEXT NOT NULL,
        label TEXT NOT NULL,
        UNIQUE (kind, name)
      );
      -- By three characters in a row: finds the terms that a wildcard means.
      CREATE VIRTUAL TABLE term_part USING fts5(
        name, content='term', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
      );
      -- The entries of one chunk that have a term, see postingKey; ids: see containers.ts.
      CREATE TABLE posting (key INTEGER PRIMARY KEY, entries INTEGER NOT NULL, ids BLOB NOT NULL);
      CREATE INDEX posting_long ON posting (entries) WHERE entries >= ${longList};
      -- In which generation the lists of a chunk last changed.
      CREATE TABLE chunk (chunk INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
      CREATE INDEX chunk_generation ON chunk (generation);
      CREATE TABLE event (
        instant_ms INTEGER NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (instant_ms, entry_id)
      ) WITHOUT ROWID;
      -- Entries that are in the index as a later version than the first.
      CREATE TABLE indexed_version (entry_id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
      -- Words whose pairs are terms of the entries of this chunk and later ones.
      CREATE TABLE frequent_word (word TEXT PRIMARY KEY, from_chunk INTEGER NOT NULL) WITHOUT ROWID;
      PRAGMA user_version = ${formatVersion};
    COMMIT`);
  }
  return connection;
}

/** Nothing may have it open. */
export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-damaged']) rmSync(`${file}${suffix}`, { force: true });
}

function versionOf(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

export function readState(connection: Connection): IndexState {
  const row = connection.get<{ start_id: string; sequence: number; generation: number; newest_id: number }>(
    'SELECT * FROM state',
  );
  if (!row) throw new Error('the search index has no state');
  return {
    startId: row.start_id,
    sequence: row.sequence,
    generation: row.generation,
    newestId: row.newest_id,
  };
}

const chunksPerList = 4_096;
export const maxIndexedId = chunksPerList * chunkSize - 1;

/** Where the entries of one chunk stand that have a term in a field; the lists of a term lie side by side. */
export function postingKey(termId: number, field: number, chunk: number): number {
  return (termId * fieldCount + field) * chunksPerList + chunk;
}

export function termOfKey(key: number): number {
  return Math.floor(key / chunksPerList / fieldCount);
}

export function chunkOfKey(key: number): number {
  return key % chunksPerList;
}

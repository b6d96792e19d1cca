import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Fault } from '../../../../kernel/fault.js';
import { indexBuilding, isBacklogTooLarge } from '../../../search-faults.js';
import { fieldCount } from '../../../search-terms.js';
import { Connection, loadSqlite } from '../../database/connection.js';
import { describeError } from '../../database/sqlite-errors.js';
import { containsWrite, newestSequence } from '../../tables/entry-writes.js';
import { chunkSize } from './containers.js';
import { newestRedaction, recordRedaction } from './removed-content.js';

/** Version of the index format. An index of another version is rebuilt. */
export const formatVersion = 7;
/** Minimum number of entries of a list in the SQLite index `posting_long`. */
export const longList = 512;
const commonSettings = 'PRAGMA temp_store = MEMORY;';

export interface IndexState {
  /** Id of the newest run of the program known to the index. */
  readonly runId: string;
  /** Sequence number of the newest indexed write. */
  readonly sequence: number;
  /** Generation, incremented by each batch. */
  readonly generation: number;
  /** Highest id of an indexed entry. */
  readonly newestId: number;
}

export async function openIndexForReading(file: string): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(new DatabaseSync(file, { timeout: 5_000, readOnly: true }), (cause) =>
    markCorrupt(file, cause),
  );
  try {
    connection.exec(`${commonSettings} PRAGMA cache_size = -8192`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Reason why an index was replaced with an empty one. */
export type ReplacedIndex =
  | { readonly kind: 'missing' | 'other-format' | 'other-documents' }
  /** `file`: absolute path. */
  | { readonly kind: 'damaged'; readonly file: string; readonly reason: string };

export const foundByEarlierRun = 'an earlier run of the service found damaged pages in it';

/**
 * Opens the index of these documents at startup. An index that is missing or corrupt, has another format, or was built
 * from other documents is replaced with an empty one.
 */
export async function prepareIndex(
  file: string,
  documents: Connection,
): Promise<{ readonly connection: Connection; readonly replaced: ReplacedIndex | undefined }> {
  const found = await openExisting(file, documents);
  if (found instanceof Connection) return { connection: found, replaced: undefined };
  return { connection: await createIndex(file, documents), replaced: found };
}

/** Creates an empty index of these documents, replacing an existing one. */
export async function createIndex(file: string, documents: Connection): Promise<Connection> {
  removeIndex(file);
  const connection = await openIndexForWriting(file);
  recordOwner(documents, connection);
  recordRedaction(connection, newestRedaction(documents));
  return connection;
}

async function openExisting(file: string, documents: Connection): Promise<Connection | ReplacedIndex> {
  if (isMarkedCorrupt(file)) return { kind: 'damaged', file, reason: foundByEarlierRun };
  if (!existsSync(file)) return { kind: 'missing' };
  let found: Connection | undefined;
  try {
    found = await openIndexForWriting(file);
    const problem = findForeignContent(documents, found);
    if (!problem) {
      recordOwner(documents, found);
      return found;
    }
    found.close();
    return { kind: problem };
  } catch (error) {
    found?.close();
    if (error instanceof Fault && error.kind === 'full') throw error;
    return { kind: 'damaged', file, reason: describeDamage(error) };
  }
}

export function describeDamage(error: unknown): string {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof Error ? describeError(cause) : 'a search found damaged pages in it';
}

/** Records the store that owns the index, unless it is already recorded; see inspect-index.ts. */
function recordOwner(documents: Connection, index: Connection): void {
  const { value: storeId = '' } = documents.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'") ?? {};
  index.exec('CREATE TABLE IF NOT EXISTS owner (store_id TEXT NOT NULL)');
  if (!index.get('SELECT 1 FROM owner')) index.run('INSERT INTO owner (store_id) VALUES (?)', storeId);
}

const corruptMarkerFile = (file: string) => `${file}-damaged`;

/** Whether the index was marked as corrupt. */
export const isMarkedCorrupt = (file: string): boolean => existsSync(corruptMarkerFile(file));

/** Marks the index as corrupt, so that the next start rebuilds it if this run does not. */
function markCorrupt(file: string, cause: unknown): Fault {
  try {
    writeFileSync(corruptMarkerFile(file), '');
  } catch {
    // The corruption may also prevent this write; the caller throws the original error.
  }
  return indexCorrupt(cause);
}

function indexCorrupt(cause?: unknown): Fault {
  return new Fault(
    'unavailable',
    'search.damaged',
    'The search index is damaged and is being rebuilt. Reading and writing entries works as usual; until then, some searches fail. Try again in a few minutes.',
    { cause },
  );
}

export interface IndexStatus {
  /** Reason why searches are unavailable; undefined: they are available. */
  readonly unavailableReason: string | undefined;
  readonly unindexedWrites: number;
  readonly damage?: Fault;
}

export function readStatus(file: string, index: Connection, documents: Connection): IndexStatus {
  const newest = newestSequence(documents);
  if (isMarkedCorrupt(file)) {
    const damage = indexCorrupt();
    return { unavailableReason: damage.message, unindexedWrites: newest, damage };
  }
  try {
    const { sequence } = readState(index);
    const isBuilding = isBacklogTooLarge(sequence, newest);
    return {
      unavailableReason: isBuilding ? indexBuilding(sequence, newest).message : undefined,
      unindexedWrites: newest - sequence,
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const status = { unavailableReason: error.message, unindexedWrites: newest };
    return error.code === 'search.damaged' ? { ...status, damage: error } : status;
  }
}

function findForeignContent(documents: Connection, index: Connection): 'other-format' | 'other-documents' | undefined {
  if (versionOf(index) !== formatVersion) return 'other-format';
  const { runId, sequence } = readState(index);
  return sequence === 0 || containsWrite(documents, runId, sequence) ? undefined : 'other-documents';
}

const schema = `
  -- One row, see IndexState.
  CREATE TABLE state (
    start_id TEXT NOT NULL, sequence INTEGER NOT NULL, generation INTEGER NOT NULL, newest_id INTEGER NOT NULL
  );
  INSERT INTO state VALUES ('', 0, 0, 0);

  -- label: a facet value in its first spelling.
  CREATE TABLE term (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    UNIQUE (kind, name)
  );
  -- Trigrams of the terms: finds the terms that a wildcard matches.
  CREATE VIRTUAL TABLE term_part USING fts5(
    name, content='term', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
  );
  -- The entries of one chunk that have a term. key: see postingKey; ids: see containers.ts.
  CREATE TABLE posting (key INTEGER PRIMARY KEY, entries INTEGER NOT NULL, ids BLOB NOT NULL);
  CREATE INDEX posting_long ON posting (entries) WHERE entries >= ${longList};
  -- The generation in which the lists of a chunk last changed.
  CREATE TABLE chunk (chunk INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
  CREATE INDEX chunk_generation ON chunk (generation);
  CREATE TABLE event (
    instant_ms INTEGER NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (instant_ms, entry_id)
  ) WITHOUT ROWID;
  -- The indexed version of an entry, unless it is the first.
  CREATE TABLE indexed_version (entry_id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
  -- Words whose pairs are terms in this chunk and all later ones. A pair has no row in term: see pairId.
  CREATE TABLE frequent_word (number INTEGER PRIMARY KEY, word TEXT NOT NULL, from_chunk INTEGER NOT NULL);
  -- See entry-vectors.ts: the vector of an entry; the signatures of 512 consecutive ids.
  CREATE TABLE entry_vector (entry_id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
  CREATE TABLE signature_block (block INTEGER PRIMARY KEY, signatures BLOB NOT NULL);
  PRAGMA user_version = ${formatVersion};
`;

/** Opens the index for writing, and creates an empty one if there is none. */
export async function openIndexForWriting(file: string): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(new DatabaseSync(file, { timeout: 5_000 }), (cause) => markCorrupt(file, cause));
  try {
    // With NORMAL, a power failure may lose the last commits, which are then indexed again from the documents.
    connection.exec(`${commonSettings}
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 0;
    `);
    if (versionOf(connection) === 0) connection.exec(`BEGIN; ${schema} COMMIT`);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/**
 * Minimum size of a write-ahead log that is moved into the index and truncated, so that large batches do not leave a
 * long log.
 */
const longLogBytes = 16_777_216;

/**
 * Truncates the log if it is long. Must be called after each batch. A long search may prevent it; the next call tries
 * again.
 */
export function truncateLongLog(file: string, connection: Connection): void {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= longLogBytes) truncateLog(connection);
}

/** Moves the write-ahead log into the index and truncates it. */
export function truncateLog(connection: Connection): void {
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Removes the index with its log and its corruption marker. No connection may be open. */
export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-damaged']) rmSync(`${file}${suffix}`, { force: true });
}

/** Returns the format version of an index; 0: it is empty. */
export function versionOf(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

export function readState(connection: Connection): IndexState {
  const row = connection.get<{ start_id: string; sequence: number; generation: number; newest_id: number }>(
    'SELECT * FROM state',
  );
  if (!row) throw new Error('the search index has no state');
  return {
    runId: row.start_id,
    sequence: row.sequence,
    generation: row.generation,
    newestId: row.newest_id,
  };
}

/** First id of pairs of frequent words; terms have lower ids. */
const firstPairId = 2 ** 32;
export const maxFrequentWords = 2 ** 15;

/**
 * Returns the term id of a pair of frequent words. It is computed from their numbers, so that a pair needs no lookup.
 */
export const pairId = (first: number, second: number): number => firstPairId + first * maxFrequentWords + second;

const chunksPerList = 4_096;
export const maxIndexedId = chunksPerList * chunkSize - 1;

/** Returns the key of the list of a term in a field and chunk. The lists of one term have adjacent keys. */
export function postingKey(termId: number, field: number, chunk: number): number {
  return (termId * fieldCount + field) * chunksPerList + chunk;
}

/** Returns the lowest and the highest possible key of the lists of a term. */
export function keysOfTerm(termId: number): readonly [first: number, last: number] {
  return [postingKey(termId, 0, 0), postingKey(termId, fieldCount - 1, chunksPerList - 1)];
}

export function termOfKey(key: number): number {
  return Math.floor(key / chunksPerList / fieldCount);
}

export function chunkOfKey(key: number): number {
  return key % chunksPerList;
}

/** SQL condition for the lists of the terms `term.value` in the fields of the bit mask `?2`. */
export const listsOfTerms = `posting.key BETWEEN term.value * ${postingKey(1, 0, 0)} AND (term.value + 1) * ${postingKey(1, 0, 0)} - 1
  AND (?2 >> (posting.key / ${chunksPerList} % ${fieldCount})) & 1`;
export const chunkOfPosting = `posting.key % ${chunksPerList}`;

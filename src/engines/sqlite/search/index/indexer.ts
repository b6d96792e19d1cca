import type { Connection } from '../../database/connection.js';
import { getSearchable, listArchivedFrom, listIds, listWritesAfter, newestRun } from '../../tables/entry-writes.js';
import { chunkOf, chunkSize } from './containers.js';
import { chunksToLearnFrom, FrequentWords } from './frequent-words.js';
import { maxIndexedId, readState } from './index-database.js';
import { PostingBatch } from './posting-batch.js';
import { TermIds } from './term-ids.js';
import { forEachTerm, kinds, type SearchableEntry, wordsOfPair } from './terms.js';

/** Entries in one transaction: as many as make the rewriting of long lists worth it, and as memory allows. */
const batchEntries = 16_384;

/** What an entry may take in the index and its write-ahead log, and what each term of a long one may. */
export const entryBytes = 65_536;
const termBytes = 512;

export interface IndexProgress {
  /** The newest write of an entry that the index holds. */
  readonly sequence: number;
  /** Whether there may be more to index. */
  readonly more: boolean;
}

/**
 * Keeps the index at what the documents say, in a database and a time of its own: each batch moves the index from one
 * write of the documents to a later one, in one transaction. What it does not hold yet, searches add themselves.
 */
export class Indexer {
  private readonly frequentWords: FrequentWords;
  private readonly termIds: TermIds;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.frequentWords = new FrequentWords(index);
    this.termIds = new TermIds(index);
  }

  /**
   * @param roomBytes that the index may grow by, at least what an entry takes
   * @param checkStop called between entries; throws when the batch is to be given up
   */
  indexNext(roomBytes: number, checkStop: () => void): IndexProgress {
    try {
      this.index.exec('BEGIN IMMEDIATE');
      this.documents.exec('BEGIN');
      const progress = this.indexBatch(roomBytes, checkStop);
      this.index.exec('COMMIT');
      return progress;
    } catch (error) {
      this.termIds.forget();
      this.index.rollBack();
      throw error;
    } finally {
      this.documents.rollBack();
    }
  }

  private indexBatch(roomBytes: number, checkStop: () => void): IndexProgress {
    const { sequence, generation, newestId } = readState(this.index);
    const written = listWritesAfter(this.documents, sequence, batchEntries);
    if (written.length === 0) return { sequence, more: false };
    this.frequentWords.refresh();
    this.termIds.begin();
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    const chunks = new Set<number>();
    let newest = newestId;
    let last = sequence;
    let room = roomBytes;
    for (const one of written) {
      checkStop();
      const terms = batch.size;
      if (one.id > maxIndexedId) throw new Error(`entry ${one.id} is beyond what the search index can hold`);
      this.add(batch, getSearchable(this.documents, one.id), one.version, newestId);
      chunks.add(chunkOf(one.id));
      newest = Math.max(newest, one.id);
      last = one.sequence;
      room -= Math.max(entryBytes, (batch.size - terms) * termBytes);
      if (batch.isFull || room < entryBytes) break;
    }
    batch.write();
    for (const chunk of chunksToLearnFrom(newestId, newest)) {
      const learned = this.frequentWords.learn(chunk, Math.min(chunkSize, newest + 1 - chunk * chunkSize));
      if (learned.size === 0) continue;
      // Entries of later chunks in this batch do not have the pairs either.
      for (let lacking = chunk; lacking <= chunkOf(newest); lacking++) {
        this.addPairs(lacking, learned, newest, checkStop);
        chunks.add(lacking);
      }
    }
    this.termIds.addParts();
    for (const chunk of chunks) {
      this.index.run('INSERT OR REPLACE INTO chunk (chunk, generation) VALUES (?, ?)', chunk, generation + 1);
    }
    this.index.run(
      'UPDATE state SET start_id = ?, sequence = ?, generation = generation + 1, newest_id = ?',
      newestRun(this.documents),
      last,
      newest,
    );
    return { sequence: last, more: last < (written.at(-1)?.sequence ?? 0) || written.length === batchEntries };
  }

  private add(batch: PostingBatch, entry: SearchableEntry, version: number, newestId: number): void {
    const { id, view } = entry;
    const isFrequent = (word: string) => this.frequentWords.has(word, chunkOf(id));
    forEachTerm(entry, isFrequent, (kind, field, name, label) => batch.gain(id, kind, field, name, label));
    const instants = new Set(view.events.map(({ instant }) => instant));
    for (const earlier of id > newestId ? [] : this.indexedVersions(id, version)) {
      forEachTerm(earlier, isFrequent, (kind, field, name, label) => batch.lose(id, kind, field, name, label));
      for (const { instant } of earlier.view.events) {
        if (!instants.has(instant)) {
          this.index.run('DELETE FROM event WHERE instant_ms = ? AND entry_id = ?', instant, id);
        }
      }
    }
    for (const instant of instants) {
      this.index.run('INSERT OR IGNORE INTO event (instant_ms, entry_id) VALUES (?, ?)', instant, id);
    }
    if (version > 1) {
      this.index.run('INSERT OR REPLACE INTO indexed_version (entry_id, version) VALUES (?, ?)', id, version);
    }
  }

  /** Adds the pairs with a newly frequent word to the entries of a chunk. */
  private addPairs(chunk: number, learned: ReadonlySet<string>, newestId: number, checkStop: () => void): void {
    const first = chunk * chunkSize;
    const last = Math.min(first + chunkSize - 1, newestId);
    let batch = new PostingBatch(this.index, this.termIds, newestId);
    const isFrequent = (word: string) => this.frequentWords.has(word, chunk);
    for (const id of listIds(this.documents, first, last)) {
      checkStop();
      if (batch.isFull) {
        batch.write();
        batch = new PostingBatch(this.index, this.termIds, newestId);
      }
      forEachTerm(getSearchable(this.documents, id), isFrequent, (kind, field, name, label) => {
        if (kind === kinds.pair && wordsOfPair(name).some((word) => learned.has(word))) {
          batch.gain(id, kind, field, name, label);
        }
      });
    }
    batch.write();
  }

  /**
   * What the index may hold of an entry: its archived versions since the one that is indexed. That one itself may not
   * be archived, when it was annotated after; but an annotation adds to an entry and takes nothing away.
   */
  private indexedVersions(id: number, version: number): SearchableEntry[] {
    if (version === 1) return [];
    const row = this.index.get<{ version: number }>('SELECT version FROM indexed_version WHERE entry_id = ?', id);
    return listArchivedFrom(this.documents, id, row?.version ?? 1);
  }
}

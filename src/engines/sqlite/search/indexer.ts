import type { Connection } from '../database.js';
import { getSearchable, listArchivedFrom, listIds, listWrittenAfter, newestStart } from '../entry-log.js';
import { chunkOf, chunkSize } from './containers.js';
import { chunksToLearnFrom, FrequentWords } from './frequent-words.js';
import { maxIndexedId, readState } from './index-database.js';
import { PostingBatch } from './posting-batch.js';
import { TermIds } from './term-ids.js';
import { forEachTerm, kinds, type SearchableEntry } from './terms.js';

/** Entries in one transaction: as many as make the rewriting of long lists worth it, and as memory allows. */
const batchEntries = 16_384;

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

  indexNext(): IndexProgress {
    this.index.exec('BEGIN IMMEDIATE');
    this.documents.exec('BEGIN');
    try {
      const progress = this.indexBatch();
      this.index.exec('COMMIT');
      return progress;
    } catch (error) {
      this.termIds.forget();
      if (this.index.db.isTransaction) this.index.exec('ROLLBACK');
      throw error;
    } finally {
      this.documents.exec('ROLLBACK');
    }
  }

  private indexBatch(): IndexProgress {
    const { sequence, generation, newestId } = readState(this.index);
    const written = listWrittenAfter(this.documents, sequence, batchEntries);
    const last = written.at(-1);
    if (!last) return { sequence, more: false };
    this.frequentWords.refresh();
    this.termIds.begin();
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    // Ascending, as the lists are.
    written.sort((one, other) => one.id - other.id);
    for (const { id, version } of written) {
      if (id > maxIndexedId) throw new Error(`entry ${id} is beyond what the search index can hold`);
      this.add(batch, getSearchable(this.documents, id), version);
    }
    batch.write();
    const newest = Math.max(newestId, written.at(-1)?.id ?? 0);
    const chunks = new Set(written.map(({ id }) => chunkOf(id)));
    for (const chunk of chunksToLearnFrom(newestId, newest)) {
      if (this.learnPairs(chunk, newest)) chunks.add(chunk);
    }
    this.termIds.addParts();
    for (const chunk of chunks) {
      this.index.run('INSERT OR REPLACE INTO chunk (chunk, generation) VALUES (?, ?)', chunk, generation + 1);
    }
    this.index.run(
      'UPDATE state SET start_id = ?, sequence = ?, generation = generation + 1, newest_id = ?',
      newestStart(this.documents),
      last.sequence,
      newest,
    );
    return { sequence: last.sequence, more: written.length === batchEntries };
  }

  private add(batch: PostingBatch, entry: SearchableEntry, version: number): void {
    const { id, view } = entry;
    const isFrequent = (word: string) => this.frequentWords.has(word, chunkOf(id));
    forEachTerm(entry, isFrequent, (kind, field, name, label) => batch.gain(id, kind, field, name, label));
    const instants = new Set(view.events.map(({ instant }) => instant));
    for (const earlier of this.indexedVersions(id, version)) {
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

  /** Adds the pairs of words that have become frequent to the entries of a chunk. @returns false when there are none */
  private learnPairs(chunk: number, newestId: number): boolean {
    const first = chunk * chunkSize;
    const last = Math.min(first + chunkSize - 1, newestId);
    if (!this.frequentWords.learn(chunk, last - first + 1)) return false;
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    const isFrequent = (word: string) => this.frequentWords.has(word, chunk);
    for (const id of listIds(this.documents, first, last)) {
      forEachTerm(getSearchable(this.documents, id), isFrequent, (kind, field, name, label) => {
        if (kind === kinds.pair) batch.gain(id, kind, field, name, label);
      });
    }
    batch.write();
    return true;
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

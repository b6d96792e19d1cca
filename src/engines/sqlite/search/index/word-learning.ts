import { WordLearner } from '../../../../../packages/token-vectors/word-learner.js';
import type { Entry } from '../../../../entries/entry.js';
import type { Connection } from '../../database/connection.js';
import { findEntry } from '../../tables/entry-writes.js';
import { comparedTexts, EntryVectorWriter, tokenVectors } from './entry-vectors.js';
import { readState } from './index-database.js';
import { type Learning, readLearning, replaceLearnedWords } from './learned-words.js';

/** Number of entries for the first learning. The next numbers follow from `growth`. */
const firstEntries = 256;
const growth = 1.5;
/** Maximum number of entries that are read to learn words, evenly distributed over all. */
const maxRead = 65_536;
/** Number of entries per part of the work. New writes are indexed between two parts. */
const partEntries = 256;

/** Returns how many of the oldest entries to learn from; 0: there are too few. */
function entriesToLearnFrom(count: number): number {
  if (count < firstEntries) return 0;
  let entries = firstEntries;
  while (Math.floor(entries * growth) <= count) entries = Math.floor(entries * growth);
  return entries;
}

/** Unfinished learning. Reads every `step`-th entry after `lastId`. */
interface Begun extends Pick<Learning, 'entries' | 'upTo'> {
  readonly learner: WordLearner;
  readonly step: number;
  lastId: number;
}

/**
 * Learns the meaning of words from the entries, again whenever their number has grown by half, and then refreshes all
 * vectors. A rebuilt index has the same words, unless entries have been edited since: it learns from the edited texts,
 * and this index not before the next learning.
 */
export class WordLearning {
  private readonly vectors: EntryVectorWriter;
  private begun: Begun | undefined;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.vectors = new EntryVectorWriter(index);
  }

  /**
   * Does the next part of the work; returns whether there is more.
   * @param checkStop called between entries; throws to cancel the part
   */
  next(checkStop: () => void): boolean {
    const { newestId } = readState(this.index);
    const learning = readLearning(this.index);
    this.begun ??= this.begin(learning, newestId);
    if (this.begun) {
      this.learn(this.begun, checkStop);
      return true;
    }
    if (learning.entries === 0 || learning.refreshedId >= newestId) return false;
    this.refresh(learning.refreshedId, newestId, checkStop);
    return true;
  }

  private begin({ entries, upTo }: Learning, newestId: number): Begun | undefined {
    // Cheap upper bound: counting takes milliseconds.
    if (newestId - upTo < Math.floor(entries * growth) - entries) return undefined;
    const row = this.documents.get<{ count: number }>('SELECT count(*) AS count FROM entry WHERE id <= ?', newestId);
    const due = entriesToLearnFrom(row?.count ?? 0);
    if (due <= entries) return undefined;
    const last = this.documents.get<{ id: number }>('SELECT id FROM entry ORDER BY id LIMIT 1 OFFSET ?', due - 1);
    const learner = new WordLearner(tokenVectors());
    return last && { entries: due, upTo: last.id, learner, step: Math.ceil(due / maxRead), lastId: 0 };
  }

  private learn(begun: Begun, checkStop: () => void): void {
    const { learner, step, upTo } = begun;
    for (const [number, id] of this.listIds(begun.lastId, upTo, partEntries * step).entries()) {
      checkStop();
      begun.lastId = id;
      const entry = number % step === 0 ? findEntry(this.documents, id) : undefined;
      if (entry) learner.add(textOf(entry));
    }
    if (begun.lastId < upTo) return;
    this.inTransaction(() => replaceLearnedWords(this.index, begun, learner.learn()));
    this.begun = undefined;
  }

  private refresh(after: number, newestId: number, checkStop: () => void): void {
    this.inTransaction(() => {
      this.vectors.begin();
      const ids = this.listIds(after, newestId, partEntries);
      for (const id of ids) {
        checkStop();
        const entry = findEntry(this.documents, id);
        if (entry) this.vectors.put(id, entry);
      }
      this.vectors.write();
      this.index.run('UPDATE learning SET refreshed_id = ?', ids.at(-1) ?? newestId);
    });
  }

  private listIds(after: number, last: number, limit: number): number[] {
    const sql = 'SELECT id FROM entry WHERE id > ? AND id <= ? ORDER BY id LIMIT ?';
    return this.documents.all<{ id: number }>(sql, after, last, limit).map(({ id }) => id);
  }

  private inTransaction(work: () => void): void {
    try {
      this.index.exec('BEGIN IMMEDIATE');
      work();
      this.index.exec('COMMIT');
    } catch (error) {
      this.index.rollBack();
      throw error;
    }
  }
}

const textOf = (entry: Entry): string =>
  comparedTexts(entry)
    .map(([text]) => text)
    .join('\n');

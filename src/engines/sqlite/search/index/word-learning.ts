import { WordLearner } from '../../../../../packages/token-vectors/word-learner.js';
import type { Entry } from '../../../../entries/entry.js';
import { foldCase } from '../../../../kernel/text.js';
import { comparedTexts, tokenVectors } from '../../../text-vectors.js';
import type { Connection } from '../../database/connection.js';
import { findEntry } from '../../tables/entry-writes.js';
import { EntryVectorWriter } from './entry-vectors.js';
import { readState } from './index-database.js';
import {
  forgetLearnedWords,
  isFreeOf,
  type Learning,
  readLearning,
  replaceLearnedWords,
  toRestricted,
} from './learned-words.js';

/** Number of entries for the first learning. The next numbers follow from `growth`. */
const firstEntries = 256;
const growth = 1.5;
/** Maximum number of entries that are read to learn words, evenly distributed over all. */
const maxRead = 65_536;
/** Number of entries per part of the work. New writes are indexed between two parts. */
const partEntries = 256;

/** Returns the number of entries to learn from next, after learning from `entries`. */
const nextEntries = (entries: number): number => (entries === 0 ? firstEntries : Math.floor(entries * growth));

/** Returns how many of the oldest entries to learn from; 0: there are too few. */
function entriesToLearnFrom(count: number): number {
  let entries = 0;
  while (nextEntries(entries) <= count) entries = nextEntries(entries);
  return entries;
}

/** Unfinished learning. Reads every `step`-th entry after `lastId`. */
interface Begun {
  readonly learner: WordLearner;
  /** Restricted logbooks, whose entries are not used, as `Learning` has them. */
  readonly restricted: string;
  readonly entries: number;
  readonly step: number;
  /** Number of entries that are left. */
  left: number;
  lastId: number;
}

/**
 * Learns the meaning of words from the entries, again whenever the number of entries has grown by half, and then
 * refreshes all vectors. A rebuilt index learns the same words, unless entries were edited after the last learning.
 *
 * Entries of restricted logbooks are not used: all readers search with the same words, and the context of a word could
 * reveal the contents of entries that are hidden from some of them.
 */
export class WordLearning {
  private begun: Begun | undefined;
  /** Entry id that must be reached before there can be enough entries to learn again. */
  private countFromId = 0;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
    private readonly vectors = new EntryVectorWriter(index),
  ) {}

  /**
   * Does the next part of the work; returns whether there is more.
   * @param restrictedLogbooks case-folded names of the logbooks that not everyone may read
   * @param checkStop called between entries; throws to cancel the part
   */
  next(restrictedLogbooks: readonly string[], checkStop: () => void): boolean {
    const { newestId } = readState(this.index);
    const learning = readLearning(this.index);
    const restricted = toRestricted(restrictedLogbooks);
    if (learning && !isFreeOf(learning.restricted, restrictedLogbooks)) {
      this.forget(restricted);
      return true;
    }
    if (this.begun && !isFreeOf(this.begun.restricted, restrictedLogbooks)) this.begun = undefined;
    const mustRefresh = learning !== undefined && learning.refreshedId < newestId;
    if (!mustRefresh || learning.entries === 0) this.begun ??= this.begin(learning, newestId, restricted);
    if (this.begun) this.learn(this.begun, newestId, checkStop);
    else if (mustRefresh) this.refresh(learning.refreshedId, newestId, checkStop);
    else return false;
    return true;
  }

  /** Forgets the learned words, because they may come from logbooks that are now restricted. */
  private forget(restricted: string): void {
    this.inTransaction(() => forgetLearnedWords(this.index, restricted));
    this.begun = undefined;
    this.countFromId = 0;
  }

  private begin(learning: Learning | undefined, newestId: number, restricted: string): Begun | undefined {
    const { entries, upTo } = learning ?? { entries: 0, upTo: 0 };
    // These upper bounds are compared first, because counting takes milliseconds.
    const missing = nextEntries(entries) - entries;
    if (newestId < this.countFromId || newestId - upTo < missing) return undefined;
    // This index contains only numbers; the planner would otherwise read the whole table with its documents.
    const sql = 'SELECT count(*) AS count FROM entry INDEXED BY entry_sequence WHERE id <= ?';
    const count = this.documents.get<{ count: number }>(sql, newestId)?.count ?? 0;
    const due = entriesToLearnFrom(count);
    if (due <= entries) {
      this.countFromId = newestId + nextEntries(entries) - count;
      return undefined;
    }
    const learner = new WordLearner(tokenVectors());
    return { learner, restricted, entries: due, step: Math.ceil(due / maxRead), left: due, lastId: 0 };
  }

  private learn(begun: Begun, newestId: number, checkStop: () => void): void {
    const { learner, restricted, entries, step } = begun;
    const hidden = new Set(JSON.parse(restricted) as string[]);
    const ids = this.listIds(begun.lastId, newestId, Math.min(partEntries * step, begun.left));
    for (const [number, id] of ids.entries()) {
      checkStop();
      begun.lastId = id;
      begun.left -= 1;
      const entry = number % step === 0 ? findEntry(this.documents, id) : undefined;
      if (entry && !entry.logbooks.some(({ name }) => hidden.has(foldCase(name)))) learner.add(textOf(entry));
    }
    if (begun.left > 0 && ids.length > 0) return;
    const upTo = begun.lastId;
    this.inTransaction(() => replaceLearnedWords(this.index, { entries, upTo, restricted }, learner.learn()));
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
      this.index.run('UPDATE learned SET refreshed_id = ?', ids.at(-1) ?? newestId);
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

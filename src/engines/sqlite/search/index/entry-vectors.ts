import { signatureBytes, signatureOf, type TokenVectors } from '../../../../../packages/token-vectors/token-vectors.js';
import type { Entry } from '../../../../entries/entry.js';
import { notComparable } from '../../../search-faults.js';
import { comparedTexts, tokenVectors } from '../../../text-vectors.js';
import type { Connection } from '../../database/connection.js';
import { readState } from './index-database.js';
import { isFreeOf, readLearnedWords, readLearning } from './learned-words.js';

/** Number of consecutive ids whose signatures are stored in one row. */
export const blockIds = 512;
/** The token vectors with the words learned from the entries of an index. */
export class LearnedVectors {
  private current: { readonly learnedFrom: string; readonly vectors: TokenVectors } | undefined;

  constructor(private readonly index: Connection) {}

  /**
   * Checks that the vectors of the indexed entries are there, and do not depend on entries of restricted logbooks.
   * @throws Fault unavailable `search.unavailable`
   */
  requireComparable(restricted: readonly string[], documents: Pick<Connection, 'get'>): void {
    if (!this.canCompare(restricted, documents)) throw notComparable();
  }

  private canCompare(restricted: readonly string[], documents: Pick<Connection, 'get'>): boolean {
    const learning = readLearning(this.index);
    if (!learning) return true;
    if (!isFreeOf(learning.restricted, restricted)) return false;
    // All vectors are removed together, and computed in the order of the ids.
    const sql = 'SELECT id FROM entry WHERE id > ? AND id <= ? ORDER BY id LIMIT 1';
    const next = documents.get<{ id: number }>(sql, learning.refreshedId, readState(this.index).newestId);
    return !next || this.index.get('SELECT 1 FROM entry_vector WHERE entry_id = ?', next.id) !== undefined;
  }

  /** Returns the token vectors as learned in the open snapshot. */
  get(): TokenVectors {
    const learning = readLearning(this.index);
    const learnedFrom = learning ? `${learning.entries} ${learning.restricted}` : '';
    if (this.current?.learnedFrom !== learnedFrom) {
      const words = readLearnedWords(this.index);
      this.current = { learnedFrom, vectors: words ? tokenVectors().with(words) : tokenVectors() };
    }
    return this.current.vectors;
  }
}

/** Writes the vectors and signatures of entries within the caller's transaction. */
export class EntryVectorWriter {
  private readonly blocks = new Map<number, Uint8Array>();
  private readonly learned: LearnedVectors;
  private vectors: TokenVectors | undefined;

  constructor(private readonly index: Connection) {
    this.learned = new LearnedVectors(index);
  }

  /** Must be called at the start of each transaction. */
  begin(): void {
    this.blocks.clear();
    this.vectors = undefined;
  }

  /** Sets the vector of an entry, replacing that of an earlier version. */
  put(id: number, entry: Pick<Entry, 'title' | 'description'>): void {
    this.vectors ??= this.learned.get();
    this.putVector(id, this.vectors.embed(comparedTexts(entry)));
  }

  putVector(id: number, vector: Int8Array<ArrayBuffer>): void {
    this.index.run(
      'INSERT OR REPLACE INTO entry_vector (entry_id, vector) VALUES (?, ?)',
      id,
      new Uint8Array(vector.buffer),
    );
    this.block(Math.floor(id / blockIds)).set(signatureOf(vector), (id % blockIds) * signatureBytes);
  }

  /** Must be called at the end of each transaction. */
  write(): void {
    for (const [block, signatures] of this.blocks) {
      this.index.run('INSERT OR REPLACE INTO signature_block (block, signatures) VALUES (?, ?)', block, signatures);
    }
  }

  private block(number: number): Uint8Array {
    const known = this.blocks.get(number);
    if (known) return known;
    const row = this.index.get<{ signatures: Uint8Array }>(
      'SELECT signatures FROM signature_block WHERE block = ?',
      number,
    );
    const block = row ? Uint8Array.from(row.signatures) : new Uint8Array(blockIds * signatureBytes);
    this.blocks.set(number, block);
    return block;
  }
}

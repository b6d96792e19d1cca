import { fieldCount, type Kind } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { BatchTerms } from './batch-terms.js';
import {
  andNot,
  bitmapFrom,
  type Container,
  chunkOf,
  count,
  decode,
  empty,
  encode,
  or,
  toContainer,
} from './containers.js';
import type { EntryBlock } from './entry-block.js';
import { postingKey } from './index-database.js';
import { TermEntries, twice } from './term-entries.js';
import type { TermIds } from './term-ids.js';

/** Maximum number of lists that one statement appends to. */
const appendBatchSize = 1_000;
/** Limits at which a batch is full: pairs of a list and an entry (100 MB), and terms. */
const fullSize = 8_000_000;
const fullTerms = 800_000;
/**
 * Maximum number of entries appended in one step. More would probably create or extend a bitmap, which does not support
 * appending.
 */
const maxAppended = 64;
/** Number of lists written between two calls of `checkStop`. */
const listsPerCheck = 1_000;

/**
 * Collects the terms that entries gain and lose, and writes each posting list once. A posting list has the ids of the
 * entries with a term in a field. Within a batch, a list is identified by the number of its term and its field.
 */
export class PostingBatch {
  private readonly terms = new BatchTerms();
  /** Id plus one of the last entry that joined each list; 0: none. */
  private lastGain = new Uint32Array(65_536);
  private readonly gains = new TermEntries();
  private readonly losses = new TermEntries();
  private appends: { readonly key: number; readonly gained: Container }[] = [];

  /** @param newestIndexed highest indexed entry id; a list that gains only higher ids can be appended to */
  constructor(
    private readonly connection: Connection,
    private readonly termIds: TermIds,
    private readonly newestIndexed: number,
  ) {}

  /** Number of pairs of a list and an entry that joins or leaves it. */
  get size(): number {
    return this.gains.length + this.losses.length;
  }

  /** Whether the batch has reached its memory limit. */
  get isFull(): boolean {
    return this.size >= fullSize || this.terms.length >= fullTerms;
  }

  /** Whether an entry of this batch has gained or lost the term. */
  has(kind: Kind, name: string): boolean {
    return this.terms.has(kind, name);
  }

  /** Adds a term to an entry. All terms of one entry must be added consecutively; duplicates are allowed. */
  gain(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    this.gainIn(this.terms.numberOf(kind, name, label) * fieldCount + field, entryId);
  }

  gainPair(entryId: number, field: number, first: number, second: number): void {
    this.gainIn(this.terms.numberOfPair(first, second) * fieldCount + field, entryId);
  }

  /** Returns a function that adds an entry of the block to a range of the block's lists. */
  gainsOf({ terms, lists }: EntryBlock): (entryId: number, from: number, to: number) => void {
    // A number is looked up only when an entry needs it, because the batch may end within the block.
    const numbers = new Int32Array(terms.names.length).fill(-1);
    return (entryId, from, to) => {
      for (let at = from; at < to; at++) {
        const list = lists[at] as number;
        const term = Math.floor(list / fieldCount);
        let number = numbers[term] as number;
        if (number < 0) {
          number = this.terms.numberOfOther(terms, term);
          numbers[term] = number;
        }
        this.gainIn(number * fieldCount + (list % fieldCount), entryId);
      }
    };
  }

  /** Removes a term from an entry. No effect if this batch has just added the term to the entry. */
  lose(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    this.loseIn(this.terms.numberOf(kind, name, label) * fieldCount + field, entryId);
  }

  losePair(entryId: number, field: number, first: number, second: number): void {
    this.loseIn(this.terms.numberOfPair(first, second) * fieldCount + field, entryId);
  }

  /** @param checkStop throws to cancel the batch */
  write(checkStop: () => void): void {
    const lists = this.terms.length * fieldCount;
    const gains = this.gains.grouped(lists);
    const losses = this.losses.grouped(lists);
    // Terms with higher ids are created by this batch and have no lists yet.
    const newestTerm = this.termIds.newest;
    const ids = this.terms.findOrAddIds(this.termIds);
    const keyOf = (list: number) => postingKey(ids[Math.floor(list / fieldCount)] as number, list % fieldCount, 0);
    const changed = Uint32Array.from({ length: lists }, (_, list) => list).filter(
      (list) => gains.count(list) + losses.count(list) > 0,
    );
    for (const [at, list] of inOrder(changed, keyOf).entries()) {
      if (at % listsPerCheck === 0) checkStop();
      const gained = gains.ascending(list);
      const lost = losses.ascending(list);
      const id = ids[Math.floor(list / fieldCount)] as number;
      const isNew = id > newestTerm && id <= this.termIds.newest;
      if (lost.length === 0 && (isNew || (gained[0] ?? 0) > this.newestIndexed)) {
        for (const [chunk, lows] of lowsByChunk(gained)) this.append(keyOf(list) + chunk, lows);
      } else {
        const gainedByChunk = new Map(lowsByChunk(gained));
        const lostByChunk = new Map(lowsByChunk(lost));
        for (const chunk of new Set([...gainedByChunk.keys(), ...lostByChunk.keys()])) {
          this.change(keyOf(list) + chunk, gainedByChunk.get(chunk) ?? empty, lostByChunk.get(chunk) ?? empty);
        }
      }
    }
    this.writeAppends();
  }

  private gainIn(list: number, entryId: number): void {
    while (list >= this.lastGain.length) this.lastGain = twice(this.lastGain);
    if (this.lastGain[list] === entryId + 1) return;
    this.lastGain[list] = entryId + 1;
    this.gains.add(list, entryId);
  }

  private loseIn(list: number, entryId: number): void {
    if (this.lastGain[list] !== entryId + 1) this.losses.add(list, entryId);
  }

  /** Adds entries whose ids are above all ids in the list. */
  private append(key: number, gained: Container): void {
    if (gained.length > maxAppended || gained instanceof Uint32Array) {
      this.change(key, gained, empty);
      return;
    }
    this.appends.push({ key, gained });
    if (this.appends.length === appendBatchSize) this.writeAppends();
  }

  /** Writes many short additions in one statement; most lists of a batch have such additions. */
  private writeAppends(): void {
    const appends = this.appends;
    this.appends = [];
    const rows = appends.map(({ key, gained }) => [key, gained.length, Buffer.from(encode(gained)).toString('hex')]);
    const content = JSON.stringify(rows);
    const changed = this.connection.run(
      `INSERT INTO posting (key, entries, ids)
       SELECT value ->> 0, value ->> 1, unhex(value ->> 2) FROM json_each(?) WHERE TRUE
       ON CONFLICT (key) DO UPDATE
       SET entries = entries + excluded.entries, ids = CAST(ids || excluded.ids AS BLOB)
       WHERE entries + excluded.entries < ${bitmapFrom}`,
      content,
    );
    if (changed === appends.length) return;
    // Some lists are, or would become, too long for appending. The query may also select lists that were just appended
    // to: adding the same ids again changes nothing.
    const long = this.connection.all<{ at: number }>(
      `SELECT added.key AS at FROM json_each(?) AS added CROSS JOIN posting ON posting.key = added.value ->> 0
       WHERE entries + (added.value ->> 1) >= ${bitmapFrom}`,
      content,
    );
    for (const { at } of long) {
      const { key, gained } = appends[at] as { key: number; gained: Container };
      this.change(key, gained, empty);
    }
  }

  private change(key: number, gained: Container, lost: Container): void {
    const row = this.connection.get<{ ids: Uint8Array }>('SELECT ids FROM posting WHERE key = ?', key);
    const before = row ? decode(row.ids) : empty;
    const after = or([andNot(before, lost), gained]);
    const entries = count(after);
    if (entries === 0) this.connection.run('DELETE FROM posting WHERE key = ?', key);
    else {
      this.connection.run(
        'INSERT OR REPLACE INTO posting (key, entries, ids) VALUES (?, ?, ?)',
        key,
        entries,
        encode(after),
      );
    }
  }
}

/** Sorts lists by key, that is in table order, so that neighbouring pages are written together. */
function inOrder(lists: Uint32Array, keyOf: (list: number) => number): Uint32Array {
  const keys = Float64Array.from(lists, keyOf);
  const order = Uint32Array.from(lists, (_, at) => at);
  order.sort((one, other) => (keys[one] as number) - (keys[other] as number));
  return order.map((at) => lists[at] as number);
}

/** @param ids ascending */
function lowsByChunk(ids: Uint32Array): [chunk: number, lows: Container][] {
  const chunks: [number, Container][] = [];
  for (let start = 0; start < ids.length; ) {
    const chunk = chunkOf(ids[start] as number);
    let end = start + 1;
    while (end < ids.length && chunkOf(ids[end] as number) === chunk) end += 1;
    // Converting an id to a 16-bit number keeps its low bits.
    chunks.push([chunk, toContainer(new Uint16Array(ids.subarray(start, end)))]);
    start = end;
  }
  return chunks;
}

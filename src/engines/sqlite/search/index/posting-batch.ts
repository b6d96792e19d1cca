import type { Connection } from '../../database/connection.js';
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
import { postingKey } from './index-database.js';
import type { NamedTerm, TermIds } from './term-ids.js';
import { fieldCount, type Kind, kinds } from './terms.js';

const kindCount = Math.max(...Object.values(kinds)) + 1;
/** How many lists one statement appends to. */
const appendBatchSize = 1_000;
/** A batch with this many pairs or terms is full. */
const fullPairs = 3_000_000;
const fullTerms = 400_000;
/** Above the terms of any batch: it is full long before, and one entry has fewer. */
const maxTerms = 2 ** 23;
/** Longer additions probably create a bitmap or belong to one, to which bytes cannot be appended. */
const maxAppended = 64;

interface Term extends NamedTerm {
  readonly field: number;
}

/** Collects which entries gain and lose which terms, and writes the list of each term once. */
export class PostingBatch {
  private readonly numbers = Array.from({ length: kindCount * fieldCount }, () => new Map<string, number>());
  private readonly terms: Term[] = [];
  /** By number of the term, the entry that gained it last. */
  private readonly lastGain: number[] = [];
  /** Terms with a higher id are created by this batch and have no lists yet. */
  private readonly newestTerm: number;
  private readonly gains = new Pairs();
  private readonly losses = new Pairs();
  private appends: { readonly key: number; readonly gained: Container }[] = [];

  /** @param newestIndexed the highest id of an entry in the index before this batch */
  constructor(
    private readonly connection: Connection,
    private readonly termIds: TermIds,
    private readonly newestIndexed: number,
  ) {
    this.newestTerm = termIds.newest;
  }

  /** The number of pairs of an entry and a term that it gains or loses. */
  get size(): number {
    return this.gains.length + this.losses.length;
  }

  /** True when the batch has reached its memory limit. */
  get isFull(): boolean {
    return this.size >= fullPairs || this.terms.length >= fullTerms;
  }

  /** Adds a term to an entry. All terms of one entry must be added in a row; duplicates are allowed. */
  gain(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    const term = this.numberOf(kind, field, name, label);
    if (this.lastGain[term] === entryId) return;
    this.lastGain[term] = entryId;
    this.gains.add(term, entryId);
  }

  /** Removes a term from an entry. No effect for a term that the entry has just gained. */
  lose(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    const term = this.numberOf(kind, field, name, label);
    if (this.lastGain[term] !== entryId) this.losses.add(term, entryId);
  }

  write(): void {
    if (this.terms.length > maxTerms) throw new Error('an entry has too many terms for the search index');
    const gains = this.gains.byTerm(this.terms.length);
    const losses = this.losses.byTerm(this.terms.length);
    const ids = this.termIds.idsOf(this.terms);
    // In the order of the table. Position and term number are combined in one number, which sorts without a comparator.
    const order = Float64Array.from(
      ids,
      (id, number) => (id * fieldCount + (this.terms[number]?.field ?? 0)) * maxTerms + number,
    ).sort();
    for (const placed of order) {
      const number = placed % maxTerms;
      const field = this.terms[number]?.field ?? 0;
      const id = ids[number] as number;
      const gained = gains(number).sort();
      const lost = losses(number).sort();
      const onlyNew = lost.length === 0 && (id > this.newestTerm || (gained[0] ?? 0) > this.newestIndexed);
      if (onlyNew) {
        for (const [chunk, lows] of lowsByChunk(gained)) this.append(postingKey(id, field, chunk), lows);
      } else {
        const gainedByChunk = new Map(lowsByChunk(gained));
        const lostByChunk = new Map(lowsByChunk(lost));
        for (const chunk of new Set([...gainedByChunk.keys(), ...lostByChunk.keys()])) {
          this.change(postingKey(id, field, chunk), gainedByChunk.get(chunk) ?? empty, lostByChunk.get(chunk) ?? empty);
        }
      }
    }
    this.writeAppends();
  }

  /** Adds entries whose ids are above all those in the list. */
  private append(key: number, gained: Container): void {
    if (gained.length > maxAppended || gained instanceof Uint32Array) {
      this.change(key, gained, empty);
      return;
    }
    this.appends.push({ key, gained });
    if (this.appends.length === appendBatchSize) this.writeAppends();
  }

  /** Writes many short additions, which most lists of a batch are, in one statement. */
  private writeAppends(): void {
    const appends = this.appends;
    this.appends = [];
    const rows = appends.map(({ key, gained }) => [key, gained.length, Buffer.from(encode(gained)).toString('hex')]);
    const changed = this.connection.run(
      `INSERT INTO posting (key, entries, ids)
       SELECT value ->> 0, value ->> 1, unhex(value ->> 2) FROM json_each(?) WHERE TRUE
       ON CONFLICT (key) DO UPDATE
       SET entries = entries + excluded.entries, ids = CAST(ids || excluded.ids AS BLOB)
       WHERE entries + excluded.entries < ${bitmapFrom}`,
      JSON.stringify(rows),
    );
    // Some lists have become too long to append to. Adding to all of them again is harmless.
    if (changed < appends.length) for (const { key, gained } of appends) this.change(key, gained, empty);
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

  private numberOf(kind: Kind, field: number, name: string, label: string): number {
    const numbers = this.numbers[kind * fieldCount + field] as Map<string, number>;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = this.terms.length;
    numbers.set(name, number);
    this.terms.push({ kind, field, name, label });
    this.lastGain.push(0);
    return number;
  }
}

/** Many (term, entry) pairs, stored without an object for each. */
class Pairs {
  private terms = new Uint32Array(1_024);
  private ids = new Uint32Array(1_024);
  length = 0;

  add(term: number, id: number): void {
    if (this.length === this.terms.length) {
      this.terms = twice(this.terms);
      this.ids = twice(this.ids);
    }
    this.terms[this.length] = term;
    this.ids[this.length++] = id;
  }

  /** Groups the pairs: the returned function gives the entries of a term in the order in which they were added. */
  byTerm(terms: number): (term: number) => Uint32Array {
    const ends = new Uint32Array(terms + 1);
    const addTo = (term: number, value: number) => {
      ends[term] = (ends[term] as number) + value;
    };
    for (let at = 0; at < this.length; at++) addTo((this.terms[at] as number) + 1, 1);
    for (let term = 0; term < terms; term++) addTo(term + 1, ends[term] as number);
    const next = ends.slice();
    const sorted = new Uint32Array(this.length);
    for (let at = 0; at < this.length; at++) {
      const term = this.terms[at] as number;
      const place = next[term] as number;
      sorted[place] = this.ids[at] as number;
      next[term] = place + 1;
    }
    return (term) => sorted.subarray(ends[term], ends[term + 1]);
  }
}

function twice(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}

/** @param ids ascending */
function lowsByChunk(ids: Uint32Array): [chunk: number, lows: Container][] {
  const chunks: [number, Container][] = [];
  for (let start = 0; start < ids.length; ) {
    const chunk = chunkOf(ids[start] as number);
    let end = start + 1;
    while (end < ids.length && chunkOf(ids[end] as number) === chunk) end += 1;
    // Converting an id to a 16-bit number leaves its low bits.
    chunks.push([chunk, toContainer(new Uint16Array(ids.subarray(start, end)))]);
    start = end;
  }
  return chunks;
}

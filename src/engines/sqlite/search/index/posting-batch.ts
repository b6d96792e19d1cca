import type { Connection } from '../../database/connection.js';
import {
  andNot,
  bitmapFrom,
  type Container,
  chunkOf,
  containerOf,
  count,
  decode,
  empty,
  encode,
  or,
} from './containers.js';
import { postingKey } from './index-database.js';
import type { NamedTerm, TermIds } from './term-ids.js';
import { fieldCount, type Kind, kinds } from './terms.js';

const kindCount = Math.max(...Object.values(kinds)) + 1;
/** Lists that are added to in one statement. */
const appendsAtOnce = 1_000;
/** When a batch is full: the next entry goes to the next. */
const fullPairs = 3_000_000;
const fullTerms = 400_000;
/** More than any batch has: it is full before, and one entry has fewer. */
const maxTerms = 2 ** 23;
/** Longer additions are likely to make a bitmap, or to go to one. */
const maxAppended = 64;

interface Term extends NamedTerm {
  readonly field: number;
}

/** Gathers which entries gain and lose which terms, and writes the lists of each term once. */
export class PostingBatch {
  private readonly numbers = Array.from({ length: kindCount * fieldCount }, () => new Map<string, number>());
  private readonly terms: Term[] = [];
  /** By number of the term: the entry that gained it last. */
  private readonly lastGain: number[] = [];
  /** Later ones are made here: no list has them yet. */
  private readonly newestTerm: number;
  private readonly gains = new Pairs();
  private readonly losses = new Pairs();
  private appends: { readonly key: number; readonly gained: Container }[] = [];

  /** @param newestIndexed the highest id of an entry in the index before */
  constructor(
    private readonly connection: Connection,
    private readonly termIds: TermIds,
    private readonly newestIndexed: number,
  ) {
    this.newestTerm = termIds.newest;
  }

  /** How many entries gain or lose how many terms, in all. */
  get size(): number {
    return this.gains.length + this.losses.length;
  }

  /** Whether it holds about as much as memory allows. */
  get isFull(): boolean {
    return this.size >= fullPairs || this.terms.length >= fullTerms;
  }

  /** All terms of an entry one after the other; it may gain one repeatedly. */
  gain(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    const term = this.numberOf(kind, field, name, label);
    if (this.lastGain[term] === entryId) return;
    this.lastGain[term] = entryId;
    this.gains.add(term, entryId);
  }

  /** Does nothing for a term that the entry has just gained. */
  lose(entryId: number, kind: Kind, field: number, name: string, label: string): void {
    const term = this.numberOf(kind, field, name, label);
    if (this.lastGain[term] !== entryId) this.losses.add(term, entryId);
  }

  write(): void {
    if (this.terms.length > maxTerms) throw new Error('an entry has too many terms for the search index');
    const gains = this.gains.byTerm(this.terms.length);
    const losses = this.losses.byTerm(this.terms.length);
    const ids = this.termIds.of(this.terms);
    // In the order of the table: place and number of a term in one number, which sorts without a comparison in between.
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

  /** Entries that come after all that the list has. */
  private append(key: number, gained: Container): void {
    if (gained.length > maxAppended || gained instanceof Uint32Array) {
      this.change(key, gained, empty);
      return;
    }
    this.appends.push({ key, gained });
    if (this.appends.length === appendsAtOnce) this.writeAppends();
  }

  /** Many short additions in one statement: most lists of a batch are such. */
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
    // Where a list has become long, adding again what may be there does no harm.
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

/** Many (term, entry) pairs, without an object for each. */
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

  /** The entries of a term, in the order in which they came. */
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
    // Of an id, a 16-bit number keeps the low half.
    chunks.push([chunk, containerOf(new Uint16Array(ids.subarray(start, end)))]);
    start = end;
  }
  return chunks;
}

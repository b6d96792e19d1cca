import type { FoundTerm } from '../../../search-terms.js';

/**
 * Sorted words. Each shares a long prefix with the previous one, which saves most of the work of comparing them. Typed
 * arrays allow threads to share them.
 */
export interface SortedWords {
  readonly ids: Float64Array;
  /** End of each word in `chars`. */
  readonly ends: Uint32Array;
  /** Concatenated words in UTF-16. */
  readonly chars: Uint16Array;
  /** Length of the prefix that each word shares with the previous one, at most 255. */
  readonly shared: Uint8Array;
}

/** Collects words in sorted order. */
export class WordCollector {
  private readonly ids: number[] = [];
  private readonly ends: number[] = [];
  private readonly shared: number[] = [];
  private chars = new Uint16Array(256);
  private length = 0;
  private last = '';

  add(id: number, word: string): void {
    while (this.length + word.length > this.chars.length) {
      const longer = new Uint16Array(2 * this.chars.length);
      longer.set(this.chars);
      this.chars = longer;
    }
    for (let at = 0; at < word.length; at++) this.chars[this.length + at] = word.charCodeAt(at);
    this.length += word.length;
    this.ids.push(id);
    this.ends.push(this.length);
    this.shared.push(sharedStart(this.last, word));
    this.last = word;
  }

  /** Returns the words in memory that can be shared with other threads without copying. */
  collected(): SortedWords {
    const words = {
      ids: new Float64Array(new SharedArrayBuffer(8 * this.ids.length)),
      ends: new Uint32Array(new SharedArrayBuffer(4 * this.ids.length)),
      chars: new Uint16Array(new SharedArrayBuffer(2 * this.length)),
      shared: new Uint8Array(new SharedArrayBuffer(this.ids.length)),
    };
    words.ids.set(this.ids);
    words.ends.set(this.ends);
    words.chars.set(this.chars.subarray(0, this.length));
    words.shared.set(this.shared);
    return words;
  }
}

export function sortedWords(terms: readonly FoundTerm[]): SortedWords {
  const words = new WordCollector();
  for (const { id, name } of [...terms].sort((one, other) => (one.name < other.name ? -1 : 1))) words.add(id, name);
  return words.collected();
}

function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length, 255);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** Distance greater than any that is searched for. */
const far = 255;

/**
 * Adds the words within a Levenshtein distance of `target` to `found`. Computes the Levenshtein table of each word
 * against `target`, one row per character of the word. The rows of the prefix shared with the previous word are reused.
 * Only the cells around the diagonal are filled, because no others can be near enough. If no cell of a row is near
 * enough, all words with that prefix are skipped.
 */
export function findNear(
  { ids, ends, chars, shared }: SortedWords,
  target: string,
  maxDistance: number,
  found: FoundTerm[],
): void {
  const table = new DistanceTable(target, maxDistance);
  /** Number of leading characters of the current word whose rows are valid. */
  let valid = 0;
  /** Whether no word with these leading characters can be near enough. */
  let hopeless = false;
  for (let at = 0; at < ends.length; at++) {
    const common = shared[at] as number;
    if (hopeless && common >= valid) continue;
    const start = at === 0 ? 0 : (ends[at - 1] as number);
    const length = (ends[at] as number) - start;
    valid = Math.min(valid, common);
    hopeless = false;
    while (valid < length && !hopeless) {
      hopeless = !table.fillRow(valid + 1, chars[start + valid] as number);
      valid += 1;
    }
    if (hopeless || Math.abs(length - target.length) > maxDistance) continue;
    if (table.distance(valid) > maxDistance) continue;
    found.push({ id: ids[at] as number, name: String.fromCharCode(...chars.subarray(start, start + length)) });
  }
}

/** Levenshtein table of a word against `target`. Row 0 belongs to the empty word. */
class DistanceTable {
  private readonly rows: Uint8Array[];

  constructor(
    private readonly target: string,
    private readonly maxDistance: number,
  ) {
    this.rows = [Uint8Array.from({ length: target.length + 1 }, (_, at) => Math.min(at, far))];
  }

  /** Returns the distance of the word that ends at this row. */
  distance(row: number): number {
    return this.rows[row]?.[this.target.length] as number;
  }

  /** Fills the row of a character from the row above. Returns whether any cell is near enough. */
  fillRow(depth: number, char: number): boolean {
    const { target, maxDistance } = this;
    this.rows[depth] ??= new Uint8Array(target.length + 1);
    const row = this.rows[depth] as Uint8Array;
    const above = this.rows[depth - 1] as Uint8Array;
    const first = Math.max(1, depth - maxDistance);
    const last = Math.min(target.length, depth + maxDistance);
    let left = first === 1 ? Math.min(depth, far) : far;
    let isNear = left <= maxDistance;
    row[first - 1] = left;
    let diagonal = above[first - 1] as number;
    for (let at = first; at <= last; at++) {
      const up = at - depth === maxDistance ? far : (above[at] as number);
      let cell = target.charCodeAt(at - 1) === char ? diagonal : diagonal + 1;
      if (up < cell) cell = up + 1 < cell ? up + 1 : cell;
      if (left + 1 < cell) cell = left + 1;
      if (cell > far) cell = far;
      row[at] = cell;
      if (cell <= maxDistance) isNear = true;
      diagonal = above[at] as number;
      left = cell;
    }
    return isNear;
  }
}

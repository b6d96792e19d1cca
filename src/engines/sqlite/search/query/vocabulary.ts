import { type FoundTerm, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';

/** When there are more recent words than this, they are merged into the sorted ones. */
const maxRecent = 4_096;

/** Sorted words, each with the length of the prefix that it shares with the previous one, which saves most of the work. */
interface SortedWords {
  readonly words: readonly string[];
  readonly ids: Float64Array;
  readonly shared: Uint8Array;
}

/**
 * Holds the words of the index in memory and finds those with a similar spelling. The words are grouped by their number
 * of digits: one edit changes it by at most one, so that words are not compared with numbers and parts of ids.
 */
export class Vocabulary {
  private old: readonly SortedWords[] = [];
  /** Words added since then: comparing them separately costs less than sorting them into the groups. */
  private recent = sortedWords([]);
  private newestId = 0;

  constructor(private readonly connection: Connection) {}

  /** Returns the words within a Levenshtein distance. */
  near(word: string, maxDistance: number): FoundTerm[] {
    this.refresh();
    const found: FoundTerm[] = [];
    const digits = digitsIn(word);
    const old = this.old.slice(Math.max(0, digits - maxDistance), digits + maxDistance + 1);
    for (const words of [...old, this.recent]) findNear(words, word, maxDistance, found);
    return found;
  }

  private refresh(): void {
    const newestId = this.connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    if (newestId === this.newestId) return;
    const added = this.wordsAfter(this.newestId);
    this.newestId = newestId;
    if (added.length === 0) return;
    const recent = [...termsOf(this.recent), ...added];
    const areFew = recent.length <= maxRecent;
    if (!areFew) this.old = byDigits([...this.old.flatMap(termsOf), ...recent]);
    this.recent = sortedWords(areFew ? recent : []);
  }

  /** Reads the words as two texts: half a million rows would take several times as long. No word contains a space. */
  private wordsAfter(id: number): FoundTerm[] {
    // The first time in the order of the index, which leaves little to sort.
    const inOrder = id === 0 ? 'ORDER BY name' : '';
    const row = this.connection.get<{ ids: string | null; names: string | null }>(
      `SELECT group_concat(id, ' ') AS ids, group_concat(name, ' ') AS names
       FROM (SELECT id, name FROM term WHERE id > ? AND kind = ? ${inOrder})`,
      id,
      kinds.word,
    );
    if (!row?.ids || !row.names) return [];
    const ids = row.ids.split(' ');
    return row.names.split(' ').map((name, at) => ({ id: Number(ids[at]), name }));
  }
}

function termsOf({ words, ids }: SortedWords): FoundTerm[] {
  return words.map((name, at) => ({ id: ids[at] as number, name }));
}

function sortedWords(terms: FoundTerm[]): SortedWords {
  const inOrder = terms.sort((one, other) => (one.name < other.name ? -1 : 1));
  const words = inOrder.map(({ name }) => name);
  return {
    words,
    ids: Float64Array.from(inOrder, ({ id }) => id),
    shared: Uint8Array.from(words, (word, at) => (at === 0 ? 0 : sharedStart(words[at - 1] as string, word))),
  };
}

function byDigits(terms: readonly FoundTerm[]): SortedWords[] {
  const groups: FoundTerm[][] = [];
  for (const term of terms) {
    const digits = digitsIn(term.name);
    while (groups.length <= digits) groups.push([]);
    groups[digits]?.push(term);
  }
  return groups.map(sortedWords);
}

function digitsIn(word: string): number {
  let digits = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 48 && code <= 57) digits += 1;
  }
  return digits;
}

function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length, 255);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** Above any distance that is searched for. */
const far = 255;

/**
 * Computes the Levenshtein table of each word against `target`, one row for each character of the word. The rows of the
 * prefix shared with the previous word are reused. Only the cells around the diagonal are filled, because no others can
 * be near enough. When no cell of a row is, all words with that prefix are skipped.
 */
function findNear({ words, ids, shared }: SortedWords, target: string, maxDistance: number, found: FoundTerm[]): void {
  const width = target.length + 1;
  const rows = [Uint8Array.from({ length: width }, (_, at) => Math.min(at, far))];
  /** The number of leading characters of the current word whose rows are valid. */
  let valid = 0;
  /** True when no word that begins with these characters can be near enough. */
  let hopeless = false;
  for (let at = 0; at < words.length; at++) {
    const common = shared[at] as number;
    if (hopeless && common >= valid) continue;
    const word = words[at] as string;
    valid = Math.min(valid, common);
    hopeless = false;
    while (valid < word.length && !hopeless) {
      const row = rows[valid + 1] ?? new Uint8Array(width);
      rows[valid + 1] = row;
      hopeless = !fillRow(row, rows[valid] as Uint8Array, word.charCodeAt(valid), target, valid + 1, maxDistance);
      valid += 1;
    }
    if (hopeless || Math.abs(word.length - target.length) > maxDistance) continue;
    if ((rows[valid]?.[target.length] as number) <= maxDistance) found.push({ id: ids[at] as number, name: word });
  }
}

/** Returns whether any cell of the row is near enough. */
function fillRow(
  row: Uint8Array,
  above: Uint8Array,
  char: number,
  target: string,
  depth: number,
  maxDistance: number,
): boolean {
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

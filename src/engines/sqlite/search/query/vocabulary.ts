import type { Connection } from '../../database/connection.js';
import { type FoundTerm, kinds } from '../index/terms.js';

/** From so many recent words on, they are sorted in among the others. */
const maxRecent = 4_096;

/** Words in order, with how many characters each shares with the one before it: neighbours share most of the work. */
interface SortedWords {
  readonly words: readonly string[];
  readonly ids: Float64Array;
  readonly shared: Uint8Array;
}

/**
 * The words of the index in memory, to find those that are spelled nearly alike. They lie by how many digits they have:
 * each step of a distance makes one more or less, so that numbers and parts of ids are not compared with words.
 */
export class Vocabulary {
  private old: readonly SortedWords[] = [];
  /** Those that came since; sorting them in among the others costs more than looking at both. */
  private recent = sortedWords([]);
  private newestId = 0;

  constructor(private readonly connection: Connection) {}

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
    const added = this.connection.all<{ id: number; name: string }>(
      'SELECT id, name FROM term WHERE id > ? AND kind = ?',
      this.newestId,
      kinds.word,
    );
    this.newestId = newestId;
    if (added.length === 0) return;
    this.recent = sortedWords([...termsOf(this.recent), ...added]);
    if (this.recent.words.length <= maxRecent) return;
    this.old = byDigits([...this.old.flatMap(termsOf), ...termsOf(this.recent)]);
    this.recent = sortedWords([]);
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

/** More than any distance that is looked for. */
const far = 255;

/**
 * Levenshtein distance by its table, a row for each character of the word at hand; the rows of what it shares with the
 * word before are there already. Only cells that can be near enough are filled, those about the diagonal; when none of
 * a row is, all words with that beginning are passed over.
 */
function findNear({ words, ids, shared }: SortedWords, asked: string, maxDistance: number, found: FoundTerm[]): void {
  const width = asked.length + 1;
  const rows = [Uint8Array.from({ length: width }, (_, at) => Math.min(at, far))];
  /** How many characters of the word at hand have their rows. */
  let valid = 0;
  /** Whether no word that begins with those can be near enough. */
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
      hopeless = !fillRow(row, rows[valid] as Uint8Array, word.charCodeAt(valid), asked, valid + 1, maxDistance);
      valid += 1;
    }
    if (hopeless || Math.abs(word.length - asked.length) > maxDistance) continue;
    if ((rows[valid]?.[asked.length] as number) <= maxDistance) found.push({ id: ids[at] as number, name: word });
  }
}

/** @returns whether any cell of the row is near enough */
function fillRow(
  row: Uint8Array,
  above: Uint8Array,
  char: number,
  asked: string,
  depth: number,
  maxDistance: number,
): boolean {
  const first = Math.max(1, depth - maxDistance);
  const last = Math.min(asked.length, depth + maxDistance);
  let left = first === 1 ? Math.min(depth, far) : far;
  let isNear = left <= maxDistance;
  row[first - 1] = left;
  let diagonal = above[first - 1] as number;
  for (let at = first; at <= last; at++) {
    const up = at - depth === maxDistance ? far : (above[at] as number);
    let cell = asked.charCodeAt(at - 1) === char ? diagonal : diagonal + 1;
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

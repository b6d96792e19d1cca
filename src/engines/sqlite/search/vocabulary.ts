import type { Connection } from '../database.js';
import { type FoundTerm, kinds } from './terms.js';

/** From so many new words on, they are sorted in among the others. */
const maxUnsorted = 4_096;

/** Words in order, with how many characters each shares with the one before it: neighbours share most of the work. */
interface SortedWords {
  readonly words: readonly string[];
  readonly ids: Float64Array;
  readonly shared: Uint8Array;
}

/** The words of the index in memory, to find those that are spelled nearly alike. */
export class Vocabulary {
  private sorted: SortedWords = sortedWords([]);
  private unsorted: FoundTerm[] = [];
  private newestId = 0;

  constructor(private readonly connection: Connection) {}

  near(word: string, maxDistance: number): FoundTerm[] {
    this.refresh();
    const found: FoundTerm[] = [];
    for (const words of [this.sorted, sortedWords(this.unsorted)]) findNear(words, word, maxDistance, found);
    return found;
  }

  private refresh(): void {
    const added = this.connection.all<{ id: number; name: string }>(
      'SELECT id, name FROM term WHERE id > ? AND kind = ?',
      this.newestId,
      kinds.word,
    );
    for (const { id } of added) this.newestId = Math.max(this.newestId, id);
    this.unsorted = [...this.unsorted, ...added];
    if (this.unsorted.length <= maxUnsorted) return;
    const { words, ids } = this.sorted;
    this.sorted = sortedWords([...words.map((name, at) => ({ id: ids[at] as number, name })), ...this.unsorted]);
    this.unsorted = [];
  }
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

function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length, 255);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/**
 * Levenshtein distance by its table, a row for each character of the word at hand; the rows of what it shares with the
 * word before are there already. When no cell of a row is near enough, all words with that beginning are passed over.
 */
function findNear({ words, ids, shared }: SortedWords, asked: string, maxDistance: number, found: FoundTerm[]): void {
  const width = asked.length + 1;
  const rows = [Uint16Array.from({ length: width }, (_, at) => at)];
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
      const row = rows[valid + 1] ?? new Uint16Array(width);
      rows[valid + 1] = row;
      hopeless = fillRow(row, rows[valid] as Uint16Array, word.charCodeAt(valid), asked) > maxDistance;
      valid += 1;
    }
    const distance = rows[valid]?.[width - 1] as number;
    if (!hopeless && distance <= maxDistance) found.push({ id: ids[at] as number, name: word });
  }
}

/** @returns the least distance in the row */
function fillRow(row: Uint16Array, above: Uint16Array, char: number, asked: string): number {
  let least = (above[0] as number) + 1;
  row[0] = least;
  for (let at = 1; at < row.length; at++) {
    const same = asked.charCodeAt(at - 1) === char ? 0 : 1;
    const cell = Math.min((above[at - 1] as number) + same, (above[at] as number) + 1, (row[at - 1] as number) + 1);
    row[at] = cell;
    if (cell < least) least = cell;
  }
  return least;
}

/** Maximum length of a word. A longer one is not a word of a language, and has no pieces. */
const maxWordLength = 100;

const words = /[\p{L}\p{N}\p{M}]+/gu;
const accents = /\p{Mn}/gu;

/**
 * Yields the rows of the word pieces of a text. A word is divided into its longest known beginning and the pieces of
 * the rest, which are marked by `##`. A word with an unknown piece yields none. Punctuation also yields none, because
 * it has no meaning.
 */
export function* piecesOf(text: string, rows: ReadonlyMap<string, number>): Generator<number> {
  for (const [word] of text.toLowerCase().normalize('NFD').replace(accents, '').matchAll(words)) {
    const whole = rows.get(word);
    if (whole !== undefined) yield whole;
    else if (word.length <= maxWordLength) yield* split(word, rows);
  }
}

function split(word: string, rows: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  for (let at = 0; at < word.length; ) {
    let end = word.length;
    let row: number | undefined;
    for (; end > at && row === undefined; end--) row = rows.get(`${at === 0 ? '' : '##'}${word.slice(at, end)}`);
    if (row === undefined) return [];
    found.push(row);
    at = end + 1;
  }
  return found;
}

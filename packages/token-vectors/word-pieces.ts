/** Maximum length of a word. A longer one is not a word of a language, and has no pieces. */
const maxWordLength = 100;

const words = /[\p{L}\p{N}\p{M}]+/gu;
const accents = /\p{Mn}/gu;

/** Returns a text in lower case and without accents. */
export const folded = (text: string): string => text.toLowerCase().normalize('NFD').replace(accents, '');

/** Lists the folded words of a text. Punctuation has no meaning, and is omitted. */
export const wordsIn = (text: string): readonly string[] => folded(text).match(words) ?? [];

/**
 * Returns the rows of the pieces of a word: the word itself if it is known, or its longest known beginning and the
 * pieces of the rest, which are marked by `##`. A word with an unknown piece has none.
 */
export function piecesOf(word: string, rows: ReadonlyMap<string, number>): readonly number[] {
  const whole = rows.get(word);
  if (whole !== undefined) return [whole];
  return word.length <= maxWordLength ? split(word, rows) : [];
}

function split(word: string, rows: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  for (let at = 0; at < word.length; ) {
    let end = word.length + 1;
    let row: number | undefined;
    while (row === undefined && --end > at) row = rows.get(`${at === 0 ? '' : '##'}${word.slice(at, end)}`);
    if (row === undefined) return [];
    found.push(row);
    at = end;
  }
  return found;
}

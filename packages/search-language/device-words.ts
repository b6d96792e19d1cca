/**
 * Words of a text that can be names of devices, such as `SR:C03-MG:G02A{Quad:1}I`, in the same way wherever names are
 * stored, suggested, linked or plotted.
 *
 *     name = start { character } end
 *     start = a letter or a digit
 *     end   = any character except `.:!?*_~` and braces; or a brace that closes one of the name
 *
 * Spaces, commas, quotes, dashes, parentheses and the like separate names.
 */

/** A word and its position in the text, in UTF-16 code units. */
export interface DeviceWord {
  readonly word: string;
  readonly start: number;
}

const chunks = /[^\s\p{Cc}\p{Pi}\p{Pf}„‚–—…、。：！？,;|"'`<>=()[\]]+/gu;
const letterOrDigit = /[\p{L}\p{N}]/u;
const notAtEnd = new Set('.:!?*_~{}');

/**
 * Yields the words of a text in order, in time linear in its length.
 * @param literals text between two separators is skipped unless it matches this
 */
export function* deviceWordsIn(text: string, literals?: RegExp): Generator<DeviceWord> {
  for (const { 0: chunk, index } of text.matchAll(chunks)) {
    if (literals && !literals.test(chunk)) continue;
    const start = chunk.search(letterOrDigit);
    if (start < 0) continue;
    yield { word: chunk.slice(start, endOf(chunk, start)), start: index + start };
  }
}

/** Whether a word, or the beginning of one, has the shape of a device name: a letter, and later a colon or a brace. */
export function looksLikeDevice(word: string): boolean {
  return /^\p{L}.*[:{]/u.test(word) && !word.includes('://');
}

export function deviceNamesIn(text: string): string[] {
  return Array.from(deviceWordsIn(text), ({ word }) => word).filter(looksLikeDevice);
}

/**
 * Returns a search text that finds all names with this beginning. It may find others, because the index omits a brace
 * at the end of a name.
 */
export function searchForNames(start: string): string {
  const plain = start.replace(/[*?"]/g, '');
  const isWhole = endOf(plain, 0) === plain.length;
  const word = isWhole ? (/^.*[\p{L}\p{N}\p{M}]/su.exec(plain)?.[0] ?? '') : plain;
  return `${word}*`;
}

/** Returns the position after the last character that can end a name. */
function endOf(chunk: string, start: number): number {
  let end = start;
  let openBraces = 0;
  for (let at = start; at < chunk.length; at++) {
    const char = chunk.charAt(at);
    if (char === '{') openBraces += 1;
    const closes = char === '}' && openBraces > 0;
    if (closes) openBraces -= 1;
    if (closes || !notAtEnd.has(char)) end = at + 1;
  }
  return end;
}

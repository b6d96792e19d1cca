import { wordSeparators } from '../facet-terms.js';

/** Maximum length of a regular expression, below the limit of the index. */
const maxExpressionLength = 900;
/** Maximum length of a word compared by edit distance: the expression grows with the square of its length. */
const maxNearLength = 24;

/** Returns a Lucene regular expression that matches only this text. */
export function literalExpression(text: string): string {
  return text.replace(/[.?+*|{}[\]()"\\#@&<>~^$-]/g, '\\$&');
}

/** Returns a Lucene regular expression for a pattern with `*` and `?`. */
export function wildcardExpression(pattern: string): string {
  return pattern
    .split(/([*?])/)
    .map((piece) => (piece === '*' ? '.*' : piece === '?' ? '.' : literalExpression(piece)))
    .join('');
}

/** Returns Lucene regular expressions for names that contain a word matching any of the patterns. */
export function wordExpressions(patterns: readonly string[]): string[] {
  const separator = `[${wordSeparators}]`;
  const other = `[^${wordSeparators}]`;
  const groups: string[] = [];
  for (const pattern of patterns) {
    const word = wildcardExpression(pattern).replace(/(?<!\\)\./g, other);
    const last = groups.at(-1);
    if (last !== undefined && last.length + word.length < maxExpressionLength)
      groups[groups.length - 1] = `${last}|${word}`;
    else if (word.length < maxExpressionLength) groups.push(word);
  }
  return groups.map((words) => `(.*${separator})?(${words})(${separator}.*)?`);
}

/**
 * Returns a Lucene regular expression for the words within a Levenshtein distance of a word. For a long word, it
 * matches all words of similar length, of which there are few.
 */
export function nearExpression(word: string, maxDistance: number): string {
  const chars = [...word].map(literalExpression);
  if (chars.length <= maxNearLength) return near(chars, 0, maxDistance);
  return `.{${chars.length - maxDistance},${chars.length + maxDistance}}`;
}

function near(chars: readonly string[], from: number, distance: number): string {
  if (distance === 0) return chars.slice(from).join('');
  const char = chars[from];
  // Each character after the end of the word costs one edit.
  if (char === undefined) return `.{0,${distance}}`;
  const kept = `${char}${near(chars, from + 1, distance)}`;
  const edited = near(chars, from + 1, distance - 1);
  const inserted = `.${near(chars, from, distance - 1)}`;
  return `(${kept}|.?${edited === '' ? '' : edited}|${inserted})`;
}

/** The longest word for which the words near it can be listed: the expression grows with the square of its length. */
const maxNearLength = 24;

/** Returns the text as a regular expression of Lucene, which finds it alone. */
export function literalExpression(text: string): string {
  return text.replace(/[.?+*|{}[\]()"\\#@&<>~^$-]/g, '\\$&');
}

/** Returns the regular expression of Lucene that finds what a pattern with `*` and `?` matches. */
export function wildcardExpression(pattern: string): string {
  return pattern
    .split(/([*?])/)
    .map((piece) => (piece === '*' ? '.*' : piece === '?' ? '.' : literalExpression(piece)))
    .join('');
}

/**
 * Returns the regular expression of Lucene that finds the words within a Levenshtein distance of a word; undefined when
 * it would be too long.
 */
export function nearExpression(word: string, maxDistance: number): string | undefined {
  const chars = [...word].map(literalExpression);
  return chars.length > maxNearLength ? undefined : near(chars, 0, maxDistance);
}

function near(chars: readonly string[], from: number, distance: number): string {
  if (distance === 0) return chars.slice(from).join('');
  const char = chars[from];
  // Behind the last character, each further one is one edit.
  if (char === undefined) return `.{0,${distance}}`;
  const kept = `${char}${near(chars, from + 1, distance)}`;
  const edited = near(chars, from + 1, distance - 1);
  const inserted = `.${near(chars, from, distance - 1)}`;
  return `(${kept}|.?${edited === '' ? '' : edited}|${inserted})`;
}

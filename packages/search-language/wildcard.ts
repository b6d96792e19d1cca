import { partsOf } from './tokenize.js';

/**
 * Returns a function that tests a whole text against a pattern: `*` stands for any characters, `?` for one. The
 * function backtracks only to the last `*`, so that no text or pattern makes it slow. A regular expression would try
 * every way to divide a text among the stars.
 */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const wanted = [...pattern];
  return (text) => {
    const chars = [...text];
    let at = 0;
    let next = 0;
    /** Position of the last star in the pattern, and the end of the characters that it matches so far. */
    let star = -1;
    let reach = 0;
    while (at < chars.length) {
      if (wanted[next] === '*') {
        star = next;
        reach = at;
        next += 1;
      } else if (next < wanted.length && (wanted[next] === '?' || wanted[next] === chars[at])) {
        next += 1;
        at += 1;
      } else if (star >= 0) {
        reach += 1;
        at = reach;
        next = star + 1;
      } else {
        return false;
      }
    }
    while (wanted[next] === '*') next += 1;
    return next === wanted.length;
  };
}

/** Returns the longest run of literal characters in a pattern. Every matching text contains it. */
export function longestLiteral(pattern: string): string {
  return pattern.split(/[*?]/).reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

/**
 * Returns whether a pattern applies to single words. Such a pattern matches a name only if it also matches a word of
 * that name, so that a search has to examine only words.
 */
export function isForWords(pattern: string): boolean {
  const bare = pattern.replace(/^\*|\*$/g, '');
  const words = partsOf(bare);
  return words.length === 1 && words[0] === bare;
}

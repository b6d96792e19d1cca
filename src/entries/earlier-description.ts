import type { Entry } from './entry.js';

/**
 * Matches the parts of a text that earlier versions of the program left out of descriptions: definitions, numbers of
 * lists, words after three backticks, and targets of links.
 */
const omitted =
  /^[ \t>]*(?:(\[[^\]\n]+\]:.*)|(\d{1,9}[.)])(?=\s)|(?:```+|~~~+)[ \t]*(\S[^`\n]*)$)|\]\(<?(?!attachment\/)([^)\s>]+)/gm;

/**
 * Returns the text of an entry for searches and tables: its description, followed by the parts that an earlier version
 * of the program left out of it. Stored descriptions are evidence, so they are not corrected.
 */
export function wholeTextOf({ source, description }: Pick<Entry, 'source' | 'description'>): string {
  if (source === '' || source === description) return description;
  const missing = new Set<string>();
  const isSaid = phraseTest(description);
  for (const [, ...parts] of source.matchAll(omitted)) {
    const part = parts.find((one) => one !== undefined)?.trim() ?? '';
    if (part !== '' && !isSaid(part)) missing.add(part);
  }
  return [description, ...missing].filter((one) => one !== '').join('\n');
}

/**
 * Returns a function that tells whether the text contains a phrase, by comparing pairs of adjacent words. Searching the
 * text for each phrase would take quadratic time.
 */
function phraseTest(text: string): (phrase: string) => boolean {
  let words: ReadonlySet<string> | undefined;
  let pairs: ReadonlySet<string> | undefined;
  return (phrase) => {
    words ??= new Set(wordsOf(text));
    const wanted = wordsOf(phrase);
    if (!wanted.every((word) => words?.has(word))) return false;
    if (wanted.length === 1) return true;
    pairs ??= new Set(pairsOf(wordsOf(text)));
    return pairsOf(wanted).every((pair) => pairs?.has(pair));
  };
}

/** Splits a text at the characters that a description may add: spaces, parentheses and commas. */
function wordsOf(text: string): string[] {
  return text.split(/[\s(),]+/).filter((word) => word !== '');
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

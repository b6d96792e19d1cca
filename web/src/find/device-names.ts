import type { Hit } from '../api/types.ts';

const separators = /[\s,;|"'`<>=()[\]]+/;

/** The names of devices, such as `SR:C03-MG:G02A{Quad:1}`, that begin so in what the hits show; the most frequent first. */
export function deviceNames(hits: readonly Hit[], typed: string): string[] {
  const start = typed.toLowerCase();
  const counts = new Map<string, number>();
  for (const { title, snippet = '', properties, devices = [] } of hits) {
    const values = properties.flatMap(({ attributes }) => attributes.map(({ value }) => value ?? ''));
    for (const name of new Set([...devices, ...[title, snippet, ...values].flatMap(namesIn)])) {
      // A name at the end of a snippet is cut.
      if (name.includes('…') || !name.toLowerCase().startsWith(start)) continue;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([name]) => name);
}

/** Returns the words of a text that look like names of devices. */
export function namesIn(text: string): string[] {
  return text.split(separators).map(withoutPunctuation).filter(isDevice);
}

/** Whether a word is a part of the name of a device, or all of it. */
export function isDevice(word: string): boolean {
  return /^\p{L}.*[:{]/u.test(word) && !word.includes('://');
}

function withoutPunctuation(chunk: string): string {
  return chunk.replace(/[.:!?]+$/, '');
}

import { deviceNamesIn } from '../../../packages/search-language/device-words.ts';
import type { Hit } from '../api/types.ts';

/** Matches words that may be cut, at either end of a snippet. */
const cutWords = /^…\S*|\S*…$/g;

/**
 * Returns device names, such as `SR:C03-MG:G02A{Quad:1}`, that begin with the typed text and occur in what the hits
 * show, the most frequent first.
 */
export function deviceNames(hits: readonly Hit[], typed: string): string[] {
  const start = typed.toLowerCase();
  const counts = new Map<string, number>();
  for (const { title, snippet = '', properties, devices = [] } of hits) {
    const values = properties.flatMap(({ attributes }) => attributes.map(({ value }) => value ?? ''));
    const texts = [title, snippet.replace(cutWords, ''), ...values];
    for (const name of new Set([...devices, ...texts.flatMap(deviceNamesIn)])) {
      if (name.toLowerCase().startsWith(start)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([name]) => name);
}

import type { Entry } from './entry.js';

/**
 * Matches what descriptions of earlier versions left out: definitions, numbers of lists, words after three backticks,
 * and targets of links.
 */
const omitted =
  /^[ \t>]*(?:(\[[^\]\n]+\]:.*)|(\d{1,9}[.)])(?=\s)|(?:```+|~~~+)[ \t]*(\S[^`\n]*)$)|\]\(<?(?!attachment\/)([^)\s>]+)/gm;
/** Length in UTF-16 code units above which all parts count as omitted: searching for each would take quadratic time. */
const longText = 20_000;

/**
 * Returns the text of an entry that searches and tables use: its description, and below it what an earlier version of the
 * program left out of it. Stored entries are evidence, so their descriptions stay as they are.
 */
export function wholeTextOf({ source, description }: Pick<Entry, 'source' | 'description'>): string {
  if (source === '' || source === description) return description;
  const missing = new Set<string>();
  for (const [, ...parts] of source.matchAll(omitted)) {
    const part = parts.find((one) => one !== undefined)?.trim() ?? '';
    if (part !== '' && (source.length > longText || !description.includes(part))) missing.add(part);
  }
  return [description, ...missing].filter((one) => one !== '').join('\n');
}

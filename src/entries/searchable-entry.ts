import { mayHoldText } from '../attachments/media-type.js';
import { wholeTextOf } from './earlier-description.js';
import type { Entry } from './entry.js';

export interface SearchableEntry {
  readonly id: number;
  readonly view: Entry;
  readonly isReply: boolean;
  readonly attachmentTexts: readonly string[];
}

/** Maximum length of the indexed texts of all attachments of an entry, in UTF-16 code units. */
export const maxAttachmentChars = 1_000_000;

export function listTextFiles({ attachments }: Pick<Entry, 'attachments'>): string[] {
  return attachments.flatMap(({ checksum, contentType }) => (mayHoldText(contentType) ? [checksum] : []));
}

/** @param findText returns the extracted text of a file, at least its first `maxAttachmentChars` characters */
export function toSearchable(
  entry: Entry,
  isReply: boolean,
  findText: (checksum: string) => string | undefined,
): SearchableEntry {
  const attachmentTexts: string[] = [];
  let remainingChars = maxAttachmentChars;
  for (const checksum of listTextFiles(entry)) {
    if (remainingChars === 0) break;
    const text = findText(checksum) ?? '';
    attachmentTexts.push(text.slice(0, remainingChars).toWellFormed());
    remainingChars -= Math.min(remainingChars, text.length);
  }
  // The text with markup is not searched, and may be long.
  const view = { ...entry, description: wholeTextOf(entry), source: '' };
  return { id: entry.id, view, isReply, attachmentTexts };
}

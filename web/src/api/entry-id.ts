/**
 * Reads the id of an entry from an address or a property; undefined if it has none. The ids of an old server begin at
 * 0.
 */
export function parseEntryId(text: string | undefined): number | undefined {
  return text !== undefined && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

/** Reads a text such as `#48 211` as the number of an entry; undefined for any other text. */
export function typedEntryId(text: string): number | undefined {
  const digits = text
    .trim()
    .replace(/^#/, '')
    .replace(/[\s\u202f]/g, '');
  return parseEntryId(digits);
}

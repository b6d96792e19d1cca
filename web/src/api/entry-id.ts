/** Reads the id of an entry from an address or a property; undefined where there is none. Entries of an old server begin at 0. */
export function parseEntryId(text: string | undefined): number | undefined {
  return text !== undefined && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

/** Reads a text such as `#48 211` as the number of an entry; undefined if it is none. */
export function typedEntryId(text: string): number | undefined {
  const digits = text
    .trim()
    .replace(/^#/, '')
    .replace(/[\s\u202f]/g, '');
  return parseEntryId(digits);
}

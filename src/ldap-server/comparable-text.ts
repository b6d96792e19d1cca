/** Texts that differ in case, in width or in the number of spaces become one (RFC 4518, in short). */
export function ignoringCase(text: string): string {
  return respectingCase(text).toLowerCase().normalize('NFKC');
}

export function respectingCase(text: string): string {
  return withSingleSpaces(text).trim();
}

/** For a piece of a text, whose spaces at the ends count. */
export function withSingleSpaces(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ');
}

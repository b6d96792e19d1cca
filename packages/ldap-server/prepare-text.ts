/** Prepares a value for comparison without regard to case, width and repeated spaces (RFC 4518, simplified). */
export function foldCase(text: string): string {
  return trimSpaces(text).toLowerCase().normalize('NFKC');
}

export function trimSpaces(text: string): string {
  return collapseSpaces(text).trim();
}

/** Prepares a substring, whose leading and trailing spaces are significant. */
export function collapseSpaces(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ');
}

/** Returns the address of the file that an embedded image or a link means; undefined when it means none. */
export type FindFile = (reference: string) => string | undefined;

/** Returns a text in which nothing is markup. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[\\`*_[\]<>&|~{}]/g, '\\$&')
    .replace(/^(\s*)(#{1,6}(?=\s|$)|[-+=])/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])/, '$1\\$2');
}

/** Returns a text as a block of code. */
export function fenced(text: string): string {
  const fences = [...text.matchAll(/^[ \t]*(`{3,})/gm)].map(([, fence]) => fence?.length ?? 0);
  const fence = '`'.repeat(1 + fences.reduce((longest, length) => Math.max(longest, length), 2));
  return `${fence}\n${text}\n${fence}`;
}

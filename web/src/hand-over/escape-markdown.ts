/** Escapes a title, so that it is not read as markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>&#~|]/g, '\\$&');
}

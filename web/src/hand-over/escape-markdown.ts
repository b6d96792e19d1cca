/** Keeps a title from being read as markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>&#~|]/g, '\\$&');
}

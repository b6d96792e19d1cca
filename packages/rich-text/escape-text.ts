/** Escapes everything that could be markup inside a line. */
export function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<>&|~{}]/g, '\\$&');
}

/**
 * Escapes the signs that `packages/markup` would treat as markup inside a line. Signs inside names remain, as in
 * `SR:C03-MG:G02A{Quad:1}`. A backslash at the end also remains, because `\\` before a letter would begin a path.
 */
export function escapeSigns(text: string): string {
  return text
    .replace(/[*`[\]|]|\\(?=[!-/:-@[-`{-~])/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z])|&(?=#?\w{1,32};)|^[>~{]/giu, '\\$&');
}

/** Escapes the beginning of a line that would start a heading, a list, an underline or a table. */
export function escapeLineStart(line: string): string {
  return line.replace(/^(#{1,6}(?=\s|$)|[-+=]|:(?=-))/, '\\$1').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

/** Returns a text as a block of code. */
export function fenced(text: string): string {
  const fences = [...text.matchAll(/^[ \t]*(`{3,})/gm)].map(([, fence]) => fence?.length ?? 0);
  const fence = '`'.repeat(1 + fences.reduce((longest, length) => Math.max(longest, length), 2));
  return `${fence}\n${text}\n${fence}`;
}

/** Returns a text as code within a line. */
export function codeSpan(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(1 + runs.reduce((longest, length) => Math.max(longest, length), 0));
  const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '';
  const pad = isPadded || text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return fence + pad + text + pad + fence;
}

/** Returns an address as the destination of a link, with the characters encoded that would end it. */
export function toDestination(address: string): string {
  return address
    .trim()
    .replace(/[\s<>()\\|"`]/g, (character) => encodeURIComponent(character).replace('(', '%28').replace(')', '%29'));
}

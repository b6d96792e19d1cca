/** Matches the address of an attached picture in a text, with its title. */
export function addressPattern(id: string): string {
  return `\\(attachment/${id.replace(/[^\w-]/g, '\\$&')}(?:[ \\t]+("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'))?[ \\t]*\\)`;
}

/** Returns the caption of a picture in a text, which is its title in Markdown; undefined: the text does not show it. */
export function captionOf(text: string, id: string): string | undefined {
  const found = new RegExp(`!\\[[^\\]\\n]*\\]${addressPattern(id)}`).exec(text);
  return found ? (found[1] ?? '""').slice(1, -1).replace(/\\([!-/:-@[-`{-~])/g, '$1') : undefined;
}

/** Returns the text with another caption of a picture; an empty one removes the caption. */
export function withCaption(text: string, id: string, caption: string): string {
  // A quotation mark would end the title, and an ampersand could begin a character reference.
  const title = caption === '' ? '' : ` "${caption.replace(/["\\&]/g, '\\$&')}"`;
  return text.replace(new RegExp(addressPattern(id), 'g'), () => `(attachment/${id}${title})`);
}

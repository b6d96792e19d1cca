import MarkdownIt, { type Token } from 'markdown-it';

/** Quotations and lists within each other; what is deeper would be left out of the result. */
const maxNesting = 50;
const commonmark = new MarkdownIt('commonmark', { html: false, maxNesting }).enable('table');

/**
 * The text without its CommonMark markup: what a reader would see, images by their description, one line for each
 * block, table row and line break, cells separated by a space.
 */
export function plainTextOf(source: string): string {
  const tokens = commonmark.parse(source, {});
  // Nesting that nobody writes by hand: no word of it may be lost, so it is taken as it is.
  if (tokens.some((token) => token.level >= maxNesting - 1)) return source;
  const lines: string[] = [];
  let line = '';
  const endLine = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  for (const token of tokens) {
    if (token.type === 'inline') line += inlineText(token.children ?? []);
    else if (token.type === 'fence' || token.type === 'code_block') {
      endLine();
      lines.push(token.content.replace(/\n$/, ''));
    } else if (token.type === 'th_close' || token.type === 'td_close') line += ' ';
    else if (token.block && (token.nesting === -1 || token.type === 'hr')) endLine();
  }
  endLine();
  return lines.join('\n');
}

/** The size behind an image, such as {width=640 height=480}, is markup. */
const imageSize = /^\{\s*(?:(?:width|height)=[\w.%"']*\s*)+\}/;

function inlineText(tokens: readonly Token[]): string {
  let text = '';
  let afterImage = false;
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += '\n';
    else if (token.type === 'image') text += inlineText(token.children ?? []);
    else text += afterImage ? token.content.replace(imageSize, '') : token.content;
    afterImage = token.type === 'image';
  }
  return text;
}

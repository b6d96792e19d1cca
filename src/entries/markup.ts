import MarkdownIt, { type Token } from 'markdown-it';

/** Quotations and lists within each other; what is deeper would be left out of the result. */
const maxNesting = 50;
const withoutTables = new MarkdownIt('commonmark', { html: false, maxNesting });
const commonmark = new MarkdownIt('commonmark', { html: false, maxNesting }).enable('table');

/**
 * The text without its CommonMark markup: what a reader would see, images by their description, one line for each
 * block, table row and line break, cells separated by a space.
 */
export function plainTextOf(source: string): string {
  let tokens = commonmark.parse(source, {});
  // Of a row with more cells than the head, a reader would see the first ones alone: no word of it may be lost.
  if (!areTablesWhole(tokens, source)) tokens = withoutTables.parse(source, {});
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

/** Whether the cells of each table hold all that its lines do. */
function areTablesWhole(tokens: readonly Token[], source: string): boolean {
  const lines = tokens.some(({ type }) => type === 'table_open') ? source.split(/\r\n?|\n/) : [];
  let rows: string[] = [];
  let cells: string[] = [];
  for (const token of tokens) {
    if (token.type === 'table_open') {
      const [first, end] = token.map ?? [0, 0];
      // Behind the head comes a line of dashes.
      rows = [...lines.slice(first, first + 1), ...lines.slice(first + 2, end)];
      cells = [];
    } else if (token.type === 'inline') cells.push(token.content);
    else if (token.type === 'table_close' && lettersOf(rows) !== lettersOf(cells)) return false;
  }
  return true;
}

/** Without what surrounds cells and quoted lines. */
function lettersOf(texts: readonly string[]): string {
  return texts.join('').replace(/[\s|\\>]/g, '');
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

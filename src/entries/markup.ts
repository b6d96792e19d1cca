import MarkdownIt, { type Token } from 'markdown-it';

/** Levels of nested quotations and lists. The parser drops content that is nested deeper. */
const maxNesting = 50;
const withoutTables = new MarkdownIt('commonmark', { html: false, maxNesting });
const commonmark = new MarkdownIt('commonmark', { html: false, maxNesting }).enable('table');

/**
 * Returns the text without its CommonMark markup, as a reader would see it: images as their description, one line for
 * each block, table row and line break, cells separated by a space. No word of the text is lost.
 */
export function plainTextOf(source: string): string {
  let tokens = commonmark.parse(source, {});
  // The parser drops cells beyond those of the table header; a text with such a row is parsed without tables.
  if (!areTablesWhole(tokens, source)) tokens = withoutTables.parse(source, {});
  // The parser drops deeper content, so a text that is nested this deeply is used unchanged.
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

/** True when the cells of each table contain all text of its lines. */
function areTablesWhole(tokens: readonly Token[], source: string): boolean {
  const lines = tokens.some(({ type }) => type === 'table_open') ? source.split(/\r\n?|\n/) : [];
  let rows: string[] = [];
  let cells: string[] = [];
  for (const token of tokens) {
    if (token.type === 'table_open') {
      const [first, end] = token.map ?? [0, 0];
      // The header row is followed by a line of dashes.
      rows = [...lines.slice(first, first + 1), ...lines.slice(first + 2, end)];
      cells = [];
    } else if (token.type === 'inline') cells.push(token.content);
    else if (token.type === 'table_close' && lettersOf(rows) !== lettersOf(cells)) return false;
  }
  return true;
}

/** Returns the texts without white space, cell separators, escapes and quotation marks. */
function lettersOf(texts: readonly string[]): string {
  return texts.join('').replace(/[\s|\\>]/g, '');
}

/** The size after an image, such as {width=640 height=480}, is markup. */
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

import { escapeSigns } from '../../../../packages/rich-text/escape-text.ts';

/** Larger tables stay text: they are too long to read in an entry, and a file keeps them better. */
const maxLength = 500_000;
const maxCells = 10_000;
/** A cell, in quotation marks if it contains line ends, and the separator or line end after it. */
const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r?\n|\r|$)/y;

/** Returns the copied cells of a spreadsheet, which tabs divide, as a Markdown table; undefined for any other text. */
export function tableFromText(text: string): string | undefined {
  if (text.length > maxLength || !text.includes('\t')) return undefined;
  const rows = rowsOf(text.replace(/(?:\r?\n|\r)$/, ''));
  const width = rows[0]?.length ?? 0;
  const isTable = rows.length > 1 && width > 1 && width * rows.length <= maxCells;
  // Lines that begin with a tab are indented text.
  if (!isTable || rows.some((row) => row.length !== width) || rows.every(([first]) => first === '')) return undefined;
  const [head = [], ...others] = rows.map((row) => `| ${row.map(shownCell).join(' | ')} |`);
  return [head, `|${' --- |'.repeat(width)}`, ...others].join('\n');
}

function rowsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  cell.lastIndex = 0;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain = '', end = ''] = match;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  return rows;
}

const shownCell = (text: string) => escapeSigns(text.trim().replace(/\s+/g, ' '));

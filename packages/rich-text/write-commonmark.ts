import { escapeLineStart, fenced } from './escape-text.js';
import type { Block, Cell, ListItem, Run, Targets } from './text-model.js';
import { type Dialect, type InlineContext, writeInline } from './write-inline.js';

export interface WrittenText {
  readonly source: string;
  /** Addresses of images without a target. */
  readonly missing: readonly string[];
}

/** Writes blocks as CommonMark. No character of their text becomes markup. */
export function writeCommonmark(
  blocks: readonly Block[],
  targets: Targets,
  dialect: Dialect = 'commonmark',
): WrittenText {
  const missing: string[] = [];
  const writer = new Writer({ targets, dialect, hasLines: true, onMissing: (address) => missing.push(address) });
  return { source: writer.blocks(blocks), missing };
}

class Writer {
  constructor(private readonly context: InlineContext) {}

  blocks(blocks: readonly Block[]): string {
    let bullet = '*';
    let delimiter = ')';
    const parts = blocks.map((block, at) => {
      if (block.kind !== 'list') return this.block(block);
      // Two consecutive lists with the same marks would be parsed as one.
      const isNext = blocks[at - 1]?.kind === 'list';
      bullet = isNext && bullet === '-' ? '*' : '-';
      delimiter = isNext && delimiter === '.' ? ')' : '.';
      return this.list(block.items, bullet, delimiter);
    });
    return parts.filter((part) => part !== '').join('\n\n');
  }

  private block(block: Exclude<Block, { readonly kind: 'list' }>): string {
    switch (block.kind) {
      case 'paragraph':
        return this.paragraph(block.runs);
      case 'heading': {
        const text = this.line(block.runs);
        // Trailing number signs would be parsed as closing marks, and not be shown.
        return text === '' ? '' : `${'#'.repeat(block.level)} ${text.replace(/#(?=#*$)/g, '\\#')}`;
      }
      case 'quote':
        return this.quote(this.blocks(block.content));
      case 'code':
        return fenced(block.text);
      case 'rule':
        return '***';
      case 'table':
        return this.table(block.rows);
    }
  }

  private quote(text: string): string {
    // `> 200 mA` alone would be parsed as a comparison.
    const first = this.context.dialect === 'typed' && /^[^\p{L}]/u.test(text) ? '>\n' : '';
    return first + text.replace(/^/gm, '> ').replace(/^> $/gm, '>');
  }

  private paragraph(runs: readonly Run[]): string {
    const text = writeInline(runs, this.context);
    return text
      .split('\n')
      .map((line) => escapeLineStart(line.trim()))
      .filter((line) => line !== '')
      .join(this.context.dialect === 'typed' ? '\n' : '\\\n');
  }

  private line(runs: readonly Run[]): string {
    return writeInline(runs, { ...this.context, hasLines: false })
      .replace(/\s+/g, ' ')
      .trim();
  }

  private list(items: readonly ListItem[], bullet: string, delimiter: string): string {
    const parts = items.map(({ label, content }) => {
      const number = /^(\d{1,9})[.]$/.exec(label ?? '')?.[1];
      const mark = number === undefined ? bullet : `${number}${delimiter}`;
      const text = this.blocks(number === undefined && label !== undefined ? withLabel(label, content) : content);
      const isTight =
        content.length <= 1 || (content.length === 2 && isText(content[0]) && content[1]?.kind === 'list');
      const inner = isTight ? text.replace(/\n\n(?=- \S|1[.] \S)/, '\n') : text;
      return { isTight, text: `${mark} ${inner.replace(/\n(?!\n|$)/g, `\n${' '.repeat(mark.length + 1)}`)}`.trimEnd() };
    });
    return parts.map(({ text }) => text).join(parts.every(({ isTight }) => isTight) ? '\n' : '\n\n');
  }

  private table(rows: readonly (readonly Cell[])[]): string {
    const filled = rows.filter((row) => row.some(({ content }) => content.length > 0));
    if (filled.length === 0) return '';
    const cells = filled.flat();
    const grid = toGrid(filled);
    const width = grid.reduce((widest, row) => Math.max(widest, row.length), 1);
    const isMostlyEmpty = width * grid.length > Math.max(smallTable, maxGrowth * cells.length);
    if (isMostlyEmpty || isLayout(filled)) return this.blocks(cells.flatMap(({ content }) => content));
    const line = (row: readonly (Cell | undefined)[]) =>
      `| ${Array.from({ length: width }, (_, at) => this.cell(row[at])).join(' | ')} |`;
    const [first = [], ...others] = grid;
    return [line(first), `|${' --- |'.repeat(width)}`, ...others.map(line)].join('\n');
  }

  private cell(cell: Cell | undefined): string {
    return (cell?.content ?? []).map((block) => ('runs' in block ? this.line(block.runs) : '')).join(' ');
  }
}

const isText = (block: Block | undefined) => block !== undefined && 'runs' in block;

function withLabel(label: string, content: readonly Block[]): readonly Block[] {
  const marks = { isStrong: false, isEmphasis: false, isCode: false, script: undefined, link: undefined };
  const run: Run = { kind: 'text', text: `${label} `, marks };
  const [first, ...others] = content;
  if (first?.kind === 'paragraph') return [{ ...first, runs: [run, ...first.runs] }, ...others];
  return [{ kind: 'paragraph', runs: [run] }, ...content];
}

/** Whether a table is only used for layout: a cell contains more than lines of text, or it is the only cell. */
function isLayout(rows: readonly (readonly Cell[])[]): boolean {
  if (rows.length === 1 && rows[0]?.length === 1) return true;
  return rows.some((row) => row.some(({ content }) => content.some((block) => !('runs' in block))));
}

const maxColumns = 200;
/** Maximum number of written cells per cell of a table, because a single long row makes all rows as long. */
const maxGrowth = 20;
/** Number of written cells up to which a table may exceed `maxGrowth`. */
const smallTable = 10_000;

/** Arranges cells that span several columns or rows; undefined for a position that another cell covers. */
function toGrid(rows: readonly (readonly Cell[])[]): (Cell | undefined)[][] {
  const taken = new Set<string>();
  return rows.map((row, y) => {
    const line: (Cell | undefined)[] = [];
    for (const cell of row) {
      while (taken.has(`${line.length} ${y}`)) line.push(undefined);
      const x = line.length;
      const columns = x >= maxColumns ? 1 : cell.columns;
      for (let below = 1; below < Math.min(cell.rows, rows.length - y); below++) {
        for (let right = 0; right < columns; right++) taken.add(`${x + right} ${y + below}`);
      }
      line.push(cell, ...Array.from({ length: columns - 1 }, () => undefined));
    }
    while (taken.has(`${line.length} ${y}`)) line.push(undefined);
    return line;
  });
}

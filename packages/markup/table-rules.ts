import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import { lineOf } from './block-rules.js';
import { wrapRule } from './wrap-rule.js';

/** Keeps the cells of a row beyond those of the header, which the parser would drop. Aligns columns by classes. */
export function keepExtraCells(markdown: MarkdownIt): void {
  wrapRule(markdown.block.ruler, 'table', (rule) => (state, line, end, isSilent) => {
    const first = state.tokens.length;
    if (!rule(state, line, end, isSilent)) return false;
    if (isSilent) return true;
    const rows = state.tokens.splice(first);
    let columns = 0;
    let rowLine = line;
    for (const token of rows) {
      if (token.type === 'th_open') columns += 1;
      if (token.type === 'tr_open') rowLine = token.map?.[0] ?? rowLine;
      if (token.type === 'tr_close' && rowLine > line) {
        for (const cell of cellsOf(lineOf(state, rowLine)).slice(columns)) pushCell(state, cell, token.level);
      }
      alignByClass(token);
      state.tokens.push(token);
    }
    return true;
  });
}

function pushCell(state: StateBlock, content: string, level: number): void {
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, deeper: number) => {
    const token = Object.assign(new state.Token(type, tag, nesting), { block: true, level: level + deeper });
    state.tokens.push(token);
    return token;
  };
  push('td_open', 'td', 1, 1);
  Object.assign(push('inline', '', 0, 2), { content, children: [] });
  push('td_close', 'td', -1, 1);
}

/** Splits a line at its bars, like the parser. A bar after a backslash belongs to its cell. */
function cellsOf(line: string): string[] {
  const text = line.trim();
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
  if (text.startsWith('|')) cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells;
}

/** Aligns a cell by a class instead of the style attribute of the parser, because many pages forbid inline styles. */
function alignByClass(token: Token): void {
  const [, align] = /^text-align:(\w+)/.exec(String(token.attrGet('style') ?? '')) ?? [];
  if (align !== undefined) token.attrs = [['class', `align-${align}`]];
}

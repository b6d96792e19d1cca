import type { MarkdownIt, StateBlock } from 'markdown-it';
import { wrapRule } from './wrap-rule.js';

/** Maximum number of levels, of which a quotation takes one and a list two. Deeper marks are text. */
const maxLevel = 60;

/** Treats marks that were typed as plain signs, and marks that are nested too deeply, as text. */
export function addBlockRules(markdown: MarkdownIt): void {
  wrapRule(markdown.block.ruler, 'blockquote', (rule) => (state, line, end, isSilent) => {
    return state.level < maxLevel && isQuote(lineOf(state, line), state, line) && rule(state, line, end, isSilent);
  });
  wrapRule(markdown.block.ruler, 'list', (rule) => (state, line, end, isSilent) => {
    return state.level < maxLevel && rule(state, line, end, isSilent);
  });
  wrapRule(markdown.block.ruler, 'heading', (rule) => (state, line, end, isSilent) => {
    const text = lineOf(state, line);
    if (!text.startsWith('#') || !isHeading(text) || !rule(state, line, end, isSilent)) return false;
    if (!isSilent) keepClosingSigns(state, text);
    return true;
  });
  // Only a single line can be a heading by its underline. Below several lines, dashes are a rule and equals signs are
  // text.
  wrapRule(markdown.block.ruler, 'lheading', (rule) => (state, line, end, isSilent) => {
    return line + 1 < end && /^(?:-{2,}|={2,})\s*$/.test(lineOf(state, line + 1)) && rule(state, line, end, isSilent);
  });
}

/** Returns a line without its indentation and without the marks around it. */
export function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/**
 * Comparisons such as `> 200 mA`, `>= 3` and `>~ 5`, but no times, dates or numbered items. Also faces such as `>:(`.
 */
const comparison =
  /^>+(?!\s*\d+(?::\d|[.)]\s|-\d\d|\.\d+\.))\s*(?:=|[~≈±+−–-]?\s*[$€£¥]?[.,]?\d)|^>(?:[._]+[<>]|[:;]-?[()/|DPo])(?!\w)/;

/** Whether a line with `>` begins a quotation. */
function isQuote(text: string, state: StateBlock, line: number): boolean {
  if (!text.startsWith('>') || comparison.test(text)) return false;
  return /[^>\s]/.test(text) || (line + 1 < state.lineMax && lineOf(state, line + 1).startsWith('>'));
}

/**
 * Lines such as `# of bunches`, `# 5 tripped` and `# Trips: 3`, in which the sign means “number”. A heading of one sign
 * begins with a capital letter.
 */
const count = /^#\s+(?:\p{Ll}|\d+(?:[:,;]?\s|$)|.*\p{L}\s*[:=<>≤≥]\s*[-+~<>≈]?\d)/u;

function isHeading(text: string): boolean {
  return !count.test(text) && /[^#\s]/.test(text);
}

/** Keeps number signs at the end of a heading that do not mirror those at its beginning: `## Bunch #`. */
function keepClosingSigns(state: StateBlock, text: string): void {
  const [, signs = '', content = ''] = /^(#+)\s+(.*)$/.exec(text.trimEnd()) ?? [];
  const [closing] = /#+$/.exec(content) ?? [];
  const inline = state.tokens.at(-2);
  if (inline && closing !== undefined && closing.length !== signs.length) inline.content = content.trim();
}

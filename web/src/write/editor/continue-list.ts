import type { StateCommand } from '@codemirror/state';

/** The beginning of a line that its next line repeats: quotes, and then at most one bullet, number or box. */
const marker = /^(\s*(?:>\s?)*)(?:([-*+])(\s+)(\[[ xX]\]\s+)?|(\d{1,9})([.)])(\s+))?/;

export interface LineStart {
  /** Number of characters that make it a line of a list or a quote. */
  readonly length: number;
  /** Beginning of the next line. */
  readonly next: string;
}

/** Returns how the line after this one begins; undefined for a line that is neither in a list nor in a quote. */
export function lineStart(line: string): LineStart | undefined {
  const [all = '', quote = '', bullet, gap = '', box, number, dot = '', numberGap = ''] = marker.exec(line) ?? [];
  if (bullet !== undefined) {
    return { length: all.length, next: `${quote}${bullet}${gap}${box === undefined ? '' : '[ ] '}` };
  }
  if (number !== undefined) return { length: all.length, next: `${quote}${Number(number) + 1}${dot}${numberGap}` };
  return quote.includes('>') ? { length: all.length, next: quote } : undefined;
}

/** Continues the list or quote. An item without text ends it, with the empty line that Markdown needs. */
export const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  if (state.selection.ranges.length > 1) return false;
  const line = state.doc.lineAt(main.head);
  const start = lineStart(line.text);
  if (!start || main.head < line.from + start.length) return false;
  const isEmpty = main.empty && line.text.slice(start.length).trim() === '';
  const change = isEmpty
    ? { from: line.from, to: line.to, insert: state.lineBreak }
    : { from: main.from, to: main.to, insert: `${state.lineBreak}${start.next}` };
  const anchor = isEmpty ? line.from + 1 : main.from + 1 + start.next.length;
  dispatch(state.update({ changes: change, selection: { anchor }, scrollIntoView: true, userEvent: 'input' }));
  return true;
};

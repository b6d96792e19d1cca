import { EditorSelection, type EditorState, type StateCommand } from '@codemirror/state';
import { plotLimits } from '../../../../packages/control-system/plot-block.ts';
import { deviceNamesIn } from '../../../../packages/search-language/device-words.ts';
import type { EditorCommand } from './editor-handle.ts';

/** Puts the marks around each selection, or removes existing ones. */
const wrap =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const { length } = mark;
    const change = state.changeByRange(({ from, to }) => {
      const isMarked = state.sliceDoc(from - length, from) === mark && state.sliceDoc(to, to + length) === mark;
      if (isMarked) {
        const changes = [
          { from: from - length, to: from },
          { from: to, to: to + length },
        ];
        return { changes, range: EditorSelection.range(from - length, to - length) };
      }
      const changes = [
        { from, insert: mark },
        { from: to, insert: mark },
      ];
      return { changes, range: EditorSelection.range(from + length, to + length) };
    });
    dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

/** Begins each selected line with the mark, or removes it when all have it. */
const prefixLines =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const first = state.doc.lineAt(from).number;
    const last = state.doc.lineAt(to).number;
    const lines = Array.from({ length: last - first + 1 }, (_, at) => state.doc.line(first + at));
    const isMarked = lines.every(({ text }) => text.startsWith(mark));
    const changes = lines.map((line) =>
      isMarked ? { from: line.from, to: line.from + mark.length } : { from: line.from, insert: mark },
    );
    const transaction = state.changes(changes);
    const selection = EditorSelection.range(transaction.mapPos(from, 1), transaction.mapPos(to, 1));
    dispatch(state.update({ changes: transaction, selection, scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

const link: StateCommand = ({ state, dispatch }) => {
  const { from, to } = state.selection.main;
  const text = state.sliceDoc(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(text);
  const insert = isAddress ? `[](${text})` : `[${text}]()`;
  const anchor = isAddress ? from + 1 : from + insert.length - 1;
  dispatch(
    state.update({ changes: { from, to, insert }, selection: { anchor }, scrollIntoView: true, userEvent: 'input' }),
  );
  return true;
};

/**
 * Returns the line ends that put a text on lines of its own when it replaces a range. An empty line follows: a sentence
 * typed after a table or list would become part of it.
 */
export function blockEnds(state: EditorState, from: number): [before: string, after: string] {
  const line = state.doc.lineAt(from);
  const isOwnLine = state.sliceDoc(line.from, from).trim() === '';
  const isAfterText = isOwnLine && line.number > 1 && state.doc.line(line.number - 1).text.trim() !== '';
  const before = isAfterText ? '\n' : isOwnLine ? '' : '\n\n';
  return [before, '\n\n'];
}

/** Inserts a text on lines of its own; the cursor goes after it, or to a place in it. */
export const insertBlock =
  (text: string, cursor = text.length): StateCommand =>
  ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const [before, after] = blockEnds(state, from);
    const changes = { from, to, insert: `${before}${text}${after}` };
    const anchor = from + before.length + cursor + (cursor === text.length ? after.length : 0);
    dispatch(state.update({ changes, selection: { anchor }, scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

const table = '| Time | Value |\n|---|---|\n|  |  |';

/** Characters of the text in which names are looked for. */
const maxExaminedChars = 131_072;

/**
 * Inserts a plot of the devices that the text mentions. Without any, the cursor goes to the line for the first device.
 */
const plot: StateCommand = (target) => {
  const words = deviceNamesIn(target.state.sliceDoc(0, maxExaminedChars));
  const names = [...new Set(words)].slice(0, plotLimits.names);
  const start = '```plot\n';
  const text = `${start}${names.join('\n')}\n-1h..+10m\n\`\`\``;
  return insertBlock(text, names.length === 0 ? start.length : text.length)(target);
};

export const editorCommands: Readonly<Record<EditorCommand, StateCommand>> = {
  bold: wrap('**'),
  italic: wrap('*'),
  code: wrap('`'),
  list: prefixLines('- '),
  quote: prefixLines('> '),
  table: insertBlock(table, table.length - 5),
  plot,
  link,
};

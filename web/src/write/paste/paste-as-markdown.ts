import { isolateHistory } from '@codemirror/commands';
import { syntaxTree } from '@codemirror/language';
import type { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { rootPath } from '../../app/root-path.ts';
import { blockEnds } from '../editor/commands.ts';
import type { PastedText } from './rich-text.ts';
import { tableFromText } from './table-text.ts';

/** Maximum length of HTML that is converted: a longer one would block the page. */
const maxHtmlLength = 1_000_000;

/**
 * Turns pasted tables and formatted text into Markdown. The plain text is pasted first, so that one undo restores it.
 */
export const pasteAsMarkdown = EditorView.domEventHandlers({
  paste: (event, view) => {
    const { state } = view;
    const { clipboardData } = event;
    if (!clipboardData || state.readOnly || state.selection.ranges.length > 1 || isInCode(state)) return false;
    const [plain, html] = ['text/plain', 'text/html'].map((type) => clipboardData.getData(type)) as [string, string];
    if (html === '' && tableFromText(plain) === undefined) return false;
    event.preventDefault();
    const { from, to } = state.selection.main;
    const pasted = state.toText(plain);
    view.dispatch({
      changes: { from, to, insert: pasted },
      selection: { anchor: from + pasted.length },
      scrollIntoView: true,
      userEvent: 'input.paste',
      annotations: isolateHistory.of('full'),
    });
    void convert(plain, html).then((converted) => {
      if (converted && view.dom.isConnected) replace(view, from, pasted, converted);
    });
    return true;
  },
});

/** Whether the cursor is in code, where pasted text stays unchanged. */
function isInCode(state: EditorState): boolean {
  const node = syntaxTree(state).resolveInner(state.selection.main.from, -1);
  return /Code/.test(node.name) || /Code/.test(node.parent?.name ?? '');
}

async function convert(plain: string, html: string): Promise<PastedText | undefined> {
  const table = () => {
    const markdown = tableFromText(plain);
    return markdown === undefined ? undefined : { markdown, isInline: false };
  };
  if (html === '' || html.length > maxHtmlLength) return table();
  const { readPastedHtml } = await import('./rich-text.ts');
  return readPastedHtml(html, { origin: location.origin, rootPath }) ?? table();
}

/** Replaces the pasted text, unless it was changed in the meantime. */
function replace(view: EditorView, from: number, pasted: Text, { markdown, isInline }: PastedText): void {
  const { state } = view;
  const to = from + pasted.length;
  if (to > state.doc.length || !state.doc.slice(from, to).eq(pasted)) return;
  const [before, after] = isInline ? ['', ''] : blockEnds(state, from);
  const insert = state.toText(before + markdown + after);
  const isAtEnd = state.selection.main.empty && state.selection.main.head === to;
  view.dispatch({
    changes: { from, to, insert },
    ...(isAtEnd && { selection: { anchor: from + insert.length } }),
    scrollIntoView: isAtEnd,
    userEvent: 'input.paste',
    annotations: isolateHistory.of('full'),
  });
}

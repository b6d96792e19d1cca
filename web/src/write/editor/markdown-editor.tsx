import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import { giveKeysTo } from '../../keys/held-keys.ts';
import { completions } from '../completions/completions.ts';
import type { SlashActions } from '../completions/slash-commands.ts';
import { pasteAsMarkdown } from '../paste/paste-as-markdown.ts';
import { editorCommands, insertBlock } from './commands.ts';
import { continueList } from './continue-list.ts';
import type { EditorHandle } from './editor-handle.ts';
import './editor.css';
import { markdownLanguage } from './markdown-language.ts';

interface MarkdownEditorProps {
  readonly text: string;
  /** Number of texts that came from elsewhere. When it changes, the editor shows the new text. */
  readonly foreign: number;
  readonly label: string;
  readonly hint: string;
  /** Whether writing begins here rather than with the title. */
  readonly isFirst: boolean;
  /** Whether the cursor begins at the end of the text. Default: false. */
  readonly startsAtEnd?: boolean;
  /** Actions of the page that the menu of the text offers. */
  readonly actions?: SlashActions | undefined;
  readonly onChange: (text: string) => void;
  readonly handle: RefObject<EditorHandle | null>;
}

/** The text of an entry as Markdown. Tab leaves it, so that it does not trap the keyboard. */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { text, foreign, label, hint, isFirst, startsAtEnd = false, actions, onChange, handle } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  const latestActions = useRef(actions);
  latestActions.current = actions;
  const initial = useRef({ text, label, hint, isFirst, startsAtEnd });
  useEffect(() => {
    if (!place.current) return undefined;
    const created = createView(place.current, initial.current, {
      onChange: (changed) => latest.current(changed),
      actions: () => latestActions.current ?? {},
    });
    view.current = created;
    if (initial.current.isFirst) {
      // Moves the selection of the document to the cursor of the text, where held keys are pressed again.
      created.focus();
      giveKeysTo(created.contentDOM);
    }
    return () => created.destroy();
  }, []);
  const shownText = useRef(text);
  shownText.current = text;
  useEffect(() => {
    if (foreign > 0 && view.current) takeOver(view.current, shownText.current);
  }, [foreign]);
  useImperativeHandle(handle, () => toHandle(() => view.current), []);
  return <div className="markdown-editor" ref={place} />;
}

function createView(
  parent: HTMLElement,
  { text, label, hint, startsAtEnd }: Required<Pick<MarkdownEditorProps, 'text' | 'label' | 'hint' | 'startsAtEnd'>>,
  { onChange, actions }: { readonly onChange: (text: string) => void; readonly actions: () => SlashActions },
): EditorView {
  const extensions = [
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    placeholder(hint),
    markdownLanguage,
    pasteAsMarkdown,
    completions(actions),
    keymap.of([
      { key: 'Enter', run: continueList },
      { key: 'Mod-b', run: editorCommands.bold },
      { key: 'Mod-i', run: editorCommands.italic },
      // The page handles sending.
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({
      'aria-label': label,
      spellcheck: 'true',
      autocapitalize: 'sentences',
      // Some accessibility checkers recognise a tab stop only by this attribute.
      tabindex: '0',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
  ];
  const selection = { anchor: startsAtEnd ? text.length : 0 };
  const scrollTo = EditorView.scrollIntoView(selection.anchor);
  return new EditorView({ parent, state: EditorState.create({ doc: text, selection, extensions }), scrollTo });
}

/** Changes only what differs, so that the cursor stays where it is. */
function takeOver(view: EditorView, text: string): void {
  const current = view.state.doc.toString();
  if (current === text) return;
  let start = 0;
  while (start < current.length && current[start] === text[start]) start += 1;
  let end = 0;
  const most = Math.min(current.length, text.length) - start;
  while (end < most && current[current.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  const insert = text.slice(start, text.length - end);
  // A separate step: one undo must not remove what was typed just before.
  const annotations = isolateHistory.of('full');
  view.dispatch({ changes: { from: start, to: current.length - end, insert }, annotations });
}

function toHandle(view: () => EditorView | null): EditorHandle {
  return {
    focus: () => view()?.focus(),
    run: (command) => {
      const editor = view();
      if (!editor) return;
      editorCommands[command](editor);
      editor.focus();
    },
    insertBlock: (text) => {
      const editor = view();
      if (editor) insertBlock(text)(editor);
    },
  };
}

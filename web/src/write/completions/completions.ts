import {
  acceptCompletion,
  autocompletion,
  completionStatus,
  currentCompletions,
  selectedCompletionIndex,
  setSelectedCompletion,
} from '@codemirror/autocomplete';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import i18next from 'i18next';
import { mentionedEntries, mentionedUsers } from './mentions.ts';
import { type SlashActions, slashCommands } from './slash-commands.ts';
import './completions.css';

/**
 * Menus of the text: commands after `/`, users after `@`, entries after `#`. The focus stays in the text. No option is
 * marked at first: Enter at the end of a word must not replace the word.
 */
export function completions(actions: () => SlashActions): Extension {
  return [
    autocompletion({
      override: [slashCommands(actions), mentionedUsers, mentionedEntries],
      icons: false,
      maxRenderedOptions: 20,
      selectOnOpen: false,
    }),
    Prec.highest(
      keymap.of([
        { key: 'Tab', run: (view) => choose(view, 0) },
        { key: 'Enter', run: (view) => choose(view, writtenOption(view.state)) },
      ]),
    ),
    EditorState.phrases.of({ Completions: i18next.t('suggestions', { ns: 'write' }) }),
  ];
}

/** Chooses the marked option of an open menu, or else the one at the index; -1: none. */
function choose(view: EditorView, index: number): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if (selectedCompletionIndex(view.state) === null) {
    if (index < 0) return false;
    view.dispatch({ effects: setSelectedCompletion(index) });
  }
  return acceptCompletion(view);
}

/** Returns the index of the command or template whose full name is alone on its line; -1: none. */
function writtenOption(state: EditorState): number {
  const { head } = state.selection.main;
  const { from, to, text } = state.doc.lineAt(head);
  const line = text.trimStart().toLowerCase();
  if (head !== to || head === from) return -1;
  return currentCompletions(state).findIndex(({ label }) =>
    label.startsWith('/') ? line === label : line === `/template ${label.toLowerCase()}`,
  );
}

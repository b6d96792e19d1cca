import { autocompletion } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import i18next from 'i18next';
import { mentionedEntries, mentionedUsers } from './mentions.ts';
import { type SlashActions, slashCommands } from './slash-commands.ts';
import './completions.css';

/** Menus of the text: commands after `/`, users after `@`, entries after `#`. The focus stays in the text. */
export function completions(actions: () => SlashActions): Extension {
  return [
    autocompletion({
      override: [slashCommands(actions), mentionedUsers, mentionedEntries],
      icons: false,
      maxRenderedOptions: 20,
    }),
    EditorState.phrases.of({ Completions: i18next.t('suggestions', { ns: 'write' }) }),
  ];
}

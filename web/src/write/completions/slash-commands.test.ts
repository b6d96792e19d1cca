import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import i18next from 'i18next';
import { expect, test } from 'vitest';
import { readServerDate } from '../../api/server-clock.ts';
import { formatForSearch } from '../../components/search-time.ts';
import { slashCommands } from './slash-commands.ts';

/** Types the command into an empty text, and chooses the first one that is offered. */
function choose(typed: string): string {
  const view = {
    state: EditorState.create({ doc: typed, selection: { anchor: typed.length } }),
    dispatch: (change: Transaction | TransactionSpec) => {
      view.state = view.state.update(change as TransactionSpec).state;
    },
  };
  const found = slashCommands(() => ({}))(new CompletionContext(view.state, typed.length, true));
  const [option] = found?.options ?? [];
  if (typeof option?.apply !== 'function') throw new Error(`no command begins with ${typed}`);
  option.apply(view as unknown as EditorView, option, found?.from ?? 0, typed.length);
  return view.state.doc.toString();
}

test('/now is the time of the service, whose clock is not that of the computer', async () => {
  await i18next.init({ lng: 'cimode' });
  const instant = Math.floor(Date.now() / 60_000) * 60_000 - 86_400_000;
  readServerDate(new Response(null, { headers: { date: new Date(instant).toUTCString() } }));
  const soon = [0, 1, 2, 3, 4, 5].map((seconds) => formatForSearch(instant + seconds * 1_000));
  expect(soon).toContain(choose('/now'));
  readServerDate(new Response(null, { headers: { date: new Date().toUTCString() } }));
});
